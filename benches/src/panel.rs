//! How soon the panel is ready, answers a press and shows an answer; and what it holds after many questions.
//!
//! The panel is the page that `querypoint serve` shows, in a tab of its own; the answers are found in the same browser.

mod line;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cdp_driver::native::Browser;
use engine::page::Page;
use serde_json::{Value, json};

use crate::error::BenchError;
use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits};
use crate::tab::{Served, number, open, value};
use crate::user::{User, window};

/// A page that is asked about: two writes, of which one is the last.
const PAGE: &str = "<!doctype html><title>asked</title><script src=page.js></script>";
const SCRIPT: &str = "const cart = { total: 0 };\ncart.total = 1;\ncart.total = 2;\n";
const QUESTION: &str = "lastChange(R:cart.total)";

/// Runs in the panel before its own scripts, and keeps times in `__seen`, in milliseconds.
///
/// A frame has been made when the task after its callbacks runs.
const WATCH_TIMES: &str = r"(() => {
  const seen = { ready: null, feedback: [], drawn: [] };
  Object.defineProperty(window, '__seen', { value: seen });
  const onceShown = (then) => requestAnimationFrame(() => setTimeout(() => then(performance.now())));
  let pressed;
  addEventListener('pointerdown', (event) => {
    if (event.isTrusted) pressed = event.timeStamp;
  }, true);
  let isReady = false;
  new MutationObserver(() => {
    if (!isReady && document.querySelector('.link')?.textContent === '') {
      isReady = true;
      onceShown((now) => { seen.ready = now; });
    }
    if (pressed !== undefined && document.querySelector('.stage') !== null) {
      const since = pressed;
      pressed = undefined;
      onceShown((now) => seen.feedback.push(now - since));
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  const heard = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
  Object.defineProperty(WebSocket.prototype, 'onmessage', {
    ...heard,
    set(listener) {
      heard.set.call(this, (event) => {
        const since = performance.now();
        listener.call(this, event);
        const { session, doing } = JSON.parse(event.data).params ?? {};
        if (session?.answer && session.queries.length > 0 && !doing) onceShown((now) => seen.drawn.push(now - since));
      });
    },
  });
})();";

/// The same for the memory of WebAssembly, as `__memory`. What looks at times grows by itself, with each answer more
/// than the panel.
const WATCH_MEMORY: &str = r"(() => {
  for (const name of ['instantiate', 'instantiateStreaming']) {
    const original = WebAssembly[name];
    WebAssembly[name] = async (...given) => {
      const made = await original.apply(WebAssembly, given);
      Object.defineProperty(window, '__memory', { value: (made.instance ?? made).exports.memory });
      return made;
    };
  }
})();";

/// Measures all of it.
pub(crate) async fn run(
    browser: &Browser,
    command: &Path,
    quick: bool,
) -> Result<Section, BenchError> {
    let openings = if quick { 3 } else { 15 };
    let questions = if quick { 20 } else { 200 };
    let folder = tempfile::tempdir().map_err(BenchError::file("a folder for the page"))?;
    let many = line::page();
    for (name, text) in [
        ("index.html", PAGE),
        ("page.js", SCRIPT),
        ("many.html", &many),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).map_err(BenchError::file(&path))?;
    }
    let served = Served::start(folder.path())?;
    let back_end = BackEnd::start(command, &folder.path().join("state"), browser)?;
    let mut ready = Vec::new();
    for _ in 0..openings {
        let panel = back_end.panel(browser).await?;
        ready.push(number(&panel, "__seen.ready").await?);
        panel.dispose().await?;
    }
    eprintln!("  ready: {openings} openings");
    let ready = Sample::new(ready);
    let url = served.url("index.html");
    let asked = ask(browser, &back_end, &url, questions).await?;
    eprintln!("  asked: {questions} questions");
    let held = hold(browser, &back_end, &url, questions).await?;
    eprintln!("  held: {questions} questions");
    let smooth = line::measure(browser, &back_end, &served.url("many.html")).await?;
    eprintln!("  zoomed: {} events", line::EVENTS);
    Ok(section(openings, questions, &ready, &asked, &held, &smooth))
}

fn megabytes(bytes: f64) -> String {
    digits(bytes / 1e6)
}

fn section(
    openings: u32,
    questions: u32,
    ready: &Sample,
    asked: &Asked,
    [begun, ended]: &[Sample; 2],
    smooth: &line::Smooth,
) -> Section {
    let row = |what: &str, sample: &Sample| vec![what.to_owned(), sample.described(digits)];
    let text = format!(
        "The panel as a page, in a window of 1024 × 768. *Ready*: from the beginning of the navigation until the\n\
         frame in which there is a back end and the fields can be used, {openings} tabs. *Feedback*: from a press of\n\
         *Ask* to the frame that shows that something is being done. *Drawn*: from the message with the answer to the\n\
         frame that shows it. {questions} questions, each of which finds a point, which is removed then. *Memory*, in\n\
         a tab where no times are taken, after as many: what is reachable after each of {READINGS} questions, from\n\
         the {WARM}th on and in the end: of JavaScript, of the document, and all memory of WebAssembly. *Frame*: from \
         one to the next while an execution line of {} events is zoomed or moved in each of 300; *step*: what the \
         panel does in one.\n\n{}\n{}",
        line::EVENTS,
        table(
            &["what", "ms"],
            &[
                row("ready", ready),
                row("feedback", &asked.feedback),
                row("drawn", &asked.drawn),
                row("frame", &smooth.frames),
                row("step", &smooth.steps),
            ]
        ),
        table(
            &["memory", "MB"],
            &[
                vec![
                    format!("after {WARM} questions"),
                    begun.described(megabytes)
                ],
                vec![
                    format!("after {questions} questions"),
                    ended.described(megabytes)
                ],
            ]
        ),
    );
    let ms = |what: &str, at_most: f64, sample: &Sample| Bound {
        what: what.to_owned(),
        at_most,
        measured: sample.median(),
        unit: "ms".into(),
        slower: 1.0,
    };
    Section {
        title: "Panel".into(),
        text,
        bounds: vec![
            ms("the panel is ready", 1000.0, ready),
            ms("feedback to a press in the panel", 100.0, &asked.feedback),
            ms("an answer is drawn in the panel", 50.0, &asked.drawn),
            // Sixty a second.
            ms(
                "a frame while the execution line is zoomed",
                17.0,
                &smooth.frames,
            ),
            Bound {
                what: format!(
                    "memory of the panel after {questions} questions over that after {WARM}"
                ),
                at_most: 1.05,
                measured: ended.median() / begun.median(),
                unit: "".into(),
                slower: 1.0,
            },
        ],
    }
}

/// After so many questions everything has been loaded once.
const WARM: u32 = 10;
/// Memory is read after so many questions each time: the document's part jumps by 170 kB at times and comes back.
const READINGS: u32 = 10;

/// What was measured of questions.
struct Asked {
    feedback: Sample,
    drawn: Sample,
}

/// The times of questions.
async fn ask(
    browser: &Browser,
    back_end: &BackEnd,
    url: &str,
    questions: u32,
) -> Result<Asked, BenchError> {
    let panel = back_end.panel(browser).await?;
    let user = User::of(browser, panel.target_id()).await?;
    begin(&panel, &user, url).await?;
    value(
        &panel,
        "__seen.feedback.length = 0, __seen.drawn.length = 0, 0",
    )
    .await?;
    for number in 1..=questions {
        find(&panel, &user).await?;
        becomes(&panel, &format!("__seen.drawn.length >= {number}")).await?;
        remove(&panel).await?;
    }
    let times = async |of: &str| -> Result<Sample, BenchError> {
        let times = value(&panel, &format!("__seen.{of}")).await?;
        let times = times.as_array().into_iter().flatten();
        Ok(Sample::new(times.filter_map(Value::as_f64)))
    };
    let asked = Asked {
        feedback: times("feedback").await?,
        drawn: times("drawn").await?,
    };
    panel.dispose().await?;
    Ok(asked)
}

/// The bytes that a panel holds after each of the first questions, and of the last. All that is evaluated in it is the
/// same each time: a text that is new is kept.
async fn hold(
    browser: &Browser,
    back_end: &BackEnd,
    url: &str,
    questions: u32,
) -> Result<[Sample; 2], BenchError> {
    let panel = back_end.panel_watched(browser).await?;
    let user = User::of(browser, panel.target_id()).await?;
    begin(&panel, &user, url).await?;
    let [mut early, mut late] = [Vec::new(), Vec::new()];
    for number in 1..=questions {
        find(&panel, &user).await?;
        remove(&panel).await?;
        if (WARM..WARM + READINGS).contains(&number) {
            early.push(held_by(&panel).await?);
        }
        if number > questions - READINGS {
            late.push(held_by(&panel).await?);
        }
    }
    panel.dispose().await?;
    Ok([Sample::new(early), Sample::new(late)])
}

/// Goes to the page, and to its end.
async fn begin(panel: &Page, user: &User, url: &str) -> Result<(), BenchError> {
    for (field, text, until) in [
        (
            "#page",
            url,
            "!document.querySelector('#at').form.querySelector('button').disabled",
        ),
        (
            "#at",
            "end",
            "document.querySelectorAll('.point').length === 1",
        ),
    ] {
        fill(panel, field, text).await?;
        press(panel, user, field).await?;
        becomes(panel, until).await?;
    }
    Ok(())
}

/// Asks, and sees the point.
async fn find(panel: &Page, user: &User) -> Result<(), BenchError> {
    fill(panel, "#query", QUESTION).await?;
    press(panel, user, "#query").await?;
    becomes(panel, "document.querySelectorAll('.point').length === 2").await
}

/// Removes the point.
async fn remove(panel: &Page) -> Result<(), BenchError> {
    // It is looked at once it is found, and that is when it can be removed.
    becomes(
        panel,
        "document.querySelector('.remove')?.disabled === false",
    )
    .await?;
    value(panel, "document.querySelector('.remove').click()").await?;
    becomes(panel, "document.querySelectorAll('.point').length === 1").await
}

/// What is reachable: of JavaScript, of the document; and the memory of WebAssembly.
///
/// It has parts that are the browser's own and grow for a while: between two heap snapshots 200 questions apart there
/// were 24 kB more of the module of WebAssembly, 13 kB of other compiled code, and no object of the panel.
async fn held_by(panel: &Page) -> Result<f64, BenchError> {
    panel.send("HeapProfiler.collectGarbage", json!({})).await?;
    let usage = panel.send("Runtime.getHeapUsage", json!({})).await?;
    let bytes = |name: &str| usage.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let linear = number(panel, "__memory.buffer.byteLength").await?;
    Ok(bytes("usedSize") + bytes("embedderHeapUsedSize") + linear)
}

async fn fill(panel: &Page, field: &str, text: &str) -> Result<(), BenchError> {
    let filling = format!(
        "(() => {{ const field = document.querySelector({}); field.value = {}; field.dispatchEvent(new Event('input', \
         {{ bubbles: true }})); }})()",
        json!(field),
        json!(text)
    );
    value(panel, &filling).await.map(drop)
}

/// Presses the button beside a field, once that is possible.
async fn press(panel: &Page, user: &User, field: &str) -> Result<(), BenchError> {
    let field = json!(field);
    let button = format!("document.querySelector({field}).form.querySelector('[type=submit]')");
    becomes(panel, &format!("!{button}.disabled")).await?;
    user.clicks_on(&button).await
}

/// Waits until this is so.
async fn becomes(panel: &Page, condition: &str) -> Result<(), BenchError> {
    const LIMIT: Duration = Duration::from_secs(30);
    let start = Instant::now();
    while value(panel, condition).await? != json!(true) {
        if start.elapsed() > LIMIT {
            let shown = value(panel, "document.body.innerText").await?;
            return Err(BenchError::Setup(format!(
                "the panel did not reach {condition}; it shows {shown}"
            )));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

/// A running `querypoint serve`; it ends with this.
struct BackEnd {
    process: Child,
    /// Of the panel, with the secret.
    panel: String,
}

impl BackEnd {
    /// One that works in this browser.
    fn start(command: &Path, state: &Path, browser: &Browser) -> Result<Self, BenchError> {
        let address = format!("http://{}", browser.authority());
        let mut process = Command::new(command)
            .arg("serve")
            .arg("--state")
            .arg(state)
            .args(["--connect", &address])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(BenchError::file(command))?;
        let lines = process.stdout.take().map(|out| BufReader::new(out).lines());
        let mut lines = lines.into_iter().flatten().map_while(Result::ok);
        let (url, secret) = (lines.next(), lines.next());
        let address = url.as_deref().and_then(|url| {
            let address = url.strip_prefix("ws://")?.strip_suffix("/panel")?;
            Some((address, secret.as_deref()?.strip_prefix("secret.")?))
        });
        let Some((address, secret)) = address else {
            return Err(BenchError::Setup(format!(
                "querypoint serve said {url:?}, {secret:?}"
            )));
        };
        let panel = format!("http://{address}/#secret={secret}");
        Ok(Self { process, panel })
    }

    /// The panel in a tab of its own, when it is ready.
    async fn panel(&self, browser: &Browser) -> Result<Page, BenchError> {
        self.panel_at(browser, &self.panel).await
    }

    /// The same, at another session, where only the memory of WebAssembly is watched.
    async fn panel_watched(&self, browser: &Browser) -> Result<Page, BenchError> {
        let url = format!("{}&session=memory", self.panel);
        let panel = Self::opened(browser, &url, WATCH_MEMORY).await?;
        becomes(
            &panel,
            "document.querySelector('.link')?.textContent === ''",
        )
        .await?;
        Ok(panel)
    }

    /// The same, at a session of this name.
    async fn panel_of(&self, browser: &Browser, session: &str) -> Result<Page, BenchError> {
        let url = format!("{}&session={session}", self.panel);
        self.panel_at(browser, &url).await
    }

    async fn panel_at(&self, browser: &Browser, url: &str) -> Result<Page, BenchError> {
        let panel = Self::opened(browser, url, WATCH_TIMES).await?;
        becomes(&panel, "__seen.ready !== null").await?;
        Ok(panel)
    }

    async fn opened(browser: &Browser, url: &str, watch: &str) -> Result<Page, BenchError> {
        let panel = open(browser, "about:blank", Some(watch)).await?;
        panel
            .send("Emulation.setDeviceMetricsOverride", window())
            .await?;
        panel.navigate(url, Duration::from_secs(30)).await?;
        Ok(panel)
    }
}

impl Drop for BackEnd {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
