//! A browser of our own, or one that already runs.

mod version;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::challenges::{Answering, Credentials};
use super::connection::NativeProtocol;
use super::find::{Purpose, find_browser, is_headless_shell};
use super::process::BrowserProcess;
use crate::error::BrowserError;
use crate::protocol::Protocol;
pub use version::version_of;

/// Features of the browser that serve a person, not the page, and take more processor time than a small page does: what
/// a window shows below its address, and a process that waits for the next page.
const FOR_A_PERSON: [&str; 3] = [
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "SpareRendererForSitePerProcess",
];

/// How to start a browser.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// `--browser`; `None`: as [`find_browser`] finds it.
    pub executable: Option<PathBuf>,
    /// What it is started for: [`Purpose::Pages`] by default.
    pub purpose: Purpose,
    /// How long it may take to print its DevTools address.
    pub start_limit: Duration,
    /// What is told the server of the page that is opened first, if it asks for a name and a password.
    pub credentials: Option<Credentials>,
    /// More flags, after ours.
    pub extra_flags: Vec<String>,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self {
            executable: None,
            purpose: Purpose::default(),
            start_limit: Duration::from_secs(30),
            credentials: None,
            extra_flags: Vec::new(),
        }
    }
}

impl LaunchOptions {
    /// A browser for this purpose, as [`find_browser`] finds it.
    pub fn of(purpose: Purpose) -> Self {
        Self {
            purpose,
            ..Self::default()
        }
    }
}

/// A browser and the connection to it.
///
/// A launched one is killed, and its profile removed, when this is dropped; that takes some 10 ms, in which the thread
/// blocks. When we die without dropping (a signal, `abort`), its watchdog does the same. One that was connected to is
/// left as it is: the browser contexts that we made in it are disposed by the browser itself when the socket closes.
pub struct Browser {
    protocol: Arc<NativeProtocol>,
    /// The same, where servers that ask for a name and a password are answered.
    answering: Option<Arc<Answering>>,
    /// Where it is spoken to, `host:port`.
    authority: String,
    process: Option<BrowserProcess>,
    purpose: Option<Purpose>,
}

impl Browser {
    /// Starts a browser with a new, empty profile.
    ///
    /// # Errors
    /// [`BrowserError::NoBrowser`], [`BrowserError::NotStarted`] with its last words, [`BrowserError::NotConnected`].
    pub async fn launch(options: LaunchOptions) -> Result<Self, BrowserError> {
        let executable = find_browser(options.executable.as_deref(), options.purpose)?;
        let is_shell = is_headless_shell(&executable);
        let mut flags = flags(&options, is_shell, running_as_root());
        if is_shell && let Some(version) = version_of(&executable).await.ok().as_deref() {
            flags.extend(user_agent(version));
        }
        let (process, address) =
            BrowserProcess::start(&executable, &flags, options.start_limit).await?;
        let protocol = NativeProtocol::connect(&address, Some(process.exit_watch()))
            .await
            .map_err(|error| BrowserError::NotConnected {
                address: address.clone(),
                why: error.to_string(),
            })?;
        let protocol = Arc::new(protocol);
        // In a window a person answers, and a headless shell refuses by itself.
        let asks_nobody = options.purpose != Purpose::Window && !is_shell;
        let answering = (asks_nobody || options.credentials.is_some())
            .then(|| Answering::new(protocol.clone(), options.credentials));
        Ok(Self {
            protocol,
            answering,
            authority: authority_of(&address),
            process: Some(process),
            purpose: Some(options.purpose),
        })
    }

    /// Attaches to a running browser: `ws://…/devtools/browser/…`, or `http://host:port`, which is asked for it.
    ///
    /// # Errors
    /// [`BrowserError::NotConnected`].
    pub async fn connect(address: &str) -> Result<Self, BrowserError> {
        Self::connect_with(address, None).await
    }

    /// The same; the server of the page that is opened first is told `credentials` if it asks for a name and a
    /// password.
    ///
    /// # Errors
    /// [`BrowserError::NotConnected`].
    pub async fn connect_with(
        address: &str,
        credentials: Option<Credentials>,
    ) -> Result<Self, BrowserError> {
        let not_connected = |why: String| BrowserError::NotConnected {
            address: address.to_owned(),
            why,
        };
        let ws_url = match address.strip_prefix("http://") {
            Some(host) => ask_for_address(host.trim_end_matches('/'))
                .await
                .map_err(not_connected)?,
            None if address.starts_with("ws://") => address.to_owned(),
            None => {
                return Err(not_connected(
                    "it starts with neither ws:// nor http://".to_owned(),
                ));
            }
        };
        let protocol = NativeProtocol::connect(&ws_url, None)
            .await
            .map_err(|error| not_connected(error.to_string()))?;
        let protocol = Arc::new(protocol);
        let answering = credentials.map(|it| Answering::new(protocol.clone(), Some(it)));
        Ok(Self {
            protocol,
            answering,
            authority: authority_of(&ws_url),
            process: None,
            purpose: None,
        })
    }

    /// The connection, for the engine.
    pub fn protocol(&self) -> Arc<dyn Protocol> {
        match &self.answering {
            Some(answering) => answering.clone(),
            None => self.protocol.clone(),
        }
    }

    /// Where the browser is spoken to, `host:port`; from `http://` there it serves its developer tools.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// What a launched browser was started for.
    pub fn purpose(&self) -> Option<Purpose> {
        self.purpose
    }

    /// The process id of a launched browser (also its process group).
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(BrowserProcess::pid)
    }

    /// The temporary folder of a launched browser, with its profile in it.
    pub fn folder(&self) -> Option<&Path> {
        self.process.as_ref().map(BrowserProcess::folder)
    }

    /// Closes the connection, and a browser of our own with it, without blocking the runtime's thread.
    pub async fn close(mut self) {
        if let Some(process) = self.process.take()
            && let Err(error) = tokio::task::spawn_blocking(move || drop(process)).await
        {
            tracing::warn!(%error, "the browser was not closed cleanly");
        }
    }

    /// Runs `work` with this browser, closes it, and answers with what `work` answered; or closes it and answers `None`
    /// when `end`, such as [`interrupted`], is ready first.
    pub async fn run_until<T>(
        self,
        end: impl Future<Output = ()>,
        work: impl AsyncFnOnce(&Browser) -> T,
    ) -> Option<T> {
        let answer = {
            tokio::pin!(end);
            tokio::select! {
                answer = work(&self) => Some(answer),
                () = &mut end => None,
            }
        };
        self.close().await;
        answer
    }
}

impl Drop for Browser {
    /// Its connection ends with it, whoever still holds that.
    fn drop(&mut self) {
        self.protocol.close();
    }
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Browser")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

/// Ready when the program gets `SIGINT`, `SIGTERM` or `SIGHUP`; from its first poll on these no longer end the program.
pub async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = |kind: SignalKind| async move {
        match signal(kind) {
            Ok(mut stream) => {
                stream.recv().await;
            }
            // Without a handler the signal ends us the usual way, and the watchdog cleans up.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = wait(SignalKind::interrupt()) => {}
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::hangup()) => {}
    }
}

/// `host:port` of a browser's address, `ws://host:port/…`.
fn authority_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().to_owned()
}

fn running_as_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    // The owner of our own process folder is our effective user; where there is no /proc, no root runs a browser.
    std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

/// The flags for a browser: a headless shell (`is_shell`) is given what makes it tell pages what a full one tells them.
fn flags(options: &LaunchOptions, is_shell: bool, root: bool) -> Vec<String> {
    let mut flags: Vec<String> = [
        "--remote-debugging-port=0",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-default-apps",
        "--disable-breakpad",
        "--disable-search-engine-choice-screen",
        "--password-store=basic",
        "--use-mock-keychain",
        // A tab that is not in front is to run like one that is: two executions are side by side.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--disable-ipc-flooding-protection",
        "--disable-dev-shm-usage",
    ]
    .map(str::to_owned)
    .to_vec();
    // A full browser's window has 143 pixels for tabs and address.
    let size = if is_shell { "1280,657" } else { "1280,800" };
    flags.push(format!("--window-size={size}"));
    if is_shell {
        flags.push("--accept-lang=en-US,en".to_owned());
        flags.push("--site-per-process".to_owned());
    }
    if options.purpose != Purpose::Window {
        if !is_shell {
            flags.push("--headless=new".to_owned());
            // Each execution opens a tab of its own: nobody sees the window that a browser starts with.
            flags.push("--no-startup-window".to_owned());
        }
        flags.push(format!("--disable-features={}", FOR_A_PERSON.join(",")));
        flags.push("--hide-scrollbars".to_owned());
        flags.push("--mute-audio".to_owned());
    }
    if root {
        flags.push("--no-sandbox".to_owned());
    }
    flags.extend(options.extra_flags.iter().cloned());
    flags
}

/// A headless shell tells pages its whole version, a full browser only the first number of it.
fn user_agent(version: &str) -> Option<String> {
    const SYSTEM: &str = match cfg!(target_os = "macos") {
        true => "Macintosh; Intel Mac OS X 10_15_7",
        false => "X11; Linux x86_64",
    };
    let number = version.split_whitespace().find_map(|word| {
        let (major, rest) = word.split_once('.')?;
        let is_number = |text: &str| text.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        (!major.is_empty() && is_number(major) && is_number(rest)).then_some(major)
    })?;
    Some(format!(
        "--user-agent=Mozilla/5.0 ({SYSTEM}) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/{number}.0.0.0 \
         Safari/537.36"
    ))
}

/// Asks `host:port` for the address of its browser connection.
async fn ask_for_address(host: &str) -> Result<String, String> {
    const LIMIT: Duration = Duration::from_secs(5);
    let exchange = async {
        let mut stream = tokio::net::TcpStream::connect(host).await?;
        let request =
            format!("GET /json/version HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        let mut chunk = [0; 4096];
        // The server may keep the socket open, so the end of the object is the end of the answer.
        loop {
            let count = stream.read(&mut chunk).await?;
            answer.extend_from_slice(&chunk[..count]);
            if count == 0 || answer.len() > 65_536 || read_address(&answer).is_some() {
                return Ok::<_, std::io::Error>(answer);
            }
        }
    };
    match tokio::time::timeout(LIMIT, exchange).await {
        Err(_) => Err(format!("no answer within {} s", LIMIT.as_secs())),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(answer)) => read_address(&answer)
            .ok_or_else(|| "it does not answer /json/version as a browser does".to_owned()),
    }
}

fn read_address(answer: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(answer).ok()?;
    let (_, body) = text.split_once("\r\n\r\n")?;
    let object: serde_json::Value = serde_json::from_str(body.trim()).ok()?;
    object
        .get("webSocketDebuggerUrl")?
        .as_str()
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_is_off_for_root_only() {
        let options = LaunchOptions::default();
        assert!(flags(&options, true, true).contains(&"--no-sandbox".to_owned()));
        assert!(!flags(&options, true, false).contains(&"--no-sandbox".to_owned()));
    }

    #[test]
    fn only_a_full_browser_without_a_window_is_told_to_be_headless() {
        let is_told = |purpose: Purpose, is_shell: bool| {
            let flags = flags(&LaunchOptions::of(purpose), is_shell, false);
            flags.iter().any(|flag| flag.contains("headless"))
        };
        assert!(is_told(Purpose::Pages, false) && is_told(Purpose::Everything, false));
        assert!(!is_told(Purpose::Pages, true) && !is_told(Purpose::Window, false));
    }

    #[test]
    fn what_serves_a_person_is_left_to_a_window() {
        let flags_for = |purpose: Purpose, is_shell: bool| {
            flags(&LaunchOptions::of(purpose), is_shell, false).join(" ")
        };
        for spared in ["--no-startup-window", "--disable-features="] {
            assert!(flags_for(Purpose::Everything, false).contains(spared));
            assert!(!flags_for(Purpose::Window, false).contains(spared));
        }
        assert!(flags_for(Purpose::Pages, true).contains("--disable-features="));
    }

    #[test]
    fn pages_are_told_the_first_number_of_the_version() {
        let told = user_agent("Chromium 156.0.8078.79 built on Debian").unwrap();
        assert!(
            told.ends_with(" HeadlessChrome/156.0.0.0 Safari/537.36"),
            "{told}"
        );
        assert_eq!(user_agent("no version"), None);
    }

    #[test]
    fn the_address_is_read_from_a_complete_answer_only() {
        let answer =
            b"HTTP/1.1 200 OK\r\n\r\n{\"webSocketDebuggerUrl\": \"ws://h:1/devtools/browser/x\"}";
        assert_eq!(
            read_address(answer).as_deref(),
            Some("ws://h:1/devtools/browser/x")
        );
        assert_eq!(read_address(&answer[..40]), None);
        assert_eq!(read_address(b"HTTP/1.1 404 Not Found\r\n\r\n"), None);
    }

    #[tokio::test]
    async fn an_address_that_is_none_says_what_to_do() {
        let error = Browser::connect("127.0.0.1:9222").await.unwrap_err();
        assert!(
            error.to_string().contains("--remote-debugging-port"),
            "{error}"
        );
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let error = Browser::connect(&format!("ws://{address}/devtools/browser/x"))
            .await
            .unwrap_err();
        assert!(
            matches!(error, BrowserError::NotConnected { .. }),
            "{error}"
        );
    }
}
