//! A web server on loopback whose every answer is the test's: held back, delayed, cut off, or never ended; or the files
//! of a folder.
//!
//! Its answers are told from a thread of its own, so that a test may block. Each connection has one request, so that a
//! browser that loses an answer has no reason to ask again.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Component, Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use percent_encoding::percent_decode_str;
use tokio::sync::oneshot;

/// What a browser asks for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `GET`, `POST`, …
    pub method: String,
    /// The path with its query, as it was sent.
    pub path: String,
    headers: HeaderMap,
    /// What was sent with it.
    pub body: Vec<u8>,
}

impl Asked {
    /// The value of a header; none: it was not sent, or is no text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// With its last byte; its length is told, unless a header tells it.
    #[default]
    Whole,
    /// Never: the connection stays open behind the last byte.
    Never,
    /// The connection ends behind the last byte, as if the network was lost.
    CutOff,
}

/// What a browser is answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status, 100 to 999.
    pub status: u16,
    /// Names and values, in order; a name may be there more than once.
    pub headers: Vec<(String, String)>,
    /// The body, as it is sent.
    pub body: Vec<u8>,
    /// How it ends.
    pub ending: Ending,
}

impl Answer {
    /// An answer with the status 200.
    pub fn new(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("Content-Type".to_owned(), kind.to_owned())],
            body: body.into(),
            ending: Ending::Whole,
        }
    }

    /// What is told of a path that is not there.
    #[must_use]
    pub fn missing() -> Self {
        Self {
            status: 404,
            ..Self::new("text/plain", "not here")
        }
    }
}

/// A server on loopback; it ends when this is dropped, and with it every connection.
#[derive(Debug)]
pub struct Server {
    port: u16,
    /// Dropped, it ends the server.
    _alive: oneshot::Sender<Infallible>,
}

impl Server {
    /// Answers each request with what `answer` gives for it, as soon as it gives it; with `None` the connection ends
    /// without a word.
    ///
    /// # Errors
    /// If no port or no thread can be had.
    pub fn start<Answering>(
        answer: impl Fn(Asked) -> Answering + Send + Sync + 'static,
    ) -> io::Result<Self>
    where
        Answering: Future<Output = Option<Answer>> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (alive, ended) = oneshot::channel::<Infallible>();
        std::thread::Builder::new()
            .name("test server".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        _ = accept(listener, Arc::new(answer)) => {}
                        _ = ended => {}
                    }
                });
            })?;
        Ok(Self {
            port,
            _alive: alive,
        })
    }

    /// Answers with the files below `folder`, and with the `index.html` of a folder in it.
    ///
    /// # Errors
    /// If no port or no thread can be had.
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        let folder: Arc<Path> = folder.into();
        Self::start(move |asked| {
            let file = file_of(&folder, &asked.path);
            async move {
                let file = file?;
                let answer = tokio::fs::read(&file).await.map(|body| {
                    let kind = mime_guess::from_path(&file).first_or_octet_stream();
                    Answer::new(kind.essence_str(), body)
                });
                Some(answer.unwrap_or_else(|_| Answer::missing()))
            }
        })
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of a path, which begins with `/`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

/// The file that a path with its query asks for; none: the path leads out of the folder.
fn file_of(folder: &Path, asked: &str) -> Option<PathBuf> {
    let path = asked.split('?').next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let path = Path::new(path.trim_start_matches('/'));
    let is_inside = |part| matches!(part, Component::Normal(_));
    let file = path
        .components()
        .all(is_inside)
        .then(|| folder.join(path))?;
    Some(match file.is_dir() {
        true => file.join("index.html"),
        false => file,
    })
}

async fn accept<Answering>(
    listener: TcpListener,
    answer: Arc<impl Fn(Asked) -> Answering + Send + Sync + 'static>,
) -> io::Result<()>
where
    Answering: Future<Output = Option<Answer>> + Send + 'static,
{
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let answer = answer.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| respond(request, answer.clone()));
            let mut server = http1::Builder::new();
            server
                .keep_alive(false)
                .auto_date_header(false)
                .title_case_headers(true)
                // A browser may end its half and still read.
                .half_close(true);
            // What is lost on the way is no matter of the server.
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// Why a connection ends without its answer, or before its end.
#[derive(Debug, thiserror::Error)]
enum Lost {
    #[error("the request was not sent whole: {0}")]
    Request(#[from] hyper::Error),
    #[error("the test wants it to be lost")]
    Wanted,
}

async fn respond<Answering>(
    request: Request<Incoming>,
    answer: Arc<impl Fn(Asked) -> Answering>,
) -> Result<Response<Content>, Lost>
where
    Answering: Future<Output = Option<Answer>>,
{
    let (head, mut sent) = request.into_parts();
    let mut body = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut sent).poll_frame(context)).await {
        if let Ok(bytes) = frame?.into_data() {
            body.extend_from_slice(&bytes);
        }
    }
    let path = head.uri.path_and_query().map(ToString::to_string);
    let asked = Asked {
        method: head.method.to_string(),
        path: path.unwrap_or_default(),
        headers: head.headers,
        body,
    };
    let answer = answer(asked).await.ok_or(Lost::Wanted)?;
    Ok(response(answer))
}

fn response(answer: Answer) -> Response<Content> {
    let mut response = Response::new(Content {
        bytes: Some(answer.body.into()).filter(|bytes: &Bytes| !bytes.is_empty()),
        ending: answer.ending,
        is_sent: false,
    });
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &answer.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_bytes(value.as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// The body of an answer, and its end.
#[derive(Debug)]
struct Content {
    bytes: Option<Bytes>,
    ending: Ending,
    is_sent: bool,
}

impl Body for Content {
    type Data = Bytes;
    type Error = Lost;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Lost>>> {
        if let Some(bytes) = self.bytes.take() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        match self.ending {
            Ending::Whole => Poll::Ready(None),
            // The connection's end wakes the task.
            Ending::Never => Poll::Pending,
            // An error at once would take the bytes with it: they are sent while the body is waited for.
            Ending::CutOff if !self.is_sent => {
                self.is_sent = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Ending::CutOff => Poll::Ready(Some(Err(Lost::Wanted))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none() && self.ending == Ending::Whole
    }

    fn size_hint(&self) -> SizeHint {
        match self.ending {
            Ending::Whole => {
                let length = self.bytes.as_ref().map_or(0, Bytes::len);
                SizeHint::with_exact(length as u64)
            }
            Ending::Never | Ending::CutOff => SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::file_of;
    use std::path::Path;

    #[test]
    fn a_path_leads_to_a_file_of_the_folder_and_never_out_of_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = |asked| file_of(folder, asked);
        assert_eq!(file("/a/b%20c.js?v=2"), Some(folder.join("a/b c.js")));
        assert_eq!(file("/src"), Some(folder.join("src/index.html")));
        assert_eq!(file("/"), Some(folder.join("index.html")));
        for outside in ["/../a.js", "/src/..%2F..%2Fa.js", "/%2e%2e/a.js", "/%ff"] {
            assert_eq!(file(outside), None, "{outside}");
        }
    }
}
