//! Each question of the catalogue as SQL over the tables of a log ([`crate::relations`]).
//!
//! What a question says by a name at a point (an object, a variable, a function) is looked up first: the statement has
//! its number. The first column of each is `seq`, the events of the answer, in its order.

use std::fmt::Write as _;

use querypoint::catalogue::{CatalogueKind, CataloguePoint, CatalogueReference};
use querypoint::point::{Hit, ReproductionPoint};

use super::points::{first_reached, reaching};
use super::references::GLOBAL_OBJECT;
use super::{Asked, kind_word};
use crate::ids::SiteId;
use crate::model::{Key, NONE};

/// The columns of calls that are of use.
const CALL: &str = "call AS seq, function, value AS returned, outcome, caller_file, caller_line";
/// Those of events.
const EVENT: &str = "seq, kind, function, name, owner, value, file, line";

impl Asked<'_> {
    /// The statement that gives the events of an answer.
    ///
    /// # Errors
    /// As the question itself.
    pub(super) fn sql(
        &self,
        kind: &CatalogueKind,
        between: Option<(u32, u32)>,
    ) -> Result<String, String> {
        let calls = |condition: &str, order: &str| {
            let within = self.within("call", between);
            format!("SELECT {CALL}\nFROM calls\nWHERE {condition}{within}\nORDER BY {order}")
        };
        let events = |condition: &str| {
            let within = self.within("seq", between);
            format!("SELECT {EVENT}\nFROM events\nWHERE {condition}{within}\nORDER BY seq")
        };
        Ok(match kind {
            CatalogueKind::CallChain(point) => format!(
                "WITH RECURSIVE chain(seq, parent) AS (\n  SELECT call, parent FROM calls WHERE call IS {}\n  \
                 UNION ALL\n  \
                 SELECT calls.call, calls.parent FROM chain JOIN calls ON calls.call = chain.parent\n)\nSELECT {CALL}\n\
                 FROM chain JOIN calls ON calls.call = chain.seq\nWHERE true{}\nORDER BY call DESC",
                self.own_call(point)?,
                self.within("call", between)
            ),
            CatalogueKind::CallTree(point) => self.tree_sql(point, between)?,
            CatalogueKind::Where(Some(point)) => {
                format!(
                    "SELECT {EVENT}\nFROM events\nWHERE seq = {}",
                    self.point(point)?
                )
            }
            CatalogueKind::Where(None) => events("kind = 'throw' AND detail IS NULL"),
            CatalogueKind::State(reference) => self.state_sql(reference, false)?,
            CatalogueKind::Contents(reference) => self.state_sql(reference, true)?,
            CatalogueKind::CallsBefore(point) | CatalogueKind::CallsAfter(point) => {
                let at = self.point(point)?;
                let sign = if matches!(kind, CatalogueKind::CallsBefore(_)) {
                    '<'
                } else {
                    '>'
                };
                let parent = self.number(self.call_at(at));
                calls(&format!("parent IS {parent} AND call {sign} {at}"), "call")
            }
            CatalogueKind::Arguments(point) => format!(
                "SELECT call AS seq, function, (SELECT group_concat(value, ', ') FROM arguments WHERE arguments.call = \
                 calls.call) AS passed\nFROM calls\nWHERE call IS {}",
                self.own_call(point)?
            ),
            CatalogueKind::Returned(point) => format!(
                "SELECT last AS seq, function, outcome, value\nFROM calls\nWHERE call IS {} AND last IS NOT NULL",
                self.own_call(point)?
            ),
            CatalogueKind::Locals(point) => self.locals_sql(point)?,
            CatalogueKind::History(reference) => self.history_sql(reference, between)?,
            CatalogueKind::ArgumentsOf(name)
            | CatalogueKind::ReturnsOf(name)
            | CatalogueKind::WasCalled(name)
                if self.functions(name).is_empty() =>
            {
                events(&format!(
                    "kind = 'call' AND detail = 'library' AND {}",
                    named("name", name)
                ))
            }
            CatalogueKind::ArgumentsOf(name) => calls(&self.of_function(name), "call"),
            CatalogueKind::ReturnsOf(name) => format!(
                "SELECT last AS seq, function, value AS returned, outcome\nFROM calls\nWHERE {} AND last IS NOT \
                 NULL{}\n\
                 ORDER BY last",
                self.of_function(name),
                self.within("last", between)
            ),
            CatalogueKind::Instances(class) | CatalogueKind::Exists(class) => {
                events(&match self.other_instances(class) {
                    None => format!("kind = 'create' AND owner_class = {}", quoted(class)),
                    // A class that goes by another name.
                    Some(numbers) => {
                        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                        format!("kind = 'create' AND seq IN ({})", numbers.join(", "))
                    }
                })
            }
            CatalogueKind::Running(point) => self.running_tree_sql(self.point(point)?),
            CatalogueKind::WasEvaluated(line) => {
                let at = ReproductionPoint::Location {
                    file: line.file.clone(),
                    line: line.line,
                    column: None,
                    hit: Hit(-1),
                };
                match first_reached(self.model, &at, line.line, None) {
                    None => events("false"),
                    Some((sites, hits)) => {
                        let mut reached = self.reached_sql(&sites);
                        let loops = self.loops_beside(&sites, hits.len());
                        if !loops.is_empty() {
                            reached = format!("({reached} OR {})", self.reached_sql(&loops));
                        }
                        events(&reached)
                    }
                }
            }
            CatalogueKind::WasCalled(name) => calls(&self.of_function(name), "call"),
            CatalogueKind::WasAssigned(target, value) => {
                let kind = if target.is_property {
                    "write"
                } else {
                    "assign"
                };
                let mut condition = format!("kind = '{kind}' AND name = {}", quoted(&target.name));
                if let Some(value) = value {
                    let _ = write!(condition, " AND {}", equal(value));
                }
                events(&condition)
            }
            CatalogueKind::WasCaught(class) => events(&self.caught_sql(&self.of_class(class))),
            CatalogueKind::IsRunning(name) | CatalogueKind::HasEnded(name) => {
                let runs = self.running_sql(self.at);
                calls(&format!("{} AND {runs}", self.of_function(name)), "call")
            }
        })
    }

    /// The calls of a function: the whole of its name, or what is behind its class; else those of the functions that
    /// are reached by it.
    fn of_function(&self, name: &str) -> String {
        let tables = &self.model.tables;
        let is_named = |name: &str| {
            let mut functions = tables.functions.iter();
            functions.any(|it| it.name == name)
        };
        match name.contains('.') && !is_named(name) {
            true => {
                let calls = self.named(name).map(|call| call.enter.to_string());
                format!("call IN ({})", calls.collect::<Vec<_>>().join(", "))
            }
            false => named("function", name),
        }
    }

    /// That an event reaches one of these places, which are of one kind, as a condition.
    fn reached_sql(&self, sites: &[SiteId]) -> String {
        let first = sites.first().and_then(|&site| self.model.site(site));
        let kind = first.map_or("", |site| kind_word(reaching(site.kind)).0);
        let is_there = match sites {
            [number] => format!("site = {}", number.0),
            numbers => {
                let numbers = numbers.iter().map(|it| it.0.to_string());
                format!("site IN ({})", numbers.collect::<Vec<_>>().join(", "))
            }
        };
        format!("kind = '{kind}' AND {is_there}")
    }

    /// That a call has begun and not ended at a point, as a condition.
    pub(super) fn running_sql(&self, at: u32) -> String {
        let is_open = format!("call < {at} AND (last IS NULL OR last >= {at})");
        match self.model.realms_of_run_at(at) {
            Some(realms) => {
                let (first, behind) = (realms.start, realms.end);
                format!("{is_open} AND realm >= {first} AND realm < {behind}")
            }
            None => is_open,
        }
    }

    /// A class, or one of those that extend it, as a condition.
    fn of_class(&self, class: &str) -> String {
        let mut names = vec![class];
        for (tables, stream) in self.model.streams.iter().zip(0_u16..) {
            for (&text, bases) in &tables.bases {
                if bases.iter().any(|base| base == class) {
                    names.push(self.model.text(stream, text));
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        let names: Vec<String> = names.into_iter().map(quoted).collect();
        match names.as_slice() {
            [name] => format!("class = {name}"),
            names => format!("class IN ({})", names.join(", ")),
        }
    }

    /// The part of the log that counts, as a condition.
    fn within(&self, column: &str, between: Option<(u32, u32)>) -> String {
        let (mut from, mut to) = self.window;
        if let Some((first, last)) = between {
            from = from.max(first);
            to = to.min(last);
        }
        match (from, to) {
            (0, NONE) => String::new(),
            (from, NONE) => format!(" AND {column} >= {from}"),
            (from, to) => format!(" AND {column} BETWEEN {from} AND {to}"),
        }
    }

    /// The number of the first event of a call.
    fn number(&self, call: u32) -> String {
        match self.model.calls.get(call as usize) {
            Some(call) => call.enter.to_string(),
            None => "NULL".to_owned(),
        }
    }

    /// The call that a point is in; of an event that begins one that one.
    fn own_call(&self, point: &CataloguePoint) -> Result<String, String> {
        // No call has the number -1: of none, nothing is found.
        let number = self.number(self.call_of(self.point(point)?));
        Ok(if number == "NULL" {
            "-1".to_owned()
        } else {
            number
        })
    }

    fn tree_sql(
        &self,
        point: &CataloguePoint,
        between: Option<(u32, u32)>,
    ) -> Result<String, String> {
        let call = self.call_of(self.point(point)?);
        let root = match self.model.calls.get(call as usize) {
            Some(call) => format!("call = {}", call.enter),
            None => "parent IS NULL".to_owned(),
        };
        Ok(format!(
            "WITH RECURSIVE tree(seq, level) AS (\n  SELECT call, 0 FROM calls WHERE {root}\n  UNION ALL\n  SELECT \
             calls.call, level + 1 FROM tree JOIN calls ON calls.parent = tree.seq\n  ORDER BY 2 DESC, 1\n), drawn AS \
             (SELECT seq, level, row_number() OVER () AS place FROM tree)\nSELECT {CALL}, level\nFROM drawn JOIN calls \
             ON calls.call = drawn.seq\nWHERE true{}\nORDER BY place",
            self.within("call", between)
        ))
    }

    fn state_sql(
        &self,
        reference: &CatalogueReference,
        is_collection: bool,
    ) -> Result<String, String> {
        let at = self.point(&reference.point)?;
        let (stream, value) = self.value(reference, at)?;
        let object = value.object().map_or(0, |id| id.0);
        let element = "(key_kind = 'entry' OR key_kind = 'property' AND key <> '' AND key NOT GLOB '*[^0-9]*')";
        let (only, order) = match is_collection {
            true => (
                format!(" AND {element}"),
                "CASE WHEN key GLOB '*[^0-9]*' THEN NULL ELSE CAST(key AS INTEGER) END NULLS LAST, seq",
            ),
            false => (String::new(), "key_id"),
        };
        let mut rows = format!(
            "SELECT *, row_number() OVER (PARTITION BY key_id ORDER BY seq DESC) AS place\n  FROM writes\n  \
             WHERE owner = {object} AND realm = {stream} AND seq < {at}"
        );
        // The length of an array is no write where elements changed it.
        if let Some((key, event, length)) = self.changed_length(stream, object, at) {
            let columns = "seq, key, key_id, key_kind, value, type";
            rows = format!(
                "SELECT {columns}, place FROM (\n  {rows} AND key_id <> {key}\n  )\n  UNION ALL SELECT {event}, \
                 'length', {key}, 'property', '{length}', 'number', 1"
            );
        }
        Ok(format!(
            "SELECT seq, key, value, type\nFROM (\n  {rows}\n)\nWHERE place = 1 AND type IS NOT \
             'absent'{only}\nORDER BY {order}"
        ))
    }

    /// The key `length` of an array, the event that gave it its length, and that length, where it is no write.
    fn changed_length(&self, stream: u16, object: u32, at: u32) -> Option<(u32, u32, u32)> {
        let key = self.model.key(&Key::Property("length".to_owned()))?;
        let writes = self.model.writes_of_key(stream, object, key);
        let last = writes.iter().rev().find(|write| write.event < at)?;
        let (event, length) = self.length_since(last, at)?;
        Some((key, event, length))
    }

    /// The condition that picks the writes of a variable as it is in sight at a point; `None`: there is none.
    fn variable_sql(&self, at: u32, name: &str) -> Option<String> {
        let sight = self.sight(at);
        let variables = self.variables_named(&sight, name);
        let writes = self.writes_of_variable(&sight, &variables);
        let scope = match writes.first()?.scope.0 {
            0 => "NULL".to_owned(),
            scope => scope.to_string(),
        };
        let numbers: Vec<String> = variables
            .iter()
            .map(|variable| variable.0.to_string())
            .collect();
        Some(format!(
            "variable IN ({}) AND scope IS {scope} AND realm = {}",
            numbers.join(", "),
            sight.stream
        ))
    }

    fn locals_sql(&self, point: &CataloguePoint) -> Result<String, String> {
        let at = self.point(point)?;
        let names = self.names_in_sight(&self.sight(at));
        let picked: Vec<String> = names
            .iter()
            .filter_map(|name| self.variable_sql(at, name))
            .map(|condition| format!("({condition})"))
            .collect();
        let picked = match picked.is_empty() {
            true => "false".to_owned(),
            false => picked.join("\n    OR "),
        };
        let order: Vec<String> = names
            .iter()
            .zip(0..)
            .map(|(name, place)| format!("WHEN {} THEN {place}", quoted(name)))
            .collect();
        let order = match order.is_empty() {
            true => "seq".to_owned(),
            false => format!("CASE name {} END", order.join(" ")),
        };
        Ok(format!(
            "SELECT seq, name, value, type\nFROM (\n  SELECT *, row_number() OVER (PARTITION BY name ORDER BY \
             seq DESC) AS \
             place\n  FROM variables\n  WHERE (seq < {at} OR seq = {at} AND parameter IS NOT NULL)\n    AND \
             ({picked})\n)\nWHERE \
             place = 1\nORDER BY {order}"
        ))
    }

    fn history_sql(
        &self,
        reference: &CatalogueReference,
        between: Option<(u32, u32)>,
    ) -> Result<String, String> {
        let at = self.point(&reference.point)?;
        let within = self.within("seq", between);
        let Some((last, path)) = reference.path.split_last() else {
            let picked = self.variable_sql(at, &reference.root);
            let sight = self.sight(at);
            let variables = self.variables_named(&sight, &reference.root);
            let is_local = picked
                .as_ref()
                .is_some_and(|it| !it.contains("scope IS NULL"));
            let key = match is_local {
                true => None,
                false => self.global_key(&sight, &reference.root, &variables),
            };
            let mut rows = format!(
                "SELECT seq, value FROM variables WHERE {}",
                picked.unwrap_or_else(|| "false".to_owned())
            );
            if let Some(key) = key {
                let _ = write!(
                    rows,
                    "\n  UNION ALL\n  SELECT seq, value FROM writes WHERE owner = {GLOBAL_OBJECT} AND realm = {} AND \
                     key_id = {key}",
                    sight.stream
                );
            }
            return Ok(format!(
                "SELECT seq, value, old\nFROM (\n  SELECT seq, value, lag(value) OVER (ORDER BY seq) AS old FROM (\n  \
                 {rows}\n  )\n)\nWHERE true{within}\nORDER BY seq"
            ));
        };
        let owner = CatalogueReference {
            path: path.to_vec(),
            ..reference.clone()
        };
        let (stream, value) = self.value(&owner, at)?;
        let object = value.object().map_or(0, |id| id.0);
        if let Some(name) = self.counted(stream, object, last) {
            let rows = self.lengths(stream, object);
            let rows = rows
                .iter()
                .map(|(event, count)| format!("({event}, {count})"));
            let rows = match rows.collect::<Vec<_>>().join(", ") {
                none if none.is_empty() => "SELECT 0, 0 WHERE false".to_owned(),
                rows => format!("VALUES {rows}"),
            };
            return Ok(format!(
                "WITH counts(seq, value) AS ({rows})\nSELECT seq, '{name}' AS key, value, old\nFROM (\n  SELECT *, \
                 lag(value) OVER (ORDER BY seq) AS old FROM counts\n)\nWHERE true{within}\nORDER BY seq"
            ));
        }
        let keys = self.keys(last, at)?;
        let keys: Vec<String> = keys.iter().map(u32::to_string).collect();
        Ok(format!(
            "SELECT seq, key, value, old\nFROM (\n  SELECT *, lag(value) OVER past AS old, lag(type) OVER past \
             AS old_type, \
             lag(object) OVER past AS old_object\n  FROM writes\n  WHERE owner = {object} AND realm = {stream} \
             AND key_id IN \
             ({}) AND told < 2\n  WINDOW past AS (ORDER BY seq)\n)\nWHERE NOT (told AND type IS old_type AND ifnull(type <> \
             'string, cut', \
             false) AND value IS old AND object IS old_object){within}\nORDER BY seq",
            keys.join(", ")
        ))
    }
}

fn named(column: &str, name: &str) -> String {
    let whole = format!("{column} = {}", quoted(name));
    match name.contains('.') {
        true => whole,
        false => format!(
            "({whole} OR substr({column}, -{}) = {})",
            name.chars().count() + 1,
            quoted(&format!(".{name}"))
        ),
    }
}

/// A value as a console prints it, as a condition.
fn equal(value: &str) -> String {
    match serde_json::from_str::<String>(value) {
        Ok(text) => format!("type = 'string' AND value = {}", quoted(&text)),
        Err(_) => format!("type <> 'string' AND value = {}", quoted(value)),
    }
}

/// A text as SQL has it.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
