//! The panel as a page: the files that `panel-package` made, and what a browser is told about them.

use std::path::{Path, PathBuf};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use tower_http::services::ServeDir;

/// Nothing but what is served here is run, loaded or spoken to, and nobody shows it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The folder of the panel beside the running program, if it is there.
pub(crate) fn beside_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?.join("panel");
    folder.join("index.html").is_file().then_some(folder)
}

/// Serves the files of the panel in `folder`.
pub(crate) fn router(folder: &Path) -> Router {
    Router::new()
        .fallback_service(ServeDir::new(folder))
        .layer(middleware::from_fn(with_policy))
}

async fn with_policy(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ] {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}
