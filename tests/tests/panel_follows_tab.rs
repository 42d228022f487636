//! The panel in the developer tools, and the tab that they are open for: where that stops, by itself, at an exception
//! or at a breakpoint of the panel's, and which element of it was picked.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::at_panel::{NOT_OF_THE_PANEL, line_of_source};
use crate::in_tools::*;
use crate::loopback::*;
use crate::user::User;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

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

/// A cell in the row of a variable at the stop.
fn row(name: &str, cell: &str) -> String {
    format!(
        "[...document.querySelectorAll('.stop .variable')].find((row) => row.dataset.expression === \
         '{name}')?.querySelector('{cell}')"
    )
}

/// Chooses from the menu of a line of the source.
async fn chooses(user: &User, line: u32, item: &str) {
    let (x, y) = user.place_of(&line_of_source(line)).await;
    user.press(x, y, "right", 1).await;
    user.clicks_on(&format!(
        "[...document.querySelectorAll('[role=menuitem]')].find((it) => it.textContent === '{item}')"
    ))
    .await;
}

/// Whether the lines with breakpoints are these.
fn marked(lines: &str) -> String {
    format!(
        "[...document.querySelectorAll('.cm-lineNumbers .breakpoint')].map((it) => it.textContent).join() === '{lines}'"
    )
}

#[tokio::test]
async fn where_the_page_stops_is_noticed_and_asked_from() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let other = "<!doctype html><title>Another page</title>";
    let site = Site::new(&[("/shop.html", html(CART)), ("/other.html", html(other))]);
    let page = site.url("/shop.html");
    let (panel, tab) = panel_beside_a_stop(browser, &page).await;
    let user = &panel.user;
    user.until("document.querySelector('.stop .place')?.textContent.endsWith(':6')")
        .await;
    assert_eq!(panel.text(".stop p").await, "pause");
    let frames =
        "[...document.querySelectorAll('.stop .frame > summary code')].map((it) => it.textContent)";
    assert_eq!(user.look(frames).await, json!(["add", "(top level)"]));
    let value = user
        .look(&format!("{}.textContent", row("price", ".value")))
        .await;
    assert_eq!(value, json!("2"));

    // The session of a tab that showed no page has become that of the page.
    user.until(&format!(
        "document.querySelector('#page').value === '{page}'"
    ))
    .await;
    // Asked from there it is the last time that the place is passed; that it is another one is said.
    user.clicks_on(&row("before", ".last-change")).await;
    panel.sees("B", 4).await;
    let note = "document.querySelector('.another-hit')?.textContent.includes('before, price had another value.') && \
        document.querySelectorAll('.another-hit .hit').length === 2";
    user.until(note).await;
    picture(&panel, "stop.png").await;

    // It goes on, to the second time; now there is nothing to be said.
    user.has_do(&tab, "Debugger.resume").await;
    user.until(&format!("{}?.textContent === '3'", row("price", ".value")))
        .await;
    user.clicks_on(&row("before", ".last-change")).await;
    panel.sees("C", 4).await;
    user.until("document.querySelector('.another-hit') === null")
        .await;
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;

    // The tab turns to another page: so does the panel, and what was asked before is one press away.
    let shows = |page: &str| format!("document.querySelector('#page').value === '{page}'");
    let other = site.url("/other.html");
    let in_panel = user.looks_into();
    let turns_to = async |page: &str| {
        user.turns_into(tab.clone()).await;
        user.send("Page.navigate", json!({ "url": page })).await;
        user.turns_into(in_panel.clone()).await;
    };
    turns_to(&other).await;
    user.until(&shows(&other)).await;
    panel.has_points(0).await;
    panel.presses(".came-from .back").await;
    user.until(&shows(&page)).await;
    panel.has_points(3).await;
    user.until("document.querySelector('.came-from') === null")
        .await;
    // The page is another one than that of the session: when the tab comes back to it, it is the session still.
    turns_to(&page).await;
    user.until("document.querySelector('.stop .place')?.textContent.endsWith(':6')")
        .await;
    panel.has_points(3).await;
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
    // Loaded again: a page in another process would be told of without the reason, since it is paused before it is
    // followed.
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

#[tokio::test]
async fn a_bundle_is_stopped_at_and_shown_as_its_author_wrote_it() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let file = |name: &str| {
        std::fs::read_to_string(
            end_to_end::repository()
                .join("test-pages/react-cart/dist")
                .join(name),
        )
        .unwrap()
    };
    let site = Site::new(&[
        ("/dist/", html(&file("index.html"))),
        ("/dist/cart.js", script(&file("cart.js"))),
        (
            "/dist/cart.js.map",
            Reply::new("application/json", file("cart.js.map")),
        ),
    ]);
    let page = site.url("/dist/");
    let (panel, tab) = panel_that_follows(browser, &page).await;
    let user = &panel.user;
    panel.enters("#at", "CartTotal.tsx:11").await;
    panel.sees("R", 11).await;
    // The next line with code of the file that is shown, which runs as part of dist/cart.js.
    chooses(user, 9, "Set a breakpoint at line 9").await;
    user.until(&marked("11")).await;
    user.has_do(&tab, "Page.reload").await;
    user.until("document.querySelector('.stop .place')?.textContent === 'CartTotal.tsx:11'")
        .await;
    assert_eq!(panel.text(".stop p").await, "breakpoint");
    assert_eq!(panel.text(".stop .frame summary code").await, "toPay");
    picture(&panel, "bundle.png").await;

    user.clicks_on(&row("summary", ".last-change")).await;
    panel.sees("B", 10).await;
    assert_eq!(
        user.look("document.querySelector('.notes')").await,
        json!(null)
    );
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;
}

/// What a minifier makes of `MINIFIED_SOURCE`: the variable of the module and the parameter have one name, each in a
/// scope of its own.
const MINIFIED: &str =
    "const s={total:0};function a(s){const t=s*2;debugger;o(t)}function o(t){s.total=t}a(3);
//# sourceMappingURL=cart.js.map";
const MINIFIED_SOURCE: &str = "const state = { total: 0 };
function add(price) {
  const twice = price * 2;
  debugger;
  keep(twice);
}
function keep(sum) {
  state.total = sum;
}
add(3);
";
/// Each name of `MINIFIED` leads to the author's.
const MINIFIED_MAPPINGS: &str = "AAAA,MAAMA,EAAQ,UACd,SAASC,EAAIC,GACX,MAAMC,EAAQD,EAAQ,EACtB,SACAE,EAAKD,EACP,CACA,SAASC,EAAKC,GACZL,EAAM,MAAQK,CAChB,CACAJ,EAAI";

#[tokio::test]
async fn variables_with_one_name_in_a_bundle_are_told_apart_by_their_scopes() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let map = json!({
        "version": 3, "sources": ["cart.ts"], "sourcesContent": [MINIFIED_SOURCE],
        "names": ["state", "add", "price", "twice", "keep", "sum"], "mappings": MINIFIED_MAPPINGS,
    });
    let site = Site::new(&[
        ("/", html("<!doctype html><script src=cart.js></script>")),
        ("/cart.js", script(MINIFIED)),
        (
            "/cart.js.map",
            Reply::new("application/json", map.to_string()),
        ),
    ]);
    let (panel, _) = panel_beside_a_stop(browser, &site.url("/")).await;
    let user = &panel.user;
    user.until("document.querySelector('.stop .place')?.textContent === 'cart.ts:4'")
        .await;
    let shown = "[...document.querySelectorAll('.stop .variable')].map((row) => \
         `${row.dataset.expression} ${row.querySelector('.value').textContent}`)";
    let shown = user.look(shown).await;
    let shown: Vec<&str> = shown
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it.as_str())
        .collect();
    for variable in ["price 3", "twice 6", "state {total: 0}"] {
        assert!(shown.contains(&variable), "{variable}: {shown:?}");
    }
    let short = |it: &&str| matches!(it.split(' ').next(), Some("s" | "t"));
    assert_eq!(shown.iter().find(|it| short(it)), None, "{shown:?}");
    // What is asked about from there is the one whose row it was.
    user.clicks_on(&row("twice", ".last-change")).await;
    panel.sees("B", 3).await;
    user.clicks_on(&row("price", ".last-change")).await;
    panel.sees("C", 2).await;
}

/// What stops in the innermost of so many calls.
const DEEP: &str = "function f(n){if(n===0){debugger;return 0}return f(n-1)+1}f(4000);";

#[tokio::test]
async fn a_deep_recursion_in_a_script_with_a_long_map_in_it_is_noticed() {
    let folder = Folder::new();
    let (browser, _back_end) = browser_and_back_end(&folder).await;
    let source = "// a long comment\n".repeat(100_000);
    // Its fifth line: the function, the statement that stops, both `return`s, the calls in it and of it.
    let mappings = "AAIA,wBAAA,SAAA,SAAA,OAAA,SAAA";
    let map = json!({ "version": 3, "sources": ["deep.ts"], "sourcesContent": [source], "names": [], "mappings": mappings });
    let map = STANDARD.encode(map.to_string());
    let comment = format!("//# sourceMappingURL=data:application/json;base64,{map}");
    let site = Site::new(&[
        ("/", html("<!doctype html><script src=/deep.js></script>")),
        ("/deep.js", script(&format!("{DEEP}\n{comment}\n"))),
    ]);
    let (panel, tab) = panel_that_follows(browser, &site.url("/")).await;
    let user = &panel.user;
    // Now that it is followed.
    user.has_do(&tab, "Page.reload").await;
    user.until("document.querySelector('.stop .place')?.textContent === 'deep.ts:5'")
        .await;
    let frames = user
        .look("document.querySelectorAll('.stop .frame').length")
        .await;
    assert_eq!(frames, json!(200));
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;
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

    // It is paused at the code that comes next.
    chooses(user, 3, "Set a breakpoint at line 3").await;
    user.until(&marked("4")).await;
    assert_eq!(panel.barriers().await, [""; 0]);
    user.has_do(&tab, "Page.reload").await;
    user.until("document.querySelector('.stop .place')?.textContent.endsWith(':4')")
        .await;
    assert_eq!(panel.text(".stop p").await, "breakpoint");
    picture(&panel, "breakpoint.png").await;
    user.has_do(&tab, "Debugger.resume").await;
    user.until("document.querySelector('.stop') === null").await;

    chooses(user, 4, "Remove the breakpoint at line 4").await;
    user.until(&marked("")).await;
    user.turns_into(tab).await;
    user.look("before = true").await;
    user.send("Page.reload", json!({})).await;
    user.until("typeof before === 'undefined' && typeof done !== 'undefined' && done === 2")
        .await;
    user.turns_into(in_panel).await;

    // Where no code is none is set.
    chooses(user, 9, "Set a breakpoint at line 9").await;
    panel.is_told("the tab has run no code at line 9").await;
    assert_eq!(user.look(&marked("")).await, json!(true));
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
    let made = format!(
        "[document.querySelectorAll('{NOT_OF_THE_PANEL}, script:not([src])').length, typeof hacked]"
    );
    assert_eq!(user.look(&made).await, json!([0, "undefined"]));
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
    let user = &panel.user;
    panel.is_linked().await;
    pick(&panel, "#total").await;
    user.until("document.querySelector('.element code')?.textContent === 'li#total'")
        .await;
    panel.presses(".of-text").await;
    panel.sees("B", 4).await;
    let change = panel.text("p.change").await;
    assert!(
        change.contains("two") && change.contains("three"),
        "{change}"
    );
    panel.enters("#style", "background-color").await;
    panel.sees("C", 6).await;
    pick(&panel, "li").await;
    user.until("document.querySelector('.element code')?.textContent === 'li.new'")
        .await;
    panel.enters("#attribute", "class").await;
    panel.sees("D", 5).await;
    picture(&panel, "element.png").await;
    assert_eq!(panel.barriers().await, [""; 0]);
    // Or by a press in the page itself, while the panel stays in front.
    let is_picking = |is: bool| format!("document.querySelector('.pick').ariaPressed === '{is}'");
    panel.presses(".pick").await;
    user.until(&is_picking(true)).await;
    let in_panel = user.looks_into();
    let tab = user.target("page", |url| url == site.url("/")).await;
    user.turns_into(tab.clone()).await;
    user.clicks_on("document.getElementById('total')").await;
    user.turns_into(in_panel.clone()).await;
    user.until("document.querySelector('.element code')?.textContent === 'li#total'")
        .await;
    user.until(&is_picking(false)).await;
    panel.presses(".of-text").await;
    panel.sees("E", 4).await;
    // A second press on the button ends it, and the page has its clicks again.
    panel.presses(".pick").await;
    user.until(&is_picking(true)).await;
    panel.presses(".pick").await;
    user.until(&is_picking(false)).await;
}
