//! What makes a page vary is recorded and fed back: a replay shows the same random numbers and the same time, in
//! documents, frames and workers, and the page cannot tell.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::loopback::*;
use crate::user::{END, User};
use serde_json::{Value, json};

/// What the page says when it is left alone: random numbers of every kind, in every realm.
fn varying() -> Vec<(&'static str, Reply)> {
    let numbers = "(where) => [where, Math.random(), Math.random(), crypto.randomUUID(),\n\
        crypto.getRandomValues(new Uint32Array(3)).join(), crypto.getRandomValues(new \
        BigInt64Array(1)).join()].join(' ')";
    let main = page(&format!(
        "{END}<iframe src=/inner></iframe><script>\n\
         const numbers = {numbers};\n\
         say(numbers('top'));\n\
         let open = 3;\n\
         const take = (text) => {{ say(text); if (--open === 0) window.isReady = true; }};\n\
         onmessage = ({{ data }}) => take(data);\n\
         new Worker('/worker.js').onmessage = ({{ data }}) => take(data);\n\
         end.onclick = () => {{ say(numbers('clicked')); done(); }};\n\
         </script>"
    ));
    let inner = html(&format!(
        "<script>parent.postMessage(({numbers})('inner'), '*')</script>"
    ));
    let worker = script(&format!(
        "postMessage(({numbers})('worker')); new Worker('/nested.js').onmessage = ({{ data }}) => postMessage(data);"
    ));
    let nested = script(&format!("postMessage(({numbers})('nested'));"));
    vec![
        ("/", main),
        ("/inner", inner),
        ("/worker.js", worker),
        ("/nested.js", nested),
    ]
}

/// Records a click on the button, once the page has come so far; gives the recording's file. What the page says is to
/// reach the server again, so the network is live.
async fn recorded(site: &Site, folder: &Folder, ready: &str) -> PathBuf {
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
    user.until(ready).await;
    user.click(650, 420).await;
    user.has_recorded("click aria/End").await;
    user.until("window.finished").await;
    let ran = user.leaves().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    out
}

/// The same recording with its page waited for before it is acted on.
fn with_wait(path: &Path, expression: &str) {
    let mut recording: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let wait = json!({ "type": "waitForExpression", "expression": expression });
    recording["steps"].as_array_mut().unwrap().insert(2, wait);
    fs::write(path, recording.to_string()).unwrap();
}

/// What the page said, sorted, for realms run beside each other.
fn said(site: &Site) -> Vec<String> {
    let all = site.said();
    let [said] = all.as_slice() else {
        panic!("{all:#?}");
    };
    let mut lines: Vec<String> = said.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn random_numbers_come_again_in_every_realm() {
    let site = Site::new(&varying());
    let folder = Folder::new();
    let path = recorded(&site, &folder, "window.isReady").await;
    with_wait(&path, "window.isReady");
    let then = said(&site);
    assert_eq!(then.len(), 5, "{then:#?}");
    let again: Vec<Vec<String>> = (0..2)
        .map(|_| {
            let ran = replay(&path, &[]);
            assert_eq!(ran.status, Some(0), "{ran:#?}");
            said(&site)
        })
        .collect();
    assert_eq!(again, [then.clone(), then.clone()]);
    // Under a question as well, in each of its executions.
    let ran = ask(&site.url("/"), &["--recording", path.to_str().unwrap()]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let executions = site.said();
    assert_eq!(
        executions.len() as u64,
        ran.answer()["executions"].as_u64().unwrap()
    );
    for execution in executions {
        let mut lines: Vec<&str> = execution.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, then);
    }
    let ran = replay(&path, &["--live", "random"]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    for (live, then) in said(&site).iter().zip(&then) {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (live, then) = (words(live), words(then));
        assert_eq!(live[0], then[0]);
        assert!(
            live[1..].iter().all(|word| !then.contains(word)),
            "{live:?}"
        );
    }
    let ran = replay(&path, &["--live", "random,wind"]);
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("random, time and network"), "{ran:#?}");
}

/// Documents that come one after the other have numbers of their own, the same ones each time.
#[tokio::test]
async fn each_document_has_its_own_numbers() {
    let main = page(&format!(
        "{END}<iframe id=inner src=/inner></iframe><script>\n\
         const all = [];\n\
         onmessage = ({{ data }}) => {{\n\
         all.push(data);\n\
         if (all.length < 4) inner.src = '/inner'; else window.isReady = true;\n\
         }};\n\
         end.onclick = () => {{ say(all.join(' ')); done(); }};\n\
         </script>"
    ));
    let inner = html("<script>parent.postMessage(Math.random(), '*')</script>");
    let site = Site::new(&[("/", main), ("/inner", inner)]);
    let folder = Folder::new();
    let path = recorded(&site, &folder, "window.isReady === true").await;
    with_wait(&path, "window.isReady");
    let then = said(&site);
    let mut numbers: Vec<&str> = then[0].split(' ').collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 4, "{then:#?}");
    let ran = replay(&path, &[]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(said(&site), then);
}

/// What the clocks of all realms say, and how they hang together.
const CLOCKS: &str = "\
    const clocks = (where) => say(where, JSON.stringify({\n\
      now: Date.now(), made: new Date().getTime(), called: Date.parse(Date()), origin: performance.timeOrigin,\n\
      since: performance.now(), year: new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: 'UTC' }).format(),\n\
      temporal: typeof Temporal === 'object' ? Temporal.Now.instant().epochMilliseconds : Date.now(),\n\
      dates: new Date() instanceof Date && new (class extends Date {})().getTime() === new Date(Date.now()).getTime()\n\
        || 'another millisecond',\n\
    }));\n";

#[tokio::test]
async fn the_time_is_that_of_the_recording() {
    let main = page(&format!(
        "{END}<iframe src=/inner></iframe><script>\n\
         {CLOCKS}\n\
         clocks('top');\n\
         const frame = new Promise((done) => requestAnimationFrame(done));\n\
         let inner;\n\
         onmessage = ({{ data }}) => {{ inner = data; }};\n\
         const worker = new Worker('/worker.js');\n\
         worker.onmessage = ({{ data }}) => {{\n\
         if (!window.isReady) {{ window.isReady = inner !== undefined; if (!isReady) worker.postMessage(0); return; \
         }}\n\
         say('worker', data); frame.then(() => requestAnimationFrame((at) => {{ say('frame', performance.now() - at); \
         done(); }}));\n\
         }};\n\
         worker.postMessage(0);\n\
         end.onclick = (event) => {{\n\
         clocks('clicked');\n\
         say('event', performance.now() - event.timeStamp);\n\
         say('inner', frames[0].Date.now());\n\
         worker.postMessage(0);\n\
         }};\n\
         </script>"
    ));
    let inner = html("<script>parent.postMessage(Date.now(), '*')</script>");
    let worker = script("onmessage = () => postMessage(Date.now());");
    let site = Site::new(&[("/", main), ("/inner", inner), ("/worker.js", worker)]);
    let folder = Folder::new();
    let path = recorded(&site, &folder, "window.isReady === true").await;
    with_wait(&path, "window.isReady");
    let then = site.said();
    assert_eq!(then.len(), 1);

    // It was another time, and the user thought for an hour.
    const START: f64 = 1e12;
    const HOUR: f64 = 3_600_000.0;
    let mut recording: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let start = &mut recording["querypoint"]["tape"]["time"]["start"];
    assert!(start.as_f64().unwrap() > 1.7e12, "{start}");
    *start = json!(START);
    let steps = recording["steps"].as_array_mut().unwrap();
    // The clocks are moved to when the button was pressed, and it is let go at once.
    let pressed = HOUR - steps.last().unwrap()["duration"].as_f64().unwrap_or(0.0);
    let ours = &mut steps.last_mut().unwrap()["querypoint"];
    assert!(ours["atMs"].as_f64().unwrap() > 0.0, "{ours}");
    ours["atMs"] = json!(HOUR);
    fs::write(&path, recording.to_string()).unwrap();
    let ran = replay(&path, &[]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let all = said(&site);
    let line = |name: &str| -> Value {
        let line = all
            .iter()
            .find_map(|line| line.strip_prefix(&format!("{name} ")));
        serde_json::from_str(line.unwrap()).unwrap()
    };
    // As long as a busy machine takes.
    const SLACK: f64 = 30_000.0;
    let is_about = |value: &Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!(
            (expected..expected + SLACK).contains(&value),
            "{value} is not {expected}: {all:#?}"
        );
    };
    let (top, clicked) = (line("top"), line("clicked"));
    for name in ["now", "made", "origin", "temporal"] {
        is_about(&top[name], START);
    }
    for name in ["now", "made", "temporal"] {
        is_about(&clicked[name], START + pressed);
    }
    for (seen, expected) in [(&top, START), (&clicked, START + pressed)] {
        is_about(&seen["called"], expected - 1000.0);
        assert_eq!(seen["year"], "2001");
        assert_ne!(seen["dates"], false);
    }
    let waited = clicked["since"].as_f64().unwrap() - top["since"].as_f64().unwrap();
    is_about(&json!(waited), HOUR - 1000.0);
    assert_eq!(top["origin"], clicked["origin"]);
    is_about(&line("inner"), START + pressed);
    is_about(&line("worker"), START + pressed);
    // What happens now is told by the same clock.
    for name in ["event", "frame"] {
        is_about(&line(name), -100.0);
    }

    let ran = ask(&site.url("/"), &["--recording", path.to_str().unwrap()]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    for execution in site.said() {
        assert!(execution.contains("\"year\":\"2001\""), "{execution}");
    }
    let ran = replay(&path, &["--live", "time"]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(!said(&site).concat().contains("2001"));
}

/// Text, name, length, own properties and errors of all that the recorded inputs are behind, and what is global.
const LOOKS: &str = "\
    const looks = [];\n\
    const flags = (it) => ['value', 'get', 'set', 'writable', 'enumerable', 'configurable'].map((key) => `${typeof \
    it[key]} ${it[key] === true}`);\n\
    const look = (name, host, key) => {\n\
      const property = Object.getOwnPropertyDescriptor(host, key);\n\
      for (const part of ['value', 'get', 'set']) {\n\
        const it = property?.[part];\n\
        if (typeof it !== 'function') { looks.push([name, key, part, typeof it]); continue; }\n\
        let made; try { made = typeof new it(); } catch (error) { made = error.name; }\n\
        let called; try { called = typeof it.call({}); } catch (error) { called = `${error.name}: ${error.message}`; \
        }\n\
        looks.push([name, key, part, `${it}`, Function.prototype.toString.call(it), it.name, it.length, made, called,\n\
          Reflect.ownKeys(it).map(String).join(), Object.getPrototypeOf(it) === Function.prototype, \
          Object.isExtensible(it),\n\
          ...Reflect.ownKeys(it).map((own) => flags(Object.getOwnPropertyDescriptor(it, own))), flags(property), \
          'prototype' in it]);\n\
      }\n\
    };\n\
    look('Math', Math, 'random');\n\
    for (const key of ['getRandomValues', 'randomUUID']) look('Crypto', Crypto.prototype, key);\n\
    look('global', globalThis, 'Date');\n\
    for (const key of ['now', 'parse', 'UTC', 'prototype']) look('Date', Date, key);\n\
    look('Date', Date.prototype, 'constructor');\n\
    for (const key of ['now', 'timeOrigin']) look('Performance', Performance.prototype, key);\n\
    look('Event', Event.prototype, 'timeStamp');\n\
    look('global', globalThis, 'requestAnimationFrame');\n\
    for (const key of ['format', 'formatToParts']) look('Intl', Intl.DateTimeFormat.prototype, key);\n\
    if (typeof Temporal === 'object') for (const key of Reflect.ownKeys(Temporal.Now)) look('Temporal', Temporal.Now, \
    key);\n\
    look('Function', Function.prototype, 'toString');\n\
    for (const given of [undefined, null, 5, {}, new Float32Array(1), new Uint8Array(65537)]) {\n\
      try { crypto.getRandomValues(given); } catch (error) { looks.push([`${error.name}: ${error.message}`]); }\n\
    }\n\
    try { crypto.getRandomValues(); } catch (error) { looks.push([`${error.name}: ${error.message}`]); }\n\
    const list = new Uint16Array(2);\n\
    looks.push([crypto.getRandomValues(list) === list, Date.prototype.constructor === Date, new Date().constructor \
    === Date]);\n\
    const format = new Intl.DateTimeFormat();\n\
    looks.push([format.format === format.format, format.format.name, format.format.length, `${format.format}`]);\n\
    looks.push([/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())]);\n\
    looks.push([Object.getOwnPropertyNames(globalThis).filter((name) => /qp|tape/i.test(name)).join(), new \
    Date(NaN).getTime()]);\n\
    looks.push([Reflect.ownKeys(Math).length, Reflect.ownKeys(Date).length, \
    Reflect.ownKeys(Performance.prototype).length]);\n\
    looks.push([new Date(2020, 1).getMonth(), new Date('2020-02-01T00:00Z').toISOString(), Reflect.construct(Date, \
    [0], Array) instanceof Array]);\n\
    for (const each of looks) say(JSON.stringify(each));\n";

#[tokio::test]
async fn the_page_sees_nothing_of_the_tape() {
    let main = page(&format!(
        "{END}<script>{LOOKS}\nend.onclick = () => done();</script>"
    ));
    let site = Site::new(&[("/", main)]);
    let folder = Folder::new();
    let path = recorded(&site, &folder, "true").await;
    let while_recorded = said(&site);
    let ran = replay(&path, &["--live", "random,time,network"]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let plain = said(&site);
    assert!(plain.len() > 40, "{plain:#?}");
    assert_eq!(while_recorded, plain);
    let ran = replay(&path, &[]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(said(&site), plain);
}

/// What a page does to its built-ins does not reach the recorded inputs.
#[tokio::test]
async fn a_page_that_changes_its_built_ins_gets_the_same() {
    let main = page(&format!(
        "{END}<script>\n\
         const seen = () => {{ throw new Error('seen'); }};\n\
         for (const key of ['buffer', 'byteLength', 'byteOffset', 'set'])\n\
         Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), key, {{ get: seen, set: seen }});\n\
         for (const key of ['push', 'get', 'random', 'seeds', 'shift', '0']) Object.defineProperty(Object.prototype, \
         key, {{ get: seen, set: seen, configurable: true }});\n\
         Reflect.apply = Function.prototype.call = Function.prototype.apply = Function.prototype.bind = \
         String.prototype.indexOf = seen;\n\
         Math.imul = WeakMap.prototype.get = Date.prototype.toString = Date.prototype.getTime = seen;\n\
         Uint8Array = Uint32Array = Proxy = undefined;\n\
         end.onclick = () => {{\n\
         for (const key of ['get', 'push', 'random', 'seeds', 'shift', '0']) delete Object.prototype[key];\n\
         say(Math.random(), crypto.randomUUID(), crypto.getRandomValues(new Uint16Array(2)).length);\n\
         say(typeof Date(), typeof Date.now(), typeof performance.now(), new \
         Intl.DateTimeFormat('en').format().length > 5);\n\
         done();\n\
         }};\n\
         </script>"
    ));
    let site = Site::new(&[("/", main)]);
    let folder = Folder::new();
    let path = recorded(&site, &folder, "true").await;
    let then = said(&site);
    assert!(!then.concat().contains("error"), "{then:#?}");
    let ran = replay(&path, &[]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(said(&site), then);
}

/// Timers of a page: chained, repeated, with arguments, taken back, and with texts.
const TIMERS: &str = "<button id=go style='position: absolute; left: 20px; top: 20px'>Go</button><script>
let ticks = 0;
go.onclick = () => {
  say('went');
  setTimeout(function (...values) { say('late', values.join(), this === window); chained(); }, 400, 1, 2);
  setTimeout(say, 100, 'early');
  clearTimeout(setTimeout(say, 150, 'never'));
  const ticking = setInterval(() => {
    say('tick', ++ticks);
    if (ticks === 4) clearInterval(ticking);
  }, 170);
  setTimeout(\"window.ofText = true\", 50);
  setTimeout(\"say('text')\", 300);
  clearTimeout(setTimeout(\"say('no text')\", 310));
  beating = setInterval(\"beat()\", 130);
  setTimeout(say, 60000, 'much later');
  const inner = document.createElement('iframe');
  document.body.append(inner);
  setTimeout.call(inner.contentWindow, function () { window.ofFrame = this === inner.contentWindow; }, 20);
};
let beating;
let beats = 0;
function beat() {
  say('beat');
  if (++beats === 2) clearInterval(beating);
}
const chained = () => setTimeout(() => setTimeout(say, 200, 'chained'), 150);
end.onclick = () => { say('ended', window.ofText, window.ofFrame); done(); };
</script>";

#[tokio::test]
async fn timers_run_before_the_step_that_they_ran_before() {
    let site = Site::new(&[("/", page(&format!("{END}{TIMERS}")))]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
    user.click(30, 30).await;
    user.until("said.includes('chained')").await;
    user.click(650, 420).await;
    user.has_recorded("click aria/End").await;
    user.until("window.finished").await;
    let ran = user.leaves().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let recorded = site.said();
    let timers =
        "went\nearly\nbeat\ntick 1\nbeat\ntext\ntick 2\nlate 1,2 true\ntick 3\ntick 4\nchained";
    assert!(recorded[0].starts_with(timers), "{recorded:#?}");
    for _ in 0..2 {
        let ran = replay(&out, &[]);
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        assert_eq!(site.said(), recorded, "{ran:#?}");
    }

    // As if the second click had come more than a minute later. Live timers do not know of it, and no step waits for
    // them.
    with_last_step_later(&out, 61_000.0);
    let ran = replay(&out, &[]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let later = recorded[0].replace("\nended", "\nmuch later\nended");
    assert_ne!(later, recorded[0]);
    assert_eq!(site.said(), [later]);
    let ran = replay(&out, &["--live", "time"]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let said = site.said().concat();
    assert!(
        said.starts_with("went\n") && said.contains("\nended"),
        "{said}"
    );
    assert!(!said.contains("much later"), "{said}");
}

/// A page waits at each stop until its state is read. Its clocks stop meanwhile: what it measures is its own
/// time.
#[tokio::test]
async fn clocks_stop_while_the_page_is_read() {
    const CHANGES: usize = 32;
    // Without it each stop counts for 13 ms; what the hooks do counts, 0.6 ms for each.
    const BOUND_MS: f64 = 5.0 * CHANGES as f64;
    let main = page(&format!(
        "{END}<script>\n\
         const state = {{}};\n\
         end.onclick = () => {{\n\
         const since = performance.now();\n\
         const date = Date.now();\n\
         for (let key = 0; key < {CHANGES}; key++) state['k' + key] = {{ key, of: state }};\n\
         say(performance.now() - since);\n\
         say(Date.now() - date);\n\
         done();\n\
         }};\n\
         </script>"
    ));
    let site = Site::new(&[("/", main)]);
    let folder = Folder::new();
    let path = recorded(&site, &folder, "true").await;
    site.said();
    let queries: Vec<String> = (0..CHANGES)
        .map(|key| format!("q{key} = lastChange(R:state.k{key})"))
        .collect();
    let url = site.url("/");
    let mut arguments = vec!["ask", "--json", "--at", "end", &url, "--recording"];
    arguments.push(path.to_str().unwrap());
    arguments.extend(queries.iter().map(String::as_str));
    let ran = querypoint(&arguments);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let answer = ran.answer();
    assert_eq!(answer["points"].as_array().unwrap().len(), CHANGES + 1);
    let executions = site.said();
    assert_eq!(
        executions.len() as u64,
        answer["executions"].as_u64().unwrap()
    );
    for took in executions.iter().flat_map(|said| said.lines()) {
        assert!(took.parse::<f64>().unwrap() < BOUND_MS, "{executions:?}");
    }
}

/// The same recording, its last step done so many milliseconds later.
fn with_last_step_later(path: &Path, more: f64) {
    let mut recording: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let last = recording["steps"].as_array_mut().unwrap().last_mut();
    let at = &mut last.unwrap()["querypoint"]["atMs"];
    *at = json!(at.as_f64().unwrap() + more);
    fs::write(path, recording.to_string()).unwrap();
}
