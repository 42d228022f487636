//! A recording as a test of Playwright, that fails as long as the bug is there.
//!
//! ```js
//! test("buy", async ({ page }) => {
//!   const seen = await valuesAt(page, { path: "/shop.html", line: 22, column: 3 }, [{ frame: 0, expression: "cart.total" }]);
//!   await page.goto("http://localhost/shop.html");
//!   await page.locator("#buy").click({ position: { x: 5, y: 5 } });
//!   const values = await last(seen, 3);
//!   expect(values[0], "cart.total").not.toBe(0);
//! });
//! ```

use std::fmt::Write;

use serde_json::{Value, json};
use url::Url;

use super::assertion::{Assertion, WatchedPlace};
use crate::{
    ChosenFile, Comparison, DeviceType, Drag, Files, History, MouseButton, Pointer, Recording,
    Selector, SelectorChain, Step, StepKind, WaitForElement,
};

/// What the tests call; each is written only where it is used.
const HELPERS: &str = include_str!("playwright.js");

/// A test, and what of the recording is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// JavaScript (CommonJS), which needs `@playwright/test` and nothing else.
    pub text: String,
    /// Steps that Playwright has nothing for.
    pub unmapped: Vec<Unmapped>,
    /// Whether the page was a file, which the test looks for in its own folder, or in the one that `SITE` names.
    pub is_from_folder: bool,
}

/// A step that is left out of a test; a comment is there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmapped {
    /// Counted from 1.
    pub step: usize,
    /// What it does.
    pub description: String,
    /// Why it has no counterpart.
    pub why: &'static str,
}

/// The recording as a test that asserts these.
#[must_use]
pub fn playwright(recording: &Recording, assertions: &[Assertion]) -> Exported {
    let mut body = String::new();
    let mut unmapped = Vec::new();
    let place = assertions.first().and_then(|first| first.place.as_ref());
    let folder_origin = origin_of_file(recording);
    if let Some(origin) = &folder_origin {
        let _ = writeln!(body, "  await answerFromFolder(page, {});", literal(origin));
    }
    if let Some(place) = place {
        body.push_str(&watching(place, assertions));
    }
    for (index, step) in recording.steps.iter().enumerate() {
        let description = one_line(&step.describe());
        let lines = mapped(step).unwrap_or_else(|why| {
            unmapped.push(Unmapped {
                step: index + 1,
                description: description.clone(),
                why,
            });
            vec![format!(
                "// Step {} is missing ({why}): {description}",
                index + 1
            )]
        });
        for line in lines {
            let _ = writeln!(body, "  {line}");
        }
    }
    body.push_str(&asserting(place, assertions));

    let title = match recording.title.as_str() {
        "" => "recording",
        title => title,
    };
    let mut text =
        String::from("'use strict';\nconst { test, expect } = require('@playwright/test');\n\n");
    if let Some(Stored {
        text: stored,
        left_out,
    }) = stored(recording)
    {
        text.push_str(&stored);
        unmapped.extend(left_out);
    }
    let _ = write!(
        text,
        "test({}, async ({{ page }}) => {{\n{body}}});\n",
        literal(title)
    );
    text.push_str(&helpers(&body));
    Exported {
        text,
        unmapped,
        is_from_folder: folder_origin.is_some(),
    }
}

/// The origin of a page that was served from its file: such recordings have no port, for that is another one each time.
fn origin_of_file(recording: &Recording) -> Option<String> {
    let url = recording.steps.iter().find_map(|step| match &step.kind {
        StepKind::Navigate { url } => Url::parse(url).ok(),
        _ => None,
    })?;
    let is_file = url.scheme() == "http"
        && url.port().is_none()
        && matches!(url.host_str(), Some("127.0.0.1" | "localhost"));
    is_file.then(|| url.origin().ascii_serialization())
}

/// What a test begins with.
struct Stored {
    text: String,
    left_out: Option<Unmapped>,
}

/// What the page had stored when it was recorded, for the origin that is opened first:
///
/// ```js
/// test.use({ storageState: {"cookies":[…],"origins":[{"localStorage":[{"name":"theme","value":"dark"}],"origin":"http://localhost"}]} });
/// ```
fn stored(recording: &Recording) -> Option<Stored> {
    const WHY: &str = "Playwright has nothing for what is in sessionStorage";
    let storage = recording.storage();
    if storage.is_empty() {
        return None;
    }
    let steps = recording.steps.iter().enumerate();
    let mut opened = steps.filter_map(|(index, step)| match &step.kind {
        StepKind::Navigate { url } => Some((index, Url::parse(url).ok()?)),
        _ => None,
    });
    let (index, url) = opened.next()?;
    let host = url.host_str().unwrap_or_default();
    let cookies = storage.cookies.iter().map(|cookie| {
        let (name, value) = cookie.split_once('=').unwrap_or(("", cookie));
        json!({
            "name": name, "value": value, "domain": host, "path": "/", "expires": -1,
            "httpOnly": false, "secure": url.scheme() == "https", "sameSite": "Lax",
        })
    });
    let items = storage.local.iter();
    let items = items.map(|(name, value)| json!({ "name": name, "value": value }));
    let state = json!({
        "cookies": cookies.collect::<Vec<_>>(),
        "origins": [{ "origin": url.origin().ascii_serialization(), "localStorage": items.collect::<Vec<_>>() }],
    });
    let mut text = format!("test.use({{ storageState: {state} }});\n\n");
    let left_out = (!storage.session.is_empty()).then(|| {
        text.push_str(&format!("// {WHY}.\n\n"));
        Unmapped {
            step: index + 1,
            description: "what the page had stored".to_owned(),
            why: WHY,
        }
    });
    Some(Stored { text, left_out })
}

/// Notes the values at the place each time the page reaches it.
fn watching(place: &WatchedPlace, assertions: &[Assertion]) -> String {
    let expressions: Vec<String> = assertions
        .iter()
        .map(|assertion| {
            let expression = literal(&assertion.expression);
            format!("{{ frame: {}, expression: {expression} }}", assertion.frame)
        })
        .collect();
    format!(
        "  // Where the value was wrong.\n  const place = {{ path: {}, line: {}, column: {} }};\n  \
         const seen = await valuesAt(page, place, [{}]);\n",
        literal(path_of(&place.url)),
        place.line,
        place.column,
        expressions.join(", ")
    )
}

fn asserting(place: Option<&WatchedPlace>, assertions: &[Assertion]) -> String {
    let mut text = String::new();
    if let Some(place) = place {
        let _ = writeln!(text, "  const values = await last(seen, {});", place.hits);
    }
    for (index, assertion) in assertions.iter().enumerate() {
        let name = literal(&assertion.expression);
        let value = match place {
            Some(_) => format!("values[{index}]"),
            None => format!("await page.evaluate({name})"),
        };
        let _ = writeln!(
            text,
            "  expect({value}, {name}).not.toBe({});",
            assertion.wrong
        );
    }
    text
}

/// Those that are called, and those that they call.
fn helpers(body: &str) -> String {
    let parts: Vec<&str> = HELPERS.split("\n\n").map(str::trim).collect();
    let name = |part: &str| {
        let (_, after) = part.split_once("function ")?;
        after.split_once('(').map(|(name, _)| format!("{name}("))
    };
    let mut wanted = vec![false; parts.len()];
    loop {
        let called = |index: usize| {
            let is_called = |text: &str| {
                parts
                    .get(index)
                    .and_then(|part| name(part))
                    .is_some_and(|name| text.contains(&name))
            };
            let others = parts.iter().zip(&wanted).enumerate();
            is_called(body)
                || others
                    .filter(|(other, (_, wanted))| **wanted && *other != index)
                    .any(|(_, (part, _))| is_called(part))
        };
        let next: Vec<bool> = (0..parts.len()).map(called).collect();
        if next == wanted {
            break;
        }
        wanted = next;
    }
    let wanted = parts.iter().zip(wanted).filter(|(_, wanted)| *wanted);
    wanted.map(|(part, _)| format!("\n{part}\n")).collect()
}

/// The lines for a step.
fn mapped(step: &Step) -> Result<Vec<String>, &'static str> {
    let page = frame_of(step)?;
    let line = match &step.kind {
        StepKind::Navigate { url } => format!("await page.goto({});", literal(url)),
        StepKind::SetViewport(viewport) => format!(
            "await page.setViewportSize({{ width: {}, height: {} }});",
            viewport.width, viewport.height
        ),
        StepKind::Click(pointer) => click(&page, pointer, "click")?,
        StepKind::DoubleClick(pointer) => click(&page, pointer, "dblclick")?,
        StepKind::Hover { selectors } => format!("await {}.hover();", located(&page, selectors)?),
        StepKind::Change { selectors, value } => {
            let element = located(&page, selectors)?;
            let value = match step.ours("secret").and_then(|secret| secret.as_str()) {
                Some(variable) => format!("process.env[{}]", literal(variable)),
                None => literal(value),
            };
            format!("await change({element}, {value});")
        }
        StepKind::KeyDown { key } => format!("await page.keyboard.down({});", literal(key)),
        StepKind::KeyUp { key } => format!("await page.keyboard.up({});", literal(key)),
        StepKind::Scroll { selectors, x, y } => scroll(&page, selectors, *x, *y)?,
        StepKind::WaitForElement(wait) => wait_for(&page, wait)?,
        StepKind::WaitForExpression { expression } => {
            format!("await {page}.waitForFunction({});", literal(expression))
        }
        StepKind::Close => "await page.close();".to_owned(),
        StepKind::Drag(drag) => dragged(&page, drag)?,
        StepKind::Wheel(wheel) => {
            let element = located(&page, &wheel.selectors)?;
            let position = position(wheel.offset_x, wheel.offset_y);
            return Ok(vec![
                format!("await {element}.hover({{ {position} }});"),
                format!(
                    "await page.mouse.wheel({}, {});",
                    wheel.delta_x, wheel.delta_y
                ),
            ]);
        }
        StepKind::EmulateNetworkConditions { .. } => {
            return Err("Playwright does not slow the network down");
        }
        StepKind::Files(files) => choose(&page, files)?,
        StepKind::History(History { delta: -1 }) => "await page.goBack();".to_owned(),
        StepKind::History(History { delta: 1 }) => "await page.goForward();".to_owned(),
        StepKind::History(_) => return Err("Playwright goes one page back or forward"),
        StepKind::CustomStep { .. } => return Err("nothing is known of custom steps"),
    };
    let mut lines = answering(step);
    lines.push(line);
    let is_going = matches!(step.kind, StepKind::Navigate { .. });
    let navigations = step.asserted_events.iter().filter(|_| !is_going);
    for event in navigations {
        if let Some(url) = event.url.as_deref().filter(|_| event.kind == "navigation") {
            lines.push(format!("await page.waitForURL({});", literal(url)));
        }
    }
    Ok(lines)
}

/// Answers the dialogs that come because of a step, before it is done.
fn answering(step: &Step) -> Vec<String> {
    let answers: Vec<Value> = step
        .dialogs()
        .iter()
        .map(|dialog| json!({ "accept": dialog.accept, "text": dialog.text }))
        .collect();
    match answers.is_empty() {
        true => Vec::new(),
        false => vec![format!("answerDialogs(page, {});", Value::from(answers))],
    }
}

/// The page, or the frame in it, that a step is done in.
fn frame_of(step: &Step) -> Result<String, &'static str> {
    if step
        .target
        .as_deref()
        .is_some_and(|target| target != "main")
    {
        return Err("it is done in another tab");
    }
    let children = step.frame.iter();
    let way: String = children
        .map(|index| format!(".childFrames()[{index}]"))
        .collect();
    Ok(match way.as_str() {
        "" => "page".to_owned(),
        way => format!("page.mainFrame(){way}"),
    })
}

fn click(page: &str, pointer: &Pointer, method: &str) -> Result<String, &'static str> {
    let element = located(page, &pointer.selectors)?;
    let position = position(pointer.offset_x, pointer.offset_y);
    if pointer.device_type == DeviceType::Touch {
        return Ok(format!("await {element}.tap({{ {position} }});"));
    }
    let button = match button(pointer.button)? {
        "left" => String::new(),
        button => format!(", button: {}", literal(button)),
    };
    let delay = pointer.duration_ms.filter(|_| method == "click");
    let delay = delay.map_or(String::new(), |delay| format!(", delay: {delay}"));
    Ok(format!(
        "await {element}.{method}({{ {position}{button}{delay} }});"
    ))
}

fn button(button: MouseButton) -> Result<&'static str, &'static str> {
    match button {
        MouseButton::Primary => Ok("left"),
        MouseButton::Auxiliary => Ok("middle"),
        MouseButton::Secondary => Ok("right"),
        MouseButton::Back | MouseButton::Forward => Err("Playwright's mouse has three buttons"),
    }
}

fn position(x: f64, y: f64) -> String {
    format!("position: {{ x: {x}, y: {y} }}")
}

fn scroll(
    page: &str,
    selectors: &[SelectorChain],
    x: Option<f64>,
    y: Option<f64>,
) -> Result<String, &'static str> {
    let to = match (x, y) {
        (Some(x), Some(y)) => json!({ "left": x, "top": y }).to_string(),
        (Some(x), None) => json!({ "left": x }).to_string(),
        (None, Some(y)) => json!({ "top": y }).to_string(),
        (None, None) => return Err("it says nowhere to scroll to"),
    };
    if selectors.is_empty() {
        return Ok(format!(
            "await {page}.evaluate((to) => scrollTo(to), {to});"
        ));
    }
    let element = located(page, selectors)?;
    Ok(format!(
        "await {element}.evaluate((element, to) => element.scrollTo(to), {to});"
    ))
}

fn dragged(page: &str, drag: &Drag) -> Result<String, &'static str> {
    let element = located(page, &drag.from.selectors)?;
    let button = literal(button(drag.from.button)?);
    let (x, y) = (drag.from.offset_x, drag.from.offset_y);
    let mut places = vec![[x, y]];
    places.extend(
        drag.path
            .iter()
            .map(|[along, down, _]| [x + along, y + down]),
    );
    Ok(format!(
        "await drag(page, {element}, {button}, {});",
        json!(places)
    ))
}

fn choose(page: &str, files: &Files) -> Result<String, &'static str> {
    let element = located(page, &files.selectors)?;
    let file = |file: &ChosenFile| {
        let base64 = literal(&file.base64()?);
        let (name, kind) = (literal(&file.name), literal(&file.media_type));
        Some(format!(
            "{{ name: {name}, mimeType: {kind}, buffer: Buffer.from({base64}, 'base64') }}"
        ))
    };
    let files: Option<Vec<String>> = files.files.iter().map(file).collect();
    let files = files.ok_or("a file was too large to be recorded")?;
    Ok(format!(
        "await {element}.setInputFiles([{}]);",
        files.join(", ")
    ))
}

fn wait_for(page: &str, wait: &WaitForElement) -> Result<String, &'static str> {
    if wait.properties.is_some() || wait.attributes.is_some() {
        return Err("it waits for properties or attributes");
    }
    let elements = unlimited(page, &wait.selectors)?;
    let count = wait.count;
    Ok(match (wait.operator, wait.visible) {
        (Comparison::AtLeast, None) if count == 1 => {
            format!("await {elements}.first().waitFor({{ state: \"attached\" }});")
        }
        (Comparison::AtLeast, Some(true)) if count == 1 => {
            format!("await {elements}.first().waitFor();")
        }
        (Comparison::Exactly, None) => format!("await expect({elements}).toHaveCount({count});"),
        (operator, None) => {
            let method = match operator {
                Comparison::AtMost => "toBeLessThanOrEqual",
                _ => "toBeGreaterThanOrEqual",
            };
            format!("await expect.poll(() => {elements}.count()).{method}({count});")
        }
        (_, Some(_)) => return Err("it waits for so many that can, or cannot, be seen"),
    })
}

/// The one element that is meant.
fn located(page: &str, selectors: &[SelectorChain]) -> Result<String, &'static str> {
    // Recorder takes the first of several.
    Ok(format!("{}.first()", unlimited(page, selectors)?))
}

/// All elements that the best selector finds which Playwright has, too.
fn unlimited(page: &str, selectors: &[SelectorChain]) -> Result<String, &'static str> {
    let chain = |chain: &SelectorChain| {
        let links = chain.0.iter().map(locator).collect::<Option<Vec<_>>>()?;
        Some(format!("{page}{}", links.concat()))
    };
    let found = selectors.iter().find_map(chain);
    found.ok_or("none of its selectors has a counterpart")
}

/// `.locator("#buy")`; none where Playwright has no such selector.
fn locator(selector: &Selector) -> Option<String> {
    Some(match selector {
        Selector::Css(css) | Selector::Pierce(css) => {
            // Its CSS looks into open shadow roots by itself.
            format!(".locator({})", literal(&format!("css={css}")))
        }
        Selector::XPath(xpath) => format!(".locator({})", literal(&format!("xpath={xpath}"))),
        Selector::Text(text) => format!(".getByText({})", literal(text)),
        Selector::Aria(aria) => {
            let (name, role) = aria.split_once("[role=")?;
            let role = role.strip_suffix(']')?.trim_matches('"');
            let options = match name {
                "" => String::new(),
                name => format!(", {{ name: {}, exact: true }}", literal(name)),
            };
            format!(".getByRole({}{options})", literal(role))
        }
    })
}

/// The path of an address, with what comes after it: the server may be another one when the test runs.
fn path_of(url: &str) -> &str {
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    after
        .find('/')
        .map_or("/", |slash| after.get(slash..).unwrap_or_default())
}

/// A JavaScript string.
fn literal(text: &str) -> String {
    // JSON is JavaScript.
    json!(text).to_string()
}

/// What is in a comment.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            character if character.is_control() => ' ',
            '\u{2028}' | '\u{2029}' => ' ',
            character => character,
        })
        .collect()
}
