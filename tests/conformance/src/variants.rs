//! The ways in which a program is rewritten to be compared with itself.

use std::collections::HashMap;

use agent::{AgentConfig, AgentLog, AgentSlot, agent_source};
use js_analysis::Goal;
use js_analysis::log::{Detail, FirstNumbers, LogOptions};
use js_analysis::rewrite::{
    DEFAULT_PREFIX, Instrumentation, NamesAsWritten, RewriteError, TOP, Watch, WatchedCondition,
    WatchedName, WatchedTarget, with_script,
};

/// How many names of properties, and of variables, are watched at once.
const WATCHED: usize = 3;

/// One way in which scripts are rewritten.
pub struct Variant {
    /// What to call it.
    pub name: &'static str,
    /// Whether hooks run, and for what.
    config: AgentConfig,
    instrumentation: Instrumentation,
    /// Whether the outcome of every condition is reported.
    conditions: bool,
    /// Whether it is rewritten for the event log.
    log: Option<Detail>,
}

impl Variant {
    /// What runs first.
    #[must_use]
    pub fn agent(&self) -> String {
        agent_source(DEFAULT_PREFIX, &self.config)
    }

    /// A script, rewritten in this way; `number` is its number among those of its realm.
    ///
    /// # Errors
    /// If it is not rewritten: then it runs as it is.
    pub fn rewrite(&self, source: &str, goal: Goal, number: u32) -> Result<String, RewriteError> {
        let instrumentation = Instrumentation {
            script: number,
            ..self.instrumentation.clone()
        };
        with_script(source, goal, |script| {
            if let Some(detail) = self.log {
                let first = number * 1_000_000;
                let options = LogOptions {
                    prefix: DEFAULT_PREFIX.to_owned(),
                    script: number,
                    first: FirstNumbers {
                        function: first,
                        scope: first,
                        variable: first,
                        site: first,
                    },
                    detail,
                    watches_document: true,
                    in_document: false,
                    outer: None,
                    first_code_site: 1,
                };
                let logged = script.logged(&options, &NamesAsWritten)?;
                return Ok(logged.edits.apply(source).0);
            }
            let mut instrumentation = instrumentation;
            if self.conditions {
                let watched = |condition| WatchedCondition {
                    condition,
                    slots: vec![0],
                };
                instrumentation.conditions = script.conditions().into_iter().map(watched).collect();
                // What such a question needs besides, wherever it can be needed.
                let functions = script.functions();
                let functions = functions.iter().map(|function| function.body);
                instrumentation.activations = std::iter::once(TOP).chain(functions).collect();
            }
            let rewritten = script.rewrite(&instrumentation, &NamesAsWritten)?;
            Ok(rewritten.apply(source).0)
        })
        .and_then(|rewritten| rewritten)
    }
}

/// All ways, with the names that `source` writes most often for those that need names.
#[must_use]
pub fn variants(source: &str) -> Vec<Variant> {
    let targets = most_written(source);
    let watched = |target: &WatchedTarget| WatchedName {
        target: target.clone(),
        dependents: Vec::new(),
    };
    let names = Watch::Names(targets.iter().map(watched).collect());
    let slots: Vec<AgentSlot> = targets.iter().map(slot).collect();
    let variant = |name, armed, watch| Variant {
        name,
        config: AgentConfig {
            armed,
            slots: if armed { slots.clone() } else { Vec::new() },
            hit: -1,
            ..AgentConfig::default()
        },
        instrumentation: Instrumentation {
            watch,
            ..Instrumentation::default()
        },
        conditions: false,
        log: None,
    };
    let conditions = [WatchedTarget::Conditions(0)];
    let every_condition = Variant {
        config: AgentConfig {
            armed: true,
            slots: conditions.iter().map(slot).collect(),
            hit: -1,
            ..AgentConfig::default()
        },
        conditions: true,
        ..variant(
            "every condition, armed",
            true,
            Watch::Names(conditions.iter().map(watched).collect()),
        )
    };
    let mut every_function = variant("everything, armed", true, Watch::Everything);
    every_function.instrumentation.opens_functions = true;
    let logged = |name, detail| Variant {
        config: AgentConfig {
            hit: -1,
            log: Some(AgentLog {
                binding: format!("{DEFAULT_PREFIX}Log"),
                ..AgentLog::default()
            }),
            ..AgentConfig::default()
        },
        log: Some(detail),
        ..variant(name, false, Watch::Standby)
    };
    let mut live = variant("live", true, Watch::Live);
    live.config.slots.clear();
    live.config.shadows = true;
    vec![
        logged("logged", Detail::All),
        live,
        variant("standby", false, Watch::Standby),
        variant("most written names, armed", true, names),
        variant("everything, dormant", false, Watch::Everything),
        every_function,
        every_condition,
    ]
}

fn slot(target: &WatchedTarget) -> AgentSlot {
    let (kind, key) = match target {
        WatchedTarget::Variable(name) => ("variable", name.as_str()),
        WatchedTarget::Property(key) => ("property", key.as_str()),
        WatchedTarget::Entries(kind) => (*kind, ""),
        WatchedTarget::Conditions(_) => ("condition", ""),
        WatchedTarget::Events(_) => ("events", ""),
    };
    AgentSlot {
        kind,
        key: key.to_owned(),
        query: Some(0),
        ..AgentSlot::default()
    }
}

/// The names that are written most often, as far as the text alone tells: identifiers before an assignment
/// operator or `:`, and `0` for the elements of arrays.
fn most_written(source: &str) -> Vec<WatchedTarget> {
    let mut properties: HashMap<&str, usize> = HashMap::new();
    let mut variables: HashMap<&str, usize> = HashMap::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut rest = source;
    while let Some(start) = rest.find(is_name) {
        let before = rest[..start].trim_end();
        let word = &rest[start..];
        let end = word.find(|c| !is_name(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        let next = after.trim_start();
        let assigned = next.starts_with(['=', '+', '-', '*', '?', '|', '&'])
            && next.contains('=')
            && !next.starts_with("==")
            && !next.starts_with("=>");
        let is_identifier = !word.starts_with(|c: char| c.is_ascii_digit()) && !is_keyword(word);
        if is_identifier && (before.ends_with('.') && assigned || next.starts_with(':')) {
            *properties.entry(word).or_default() += 1;
        } else if is_identifier && assigned {
            *variables.entry(word).or_default() += 1;
        }
        rest = after;
    }
    let mut targets: Vec<WatchedTarget> = most(properties)
        .into_iter()
        .map(WatchedTarget::Property)
        .collect();
    targets.extend(most(variables).into_iter().map(WatchedTarget::Variable));
    targets.push(WatchedTarget::Property("0".to_owned()));
    targets
}

fn most(counted: HashMap<&str, usize>) -> Vec<String> {
    let mut names: Vec<(usize, &str)> = counted.into_iter().map(|(name, n)| (n, name)).collect();
    names.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(right.1)));
    names
        .into_iter()
        .take(WATCHED)
        .map(|(_, name)| name.to_owned())
        .collect()
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "return" | "case" | "default" | "typeof" | "in" | "of" | "new" | "await" | "yield" | "this"
    )
}
