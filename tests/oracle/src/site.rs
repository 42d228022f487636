//! Programs as pages, on loopback.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

use test_support::server::{Answer, Server};

type Files = Arc<Mutex<HashMap<String, Answer>>>;

/// A server of pages; it ends when this is dropped.
#[derive(Debug)]
pub struct Site {
    files: Files,
    server: Server,
}

impl Site {
    /// Starts to serve nothing yet.
    ///
    /// # Errors
    /// If no port or no thread can be had.
    pub fn start() -> std::io::Result<Self> {
        let files = Files::default();
        let served = files.clone();
        let server = Server::start(move |asked| {
            let found = served
                .lock()
                .get(asked.path.trim_start_matches('/'))
                .cloned();
            async { Some(found.unwrap_or_else(Answer::missing)) }
        })?;
        Ok(Self { files, server })
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
            files.insert(file, Answer::new("text/javascript; charset=utf-8", *script));
        }
        let page = Answer::new("text/html; charset=utf-8", page);
        files.insert(format!("{name}.html"), page);
        self.server.url(&format!("/{name}.html"))
    }
}
