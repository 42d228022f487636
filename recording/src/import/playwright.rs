//! A test of Playwright, as `npx playwright codegen` writes it, as a recording.
//!
//! ```js
//! await page.goto('http://localhost/shop.html');
//! await page.getByRole('button', { name: 'Buy' }).click();
//! ```
//! becomes
//! ```json
//! { "type": "navigate", "url": "http://localhost/shop.html" },
//! { "type": "click", "selectors": [["aria/Buy[role=\"button\"]"]], "offsetX": 1, "offsetY": 1, "querypoint": { "middle": true } }
//! ```

use js_analysis::call_chains::{Argument, CallChain, Link};
use serde_json::{Value, json};

/// Steps, and what of the test is none.
#[derive(Debug, Default, PartialEq)]
pub struct Imported {
    /// The steps, as they are in a recording.
    pub steps: Vec<Value>,
    /// Lines that no step was made of.
    pub unmapped: Vec<Unmapped>,
}

/// A statement that no step was made of.
#[derive(Debug, PartialEq)]
pub struct Unmapped {
    /// From 1.
    pub line: u32,
    /// As it is written.
    pub text: String,
    /// Why it has no counterpart.
    pub why: String,
}

type Why = &'static str;

/// The steps of a test.
pub fn from_playwright(chains: &[CallChain]) -> Imported {
    let mut imported = Imported::default();
    import(chains, &mut imported);
    imported
}

fn import(chains: &[CallChain], imported: &mut Imported) {
    for chain in chains {
        if let Some(body) = body_of_test(chain) {
            import(body, imported);
            continue;
        }
        let mapped = if chain.links.iter().any(|link| link.name == "waitForURL") {
            go_to_with_last(&mut imported.steps, chain)
        } else {
            steps_of(chain).map(|steps| imported.steps.extend(steps))
        };
        if let Err(why) = mapped {
            imported.unmapped.push(Unmapped {
                line: chain.line,
                text: chain.text.clone(),
                why: why.to_owned(),
            });
        }
    }
}

/// What is in the function of `test('…', async ({ page }) => { … })`, and of `test.describe`, `test.step` and the like.
fn body_of_test(chain: &CallChain) -> Option<&[CallChain]> {
    let (first, last) = (chain.links.first()?, chain.links.last()?);
    let is_test = match chain.root.as_str() {
        "" => first.name == "test",
        root => root == "test",
    };
    let body = last
        .arguments
        .iter()
        .flatten()
        .find_map(|given| match given {
            Argument::Function(body) => Some(body.as_slice()),
            _ => None,
        });
    body.filter(|_| is_test)
}

/// `page.waitForURL(…)`: the step before it goes there.
fn go_to_with_last(steps: &mut [Value], chain: &CallChain) -> Result<(), Why> {
    let url = chain.links.first().and_then(|link| text(link, 0));
    let url = url.ok_or("the address is no literal")?;
    let last = steps.last_mut().ok_or("there is no step before it")?;
    last["assertedEvents"] = json!([{ "type": "navigation", "url": url, "title": "" }]);
    Ok(())
}

fn steps_of(chain: &CallChain) -> Result<Vec<Value>, Why> {
    if chain.root.is_empty() {
        return expectation(chain);
    }
    if chain.root != "page" {
        return Err(
            "only what is done on `page` itself is known, not on other tabs, requests or dialogs",
        );
    }
    let Some((action, way)) = chain.links.split_last() else {
        return Ok(Vec::new());
    };
    match way {
        [] => on_page(action),
        [keyboard] if keyboard.name == "keyboard" && keyboard.arguments.is_none() => keys(action),
        way => on_element(way, action),
    }
}

fn on_page(action: &Link) -> Result<Vec<Value>, Why> {
    Ok(match action.name.as_str() {
        "goto" => {
            let url = text(action, 0).ok_or("the address is no literal")?;
            vec![json!({ "type": "navigate", "url": url })]
        }
        "setViewportSize" => {
            let size = value(action, 0).ok_or("the size is no literal")?;
            let side = |name: &str| {
                size.get(name)
                    .and_then(Value::as_f64)
                    .map(|side| side as u32)
            };
            let (Some(width), Some(height)) = (side("width"), side("height")) else {
                return Err("the size is no literal");
            };
            vec![json!({
                "type": "setViewport", "width": width, "height": height, "deviceScaleFactor": 1,
                "isMobile": false, "hasTouch": false, "isLandscape": width > height,
            })]
        }
        "close" => vec![json!({ "type": "close" })],
        "waitForFunction" => {
            let expression = text(action, 0).ok_or("the condition is no literal")?;
            vec![json!({ "type": "waitForExpression", "expression": expression })]
        }
        "goBack" => vec![history(-1)],
        "goForward" => vec![history(1)],
        // `page.click('#a')`: as Playwright was written before it had locators.
        name if is_action(name) => {
            let selector = text(action, 0).ok_or("the selector is no literal")?;
            let rest = action.arguments.as_deref().and_then(|given| given.get(1..));
            let action = Link {
                name: name.to_owned(),
                arguments: Some(rest.unwrap_or_default().to_vec()),
            };
            act(&json!([[selector_of(selector)]]), &action)?
        }
        _ => return Err("it has no counterpart"),
    })
}

fn history(delta: i32) -> Value {
    json!({ "type": "customStep", "name": "querypoint/history", "parameters": { "delta": delta } })
}

/// `page.keyboard.press('Enter')`
fn keys(action: &Link) -> Result<Vec<Value>, Why> {
    let keys = text(action, 0).ok_or("the key is no literal")?;
    match action.name.as_str() {
        "press" => Ok(pressed(keys)),
        "down" => Ok(vec![json!({ "type": "keyDown", "key": keys })]),
        "up" => Ok(vec![json!({ "type": "keyUp", "key": keys })]),
        "type" | "insertText" => Ok(keys
            .chars()
            .flat_map(|key| pressed(&key.to_string()))
            .collect()),
        _ => Err("it has no counterpart"),
    }
}

/// The steps of `Control+Shift+A`.
fn pressed(keys: &str) -> Vec<Value> {
    // The key `+` itself is the last.
    let cut = keys
        .char_indices()
        .rev()
        .skip(1)
        .find(|(_, sign)| *sign == '+');
    let (held, key) = cut.map_or(("", keys), |(at, _)| (&keys[..at], &keys[at + 1..]));
    let held: Vec<&str> = held
        .split('+')
        .filter(|name| !name.is_empty())
        .map(|name| {
            if name == "ControlOrMeta" {
                "Control"
            } else {
                name
            }
        })
        .collect();
    let down = |key: &str| json!({ "type": "keyDown", "key": key });
    let up = |key: &str| json!({ "type": "keyUp", "key": key });
    let mut steps: Vec<Value> = held.iter().map(|key| down(key)).collect();
    steps.extend([down(key), up(key)]);
    steps.extend(held.iter().rev().map(|key| up(key)));
    steps
}

fn is_action(name: &str) -> bool {
    matches!(
        name,
        "click"
            | "dblclick"
            | "tap"
            | "fill"
            | "type"
            | "pressSequentially"
            | "press"
            | "check"
            | "uncheck"
            | "setChecked"
            | "selectOption"
            | "hover"
            | "focus"
            | "clear"
    )
}

fn on_element(way: &[Link], action: &Link) -> Result<Vec<Value>, Why> {
    act(&selectors(way)?, action)
}

/// What is done to the element that these selectors find.
fn act(selectors: &Value, action: &Link) -> Result<Vec<Value>, Why> {
    let change = |value: &str| json!({ "type": "change", "selectors": selectors, "value": value });
    Ok(match action.name.as_str() {
        "click" | "tap" => vec![press("click", selectors, action)?],
        "dblclick" => vec![press("doubleClick", selectors, action)?],
        "hover" => vec![json!({ "type": "hover", "selectors": selectors })],
        // `codegen` writes it where a box was clicked that was not so before.
        "check" | "uncheck" | "setChecked" => vec![press("click", selectors, &plain())?],
        "clear" => vec![change("")],
        "fill" | "type" | "pressSequentially" => {
            vec![change(text(action, 0).ok_or("the text is no literal")?)]
        }
        "selectOption" => match value(action, 0) {
            Some(Value::String(option)) => vec![change(option)],
            Some(Value::Array(options)) => match options.as_slice() {
                [Value::String(option)] => vec![change(option)],
                _ => return Err("several options are chosen at once"),
            },
            _ => return Err("the option is no literal text"),
        },
        "press" => {
            let keys = text(action, 0).ok_or("the key is no literal")?;
            let mut steps = vec![press("click", selectors, &plain())?];
            steps.extend(pressed(keys));
            steps
        }
        "focus" => return Err("nothing focuses an element but what is done to it"),
        _ => return Err("it has no counterpart"),
    })
}

/// An action without anything special about it.
fn plain() -> Link {
    Link {
        name: "click".to_owned(),
        arguments: None,
    }
}

fn press(kind: &str, selectors: &Value, action: &Link) -> Result<Value, Why> {
    let none = json!({});
    let options = match action.arguments.as_deref() {
        None | Some([]) => &none,
        Some([Argument::Literal(options)]) => options,
        Some(_) => return Err("its options are no literals"),
    };
    let mut step = json!({ "type": kind, "selectors": selectors, "offsetX": 1, "offsetY": 1 });
    match (
        options.pointer("/position/x"),
        options.pointer("/position/y"),
    ) {
        (Some(x), Some(y)) => {
            step["offsetX"] = x.clone();
            step["offsetY"] = y.clone();
        }
        _ => step["querypoint"] = json!({ "middle": true }),
    }
    match options.get("button").and_then(Value::as_str) {
        None | Some("left") => {}
        Some("right") => step["button"] = json!("secondary"),
        Some("middle") => step["button"] = json!("auxiliary"),
        Some(_) => return Err("there is no such button"),
    }
    if options.get("modifiers").is_some() {
        return Err("keys are held while it is clicked");
    }
    if options
        .get("clickCount")
        .is_some_and(|count| count.as_f64() != Some(1.0))
    {
        return Err("it is clicked several times");
    }
    if action.name == "tap" {
        step["deviceType"] = json!("touch");
    }
    Ok(step)
}

/// `expect(page.locator('#a')).toBeVisible()`: waits for it, as the test does.
fn expectation(chain: &CallChain) -> Result<Vec<Value>, Why> {
    let [expect, check] = chain.links.as_slice() else {
        return Err("it has no counterpart");
    };
    let way = match expect.arguments.as_deref() {
        Some([Argument::Chain(root, way)]) if expect.name == "expect" && root == "page" => way,
        _ => return Err("only what is expected of an element is known"),
    };
    if way.is_empty() {
        return Err("only what is expected of an element is known");
    }
    let mut step = json!({ "type": "waitForElement", "selectors": selectors(way)? });
    match check.name.as_str() {
        "toBeVisible" => step["visible"] = json!(true),
        "toBeHidden" => step["visible"] = json!(false),
        "toBeAttached" => {}
        "toHaveCount" => {
            let count = value(check, 0)
                .and_then(Value::as_f64)
                .ok_or("the number is no literal")?;
            step["operator"] = json!("==");
            step["count"] = json!(count as u64);
        }
        _ => return Err("a recording asserts nothing but that elements are there"),
    }
    Ok(vec![step])
}

/// The selectors for what a way from the page leads to.
fn selectors(way: &[Link]) -> Result<Value, Why> {
    let mut css: Vec<String> = Vec::new();
    let mut other = None;
    for link in way {
        let is_first = css.is_empty() && other.is_none();
        match link.name.as_str() {
            // The first is what is meant where there are several.
            "first" => continue,
            "nth" if value(link, 0).and_then(Value::as_f64) == Some(0.0) => continue,
            "last" | "nth" => return Err("it is not the first of those that are found"),
            "filter" | "and" | "or" => return Err("what is found is chosen from again"),
            "frameLocator" | "contentFrame" => return Err("it is in a frame"),
            _ => {}
        }
        let found = located(link)?;
        match found {
            Found::Css(selector) if other.is_none() => css.push(selector),
            Found::Other(selector) if is_first => other = Some(selector),
            _ => return Err("it is looked for in what another selector finds"),
        }
    }
    Ok(match other {
        Some(selector) => json!([[selector]]),
        None => json!([[css.join(" ")]]),
    })
}

/// What one link finds.
enum Found {
    /// CSS, which can be put behind other CSS.
    Css(String),
    /// A selector of the recording's.
    Other(String),
}

fn located(link: &Link) -> Result<Found, Why> {
    let sought = text(link, 0).ok_or("what is looked for is no literal text")?;
    let attribute = |name: &str| Found::Css(format!("[{name}={}]", json!(sought)));
    Ok(match link.name.as_str() {
        "getByRole" => {
            let options = value(link, 1);
            let name = options.and_then(|options| options.get("name"));
            let name = name.and_then(Value::as_str).unwrap_or_default();
            let has_more = options
                .and_then(Value::as_object)
                .is_some_and(|options| options.keys().any(|key| key != "name" && key != "exact"));
            if has_more
                || link
                    .arguments
                    .as_ref()
                    .is_some_and(|given| given.len() > 1 && options.is_none())
            {
                return Err("the role has conditions besides a name");
            }
            Found::Other(format!("aria/{name}[role=\"{sought}\"]"))
        }
        "getByText" => Found::Other(format!("text/{sought}")),
        "getByLabel" => Found::Other(format!("aria/{sought}")),
        "getByPlaceholder" => attribute("placeholder"),
        "getByTestId" => attribute("data-testid"),
        "getByAltText" => attribute("alt"),
        "getByTitle" => attribute("title"),
        "locator" => match selector_of(sought) {
            selector if selector.starts_with("xpath/") || selector.starts_with("text/") => {
                Found::Other(selector)
            }
            selector => Found::Css(selector),
        },
        _ => return Err("it has no counterpart"),
    })
}

/// A selector of Playwright's as one of a recording.
fn selector_of(selector: &str) -> String {
    if let Some(xpath) = selector.strip_prefix("xpath=") {
        return format!("xpath/{xpath}");
    }
    if selector.starts_with("//") || selector.starts_with("..") {
        return format!("xpath/{selector}");
    }
    if let Some(text) = selector.strip_prefix("text=") {
        return format!("text/{}", text.trim_matches(['"', '\'']));
    }
    selector.strip_prefix("css=").unwrap_or(selector).to_owned()
}

fn value(link: &Link, index: usize) -> Option<&Value> {
    match link.arguments.as_ref()?.get(index)? {
        Argument::Literal(value) => Some(value),
        _ => None,
    }
}

fn text(link: &Link, index: usize) -> Option<&str> {
    value(link, index)?.as_str()
}

#[cfg(test)]
mod tests {
    use crate::Recording;
    use js_analysis::call_chains::call_chains;

    use super::*;

    /// The steps in words, and what is left out.
    fn imported(body: &str) -> (Vec<String>, Vec<String>) {
        let source = format!("test('t', async ({{ page }}) => {{\n{body}\n}});");
        let Imported { steps, unmapped } = from_playwright(&call_chains(&source).unwrap());
        let recording =
            Recording::parse(&json!({ "title": "t", "steps": steps }).to_string()).unwrap();
        let steps = recording.steps.iter().map(|step| step.describe()).collect();
        let left_out = unmapped
            .iter()
            .map(|left| format!("{}: {}", left.line, left.why));
        (steps, left_out.collect())
    }

    #[test]
    fn what_codegen_writes_becomes_steps() {
        let (steps, left_out) = imported(
            "await page.goto('http://h/');
await page.setViewportSize({ width: 800, height: 600 });
await page.getByRole('button', { name: 'Add to \"cart\"', exact: true }).first().click();
await page.getByLabel('Name').fill(`Ada`);
await page.getByPlaceholder('Search').press('Control+Enter');
await page.locator('#list').locator('.row').dblclick({ button: 'right', position: { x: 3, y: 4 } });
await page.locator('xpath=//a').hover();
await page.getByText('Buy').tap();
await page.getByTestId('size').selectOption(['large']);
await page.getByRole('checkbox').check();
await page.click('text=\"More\"');
await page.keyboard.press('+');
await expect(page.getByText('Thank you')).toBeVisible();
await expect(page.locator('li')).toHaveCount(2);
await page.waitForFunction('window.ready');
await page.goBack();
await page.close();",
        );
        assert_eq!(left_out, Vec::<String>::new());
        insta::assert_snapshot!(steps.join("\n"));
    }

    #[test]
    fn what_has_no_counterpart_is_named_with_its_line() {
        let (steps, left_out) = imported(
            "await page.locator('li').nth(2).click();
await page1.click('#a');
await page.locator('#a').click({ modifiers: ['Shift'] });
await page.locator(name).click();
await page.frameLocator('iframe').locator('#a').click();
await page.route('**/*', (route) => route.abort());
await expect(page.locator('#a')).toHaveText('x');
await expect(page).toHaveURL('http://h/');
await page.getByRole('row').getByRole('button').click();
await page.getByRole('button', { name: /Buy/ }).click();
await page.waitForURL('http://h/');
const title = await page.title();",
        );
        assert_eq!(steps, Vec::<String>::new());
        let lines: Vec<&str> = left_out
            .iter()
            .map(|left| left.split(':').next().unwrap())
            .collect();
        assert_eq!(
            lines,
            ["2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"],
            "{left_out:#?}"
        );
    }

    #[test]
    fn going_somewhere_belongs_to_the_step_before() {
        let chains = call_chains("page.click('#a'); page.waitForURL('http://h/b');").unwrap();
        let Imported { steps, unmapped } = from_playwright(&chains);
        assert_eq!(unmapped, []);
        assert_eq!(steps[0]["assertedEvents"][0]["url"], "http://h/b");
    }
}
