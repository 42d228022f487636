//! Serves the folder of an HTML file on loopback, so that its modules, fetches and workers run as on a site.
//!
//! Invariants:
//! - Only 127.0.0.1 is listened on, at a port the system chooses.
//! - Nothing outside the folder is given out: no `..`, no symbolic link that leads out of it.
//! - Requests whose `Host` is not this server are refused, so that a name that an attacker points at
//!   127.0.0.1 (DNS rebinding) reads nothing.
//! - What is served is the file, byte for byte, and its digest is noted.
//! - Answers that are kept in the folder are not given out: they hold what a page held.

use std::ffi::OsStr;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tower_http::services::ServeDir;
use url::Url;

use crate::kept;
use crate::served::{Files, Served, digest_of};

/// Why a file cannot be served as a page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageServerError {
    /// The file is not there or cannot be read.
    #[error("the page {path} cannot be read: {source}; give the path of an HTML file, or a URL")]
    Unreadable {
        /// The path as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The path leads to a folder or a device.
    #[error(
        "the page {path} is not a file; give the path of an HTML file in it, such as {path}/index.html"
    )]
    NotAFile {
        /// The path as it was given.
        path: PathBuf,
    },
    /// No port could be opened.
    #[error(
        "the page could not be served on 127.0.0.1: {0}; check that loopback is up and ports are left"
    )]
    CannotListen(io::Error),
}

/// A running server for one folder; it stops when dropped.
#[derive(Debug)]
pub(crate) struct PageServer {
    page: Url,
    file: PathBuf,
    root: PathBuf,
    served: Arc<Served>,
    task: JoinHandle<()>,
}

impl PageServer {
    /// Starts to serve the folder of `file`.
    ///
    /// # Errors
    /// If `file` is no readable file, or if no port can be opened.
    pub(crate) async fn start(file: &Path) -> Result<Self, PageServerError> {
        let unreadable = |source| PageServerError::Unreadable {
            path: file.to_owned(),
            source,
        };
        // The folder is that of the name that was given: if the file is a link into another folder, its
        // neighbours are still those the person sees beside it.
        let absolute = std::path::absolute(file).map_err(unreadable)?;
        let metadata = tokio::fs::metadata(&absolute).await.map_err(unreadable)?;
        let (Some(folder), Some(name), true) =
            (absolute.parent(), absolute.file_name(), metadata.is_file())
        else {
            return Err(PageServerError::NotAFile {
                path: file.to_owned(),
            });
        };
        let root = tokio::fs::canonicalize(folder).await.map_err(unreadable)?;

        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .map_err(PageServerError::CannotListen)?;
        let address = listener
            .local_addr()
            .map_err(PageServerError::CannotListen)?;
        let page = page_url(address, name)
            .ok_or_else(|| unreadable(io::Error::other("its name makes no URL")))?;

        let served = Arc::<Served>::default();
        let guard = Arc::new(Guard {
            root: root.clone(),
            served: served.clone(),
            hosts: [address.to_string(), format!("localhost:{}", address.port())],
        });
        let router = Router::new()
            .fallback_service(ServeDir::new(&root))
            .layer(middleware::from_fn_with_state(guard, admit));
        let task = tokio::spawn(async move {
            // It ends only with the task, when `PageServer` is dropped.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            page,
            file: root.join(name),
            root,
            served,
            task,
        })
    }

    /// The address of the page.
    pub(crate) fn page(&self) -> &Url {
        &self.page
    }

    /// The file of the page.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// What was given until now; `None` if it was not the same all the time, or is no longer what would be given.
    pub(crate) fn served(&self) -> Option<Files> {
        self.served.files().filter(|files| self.gives(files))
    }

    /// Whether exactly this is given under these paths.
    pub(crate) fn gives(&self, files: &Files) -> bool {
        files.iter().all(|(path, digest)| {
            let file = content_inside(&self.root, path);
            file.and_then(|file| digest_of(&file).ok()) == *digest
        })
    }

    /// The file behind a URL of this server, if it is one and the file is in the folder.
    pub(crate) fn file_of(&self, url: &Url) -> Option<PathBuf> {
        (url.origin() == self.page.origin())
            .then(|| file_inside(&self.root, url.path()))
            .flatten()
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a request is checked against.
struct Guard {
    root: PathBuf,
    served: Arc<Served>,
    hosts: [String; 2],
}

async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|value| value.to_str().ok());
    if !host.is_some_and(|host| {
        guard
            .hosts
            .iter()
            .any(|ours| ours.eq_ignore_ascii_case(host))
    }) {
        return StatusCode::MISDIRECTED_REQUEST.into_response();
    }
    let path = request.uri().path().to_owned();
    let file = content_inside(&guard.root, &path);
    let noted = {
        let (guard, file) = (guard.clone(), file.clone());
        tokio::task::spawn_blocking(move || guard.served.note(&path, file.as_deref()))
    };
    let is_noted = noted.await.is_ok();
    let Some(file) = file.filter(|_| is_noted) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = next.run(request).await;
    if response.status().is_success()
        && let Some(kind) = better_type(file.extension())
    {
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    response
}

/// The existing file or folder that a URL path leads to, if that is inside `root`, links followed.
fn file_inside(root: &Path, url_path: &str) -> Option<PathBuf> {
    let decoded = percent_decode_str(url_path).decode_utf8().ok()?;
    if decoded.contains('\0') {
        return None;
    }
    let relative = Path::new(decoded.trim_start_matches('/'));
    let stays_inside = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !stays_inside {
        return None;
    }
    let file = root.join(relative).canonicalize().ok()?;
    let inside = file.strip_prefix(root).ok()?;
    let is_ours = inside.iter().any(|part| part == kept::FOLDER);
    (!is_ours).then_some(file)
}

/// The file that is given under a URL path: of a folder its `index.html`.
fn content_inside(root: &Path, url_path: &str) -> Option<PathBuf> {
    let found = file_inside(root, url_path)?;
    let file = match found.is_dir() {
        true => file_inside(
            root,
            &format!("{}/index.html", url_path.trim_end_matches('/')),
        )?,
        false => found,
    };
    file.is_file().then_some(file)
}

/// The type where the general table gives an old one, or takes source files for films and fonts.
fn better_type(extension: Option<&OsStr>) -> Option<&'static str> {
    match extension?.to_str()? {
        "mjs" | "cjs" => Some("text/javascript"),
        "ts" | "tsx" | "jsx" | "mts" | "cts" | "vue" | "svelte" => {
            Some("text/plain; charset=utf-8")
        }
        "map" => Some("application/json"),
        _ => None,
    }
}

fn page_url(address: SocketAddr, file_name: &OsStr) -> Option<Url> {
    let mut url = Url::parse(&format!("http://{address}/")).ok()?;
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .push(file_name.to_str()?);
    Some(url)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    /// A folder `site` with a page, beside it a file `secret.txt` that must not be served.
    fn site() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("site");
        fs::create_dir(&site).unwrap();
        fs::write(folder.path().join("secret.txt"), "secret").unwrap();
        fs::write(site.join("a page.html"), "<p>hello").unwrap();
        for name in [
            "a.mjs", "a.js", "a.wasm", "a.tsx", "a.js.map", "a.css", "a.svg", "a.json",
        ] {
            fs::write(site.join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink("../secret.txt", site.join("link.txt")).unwrap();
        std::os::unix::fs::symlink("a.js", site.join("inside.js")).unwrap();
        folder
    }

    async fn start(folder: &TempDir) -> PageServer {
        PageServer::start(&folder.path().join("site/a page.html"))
            .await
            .unwrap()
    }

    /// Asks with the path exactly as given, as no well-behaved client would.
    async fn get(server: &PageServer, path: &str, host: &str) -> String {
        let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, server.page().port().unwrap()))
            .await
            .unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut response = String::new();
        socket.read_to_string(&mut response).await.unwrap();
        response
    }

    fn own_host(server: &PageServer) -> String {
        format!("127.0.0.1:{}", server.page().port().unwrap())
    }

    #[tokio::test]
    async fn the_page_is_served_byte_for_byte() {
        let folder = site();
        let server = start(&folder).await;
        assert_eq!(server.page().path(), "/a%20page.html");
        assert_eq!(server.page().host_str(), Some("127.0.0.1"));
        let response = get(&server, server.page().path(), &own_host(&server)).await;
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        assert!(response.contains("content-type: text/html"), "{response}");
        assert!(response.ends_with("\r\n\r\n<p>hello"), "{response}");
    }

    #[tokio::test]
    async fn types_are_those_a_browser_insists_on() {
        let folder = site();
        let server = start(&folder).await;
        for (path, kind) in [
            ("/a.mjs", "text/javascript"),
            ("/a.js", "text/javascript"),
            ("/inside.js", "text/javascript"),
            ("/a.wasm", "application/wasm"),
            ("/a.tsx", "text/plain; charset=utf-8"),
            ("/a.js.map", "application/json"),
            ("/a.css", "text/css"),
            ("/a.svg", "image/svg+xml"),
            ("/a.json", "application/json"),
        ] {
            let response = get(&server, path, &own_host(&server)).await;
            assert!(
                response.contains(&format!("content-type: {kind}\r\n")),
                "{path}: {response}"
            );
        }
    }

    #[tokio::test]
    async fn nothing_outside_the_folder_is_served() {
        let folder = site();
        let server = start(&folder).await;
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/a/../../secret.txt",
            "//etc/passwd",
            "/link.txt",
            "/%2Fetc%2Fpasswd",
            "/missing.js",
            "/a%00.js",
        ] {
            let response = get(&server, path, &own_host(&server)).await;
            assert!(response.starts_with("HTTP/1.1 404"), "{path}: {response}");
            assert!(!response.contains("secret"), "{path}: {response}");
        }
    }

    #[tokio::test]
    async fn a_folder_is_its_index_and_what_is_kept_is_not_given_out() {
        let folder = site();
        let site = folder.path().join("site");
        for (name, index) in [
            ("inner", Some("<p>index")),
            ("empty", None),
            (".querypoint", Some("secret")),
        ] {
            fs::create_dir(site.join(name)).unwrap();
            if let Some(index) = index {
                fs::write(site.join(name).join("index.html"), index).unwrap();
            }
        }
        fs::create_dir(site.join("linked")).unwrap();
        std::os::unix::fs::symlink("../../secret.txt", site.join("linked/index.html")).unwrap();
        let server = start(&folder).await;
        let response = get(&server, "/inner/", &own_host(&server)).await;
        assert!(response.ends_with("<p>index"), "{response}");
        let response = get(&server, "/inner", &own_host(&server)).await;
        assert!(response.starts_with("HTTP/1.1 307"), "{response}");
        for path in [
            "/empty/",
            "/linked/",
            "/.querypoint/",
            "/.querypoint/index.html",
            "/%2equerypoint/index.html",
        ] {
            let response = get(&server, path, &own_host(&server)).await;
            assert!(response.starts_with("HTTP/1.1 404"), "{path}: {response}");
            assert!(!response.contains("secret"), "{path}: {response}");
        }
    }

    #[tokio::test]
    async fn what_was_given_is_known_until_it_changes() {
        let folder = site();
        let server = start(&folder).await;
        let page = folder.path().join("site/a page.html");
        assert_eq!(
            server.file().canonicalize().unwrap(),
            page.canonicalize().unwrap()
        );
        for path in ["/a%20page.html", "/a.js?v=1", "/missing.json"] {
            get(&server, path, &own_host(&server)).await;
        }
        let served = server.served().unwrap();
        let given = served
            .iter()
            .map(|(path, digest)| (path.as_str(), digest.is_some()));
        assert_eq!(
            given.collect::<Vec<_>>(),
            [
                ("/a%20page.html", true),
                ("/a.js", true),
                ("/missing.json", false)
            ]
        );
        assert!(server.gives(&served));

        let site = folder.path().join("site");
        fs::write(site.join("a.css"), "not asked for").unwrap();
        assert!(server.gives(&served));
        fs::write(site.join("missing.json"), "{}").unwrap();
        assert!(!server.gives(&served), "there is something now");
        assert_eq!(server.served(), None);
        fs::remove_file(site.join("missing.json")).unwrap();
        fs::write(site.join("a.js"), "y").unwrap();
        assert!(
            !server.gives(&served),
            "as long as before, and another text"
        );
        fs::write(site.join("a.js"), "x").unwrap();
        assert!(server.gives(&served));
    }

    #[tokio::test]
    async fn another_host_name_is_refused() {
        let folder = site();
        let server = start(&folder).await;
        let port = server.page().port().unwrap();
        for host in [
            "attacker.example".to_owned(),
            format!("attacker.example:{port}"),
            "127.0.0.1:1".to_owned(),
            String::new(),
        ] {
            let response = get(&server, "/a.js", &host).await;
            assert!(response.starts_with("HTTP/1.1 421"), "{host}: {response}");
        }
        let response = get(&server, "/a.js", &format!("LOCALHOST:{port}")).await;
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    }

    #[tokio::test]
    async fn a_page_that_is_no_file_is_named() {
        let missing = PageServer::start(Path::new("no/such.html"))
            .await
            .unwrap_err();
        assert!(missing.to_string().contains("no/such.html"), "{missing}");
        let folder = site();
        let error = PageServer::start(folder.path()).await.unwrap_err();
        assert!(matches!(error, PageServerError::NotAFile { .. }), "{error}");
    }

    #[tokio::test]
    async fn urls_lead_back_to_files() {
        let folder = site();
        let server = start(&folder).await;
        let file = server.file_of(server.page()).unwrap();
        assert_eq!(fs::read_to_string(file).unwrap(), "<p>hello");
        let elsewhere = Url::parse("http://example.org/a.js").unwrap();
        assert_eq!(server.file_of(&elsewhere), None);
        let outside = server.page().join("/link.txt").unwrap();
        assert_eq!(server.file_of(&outside), None);
    }

    #[tokio::test]
    async fn it_stops_when_dropped() {
        let folder = site();
        let server = start(&folder).await;
        let address = (Ipv4Addr::LOCALHOST, server.page().port().unwrap());
        drop(server);
        // The abort is carried out by the runtime; connections are refused from then on.
        let mut attempts = 0;
        while TcpStream::connect(address).await.is_ok() {
            attempts += 1;
            assert!(attempts < 1000, "still listening");
            tokio::task::yield_now().await;
        }
    }
}
