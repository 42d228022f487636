//! What recording costs a page, and how long a recorded session takes to come back.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, TokioClock};
use engine::bodies::ReplacedBodies;
use engine::record::tab::{PresentRecording, TabRecording, follow_tab};
use engine::record::{RecordOptions, Recorded, record};
use futures::StreamExt;
use futures::channel::{mpsc, oneshot};
use futures::future::Either;
use querypoint::point::ReproductionPoint;
use recording::Live;
use serde_json::{Value, json};

use crate::error::BenchError;
use crate::questions::{plain_replay, plain_request};
use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits};
use crate::tab::Served;
use crate::user::{User, attach};

/// A shop with a table that is sorted, filtered and counted: each interaction makes its rows anew, as applications do.
const SHOP: &str = "<!doctype html><meta charset=utf-8><title>Shop</title>
<input id=filter><button id=sort>Sort</button><button id=more>More</button><p id=total></p><table><tbody id=rows></tbody></table>
<script>
'use strict';
const goods = Array.from({ length: 300 }, (_, index) => ({ name: `Article ${index * 7919 % 300}`, price: index * 31 % 97, count: 0 }));
let key = 'name';
const byId = (id) => document.getElementById(id);
function show() {
  const shown = goods.filter(({ name }) => name.includes(byId('filter').value));
  shown.sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
  const rows = shown.map(({ name, price, count }) => {
    const row = document.createElement('tr');
    for (const text of [name, price, count]) row.append(Object.assign(document.createElement('td'), { textContent: text }));
    row.append(Object.assign(document.createElement('button'), { textContent: 'Buy', className: 'buy' }));
    return row;
  });
  byId('rows').replaceChildren(...rows);
  byId('total').textContent = goods.reduce((total, { price, count }) => total + price * count, 0);
}
byId('filter').oninput = show;
byId('sort').onclick = () => { key = key === 'name' ? 'price' : 'name'; show(); };
byId('more').onclick = () => { goods[0].count++; show(); };
byId('rows').onclick = ({ target }) => { if (target.className === 'buy') { goods[1].count++; show(); } };
show();
</script>";

/// Comes with the second frame from now.
const FRAME: &str =
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))";

/// How often the user goes through the shop in one round.
const TOURS: u32 = 3;
/// How long the user looks at what came of an action: what the recorder puts off until the page is idle is done then.
const LOOKS: Duration = Duration::from_millis(100);

/// Measures both.
pub(crate) async fn run(
    browser: &Browser,
    repository: &Path,
    quick: bool,
) -> Result<Section, BenchError> {
    let (costs, cost_text) = recording_cost(browser, quick).await?;
    let (session, session_text) = session_time(browser, repository, quick).await?;
    Ok(Section {
        title: "Recordings".into(),
        text: format!("{cost_text}\n{session_text}"),
        bounds: costs.into_iter().chain([session]).collect(),
    })
}

/// Who records.
#[derive(Clone, Copy)]
enum Recording {
    /// `querypoint record`, in a tab of its own.
    Command,
    /// The panel, in the tab that is debugged, always.
    Panel,
}

async fn recording_cost(
    browser: &Browser,
    quick: bool,
) -> Result<([Bound; 2], String), BenchError> {
    let rounds = if quick { 3 } else { 15 };
    let folder = tempfile::tempdir().map_err(BenchError::file("a folder for the page"))?;
    let path = folder.path().join("shop.html");
    std::fs::write(&path, SHOP).map_err(BenchError::file(&path))?;
    let served = Served::start(folder.path())?;
    let (mut measured, mut of_panel) = (Vec::new(), Vec::new());
    // The first of both fills caches of the browser and is not counted.
    for round in 0..=rounds {
        for (by, measured) in [
            (Recording::Command, &mut measured),
            (Recording::Panel, &mut of_panel),
        ] {
            let plain = served.url(&format!("shop.html?plain{round}"));
            let recorded = served.url(&format!("shop.html?recorded{round}"));
            let works = shopping(browser, &plain, &recorded, by).await?;
            if round > 0 {
                measured.push(works);
            }
        }
    }
    eprintln!("  interactions: {rounds} rounds");
    let row = |what: &str, measured: &[(Work, Work)], of: fn(&Work) -> f64| {
        let ratios = Sample::new(measured.iter().map(|(plain, with)| of(with) / of(plain)));
        let row = vec![
            what.to_owned(),
            Sample::new(measured.iter().map(|(plain, _)| of(plain))).described(digits),
            Sample::new(measured.iter().map(|(_, with)| of(with))).described(digits),
            ratios.described(|ratio| format!("{ratio:.3}")),
        ];
        (row, ratios.median())
    };
    let felt_what = "until it is shown what came of an action";
    let (felt, ratio) = row(felt_what, &measured, |work| work.felt);
    let (all, _) = row("afterwards as well", &measured, |work| work.all);
    let in_panel = |what: &str| format!("the panel: {what}");
    let (felt_in_panel, ratio_of_panel) = row(&in_panel(felt_what), &of_panel, |work| work.felt);
    let (all_in_panel, _) = row(&in_panel("afterwards as well"), &of_panel, |work| work.all);
    let bound = |what: &str, at_most, measured| Bound {
        what: format!(
            "the work of a page's main thread from an action until its frame, {what} over not recorded"
        ),
        at_most,
        measured,
        unit: "".into(),
        slower: 1.0,
    };
    let bounds = [
        bound("recorded", 1.02, ratio),
        bound(
            "recorded by the panel in the debugged tab",
            1.05,
            ratio_of_panel,
        ),
    ];
    let text = format!(
        "Milliseconds that the main thread of a page worked while a driven user goes {TOURS} times through a shop\n\
         (each time moves the pointer to three buttons and a field, presses each, and types seven keys; each makes \
         the page show a table of up to 300\n\
         rows anew), {rounds} rounds in two tabs of their own each, each action in the one and then in the other:\n\
         what is felt, from the first event of an action to the second frame after its last, and everything, with the\n\
         {} ms after each and half a second at the end. *Recorded* is the same while `querypoint record` watches, \
         random numbers, time and network included; *the panel* records the tab that is debugged, which it always \
         does.\n\n{}",
        LOOKS.as_millis(),
        table(
            &["work", "plain", "recorded", "recorded ÷ plain"],
            &[felt, all, felt_in_panel, all_in_panel]
        )
    );
    Ok((bounds, text))
}

/// What the user does in the shop.
enum Action {
    Click(&'static str),
    Type(&'static str),
    /// A script empties the field.
    Clear,
    /// Waits for what was put off.
    Ends,
}

const SHOPPING: [Action; 12] = [
    Action::Click("#sort"),
    Action::Click("#more"),
    Action::Click(".buy"),
    Action::Click("#filter"),
    Action::Type("A"),
    Action::Type("r"),
    Action::Type("t"),
    Action::Type("i"),
    Action::Type("c"),
    Action::Type("l"),
    Action::Type("e"),
    Action::Clear,
];

/// What a page worked, in milliseconds.
#[derive(Default)]
struct Work {
    /// From each action until it is shown what came of it.
    felt: f64,
    /// From the first to some time after the last.
    all: f64,
}

/// What a page worked without and with being recorded, in two tabs by turns: what else the machine does meets both.
async fn shopping(
    browser: &Browser,
    plain: &str,
    recorded: &str,
    by: Recording,
) -> Result<(Work, Work), BenchError> {
    let page = crate::tab::open(browser, plain, None).await?;
    let without = User::of(browser, page.target_id()).await?;
    let by_turns = async |with: &User| {
        let mut works = (Work::default(), Work::default());
        without.value(FRAME).await?;
        with.value(FRAME).await?;
        for tour in 0..TOURS {
            for (number, action) in SHOPPING.iter().enumerate() {
                // Whoever comes first finds other caches than whoever comes next.
                if (tour as usize + number).is_multiple_of(2) {
                    does(&without, action, &mut works.0).await?;
                    does(with, action, &mut works.1).await?;
                } else {
                    does(with, action, &mut works.1).await?;
                    does(&without, action, &mut works.0).await?;
                }
            }
        }
        does(&without, &Action::Ends, &mut works.0).await?;
        does(with, &Action::Ends, &mut works.1).await?;
        Ok(works)
    };
    let works = match by {
        Recording::Command => record_while(browser, recorded, by_turns).await?.0,
        Recording::Panel => follow_while(browser, recorded, by_turns).await?,
    };
    page.dispose().await?;
    Ok(works)
}

/// Does it, and looks at what comes of it; adds what the page works for that.
async fn does(user: &User, action: &Action, work: &mut Work) -> Result<(), BenchError> {
    // What is put off until the page is idle.
    const AFTERWARDS: &str = "new Promise((done) => setTimeout(done, 500))";
    let before = user.worked_ms().await?;
    match action {
        Action::Click(element) => user.click(element).await?,
        Action::Type(key) => user.types(key).await?,
        Action::Clear => {
            user.value("document.getElementById('filter').value = ''")
                .await?;
            return Ok(());
        }
        Action::Ends => {
            user.value(AFTERWARDS).await?;
            work.all += user.worked_ms().await? - before;
            return Ok(());
        }
    }
    user.value(FRAME).await?;
    work.felt += user.worked_ms().await? - before;
    tokio::time::sleep(LOOKS).await;
    work.all += user.worked_ms().await? - before;
    Ok(())
}

/// Records what a user does on a page.
pub(crate) async fn record_while<T>(
    browser: &Browser,
    url: &str,
    act: impl AsyncFnOnce(&User) -> Result<T, BenchError>,
) -> Result<(T, Recorded), BenchError> {
    let options = RecordOptions {
        page: url.to_owned(),
        in_open_tab: false,
        title: String::new(),
        viewport: Some((1024, 768)),
        with_secrets: false,
        live: Live::default(),
        served: None,
    };
    let (enough, is_enough) = oneshot::channel::<()>();
    let enough_of_it = async {
        // Also where nobody says so any more.
        let _ = is_enough.await;
    };
    let mut seen = |_: usize, _: &recording::Step| {};
    let clock = Arc::new(TokioClock::new());
    let recorded = record(browser.protocol(), clock, &options, enough_of_it, &mut seen);
    let acted = async {
        let user = User::on(browser, url).await?;
        let done = act(&user).await;
        drop(enough);
        done
    };
    let (recorded, done) = futures::join!(recorded, acted);
    Ok((done?, recorded?))
}

/// Records a tab as the panel does, from its load on, while a user does something there.
async fn follow_while<T>(
    browser: &Browser,
    url: &str,
    act: impl AsyncFnOnce(&User) -> Result<T, BenchError>,
) -> Result<T, BenchError> {
    let page = crate::tab::open(browser, "about:blank", None).await?;
    let user = User::of(browser, page.target_id()).await?;
    let (recording, orders) = TabRecording::new();
    let (sender, mut told) = mpsc::unbounded();
    let mut tell = move |present: Option<PresentRecording>| {
        // Whoever listened has enough.
        let _ = sender.unbounded_send(present);
    };
    let session = attach(browser, page.target_id()).await?;
    let clock = Arc::new(TokioClock::new());
    let followed = follow_tab(
        browser.protocol(),
        clock,
        session,
        orders,
        ReplacedBodies::default(),
        &mut tell,
    );
    let acted = async {
        // It follows the tab once it answers.
        let _ = recording.take().await;
        user.goes_to(url).await?;
        while told.next().await.flatten().is_none_or(|it| it.url != url) {}
        let done = act(&user).await?;
        let recorded = recording.take().await;
        let steps = recorded.map_or(0, |it| it.recording.steps.len());
        match steps > SHOPPING.len() {
            true => Ok(done),
            false => Err(BenchError::Setup(format!(
                "the panel recorded {steps} steps"
            ))),
        }
    };
    futures::pin_mut!(followed, acted);
    let done = match futures::future::select(followed, acted).await {
        Either::Left((Ok(()), _)) => Err(BenchError::Setup("the tab is gone".to_owned())),
        Either::Left((Err(error), _)) => Err(error.into()),
        Either::Right((done, _)) => done,
    };
    page.dispose().await?;
    done
}

async fn session_time(
    browser: &Browser,
    repository: &Path,
    quick: bool,
) -> Result<(Bound, String), BenchError> {
    const SECONDS: u64 = 60;
    let rounds = if quick { 3 } else { 9 };
    let seconds = if quick { 5 } else { SECONDS };
    let served = Served::start(&repository.join("test-pages").join("painting"))?;
    let url = served.url("index.html");
    let draws = async |user: &User| draw(user, Duration::from_secs(seconds)).await;
    let ((), Recorded { recording, .. }) = record_while(browser, &url, draws).await?;
    let steps = recording.steps.len();
    let request = plain_request(url, recording, ReproductionPoint::End)?;
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        plain_replay(browser, &request).await?;
        times.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    eprintln!("  session: {rounds} rounds");
    let times = Sample::new(times);
    let bound = Bound {
        what: format!("replay of {seconds} s of drawing on painting"),
        at_most: 2000.0,
        measured: times.median(),
        unit: "ms".into(),
        slower: 1.0,
    };
    let text = format!(
        "A user draws on the page *painting* for {seconds} s: strokes of a second and forty places each, a pause of a\n\
         second and a half, another tool for every third. That is {steps} steps; they are replayed {rounds} times at \
         the default speed, in a tab of its own\n\
         each, until the page is idle.\n\n{}",
        table(
            &["steps", "ms"],
            &[vec![steps.to_string(), times.described(digits)]]
        )
    );
    Ok((bound, text))
}

/// Draws for that long.
async fn draw(user: &User, time: Duration) -> Result<(), BenchError> {
    const STROKE: Duration = Duration::from_secs(1);
    const MOVES: u32 = 40;
    const PAUSE: Duration = Duration::from_millis(1500);
    const STROKES_WITH_A_TOOL: u32 = 3;
    let start = Instant::now();
    let mut stroke = 0_u32;
    while start.elapsed() < time {
        if stroke.is_multiple_of(STROKES_WITH_A_TOOL) {
            let tool = ["#pencil", "#eraser"][(stroke / STROKES_WITH_A_TOOL) as usize % 2];
            user.click(tool).await?;
        }
        let place = "(() => { const { left, top } = canvas.getBoundingClientRect(); return [left, top]; })()";
        let place = user.value(place).await?;
        let at = |index: usize| place.get(index).and_then(Value::as_f64).unwrap_or_default();
        let (x, y) = (at(0) + 20.0, at(1) + 20.0 + f64::from(stroke % 25) * 10.0);
        let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
        user.mouse("mouseMoved", x, y, json!({})).await?;
        user.mouse("mousePressed", x, y, held.clone()).await?;
        for number in 1..=MOVES {
            user.mouse("mouseMoved", x + f64::from(number) * 8.0, y, held.clone())
                .await?;
            tokio::time::sleep(STROKE / MOVES).await;
        }
        let end = x + f64::from(MOVES) * 8.0;
        user.mouse("mouseReleased", end, y, held).await?;
        tokio::time::sleep(PAUSE).await;
        stroke += 1;
    }
    Ok(())
}
