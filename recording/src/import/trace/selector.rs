//! What Playwright finds elements by, as it is in a trace, as it is written in a test.
//!
//! `internal:role=list >> internal:role=button[name="Buy"i] >> nth=0` becomes what
//! `getByRole('list').getByRole('button', { name: 'Buy' }).nth(0)` is read as.

use js_analysis::call_chains::{Argument, Link};
use serde_json::{Map, Value, json};

use super::{call, literal};

/// The links from the page to what a selector finds.
pub(super) fn links_of(selector: &str) -> Vec<Link> {
    parts(selector).into_iter().map(link).collect()
}

/// What is between `>>` that are in no quotes.
fn parts(selector: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut quote, mut is_escaped) = (0, None, false);
    for (at, sign) in selector.char_indices() {
        match (quote, sign) {
            _ if is_escaped => is_escaped = false,
            (_, '\\') => is_escaped = true,
            (Some(open), sign) if open == sign => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(sign),
            (None, '>') if at >= begin && selector[at..].starts_with(">>") => {
                parts.push(selector[begin..at].trim());
                begin = at + 2;
            }
            _ => {}
        }
    }
    parts.push(selector[begin..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn link(part: &str) -> Link {
    let (engine, body) = match part.split_once('=') {
        Some((engine, body))
            if engine
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, ':' | '-')) =>
        {
            (engine, body)
        }
        _ => ("", part),
    };
    let by_text = |name: &str| {
        let (argument, is_exact) = quoted(body);
        let mut arguments = vec![argument];
        if is_exact {
            arguments.push(Argument::Literal(json!({ "exact": true })));
        }
        call(name, arguments)
    };
    match engine {
        "internal:role" => by_role(body),
        "internal:text" => by_text("getByText"),
        "internal:label" => by_text("getByLabel"),
        "internal:attr" => by_attribute(body),
        "internal:testid" => match attributes(body).into_iter().next() {
            Some((name, argument)) if name == "data-testid" => call("getByTestId", vec![argument]),
            Some((name, Argument::Literal(Value::String(value)))) => call(
                "locator",
                vec![literal(format!("[{name}={}]", json!(value)))],
            ),
            _ => call("getByTestId", vec![Argument::Unknown]),
        },
        "internal:control" if body == "enter-frame" => call("contentFrame", Vec::new()),
        "nth" => {
            let index = body.parse::<i64>().map_or(Value::Null, Value::from);
            call("nth", vec![Argument::Literal(index)])
        }
        engine if engine.starts_with("internal:") || engine == "visible" => {
            call("filter", Vec::new())
        }
        _ => call("locator", vec![literal(part)]),
    }
}

/// `button[name="Buy"i][checked=true]`
fn by_role(body: &str) -> Link {
    let (role, conditions) = match body.find('[') {
        Some(at) => body.split_at(at),
        None => (body, ""),
    };
    let mut options = Map::new();
    for (name, argument) in attributes(conditions) {
        match argument {
            Argument::Literal(value) => options.insert(name, value),
            _ => return call("getByRole", vec![literal(role), Argument::Unknown]),
        };
    }
    let mut arguments = vec![literal(role)];
    if !options.is_empty() {
        arguments.push(Argument::Literal(Value::Object(options)));
    }
    call("getByRole", arguments)
}

/// `[placeholder="Search"i]`
fn by_attribute(body: &str) -> Link {
    match attributes(body).into_iter().next() {
        Some((name, argument)) => {
            let by = match name.as_str() {
                "placeholder" => "getByPlaceholder",
                "alt" => "getByAltText",
                "title" => "getByTitle",
                _ => "locator",
            };
            call(by, vec![argument])
        }
        None => call("locator", vec![Argument::Unknown]),
    }
}

/// The names and values of `[a="x"i][b=true]`; what is no literal is unknown.
fn attributes(text: &str) -> Vec<(String, Argument)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest
        .strip_prefix('[')
        .and_then(|inside| inside.split_once('='))
    {
        let (argument, length) = match read_text(after) {
            Some((value, length)) => (literal(value), length),
            None => {
                let length = after.find(']').unwrap_or(after.len());
                let value = match &after[..length] {
                    "true" => Argument::Literal(json!(true)),
                    "false" => Argument::Literal(json!(false)),
                    number => number
                        .parse::<i64>()
                        .map_or(Argument::Unknown, |number| Argument::Literal(json!(number))),
                };
                (value, length)
            }
        };
        found.push((name.to_owned(), argument));
        let Some(end) = after[length..].find(']') else {
            break;
        };
        rest = &after[length + end + 1..];
    }
    found
}

/// `"Buy"i`, `"Buy"s`, where case counts; what is a regular expression is unknown. Whether it is just that text.
fn quoted(text: &str) -> (Argument, bool) {
    match read_text(text) {
        Some((value, length)) => (literal(value), text[length..].starts_with('s')),
        None => (Argument::Unknown, false),
    }
}

/// The text in quotes at the beginning, and how long it is with them.
fn read_text(text: &str) -> Option<(String, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The links as they are written.
    fn written(selector: &str) -> String {
        let argument = |argument: &Argument| match argument {
            Argument::Literal(value) => value.to_string(),
            _ => "?".to_owned(),
        };
        let link = |link: &Link| {
            let given = link.arguments.iter().flatten();
            let given: Vec<String> = given.map(argument).collect();
            format!("{}({})", link.name, given.join(", "))
        };
        let links: Vec<String> = links_of(selector).iter().map(link).collect();
        links.join(".")
    }

    #[test]
    fn selectors_are_read_as_they_are_written_in_tests() {
        for (selector, wanted) in [
            ("#a >> nth=0", r##"locator("#a").nth(0)"##),
            ("css=.a > .b", r#"locator("css=.a > .b")"#),
            ("a[href='x>>y']", r#"locator("a[href='x>>y']")"#),
            ("input[name=q]", r#"locator("input[name=q]")"#),
            ("xpath=//a", r#"locator("xpath=//a")"#),
            (
                r#"internal:role=button[name="Say \"x >> y\" [1]"i][checked=true]"#,
                r#"getByRole("button", {"checked":true,"name":"Say \"x >> y\" [1]"})"#,
            ),
            ("internal:role=row[name=/a]b/i]", r#"getByRole("row", ?)"#),
            ("internal:role=row", r#"getByRole("row")"#),
            (
                r#"internal:text="Buy"s"#,
                r#"getByText("Buy", {"exact":true})"#,
            ),
            ("internal:text=/buy/i", "getByText(?)"),
            (r#"internal:label="Name"i"#, r#"getByLabel("Name")"#),
            (
                r#"internal:attr=[placeholder="Search"i]"#,
                r#"getByPlaceholder("Search")"#,
            ),
            (
                r#"internal:testid=[data-testid="size"s]"#,
                r#"getByTestId("size")"#,
            ),
            (
                r#"internal:testid=[data-qa="a\"b"s]"#,
                r#"locator("[data-qa=\"a\\\"b\"]")"#,
            ),
            (
                "iframe >> internal:control=enter-frame >> #a",
                r##"locator("iframe").contentFrame().locator("#a")"##,
            ),
            (
                r#"li >> internal:has-text="a"i"#,
                r#"locator("li").filter()"#,
            ),
            ("", ""),
        ] {
            assert_eq!(written(selector), wanted, "{selector}");
        }
    }
}
