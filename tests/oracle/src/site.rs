//! Programs as pages, on loopback.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

type Files = Arc<Mutex<HashMap<String, String>>>;

/// A server of pages; it ends when this is dropped.
#[derive(Debug)]
pub struct Site {
    origin: String,
    files: Files,
    task: JoinHandle<()>,
}

impl Site {
    /// Starts to serve nothing yet.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let files = Files::default();
        let router = Router::new()
            .route("/{name}", get(serve))
            .with_state(files.clone());
        let task = tokio::spawn(async move {
            // It ends only with the task.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            origin,
            files,
            task,
        })
    }

    /// Serves `scripts` as `NAME-0.js`, `NAME-1.js`, … of one page; gives the page's address. `log` prints nothing
    /// there.
    pub fn add(&self, name: &str, scripts: &[&str]) -> String {
        let mut page =
            format!("<!doctype html><title>{name}</title><script>const log = Boolean</script>");
        let mut files = self.files.lock();
        for (number, script) in scripts.iter().enumerate() {
            let file = format!("{name}-{number}.js");
            page.push_str(&format!("<script src=\"{file}\"></script>"));
            files.insert(file, (*script).to_owned());
        }
        files.insert(format!("{name}.html"), page);
        format!("{}/{name}.html", self.origin)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(State(files): State<Files>, Path(name): Path<String>) -> impl IntoResponse {
    let files = files.lock();
    let kind = match name.ends_with(".js") {
        true => "text/javascript; charset=utf-8",
        false => "text/html; charset=utf-8",
    };
    match files.get(&name) {
        Some(text) => (StatusCode::OK, [(header::CONTENT_TYPE, kind)], text.clone()),
        None => (
            StatusCode::NOT_FOUND,
            [(header::CONTENT_TYPE, kind)],
            String::new(),
        ),
    }
}
