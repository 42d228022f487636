//! The agent's source text for one execution: the files of `agent/`, put together, with a configuration written
//! into them.
//!
//! The configuration is part of the text, so the agent is ready before the page's first script, without a
//! round trip.
//!
//! ```
//! use agent::{AgentConfig, agent_source};
//!
//! let config = AgentConfig { armed: true, hit: -1, ..AgentConfig::default() };
//! let source = agent_source("$Qp", &config);
//! // The names that rewritten scripts call, and what the driver calls, begin with the prefix.
//! assert!(source.contains("$QpE"));
//! assert!(!source.contains("__CONFIG__"));
//! ```

use serde::Serialize;

/// The address that an expression of ours gives itself, by which the script that the browser makes of it is known.
pub const EVALUATED_URL: &str = "querypoint:evaluated.js";

/// The functions of the agent that rewritten scripts call as hooks, by the names that a debugger shows.
pub const HOOKS: [&str; 21] = [
    "W", "L", "O", "Y", "F", "D", "M", "I", "K", "X", "V", "U", "G", "N", "H", "J", "B", "Tt",
    "Tr", "R", "S",
];

/// The expression for `Runtime.evaluate`.
pub fn evaluated(expression: impl std::fmt::Display) -> String {
    format!("{expression}\n//# sourceURL={EVALUATED_URL}")
}

/// The agent, bundled from the modules of `js/` (`cargo xtask agent`). `js/interface.md` lists what is written into it.
const AGENT: &str = include_str!("../dist/agent.js");
/// The agent of one more question.
const REARMED: &str = include_str!("../dist/rearmed.js");
/// The agent of an execution that is logged.
const LOGGING: &str = include_str!("../dist/logging.js");
/// The recorded inputs alone.
const INPUTS_ONLY: &str = include_str!("../dist/inputs-only.js");
/// What finds the elements of a recording's steps: a function of one request, as an expression
/// (`js/page/selectors.js`).
pub const SELECTORS: &str = include_str!("../dist/selectors.js");
/// What gives the element that holds a child frame, by its number: a function as an expression.
pub const FRAME_HOLDER: &str = include_str!("../dist/frames.js");
/// What tells what the user does (`js/page/recorder.js`): a function as an expression.
pub const RECORDER: &str = include_str!("../dist/recorder.js");
/// The placeholder for the prefix of every private name.
const PREFIX: &str = "__QP__";
/// The placeholder for the configuration.
const CONFIG: &str = "__CONFIG__";
/// The placeholder for the number of a watched property, in the block that is repeated for each.
const SLOT: &str = "__SLOT__";
/// Is before and behind that block.
const EACH: &str = "/*EACH*/";
/// Is before the declaration of the names that rewritten scripts call.
const NAMES: &str = "/*NAMES*/let";

/// What the agent is to do in one execution.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
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
    /// Whether the page also stops at the changes and hits that may be the ones asked for, as far as it costs little.
    pub read_ahead: bool,
    /// Whether state is captured inside the page at every event.
    pub capture: bool,
    /// The owners whose changes the executions before found to be what is asked for: at those of them state is
    /// captured for longer.
    pub found_owners: Vec<u64>,
    /// Whether of that state only the cause is kept, and the stack where a built-in wrote.
    pub live: bool,
    /// Whether each write leaves its number in a shadow, and queries are answered from these.
    pub shadows: bool,
    /// The text that a console message must hold to be the reproduction point.
    pub console: Option<String>,
    /// Whether a driver answers when the page makes code of a text.
    pub driven: bool,
    /// Name of the binding that reports of documents left behind are posted to.
    pub post: Option<String>,
    /// Whether other questions may be asked of this realm, while its page is paused (see [`question_source`]).
    pub standby: bool,
    /// Whether this is such a question.
    pub rearmed: bool,
    /// Whether reports are posted after each task that passed by the reproduction point, not only when the document
    /// is left.
    pub post_each_task: bool,
    /// Whether the execution is logged, and how.
    pub log: Option<AgentLog>,
}

/// How an execution is logged.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AgentLog {
    /// Name of the binding that batches of the log are given to.
    pub binding: String,
    /// Name of the global variable that says which of two versions runs, where scripts have two.
    pub switch_name: Option<String>,
    /// While which call the other version runs, by its number from 1; 0: never.
    pub other_call: u32,
    /// Whether what code without hooks gives is told with what is inside it.
    pub tells_results: bool,
    /// Whether all objects are that the log meets and no script with hooks made.
    pub tells_new: bool,
    /// Whether it is told what the user does, and what the page sends and gets.
    pub tells_page: bool,
    /// Whether it is told what changes in the document.
    pub tells_document: bool,
    /// How many UTF-16 code units a text may have that is kept whole, at least 256; above that, longer ones are told
    /// apart.
    pub longest_text: u32,
}

/// One watched name.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AgentSlot {
    /// `property` or `variable`; `map` or `set` for all maps or sets; `condition` for the conditions of a query,
    /// `events` for the events that one counts.
    pub kind: &'static str,
    /// Of conditions and events: the query's number in the plan.
    pub query: Option<usize>,
    /// The key or the name.
    pub key: String,
    /// Queries that are asked at points found for this name.
    pub asked_there: Vec<AgentQuery>,
    /// Whether it is itself asked at another found point.
    pub is_asked_there: bool,
    /// Numbers of the owners that are followed exactly.
    pub exact: Vec<u64>,
    /// Of maps and sets: the keys that are asked, unless any may be.
    #[cfg_attr(test, ts(type = "Array<unknown>"))]
    pub keys: Vec<serde_json::Value>,
    /// Of maps and sets: whether any key may be asked.
    pub all_keys: bool,
    /// The slots of the trace queries that count its writes.
    pub traced: Vec<usize>,
    /// Of events: whether each is logged, for the execution line.
    pub logged: bool,
    /// The names under which questions reach its owners (`style` of `box.style.color`): what of the platform is watched
    /// depends on them.
    pub through: Vec<String>,
}

/// One query as the agent resolves it.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
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
    pub asked_there: Vec<usize>,
}

/// How an element of the document is looked up.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AgentLookup {
    /// Whether `text` is its id; else a selector.
    pub by_id: bool,
    /// The text.
    pub text: String,
    /// Which of all that match; none: the first.
    pub index: Option<u32>,
}

/// One step from an object to the next.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub enum AgentStep {
    /// A property by its key.
    Property(String),
    /// Anything else.
    Keyed(AgentKeyed),
}

/// What is under a key that is a value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AgentKeyed {
    /// `map`: the entry of a map; `set`: whether it is a member of a set; `element`: a property; `selector` and `id`:
    /// the element in another that the key names so.
    pub kind: &'static str,
    /// The key, if the query names it.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub literal: serde_json::Value,
    /// Else its number among the rewriter's dependents.
    pub key_dependent: Option<usize>,
}

/// The agent for `config`, with `prefix` before each name it declares.
#[must_use]
pub fn agent_source(prefix: &str, config: &AgentConfig) -> String {
    // The agent of one more question takes the names over.
    let declared = if config.standby { "let" } else { "const" };
    let json = serde_json::to_string(config).unwrap_or_else(|_| "{}".to_owned());
    // JSON may hold the two line separators raw, and `<` must not end a script element.
    let json = json
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
        .replace('<', "\\u003c");
    let bundle = if config.log.is_some() { LOGGING } else { AGENT };
    with_slots(bundle, config)
        .replacen(NAMES, declared, 1)
        .replace(CONFIG, &json)
        .replace(PREFIX, prefix)
}

/// The agent of one more question, for a realm whose agent is on standby ([`AgentConfig::standby`]): a function, which
/// takes the names of the one before over when it is called with a configuration ([`question_config`]) whose slots are
/// those of `config`.
#[must_use]
pub fn question_source(prefix: &str, config: &AgentConfig) -> String {
    with_slots(REARMED, config).replace(PREFIX, prefix)
}

/// A configuration, as the agent of one more question is given it.
#[must_use]
pub fn question_config(config: &AgentConfig) -> serde_json::Value {
    serde_json::to_value(config).unwrap_or_default()
}

/// What of the agent a realm needs for recorded inputs alone: the function `Z`, and nothing that asks.
#[must_use]
pub fn inputs_source(prefix: &str) -> String {
    let script = INPUTS_ONLY.replace(PREFIX, prefix);
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

/// A bundle, with the block between the marks repeated for each watched property.
fn with_slots(bundle: &str, config: &AgentConfig) -> String {
    let mut parts = bundle.splitn(3, EACH);
    let before = parts.next().unwrap_or_default();
    let each = parts.next().unwrap_or_default();
    let mut text = String::with_capacity(2 * bundle.len());
    text.push_str(before);
    for (number, watched) in config.slots.iter().enumerate() {
        if watched.kind == "property" {
            text.push_str(&each.replace(SLOT, &number.to_string()));
        }
    }
    text.push_str(parts.next().unwrap_or_default());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A debugger knows a hook by its name, so the bundle has to keep it.
    #[test]
    fn hooks_have_their_names_in_the_bundle() {
        let text = dormant_agent("$Qp");
        for name in HOOKS {
            let forms = [format!("const {name}="), format!("function {name}(")];
            assert!(forms.iter().any(|form| text.contains(form)), "{name}");
        }
    }

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
        for text in [
            agent_source("$Qp", &config),
            question_source("$Qp", &config),
        ] {
            for mark in [PREFIX, SLOT, CONFIG, EACH, NAMES] {
                assert!(!text.contains(mark), "{mark}");
            }
            assert!(text.contains("=$Qp") || text.contains(":$Qp"));
            let classes = text.matches("#$Qp").count();
            let without = question_source("$Qp", &AgentConfig::default());
            assert!(classes > without.matches("#$Qp").count());
            assert!(!text.contains("</script>"));
        }
        let numbers = |text: &str| -> Vec<bool> {
            let is_there = |number: u32| text.contains(&format!("[{number}].plain"));
            (0..4).map(is_there).collect()
        };
        assert_eq!(
            numbers(&agent_source("$Qp", &config)),
            [true, false, true, false],
            "each property has a block of its own, and nothing else has one"
        );
    }

    /// The names between the first braces of a bundle.
    fn names(bundle: &str) -> Vec<&str> {
        let pairs = bundle.split(":__QP__").skip(1);
        let names = pairs.filter_map(|rest| rest.split([',', '}']).next());
        let is_name = |name: &&str| name.chars().all(char::is_alphabetic);
        names.take_while(is_name).collect()
    }

    #[test]
    fn another_question_takes_over_every_name_but_those_that_last() {
        let taken = names(REARMED);
        let lasting: Vec<_> = names(AGENT)
            .into_iter()
            .filter(|name| !taken.contains(name))
            .collect();
        let last = [
            "C", "Cb", "Ce", "Ch", "Ci", "Cm", "Cs", "Cu", "Cv", "Cw", "T", "Z",
        ];
        assert_eq!(lasting, last);
        assert_eq!(taken.len() + last.len(), names(AGENT).len());
        assert_eq!(names(INPUTS_ONLY), ["Z"]);
        let config = |standby| AgentConfig {
            standby,
            ..AgentConfig::default()
        };
        assert!(agent_source("$Qp", &config(false)).contains(";const{B:$QpB,"));
        assert!(agent_source("$Qp", &config(true)).contains(";let{B:$QpB,"));
    }

    /// The types of the modules are those of Rust.
    #[test]
    fn the_generated_types_are_those_of_the_configuration() {
        use ts_rs::TS as _;
        let types = ts_rs::Config::new().with_large_int("number");
        let declarations = [
            AgentConfig::decl(&types),
            AgentLog::decl(&types),
            AgentSlot::decl(&types),
            AgentQuery::decl(&types),
            AgentLookup::decl(&types),
            AgentStep::decl(&types),
            AgentKeyed::decl(&types),
        ];
        let mut text =
            "// Made of the types in `src/lib.rs` by a test of the crate: see there.\n".to_owned();
        for declaration in declarations {
            text.push_str("\nexport ");
            for line in declaration.lines() {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("js/generated.d.ts");
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap();
        assert_eq!(committed, text, "INSTA_UPDATE=always writes it");
    }
}
