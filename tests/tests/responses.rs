//! Responses are recorded beside the steps and fed back: what was answered then, in the order in which it was answered.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::loopback::*;
use crate::user::{END, User};
use serde_json::{Value, json};

/// A page whose data and script come from the server, with a cookie.
fn with_data(text: &str) -> Vec<(&'static str, Reply)> {
    let main = page(&format!(
        "{END}<script src=/app.js></script><script>\n\
         const data = fetch('/data').then((it) => it.text());\n\
         const posted = fetch('/form', {{ method: 'POST', body: 'password=hunter' + 2 }}).then((it) => it.text());\n\
         const picture = fetch('/picture').then((it) => it.arrayBuffer());\n\
         data.then(() => {{ window.isReady = true; }});\n\
         end.onclick = async () => {{\n\
         probe.value = await data;\n\
         window.shown = [await data, await posted, new Uint8Array(await picture).join(), fromApp].join(' ');\n\
         window.finished = true;\n\
         }};\n\
         </script>"
    ));
    let secret = Reply::new("text/plain", text).header("Set-Cookie", "session=s3cret");
    vec![
        ("/", main),
        (
            "/app.js",
            script(&format!("var fromApp = '{text} app'; probe.value = 1;")),
        ),
        ("/data", secret),
        ("/form", Reply::new("text/plain", format!("{text} form"))),
        (
            "/picture",
            Reply::new("image/png", vec![0xff, 0, text.len() as u8]),
        ),
    ]
}

/// What the page shows at the end of a replay: its title then, told by a recorded one that is another.
fn shown(path: &Path, more: &[&str]) -> (Ran, String) {
    let mut recording: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let steps = recording["steps"].as_array_mut().unwrap();
    let wait = json!({ "type": "waitForExpression", "expression": "window.finished && (document.title = shown)" });
    // It is never moved, so the title is looked at where the replay is.
    let title = json!([{ "type": "navigation", "title": "nothing is called so", "url": "" }]);
    steps.push(wait);
    let url = steps[1]["url"].as_str().unwrap().to_owned();
    steps.push(json!({ "type": "navigate", "url": format!("{url}#end"), "assertedEvents": title }));
    let seen = path.with_extension("seen.json");
    fs::write(&seen, recording.to_string()).unwrap();
    let beside = PathBuf::from(format!("{}.har", path.display()));
    if beside.exists() {
        fs::copy(&beside, format!("{}.har", seen.display())).unwrap();
    }
    let ran = replay(&seen, more);
    let title = ran.out.split("titled ").last().unwrap_or_default();
    let title = title.trim().trim_matches('"').to_owned();
    (ran, title)
}

/// What pages have asked for; the browser asks for an icon when it likes.
fn asked(site: &Site) -> Vec<String> {
    let mut requests = site.requests();
    requests.retain(|path| path != "/favicon.ico");
    requests
}

#[tokio::test]
async fn responses_are_those_that_were_recorded() {
    let then = Site::new(&with_data("then"));
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&then.url("/"), &out, &[]).await;
    user.until("window.isReady === true").await;
    user.click(650, 420).await;
    user.has_recorded("click aria/End").await;
    user.until("window.finished === true").await;
    let ran = user.leaves().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    for told in [
        "recording.json.har",
        "responses whose cookies were left out: 1",
    ] {
        assert!(ran.out.contains(told), "{ran:#?}");
    }

    let beside = folder.0.join("recording.json.har");
    let mode = fs::metadata(&beside).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let har = fs::read_to_string(&beside).unwrap();
    assert!(!har.contains("s3cret") && !har.contains("hunter2"), "{har}");
    let entries: Value = serde_json::from_str(&har).unwrap();
    let entries = entries["log"]["entries"].as_array().unwrap();
    let urls: Vec<&str> = entries
        .iter()
        .map(|entry| {
            entry["request"]["url"]
                .as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap()
        })
        .collect();
    assert_eq!(urls[0], "");
    for path in ["app.js", "data", "form", "picture", "say.js"] {
        assert_eq!(
            urls.iter().filter(|url| **url == path).count(),
            1,
            "{urls:?}"
        );
    }

    // The server answers otherwise now.
    let expected = "then then form 255,0,4 then app";
    then.answers(&with_data("later"));
    then.requests();
    let (ran, title) = shown(&out, &[]);
    assert_eq!(title, expected, "{ran:#?}");
    assert_eq!(asked(&then), [""; 0]);
    let (ran, title) = shown(&out, &["--live", "network"]);
    assert_eq!(title, "later later form 255,0,5 later app", "{ran:#?}");

    // What is rewritten is what was recorded.
    then.requests();
    let at_end = [
        "ask",
        "--json",
        "--no-keep",
        "--timeout",
        "60",
        "--at",
        "app.js:1",
        "--recording",
        out.to_str().unwrap(),
    ];
    let mut arguments = at_end.to_vec();
    let url = then.url("/");
    arguments.extend([
        url.as_str(),
        "lastChange(R:probe.value)",
        "--watch",
        "document.title",
    ]);
    let ran = querypoint(&arguments);
    assert!(ran.status.is_some_and(|status| status < 2), "{ran:#?}");
    let answer = ran.answer();
    assert_eq!(coverage(&answer), "3 of 3", "{answer:#}");
    assert_eq!(asked(&then), [""; 0]);

    // A request that was not made then.
    let mut fewer: Value = serde_json::from_str(&har).unwrap();
    let entries = fewer["log"]["entries"].as_array_mut().unwrap();
    entries.retain(|entry| !entry["request"]["url"].as_str().unwrap().ends_with("/data"));
    fs::write(&beside, fewer.to_string()).unwrap();
    let ran = replay(&out, &[]);
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    let missing = format!(
        "GET {} is not in the recording: it went to the network",
        then.url("/data")
    );
    assert!(ran.out.contains(&missing), "{ran:#?}");
    assert_eq!(asked(&then), ["/data"]);

    // A file that is none, and one that is not there.
    fs::write(&beside, &har[..har.len() / 2]).unwrap();
    let ran = replay(&out, &[]);
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(
        ran.err.contains("recording.json.har") && ran.err.contains("it is no HTTP archive: line 1"),
        "{ran:#?}"
    );
    fs::remove_file(&beside).unwrap();
    let ran = replay(&out, &[]);
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("--live=network"), "{ran:#?}");
    let ran = replay(&out, &["--live", "network"]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
}

/// A page that shows what it found for what was typed, whichever answer comes last; two other requests race as well.
/// The longer the text, the faster the server is with it.
fn searching() -> Vec<(&'static str, Reply)> {
    let main = page(&format!(
        "{END}<input id=text style='position: absolute; left: 10px; top: 10px; width: 200px; height: 30px'><p id=panel></p><script>
const came = [];
let open = 0;
const ask = async (path) => {{
  open++;
  const answer = await (await fetch(path)).text();
  came.push(answer);
  document.getElementById('panel').textContent = answer;
  if (--open === 0 && came.length === 5) window.isReady = true;
}};
const text = document.getElementById('text');
text.oninput = () => ask('/search/' + text.value);
ask('/slow');
ask('/fast');
end.onclick = () => {{ window.shown = came.join(' '); window.finished = true; }};
</script>"
    ));
    let found = |what: &str, ms| Reply::new("text/plain", what.as_bytes()).after_ms(ms);
    vec![
        ("/", main),
        ("/slow", found("slow", 150)),
        ("/fast", found("fast", 0)),
        ("/search/i", found("i", 1200)),
        ("/search/in", found("in", 600)),
        ("/search/ink", found("ink", 0)),
    ]
}

/// The same race is lost again: what came last shows what was not asked for last.
#[tokio::test]
async fn responses_come_in_the_order_in_which_they_came() {
    let site = Site::new(&searching());
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &[]).await;
    user.click(50, 25).await;
    user.types("ink").await;
    user.until("window.isReady === true").await;
    assert_eq!(user.look("panel.textContent").await, json!("i"));
    user.click(650, 420).await;
    user.has_recorded("click aria/End").await;
    user.until("window.finished === true").await;
    let order = user.look("came").await;
    let order = order
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap());
    let order = order.collect::<Vec<_>>().join(" ");
    let place = |what: &str| order.split(' ').position(|it| it == what).unwrap();
    assert!(place("fast") < place("slow"), "{order}");
    assert!(place("ink") < place("i"), "{order}");
    user.leaves().await;

    let (ran, title) = shown(&out, &[]);
    assert_eq!(title, order, "{ran:#?}");
    // Without the recorded ones the server of now decides, which is as fast with all.
    let fast = searching()
        .into_iter()
        .map(|(path, reply)| (path, reply.after_ms(0)));
    site.answers(&fast.collect::<Vec<_>>());
    assert_eq!(at_end(&site, &out, "panel.textContent"), json!("\"i\""));
}

/// A page that notes what happens: two responses, two timers and three clicks, of which one waits for a third response
/// where it is.
fn noting() -> Vec<(&'static str, Reply)> {
    let main = page(&format!(
        "{END}<button id=go style='position: absolute; left: 10px; top: 10px'>Go</button>
<button id=more style='position: absolute; left: 10px; top: 60px'>More</button>
<button id=wait style='position: absolute; left: 10px; top: 110px'>Wait</button><script>
const came = [];
const note = (what) => {{ came.push(what); }};
const ask = async (path) => note(await (await fetch(path)).text());
go.onclick = () => {{
  note('go');
  ask('/response');
  ask('/last');
  setTimeout(note, 300, 'timer');
  setTimeout(note, 1800, 'late timer');
}};
more.onclick = () => note('more');
wait.onclick = () => {{
  note('wait');
  const request = new XMLHttpRequest();
  request.open('GET', '/at-once', false);
  request.send();
  note(request.responseText);
}};
end.onclick = () => {{ window.shown = came.join(', '); window.finished = true; }};
</script>"
    ));
    let answer = |what: &str, ms| Reply::new("text/plain", what.as_bytes()).after_ms(ms);
    vec![
        ("/", main),
        ("/response", answer("response", 1300)),
        ("/last", answer("last", 2400)),
        ("/at-once", answer("at once", 200)),
    ]
}

/// What happens between two steps comes in its order, though none of it is waited for.
#[tokio::test]
async fn responses_timers_and_steps_come_in_their_order() {
    let site = Site::new(&noting());
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &[]).await;
    user.click(20, 20).await;
    user.until("came.includes('timer')").await;
    user.click(20, 70).await;
    user.until("came.includes('response')").await;
    user.click(20, 120).await;
    user.until("came.includes('last')").await;
    user.click(650, 420).await;
    user.has_recorded("click aria/End").await;
    user.until("window.finished === true").await;
    let order = user.look("came.join(', ')").await;
    assert_eq!(
        order,
        json!("go, timer, more, response, wait, at once, late timer, last")
    );
    user.leaves().await;
    for _ in 0..3 {
        let (ran, title) = shown(&out, &[]);
        assert_eq!(json!(title), order, "{ran:#?}");
        // Nothing was waited for as long as it took then.
        assert!(!ran.out.contains("took too long"), "{ran:#?}");
    }
}

/// What the last step asks for is given after it: two requests that race, of which the later one came first.
/// A page that says how long it took, as its scripts see it.
fn loading_slowly() -> Vec<(&'static str, Reply)> {
    let main = page(&format!(
        "{END}<script>const started = Date.now(); const took = (name) => {{ window[name] = Date.now() - started; \
         }};</script>\n\
         <script src=/quick.js></script><script src=/slow.js></script><script>\n\
         probe.value = Date.now() - started > 1000;\n\
         window.isReady = true;\n\
         end.onclick = () => {{ window.shown = `${{quick < 500}} ${{slow > 1000}} ${{probe.value}}`; window.finished \
         = true; }};\n\
         </script>"
    ));
    vec![
        ("/", main),
        ("/quick.js", script("took('quick');")),
        ("/slow.js", script("took('slow');").after_ms(3000)),
    ]
}

#[tokio::test]
async fn a_page_that_loaded_slowly_is_as_old_when_it_is_replayed() {
    let site = Site::new(&loading_slowly());
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &[]).await;
    user.until("window.isReady === true").await;
    user.click(650, 420).await;
    user.has_recorded("click aria/End").await;
    // Where the machine is busy, what is quick may take long too; then it takes as long when it is replayed.
    let then = user.look("window.shown").await;
    assert!(then.as_str().unwrap().ends_with("true true"), "{then}");
    let ran = user.leaves().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    for _ in 0..3 {
        let (ran, title) = shown(&out, &[]);
        assert_eq!(json!(title), then, "{ran:#?}");
    }
    // The clock of now is that of a page that loads at once.
    let (ran, title) = shown(&out, &["--live", "time"]);
    assert_eq!(title, "true false false", "{ran:#?}");
}

#[tokio::test]
async fn responses_to_the_last_step_are_fed_after_it() {
    let main = page(&format!(
        "{END}<p id=panel></p><script>
const came = [];
const ask = async (path) => {{
  came.push(await (await fetch(path)).text());
  if (came.length === 2) {{ window.shown = came.join(' '); window.cameAt = performance.now(); window.finished = true; }}
}};
end.onclick = () => {{ ask('/slow'); ask('/fast'); }};
</script>"
    ));
    let answer = |what: &str, ms| Reply::new("text/plain", what.as_bytes()).after_ms(ms);
    let site = Site::new(&[
        ("/", main),
        ("/slow", answer("slow", 600)),
        ("/fast", answer("fast", 0)),
    ]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &[]).await;
    user.click(650, 420).await;
    user.has_recorded("click aria/End").await;
    // A person looks at what came before they close the tab. One that is closed at once takes with it what the browser
    // has not handed over yet (docs/reference/limits.md).
    user.until("performance.now() > window.cameAt + 1000").await;
    user.leaves().await;
    for _ in 0..3 {
        let ran = replay(&out, &[]);
        assert_eq!(ran.status, Some(0), "{ran:#?}");
    }
}
