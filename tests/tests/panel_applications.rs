//! The panel beside whole applications, as a person has them: a TodoMVC made with React, bundled and minified, and a
//! shop that only who is logged in sees.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::process::Command;

use crate::at_panel::AtPanel;
use crate::in_tools::*;
use crate::loopback::*;
use conformance::packages;
use end_to_end::repository;
use serde_json::json;
use test_support::server::{Answer, Asked, Server};

/// The line of the reducer that is wrong, and what repairs it.
const DEFECT: &str = r#"action.title.replace(/\s+/g, "")"#;
const REPAIR: &str = "action.title";

/// The TodoMVC of `tests/todomvc`, as a bundler makes it for a server: one file, minified, with its source map.
fn todomvc(folder: &Folder, is_repaired: bool) -> [(&'static str, Reply); 3] {
    let sources = repository().join("tests/todomvc");
    let modules = packages::install_from(&sources, "todomvc").unwrap();
    let own = folder.0.join("src");
    fs::create_dir_all(&own).unwrap();
    for file in fs::read_dir(sources.join("src")).unwrap() {
        let file = file.unwrap();
        let text = fs::read_to_string(file.path()).unwrap();
        let text = match is_repaired {
            true => text.replace(DEFECT, REPAIR),
            false => text,
        };
        fs::write(own.join(file.file_name()), text).unwrap();
    }
    let output = Command::new(modules.join(".bin/esbuild"))
        .args([
            "src/main.jsx",
            "--bundle",
            "--minify",
            "--sourcemap",
            "--jsx=automatic",
            "--define:process.env.NODE_ENV=\"production\"",
            "--outfile=app.js",
        ])
        .env("NODE_PATH", &modules)
        .current_dir(&folder.0)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let read = |file: &str| fs::read_to_string(folder.0.join(file)).unwrap();
    let page = fs::read_to_string(sources.join("index.html")).unwrap();
    [
        ("/", html(&page)),
        ("/app.js", script(&read("app.js"))),
        (
            "/app.js.map",
            Reply::new("application/json", read("app.js.map")),
        ),
    ]
}

/// Loads the tab again, recorded, and waits until `is_ready` holds in it; the person is in the tab then.
async fn reloaded(panel: &AtPanel, tab: &str, is_ready: &str) {
    let in_panel = panel.user.looks_into();
    panel.user.turns_into(tab.to_owned()).await;
    panel
        .user
        .until(&format!("document.readyState === 'complete' && {is_ready}"))
        .await;
    panel.user.turns_into(in_panel).await;
    panel.presses(".first-actions .reload").await;
    panel
        .user
        .until("document.querySelector('.record').ariaPressed === 'true'")
        .await;
    panel.user.turns_into(tab.to_owned()).await;
    let again = "performance.getEntriesByType('navigation')[0].type === 'reload'";
    panel.user.until(&format!("{again} && {is_ready}")).await;
}

#[tokio::test]
async fn from_a_wrong_text_of_todomvc_to_the_line_of_its_reducer() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&todomvc(&folder, false));
    let (panel, tab) = panel_that_follows(browser, &site.url("/")).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    reloaded(&panel, &tab, "document.querySelector('.new-todo') !== null").await;
    user.clicks_on("document.querySelector('.new-todo')").await;
    user.types("milk\ntea\n").await;
    let label = "document.querySelectorAll('.todo-list label')[0]";
    let (x, y) = user.place_of(label).await;
    user.press(x, y, "left", 2).await;
    user.until("document.activeElement.className === 'edit-field'")
        .await;
    user.key("End", "").await;
    user.types(" and bread\n").await;
    user.until(&format!("{label}?.textContent === 'milkandbread'"))
        .await;
    user.turns_into(in_panel).await;
    panel.ends_recording(1).await;

    // One question leads there.
    pick(&panel, ".todo-list label").await;
    user.until("document.querySelector('.element code')?.textContent.startsWith('label')")
        .await;
    panel.presses(".from-text").await;
    user.until("document.querySelector('.hops .end') !== null")
        .await;
    let hops = user
        .look("[...document.querySelectorAll('.hop')].map((it) => it.textContent)")
        .await;
    let at = "[...document.querySelectorAll('.hop')].find((it) => \
        it.querySelector('.place').textContent === 'reducer.js:19' && it.textContent.includes('milk and bread'))";
    assert_eq!(
        user.look(&format!("{at} !== undefined")).await,
        json!(true),
        "{hops:#}"
    );
    // What a person typed is where it began.
    let end = panel.text(".hops .end").await;
    assert!(end.contains("changed by the user"), "{end}: {hops:#}");
    user.clicks_on(at).await;
    user.until("document.querySelector('.cm-lineNumbers .chosen')?.textContent === '19'")
        .await;
    let line = panel.chosen_line().await;
    assert_eq!(
        line.trim(),
        r#"const title = action.title.replace(/\s+/g, "");"#
    );
    assert_eq!(panel.barriers().await, [""; 0]);
    picture(&panel, "todomvc.png").await;
    // Where the value changed its form, both forms are shown.
    let forms = user
        .look("[...document.querySelectorAll('.hop')].filter((it) => it.textContent.includes(' → ')).length")
        .await;
    assert_ne!(forms, json!(0), "{hops:#}");
    // Each hop is a point, at which everything can be asked.
    user.clicks_with_right_on(at).await;
    let offered = "[...document.querySelectorAll('.menu button')].map((it) => it.textContent)";
    user.until(&format!("{offered}.length === 5")).await;
    let offered = user.look(offered).await;
    assert_eq!(
        offered,
        json!([
            "Use as reproduction point",
            "Where does action.title come from?",
            "last change of action.title",
            "last condition",
            "exception after"
        ])
    );
    user.key("Escape", "").await;

    // Who asks for the write alone lands in the library, with its text.
    panel.presses(".of-text").await;
    panel.has_points(3).await;
    panel.sees("C", 1432).await;
    let line = panel.chosen_line().await;
    assert_eq!(line.trim(), "node.textContent = text;");

    // They repair it: a replay runs the new code, and each point that is another one says what it was.
    site.answers(&todomvc(&folder, true));
    panel.presses(".replay").await;
    panel.is_told("These questions have other answers").await;
    let was = "[...document.querySelectorAll('.point')].map((it) => it.querySelector('.was')?.textContent ?? '')";
    user.until(&format!("{was}[2].includes('milkandbread')"))
        .await;
    let was = user.look(was).await;
    assert_eq!(was[0], "");
    let now = user
        .look("document.querySelectorAll('.point')[2].querySelector('.change').textContent")
        .await;
    assert!(now.as_str().unwrap().contains("milk and bread"), "{now}");
    assert_eq!(panel.barriers().await, [""; 0]);
    picture(&panel, "repaired.png").await;

    // What is asked at a hop is asked there.
    user.clicks_on("document.querySelectorAll('.point')[1]")
        .await;
    let at = "[...document.querySelectorAll('.hop')].find((it) => \
        it.querySelector('.place').textContent === 'reducer.js:19')";
    user.until(&format!("{at} !== undefined")).await;
    user.clicks_with_right_on(at).await;
    user.clicks_on(
        "[...document.querySelectorAll('.menu button')].find((it) => it.textContent === 'last condition')",
    )
    .await;
    user.until("document.querySelector('#at').value.includes('reducer.js:19')")
        .await;
    user.until(
        "document.querySelector('.point[aria-current] .query')?.textContent === 'lastCondition(R)'",
    )
    .await;
    assert_eq!(panel.barriers().await, [""; 0]);
}

/// What asks who somebody is.
const LOGIN: &str = "<!doctype html><title>Log in</title>
<form method=post action=/login><input name=user id=user><input name=password type=password id=password>
<button id=enter>Log in</button></form>";

/// What only who is logged in sees: a discount of 1 for two that is given for each.
const SHOP: &str = "<!doctype html><title>Shop</title><h1></h1>
<p>Total: <output id=total>0</output></p><button id=add>Add tea</button><button id=check>Check</button>
<script src=shop.js></script>";
const SHOP_SCRIPT: &str = "const cart = { items: [], total: 0 };
const prices = { tea: 0 };
fetch('/prices.json').then((told) => told.json()).then((told) => {
  prices.tea = told.tea;
  document.querySelector('h1').textContent = `Hello ${told.user}`;
});
function sum(items) {
  let sum = 0;
  for (const item of items) sum += item.price;
  if (items.length > 1) sum -= items.length;
  return sum;
}
add.onclick = () => {
  cart.items.push({ name: 'tea', price: prices.tea });
  cart.total = sum(cart.items);
  total.textContent = cart.total;
};
check.onclick = function checked() {
  const wrong = cart.total !== 5;
  debugger;
  document.title = wrong ? 'Wrong' : 'Right';
};
";

const COOKIE: &str = "session=t0ken-of-ada";

/// A shop with a login: who posts their name is given a cookie.
fn shop() -> Server {
    Server::start(move |asked: Asked| async move {
        let is_in = asked.header("cookie").is_some_and(|it| it.contains(COOKIE));
        let path = asked.path.split('?').next().unwrap_or_default();
        Some(match (asked.method.as_str(), path, is_in) {
            ("POST", "/login", _) => {
                let mut answer = Answer::new("text/html", "");
                answer.status = 303;
                let cookie = format!("{COOKIE}; HttpOnly; Path=/; SameSite=Lax");
                for (name, value) in [("Set-Cookie", cookie.as_str()), ("Location", "/")] {
                    answer.headers.push((name.to_owned(), value.to_owned()));
                }
                answer
            }
            (_, "/", true) => Answer::new("text/html", SHOP),
            (_, "/", false) => Answer::new("text/html", LOGIN),
            (_, "/shop.js", true) => Answer::new("text/javascript", SHOP_SCRIPT),
            (_, "/prices.json", true) => {
                Answer::new("application/json", r#"{ "tea": 3, "user": "Ada" }"#)
            }
            _ => Answer::missing(),
        })
    })
    .unwrap()
}

#[tokio::test]
async fn who_is_logged_in_sees_last_writers_and_asks_three_questions_about_what_was_recorded() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = shop();
    let (panel, tab) = panel_that_follows(browser, &site.url("/")).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    user.turns_into(tab.clone()).await;
    user.clicks_on("user").await;
    user.types("ada").await;
    user.clicks_on("password").await;
    user.types("secret").await;
    user.clicks_on("enter").await;
    user.until("document.querySelector('h1')?.textContent === 'Hello Ada'")
        .await;

    // Live values: one reload, with the login that is there, and a stop that the page makes.
    user.turns_into(in_panel.clone()).await;
    panel.presses(".live-switch[aria-pressed=false]").await;
    user.until("document.querySelector('.live-switch').ariaPressed === 'true'")
        .await;
    user.turns_into(tab.clone()).await;
    user.until(
        "performance.getEntriesByType('navigation')[0].type === 'reload' && \
        document.querySelector('h1').textContent === 'Hello Ada'",
    )
    .await;
    for total in ["3", "4"] {
        user.clicks_on("add").await;
        user.until(&format!("total.textContent === '{total}'"))
            .await;
    }
    user.look("setTimeout(() => check.click())").await;
    user.turns_into(in_panel.clone()).await;
    let row = |name: &str| {
        format!(
            "[...document.querySelectorAll('.stop .variable')].find((it) => it.dataset.expression === '{name}')"
        )
    };
    user.until(&format!(
        "{}?.querySelector('.written-by')?.textContent.startsWith('← shop.js:19')",
        row("wrong")
    ))
    .await;
    user.clicks_on(&format!("{}.querySelector('.fold')", row("cart")))
        .await;
    user.until(&format!(
        "{}?.querySelector('.written-by')?.textContent === '← shop.js:15 click on #add, 1 task ago'",
        row("cart.total")
    ))
    .await;
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;

    // What was recorded on the side, and three questions about it.
    panel.presses(".take").await;
    user.until("document.querySelectorAll('.steps li').length > 2")
        .await;
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:cart.total)").await;
    panel.has_points(2).await;
    panel.enters("#query", "origin(R:cart.total)").await;
    panel.has_points(3).await;
    panel.enters("#query", "lastCondition(C)").await;
    panel.sees("D", 10).await;
    let shown = "[...document.querySelectorAll('.point')].map((it) => [...it.children].map((part) => \
        part.textContent).filter((it) => it !== '').join(' | '))";
    assert_eq!(
        user.look(shown).await,
        json!([
            "R | After the last step",
            "B | shop.js:15 onclick | lastChange(R:cart.total) | 3 → 4 | in click on #add",
            "C | shop.js:10 sum | origin(R:cart.total) | 3 → 4 | in click on #add",
            "D | shop.js:10 sum | lastCondition(C) | in click on #add",
        ])
    );
    // The check was no action of theirs, so a replay has not made it; nothing else is otherwise.
    let differs = panel.text(".in-tab pre").await;
    assert!(
        differs.contains("title: Wrong in the tab; Shop in the answer"),
        "{differs}"
    );
    assert!(!differs.contains("value:"), "{differs}");
    assert_eq!(panel.barriers().await, [""; 0]);
    picture(&panel, "logged-in.png").await;
}
