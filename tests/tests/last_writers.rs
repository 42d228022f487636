//! Who wrote last what is in sight: at the reproduction point of a question with live hooks, and at any stop of the tab
//! that a person debugs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::in_tools::*;
use crate::loopback::*;
use serde_json::{Value, json};

/// A shop whose values are written in all ways that a person meets: by an event before, in this task, where the script
/// ran, in a closure that no other function writes, in a parameter.
const APP: &str = "const cart = { items: 0, total: 0, notes: { first: 'new' } };
let price = 5;
var label = 'none';
const shop = (() => {
  let count = 0;
  let rate = 0;
  for (let round = 0; round < 3; round += 1) rate += round;
  return {
    add() {
      count += 1;
      cart.items = count;
    },
    show(greeting) {
      const text = `${greeting} ${count} ${rate}`;
      debugger;
      return text;
    },
  };
})();
add.onclick = () => shop.add();
pay.onclick = () => {
  cart.total = cart.items * price;
  label = 'paid';
};
show.onclick = () => { shown.textContent = shop.show('Hello'); };
";

const PAGE: &str = "<!doctype html><title>Shop</title>
<button id=add style='position: absolute; left: 10px; top: 10px'>add</button>
<button id=pay style='position: absolute; left: 10px; top: 40px'>pay</button>
<button id=show style='position: absolute; left: 10px; top: 70px'>show</button>
<p id=shown></p><script src=app.js></script>";

/// What each variable of a scope says of its last writer: `name line cause, ago`.
fn writers(point: &Value) -> Vec<String> {
    let scopes = point["scopes"].as_array().unwrap().iter();
    let variables = scopes.flat_map(|scope| {
        let kind = scope["kind"].as_str().unwrap();
        let variables = scope["variables"].as_array().unwrap().iter();
        variables.map(move |variable| (kind, variable))
    });
    let told = variables.filter_map(|(kind, variable)| {
        let writer = variable.get("last_writer")?;
        let cause = writer["cause"]["target"].as_str().unwrap_or("-");
        Some(format!(
            "{kind} {} {} {cause} {}",
            variable["name"].as_str().unwrap(),
            writer["location"]["line"],
            writer["tasks_ago"]
        ))
    });
    told.collect()
}

#[test]
fn at_the_reproduction_point_each_variable_says_who_wrote_it_last() {
    let folder = Folder::new();
    let site = Site::new(&[("/", html(PAGE)), ("/app.js", script(APP))]);
    let steps: Vec<Value> = ["add", "add", "pay", "show"]
        .iter()
        .map(|button| {
            json!({ "type": "click", "selectors": [[format!("#{button}")]], "offsetX": 5, "offsetY": 5 })
        })
        .collect();
    let recording = recording(&folder, &site.url("/"), &steps);
    let url = site.url("/");
    let asks = |more: &[&str]| {
        let mut arguments = vec![
            "ask",
            url.as_str(),
            "--recording",
            recording.to_str().unwrap(),
        ];
        arguments.extend([
            "--at",
            "app.js:15",
            "--instrument",
            "live",
            "lastChange(R:count)",
        ]);
        arguments.extend(more);
        querypoint(&arguments)
    };
    let asked = asks(&["--json"]);
    let answer = asked.answer();
    assert_follows_schema(&answer, "answer");
    assert_eq!(answer["executions"], 1, "{asked:#?}");
    assert_eq!(answer["points"][1]["location"]["line"], 10);
    let told = writers(&answer["points"][0]);
    for wanted in [
        "local greeting 13 #show 0",
        "local text 14 #show 0",
        "closure count 10 #add 2",
        "script price 2 - ",
        "global label 23 #pay 1",
    ] {
        let found = told.iter().any(|it| it.starts_with(wanted));
        assert!(found, "{wanted}: {told:#?}");
    }
    // No inner function writes it, and it is there all the same.
    assert!(
        told.iter().any(|it| it.starts_with("closure rate 7 ")),
        "{told:#?}"
    );
    // For a person.
    let drawn = asks(&[]);
    let line = drawn.out.lines().find(|line| line.contains("count = 2"));
    let line = line.unwrap_or_else(|| panic!("{drawn:#?}"));
    assert!(
        line.contains("← app.js:10:7, click on #add, 2 tasks ago"),
        "{line}"
    );
}

/// The row of a variable or property in the part that shows where the tab is paused.
fn row(expression: &str) -> String {
    format!("document.querySelector('.stop .variable[data-expression=\"{expression}\"]')")
}

#[tokio::test]
async fn at_a_stop_of_the_tab_each_value_says_who_wrote_it_last() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[("/", html(PAGE)), ("/app.js", script(APP))]);
    let (panel, tab) = panel_that_follows(browser, &site.url("/")).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    // The person stops somewhere, and wants to know.
    user.turns_into(tab.clone()).await;
    user.look("setTimeout(() => show.click())").await;
    user.turns_into(in_panel.clone()).await;
    user.until("document.querySelector('.stop .place')?.textContent === 'app.js:15'")
        .await;
    assert_eq!(
        user.look("document.querySelector('.writer')").await,
        json!(null)
    );
    panel.presses(".stop .live").await;
    panel.is_told("loaded again").await;
    user.turns_into(tab.clone()).await;
    user.until("performance.getEntriesByType('navigation')[0].type === 'reload' && document.readyState === 'complete'")
        .await;
    // The page sees what its server sends.
    let shown = user.look("String(add.onclick)").await;
    assert_eq!(shown, json!("() => shop.add()"));
    for button in ["add", "add", "pay"] {
        user.clicks_on(button).await;
    }
    // Who waits for it would wait as long as the page is paused.
    user.look("setTimeout(() => show.click())").await;
    user.turns_into(in_panel).await;
    // In the lines that were written, whatever runs.
    user.until("document.querySelector('.stop .place')?.textContent === 'app.js:15'")
        .await;
    let written = |expression: &str| {
        format!(
            "{}?.querySelector('.written-by')?.textContent",
            row(expression)
        )
    };
    for (variable, wanted) in [
        ("text", "← app.js:14 click on #show, in this task"),
        ("greeting", "← app.js:13 click on #show, in this task"),
        ("count", "← app.js:10 click on #add, 2 tasks ago"),
    ] {
        if variable == "count" {
            user.clicks_on("[...document.querySelectorAll('.stop [role=treeitem].group')].find((it) => it.textContent.includes('Closure'))")
                .await;
        }
        user.until(&format!("{} === '{wanted}'", written(variable)))
            .await;
    }
    // What a loop wrote while the script ran, and nothing since.
    user.until(&format!("{}?.startsWith('← app.js:7')", written("rate")))
        .await;
    // Fields as well: an object is opened in place, and nothing runs for it.
    user.until(&format!("{} !== null", row("cart"))).await;
    user.clicks_on(&format!("{}.querySelector('.fold')", row("cart")))
        .await;
    user.until(&format!(
        "{} === '← app.js:22 click on #pay, 1 task ago' && {} === '← app.js:11 click on #add, 2 tasks ago'",
        written("cart.total"),
        written("cart.items")
    ))
    .await;
    user.clicks_on(&format!("{}.querySelector('.fold')", row("cart.notes")))
        .await;
    user.until(&format!(
        "{}?.startsWith('← app.js:1 ')",
        written("cart.notes.first")
    ))
    .await;
    assert_eq!(panel.barriers().await, [""; 0]);
    picture(&panel, "last-writers.png").await;
}

/// What each value says, wherever the tab is paused: `expression: line`.
const SAID: &str = "[...document.querySelectorAll('.stop .variable')].map((row) => \
    `${row.dataset.expression}: ${row.querySelector('.writer')?.textContent}`)";

/// Has the page reach its stop, and waits until what is said there has this, and has not that.
async fn stops(panel: &crate::at_panel::AtPanel, tab: &str, has: &[&str], lacks: &[&str]) {
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    user.turns_into(tab.to_owned()).await;
    user.look("setTimeout(() => show.click())").await;
    user.turns_into(in_panel).await;
    for said in has {
        user.until(&format!("{SAID}.includes('{said}')")).await;
    }
    user.look("globalThis.saidOfHooks = document.querySelector('.stop .note')?.textContent")
        .await;
    for not_said in lacks {
        assert_eq!(
            user.look(&format!("{SAID}.includes('{not_said}')")).await,
            json!(false)
        );
    }
    user.has_do(tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;
}

/// A page with what makes code of texts, and a worker.
const MORE: &str = "<!doctype html><title>Shop</title><button id=show>show</button><script>
const cart = { total: 0 };
function raise(by) {
  cart.total += by;
}
raise(1);
show.onclick = function shown() {
  let twice = cart.total * 2;
  debugger;
  return twice;
};
const worker = new Worker('worker.js');
worker.onmessage = ({ data }) => { document.title = data; };
worker.postMessage('Worked');
</script>";
const WORKER: &str = "const box = { last: '' };
onmessage = ({ data }) => { box.last = data; postMessage(box.last); };
";

#[tokio::test]
async fn where_code_without_hooks_has_run_only_closed_scopes_are_told() {
    let folder = Folder::new();
    let (browser, back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[("/shop.html", html(MORE)), ("/worker.js", script(WORKER))]);
    let (panel, tab) = panel_that_follows(browser, &site.url("/shop.html")).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    panel.presses(".live-switch[aria-pressed=false]").await;
    panel.is_told("loaded again").await;
    // A worker has no agent, and runs as it is.
    user.turns_into(tab.clone()).await;
    user.until("document.title === 'Worked'").await;
    user.turns_into(in_panel.clone()).await;
    let (twice, cart) = ("twice: shop.html:8", "cart: shop.html:2");
    stops(&panel, &tab, &[twice, cart], &[]).await;
    user.turns_into(tab.clone()).await;
    user.look("setTimeout(() => new Function('cart', 'cart.total = 7')(cart))")
        .await;
    user.until("cart.total === 7").await;
    user.turns_into(in_panel.clone()).await;
    stops(&panel, &tab, &[twice, "cart: undefined"], &[cart]).await;
    assert_eq!(
        user.look("globalThis.saidOfHooks").await,
        json!(
            "Who wrote fields and global variables is not known here: code runs without hooks (eval: the page made it of a text)."
        )
    );

    // What was recorded meanwhile is what the server sent, so a replay runs it.
    panel.presses(".take").await;
    user.until("document.querySelectorAll('.steps li').length > 0")
        .await;
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:cart.total)").await;
    panel.sees("B", 4).await;

    // Without a back end the page is loaded as ever.
    back_end.kill();
    let _started = StartedByHost(&folder);
    user.turns_into(tab).await;
    user.look("setTimeout(() => { document.title = ''; location.reload(); })")
        .await;
    user.until("document.title === 'Worked'").await;
    assert_eq!(
        user.look("String(raise)").await,
        json!("function raise(by) {\n  cart.total += by;\n}")
    );
}

#[tokio::test]
async fn a_page_that_says_which_scripts_may_run_is_not_broken() {
    use base64::Engine as _;
    use sha2::{Digest as _, Sha256, Sha384};
    let base64 = base64::engine::general_purpose::STANDARD;
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    // Its policy names the digest of its script, and it gives that of another.
    let inline =
        "const cart = { total: 1 }; cart.total = 2; document.title = `Ran ${lib.version}`;";
    let lib = "globalThis.lib = { version: 1 };\nlib.version = 2;\n";
    let (own, other) = (
        base64.encode(Sha256::digest(inline)),
        base64.encode(Sha384::digest(lib)),
    );
    let bound = format!(
        "<!doctype html><title></title><script src=lib.js integrity='sha384-{other}'></script><script>{inline}</script>"
    );
    let policy = format!("script-src 'self' 'sha256-{own}'");
    // A script gives the digest of one that it inserts.
    let inserting = format!(
        "<!doctype html><title></title><script>const it = document.createElement('script');\n\
         it.integrity = 'sha384-{other}'; it.src = 'lib.js';\n\
         it.onload = () => {{ document.title = `Ran ${{lib.version}}`; }}; document.head.append(it);</script>"
    );
    let site = Site::new(&[
        (
            "/bound",
            html(&bound).header("Content-Security-Policy", &policy),
        ),
        ("/inserting", html(&inserting)),
        ("/lib.js", script(lib)),
    ]);
    let (panel, tab) = panel_that_follows(browser, &site.url("/bound")).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    user.turns_into(tab.clone()).await;
    user.look("setTimeout(() => { document.title = ''; })")
        .await;
    user.until("document.title === ''").await;
    user.turns_into(in_panel).await;
    panel.presses(".live-switch[aria-pressed=false]").await;
    panel.is_told("loaded again").await;
    user.turns_into(tab).await;
    user.until("document.title === 'Ran 2'").await;
    let inserting = site.url("/inserting");
    user.look(&format!(
        "setTimeout(() => {{ location.href = '{inserting}'; }})"
    ))
    .await;
    user.until("location.pathname === '/inserting' && document.title === 'Ran 2'")
        .await;
}

/// What the browser keeps, and entries, written by events.
const KEPT: &str = "<!doctype html><title>Shop</title>
<button id=add style='position: absolute; left: 10px; top: 10px'>add</button>
<input id=name style='position: absolute; left: 10px; top: 40px'><p id=total class=plain>0</p><script>
const total = document.querySelector('#total');
const prices = new Map([['tea', 1]]), chosen = new Set(), stock = new WeakMap([[total, 1]]);
add.onclick = () => {
  prices.set('tea', 2);
  chosen.add('tea');
  stock.set(total, 3);
  localStorage.setItem('last', 'tea');
  total.textContent = 'one tea';
  total.className = 'full';
};
globalThis.show = () => {
  const [field, kept] = [document.querySelector('#name'), localStorage];
  debugger;
};
</script>";

#[tokio::test]
async fn entries_elements_and_storage_say_who_wrote_them() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[("/shop.html", html(KEPT))]);
    let (panel, tab) = panel_that_follows(browser, &site.url("/shop.html")).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    panel.presses(".live-switch[aria-pressed=false]").await;
    panel.is_told("loaded again").await;
    user.turns_into(tab.clone()).await;
    user.until("document.readyState === 'complete' && String(add.onclick).startsWith('() =>')")
        .await;
    user.clicks_on("add").await;
    user.clicks_on("document.querySelector('#name')").await;
    user.types("Ann").await;
    user.until("document.querySelector('#name').value === 'Ann'")
        .await;
    user.look("setTimeout(show)").await;
    user.turns_into(in_panel.clone()).await;
    let opens = async |expression: &str| {
        user.until(&format!("{} !== null", row(expression))).await;
        user.clicks_on(&format!("{}.querySelector('.fold')", row(expression)))
            .await;
    };
    let says = async |expression: &str, wanted: &str| {
        let written = format!(
            "{}?.querySelector('.written-by')?.textContent",
            row(expression)
        );
        user.until(&format!("{written}?.startsWith('{wanted}') === true"))
            .await;
    };
    let attribute = "total.getAttribute(\\\\\"class\\\\\")";
    let entry = "prices.get(\\\\\"tea\\\\\")";
    for (object, inside, wanted) in [
        ("field", "field.value", "← by the user input on #name"),
        ("total", "total.textContent", "← shop.html:11 click on #add"),
        ("", attribute, "← shop.html:12 click on #add"),
        ("prices", entry, "← shop.html:7 click on #add"),
        (
            "chosen",
            "chosen.has(\\\\\"tea\\\\\")",
            "← shop.html:8 click on #add",
        ),
        ("kept", "kept.last", "← shop.html:10 click on #add"),
    ] {
        if !object.is_empty() {
            opens(object).await;
        }
        says(inside, wanted).await;
    }
    // Code without hooks writes storage by name, and no entry and no text without a method.
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;
    user.turns_into(tab.clone()).await;
    user.look("setTimeout(() => { new Function('return 1')(); show(); })")
        .await;
    user.turns_into(in_panel).await;
    opens("kept").await;
    opens("prices").await;
    says(entry, "← shop.html:7 click on #add").await;
    let written = format!("{}.querySelector('.written-by')", row("kept.last"));
    assert_eq!(user.look(&written).await, json!(null));
}
