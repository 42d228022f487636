//! Questions about an element that a person has picked: of its text, its value, an attribute, a style.
//!
//! A query names an element by its id or a selector, or by the way to it from the document where it is in a shadow tree
//! (`docs/reference/queries.md`).

use serde::{Deserialize, Serialize};

/// An element that was picked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picked {
    /// How a query names it, such as `document.getElementById("total")`.
    pub path: String,
    /// What a person calls it, such as `li.total`.
    pub label: String,
}

/// A function of JavaScript that says of a node what [`Picked`] has; of a text it is the element around it. It gives
/// nothing for a node of another document.
pub const DESCRIBE_ELEMENT: &str = "((node) => {
  if (!(node instanceof Element)) node = node?.parentElement;
  if (!node) return null;
  const name = node.id ? `#${node.id}` : [...node.classList].map((it) => `.${it}`).join('');
  const label = node.localName + name;
  const within = (node, root) => {
    const alone = (selector) => root.querySelectorAll(selector).length === 1;
    if (node.id && alone(`#${CSS.escape(node.id)}`)) return `.getElementById(${JSON.stringify(node.id)})`;
    const parts = [];
    for (let it = node; it; it = it.parentElement) {
      const id = it.id ? `#${CSS.escape(it.id)}` : '';
      const place = [...it.parentNode.children].indexOf(it) + 1;
      const ends = id !== '' && alone(id) ? id : it === document.documentElement ? it.localName : '';
      parts.unshift(ends || `${CSS.escape(it.localName)}:nth-child(${place})`);
      if (ends !== '') break;
    }
    const selector = parts.join(' > ');
    if (root.querySelector(selector) === node) return `.querySelector(${JSON.stringify(selector)})`;
    // In a shadow tree, which no element is the root of, another may come first.
    const way = [];
    for (let it = node; it !== root; it = it.parentNode) way.unshift(`.children[${[...it.parentNode.children].indexOf(it)}]`);
    return way.join('');
  };
  const steps = [];
  for (;;) {
    const root = node.getRootNode();
    steps.unshift(within(node, root));
    if (root === document) return { label, path: ['document', ...steps].join('') };
    if (!(root instanceof ShadowRoot)) return null;
    steps.unshift('.shadowRoot');
    node = root.host;
  }
})";

/// What of an element is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// What it shows.
    Text,
    /// What is typed or chosen in it.
    Value,
    /// An attribute, by its name.
    Attribute(String),
    /// A property of its style, by its name in CSS.
    Style(String),
}

impl Picked {
    /// The query of a kind (`lastChange`, `origin`) for a part, at the point `point`.
    ///
    /// ```
    /// use querypoint::session::element::{Part, Picked};
    /// let picked = Picked { path: "document.body".to_owned(), label: "body".to_owned() };
    /// let query = |part| picked.query("lastChange", "R", &part);
    /// assert_eq!(query(Part::Text), "lastChange(R:document.body.textContent)");
    /// assert_eq!(query(Part::Attribute("data-id".to_owned())), r#"lastChange(R:document.body.attributes["data-id"].value)"#);
    /// assert_eq!(query(Part::Style("border-top-color".to_owned())), "lastChange(R:document.body.style.borderTopColor)");
    /// ```
    #[must_use]
    pub fn query(&self, kind: &str, point: &str, part: &Part) -> String {
        format!("{kind}({point}:{})", self.reference(part))
    }

    /// What gives a part, in a query and in the page.
    #[must_use]
    pub fn reference(&self, part: &Part) -> String {
        let member = match part {
            Part::Text => ".textContent".to_owned(),
            Part::Value => ".value".to_owned(),
            Part::Attribute(name) => format!(".attributes[{}].value", text(name)),
            Part::Style(name) => format!(".style.{}", camel_case(name)),
        };
        format!("{}{member}", self.path)
    }
}

/// A text of JavaScript; JSON is written alike.
fn text(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// The name under which scripts know a property of CSS.
fn camel_case(name: &str) -> String {
    let mut words = name.trim_start_matches('-').split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let mut letters = word.chars();
        let initial = letters.next().map(|letter| letter.to_ascii_uppercase());
        name + &initial.into_iter().chain(letters).collect::<String>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    #[test]
    fn every_part_can_be_asked_about() {
        let picked = Picked {
            path: "document.querySelector(\"shop-cart\").shadowRoot.querySelector(\"li:nth-child(2)\")".to_owned(),
            label: "li".to_owned(),
        };
        for part in [
            Part::Text,
            Part::Value,
            Part::Attribute("class".to_owned()),
            Part::Attribute("data-\"x\"".to_owned()),
            Part::Style("color".to_owned()),
            Part::Style("-webkit-text-fill-color".to_owned()),
        ] {
            let text = picked.query("lastChange", "R", &part);
            let query = Query::parse(&text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(query.to_string(), text);
        }
    }
}
