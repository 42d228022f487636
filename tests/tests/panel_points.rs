//! What can be done at a point in the panel: it is renamed and removed, names in its source and values inside of values
//! are asked about.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::at_panel::{AtPanel, PARTLY_BLIND, line_of_source};
use crate::loopback::*;
use crate::panel::BackEnd;
use crate::user::soon;
use serde_json::json;

#[tokio::test]
async fn points_are_renamed_and_removed_the_command_is_copied_and_notes_are_dismissed() {
    let folder = Folder::new();
    let site = Site::new(&[
        ("/", html(PARTLY_BLIND)),
        (
            "/paint.js",
            script("registerPaint('mine', class { paint() {} });"),
        ),
    ]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", &site.url("/")).await;
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;
    panel.enters("#query", "lastChange(B:box.a)").await;
    panel.sees("C", 4).await;

    // What could not be seen is said until it was read.
    let note = panel.text(".notes li span").await;
    assert!(note.contains("paint.js: it runs in a worklet"), "{note}");
    panel.presses(".notes .dismiss").await;
    panel
        .user
        .until("document.querySelector('.notes') === null")
        .await;

    // A name that is taken is refused; another is the point's wherever it is used.
    panel
        .user
        .clicks_on("document.querySelectorAll('.point')[1]")
        .await;
    panel.sees("B", 5).await;
    panel.enters("#name", "C").await;
    panel.is_told("C").await;
    panel.presses(".said .dismiss").await;
    panel.enters("#name", "doubled").await;
    panel.sees("doubled", 5).await;
    let queries = "[...document.querySelectorAll('.point .query')].map((it) => it.textContent)";
    let asked = ["", "lastChange(R:box.b)", "lastChange(doubled:box.a)"];
    assert_eq!(panel.user.look(queries).await, json!(asked));

    // The command is said, and in the clipboard where the browser lets it be written.
    panel.user.permits("clipboard-write", "denied").await;
    panel.presses(".copy").await;
    panel
        .is_told("The browser does not let the panel write to the clipboard; the command is:")
        .await;
    panel.is_told("querypoint ask http").await;
    panel.user.permits("clipboard-write", "granted").await;
    panel.user.permits("clipboard-read", "granted").await;
    panel.presses(".copy").await;
    panel.is_told("The command is in the clipboard.").await;
    let read = json!({ "expression": "navigator.clipboard.readText()", "awaitPromise": true });
    let read = panel.user.send("Runtime.evaluate", read).await;
    let copied = read["result"]["value"].as_str().unwrap().to_owned();
    assert!(copied.starts_with("querypoint ask http"), "{read}");
    let (_, said) = panel
        .text(".said pre")
        .await
        .split_once('\n')
        .map(|(head, rest)| (head.to_owned(), rest.to_owned()))
        .unwrap();
    assert_eq!(said, copied);

    // The answer is saved as a page.
    let saved = folder.0.join("saved");
    let to = json!({ "behavior": "allow", "downloadPath": saved });
    let protocol = panel.user.browser().protocol();
    let set = protocol.send(None, "Browser.setDownloadBehavior", to).await;
    set.unwrap();
    panel.presses(".save").await;
    let page = soon("the page", async || {
        let page = fs::read_to_string(saved.join("querypoint.html"));
        // The browser makes the file before it writes it.
        page.ok().filter(|page| page.contains("</html>"))
    })
    .await;
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    assert!(page.contains("lastChange(doubled:box.a)"), "{page}");

    // With a point goes what hangs on it.
    panel.presses(".remove").await;
    panel.has_points(1).await;
    assert_eq!(panel.text(".point[aria-current] b").await, "R");
}

/// The place on the screen of the end of a part of a line of the source.
pub(crate) async fn place_in_source(panel: &AtPanel, line: u32, text: &str) -> (i32, i32) {
    let (line, text) = (line_of_source(line), json!(text));
    let place = format!(
        "(() => {{ const line = {line}; let to = line.textContent.indexOf({text}) + {text}.length; \
         const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT); \
         for (let node; (node = texts.nextNode());) {{ \
           if (to > node.length) {{ to -= node.length; continue; }} \
           const range = document.createRange(); range.setStart(node, to - 1); range.setEnd(node, to); \
           const {{ right, top, height }} = range.getBoundingClientRect(); return [Math.floor(right) - 2, \
           Math.floor(top + height / 2)]; }} }})()"
    );
    let place = panel.user.look(&place).await;
    let at = |index: usize| i32::try_from(place[index].as_i64().unwrap()).unwrap();
    (at(0), at(1))
}

/// The items of the menu, without blanks at their ends.
pub(crate) const MENU: &str =
    "[...document.querySelectorAll('[role=menu] [role=menuitem]')].map((it) => it.textContent)";

#[tokio::test]
async fn what_a_name_in_the_source_means_is_asked_by_a_right_click_or_by_keys() {
    let folder = Folder::new();
    let site = Site::new(&[("/shop.html", html(PARTLY_BLIND))]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", &site.url("/shop.html")).await;
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;

    let (x, y) = place_in_source(&panel, 5, "= box.a").await;
    panel.user.press(x, y, "right", 1).await;
    panel
        .user
        .until("document.activeElement.role === 'menuitem'")
        .await;
    let items = [
        "Where does box.a come from?",
        "last change of box.a",
        "Watch box.a",
        "Use line 5 as reproduction point",
        "Why did this not run?",
    ];
    assert_eq!(panel.user.look(MENU).await, json!(items));
    assert_eq!(panel.user.look("String(getSelection())").await, json!("a"));
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.picture("panel-menu.png").await;
    panel.user.key("ArrowDown", "").await;
    panel.user.types("\n").await;
    panel.sees("C", 4).await;
    assert_eq!(
        panel.text(".point[aria-current] .query").await,
        "lastChange(B:box.a)"
    );

    // By keys alone: from the place of the point to the name behind it, and the second item.
    let caret = |column: u32| {
        format!("document.querySelector('.caret').textContent === 'Line 4, column {column}'")
    };
    panel.user.until(&caret(3)).await;
    panel
        .user
        .look("document.querySelector('.lines .cm-content').focus()")
        .await;
    for column in 4..=7 {
        panel.user.key("ArrowRight", "").await;
        panel.user.until(&caret(column)).await;
    }
    panel.user.key("Enter", "").await;
    panel
        .user
        .until("document.activeElement.role === 'menuitem'")
        .await;
    let items = [
        "Where does box.a come from?",
        "last change of box.a",
        "Watch box.a",
        "Use line 4 as reproduction point",
        "Why did this not run?",
    ];
    assert_eq!(panel.user.look(MENU).await, json!(items));
    panel.user.key("ArrowDown", "").await;
    panel.user.key("ArrowDown", "").await;
    panel.user.types("\n").await;
    panel
        .user
        .until("document.querySelector('.state td')?.textContent === '0'")
        .await;
    // What was selected is so still, and the source has the focus, although there is another answer.
    assert_eq!(panel.user.look("String(getSelection())").await, json!("a"));
    panel.user.key("Enter", "").await;
    panel
        .user
        .until("document.activeElement.role === 'menuitem'")
        .await;
    panel.user.key("Escape", "").await;
    panel
        .user
        .until("document.querySelector('[role=menu]') === null")
        .await;
    assert_eq!(
        panel
            .user
            .look("document.activeElement.closest('.lines') !== null")
            .await,
        json!(true)
    );

    // What is selected is taken as it is; where nothing is pointed at there is still the line.
    let (x, y) = place_in_source(&panel, 7, ");").await;
    panel.user.press(x, y, "right", 1).await;
    panel
        .user
        .until("document.activeElement.role === 'menuitem'")
        .await;
    assert_eq!(
        panel.user.look(MENU).await,
        json!(["Use line 7 as reproduction point", "Why did this not run?"])
    );
    panel.user.types("\n").await;
    panel
        .user
        .until("document.querySelector('.point .place').textContent.includes('shop.html:7')")
        .await;
    assert_eq!(
        panel.user.look("document.querySelector('#at').value").await,
        json!("shop.html:7")
    );
}

/// A page whose total comes from a text, through a function.
const PRICED: &str = "<!doctype html><script>
const parsed = (text) => Number(text);
const cart = { total: 0 };
function add(price) {
  cart.total = price;
}
add(parsed('7.50'));
</script>";

#[tokio::test]
async fn the_way_of_a_value_is_shown_hop_by_hop() {
    let folder = Folder::new();
    let site = Site::new(&[("/priced.html", html(PRICED))]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", &site.url("/priced.html")).await;
    panel.enters("#at", "priced.html:5").await;
    panel.sees("R", 5).await;
    // It is asked at a name in the source, before anything else.
    let (x, y) = place_in_source(&panel, 5, "= price").await;
    panel.user.press(x, y, "right", 1).await;
    panel
        .user
        .until("document.activeElement.role === 'menuitem'")
        .await;
    assert_eq!(
        panel.user.look(&format!("{MENU}[0]")).await,
        json!("Where does price come from?")
    );
    panel.user.types("\n").await;
    panel
        .user
        .until("document.querySelector('.hops .end') !== null")
        .await;
    let hops = "[...document.querySelectorAll('.hop')].map((it) => [it.querySelector('.kind').textContent, \
        it.querySelector('.place').textContent])";
    assert_eq!(
        panel.user.look(hops).await,
        json!([
            ["parameter", "priced.html:7"],
            ["return", "priced.html:2"],
            ["conversion", "priced.html:2"],
            ["parameter", "priced.html:7"],
        ])
    );
    let end = panel.text(".hops .end").await;
    assert!(end.starts_with("made by the program's text"), "{end}");
    // The value has another form from the conversion on.
    let changed = "[...document.querySelectorAll('.hop .changed')].map((it) => it.textContent)";
    assert_eq!(panel.user.look(changed).await, json!(["\"7.50\""]));
    // A press on a hop shows its line.
    panel
        .user
        .clicks_on("document.querySelectorAll('.hop')[1]")
        .await;
    panel
        .user
        .until("document.querySelector('.cm-lineNumbers .chosen')?.textContent === '2'")
        .await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.picture("panel-origin.png").await;
}

/// A page with a sum of what functions gave.
const SUMMED: &str = "<!doctype html><script>
function tax(net) { return net * 0.2; }
const total = tax(30) + Math.max(1, 2);
document.title = total;
</script>";

#[tokio::test]
async fn a_press_on_an_operand_of_a_computation_asks_where_it_comes_from() {
    let folder = Folder::new();
    let site = Site::new(&[("/summed.html", html(SUMMED))]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", &site.url("/summed.html")).await;
    panel.enters("#at", "summed.html:4").await;
    panel.sees("R", 4).await;
    panel.enters("#query", "origin(R:total)").await;
    panel
        .user
        .until("document.querySelector('.hops .operand') !== null")
        .await;
    let operands =
        "[...document.querySelectorAll('.hops .operand')].map((it) => [it.textContent, it.title])";
    assert_eq!(
        panel.user.look(operands).await,
        json!([
            ["tax(30) = 6", "Where does tax(30) come from?"],
            ["Math.max(1, 2) = 2", "Where does Math.max(1, 2) come from?"],
        ])
    );
    panel
        .user
        .clicks_on("document.querySelector('.hops .operand')")
        .await;
    // What was taxed is a literal of the call.
    panel.sees("C", 3).await;
    assert_eq!(
        panel.text(".point[aria-current]").await,
        "Csummed.html:3origin(B:operand(1))created as 6"
    );
    assert_eq!(panel.barriers().await, [""; 0]);
}

/// A page with an object in an object.
const NESTED: &str = "<!doctype html><script>
const cart = { items: [{ price: 1 }], '<b>paid</b>': {} };
function raise(item) {
  item.price += 1;
}
raise(cart.items[0]);
raise(cart.items[0]);
</script>";

#[tokio::test]
async fn values_expand_as_they_were_at_the_point_and_are_asked_about() {
    let folder = Folder::new();
    let site = Site::new(&[("/nested.html", html(NESTED))]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", &site.url("/nested.html")).await;
    panel.stops_at_end().await;
    panel
        .enters("#query", "lastChange(R:cart.items[0].price)")
        .await;
    panel.sees("B", 4).await;

    // Each is read where the page is paused just before the change.
    let fold = async |name: &str| {
        let button = format!(
            "[...document.querySelectorAll('.fold')].find((it) => it.getAttribute('aria-label') === 'Expand {name}')"
        );
        panel
            .user
            .until(&format!("{button}?.disabled === false"))
            .await;
        panel.user.clicks_on(&button).await;
    };
    let rows = "[...document.querySelectorAll('.state .variable:has(.last-change)')].map((row) => \
        [...row.querySelectorAll('code')].map((it) => it.textContent).join(' '))";
    let become_rows = async |wanted: &[&str]| {
        let wanted = json!(wanted).to_string();
        let wanted = json!(wanted);
        panel
            .user
            .until(&format!(
                "JSON.stringify({rows}.filter((it) => !/^(raise|this) /.test(it))) === {wanted}"
            ))
            .await;
    };
    let cart = "cart {items: Array(1), <b>paid</b>: {…}}";
    become_rows(&["item {price: 2}", cart]).await;
    fold("item").await;
    become_rows(&["item {price: 2}", "price 2", cart]).await;
    fold("cart").await;
    fold("cart.items").await;
    fold("cart.items[0]").await;
    let all = [
        "item {price: 2}",
        "price 2",
        cart,
        "items (1) [{…}]",
        "0 {price: 2}",
        "price 2",
        "length 1",
        "<b>paid</b> {}",
    ];
    become_rows(&all).await;
    fold("cart[\"<b>paid</b>\"]").await;
    panel
        .user
        .until("document.querySelector('.state .empty-object')?.textContent === 'It has no properties of its own.'")
        .await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.picture("panel-inside.png").await;
    fold("cart").await;
    become_rows(&["item {price: 2}", "price 2", cart]).await;

    // What is asked first of a value is where it comes from.
    let offered = "[...document.querySelectorAll('.state .variable .origin')].map((it) => \
        it.getAttribute('aria-label'))";
    let offered = panel.user.look(offered).await;
    assert!(
        offered
            .as_array()
            .unwrap()
            .contains(&json!("origin of item.price")),
        "{offered}"
    );
    // A property is asked about like a variable.
    let of_price = "[...document.querySelectorAll('.last-change')].find((it) => it.getAttribute('aria-label') === \
        'last change of item.price')";
    panel.user.clicks_on(of_price).await;
    panel.sees("C", 4).await;
    let asked = panel.text(".point[aria-current] .query").await;
    assert_eq!(asked, "lastChange(B:item.price)");
}
