//! Serves HTTP on loopback within limits: what does not end, whoever began it, holds neither a connection nor memory
//! for long.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::private;

/// What a server bears.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// So many connections at once; more wait until one ends.
    pub connections: usize,
    /// So long a connection may be without the whole head of a request.
    pub head: Duration,
    /// So many bytes all connections together may have sent of messages that are not complete.
    pub unfinished: usize,
}

/// A browser that found a connection closed opens another.
pub const LIMITS: Limits = Limits {
    connections: 256,
    head: Duration::from_secs(30),
    unfinished: 128 << 20,
};

/// When no connection can be had, there may be no descriptors left.
const PAUSE: Duration = Duration::from_millis(50);

/// Who is at the other end of a connection.
#[derive(Debug)]
pub struct Peer {
    from: SocketAddr,
    to: SocketAddr,
    owner: OnceLock<Option<u32>>,
}

impl Peer {
    /// The user whose process it is; none: it is not known.
    pub fn owner(&self) -> Option<u32> {
        *self.owner.get_or_init(|| match (self.from, self.to) {
            (SocketAddr::V4(from), SocketAddr::V4(to)) => private::owner_of_connection(from, to),
            _ => None,
        })
    }

    /// Whether it is one of these processes, or was started by one.
    pub fn is_of(&self, processes: &[u32]) -> bool {
        match (self.from, self.to) {
            (SocketAddr::V4(from), SocketAddr::V4(to)) => {
                private::is_connection_of(from, to, processes)
            }
            _ => false,
        }
    }
}

/// Counts what a connection has sent since its last complete message.
#[derive(Debug)]
pub struct Meter {
    held: AtomicUsize,
    all: Arc<AtomicUsize>,
    limit: usize,
}

impl Meter {
    /// A message is complete.
    pub fn message_ended(&self) {
        let held = self.held.swap(0, Ordering::Relaxed);
        self.all.fetch_sub(held, Ordering::Relaxed);
    }

    /// Whether there is room for so many bytes more.
    fn takes(&self, bytes: usize) -> bool {
        self.held.fetch_add(bytes, Ordering::Relaxed);
        let all = self.all.fetch_add(bytes, Ordering::Relaxed);
        all.saturating_add(bytes) <= self.limit
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.message_ended();
    }
}

/// Serves until it is dropped; what is being answered then ends too.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits) {
    let router = router.layer(middleware::from_fn(note_request));
    let room = Arc::new(Semaphore::new(limits.connections));
    let all = Arc::<AtomicUsize>::default();
    let mut connections = JoinSet::new();
    // The semaphore is never closed.
    while let Ok(place) = room.clone().acquire_owned().await {
        let (stream, from) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
            Some(_) = connections.join_next() => continue,
        };
        let Ok(to) = stream.local_addr() else {
            continue;
        };
        let meter = Arc::new(Meter {
            held: AtomicUsize::new(0),
            all: all.clone(),
            limit: limits.unfinished,
        });
        let peer = Peer {
            from,
            to,
            owner: OnceLock::new(),
        };
        let router = router
            .clone()
            .layer(Extension(Arc::new(peer)))
            .layer(Extension(meter.clone()));
        let stream = TokioIo::new(Metered { stream, meter });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            .serve_connection(stream, TowerToHyperService::new(router))
            .with_upgrades();
        connections.spawn(async move {
            // Who sends what is no request, or goes, is not told.
            let _ = connection.await;
            drop(place);
        });
    }
}

async fn note_request(request: Request, next: Next) -> axum::response::Response {
    if let Some(meter) = request.extensions().get::<Arc<Meter>>() {
        meter.message_ended();
    }
    next.run(request).await
}

/// A connection whose bytes are counted.
struct Metered {
    stream: TcpStream,
    meter: Arc<Meter>,
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if self.meter.takes(buffer.filled().len() - before) {
            return polled;
        }
        let why = "too much is being sent at once; end some of it";
        Poll::Ready(Err(io::Error::new(io::ErrorKind::OutOfMemory, why)))
    }
}

impl AsyncWrite for Metered {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use std::net::Ipv4Addr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    async fn served(limits: Limits) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/", get(async || "here"));
        tokio::spawn(serve(listener, router, limits));
        address
    }

    async fn sent(to: SocketAddr, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(to).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    async fn rest(mut stream: TcpStream) -> String {
        let mut text = Vec::new();
        // One that is reset has ended as well.
        let _ = stream.read_to_end(&mut text).await;
        String::from_utf8(text).unwrap()
    }

    const WHOLE: &str = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

    #[tokio::test]
    async fn a_head_that_does_not_end_makes_room_for_others() {
        let address = served(Limits {
            connections: 2,
            head: Duration::from_millis(100),
            ..LIMITS
        })
        .await;
        let unfinished = [sent(address, "GET / HT").await, sent(address, "").await];
        assert!(rest(sent(address, WHOLE).await).await.ends_with("here"));
        for stream in unfinished {
            assert!(!rest(stream).await.contains("here"));
        }
    }

    #[tokio::test]
    async fn all_connections_share_what_they_hold() {
        let address = served(Limits {
            unfinished: 1000,
            ..LIMITS
        })
        .await;
        for _ in 0..100 {
            let answer = rest(sent(address, WHOLE).await).await;
            assert!(answer.ends_with("here"), "what is complete is not held");
        }
        let long = format!("GET / HTTP/1.1\r\nx: {}", "x".repeat(600));
        let held = sent(address, &long).await;
        let too_much = sent(address, &long).await;
        // One of the two is ended, and the other goes on.
        let finish = async |mut stream: TcpStream| {
            let written = stream.write_all(b"\r\nHost: h\r\nConnection: close\r\n\r\n");
            written.await.is_ok() && rest(stream).await.ends_with("here")
        };
        let (first, second) = (finish(too_much).await, finish(held).await);
        assert!(second || first);
        assert!(!(first && second));
    }

    #[tokio::test]
    async fn the_other_end_is_known() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let to = listener.local_addr().unwrap();
        let stream = TcpStream::connect(to).await.unwrap();
        let peer = Peer {
            from: stream.local_addr().unwrap(),
            to,
            owner: OnceLock::new(),
        };
        assert_eq!(peer.owner(), Some(private::user()));
    }
}
