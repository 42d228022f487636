//! `ask --format html` of a hostile page, opened in a browser: everything is there, nothing runs, nothing is asked for.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::sync::Arc;
use std::time::Duration;

use crate::loopback::*;
use cdp_driver::native::{Browser, LaunchOptions, TokioClock};
use engine::page::Page;
use serde_json::{Value, json};

/// What a busy machine may take.
const LIMIT: Duration = Duration::from_secs(30);

/// A page whose names, values and lines are markup, and one line that is very long.
fn hostile() -> String {
    let evil =
        "</script><img src='/stolen' onerror='document.title=1'><svg/onload=document.title=2>";
    let escaped = evil.replace('<', "\\x3c");
    let long = "long ".repeat(400);
    format!(
        "<!doctype html><meta charset=utf-8>\n<script>\nconst key = \"{escaped}\";\n\
         const o = {{ x: 0, [key]: 1 }};\n\
         class Evil {{ static name = key; }}\n\
         const named = {{ [key](value) {{ o.x = value; }} }};\n\
         named[key](key); // {escaped}\n\
         try {{ named[key](`${{key}} {long}`); throw new TypeError(key); }} catch {{}}\n\
         console.log(o);\n</script>"
    )
}

async fn value(page: &Page, expression: &str) -> Value {
    let params = json!({ "expression": expression, "returnByValue": true });
    let answer = page.drive(page.send("Runtime.evaluate", params)).await;
    let answer = answer.unwrap();
    assert!(answer.get("exceptionDetails").is_none(), "{answer}");
    answer["result"]["value"].clone()
}

/// The least contrast of a text to what it is on, by the formula of WCAG 2.
const LEAST_CONTRAST: &str = "(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (channels(colour)[3] !== 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  let least = 21;
  for (const element of document.body.querySelectorAll('*')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return least;
})()";

#[tokio::test]
async fn the_report_of_a_hostile_page_shows_everything_and_does_nothing() {
    let site = Site::new(&[("/page.html", html(&hostile()))]);
    let folder = Folder::new();
    let file = folder.file("report.html", "");
    let arguments = [
        "ask",
        "--format",
        "html",
        "--out",
        file.to_str().unwrap(),
        "--at",
        "page.html:9",
        &site.url("/page.html"),
        "B = lastChange(R:o.x)",
        "E = exceptionAfter(B)",
        "N = lastChange(R:key)",
    ];
    let ran = querypoint(&arguments);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(ran.out, "", "the page is in the file");
    let report = std::fs::read_to_string(&file).unwrap();
    site.requests();

    let site = Site::new(&[("/report.html", html(&report))]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let page = Page::open(browser.protocol(), Arc::new(TokioClock::new()))
        .await
        .unwrap();
    let send = async |method: &str, params: Value| {
        page.drive(page.send(method, params)).await.unwrap();
    };
    for (scheme, width) in [("light", 1000), ("dark", 380)] {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        send(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        )
        .await;
        let size =
            json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        send("Emulation.setDeviceMetricsOverride", size).await;
        let url = site.url("/report.html");
        page.navigate(&url, LIMIT).await.unwrap();
        assert_eq!(
            site.requests(),
            ["/report.html"],
            "nothing else is asked for"
        );

        let text = value(&page, "document.body.innerText").await;
        let text = text.as_str().unwrap();
        for shown in [
            "</script><img src='/stolen' onerror=",
            "TypeError",
            "lastChange(R:o.x)",
            "long long",
        ] {
            assert!(text.contains(shown), "{shown}:\n{text}");
        }
        let title = value(&page, "document.title").await;
        assert_eq!(
            title,
            "Querypoint: lastChange(R:o.x), exceptionAfter(B), lastChange(R:key)"
        );
        let active = "document.querySelectorAll('script, img, svg, iframe, a, form, object, [onerror], \
            [onload]').length";
        assert_eq!(value(&page, active).await, 0);
        assert_eq!(
            value(&page, "document.querySelectorAll('section').length").await,
            4
        );

        // Long lines scroll within their box or are broken; the page itself is no wider than the window.
        let overflow =
            "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(value(&page, overflow).await, 0, "{scheme}");
        // Expansion as well.
        value(
            &page,
            "document.querySelectorAll('details').forEach((one) => { one.open = true; })",
        )
        .await;
        assert_eq!(value(&page, overflow).await, 0, "{scheme}, expanded");
        let contrast = value(&page, LEAST_CONTRAST).await;
        assert!(contrast.as_f64().unwrap() >= 4.5, "{scheme}: {contrast}");
    }
    browser.close().await;
}
