//! The panel in the developer tools, and the tab that they are open for: where that stops, by itself, at an exception or at a breakpoint
//! of the panel's, and which element of it was picked.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod at_panel;
mod in_tools;
mod loopback;
mod panel;
mod user;

use in_tools::*;
use loopback::*;
use serde_json::json;
use user::soon;

/// A page that stops twice at the same place.
const CART: &str = "<!doctype html><script>
const cart = { total: 0 };
function add(price) {
  const before = cart.total;
  cart.total = before + price;
  debugger;
}
add(2);
add(3);
</script>";

#[tokio::test]
async fn where_the_page_stops_is_noticed_and_asked_from() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[("/shop.html", html(CART))]);
    let page = site.url("/shop.html");
    let (panel, tab) = panel_that_follows(browser, "about:blank").await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());

    // Somebody stops it: here a statement of its own.
    user.turns_into(tab.clone()).await;
    user.send("Debugger.enable", json!({})).await;
    user.look(&format!("setTimeout(() => location.href = '{page}')"))
        .await;
    user.turns_into(in_panel).await;
    user.until("document.querySelector('.stop .place')?.textContent.endsWith(':6')")
        .await;
    assert_eq!(panel.text(".stop p").await, "pause");
    let frames =
        "[...document.querySelectorAll('.stop .frame > summary code')].map((it) => it.textContent)";
    assert_eq!(user.look(frames).await, json!(["add", "(top level)"]));
    let row = |name: &str, cell: &str| {
        format!(
            "[...document.querySelectorAll('.stop tr')].find((row) => row.querySelector('th').textContent === '{name}')?.querySelector('{cell}')"
        )
    };
    let value = user
        .look(&format!("{}.textContent", row("price", "td")))
        .await;
    assert_eq!(value, json!("2"));

    // The session of a tab that showed no page has become that of the page.
    user.until(&format!(
        "document.querySelector('#page').value === '{page}'"
    ))
    .await;
    // Asked from there it is the last time that the place is passed; that it is another one is said.
    user.clicks_on(&row("before", "button")).await;
    panel.sees("B", 4).await;
    let note =
        "document.querySelector('.notes')?.textContent.includes('before, price had another value')";
    user.until(note).await;
    picture(&panel, "stop.png").await;

    // It goes on, to the second time; now there is nothing to be said.
    user.has_do(&tab, "Debugger.resume").await;
    user.until(&format!("{}?.textContent === '3'", row("price", "td")))
        .await;
    user.clicks_on(&row("before", "button")).await;
    panel.sees("C", 4).await;
    user.until("document.querySelector('.notes') === null")
        .await;
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;
}

/// A page in which the line of an exception is passed again afterwards.
const THROWS: &str = "<!doctype html><script>
const cart = { items: [{ price: 1 }] };
function price(number) {
  return cart.items[number].price;
}
setTimeout(() => { cart.items.length = 0; price(0); });
setTimeout(() => { cart.items.push({ price: 2 }); price(0); });
</script>";

#[tokio::test]
async fn an_exception_that_nobody_catches_is_looked_at() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[("/throws.html", html(THROWS))]);
    let page = site.url("/throws.html");
    let (panel, tab) = panel_that_follows(browser, &page).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    user.turns_into(tab.clone()).await;
    user.send("Debugger.enable", json!({})).await;
    // A stop without a reason first: once it is shown the page is followed, and the next is told of with its own.
    user.look("setTimeout(() => { debugger; })").await;
    user.turns_into(in_panel.clone()).await;
    user.until("document.querySelector('.stop') !== null").await;
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;
    user.turns_into(tab).await;
    user.send("Debugger.enable", json!({})).await;
    let uncaught = json!({ "state": "uncaught" });
    user.send("Debugger.setPauseOnExceptions", uncaught).await;
    // Loaded again: a page in another process would be told of without the reason, since it stands before it is followed.
    user.look("setTimeout(() => location.reload())").await;
    user.turns_into(in_panel).await;
    user.until("document.querySelector('.stop p')?.textContent.startsWith('exception: TypeError')")
        .await;
    panel.presses(".exception-here").await;
    panel.sees("R", 4).await;
    let at = user.look("document.querySelector('#at').value").await;
    assert!(
        at.as_str().unwrap().starts_with("exception:TypeError"),
        "{at}"
    );
    panel
        .enters("#query", "lastChange(R:cart.items.length)")
        .await;
    panel.sees("B", 6).await;
}

/// A page that is stopped in the middle, if somebody wants that.
const STEPS: &str = "<!doctype html><script>
let done = 0;
function step() {
  done += 1;
  done += 1;
}
step();
</script>
<p>text";

#[tokio::test]
async fn a_breakpoint_that_is_set_in_the_source_stops_the_tab() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[("/steps.html", html(STEPS))]);
    let page = site.url("/steps.html");
    let (panel, tab) = panel_that_follows(browser, &page).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    panel.enters("#at", "steps.html:4").await;
    panel.sees("R", 4).await;
    let switch = async |line: u32, item: &str| {
        let code = format!("document.querySelector('.lines [data-line=\"{line}\"] code')");
        let (x, y) = user.place_of(&code).await;
        user.press(x, y, "right", 1).await;
        user.clicks_on(&format!(
            "[...document.querySelectorAll('[role=menuitem]')].find((it) => it.textContent === '{item}')"
        ))
        .await;
    };
    let marked = |line: u32| {
        format!(
            "[...document.querySelectorAll('.breakpoint')].map((it) => it.closest('li').dataset.line).join() === '{}'",
            if line == 0 {
                String::new()
            } else {
                line.to_string()
            }
        )
    };

    // It stands at the code that comes next.
    switch(3, "Set a breakpoint at line 3").await;
    user.until(&marked(4)).await;
    assert_eq!(panel.barriers().await, [""; 0]);
    user.has_do(&tab, "Page.reload").await;
    user.until("document.querySelector('.stop .place')?.textContent.endsWith(':4')")
        .await;
    assert_eq!(panel.text(".stop p").await, "breakpoint");
    picture(&panel, "breakpoint.png").await;
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;

    switch(4, "Remove the breakpoint at line 4").await;
    user.until(&marked(0)).await;
    user.turns_into(tab).await;
    user.look("before = true").await;
    user.send("Page.reload", json!({})).await;
    user.until("typeof before === 'undefined' && typeof done !== 'undefined' && done === 2")
        .await;
    user.turns_into(in_panel).await;

    // Where no code is none is set.
    switch(9, "Set a breakpoint at line 9").await;
    panel.is_told("the tab has run no code at line 9").await;
    assert_eq!(user.look(&marked(0)).await, json!(true));
}

/// A page whose functions, values, messages, addresses and elements are markup.
const HOSTILE: &str = "<!doctype html><p id='<img src=x onerror=hacked=1>'>text</p><script>
const o = { ['<img src=x onerror=hacked=1>'](value) { debugger; throw value; } };
setTimeout(() => o['<img src=x onerror=hacked=1>']('<img src=x onerror=hacked=1>'));
//# sourceURL=<img src=x onerror=hacked=1>.js
</script>";

#[tokio::test]
async fn a_page_that_stops_is_text_in_the_panel() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[("/", html(HOSTILE))]);
    let (panel, tab) = panel_that_follows(browser, "about:blank").await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    user.turns_into(tab.clone()).await;
    user.look(&format!(
        "setTimeout(() => location.href = '{}')",
        site.url("/")
    ))
    .await;
    user.turns_into(in_panel).await;
    user.until("document.querySelector('.stop')?.textContent.includes('<img src=x')")
        .await;
    // Asked about, it is text in what is said as well.
    user.clicks_on("document.querySelector('.stop .last-change')")
        .await;
    user.until("document.querySelector('.said pre') !== null || document.querySelectorAll('.point').length > 1")
        .await;
    let made = "[document.querySelectorAll('img, script:not([src])').length, typeof hacked]";
    assert_eq!(user.look(made).await, json!([0, "undefined"]));
}

/// A page that shows what it computed.
const SHOWN: &str = "<!doctype html><ul><li class=old>one</li><li id=total>two</li></ul>
<script>
const total = document.getElementById('total');
total.textContent = 'three';
document.querySelector('.old').className = 'new';
total.style.backgroundColor = 'red';
</script>";

#[tokio::test]
async fn an_element_that_is_picked_is_asked_about() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let site = Site::new(&[("/", html(SHOWN))]);
    let panel = panel_at(browser, &site.url("/")).await;
    let (user, in_panel) = (&panel.user, panel.user.looks_into());
    let tools = user.target("page", is_tools).await;
    panel.is_linked().await;
    let pick = async |selector: &str| {
        user.turns_into(tools.clone()).await;
        let picking = format!(
            "(async () => {{
                const [SDK, UI] = await Promise.all(['core/sdk/sdk', 'ui/legacy/legacy'].map((it) => import(`devtools://devtools/bundled/${{it}}.js`)));
                const model = SDK.TargetManager.TargetManager.instance().primaryPageTarget().model(SDK.DOMModel.DOMModel);
                const page = await model.requestDocument();
                const node = model.nodeForId(await model.querySelector(page.id, '{selector}'));
                await node.setAsInspectedNode();
                UI.Context.Context.instance().setFlavor(SDK.DOMModel.DOMNode, node);
                return node.localName();
            }})()"
        );
        // The tools have the page some time after they are there.
        let mut last = String::new();
        soon("the tools to pick", async || {
            let params = json!({ "expression": picking, "awaitPromise": true });
            let picked = user.send("Runtime.evaluate", params).await;
            let said = picked["result"]["description"].to_string();
            if said != last {
                eprintln!("the tools: {said}");
                last = said;
            }
            (picked["result"]["value"] == "li").then_some(())
        })
        .await;
        user.turns_into(in_panel.clone()).await;
    };
    pick("#total").await;
    user.until("document.querySelector('.element code')?.textContent === 'li#total'")
        .await;
    panel.presses(".of-text").await;
    panel.sees("B", 4).await;
    let change = panel.text("dl.change").await;
    assert!(
        change.contains("two") && change.contains("three"),
        "{change}"
    );
    panel.enters("#style", "background-color").await;
    panel.sees("C", 6).await;
    pick("li").await;
    user.until("document.querySelector('.element code')?.textContent === 'li.new'")
        .await;
    panel.enters("#attribute", "class").await;
    panel.sees("D", 5).await;
    picture(&panel, "element.png").await;
    assert_eq!(panel.barriers().await, [""; 0]);
}
