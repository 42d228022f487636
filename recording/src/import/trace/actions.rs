//! What was done in a trace, as the lines of a test that does the same.
//!
//! ```json
//! { "type": "before", "callId": "call@9", "class": "Frame", "method": "click", "params": { "selector": "internal:role=button" } }
//! ```
//! becomes what `await page.getByRole('button').click();` is read as.

use std::collections::HashMap;

use js_analysis::call_chains::{Argument, CallChain, Link};
use serde_json::{Value, json};
use url::Url;

use super::selector::links_of;
use super::{call, literal, text};

/// An action of a trace.
pub(super) struct Action {
    pub(super) chain: CallChain,
    /// How long after the trace began, in milliseconds, whole.
    pub(super) at_ms: Option<u64>,
    /// Why it failed.
    pub(super) failed: Option<String>,
}

/// What is known of the browser context.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Context {
    /// When the trace began, in milliseconds since 1970.
    pub(super) start_ms: Option<f64>,
    /// The same by the clock of its events.
    start: f64,
    base: Option<Url>,
    size: Option<(u64, u64)>,
}

impl Context {
    /// What the events say of it.
    pub(super) fn of(events: &[Value]) -> Self {
        let mut events = events.iter();
        let Some(told) = events.find(|event| text(event, "/type") == "context-options") else {
            return Self::default();
        };
        let side = |name: &str| {
            told.pointer("/options/viewport")?
                .get(name)
                .and_then(Value::as_u64)
        };
        let number = |name: &str| told.get(name).and_then(Value::as_f64);
        Self {
            start_ms: number("wallTime").filter(|start| *start > 0.0),
            start: number("monotonicTime").unwrap_or_default(),
            base: Url::parse(text(told, "/options/baseURL")).ok(),
            size: side("width").zip(side("height")),
        }
    }

    /// The step that gives the page its size, if that is known.
    pub(super) fn viewport(&self) -> Option<Value> {
        let (width, height) = self.size?;
        Some(json!({
            "type": "setViewport", "width": width, "height": height, "deviceScaleFactor": 1,
            "isMobile": false, "hasTouch": false, "isLandscape": width > height,
        }))
    }

    /// What was done, in order.
    pub(super) fn actions(&self, events: &[Value]) -> Vec<Action> {
        let ended = events
            .iter()
            .filter(|event| text(event, "/type") == "after")
            .map(|event| (text(event, "/callId"), event))
            .collect::<HashMap<_, _>>();
        let pages = pages_of(events);
        let begun = events
            .iter()
            .filter(|event| text(event, "/type") == "before");
        begun
            .filter_map(|event| {
                let after = ended.get(text(event, "/callId"));
                let failed = after.and_then(|after| {
                    let error = after.get("error").filter(|error| !error.is_null())?;
                    let message = text(error, "/message").lines().next();
                    Some(message.unwrap_or_default().to_owned())
                });
                let at = event.get("startTime").and_then(Value::as_f64);
                Some(Action {
                    chain: self.chain(event, &pages)?,
                    at_ms: at.map(|at| (at - self.start).max(0.0).round() as u64),
                    failed,
                })
            })
            .collect()
    }

    /// An action as it is written in a test; none: it does nothing to the page.
    fn chain(&self, event: &Value, pages: &HashMap<&str, usize>) -> Option<CallChain> {
        let (class, method) = (text(event, "/class"), text(event, "/method"));
        let none = json!({});
        let params = event.get("params").unwrap_or(&none);
        if is_harmless(class, method) || params.get("trial") == Some(&Value::Bool(true)) {
            return None;
        }
        let is_elsewhere = pages
            .get(text(event, "/callId"))
            .is_some_and(|page| *page > 0);
        let (root, links) = match class {
            "Frame" | "Page" if is_elsewhere => {
                ("another tab".to_owned(), vec![call(method, Vec::new())])
            }
            "Frame" if matches!(method, "expect" | "waitForSelector") => {
                (String::new(), expectation(method, params))
            }
            "Frame" => ("page".to_owned(), self.on_frame(method, params)),
            "Page" => ("page".to_owned(), on_page(method, params)),
            // Named as what it is.
            class => (class.to_owned(), vec![call(method, Vec::new())]),
        };
        let selector = text(params, "/selector");
        let text = match text(event, "/title") {
            "" if selector.is_empty() => format!("{class}.{method}"),
            "" => format!("{class}.{method} {selector}"),
            title if selector.is_empty() => title.to_owned(),
            title => format!("{title} {selector}"),
        };
        Some(CallChain {
            line: 0,
            text,
            root,
            links,
        })
    }

    fn on_frame(&self, method: &str, params: &Value) -> Vec<Link> {
        let given = |name: &str| match params.get(name) {
            Some(value) => vec![Argument::Literal(value.clone())],
            None => Vec::new(),
        };
        let arguments = match method {
            "goto" => {
                let url = text(params, "/url");
                let whole = self.base.as_ref().and_then(|base| base.join(url).ok());
                vec![literal(whole.map_or(url.to_owned(), String::from))]
            }
            "waitForFunction" => {
                let expression = text(params, "/expression");
                vec![literal(
                    match params.get("isFunction") == Some(&Value::Bool(true)) {
                        true => format!("({expression})()"),
                        false => expression.to_owned(),
                    },
                )]
            }
            "fill" => given("value"),
            "type" => given("text"),
            "press" => given("key"),
            "selectOption" => vec![match options(params) {
                Some(options) => Argument::Literal(options),
                None => Argument::Unknown,
            }],
            "check" | "uncheck" | "hover" | "focus" => Vec::new(),
            _ => vec![Argument::Literal(press_options(params))],
        };
        let mut links = match params.get("selector").and_then(Value::as_str) {
            Some(selector) => links_of(selector),
            None => Vec::new(),
        };
        links.push(call(method, arguments));
        links
    }
}

/// Which page each action is on, as far as pictures were taken of it: 0 for the first.
fn pages_of(events: &[Value]) -> HashMap<&str, usize> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut pages = HashMap::new();
    for event in events {
        let (page, action) = match text(event, "/type") {
            "frame-snapshot" => (
                text(event, "/snapshot/pageId"),
                text(event, "/snapshot/callId"),
            ),
            _ => (text(event, "/pageId"), text(event, "/callId")),
        };
        if page.is_empty() || action.is_empty() {
            continue;
        }
        let next = numbers.len();
        pages.insert(action, *numbers.entry(page).or_insert(next));
    }
    pages
}

/// What looks and does nothing, or is done to the browser around the page.
fn is_harmless(class: &str, method: &str) -> bool {
    match class {
        "Frame" => matches!(
            method,
            "ariaSnapshot"
                | "content"
                | "frameElement"
                | "getAttribute"
                | "highlight"
                | "innerHTML"
                | "innerText"
                | "inputValue"
                | "isChecked"
                | "isDisabled"
                | "isEditable"
                | "isEnabled"
                | "isHidden"
                | "isVisible"
                | "queryCount"
                | "querySelector"
                | "querySelectorAll"
                | "resolveSelector"
                | "textContent"
                | "title"
                | "waitForLoadState"
                | "waitForTimeout"
        ),
        "Page" => matches!(
            method,
            "bringToFront"
                | "expectScreenshot"
                | "requestGC"
                | "screenshot"
                | "updateSubscription"
                | "waitForEventInfo"
        ),
        "BrowserContext" => matches!(
            method,
            "close"
                | "cookies"
                | "newPage"
                | "pause"
                | "setDefaultTimeoutNoReply"
                | "storageState"
                | "updateSubscription"
                | "waitForEventInfo"
        ),
        "Browser" | "BrowserType" | "Playwright" | "LocalUtils" | "Root" | "Tracing" | "Test" => {
            true
        }
        _ => false,
    }
}

/// `page.keyboard.press('Enter')`, `page.goBack()`
fn on_page(method: &str, params: &Value) -> Vec<Link> {
    let keyboard = |name: &str, key: &str| {
        let keyboard = Link {
            name: "keyboard".to_owned(),
            arguments: None,
        };
        vec![keyboard, call(name, vec![literal(text(params, key))])]
    };
    match method {
        "keyboardPress" => keyboard("press", "/key"),
        "keyboardDown" => keyboard("down", "/key"),
        "keyboardUp" => keyboard("up", "/key"),
        "keyboardType" => keyboard("type", "/text"),
        "keyboardInsertText" => keyboard("insertText", "/text"),
        "setViewportSize" => {
            let size = params.get("viewportSize").cloned().unwrap_or_default();
            vec![call(method, vec![Argument::Literal(size)])]
        }
        _ => vec![call(method, Vec::new())],
    }
}

/// `expect(page.locator('#a')).toBeVisible()`
fn expectation(method: &str, params: &Value) -> Vec<Link> {
    let is_not = params.get("isNot") == Some(&Value::Bool(true));
    let what = match method {
        "waitForSelector" => text(params, "/state"),
        _ => text(params, "/expression"),
    };
    let (check, arguments) = match (what, is_not) {
        ("to.be.visible", false) | ("to.be.hidden", true) => ("toBeVisible", Vec::new()),
        ("to.be.hidden", false) | ("to.be.visible", true) => ("toBeHidden", Vec::new()),
        ("to.be.attached", false) => ("toBeAttached", Vec::new()),
        ("to.have.count", false) => {
            let number = params.get("expectedNumber").cloned().unwrap_or_default();
            ("toHaveCount", vec![Argument::Literal(number)])
        }
        ("visible" | "", false) if method == "waitForSelector" => ("toBeVisible", Vec::new()),
        ("hidden" | "detached", false) => ("toBeHidden", Vec::new()),
        ("attached", false) => ("toBeAttached", Vec::new()),
        (what, _) => (what, Vec::new()),
    };
    let way = links_of(text(params, "/selector"));
    vec![
        call("expect", vec![Argument::Chain("page".to_owned(), way)]),
        call(check, arguments),
    ]
}

/// What is said of a click besides where, as it is written.
fn press_options(params: &Value) -> Value {
    let known = ["position", "button", "modifiers", "clickCount"];
    let said = known.iter().filter_map(|name| {
        let value = params.get(*name).filter(|value| !value.is_null())?;
        let is_empty = value.as_array().is_some_and(Vec::is_empty);
        (!is_empty).then(|| ((*name).to_owned(), value.clone()))
    });
    Value::Object(said.collect())
}

/// The options that were chosen, by what they are called.
fn options(params: &Value) -> Option<Value> {
    let options = params.get("options")?.as_array()?;
    let called = options.iter().map(|option| {
        let names = ["valueOrLabel", "value", "label"];
        names.iter().find_map(|name| option.get(*name)?.as_str())
    });
    called.collect::<Option<Vec<&str>>>().map(|all| json!(all))
}
