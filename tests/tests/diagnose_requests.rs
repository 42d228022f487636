//! `querypoint diagnose` with a good version, where the page asks a server for several things at once.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use test_support::server::{Answer, Asked, Server};

use crate::diagnose::{begin_diagnosis, json};

const PROGRAM: &str = "const shown = [];
const show = (name) => (data) => { shown.push(name + data.visit); return shown.length; };
const sum = (one, two) => one.visit + two.visit;
function price(visit) { return visit * 2; }
async function load(name) { return (await fetch(name + '.json')).json(); }
async function start() {
  for (const name of ['a', 'b', 'c']) fetch(name + '.json').then((it) => it.json()).then(show(name));
  const [one, two, three] = await Promise.all([load('d'), load('e'), load('f')]);
  document.title = [sum(one, two), price(three.visit), shown].join();
}
start();";

/// A server that counts how often it was asked for each path, says so, and takes another time for it each time.
fn counting(wrong: String) -> std::io::Result<Server> {
    let counts: Arc<Mutex<HashMap<String, u64>>> = Arc::default();
    Server::start(move |asked: Asked| {
        let path = asked.path.clone();
        let visit = {
            let mut counts = counts.lock();
            let count = counts.entry(path.clone()).or_default();
            *count += 1;
            *count
        };
        let answer = match path.as_str() {
            "/good.html" => {
                Answer::new("text/html", "<!doctype html><script src=good.js></script>")
            }
            "/bad.html" => Answer::new("text/html", "<!doctype html><script src=bad.js></script>"),
            "/good.js" => Answer::new("text/javascript", PROGRAM),
            "/bad.js" => Answer::new("text/javascript", wrong.clone()),
            _ => Answer::new("application/json", format!("{{\"visit\":{visit}}}")),
        };
        let letter = u64::from(path.as_bytes().get(1).copied().unwrap_or_default());
        async move {
            if path.ends_with(".json") {
                tokio::time::sleep(Duration::from_millis(letter * visit * 37 % 90)).await;
            }
            Some(answer)
        }
    })
}

/// What the server says, and in which order, is in each execution what it was in the first.
#[test]
fn what_is_asked_for_at_once_comes_in_the_same_order_each_time() {
    for (good, wrong, function) in [
        ("visit * 2", "visit * 3", "price"),
        ("one.visit + two.visit", "one.visit - two.visit", "sum"),
        ("return shown.length;", "return shown;", "(anonymous)"),
    ] {
        let server = counting(PROGRAM.replace(good, wrong)).unwrap();
        let (bad, good) = (server.url("/bad.html"), server.url("/good.html"));
        let folder = tempfile::tempdir().unwrap();
        let arguments = [bad.as_str(), "--oracle", &good, "--json"];
        let output = begin_diagnosis(folder.path(), &arguments).wait_with_output();
        let diagnosis = json(&output.unwrap());
        assert_eq!(diagnosis["found"]["function"], function, "{diagnosis}");
        assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
    }
}
