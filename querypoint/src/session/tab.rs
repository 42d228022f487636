//! What the tab that a person debugs shows, beside the page that was run for an answer.
//!
//! A page is run anew for each answer, and has what the user did only as far as it is recorded. So it may be another
//! page than the one that they ask about, with other values in it, and an answer about it would mislead.
//! [`TabView::differences`] tells.
//!
//! What the tab shows is of the moment at which it is asked. A query that was typed is of another moment mostly:
//! [`comparable`] says what can be compared then.

use serde::{Deserialize, Serialize};

use super::Session;
use super::stop::Stop;
use crate::answer::{Answer, Value, ValueType, Variable, Watch};
use crate::query::{Query, QueryKind};

/// What is evaluated at each point beside what is watched: the address and the title of the document.
pub const DOCUMENT: [&str; 2] = ["globalThis.document.URL", "globalThis.document.title"];

/// The document that a page had at its reproduction point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
}

/// What a tab shows when something is asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabView {
    /// The document; none: it could not be had.
    pub document: Option<Document>,
    /// What is asked about.
    pub value: TabReading,
}

/// What a tab has for a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TabReading {
    /// This value.
    Value(Value),
    /// Nothing: it is not there.
    Missing,
    /// It is not known.
    Unknown,
}

/// What of a tab can be compared with the answer to a query that was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparable {
    /// The document, and what is asked about: the tab shows the moment of the reproduction point.
    Value,
    /// The document alone: the page was only opened, so it shows what the tab showed then.
    Document,
}

/// What of a tab, which is at `stop`, can be compared with what is asked at the session's reproduction point; none:
/// nothing, for the tab may be anywhere else in what is recorded.
#[must_use]
pub fn comparable(session: &Session, stop: Option<&Stop>) -> Option<Comparable> {
    let at = session.at.as_deref();
    let is_there = match stop {
        Some(stop) => stop.point().as_deref() == at,
        None => at == Some("end"),
    };
    match is_there {
        true => Some(Comparable::Value),
        false if session.recording.is_none() => Some(Comparable::Document),
        false => None,
    }
}

/// What a query asks about at the reproduction point, and in which frame; none: it asks about something else.
///
/// ```
/// use querypoint::session::tab::asked_at_r;
/// assert_eq!(asked_at_r("B = lastChange(R(1):cart.total)"), Some(("cart.total".to_owned(), 1)));
/// assert_eq!(asked_at_r("lastChange(B:cart.total)"), None);
/// assert_eq!(asked_at_r("lastCondition(R)"), None);
/// ```
#[must_use]
pub fn asked_at_r(query: &str) -> Option<(String, i32)> {
    match Query::parse(query).ok()?.kind {
        QueryKind::LastChange(asked) | QueryKind::Origin(asked) | QueryKind::Omitted(asked) => {
            let point = asked.point.as_ref();
            let is_at_r = point.is_none_or(|it| it.is_reproduction_point());
            is_at_r.then(|| (asked.reference.to_string(), asked.frame))
        }
        _ => None,
    }
}

/// Something that is not the same in the tab and in the page that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// What it is.
    pub what: Part,
    /// In the tab; none: it is not there.
    pub in_tab: Option<String>,
    /// In the page that was run; none: it is not there.
    pub in_run: Option<String>,
}

/// What of a tab is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What is asked about.
    Value,
    /// The address of the document.
    Address,
    /// The title of the document.
    Title,
}

impl TabView {
    /// An expression whose value in the tab is what [`Self::read`] understands.
    #[must_use]
    pub fn expression(reference: &str) -> String {
        format!(
            "(() => {{ let value, kind; try {{ value = ({reference}); kind = typeof value; }} catch {{}} \
            return {{ url: document.URL, title: document.title, kind, text: kind === 'symbol' ? '' : `${{value}}` }}; \
            }})()"
        )
    }

    /// What such an expression gave.
    ///
    /// ```
    /// use querypoint::answer::Value;
    /// use querypoint::session::tab::{TabReading, TabView};
    /// let told = serde_json::json!({ "url": "http://h/", "title": "Cart", "kind": "string", "text": "NaN" });
    /// assert_eq!(TabView::read(&told).unwrap().value, TabReading::Value(Value::string("NaN")));
    /// ```
    #[must_use]
    pub fn read(told: &serde_json::Value) -> Option<Self> {
        let text = |name: &str| told.get(name)?.as_str();
        let document = Document {
            url: text("url")?.to_owned(),
            title: text("title")?.to_owned(),
        };
        let value = match (text("kind"), text("text")?) {
            (None, _) => TabReading::Missing,
            (Some("string"), text) => TabReading::Value(Value::string(text)),
            (Some(kind), text) => TabReading::Value(Value::new(ValueType::from_typeof(kind), text)),
        };
        Some(Self {
            document: Some(document),
            value,
        })
    }

    /// What the back end read in the tab: [`DOCUMENT`], and perhaps what is asked about.
    #[must_use]
    pub fn of(read: Vec<Variable>) -> Self {
        let mut value = TabReading::Unknown;
        let (mut url, mut title) = (None, None);
        for it in read {
            match DOCUMENT.iter().position(|name| *name == it.name) {
                Some(0) => url = Some(unquoted(&it.value)),
                Some(_) => title = Some(unquoted(&it.value)),
                None => value = TabReading::Value(it.value),
            }
        }
        let document = url.zip(title).map(|(url, title)| Document { url, title });
        Self { document, value }
    }

    /// What is not the same in the page that was run for the point `name` of the session's answer; nothing, if there is
    /// no such point.
    #[must_use]
    pub fn differences(&self, session: &Session, name: &str) -> Vec<Other> {
        let points = session.answer.iter().flat_map(|answer| &answer.points);
        let Some(point) = points.into_iter().find(|point| point.name == name) else {
            return Vec::new();
        };
        let mut others = Vec::new();
        let mut compare = |what, in_tab: Option<&str>, in_run: Option<&str>, is_same: bool| {
            if !is_same {
                others.push(Other {
                    what,
                    in_tab: in_tab.map(str::to_owned),
                    in_run: in_run.map(str::to_owned),
                });
            }
        };
        let in_run = point.new.as_ref().or(point.value.as_ref());
        let in_tab = match &self.value {
            TabReading::Value(value) => Some(value),
            TabReading::Missing | TabReading::Unknown => None,
        };
        // The text of an object does not tell which it is.
        let is_plain = |value: &Value| {
            use ValueType::{Function, Object, Symbol};
            !matches!(value.kind, Object | Function | Symbol)
        };
        let is_told = self.value != TabReading::Unknown
            && in_tab.is_none_or(is_plain)
            && in_run.is_none_or(is_plain);
        let is_same = !is_told || in_tab == in_run;
        let text = |value: Option<&'_ Value>| value.map(|it| it.text.clone());
        let (in_tab, told) = (text(in_tab), text(in_run));
        compare(Part::Value, in_tab.as_deref(), told.as_deref(), is_same);
        if let (Some(tab), Some(run)) = (&self.document, &session.document) {
            let is_same = is_same_address(&tab.url, &run.url);
            compare(Part::Address, Some(&tab.url), Some(&run.url), is_same);
            let is_same = is_same_text(&tab.title, &run.title);
            compare(Part::Title, Some(&tab.title), Some(&run.title), is_same);
        }
        others
    }
}

/// Whether it is the same page; a file is served by us under another address.
fn is_same_address(tab: &str, run: &str) -> bool {
    let file = |url: &str| {
        let path = url.split(['?', '#']).next().unwrap_or(url);
        path.rsplit('/').next().unwrap_or_default().to_owned()
    };
    is_same_text(tab, run) || tab.starts_with("file:") && file(tab) == file(run)
}

/// Whether it is the same text, where `told` may be cut.
fn is_same_text(text: &str, told: &str) -> bool {
    text == told
        || told
            .strip_suffix('…')
            .is_some_and(|told| text.starts_with(told))
}

/// The text of a string.
fn unquoted(value: &Value) -> String {
    // One that was cut is no JSON any more.
    let whole = serde_json::from_str(&value.text);
    whole.unwrap_or_else(|_| value.text.trim_start_matches('"').to_owned())
}

/// Takes what was evaluated beside the watches out of an answer: the document at the reproduction point.
pub(super) fn take_document(answer: &mut Answer, watches: &[String]) -> Option<Document> {
    let ours = |watch: &Watch, expression: &str| {
        watch.expression == expression && watch.threw != Some(true)
    };
    let document = answer.points.first().and_then(|point| {
        let text = |expression| {
            let watch = point.watches.iter().find(|it| ours(it, expression))?;
            Some(unquoted(&watch.value))
        };
        let [url, title] = DOCUMENT.map(text);
        Some(Document {
            url: url?,
            title: title?,
        })
    });
    for point in &mut answer.points {
        let is_watched = |it: &Watch| {
            !DOCUMENT.contains(&it.expression.as_str()) || watches.contains(&it.expression)
        };
        point.watches.retain(is_watched);
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{PointAnswer, Status};
    use crate::schemas;
    use crate::session::RecordingOutline;

    fn watch(expression: &str, text: &str) -> Watch {
        Watch {
            expression: expression.to_owned(),
            value: Value::string(text),
            threw: None,
        }
    }

    /// A session whose answer is of this document, with a point `B` that became so.
    fn session(url: &str, title: &str, new: &str) -> Session {
        let mut r = PointAnswer::new("R", None, Status::Found);
        r.watches = vec![
            watch("x", "1"),
            watch(DOCUMENT[0], url),
            watch(DOCUMENT[1], title),
        ];
        let mut b = PointAnswer::new("B", None, Status::Found);
        b.watches = r.watches.clone();
        b.new = Some(Value::string(new));
        let session = Session::of_page(url).watching("x").unwrap();
        session.answered(schemas::answer(vec![r, b]))
    }

    fn shown(url: &str, title: &str, text: &str) -> TabView {
        let told =
            serde_json::json!({ "url": url, "title": title, "kind": "string", "text": text });
        TabView::read(&told).unwrap()
    }

    #[test]
    fn the_document_is_no_watch() {
        let session = session("http://h/", "a \"title\"", "");
        let document = session.document.clone().unwrap();
        assert_eq!(
            (document.url.as_str(), document.title.as_str()),
            ("http://h/", "a \"title\"")
        );
        for point in session.answer.unwrap().points {
            assert_eq!(point.watches, [watch("x", "1")]);
        }
    }

    #[test]
    fn what_the_tab_shows_is_compared() {
        let session = session("http://h/cart", "Cart", "0.00");
        let told = |shown: &TabView| -> Vec<(Part, String, String)> {
            let others = shown.differences(&session, "B").into_iter();
            let text = |text: Option<String>| text.unwrap_or_default();
            others
                .map(|it| (it.what, text(it.in_tab), text(it.in_run)))
                .collect()
        };
        let other = |what, tab: &str, run: &str| (what, tab.to_owned(), run.to_owned());
        assert_eq!(told(&shown("http://h/cart", "Cart", "0.00")), []);
        let value = other(Part::Value, "\"NaN\"", "\"0.00\"");
        assert_eq!(told(&shown("http://h/cart", "Cart", "NaN")), [value]);
        let login = [
            other(Part::Address, "http://h/", "http://h/cart"),
            other(Part::Title, "Log in", "Cart"),
        ];
        assert_eq!(told(&shown("http://h/", "Log in", "0.00")), login);
        let mut missing = shown("http://h/cart", "Cart", "");
        missing.value = TabReading::Missing;
        assert_eq!(told(&missing), [other(Part::Value, "", "\"0.00\"")]);
        // An object has no text that could be compared.
        missing.value = TabReading::Value(Value::new(ValueType::Object, "[object Object]"));
        assert_eq!(told(&missing), []);
        // What could not be read is nothing to be said of.
        let variable = |name: &str, value: Value| Variable::new(name.to_owned(), value);
        let document = || {
            let address = variable(DOCUMENT[0], Value::string("http://h/cart"));
            vec![address, variable(DOCUMENT[1], Value::string("Cart"))]
        };
        assert_eq!(told(&TabView::of(document())), []);
        let mut read = document();
        read.push(variable("total", Value::string("NaN")));
        let value = other(Part::Value, "\"NaN\"", "\"0.00\"");
        assert_eq!(told(&TabView::of(read)), [value]);
        // It was asked before another answer.
        assert_eq!(missing.differences(&session, "C"), []);
    }

    #[test]
    fn a_typed_query_is_compared_where_the_tab_shows_its_moment() {
        let stop: Stop = serde_json::from_str(
            r#"{"reason":"breakpoint","frames":[{"function":"f","url":"http://h/app.js","line":22,"column":5}]}"#,
        )
        .unwrap();
        let opened = Session::of_page("http://h/");
        let at = |session: &Session, point: &str| session.stopped_at(point).unwrap();
        let recorded = opened.recorded(Some(RecordingOutline {
            title: String::new(),
            steps: Vec::new(),
            first_action: None,
        }));
        for (session, stop, wanted) in [
            (at(&recorded, "end"), None, Some(Comparable::Value)),
            (at(&recorded, "end"), Some(&stop), None),
            (at(&recorded, "app.js:22:5"), None, None),
            (
                at(&recorded, "app.js:22:5"),
                Some(&stop),
                Some(Comparable::Value),
            ),
            (at(&recorded, "app.js:23:5"), Some(&stop), None),
            (at(&opened, "app.js:22:5"), None, Some(Comparable::Document)),
            (at(&opened, "end"), None, Some(Comparable::Value)),
        ] {
            assert_eq!(comparable(&session, stop), wanted, "{session:?} {stop:?}");
        }
    }

    #[test]
    fn a_file_and_a_long_text_are_the_same() {
        assert!(is_same_address(
            "file:///home/me/shop.html",
            "http://127.0.0.1:9/shop.html"
        ));
        assert!(!is_same_address(
            "file:///home/me/shop.html",
            "http://127.0.0.1:9/login.html"
        ));
        assert!(!is_same_address(
            "http://h/a/shop.html",
            "http://h/shop.html"
        ));
        let long = format!("http://h/{}", "x".repeat(300));
        let session = session(&long, "", "");
        assert_eq!(shown(&long, "", "").differences(&session, "B"), []);
    }
}
