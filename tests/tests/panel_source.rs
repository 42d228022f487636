//! Source in the panel: what a person finds, folds and goes to in it, lines that nobody could read, and marks of many
//! points.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::at_panel::{AtPanel, line_of_source};
use crate::loopback::*;
use crate::panel::BackEnd;
use serde_json::json;

/// A script of one line, with the write near its end, and that column.
fn long_line() -> (String, usize) {
    let mut text: String = (0..8_000)
        .map(|n| format!("function f{n}(a){{return a+{n}}}"))
        .collect();
    text.push_str("const cart={total:0};function pay(price){const twice=price*2;");
    let column = text.len() + 1;
    text.push_str("cart.total=twice}pay(3);");
    assert!(text.len() > 250_000);
    (text, column)
}

#[tokio::test]
async fn a_line_of_250_000_characters_shows_its_answer() {
    let folder = Folder::new();
    let (text, column) = long_line();
    let site = Site::new(&[
        ("/", html("<!doctype html><script src=long.js></script>")),
        ("/long.js", script(&text)),
    ]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    let user = &panel.user;
    panel.enters("#page", &site.url("/")).await;
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:cart.total)").await;
    panel.sees("B", 1).await;
    // Pretty-printed, with the place in the file as it is.
    assert_eq!(panel.chosen_line().await, "  cart.total = twice");
    let place =
        format!("document.querySelector('.caret').textContent === 'Line 1, column {column}'");
    user.until(&place).await;
    let is_in_view = "(() => { const it = document.querySelector('.at-point'); \
         const { left, right, top, bottom } = it?.getBoundingClientRect() ?? {}; \
         const box = document.querySelector('.lines').getBoundingClientRect(); \
         return it?.textContent === 'cart' && left > box.left && right < box.right \
           && top > box.top && bottom < box.bottom; })()";
    user.until(is_in_view).await;
    user.until(
        "document.querySelector('.cm-line.chosen .values').textContent.includes('twice = 6')",
    )
    .await;
    let number = user
        .look("document.querySelector('.cm-lineNumbers .cm-gutterElement.chosen').textContent")
        .await;
    assert_eq!(number, json!("-"));
    // As it is; and printed again.
    panel.presses(".pretty").await;
    user.until(
        "document.querySelector('.cm-lineNumbers .cm-gutterElement.chosen').textContent === '1'",
    )
    .await;
    user.until(is_in_view).await;
    user.until(&place).await;
    panel.presses(".pretty").await;
    user.until(is_in_view).await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.picture("panel-long-line.png").await;
}

/// A page with something to find, to fold and to rest the pointer on.
const SHOP: &str = "<!doctype html><script>
const cart = { items: [], total: 0 };
function add(item) {
  const before = cart.total;
  cart.total = before + item.price;
}
add({ price: 2 });
add({ price: 3 });
</script>";

#[tokio::test]
async fn source_is_searched_folded_and_tells_values() {
    let folder = Folder::new();
    let site = Site::new(&[("/shop.html", html(SHOP))]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    let user = &panel.user;
    panel.enters("#page", &site.url("/shop.html")).await;
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:cart.total)").await;
    panel.sees("B", 5).await;
    let tokens = "['.tok-keyword', '.tok-propertyName', '.tok-number'].every((it) => document.querySelector(`.lines \
        ${it}`) !== null)";
    user.until(tokens).await;
    // Behind each line of the function, up to the point, is what it names.
    let values = "[...document.querySelectorAll('.lines .values')].map((it) => it.textContent)";
    let shown = json!([
        "item = {price: 3}",
        "before = 2  cart = {items: Array(0), total: 2}",
        "cart = {items: Array(0), total: 2}  before = 2  item = {price: 3}",
    ]);
    assert_eq!(user.look(values).await, shown);

    // Ctrl+F is the source's, wherever the focus is.
    user.look("document.querySelector('#query').focus()").await;
    user.key("f", "Control").await;
    user.until("document.activeElement.closest('.cm-search') !== null")
        .await;
    user.types("price").await;
    user.until("document.querySelectorAll('.cm-searchMatch').length === 3")
        .await;
    assert_eq!(panel.barriers().await, [""; 0]);
    user.key("Escape", "").await;
    user.until("document.querySelector('.cm-search') === null")
        .await;

    user.key("g", "Control").await;
    user.until("document.activeElement.name === 'line'").await;
    user.key("a", "Control").await;
    user.types("7:5\n").await;
    user.until("document.querySelector('.caret').textContent === 'Line 7, column 5'")
        .await;

    // Resting on a name shows its value, and the way to its last change.
    let before = format!(
        "[...{}.querySelectorAll('span')].find((it) => it.textContent === 'before')",
        line_of_source(5)
    );
    let (x, y) = user.place_of(&before).await;
    user.points_at(x, y).await;
    user.until("document.querySelector('.hovered code')?.textContent === 'before = 2'")
        .await;
    user.clicks_on("document.querySelector('.hovered button')")
        .await;
    panel.sees("C", 4).await;
    let asked = panel.text(".point[aria-current] .query").await;
    assert_eq!(asked, "lastChange(B:before)");

    user.clicks_on(
        "[...document.querySelectorAll('.cm-foldGutter span')].filter((it) => it.textContent === \
        '▾').at(-1)",
    )
    .await;
    user.until("document.querySelector('.cm-foldPlaceholder') !== null")
        .await;
    user.clicks_on("document.querySelector('.cm-foldPlaceholder')")
        .await;
    user.until("document.querySelector('.cm-foldPlaceholder') === null")
        .await;
    // The number of a line offers what can be done there.
    user.clicks_on("[...document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')].find((it) => it.textContent \
        === '3' && it.style.visibility !== 'hidden')")
        .await;
    user.until("document.activeElement.textContent === 'Use line 3 as reproduction point'")
        .await;
}

/// The view alone, with the marks of so many points on the second line; where the code of that line begins and how many
/// marks are drawn.
fn with_marks(points: usize) -> String {
    format!(
        "(async () => {{ const {{ Editor }} = await import('./editor.js'); \
         const box = document.createElement('div'); box.className = 'lines'; \
         box.style.cssText = 'position: fixed; inset: 0; background: Canvas; z-index: 9'; document.body.append(box); \
         const heard = []; const editor = new Editor(box, (...event) => heard.push(event), () => undefined, '', ''); \
         editor.show('http://h/a.js', 'one();\\ntwo();\\nthree();\\n', 'a.js'); \
         const marks = Array.from({{ length: {points} }}, (_, n) => ({{ name: n === 0 ? '<img src=x>' : `P${{n}}`, \
         line: 2, column: 1 }})); editor.annotate(JSON.stringify({{ chosen: {{ line: 2, column: 1 }}, marks, \
         breakpoints: [], values: {{}} }})); await new Promise((done) => requestAnimationFrame(() => \
         setTimeout(done))); const code = [...box.querySelectorAll('.cm-line')][1].getBoundingClientRect(); \
         const drawn = [...box.querySelectorAll('.mark')].map((it) => it.textContent); \
         const press = new MouseEvent('mousedown', {{ bubbles: true, button: 0 }}); \
         [...box.querySelectorAll('.mark')].at(-1).dispatchEvent(press); \
         const result = [code.left, code.height, drawn, heard.at(-1)[3].split(',').length, \
         box.querySelectorAll('img').length]; editor.destroy(); box.remove(); return result; }})()"
    )
}

#[tokio::test]
async fn fifty_marks_take_no_more_room_than_two() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    let measured = async |points: usize| {
        let params = json!({ "expression": with_marks(points), "awaitPromise": true, "returnByValue": true });
        panel.user.send("Runtime.evaluate", params).await["result"]["value"].clone()
    };
    let (two, fifty) = (measured(2).await, measured(50).await);
    assert_eq!((&two[0], &two[1]), (&fifty[0], &fifty[1]));
    assert_eq!(fifty[2], json!(["<img src=x>", "+49"]));
    // A press on the rest offers all of them; a name is text.
    assert_eq!((&fifty[3], &fifty[4]), (&json!(50), &json!(0)));
}
