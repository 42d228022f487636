//! What other tools make of ours: tests of Playwright that are exported, and recordings that `@puppeteer/replay` runs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::loopback::*;
use crate::user::User;
use cdp_driver::native::{Purpose, find_browser};
use conformance::packages;
use end_to_end::repository;
use serde_json::{Value, json};

/// A shop that does not multiply once the coupon was used.
const SHOP: &str = "<title>shop</title>
<button id=add>add</button><select id=size><option>small<option>large</select>
<input id=coupon><input id=gift type=checkbox><canvas id=map width=100 height=80></canvas>
<div style='height: 3000px'></div><button id=buy>buy</button><script>
const cart = { count: 0, price: 10, total: 0 };
const said = [];
for (const type of ['mousedown', 'mousemove', 'mouseup', 'wheel']) {
  map.addEventListener(type, (event) => { if (event.buttons || type !== 'mousemove') said.push(type); });
}
addEventListener('keydown', (event) => said.push(event.key));
add.onclick = () => { cart.count++; };
size.onchange = () => { if (size.value === 'large') cart.price = 20; };
coupon.onchange = () => { cart.coupon = coupon.value; };
gift.onchange = () => said.push('gift ' + gift.checked);
buy.onclick = () => {
  cart.total = cart.coupon === 'HALF' ? WRONG : cart.count * cart.price;
  console.log('bought');
  document.title = `${cart.total} ${scrollY > 0} ${said}`;
};
</script>";
const WRONG: &str = "cart.price / 2";
const RIGHT: &str = "cart.count * cart.price / 2";

fn shop(total: &str) -> Site {
    Site::new(&[("/", html(&SHOP.replace("WRONG", total)))])
}

fn click(selector: &str) -> Value {
    json!({ "type": "click", "selectors": [[selector]], "offsetX": 3, "offsetY": 3 })
}

fn bought() -> Vec<Value> {
    let change = |selector: &str, value: &str| json!({ "type": "change", "selectors": [[selector]], "value": value });
    let drag = json!({ "selectors": [["#map"]], "offsetX": 5, "offsetY": 5, "path": [[10, 10, 20], [20, 30, 40]] });
    vec![
        click("aria/add[role=\"button\"]"),
        click("#add"),
        change("#size", "large"),
        change("#coupon", "HALF"),
        click("xpath///*[@id=\"gift\"]"),
        json!({ "type": "keyDown", "key": "Shift" }),
        json!({ "type": "keyUp", "key": "Shift" }),
        json!({ "type": "customStep", "name": "querypoint/drag", "parameters": drag }),
        json!({ "type": "waitForElement", "selectors": [["button"]], "operator": "==", "count": 2 }),
        json!({ "type": "waitForExpression", "expression": "cart.count === 2" }),
        json!({ "type": "scroll", "y": 400 }),
        click("text/buy"),
    ]
}

/// Has Node run something in a folder where it finds the packages: whether that succeeded, and what was printed.
fn node(folder: &Folder, arguments: &[&str]) -> (bool, String) {
    let modules = packages::install_from(&repository().join("tests/packages"), "packages").unwrap();
    let link = folder.0.join("node_modules");
    if !exists(&link) {
        symlink(&modules, &link).unwrap();
    }
    let output = Command::new("node")
        .args(arguments)
        .current_dir(&folder.0)
        .env("CI", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

/// How a test of Playwright ends.
fn run_test(folder: &Folder, test: &str) -> (bool, String) {
    let browser = json!({ "executablePath": find_browser(None, Purpose::Everything).unwrap(), "args": ["--no-sandbox", "--disable-gpu"] });
    let options = json!({ "testDir": ".", "timeout": 60_000, "reporter": "line", "use": { "launchOptions": browser } });
    folder.file(
        "playwright.config.js",
        &format!("module.exports = {options};"),
    );
    folder.file("total.spec.js", test);
    let cli = "node_modules/@playwright/test/cli.js";
    node(folder, &[cli, "test", "--workers", "1"])
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn an_exported_test_fails_on_the_bug_and_passes_without_it() {
    let (wrong, right) = (shop(WRONG), shop(RIGHT));
    let folder = Folder::new();
    let steps = recording(&folder, &wrong.url("/"), &bought());
    let answer = folder.0.join("answer.json");
    let asked = ask_total(&wrong, &steps, &["--out", path(&answer)]);
    assert_eq!(asked.status, Some(0), "{asked:#?}");
    let exported = export(&steps, &answer);
    assert_eq!(exported.status, Some(0), "{exported:#?}");

    let (passed, said) = run_test(&folder, &exported.out);
    assert!(!passed, "{said}");
    assert!(
        said.contains("cart.total") && said.contains("not.toBe"),
        "{said}"
    );

    let without = exported.out.replace(&wrong.url("/"), &right.url("/"));
    let (passed, said) = run_test(&folder, &without);
    assert!(passed, "{said}\n{without}");
}

#[test]
fn an_exported_test_of_a_file_answers_from_the_folder_of_the_file() {
    let folder = Folder::new();
    let shop = |total: &str| {
        SHOP.replace("WRONG", total)
            .replace("<script>", "<script src=shop.js></script><script>")
    };
    fs::create_dir(folder.0.join("site")).unwrap();
    let page = folder.file("site/index.html", &shop(WRONG));
    folder.file(
        "site/shop.js",
        "const coupon = document.querySelector('#coupon');",
    );
    // The address has no port: it is another one each time.
    let steps = recording(&folder, "http://127.0.0.1/index.html", &bought());
    let answer = folder.0.join("answer.json");
    let asked = querypoint(&[
        "ask",
        path(&page),
        "--recording",
        path(&steps),
        "--at",
        "console:bought",
        "lastChange(R:cart.total)",
        "--out",
        path(&answer),
    ]);
    assert_eq!(asked.status, Some(0), "{asked:#?}");
    let exported = export(&steps, &answer);
    assert_eq!(exported.status, Some(0), "{exported:#?}");
    assert!(exported.err.contains("SITE=FOLDER"), "{exported:#?}");

    let test = exported.out.replace(
        "process.env.SITE",
        "require('node:path').join(__dirname, 'site')",
    );
    let (passed, said) = run_test(&folder, &test);
    assert!(!passed && said.contains("not.toBe"), "{said}");
    folder.file("site/index.html", &shop(RIGHT));
    let (passed, said) = run_test(&folder, &test);
    assert!(passed, "{said}\n{test}");
}

/// Asks for the total of the shop where it was bought.
fn ask_total(site: &Site, recording: &Path, more: &[&str]) -> Ran {
    let url = site.url("/");
    let asked = [
        "ask",
        &url,
        "--recording",
        path(recording),
        "--at",
        "console:bought",
        "lastChange(R:cart.total)",
    ];
    querypoint(&[&asked, more].concat())
}

fn export(steps: &Path, answer: &Path) -> Ran {
    let options = ["--as", "playwright", "--answer", path(answer)];
    querypoint(&[&["export", path(steps)], options.as_slice()].concat())
}

#[test]
fn a_step_without_counterpart_is_named() {
    let site = shop(WRONG);
    let folder = Folder::new();
    let mut steps = bought();
    steps.insert(
        2,
        json!({ "type": "customStep", "name": "mine", "parameters": {} }),
    );
    let steps = recording(&folder, &site.url("/"), &steps);
    let answer = folder.file("answer.json", "{}");
    let refused = export(&steps, &answer);
    assert_eq!(refused.status, Some(2), "{refused:#?}");
    assert!(
        refused.err.contains("the answer ") && refused.err.contains("cannot be used"),
        "{refused:#?}"
    );

    let asked = querypoint(&[
        "ask",
        &site.url("/"),
        "--at",
        "end",
        "lastChange(cart.total)",
        "--out",
        path(&answer),
    ]);
    assert_eq!(asked.status, Some(0), "{asked:#?}");
    let exported = export(&steps, &answer);
    assert_eq!(exported.status, Some(1), "{exported:#?}");
    assert!(
        exported
            .err
            .contains("step 4 (custom step mine) is missing: "),
        "{exported:#?}"
    );
    assert!(
        exported.out.contains("// Step 4 is missing "),
        "{exported:#?}"
    );
}

#[tokio::test]
async fn a_recording_of_ours_runs_in_puppeteer_replay() {
    let body = "<style>body { margin: 0 } button, input { position: absolute; left: 0; width: 100px; height: 40px; margin: 0 }</style>
<button id=add style='top: 0'>add</button><input id=name style='top: 50px'><button id=buy style='top: 100px'>buy</button>
<script>
let count = 0;
add.onclick = (event) => { count += event.detail; };
buy.onclick = () => { document.title = `${count} for ${document.getElementById('name').value}`; };
</script>";
    let site = Site::new(&[("/", html(body))]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
    user.click(50, 20).await;
    user.has_recorded("click aria/add").await;
    user.click(50, 70).await;
    user.types("Ada").await;
    user.click(50, 120).await;
    user.has_recorded("click aria/buy").await;
    user.until("document.title === '1 for Ada'").await;
    let ran = user.leaves().await;
    assert_eq!(ran.status, Some(0), "{ran:#?}");

    folder.file("replay.mjs", include_str!("../packages/replay.mjs"));
    let browser = find_browser(None, Purpose::Everything).unwrap();
    let (succeeded, said) = node(&folder, &["replay.mjs", path(&browser), path(&out)]);
    let text = fs::read_to_string(&out).unwrap();
    assert!(succeeded, "{said}\n{text}");
    assert_eq!(said.trim(), "1 for Ada", "{text}");
}

/// A shop that asks its server what things cost.
const ASKING: &str = "<title>shop</title><button id=add aria-label='add one'>+</button><button>add two</button>
<label>Coupon<input id=coupon></label><input placeholder=Name><p id=said></p><button id=buy>buy</button><script>
const cart = { count: 0, total: 0 };
const price = fetch('/price', { method: 'POST', body: 'for one' }).then((answer) => answer.json());
add.onclick = () => { cart.count++; };
buy.onclick = async () => {
  cart.total = coupon.value === 'HALF' ? cart.count * await price / 3 : 0;
  said.textContent = `${cart.total} for ${document.querySelector('[placeholder]').value} at ${new Date().getFullYear() > 2020}`;
  console.log('bought');
};
</script>";

#[test]
fn a_trace_of_playwright_is_replayed_without_the_server() {
    let price = Reply::new("application/json", "30");
    let site = Site::new(&[("/", html(ASKING)), ("/price", price)]);
    let folder = Folder::new();
    folder.file("trace.js", include_str!("../packages/trace.js"));
    let browser = find_browser(None, Purpose::Everything).unwrap();
    let (succeeded, said) = node(&folder, &["trace.js", path(&browser), &site.url("/")]);
    assert!(succeeded, "{said}");
    assert_eq!(said.trim(), "30 for Ada at true");

    let file = folder.0.join("trace.zip");
    let out = folder.0.join("buy.json");
    let imported = querypoint(&["import", path(&file), "--out", path(&out)]);
    assert_eq!(imported.status, Some(1), "{imported:#?}");
    let left_out: Vec<&str> = imported.err.lines().collect();
    assert_eq!(left_out.len(), 4, "{imported:#?}");
    for (line, why) in left_out.iter().zip([
        "a recording asserts nothing but that elements are there",
        "not on other tabs, requests or dialogs",
        "a recording asserts nothing but that elements are there",
        "it failed when the trace was made: ",
    ]) {
        assert!(line.contains(why), "{imported:#?}");
    }
    assert!(imported.out.contains("2 responses in "), "{imported:#?}");

    // Nobody answers as then any more.
    site.answers(&[("/price", Reply::new("application/json", "1"))]);
    let ran = replay(&out, &[]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let asked = ask_total(&site, &out, &["--watch", "said.textContent", "--json"]);
    assert_eq!(asked.status, Some(0), "{asked:#?}");
    let answer = asked.answer();
    assert_eq!(answer["points"][1]["new"]["text"], "30", "{answer:#}");
    assert_eq!(
        answer["points"][0]["watches"][0]["text"], "\"30 for Ada at true\"",
        "{answer:#}"
    );
}

#[test]
fn what_is_no_trace_is_refused_with_the_reason() {
    let folder = Folder::new();
    let out = folder.0.join("buy.json");
    let broken = folder.file("broken.zip", "PK\u{3}\u{4} and no more");
    // An archive with nothing in it.
    let empty = folder.0.join("empty.zip");
    let end = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
    fs::write(&empty, [b"PK\x03\x04".as_slice(), &end].concat()).unwrap();
    for (file, why) in [
        (&broken, "it is no archive"),
        (&empty, "there is no file NAME.trace in it"),
    ] {
        let ran = querypoint(&["import", path(file), "--out", path(&out)]);
        assert_eq!(ran.status, Some(2), "{ran:#?}");
        assert!(
            ran.err.contains("the trace ") && ran.err.contains(why),
            "{ran:#?}"
        );
        assert!(!out.exists());
    }
}

/// As `npx playwright codegen` writes it.
const CODEGEN: &str = "import { test, expect } from '@playwright/test';

test('test', async ({ page }) => {
  await page.goto('PAGE');
  await page.getByRole('button', { name: 'add' }).click();
  await page.getByRole('button', { name: 'add' }).click();
  await page.locator('#size').selectOption('large');
  await page.locator('#coupon').click();
  await page.locator('#coupon').fill('HALF');
  await page.locator('#coupon').press('Tab');
  await page.locator('#gift').check();
  await expect(page.getByRole('button', { name: 'buy' })).toBeVisible();
  await page.getByRole('button', { name: 'buy' }).click();
  await expect(page).toHaveTitle(/^10 /);
});
";

#[test]
fn a_test_of_playwright_is_imported_and_does_the_same() {
    let site = shop(WRONG);
    let folder = Folder::new();
    let test = CODEGEN.replace("PAGE", &site.url("/"));
    // It is a test as Playwright runs it.
    let (passed, said) = run_test(
        &folder,
        &test.replace("import {", "const {").replace(
            "} from '@playwright/test'",
            "} = require('@playwright/test')",
        ),
    );
    assert!(passed, "{said}");

    let file = folder.file("buy.spec.js", &test);
    let out = folder.0.join("buy.json");
    let imported = querypoint(&["import", path(&file), "--out", path(&out)]);
    assert_eq!(imported.status, Some(1), "{imported:#?}");
    assert!(
        imported
            .err
            .starts_with("line 14 (await expect(page).toHaveTitle("),
        "{imported:#?}"
    );
    assert_eq!(imported.err.lines().count(), 1, "{imported:#?}");

    let asked = ask_total(&site, &out, &["--watch", "said.join()", "--json"]);
    assert_eq!(asked.status, Some(0), "{asked:#?}");
    let answer = asked.answer();
    assert_eq!(answer["points"][1]["new"]["text"], "10", "{answer:#}");
    assert_eq!(
        answer["points"][0]["watches"][0]["text"], "\"H,A,L,F,Tab,gift true\"",
        "{answer:#}"
    );
}
