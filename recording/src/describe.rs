//! What steps are called when they are spoken of.

use serde_json::Value;

use super::SelectorChain;
use super::step::{Comparison, MouseButton, Step, StepKind};

impl Step {
    /// How long the user thought before it, in milliseconds, if that is known.
    #[must_use]
    pub fn think_ms(&self) -> Option<u64> {
        self.ours("afterMs").and_then(Value::as_u64)
    }

    /// [`Self::describe`], and how long the user thought before, where that was a tenth of a second at least.
    ///
    /// ```
    /// use recording::Recording;
    /// let text = r##"{ "title": "", "steps": [
    ///     { "type": "navigate", "url": "http://h/", "querypoint": { "afterMs": 40 } },
    ///     { "type": "click", "selectors": [["#pay"]], "offsetX": 1, "offsetY": 1, "querypoint": { "afterMs": 1234 } }
    /// ] }"##;
    /// let recording = Recording::parse(text).unwrap();
    /// let steps: Vec<String> = recording.steps.iter().map(|step| step.describe_with_think_time()).collect();
    /// assert_eq!(steps, ["navigate to http://h/", "click #pay, after 1.2 s"]);
    /// ```
    #[must_use]
    pub fn describe_with_think_time(&self) -> String {
        let step = self.describe();
        match self.think_ms().unwrap_or(0) / 100 {
            0 => step,
            tenths => format!("{step}, after {}.{} s", tenths / 10, tenths % 10),
        }
    }
}

impl Step {
    /// A few words for a person, such as `click #myButton`.
    #[must_use]
    pub fn describe(&self) -> String {
        let name = self.kind.name();
        match &self.kind {
            StepKind::Navigate { url } => format!("navigate to {url}"),
            StepKind::SetViewport(viewport) => {
                format!("set the viewport to {}×{}", viewport.width, viewport.height)
            }
            StepKind::EmulateNetworkConditions { .. } => "emulate network conditions".to_owned(),
            StepKind::Click(pointer) | StepKind::DoubleClick(pointer) => {
                let verb = if name == "click" {
                    "click"
                } else {
                    "double-click"
                };
                match pointer.button {
                    MouseButton::Primary => format!("{verb} {}", first(&pointer.selectors)),
                    button => format!(
                        "{verb} {} ({} button)",
                        first(&pointer.selectors),
                        button.word()
                    ),
                }
            }
            StepKind::Hover { selectors } => format!("hover {}", first(selectors)),
            StepKind::Change { selectors, .. } if self.ours("secret").is_some() => {
                format!("change {} to a secret", first(selectors))
            }
            StepKind::Change { selectors, value } => {
                format!(
                    "change {} to {}",
                    first(selectors),
                    short(&format!("{value:?}"))
                )
            }
            StepKind::KeyDown { key } => format!("press {key}"),
            StepKind::KeyUp { key } => format!("release {key}"),
            StepKind::Scroll { selectors, x, y } => {
                let what = if selectors.is_empty() {
                    "the page".to_owned()
                } else {
                    first(selectors)
                };
                format!("scroll {what} to {}, {}", coordinate(*x), coordinate(*y))
            }
            StepKind::WaitForElement(wait) => match (wait.operator, wait.count) {
                (Comparison::AtLeast, 1) => format!("wait for {}", first(&wait.selectors)),
                (operator, count) => {
                    let comparison = match operator {
                        Comparison::AtLeast => "at least",
                        Comparison::Exactly => "exactly",
                        Comparison::AtMost => "at most",
                    };
                    format!("wait for {comparison} {count} × {}", first(&wait.selectors))
                }
            },
            StepKind::WaitForExpression { expression } => format!("wait for {}", short(expression)),
            StepKind::Close => match self.target.as_deref() {
                None | Some("main") => "close the page".to_owned(),
                Some(other) => format!("close {}", short(other)),
            },
            StepKind::Drag(drag) => match &drag.onto {
                None => format!("drag on {}", first(&drag.from.selectors)),
                Some(onto) => format!(
                    "drag {} onto {}",
                    first(&drag.from.selectors),
                    first(&onto.selectors)
                ),
            },
            StepKind::Wheel(wheel) => format!("turn the wheel over {}", first(&wheel.selectors)),
            StepKind::Files(files) => {
                let names: Vec<&str> = files.files.iter().map(|file| file.name.as_str()).collect();
                let names = match names.as_slice() {
                    [] => "no file".to_owned(),
                    names => short(&names.join(", ")),
                };
                format!("choose {names} for {}", first(&files.selectors))
            }
            StepKind::History(history) => {
                let way = if history.delta < 0 { "back" } else { "forward" };
                match history.delta.unsigned_abs() {
                    1 => format!("go {way}"),
                    pages => format!("go {way} {pages} pages"),
                }
            }
            StepKind::CustomStep { name, .. } => format!("custom step {name}"),
        }
    }
}

/// The first alternative, which Recorder holds for the best.
fn first(selectors: &[SelectorChain]) -> String {
    selectors
        .first()
        .map_or_else(|| "nothing".to_owned(), |chain| short(&chain.to_string()))
}

fn coordinate(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| value.to_string())
}

/// At most 60 characters on one line.
fn short(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    if line.chars().count() <= 60 {
        line
    } else {
        line.chars().take(59).chain(['…']).collect()
    }
}
