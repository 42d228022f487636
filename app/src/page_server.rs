//! Serves the folder of an HTML file on loopback, so that its modules, fetches and workers run as on a site.
//!
//! Invariants:
//! - Only 127.0.0.1 is listened on, at a port the system chooses.
//! - Only processes of the user who runs us get anything: the system knows whose socket the other end of a connection
//!   is. So it
//!   needs no word that each request would have to bring, which a page could see, and which workers would lack.
//! - Nothing outside the folder is given out, nor what is hidden in it (`.git`, `.env`, answers that are kept): no
//!   `..`, no
//!   symbolic link that leads there. What is checked is the file that was opened ([`inside`]).
//! - Requests whose `Host` is not this server are refused, so that a name that an attacker points at
//!   127.0.0.1 (DNS rebinding) reads nothing; so are those of pages of another origin in the same browser.
//! - What is served is the file, byte for byte, and its digest is noted.

use std::ffi::{OsStr, OsString};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tower_http::services::ServeFile;
use url::Url;

use crate::http::{self, Peer};
use crate::private;
use crate::served::{Files, Served, digest_of};

mod inside;

use inside::{Opened, content_inside, file_inside};

/// Why a file cannot be served as a page.
#[derive(Debug, thiserror::Error)]
pub enum PageServerError {
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
pub struct PageServer {
    page: Url,
    file: PathBuf,
    root: PathBuf,
    served: Arc<Served>,
    task: JoinHandle<()>,
}

impl PageServer {
    /// Starts to serve the folder of `file`, also to the browsers at these addresses if they are another user's.
    ///
    /// # Errors
    /// If `file` is no readable file, or if no port can be opened.
    pub async fn start(file: &Path, browsers: &[String]) -> Result<Self, PageServerError> {
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
            page: name.to_owned(),
            users: users(browsers),
            browsers: processes(browsers),
        });
        let router = Router::new().fallback(give).with_state(guard);
        // It ends only with the task, when `PageServer` is dropped.
        let task = tokio::spawn(http::serve(listener, router, http::LIMITS));
        Ok(Self {
            page,
            file: root.join(name),
            root,
            served,
            task,
        })
    }

    /// The address of the page.
    pub fn page(&self) -> &Url {
        &self.page
    }

    /// The file of the page.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What was given until now; `None` if it was not the same all the time, or is no longer what would be given.
    pub(crate) fn served(&self) -> Option<Files> {
        self.served.files().filter(|files| self.gives(files))
    }

    /// Whether one of these words is in a file that was given.
    pub(crate) fn mentions(&self, words: &[&str]) -> bool {
        let files = self.served.files().unwrap_or_default();
        let mut texts = files.keys().filter_map(|path| {
            let file = content_inside(&self.root, path, self.name())?;
            std::fs::read(file.path()).ok()
        });
        texts.any(|text| {
            let text = String::from_utf8_lossy(&text);
            words.iter().any(|word| text.contains(word))
        })
    }

    /// Whether exactly this is given under these paths.
    pub(crate) fn gives(&self, files: &Files) -> bool {
        files.iter().all(|(path, digest)| {
            let file = content_inside(&self.root, path, self.name());
            file.and_then(|file| digest_of(&file.path()).ok()) == *digest
        })
    }

    /// What is in the file behind a URL of this server, if it is one and the file is in the folder.
    pub fn content_of(&self, url: &Url) -> Option<Vec<u8>> {
        let is_ours = url.origin() == self.page.origin();
        let file = is_ours.then(|| file_inside(&self.root, url.path(), self.name()))??;
        std::fs::read(file.path()).ok()
    }

    fn name(&self) -> &OsStr {
        self.file.file_name().unwrap_or_default()
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
    /// The name of the page's file, which may be hidden.
    page: OsString,
    users: Vec<u32>,
    /// Whose frames without an origin are served: what we start, and browsers that we were told to use.
    browsers: Vec<u32>,
}

/// Who is served: the user who runs us, and those whose browsers we were told to use.
fn users(browsers: &[String]) -> Vec<u32> {
    let others = browsers.iter().filter_map(|it| port_of(it));
    let others = others.filter_map(private::owner_of_listener);
    [private::user()].into_iter().chain(others).collect()
}

/// The processes that are, or start, the browsers.
fn processes(browsers: &[String]) -> Vec<u32> {
    let others = browsers.iter().filter_map(|it| port_of(it));
    let others = others.filter_map(private::process_of_listener);
    [std::process::id()].into_iter().chain(others).collect()
}

/// The port of a browser on this machine.
fn port_of(address: &str) -> Option<u16> {
    let url = Url::parse(address).ok()?;
    let is_local = matches!(url.host_str()?, "127.0.0.1" | "localhost");
    url.port().filter(|_| is_local)
}

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");
const SHARED_WITH: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// What may be done with a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It is for pages of this server.
    SameOrigin,
    /// It is for a frame of theirs that has no origin, or another site's in a browser of ours.
    Sandboxed,
}

impl Guard {
    fn is_host(&self, headers: &HeaderMap) -> bool {
        let host = text(headers, &header::HOST);
        let is = |ours: &String| host.is_some_and(|host| ours.eq_ignore_ascii_case(host));
        self.hosts.iter().any(is)
    }

    /// For whom a browser asks; none: for a page of another origin. Programs that are no browsers do not say it, nor
    /// need they.
    fn is_for(&self, headers: &HeaderMap) -> Option<Use> {
        match text(headers, &SITE) {
            None | Some("same-origin" | "none") => return Some(Use::SameOrigin),
            Some(_) => {}
        }
        // A link leads here, or a form: who it came from sees nothing of it.
        let is_tab = text(headers, &MODE) == Some("navigate")
            && text(headers, &DESTINATION) == Some("document");
        is_tab.then_some(Use::SameOrigin)
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Answers a request.
async fn give(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    if !guard.is_host(request.headers()) {
        return StatusCode::MISDIRECTED_REQUEST.into_response();
    }
    let peer = request.extensions().get::<Arc<Peer>>();
    let owner = peer.and_then(|peer| peer.owner());
    if !owner.is_some_and(|owner| guard.users.contains(&owner)) {
        let why = "this is for processes of the user who runs querypoint";
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    let of_browser = || {
        let is_of = |peer: &Arc<Peer>| peer.is_of(&guard.browsers);
        peer.is_some_and(is_of).then_some(Use::Sandboxed)
    };
    let Some(used) = guard.is_for(request.headers()).or_else(of_browser) else {
        let why = "this is for pages of this address";
        return (StatusCode::FORBIDDEN, why).into_response();
    };
    let mut response = match found(&guard, request.uri().path()).await {
        Found::Nothing => StatusCode::NOT_FOUND.into_response(),
        Found::Folder => to_folder(&request),
        Found::File(file) => given(&file, request).await,
    };
    let used = HeaderValue::from_static(match used {
        Use::SameOrigin => "same-origin",
        Use::Sandboxed => "cross-origin",
    });
    response.headers_mut().insert(SHARED_WITH, used);
    response
}

enum Found {
    Nothing,
    /// It has an index, and the address does not end with a slash.
    Folder,
    File(Opened),
}

/// What is at a path, which is noted.
async fn found(guard: &Arc<Guard>, path: &str) -> Found {
    let (guard, path) = (guard.clone(), path.to_owned());
    let looked = tokio::task::spawn_blocking(move || {
        let file = content_inside(&guard.root, &path, &guard.page);
        let content = file.as_ref().map(Opened::path);
        guard.served.note(&path, content.as_deref());
        match file {
            None => Found::Nothing,
            Some(file) if file.is_index && !path.ends_with('/') => Found::Folder,
            Some(file) => Found::File(file),
        }
    });
    looked.await.unwrap_or(Found::Nothing)
}

/// Leads to the same address with a slash.
fn to_folder(request: &Request) -> Response {
    let path = request.uri().path();
    let query = request.uri().query();
    let query = query.map(|it| format!("?{it}")).unwrap_or_default();
    match HeaderValue::try_from(format!("{path}/{query}")) {
        Ok(to) => (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The file, as it was opened.
async fn given(file: &Opened, request: Request) -> Response {
    let answered = ServeFile::new(file.path()).try_call(request).await;
    let Ok(answered) = answered else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = answered.map(Body::new);
    let kind = better_type(file.name.extension())
        .or_else(|| mime_guess::from_path(&file.name).first_raw())
        .unwrap_or("application/octet-stream");
    if response.headers().contains_key(header::CONTENT_TYPE) {
        let kind = HeaderValue::from_static(kind);
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    response
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
mod tests;
