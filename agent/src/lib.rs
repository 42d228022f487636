//! The agent's source text for one execution: the files of `agent/`, put together, with a configuration written
//! into them.
//!
//! The configuration is part of the text, so the agent is ready before the page's first script, without a
//! round trip.

use serde::Serialize;

/// The address that an expression of ours gives itself, by which the script that the browser makes of it is known.
pub const EVALUATED_URL: &str = "querypoint:evaluated.js";

/// The expression for `Runtime.evaluate`.
pub fn evaluated(expression: impl std::fmt::Display) -> String {
    format!("{expression}\n//# sourceURL={EVALUATED_URL}")
}

/// The names that rewritten scripts call.
const FRAME: &str = include_str!("../js/agent.js");
/// The same names, for one more question.
const FRAME_AGAIN: &str = include_str!("../js/again.js");
/// What stands behind the names: the agent's own references, and marks for the parts.
const BODY: &str = include_str!("../js/body.js");
/// The frame in which the tape stands alone.
const TAPE_FRAME: &str = include_str!("../js/tape-frame.js");
const TAPE: &str = include_str!("../js/tape.js");
const TIMERS: &str = include_str!("../js/timers.js");
/// The parts, in the order of the body's lines `// PART name`. They share one function scope.
const PARTS: &[(&str, &str)] = &[
    ("stops", include_str!("../js/stops.js")),
    ("objects", include_str!("../js/objects.js")),
    ("installed", include_str!("../js/installed.js")),
    ("source_text", include_str!("../js/source_text.js")),
    ("records", include_str!("../js/records.js")),
    ("properties", include_str!("../js/properties.js")),
    ("variables", include_str!("../js/variables.js")),
    ("references", include_str!("../js/references.js")),
    ("linked", include_str!("../js/linked.js")),
    ("accessors", include_str!("../js/accessors.js")),
    ("following", include_str!("../js/following.js")),
    ("traps", include_str!("../js/traps.js")),
    ("page-reads", include_str!("../js/page-reads.js")),
    ("modules", include_str!("../js/modules.js")),
    ("conditions", include_str!("../js/conditions.js")),
    ("events", include_str!("../js/events.js")),
    ("log", include_str!("../js/log.js")),
    ("tries", include_str!("../js/tries.js")),
    ("beginnings", include_str!("../js/beginnings.js")),
    ("reproduction", include_str!("../js/reproduction.js")),
    ("capture", include_str!("../js/capture.js")),
    ("built-ins", include_str!("../js/built-ins.js")),
    ("prototypes", include_str!("../js/prototypes.js")),
    ("entries", include_str!("../js/entries.js")),
    ("collections", include_str!("../js/collections.js")),
    ("made", include_str!("../js/made.js")),
    ("elements", include_str!("../js/elements.js")),
    (
        "regular-expressions",
        include_str!("../js/regular-expressions.js"),
    ),
    ("dom", include_str!("../js/dom.js")),
    ("dom-unchanged", include_str!("../js/dom-unchanged.js")),
    ("dom-tree", include_str!("../js/dom-tree.js")),
    ("dom-new", include_str!("../js/dom-new.js")),
    ("dom-state", include_str!("../js/dom-state.js")),
    ("dom-input", include_str!("../js/dom-input.js")),
    ("received", include_str!("../js/received.js")),
    ("listeners", include_str!("../js/listeners.js")),
    ("code", include_str!("../js/code.js")),
    ("memory", include_str!("../js/memory.js")),
    ("timers", TIMERS),
    ("tape", TAPE),
    ("actions", include_str!("../js/actions.js")),
    ("realm", include_str!("../js/realm.js")),
    ("document_text", include_str!("../js/document_text.js")),
    ("insertion", include_str!("../js/insertion.js")),
    // Within the one before.
    ("markup", include_str!("../js/markup.js")),
    ("copies", include_str!("../js/copies.js")),
    ("shadows", include_str!("../js/shadows.js")),
    ("templates", include_str!("../js/templates.js")),
    ("writing", include_str!("../js/writing.js")),
    ("parsing", include_str!("../js/parsing.js")),
    ("links", include_str!("../js/links.js")),
];
/// The parts of a realm's agent that last: one more question has none of its own.
const LASTING: &[&str] = &[
    "code",
    "memory",
    "document_text",
    "insertion",
    "timers",
    "tape",
];
/// What stands in their place.
const LENT: &str =
    "const { isHanding, stoodStill } = earlier;\nlet C, Ce, Cs, Cm, Cv, Cb, Ci, Cu, Z;\n";
const SLOT_START: &str = "// SLOT{";
const SLOT_END: &str = "// }SLOT";

/// What the agent is to do in one execution.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentConfig {
    /// Whether hooks run.
    pub armed: bool,
    /// What is watched, in the order of the rewriter's names.
    pub slots: Vec<AgentSlot>,
    /// The queries asked at the reproduction point.
    pub roots: Vec<AgentQuery>,
    /// Which hit of the reproduction point counts: -1 for the last.
    pub hit: i64,
    /// The hit at which the page is to stop; `None`: at none.
    pub stop_at_hit: Option<u64>,
    /// Sequence numbers of the events at which the page is to stop, ascending.
    pub stops: Vec<u64>,
    /// Whether state is captured inside the page at every event.
    pub capture: bool,
    /// The text that a console message must hold to be the reproduction point.
    pub console: Option<String>,
    /// Whether a driver answers when the page makes code of a text.
    pub driven: bool,
    /// Name of the binding that reports of documents left behind are posted to.
    pub post: Option<String>,
    /// Whether other questions may be asked of this realm, when its page stands (see [`question_source`]).
    pub standby: bool,
    /// Whether this is such a question.
    pub again: bool,
    /// Whether reports are posted after each task that passed by the reproduction point, not only when the document
    /// is left.
    pub post_each_task: bool,
}

/// One watched name.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSlot {
    /// `property` or `variable`; `map` or `set` for all maps or sets; `condition` for the conditions of a query,
    /// `events` for the events that one counts.
    pub kind: &'static str,
    /// Of conditions and events: the query's number in the plan.
    pub query: Option<usize>,
    /// The key or the name.
    pub key: String,
    /// Queries that hang on points found for this name.
    pub kids: Vec<AgentQuery>,
    /// Whether it is itself asked at another found point.
    pub is_kid: bool,
    /// Numbers of the owners that are followed exactly.
    pub exact: Vec<u64>,
    /// Of maps and sets: the keys that are asked, unless any may be.
    pub keys: Vec<serde_json::Value>,
    /// Of maps and sets: whether any key may be asked.
    pub all_keys: bool,
    /// The slots of the trace queries that count its writes.
    pub traced: Vec<usize>,
    /// Of events: whether each is logged, for the execution line.
    pub logged: bool,
    /// The names under which questions come to its owners (`style` of `box.style.color`): what of the platform is
    /// watched hangs on them.
    pub through: Vec<String>,
}

/// One query as the agent resolves it.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentQuery {
    /// Its number in the plan.
    pub query: usize,
    /// Its reference's number among the rewriter's dependents.
    pub dependent: usize,
    /// `this`, `event`, `element` or `name`.
    pub root: &'static str,
    /// Of an element: how it is looked up.
    pub lookup: Option<AgentLookup>,
    /// Whether a variable itself is asked.
    pub variable: bool,
    /// Whether the last condition is asked.
    pub condition: bool,
    /// Whether it is asked how many events there were so far: those of the slot `slot`.
    pub events: bool,
    /// See `events`.
    pub slot: usize,
    /// Whether the debugger finds it in the frames of a stopped page, and no reference names it.
    pub in_frames: bool,
    /// The keys between root and owner.
    pub path: Vec<AgentStep>,
    /// The key or name asked.
    pub key: String,
    /// What is asked instead of a property whose key is known.
    pub keyed: Option<AgentKeyed>,
    /// Whether it begins in a frame, or a key does.
    pub needs_frame: bool,
    /// Its own references' numbers among the rewriter's dependents: of the root, and of keys.
    #[serde(skip)]
    pub dependents: Vec<usize>,
    /// Whether only a debugger can resolve it (a frame other than the newest).
    pub late: bool,
    /// The numbers of the queries that are asked at the point that it finds.
    pub kids: Vec<usize>,
}

/// How an element of the document is looked up.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentLookup {
    /// Whether `text` is its id; else a selector.
    pub by_id: bool,
    /// The text.
    pub text: String,
}

/// One step from an object to the next.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum AgentStep {
    /// A property by its key.
    Property(String),
    /// Anything else.
    Keyed(AgentKeyed),
}

/// What is under a key that is a value.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentKeyed {
    /// `map`: the entry of a map; `set`: whether it is a member of a set; `element`: a property; `selector` and `id`:
    /// the element in another that the key names so.
    pub kind: &'static str,
    /// The key, if the query names it.
    pub literal: serde_json::Value,
    /// Else its number among the rewriter's dependents.
    pub key_dependent: Option<usize>,
}

/// The agent for `config`, with `prefix` before each name it declares.
#[must_use]
pub fn agent_source(prefix: &str, config: &AgentConfig) -> String {
    let declared = if config.standby { "let" } else { "const" };
    let frame = FRAME.replace("__DECLARED__", declared);
    put_together(&frame, BODY, prefix, config)
}

/// The agent of one more question, for a realm whose agent stands by ([`AgentConfig::standby`]): a function, which
/// takes the names of the one before over when it is called with a configuration ([`question_config`]) whose slots are
/// those of `config`.
#[must_use]
pub fn question_source(prefix: &str, config: &AgentConfig) -> String {
    let mut body = BODY.to_owned();
    for name in LASTING {
        let lent = if *name == "code" { LENT } else { "" };
        body = body.replace(&format!("// PART {name}\n"), lent);
    }
    let body = body.replace("__CONFIG__", "given");
    put_together(FRAME_AGAIN, &body, prefix, config)
}

/// A configuration, as the agent of one more question is given it.
#[must_use]
pub fn question_config(config: &AgentConfig) -> serde_json::Value {
    serde_json::to_value(config).unwrap_or_default()
}

/// The same script without what is there for people: a browser reads all of it before each document.
#[must_use]
pub fn compact(script: &str) -> String {
    let lines = script.lines().map(str::trim_start);
    let mut text = String::with_capacity(script.len());
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("//")) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn put_together(frame: &str, body: &str, prefix: &str, config: &AgentConfig) -> String {
    let mut text =
        String::with_capacity(2 * PARTS.iter().map(|(_, part)| part.len()).sum::<usize>());
    with_parts(frame, body, config, &mut text);
    let json = serde_json::to_string(config).unwrap_or_else(|_| "{}".to_owned());
    // JSON may hold the two line separators raw, and `<` must not end a script element.
    let json = json
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
        .replace('<', "\\u003c");
    text.replace("__CONFIG__", &json).replace("__QP__", prefix)
}

/// Appends a text whose lines `// PART name` stand for the parts, and for the `body`.
fn with_parts(text: &str, body: &str, config: &AgentConfig, whole: &mut String) {
    const MARK: &str = "// PART ";
    for line in text.split_inclusive('\n') {
        let part = line.split_once(MARK).and_then(|(before, name)| {
            let name = name.trim_end();
            let part = PARTS.iter().find(|(part, _)| *part == name);
            match name {
                "body" => Some((before, body.to_owned())),
                _ => Some((before, with_slots(part?.1, config))),
            }
        });
        match part {
            Some((before, part)) => {
                whole.push_str(before);
                with_parts(&part, body, config, whole);
            }
            None => whole.push_str(line),
        }
    }
}

/// What of the agent a realm needs for its tape alone: the function `Z`, and nothing that asks.
#[must_use]
pub fn tape_source(prefix: &str) -> String {
    let source_text = include_str!("../js/source_text.js");
    let script = TAPE_FRAME
        .replace("  // PART source_text\n", source_text)
        .replace("  // PART timers\n", TIMERS)
        .replace("  // PART tape\n", TAPE)
        .replace("__QP__", prefix);
    format!("{script}//# sourceURL={EVALUATED_URL}\n")
}

/// The agent with dormant hooks and nothing watched: what `rewrite --agent` prints.
#[must_use]
pub fn dormant_agent(prefix: &str) -> String {
    let config = AgentConfig {
        hit: -1,
        ..AgentConfig::default()
    };
    agent_source(prefix, &config)
}

/// A part, with what stands between the marks repeated for each watched property.
fn with_slots(part: &str, config: &AgentConfig) -> String {
    let Some((before, rest)) = part.split_once(SLOT_START) else {
        return part.to_owned();
    };
    let (slot, after) = rest.split_once(SLOT_END).unwrap_or(("", rest));
    let mut text = before.to_owned();
    for (number, watched) in config.slots.iter().enumerate() {
        if watched.kind == "property" {
            text.push_str(&slot.replace("__SLOT__", &number.to_string()));
        }
    }
    text.push_str(after);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marks_are_replaced_and_each_property_has_its_class() {
        let slot = |kind, key: &str| AgentSlot {
            kind,
            key: key.to_owned(),
            ..AgentSlot::default()
        };
        let config = AgentConfig {
            armed: true,
            slots: vec![
                slot("property", "a</script>"),
                slot("variable", "b"),
                slot("property", "c"),
            ],
            ..AgentConfig::default()
        };
        let text = agent_source("$Qp", &config);
        assert!(
            !text.contains("__QP__") && !text.contains("__SLOT__") && !text.contains("__CONFIG__")
        );
        assert!(text.contains("class Stamp0 ") && text.contains("class Stamp2 "));
        assert!(!text.contains("class Stamp1 "));
        assert!(!text.contains("</script>"));
        assert!(
            !text.contains("// PART"),
            "every part of the frame is there"
        );
    }

    #[test]
    fn another_question_takes_over_every_name_but_those_that_last() {
        let names = |frame: &'static str| -> Vec<&'static str> {
            let pairs = frame.split(": __QP__").skip(1);
            pairs.filter_map(|rest| rest.split(',').next()).collect()
        };
        let (lasting, taken): (Vec<_>, Vec<_>) = names(FRAME)
            .into_iter()
            .partition(|name| !names(FRAME_AGAIN).contains(name));
        let last = ["T", "C", "Ce", "Cs", "Cm", "Cv", "Cb", "Ci", "Cu", "Z"];
        assert_eq!(lasting, last);
        assert_eq!(taken, names(FRAME_AGAIN));
        let config = |standby| AgentConfig {
            standby,
            ..AgentConfig::default()
        };
        assert!(agent_source("$Qp", &config(false)).contains("\nconst {\n  W: $QpW"));
        assert!(agent_source("$Qp", &config(true)).contains("\nlet {\n  W: $QpW"));
        let question = question_source("$Qp", &config(false));
        assert!(!question.contains("// PART"));
        for (name, part) in PARTS.iter().filter(|(name, _)| LASTING.contains(name)) {
            let line = part.lines().rev().find(|line| line.len() > 20).unwrap();
            assert!(!question.contains(line), "{name} is there: {line}");
        }
    }

    /// Lines are taken for what they begin with, so no text may go on over several.
    #[test]
    fn no_part_has_a_text_of_several_lines() {
        for (name, part) in PARTS {
            for line in part.lines() {
                let code = line.split("//").next().unwrap();
                assert_eq!(code.matches('`').count() % 2, 0, "{name}: {line}");
            }
        }
        assert_eq!(compact("// a\n  b; // c\n\n  // d\n"), "b; // c\n");
    }

    /// Of two functions of one name the later would take the place of the earlier, and nothing would say so.
    #[test]
    fn no_two_parts_declare_the_same_name() {
        const WORDS: [&str; 5] = ["async function ", "function ", "class ", "const ", "let "];
        let is_part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let mut declared: Vec<(&str, &str)> = Vec::new();
        for (part, text) in PARTS {
            // What is indented stands in a scope of its own.
            for line in text.lines() {
                let Some(rest) = WORDS.iter().find_map(|word| line.strip_prefix(word)) else {
                    continue;
                };
                let names = match rest.strip_prefix('{') {
                    Some(pattern) => pattern.split('}').next().unwrap_or(""),
                    None => rest.split(|c| !is_part_of_name(c)).next().unwrap_or(""),
                };
                for name in names.split(',') {
                    let name = name.rsplit(':').next().unwrap_or("").trim();
                    if let Some((_, other)) = declared.iter().find(|(known, _)| *known == name) {
                        assert!(
                            name.is_empty(),
                            "{name} is declared in {other} and in {part}"
                        );
                    }
                    declared.push((name, part));
                }
            }
        }
        assert!(declared.len() > 300, "{} names were found", declared.len());
    }
}
