//! Which of the text nodes of an element are in what a property of it shows.

use querypoint::answer::{Value as Preview, ValueType};

use crate::agent_message::NodeText;

/// The texts of those that are told which are in what is shown, in their order; `None`: it has others.
pub(super) fn as_shown<'n>(
    texts: Vec<&'n NodeText>,
    shown: &Preview,
    key: &str,
) -> Option<Vec<&'n NodeText>> {
    if shown.kind != ValueType::String {
        return None;
    }
    let (whole, is_cut) = match serde_json::from_str::<String>(&shown.text) {
        Ok(whole) => (whole, false),
        Err(_) => (beginning(&shown.text)?, true),
    };
    let is_laid_out = matches!(key, "innerText" | "outerText");
    let form = |text: &str| {
        let text = match key {
            "innerHTML" | "outerHTML" => text
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('\u{a0}', "&nbsp;"),
            _ if is_laid_out => text.to_lowercase(),
            _ => text.to_owned(),
        };
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let whole = form_of_whole(&whole, is_laid_out);
    let mut rest = whole.as_str();
    let mut found = Vec::new();
    for text in texts {
        let own = form(&text.text);
        match rest.find(&own) {
            Some(at) => {
                rest = rest.get(at + own.len()..)?;
                found.push(text);
            }
            // What is behind the part that is known is taken as it is told.
            None if is_cut => {
                rest = "";
                found.push(text);
            }
            // A style hides it.
            None if is_laid_out => {}
            None => return None,
        }
    }
    Some(found)
}

fn form_of_whole(text: &str, is_laid_out: bool) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match is_laid_out {
        true => words.to_lowercase(),
        false => words,
    }
}

/// The beginning of a text that an answer has cut.
fn beginning(text: &str) -> Option<String> {
    let mut text = text.strip_suffix('…')?.to_owned();
    // The cut may be inside an escape.
    for _ in 0..6 {
        if let Ok(begun) = serde_json::from_str(&format!("{text}\"")) {
            return Some(begun);
        }
        text.pop()?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{NodeText, Preview, as_shown};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn texts_are_taken_where_they_are_shown_in_their_order() {
        let long = "word ".repeat(100);
        for (texts, shown, key, found) in [
            (
                &["Hello ", "Ann"][..],
                "\n Hello Ann",
                "textContent",
                Some(2),
            ),
            (&["a < b", "c"], "<p>a &lt; b</p>c", "innerHTML", Some(2)),
            // A style hides one, another one changes letters.
            (
                &["Hello", "secret", "Ann"],
                "HELLO\nANN",
                "innerText",
                Some(2),
            ),
            // The element had other texts when it was asked.
            (&["Hello", "Bob"], "Hello Ann", "textContent", None),
            (&["Ann", "Hello"], "Hello Ann", "textContent", None),
            // Of a long text only the beginning is known.
            (&["word", "behind the cut"], &long, "textContent", Some(2)),
        ] {
            let texts = texts.iter().map(|text| NodeText {
                text: (*text).to_owned(),
                ..NodeText::default()
            });
            let texts: Vec<NodeText> = texts.collect();
            let shown = Preview::string(shown);
            let taken = as_shown(texts.iter().collect(), &shown, key);
            assert_eq!(taken.map(|it| it.len()), found, "{texts:?} {shown:?}");
        }
    }
}
