//! `PAGE` as it was typed: a URL, or a path to an HTML file that is then served.

use std::borrow::Cow;
use std::path::Path;

use url::Url;

use crate::page_server::{PageServer, PageServerError};

/// A page that a browser can load for as long as this value lives.
#[derive(Debug)]
pub enum Page {
    /// A page that someone else serves.
    Remote(Url),
    /// A file that we serve.
    Served(PageServer),
}

impl Page {
    /// Finds out what `page` is and, if it is a file, serves its folder: to processes of this user, and to the browsers
    /// at these addresses, whosever they are.
    ///
    /// # Errors
    /// If it is neither a URL of the web nor a readable file.
    pub async fn open(page: &str, browsers: &[String]) -> Result<Self, PageServerError> {
        let serve = async |file: &Path| {
            let server = PageServer::start(file, browsers).await;
            server.map(Self::Served)
        };
        match Url::parse(page) {
            Ok(url) if matches!(url.scheme(), "http" | "https" | "data" | "about") => {
                Ok(Self::Remote(url))
            }
            Ok(url) if url.scheme() == "file" => match url.to_file_path() {
                Ok(path) => serve(&path).await,
                Err(()) => serve(Path::new(page)).await,
            },
            _ => serve(Path::new(page)).await,
        }
    }

    /// The address to load.
    pub fn url(&self) -> &Url {
        match self {
            Self::Remote(url) => url,
            Self::Served(server) => server.page(),
        }
    }

    /// Whether a tab that was loaded from this address shows the page; what is behind `#` does not count.
    pub fn is_shown_at(&self, address: &str) -> bool {
        let without_fragment = |url: &Url| {
            let mut url = url.clone();
            url.set_fragment(None);
            url
        };
        let Ok(address) = Url::parse(address) else {
            return false;
        };
        let is_file = |server: &PageServer| {
            address.scheme() == "file" && address.to_file_path().is_ok_and(|it| it == server.file())
        };
        without_fragment(&address) == without_fragment(self.url())
            || matches!(self, Self::Served(server) if is_file(server))
    }

    /// What `url`, of an answer that was found when the page had the address `then`, is called now: another port may
    /// serve it.
    pub fn as_now<'u>(&self, then: &str, url: &'u str) -> Cow<'u, str> {
        let origin = |url: &Url| url.origin().ascii_serialization();
        let Some(then) = Url::parse(then).ok().filter(|url| url.has_host()) else {
            return Cow::Borrowed(url);
        };
        match url.strip_prefix(&origin(&then)) {
            Some(rest) if rest.starts_with('/') => {
                Cow::Owned(format!("{}{rest}", origin(self.url())))
            }
            _ => Cow::Borrowed(url),
        }
    }

    /// One line (1-based) of a source file of the page, if we have the file.
    pub fn source_line(&self, url: &str, line: u32) -> Option<String> {
        let Self::Served(server) = self else {
            return None;
        };
        let text = server.content_of(&Url::parse(url).ok()?)?;
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        String::from_utf8_lossy(&text)
            .lines()
            .nth(index)
            .map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn urls_are_taken_as_they_are() {
        let page = Page::open("https://example.org/a?b#c", &[]).await.unwrap();
        assert_eq!(page.url().as_str(), "https://example.org/a?b#c");
        assert_eq!(page.source_line("https://example.org/a", 1), None);
    }

    #[tokio::test]
    async fn files_are_served_by_path_and_by_file_url() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.html");
        std::fs::write(&file, "one\ntwo\n").unwrap();
        let file_url = Url::from_file_path(&file).unwrap();
        for given in [file.to_str().unwrap(), file_url.as_str()] {
            let page = Page::open(given, &[]).await.unwrap();
            assert_eq!(page.url().path(), "/index.html");
            let url = page.url().as_str();
            assert_eq!(page.source_line(url, 2).as_deref(), Some("two"));
            assert_eq!(page.source_line(url, 0), None);
            assert_eq!(page.source_line(url, 3), None);
        }
    }

    #[tokio::test]
    async fn addresses_of_an_earlier_port_are_those_of_now() {
        let page = Page::open("http://127.0.0.1:5000/a.html", &[])
            .await
            .unwrap();
        let then = "http://127.0.0.1:400/a.html";
        for (url, now) in [
            (
                "http://127.0.0.1:400/b.js?x",
                "http://127.0.0.1:5000/b.js?x",
            ),
            ("http://127.0.0.1:4000/b.js", "http://127.0.0.1:4000/b.js"),
            ("webpack:///b.js", "webpack:///b.js"),
            ("", ""),
        ] {
            assert_eq!(page.as_now(then, url), now);
        }
        assert_eq!(page.as_now("about:blank", "null/x"), "null/x");
    }

    #[tokio::test]
    async fn anything_else_is_a_file_that_is_missing() {
        for given in ["nothing.html", "ftp://example.org/", "localhost:8080"] {
            let error = Page::open(given, &[]).await.unwrap_err();
            assert!(error.to_string().contains(given), "{error}");
        }
    }
}
