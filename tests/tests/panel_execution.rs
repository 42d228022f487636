//! Everything that happened, in the panel: the call tree and questions by clicks and keys, an event led back to the
//! source, to the state and to a point, and two executions beside each other.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::at_panel::AtPanel;
use crate::loopback::*;
use crate::panel::BackEnd;
use serde_json::json;

const SHOP: &str = "<!doctype html><output id=out></output><script>
class Item {
  constructor(price, count) { this.price = price; this.count = count; }
  sum() { return this.price * this.count; }
}
const cart = { items: [], total: 0 };
function add(item) {
  cart.items.push(item);
  cart.total += item.sum();
  if (cart.total > 20) discount(5);
  show();
}
function discount(percent) {
  cart.total -= cart.total * percent;
}
function show() {
  out.textContent = cart.total;
}
add(new Item(4, 2));
add(new Item(3, 5));
for (let i = 0; i < 300; i++) show();
</script>";

/// The rows of the call tree.
const ROWS: &str =
    "[...document.querySelectorAll('.calls [role=treeitem]')].map((it) => it.textContent.trim())";
/// The events that were found.
const FOUND: &str = "[...document.querySelectorAll('.found li code')].map((it) => it.textContent)";

/// The panel at the shop, with what it is on.
struct Opened {
    panel: AtPanel,
    site: Site,
    _back_end: BackEnd,
    _folder: Folder,
}

/// Opens the page, and the view of everything that happened in it, which is empty.
async fn opens_execution() -> Opened {
    let folder = Folder::new();
    let site = Site::new(&[("/shop.html", html(SHOP))]);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", &site.url("/shop.html")).await;
    panel
        .user
        .until("document.querySelector('#page').value.endsWith('shop.html')")
        .await;
    panel.presses(".show-execution").await;
    let is_empty =
        "document.querySelector('.execution:not([hidden]) .empty:not([hidden])') !== null";
    panel.user.until(is_empty).await;
    Opened {
        panel,
        site,
        _back_end: back_end,
        _folder: folder,
    }
}

#[tokio::test]
async fn an_execution_is_walked_through_and_asked() {
    let Opened { panel, .. } = &opens_execution().await;
    let user = &panel.user;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.presses(".record-log").await;
    user.until(&format!("{ROWS}.length === 1")).await;

    // By keys: down into the calls, and on to the next page of them.
    user.clicks_on("document.querySelector('.calls [role=treeitem]')")
        .await;
    user.until(&format!("{ROWS}.length === 2")).await;
    for key in ["ArrowDown", "ArrowRight"] {
        user.key(key, "").await;
    }
    user.until(&format!("{ROWS}.length > 200")).await;
    user.key("End", "").await;
    user.until("document.activeElement.matches('.more')").await;
    user.key("Enter", "").await;
    user.until(&format!("{ROWS}.length > 300")).await;
    user.key("ArrowLeft", "").await;
    user.until("document.activeElement.textContent.includes('top level')")
        .await;
    for key in ["ArrowDown", "ArrowDown", "ArrowRight", "Enter"] {
        user.key(key, "").await;
    }
    // A press shows its line, in the text that ran.
    user.until(&format!("{ROWS}.some((row) => row.includes('sum()'))"))
        .await;
    user.until(
        "document.querySelector('.cm-line.chosen')?.textContent.includes('add(new Item(4, 2))')",
    )
    .await;

    // A question that is typed, and one that is offered at an event.
    panel.enters("#log-query", "history(R:cart.total)").await;
    user.until(&format!("{FOUND}.length === 4")).await;
    panel.picture("execution.png").await;
    let total = user.look(FOUND).await;
    assert!(total[3].as_str().unwrap().contains("-92"), "{total}");
    assert_eq!(panel.barriers().await, [""; 0]);
    let last = "[...document.querySelectorAll('.found li')].at(-1)";
    user.clicks_on(last).await;
    user.until("document.querySelector('.cm-line.chosen')?.textContent.includes('cart.total -=')")
        .await;
    user.clicks_with_right_on(last).await;
    let offered = "[...document.querySelectorAll('.menu button')].map((it) => it.textContent)";
    user.until(&format!("{offered}.length > 5")).await;
    let offered = user.look(offered).await;
    assert_eq!(offered[0], "Use as reproduction point");
    let chain = "[...document.querySelectorAll('.menu button')].find((it) => it.textContent.startsWith('callChain'))";
    user.clicks_on(chain).await;
    user.until(&format!("{FOUND}[0]?.startsWith('discount(5)')"))
        .await;
    let caller = "/^add\\(Item #\\d+\\) → undefined$/";
    let is_it = user.look(&format!("{caller}.test({FOUND}[1])")).await;
    assert_eq!(is_it, json!(true));

    // The event is a point: from there on everything else is asked.
    panel.enters("#log-query", "history(R:cart.total)").await;
    user.until(&format!("{FOUND}.length === 4")).await;
    user.clicks_with_right_on(last).await;
    user.clicks_on("document.querySelector('.menu button')")
        .await;
    panel.sees("R", 14).await;
    let percent = "[...document.querySelectorAll('.state .variable')] \
        .some((it) => /percent:?\\s*5/.test(it.textContent))";
    user.until(percent).await;
    assert_eq!(
        user.look("document.querySelector('#at').value").await,
        json!("shop.html:14:3#0")
    );
}

#[tokio::test]
async fn two_executions_are_beside_each_other() {
    let Opened { panel, site, .. } = &opens_execution().await;
    let user = &panel.user;
    panel.presses(".record-log").await;
    user.until(&format!("{ROWS}.length === 1")).await;
    site.answers(&[(
        "/shop.html",
        html(&SHOP.replace("* percent;", "* percent / 100;")),
    )]);
    // As soon as the second log is listed it is the one that is looked at: what is asked next is asked of it.
    let listed = "globalThis.listed = []; const logs = document.querySelector('[name=log]'); \
        new MutationObserver(() => listed.push([logs.length, logs.selectedIndex].join())) \
            .observe(logs, { childList: true })";
    user.look(&format!("(() => {{ {listed}; return true }})()"))
        .await;
    panel.presses(".record-log").await;
    user.until("document.querySelectorAll('[name=log] option').length === 2")
        .await;
    assert_eq!(user.look("listed[0]").await, json!("2,0"));
    user.picks_next_in("[name=compared]").await;
    user.until("document.querySelectorAll('.side').length === 2")
        .await;
    let sides = user
        .look("[...document.querySelectorAll('.side ins')].map((it) => it.textContent)")
        .await;
    assert_eq!(sides, json!(["21.85", "-92"]));
    // Each side shows the text that ran in it.
    for (side, text) in [(0, "percent / 100;"), (1, "* percent;")] {
        user.clicks_on(&format!("document.querySelectorAll('.side')[{side}]"))
            .await;
        user.until(&format!(
            "document.querySelector('.cm-line.chosen')?.textContent.includes('{text}')"
        ))
        .await;
    }
    panel.picture("execution-compared.png").await;
    assert_eq!(panel.barriers().await, [""; 0]);
    user.picks_next_in("[name=log]").await;
    user.until("document.querySelector('.side') === null").await;
    panel.presses(".delete-log").await;
    user.until("document.querySelectorAll('[name=log] option').length === 1")
        .await;
}

/// The name of the function that is asked about.
const ASKED: &str = "document.querySelector('.asked-call code')?.textContent";

#[tokio::test]
async fn the_faulty_call_is_found_by_answers() {
    let Opened { panel, .. } = &opens_execution().await;
    let user = &panel.user;
    panel.presses(".record-log").await;
    user.until(&format!("{ROWS}.length === 1")).await;
    panel.presses(".diagnose").await;
    user.until(&format!("{ASKED} !== undefined")).await;
    assert_eq!(panel.barriers().await, [""; 0]);

    // The next question is chosen in another way, which is kept with the log.
    let strategy = "document.querySelector('.strategy select')";
    let words = format!("[...{strategy}.options].map((it) => it.value).sort().join()");
    user.until(&format!(
        "{words} === 'def-use,divide-and-query,edges,heaviest,optimal,suspicion,top-down'"
    ))
    .await;
    let chosen = format!("{strategy}.value === 'suspicion'");
    user.until(&chosen).await;
    let top = format!(
        "(() => {{ const it = {strategy}; it.value = 'top-down'; \
         it.dispatchEvent(new Event('change', {{ bubbles: true }})); return true }})()"
    );
    user.until(&top).await;
    user.until(&format!(
        "{ASKED}?.includes('(top level)') && {strategy}.value === 'top-down'"
    ))
    .await;
    let back = top.replace("top-down", "suspicion");
    user.until(&back).await;
    user.until(&format!("{ASKED} !== undefined && {chosen}"))
        .await;
    assert_eq!(panel.barriers().await, [""; 0]);

    // Only what discounts is wrong, and what calls it; each question is shown in the source.
    let is_found = "document.querySelector('.found-call') !== null";
    for _ in 0..20 {
        if user.look(is_found).await == json!(true) {
            break;
        }
        let asked = user.look(ASKED).await;
        let asked = asked.as_str().unwrap();
        let is_second = user
            .look("document.querySelector('.asked-call dl').textContent.includes('-92')")
            .await;
        let answer = match asked {
            "discount" | "(top level)" => "invalid",
            "add" if is_second == json!(true) => "invalid",
            // There are 302 calls of it.
            "show" => "trusted",
            _ => "valid",
        };
        let said = "document.querySelectorAll('.answers li').length";
        let before = user.look(said).await.as_u64().unwrap();
        // By keys, as well as by a press.
        let button = format!("document.querySelector('.answer-buttons .{answer}')");
        user.look(&format!("{button}.focus()")).await;
        user.key("Enter", "").await;
        user.until(&format!("{said} > {before}")).await;
    }
    let found = "document.querySelector('.found-call code').textContent";
    assert_eq!(user.look(found).await, json!("discount"));
    user.until(
        "document.querySelector('.cm-line.chosen')?.textContent.includes('function discount')",
    )
    .await;
    panel.picture("faulty-call.png").await;
    assert_eq!(panel.barriers().await, [""; 0]);

    // What happened in it is listed; a press shows where.
    let happened = "[...document.querySelectorAll('.happened [data-happened]')]";
    user.until(&format!(
        "{happened}.some((it) => it.textContent.includes('total'))"
    ))
    .await;
    user.clicks_on(&format!(
        "{happened}.find((it) => it.textContent.includes('total'))"
    ))
    .await;
    user.until("document.querySelector('.viewer, main, body').textContent.includes('Line 14')")
        .await;

    // Beside each event is what it changed of the state at the beginning of the call.
    let states = "[...document.querySelectorAll('.happened .state-after .new')].map((it) => \
        `${it.previousSibling.textContent}: ${it.textContent}`.replace(/#\\d+/, '#'))";
    let states = user.look(states).await;
    assert_eq!(states, json!(["Object #.total: 23 → -92"]));

    // What was said is taken back by a press, and said of any call of the tree.
    let back = "document.querySelector('.found-call [data-back]')";
    user.clicks_on(back).await;
    user.until(&format!("{ASKED} !== undefined")).await;
    user.clicks_on("document.querySelector('.calls [role=treeitem]')")
        .await;
    user.until(&format!("{ROWS}.length === 2")).await;
    let top = "document.querySelectorAll('.calls [role=treeitem]')[1]";
    // Each call of the tree that is pressed shows what it was given, gave and changed.
    user.clicks_on(top).await;
    user.until(&format!("{ROWS}.some((it) => it.includes('add'))"))
        .await;
    let of_call = format!(
        "document.querySelectorAll('.calls [role=treeitem]')[{ROWS}.findIndex((it) => it.includes('add'))]"
    );
    user.clicks_on(&of_call).await;
    user.until("document.querySelector('.diagnosis')?.textContent.includes('The chosen call')")
        .await;
    let shown = "[...document.querySelectorAll('.asked-call')].at(-1)";
    user.until(&format!(
        "{shown}.querySelector('code').textContent === 'add'"
    ))
    .await;
    let chosen = format!(
        "[...{shown}.querySelectorAll('dl > *')].map((it) => it.textContent.replaceAll(/#\\d+/g, '#'))"
    );
    let chosen = user.look(&chosen).await;
    let expected = json!([
        "this",
        "Window {}",
        "item",
        "Item {price: 4, count: 2}",
        "changed Array #[0]",
        "nothing → Item {price: 4, count: 2}",
        "changed Object #.total",
        "0 → 8",
        "document",
        "HTMLOutputElement #.textContent = 8",
        "returned",
        "undefined"
    ]);
    assert_eq!(chosen, expected);
    // Of a name in it can be asked on; a press asks for its history.
    let name = &*format!("{shown}.querySelector('.name')");
    user.clicks_with_right_on(name).await;
    let offered = "[...document.querySelectorAll('.menu button')].map((it) => it.textContent.replace(/#\\d+/, '#'))";
    user.until(&format!("{offered}.length === 3")).await;
    assert_eq!(
        user.look(offered).await,
        json!([
            "Where does item come from?",
            "last change of item",
            "history(#:item)"
        ])
    );
    user.key("Escape", "").await;
    user.clicks_on(name).await;
    user.until(&format!("{FOUND}.length > 0")).await;
    user.clicks_with_right_on(name).await;
    user.clicks_on("document.querySelectorAll('.menu button')[0]")
        .await;
    user.until("document.querySelector('.hops .end') !== null")
        .await;
    assert_eq!(panel.barriers().await, [""; 0]);

    user.clicks_with_right_on(top).await;
    let right = "[...document.querySelectorAll('.menu button')].find((it) => it.textContent === 'This call is right')";
    user.clicks_on(right).await;
    user.until(&format!("{top}.dataset.judged === 'valid'"))
        .await;
}
