//! What a browser does with a script element: the HTML standard's "prepare the script element".

/// What a script element's content is to the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScriptKind {
    /// A classic script.
    Classic,
    /// A module script.
    Module,
    /// An import map: JSON.
    ImportMap,
    /// Speculation rules: JSON.
    SpeculationRules,
    /// Anything else: a data block, which the browser does not run.
    Data,
}

/// The JavaScript MIME type essence strings of the MIME Sniffing standard.
const JAVASCRIPT_MIME_TYPES: [&str; 16] = [
    "application/ecmascript",
    "application/javascript",
    "application/x-ecmascript",
    "application/x-javascript",
    "text/ecmascript",
    "text/javascript",
    "text/javascript1.0",
    "text/javascript1.1",
    "text/javascript1.2",
    "text/javascript1.3",
    "text/javascript1.4",
    "text/javascript1.5",
    "text/jscript",
    "text/livescript",
    "text/x-ecmascript",
    "text/x-javascript",
];

/// The attributes of a script element that decide what it is; values with character references decoded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TypeAttributes<'a> {
    pub(super) type_: Option<&'a str>,
    pub(super) language: Option<&'a str>,
    pub(super) event: Option<&'a str>,
    pub(super) for_: Option<&'a str>,
}

/// What the browser does with a script element that has these attributes.
pub(super) fn script_kind(attributes: TypeAttributes<'_>) -> ScriptKind {
    let type_string = match (attributes.type_, attributes.language) {
        (Some(""), _) | (None, None | Some("")) => "text/javascript".to_owned(),
        (Some(type_), _) => type_
            .trim_matches(|character: char| matches!(character, '\t' | '\n' | '\x0C' | '\r' | ' '))
            .to_ascii_lowercase(),
        (None, Some(language)) => format!("text/{}", language.to_ascii_lowercase()),
    };
    match type_string.as_str() {
        "module" => ScriptKind::Module,
        "importmap" => ScriptKind::ImportMap,
        "speculationrules" => ScriptKind::SpeculationRules,
        other if JAVASCRIPT_MIME_TYPES.contains(&other) => {
            if is_for_another_event(attributes) {
                ScriptKind::Data
            } else {
                ScriptKind::Classic
            }
        }
        _ => ScriptKind::Data,
    }
}

/// Whether `for` and `event` (an old Internet Explorer feature) keep a classic script from running.
fn is_for_another_event(attributes: TypeAttributes<'_>) -> bool {
    let (Some(for_), Some(event)) = (attributes.for_, attributes.event) else {
        return false;
    };
    let event = event.trim_ascii();
    !(for_.trim_ascii().eq_ignore_ascii_case("window")
        && (event.eq_ignore_ascii_case("onload") || event.eq_ignore_ascii_case("onload()")))
}
