//! The panel in little room and by keys alone; frames of one's own code, values with much in them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::at_panel::{AtPanel, PARTLY_BLIND};
use crate::loopback::*;
use crate::panel::BackEnd;
use serde_json::{Value, json};

/// An application that has a library write for it.
const APPLICATION: &str = "class Shop {
  constructor() { this.name = 'shop'; }
  show(total) {
    const shown = `${total} EUR`;
    render(shown);
  }
}
new Shop().show(3);
";
const LIBRARY: &str = "function render(text) { commit(text); }
function commit(text) {
  document.getElementById('total').textContent = text;
}
";

#[tokio::test]
async fn an_answer_about_an_element_is_at_the_first_frame_of_ones_own_code() {
    let folder = Folder::new();
    let site = Site::new(&[
        (
            "/",
            html(
                "<!doctype html><p id=total></p><script src=/node_modules/view.js></script><script \
                 src=shop.js></script>",
            ),
        ),
        ("/node_modules/view.js", script(LIBRARY)),
        ("/shop.js", script(APPLICATION)),
    ]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    let user = &panel.user;
    panel.enters("#page", &site.url("/")).await;
    panel.stops_at_end().await;
    panel
        .enters(
            "#query",
            "lastChange(R:document.getElementById(\"total\").textContent)",
        )
        .await;
    panel.sees("B", 5).await;
    let frames = "[...document.querySelectorAll('.stack li')].map((it) => it.textContent)";
    let folded = json!([
        "commitview.js:3",
        "1 frame of a library",
        "showshop.js:5",
        "(top level)shop.js:8",
    ]);
    assert_eq!(user.look(frames).await, folded);
    let chosen = "document.querySelector('.stack [aria-selected=true]').textContent";
    assert_eq!(user.look(chosen).await, json!("showshop.js:5"));
    // The answer has the variables of the newest frame; those of this one are read when somebody wants them.
    panel.presses(".read-frame").await;
    let shown = "[...document.querySelectorAll('.state .variable')].map((it) => `${it.dataset.expression} \
        ${it.querySelector('.value').textContent}`)";
    user.until(&format!("{shown}.includes('shown \"3 EUR\"')"))
        .await;
    let shown = user.look(shown).await;
    for variable in ["total 3", "this Shop"] {
        let is_there = shown.as_array().unwrap().contains(&json!(variable));
        assert!(is_there, "{variable}: {shown}");
    }
    assert_eq!(panel.barriers().await, [""; 0]);
    // What is asked there is asked in that frame.
    user.clicks_on(
        "[...document.querySelectorAll('.state .variable')].find((it) => it.dataset.expression === \
        'shown').querySelector('.last-change')",
    )
    .await;
    panel.sees("C", 4).await;
    let asked = panel.text(".point[aria-current] .query").await;
    assert_eq!(asked, "lastChange(B(2):shown)");

    // The library's write is one press away, and its frames are expanded by one.
    user.clicks_on("document.querySelectorAll('.point')[1]")
        .await;
    panel.sees("B", 5).await;
    user.clicks_on("document.querySelector('.stack li')").await;
    panel.sees("B", 3).await;
    user.clicks_on("document.querySelector('.stack .folded')")
        .await;
    user.until(&format!("{frames}[1] === 'renderview.js:1'"))
        .await;
    // A list of one's own decides otherwise.
    let (x, y) = user
        .place_of("document.querySelectorAll('.stack li')[2]")
        .await;
    user.press(x, y, "right", 1).await;
    user.until("document.activeElement.textContent === 'shop.js is a library'")
        .await;
    user.types("\n").await;
    user.until("document.querySelectorAll('.stack .library').length === 4")
        .await;
    user.look("localStorage.removeItem('libraries')").await;
}

/// A page with much in its values.
const MUCH: &str = "<!doctype html><p id=total class='a b' title='&lt;b&gt;'>x</p><script>
const many = {}; for (let n = 0; n < 10000; n++) many[`key${n}`] = n;
const prices = new Map([['apple', { cents: 90 }], [7, 'seven'], [many, 'object']]);
const seen = new Set(['one', 2]);
function look(element) {
  element.title = 'looked';
}
look(document.getElementById('total'));
</script>";

#[tokio::test]
async fn values_open_in_place_in_pages_with_entries_and_attributes() {
    let folder = Folder::new();
    let site = Site::new(&[("/much.html", html(MUCH))]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    let user = &panel.user;
    panel.enters("#page", &site.url("/much.html")).await;
    panel.enters("#at", "much.html:6").await;
    panel.sees("R", 6).await;
    let fold = async |name: &str| {
        let button = format!(
            "[...document.querySelectorAll('.fold')].find((it) => it.getAttribute('aria-label') === {})",
            json!(format!("Expand {name}"))
        );
        user.until(&format!("{button}?.disabled === false")).await;
        user.clicks_on(&button).await;
    };
    let rows = async |inside: &str| -> Value {
        let rows = format!(
            "[...document.querySelectorAll('.state [role=treeitem]')].filter((it) => \
             it.dataset.expression.startsWith({})).map((it) => it.textContent.replace(/originlast change$/, ''))",
            json!(inside)
        );
        user.look(&rows).await
    };
    fold("element").await;
    user.until("document.querySelector('[data-expression=\"element.getAttribute(\\\\\"class\\\\\")\"]') !== null")
        .await;
    let of_element = rows("element.getAttribute").await;
    let attributes = json!(["@id\"total\"", "@class\"a b\"", "@title\"<b>\""]);
    assert_eq!(of_element, attributes);
    fold("element").await;
    fold("prices").await;
    user.until("document.querySelector('[data-expression=\"prices.get(7)\"]') !== null")
        .await;
    let entries = rows("prices.get").await;
    assert_eq!(entries, json!(["▸\"apple\" ⇒{cents: 90}", "7 ⇒\"seven\""]));
    fold("prices.get(\"apple\")").await;
    user.until(
        "document.querySelector('[data-expression$=\".cents\"] .value')?.textContent === '90'",
    )
    .await;
    fold("prices").await;
    fold("seen").await;
    user.until("document.querySelectorAll('[data-expression^=\"seen.has\"]').length === 2")
        .await;
    fold("seen").await;

    fold("many").await;
    let shown = "document.querySelector('.rest span')?.textContent";
    user.until(&format!("{shown} === '200 of 10000'")).await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.presses(".rest .more").await;
    user.until(&format!("{shown} === '400 of 10000'")).await;
    assert_eq!(rows("many.key").await.as_array().unwrap().len(), 400);
    user.clicks_on("document.querySelector('.rest .filter')")
        .await;
    user.types("key999\n").await;
    user.until(&format!("{shown} === '11 of 11'")).await;

    // By keys: one stop of Tab, arrows among the rows, Enter asks.
    user.look("document.querySelector('.state [role=treeitem]').focus()")
        .await;
    user.key("Home", "").await;
    user.key("ArrowDown", "").await;
    user.until("document.activeElement.dataset.expression === 'element'")
        .await;
    user.key("ArrowRight", "").await;
    user.until("document.activeElement.getAttribute('aria-expanded') === 'true'")
        .await;
    user.key("Enter", "").await;
    user.until("document.querySelectorAll('.point').length === 2")
        .await;
}

/// How many presses of Tab lead from the field of the page to that of the query.
async fn tabs_to_query(panel: &AtPanel) -> usize {
    panel
        .user
        .look("document.querySelector('#page').focus()")
        .await;
    for tabs in 1..200 {
        panel.user.key("Tab", "").await;
        let id = panel.user.look("document.activeElement.id").await;
        if id == "query" {
            return tabs;
        }
    }
    200
}

#[tokio::test]
async fn it_is_used_in_little_room_and_by_keys_alone() {
    let folder = Folder::new();
    let site = Site::new(&[("/shop.html", html(PARTLY_BLIND))]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    let user = &panel.user;
    panel.enters("#page", &site.url("/shop.html")).await;
    panel.enters("#at", "shop.html:5").await;
    panel.sees("R", 5).await;
    panel.enters("#query", "lastChange(R:box.a)").await;
    panel.sees("B", 4).await;
    let visible = "[...document.querySelectorAll('.state .variable')].filter((it) => { const { top, bottom } = \
         it.getBoundingClientRect(); const box = document.querySelector('.state').getBoundingClientRect(); return top \
         >= box.top && bottom <= box.bottom; }).length";
    let lines = "[...document.querySelectorAll('.cm-line')].filter((it) => { const { top, bottom } = \
         it.getBoundingClientRect(); const box = document.querySelector('.lines').getBoundingClientRect(); return top \
         >= box.top && bottom <= box.bottom; }).length";
    for (width, height, variables, shown, name) in [
        (800, 250, 2, 5, "panel-docked.png"),
        (400, 900, 2, 8, "panel-narrow.png"),
        (1280, 800, 2, 9, "panel-wide.png"),
    ] {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        user.send("Emulation.setDeviceMetricsOverride", size).await;
        user.until(&format!("innerWidth === {width} && {lines} >= {shown}"))
            .await;
        let variables_shown = user.look(visible).await.as_u64().unwrap();
        assert!(variables_shown >= variables, "{width}: {variables_shown}");
        let overflow = "document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > \
            innerHeight";
        assert_eq!(user.look(overflow).await, json!(false), "{width}");
        for scheme in ["dark", "light"] {
            let media =
                json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
            user.send("Emulation.setEmulatedMedia", media).await;
            assert_eq!(panel.barriers().await, [""; 0], "{width} {scheme}");
            if scheme == "dark" {
                panel.picture(&name.replace(".png", "-dark.png")).await;
            } else {
                panel.picture(name).await;
            }
        }
    }
    let tabs = tabs_to_query(&panel).await;
    assert!(tabs <= 30, "{tabs}");

    // The size of a part is moved by keys, and kept.
    user.look("document.querySelector('.splitter').focus()")
        .await;
    let width = "document.querySelector('section.points').getBoundingClientRect().width";
    let before = user.look(width).await.as_f64().unwrap();
    user.key("ArrowRight", "").await;
    user.until(&format!(
        "{width} > {before} && localStorage.points === '220'"
    ))
    .await;
    user.look("localStorage.removeItem('points')").await;

    // Everything has a name that leads to it.
    user.key("k", "Control").await;
    user.until("document.activeElement.id === 'command'").await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.picture("panel-commands.png").await;
    user.types("go to r").await;
    user.until(
        "document.querySelector('#command-list [aria-selected=true]')?.textContent === 'Go to R'",
    )
    .await;
    user.types("\n").await;
    panel.sees("R", 5).await;
    // Escape closes it, and goes no further than the panel.
    user.look(
        "document.addEventListener('keydown', ({ key }) => \
        { globalThis.leaked = [...(globalThis.leaked ?? []), key]; })",
    )
    .await;
    user.key("k", "Control").await;
    user.until("document.activeElement.id === 'command'").await;
    user.key("Escape", "").await;
    user.until("document.querySelector('.palette') === null")
        .await;
    let leaked = "(globalThis.leaked ?? []).filter((key) => key !== 'Control')";
    assert_eq!(user.look(leaked).await, json!([]));
}
