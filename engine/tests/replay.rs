//! Recordings replayed in a real browser: every kind of step and of selector, what the page sees of it, and what is
//! said when a step cannot be done.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use crate::support::{
    LIMIT, browser, click, data_url, options, page, recording, run, serve, value,
};
use engine::EngineError;
use engine::replay::{ReplayCursor, ReplayOptions, ReplayReport, replay, wait_until_idle};
use serde_json::{Value, json};
use std::time::Duration;

/// Shows `body` with a log of what happens in it, does the steps, and answers with the log and the report.
async fn log_of(body: &str, steps: Value) -> (Vec<String>, ReplayReport) {
    const LOGGER: &str = "<script>
        log = [];
        for (const type of ['click', 'dblclick', 'auxclick', 'contextmenu', 'input', 'change', 'keydown', 'keyup', 'mouseover', 'focus', 'touchstart'])
            addEventListener(type, (event) => {
                const target = event.composedPath()[0];
                const name = target.id || target.nodeName || 'window';
                const detail = event.key ?? (type === 'input' ? target.value ?? target.textContent : '');
                log.push(`${type} ${name} ${detail} ${event.isTrusted}`.replace(/ +/g, ' '));
            }, true);
    </script>";
    let browser = browser().await;
    let page = page(&browser).await;
    page.navigate(
        &data_url(&format!("<!doctype html><body>{LOGGER}{body}")),
        LIMIT,
    )
    .await
    .unwrap();
    let report = run(&page, steps).await.unwrap();
    let log = value(&page, "log").await;
    let log = log
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap().to_owned())
        .collect();
    browser.close().await;
    (log, report)
}

fn only<'a>(log: &'a [String], kinds: &[&str]) -> Vec<&'a str> {
    let wanted = |line: &&str| {
        kinds
            .iter()
            .any(|kind| line.starts_with(&format!("{kind} ")))
    };
    log.iter().map(String::as_str).filter(wanted).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_selector_finds_its_element() {
    let body = r#"
        <button id=css>C</button> <button id=aria>Add up<!-- --> </button> <button><span>Add</span><b>on</b></button>
        <input type=button id=labelled aria-labelledby=words value=x> <i id=words>By other words</i>
        <label for=field>Street</label><input id=field> <a id=link href="javascript:void 0">Next page</a>
        <div><p id=text>Some longer text</p></div> <button id=xpath>X</button>
        <div id=host></div> <button id=hidden style="display:none">Twice</button><button id=shown>Twice</button>
        <script>
            const root = host.attachShadow({ mode: 'open' });
            root.innerHTML = '<button id=inner>Inner</button><span id=nested></span>';
            root.getElementById('nested').attachShadow({ mode: 'open' }).innerHTML = '<button id=deep>Deep</button>';
        </script>"#;
    let steps = json!([
        click(json!([["#css"]])),
        click(json!([["aria/Add up"]])),
        click(json!([["aria/By other words"]])),
        click(json!([["aria/Street"]])),
        click(json!([["aria/Next page[role=\"link\"]"]])),
        click(json!([["text/longer"]])),
        click(json!([["xpath///*[@id=\"xpath\"]"]])),
        click(json!([["pierce/#inner"]])),
        click(json!([["#host", "#inner"]])),
        click(json!([["#host", "#nested", "#deep"]])),
        click(json!([["aria/Deep"]])),
        // A string is an alternative of one part; what is invalid, missing or hidden is passed over.
        click(json!(["###", "#nothing", "#hidden", "#shown"])),
        click(json!([["text/Twice"]])),
    ]);
    let (log, report) = log_of(body, steps).await;
    let clicked: Vec<&str> = only(&log, &["click"])
        .iter()
        .map(|line| line.split(' ').nth(1).unwrap())
        .collect();
    assert_eq!(
        clicked,
        [
            "css", "aria", "labelled", "field", "link", "text", "xpath", "inner", "inner", "deep",
            "deep", "shown", "shown"
        ]
    );
    assert!(
        only(&log, &["click"])
            .iter()
            .all(|line| line.ends_with("true")),
        "{log:#?}"
    );
    assert_eq!(report.steps, 13);
    assert_eq!(report.divergences, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn pointer_steps_are_trusted() {
    let steps = json!([
        { "type": "hover", "selectors": ["#a"] },
        { "type": "doubleClick", "selectors": ["#a"], "offsetX": 5, "offsetY": 5 },
        { "type": "click", "selectors": ["#a"], "offsetX": 5, "offsetY": 5, "button": "secondary" },
        { "type": "click", "selectors": ["#b"], "offsetX": 5, "offsetY": 5, "button": "auxiliary" },
        { "type": "click", "selectors": ["#b"], "offsetX": 5, "offsetY": 5, "deviceType": "pen" },
    ]);
    let (log, _) = log_of(
        "<button id=a>Aaaa</button><div style='height:4000px'></div><button id=b>B</button>",
        steps,
    )
    .await;
    // What scrolling brings under the mouse is entered, too; so is the page in a headless shell, whose mouse is in its
    // corner.
    let log: Vec<String> = log
        .into_iter()
        .filter(|line| !line.contains(" DIV ") && !line.contains(" HTML "))
        .collect();
    assert_eq!(
        only(
            &log,
            &["mouseover", "click", "dblclick", "auxclick", "contextmenu"]
        ),
        [
            "mouseover a true",
            "click a true",
            "click a true",
            "dblclick a true",
            "contextmenu a true",
            "auxclick a true",
            "mouseover b true",
            "auxclick b true",
            "click b true",
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn text_is_typed_and_other_fields_are_set() {
    let body = r#"
        <input id=text value=old> <input id=grows value=ab> <input id=number type=number value=7>
        <textarea id=area></textarea> <div id=rich contenteditable>was</div> <input id=gone value=x>
        <select id=choice><option value=1>One<option value=2>Two</select>
        <select id=many multiple><option>a<option selected>b<option>c</select>
        <input id=range type=range max=255> <input id=color type=color> <input id=date type=date>
        <input id=check type=checkbox> <input id=radio type=radio>"#;
    let change = |id: &str, value: &str| json!({ "type": "change", "selectors": [format!("#{id}")], "value": value });
    let steps = json!([
        change("text", "né"),
        change("grows", "abc"),
        change("number", "45"),
        change("area", "x\ny"),
        change("rich", "is"),
        change("gone", ""),
        change("choice", "2"),
        change("many", "a,c"),
        change("range", "200"),
        change("color", "#0000ff"),
        change("date", "2020-02-29"),
        change("check", "true"),
        change("check", "true"),
        change("radio", "on"),
    ]);
    let (log, report) = log_of(body, steps).await;
    assert_eq!(
        only(&log, &["input", "change"]),
        [
            "input text n true",
            "input text né true",
            "change text true",
            "input grows abc true",
            "change grows true",
            "input number 4 true",
            "input number 45 true",
            "change number true",
            "input area x true",
            "input area x\n true",
            "input area x\ny true",
            "change area true",
            "input rich i true",
            "input rich is true",
            "input gone true",
            // Leaving the field is what makes its change.
            "change gone true",
            "input choice 2 false",
            "change choice false",
            "input many a false",
            "change many false",
            "input range 200 false",
            "change range false",
            "input color #0000ff false",
            "change color false",
            "input date 2020-02-29 false",
            "change date false",
            "input check on true",
            "change check true",
            "input radio on true",
            "change radio true",
        ],
    );
    assert_eq!(
        only(&log, &["keydown"])[..3],
        [
            "keydown text n true",
            "keydown grows c true",
            "keydown number 4 true"
        ]
    );
    assert_eq!(report.divergences, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_held_until_let_go() {
    let key = |kind: &str, key: &str| json!({ "type": kind, "key": key });
    let steps = json!([
        click(json!(["#field"])),
        key("keyDown", "h"),
        key("keyUp", "h"),
        key("keyDown", "Shift"),
        key("keyDown", "I"),
        key("keyUp", "I"),
        key("keyUp", "Shift"),
        key("keyDown", "Control"),
        key("keyDown", "a"),
        key("keyUp", "a"),
        key("keyUp", "Control"),
        key("keyDown", "Backspace"),
        key("keyUp", "Backspace"),
        key("keyDown", "Enter"),
        key("keyUp", "Enter"),
    ]);
    let (log, _) = log_of("<input id=field>", steps).await;
    assert_eq!(
        only(&log, &["input"]),
        [
            "input field h true",
            "input field hI true",
            "input field true"
        ]
    );
    assert_eq!(
        only(&log, &["keydown"]),
        ["h", "Shift", "I", "Control", "a", "Backspace", "Enter"]
            .map(|key| format!("keydown field {key} true")),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_wait_for_what_they_need() {
    let body = "<button id=late style='display:none' disabled>Late</button><div id=cover
        style='position:fixed;inset:0'></div><p class=row></p><p class=row></p>
        <script>
            setTimeout(() => { late.style.display = '' }, 60);
            setTimeout(() => { late.disabled = false }, 120);
            setTimeout(() => { cover.remove() }, 200);
            setTimeout(() => { const p = document.createElement('p'); p.className = 'row'; p.textContent = 'x'; p.title = 't'; document.body.append(p); done = true }, 300);
        </script>";
    let steps = json!([
        click(json!(["#late"])),
        { "type": "waitForElement", "selectors": [".row"], "count": 3, "operator": "==" },
        { "type": "waitForElement", "selectors": ["p[title]"], "visible": true, "attributes": { "title": "t" },
          "properties": { "textContent": "x" } },
        { "type": "waitForElement", "selectors": ["#cover"], "count": 0, "operator": "==" },
        { "type": "waitForElement", "selectors": ["#cover"], "visible": false },
        { "type": "waitForExpression", "expression": "globalThis.done" },
        { "type": "waitForExpression", "expression": "new Promise((r) => setTimeout(() => r('yes'), 30))" },
    ]);
    let (log, report) = log_of(body, steps).await;
    assert_eq!(only(&log, &["click"]), ["click late true"]);
    assert_eq!(report.divergences, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn navigation_viewport_scroll_frames_and_the_cursor() {
    let origin = serve(&[
        ("/a", 200, "text/html", "<title>A</title><body style='height:3000px'><div id=box style='height:50px;overflow:auto'><p style='height:500px'></div>
            <a id=go href='/slow/b'>Go</a><iframe src='/frame' style='margin:40px;border:7px solid'></iframe>"),
        ("/frame", 200, "text/html", "<button onclick='top.framed = event.isTrusted'>In</button>"),
        ("/slow/b", 404, "text/html", "<title>B</title><button id=b onclick='alert(1); answered = \
            confirm(2)'>b</button>"),
        ("/old", 200, "text/html", "<title>A</title>"),
    ])
    .await;
    let browser = browser().await;
    let page = page(&browser).await;
    let recording = recording(json!([
        { "type": "setViewport", "width": 640, "height": 480, "deviceScaleFactor": 2, "isMobile": false, "hasTouch": false, "isLandscape": false },
        { "type": "navigate", "url": "http://127.0.0.1/a", "assertedEvents": [{ "type": "navigation", "title": "A" }] },
        { "type": "scroll", "x": 0, "y": 700 },
        { "type": "scroll", "selectors": ["#box"], "x": 0, "y": 90 },
        { "type": "waitForExpression", "expression": "scrollY === 700 && box.scrollTop === 90 && innerWidth === 640 \
            && devicePixelRatio === 2" },
        { "type": "click", "target": "main", "frame": [0], "selectors": ["aria/In"], "offsetX": 4, "offsetY": 4 },
        { "type": "waitForExpression", "expression": "framed === true" },
        { "type": "click", "selectors": ["#go"], "offsetX": 4, "offsetY": 4,
          "assertedEvents": [{ "type": "navigation", "title": "Other", "url": "http://127.0.0.1/slow/b" }] },
        { "type": "click", "selectors": ["text/b", "#b"], "offsetX": 400, "offsetY": 4 },
        { "type": "close" },
    ]));
    let cursor = ReplayCursor::default();
    let options = ReplayOptions {
        page_url: Some(format!("{origin}/a")),
        ..options()
    };
    let mut seen = Vec::new();
    let watch = cursor.clone();
    let report = replay(
        &page,
        &recording,
        &options,
        &cursor,
        &mut |step, of, what| {
            seen.push(format!(
                "{step}/{of} {what} after {:?}",
                watch.current().map(|step| (step.index, step.selector))
            ));
        },
    )
    .await
    .unwrap();
    assert_eq!(cursor.current(), None);
    assert_eq!(seen.len(), 10);
    assert_eq!(
        seen[1],
        format!("2/10 navigate to {origin}/a after Some((1, None))")
    );
    assert!(seen[9].ends_with("after Some((9, None))"), "{seen:#?}");
    assert_eq!(page.url(), format!("{origin}/slow/b"));
    assert_eq!(value(&page, "answered").await, json!(true));
    assert_eq!(page.dialogs_accepted(), 2);
    let notes: Vec<String> = report
        .divergences
        .iter()
        .map(|d| format!("{}: {}", d.step, d.note))
        .collect();
    assert_eq!(
        notes,
        [
            "8: the recording reached a page titled \"Other\", the replay one titled \"B\"",
            "9: the element is smaller than where the recording acted on it: its middle was taken",
            "9: the page showed a dialog (alert) that the recording does not answer; it was accepted: \"1\"",
            "9: the page showed a dialog (confirm) that the recording does not answer; it was accepted: \"2\"",
        ],
    );
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_leads_on_is_waited_for_without_an_assertion() {
    let origin = serve(&[
        (
            "/a",
            200,
            "text/html",
            "<button id=x onclick=\"location = '/slow/b'\">same</button>",
        ),
        (
            "/slow/b",
            200,
            "text/html",
            "<button id=x onclick='hit = 1'>same</button>",
        ),
    ])
    .await;
    let browser = browser().await;
    let page = page(&browser).await;
    page.navigate(&format!("{origin}/a"), LIMIT).await.unwrap();
    run(&page, json!([click(json!(["#x"])), click(json!(["#x"]))]))
        .await
        .unwrap();
    assert_eq!(value(&page, "hit").await, json!(1));
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_cannot_be_done_says_which_and_why() {
    let browser = browser().await;
    let page = page(&browser).await;
    let html =
        "<button id=no disabled>No</button><select id=s><option value=1>1</select><p id=p>x</p>";
    page.navigate(&data_url(html), LIMIT).await.unwrap();
    let step = |mut step: Value| {
        step["timeout"] = json!(100);
        json!([{ "type": "hover", "selectors": ["#p"] }, step])
    };
    for (steps, words) in [
        (
            step(click(json!([["aria/Gone"], ["#gone"]]))),
            vec![
                "step 2 of 2 (click aria/Gone)",
                "aria/Gone: no such element",
                "#gone: no such element",
            ],
        ),
        (
            step(click(json!(["#no"]))),
            vec!["#no: found, but disabled"],
        ),
        (step(click(json!(["!!"]))), vec!["not a valid selector"]),
        (
            step(json!({ "type": "change", "selectors": ["#s"], "value": "9" })),
            vec!["no option has the value \"9\""],
        ),
        (
            step(json!({ "type": "change", "selectors": ["#p"], "value": "9" })),
            vec!["a <p> has no value"],
        ),
        (
            step(json!({ "type": "keyDown", "key": "Nope" })),
            vec!["no key is named \"Nope\""],
        ),
        (
            step(json!({ "type": "waitForExpression", "expression": "nope" })),
            vec!["ReferenceError"],
        ),
        (
            step(
                json!({ "type": "waitForElement", "selectors": ["p"], "count": 2, "operator": "==" }),
            ),
            vec!["1 found", "wanted == 2"],
        ),
        (
            step(
                json!({ "type": "click", "target": "http://x/", "selectors": ["p"], "offsetX": 1, "offsetY": 1 }),
            ),
            vec!["no tab of the page shows"],
        ),
        (
            step(
                json!({ "type": "click", "frame": [0], "selectors": ["p"], "offsetX": 1, "offsetY": 1 }),
            ),
            vec!["no frame [0]"],
        ),
    ] {
        let error = run(&page, steps).await.unwrap_err();
        assert!(
            matches!(
                error,
                EngineError::StepFailed {
                    step: 2,
                    steps: 2,
                    ..
                }
            ),
            "{error:?}"
        );
        for word in words {
            assert!(
                error.to_string().contains(word),
                "{word:?} is not in: {error}"
            );
        }
    }
    let error = run(
        &page,
        json!([{ "type": "navigate", "url": "http://127.0.0.1:1/" }]),
    )
    .await
    .unwrap_err();
    assert!(
        matches!(&error, EngineError::PageNotLoaded { why, .. } if why.starts_with("net::ERR_")),
        "{error:?}"
    );
    browser.close().await;
}

/// A page that is left may be kept, frozen, for going back to: nothing in it may be waited for.
#[tokio::test(flavor = "multi_thread")]
async fn a_recording_goes_back_and_forward_in_history() {
    let kept = "<!doctype html><title>A</title><a id=go href=/b>go</a> <button id=say onclick='said = visits'>say</button>
        <script>visits = 1; addEventListener('pageshow', (event) => { if (event.persisted) visits++; });
        sessionStorage.loads = Number(sessionStorage.loads ?? 0) + 1;</script>";
    let other =
        "<!doctype html><title>B</title><button id=back onclick='history.back()'>back</button>
        <script>sessionStorage.b = Number(sessionStorage.b ?? 0) + 1;</script>
        <button id=far onclick='setTimeout(() => history.go(-1), 40)'>far</button>";
    let origin = serve(&[
        ("/a", 200, "text/html", kept),
        ("/b", 200, "text/html", other),
    ])
    .await;
    let leads_to = |selector: &str, title: &str| {
        let mut step = click(json!([[selector]]));
        step["assertedEvents"] = json!([{ "type": "navigation", "title": title }]);
        step
    };
    let steps = json!([
        { "type": "navigate", "url": format!("{origin}/a") },
        leads_to("#go", "B"),
        leads_to("#back", "A"),
        click(json!([["#say"]])),
        { "type": "waitForExpression", "expression": "said >= 1" },
        leads_to("#go", "B"),
        leads_to("#far", "A"),
        click(json!([["#say"]])),
    ]);
    let browser = browser().await;
    let page = page(&browser).await;
    let report = run(&page, steps).await.unwrap();
    assert_eq!(report.divergences, []);
    assert_eq!(report.steps, 8);
    assert_eq!(
        value(&page, "document.title + sessionStorage.b").await,
        json!("A2")
    );
    // Either way it is the page that was left or a new one, and the click reached it.
    assert_eq!(
        value(
            &page,
            "said === visits && visits + Number(sessionStorage.loads) > 3"
        )
        .await,
        json!(true)
    );
    wait_until_idle(&page, Duration::from_secs(2), LIMIT)
        .await
        .unwrap();
    browser.close().await;
}

/// A browser on another machine has no file of ours: the page gets what the recording holds.
#[tokio::test(flavor = "multi_thread")]
async fn files_reach_a_browser_that_cannot_read_them() {
    let choose = |file: Value| json!([{ "type": "customStep", "name": "querypoint/files", "parameters": { "selectors": [["#field"]], "files": [file] } }]);
    let body = r#"<input type=file id=field hidden>
        <script>field.onchange = async () => { const [file] = field.files; told = [file.name, file.type, await file.text()].join(); };</script>"#;
    let held = json!({ "name": "a.csv", "type": "text/csv", "contents": "YSxi" });
    let (log, report) = log_of(body, choose(held)).await;
    assert_eq!(
        only(&log, &["input", "change"]),
        [r"input field C:\fakepath\a.csv false", "change field false"]
    );
    assert!(
        report.divergences[0]
            .note
            .contains("cannot read files of this machine"),
        "{report:?}"
    );

    let browser = browser().await;
    let page = page(&browser).await;
    page.navigate(&data_url(body), LIMIT).await.unwrap();
    let missing = json!({ "name": "a.csv", "size": 3 });
    let error = run(&page, choose(missing)).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the recording does not hold them"),
        "{error}"
    );
    let recorded = recording(choose(
        json!({ "name": "a.csv", "type": "text/csv", "contents": "YSxi" }),
    ));
    let mut recorded = recorded;
    let gone = recorded.place_files(|_, _, _| Ok::<_, ()>("/no/such/file.csv".to_owned()));
    gone.unwrap();
    replay(
        &page,
        &recorded,
        &options(),
        &ReplayCursor::default(),
        &mut |_, _, _| (),
    )
    .await
    .unwrap();
    let told = "new Promise((done) => { const look = () => window.told ? done(told) : setTimeout(look, 5); look(); })";
    assert_eq!(value(&page, told).await, "a.csv,text/csv,a,b");
    browser.close().await;
}
