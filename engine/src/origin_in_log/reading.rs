//! What variables, properties and expressions had at a moment, and who wrote it last.

use std::collections::{BTreeSet, HashMap};

use event_log::ids::{ObjectId, ScopeId, SiteId, StaticScopeId, VariableId};
use event_log::model::{Call, Key, KeyWrite, Kind, NONE, VariableWrite, plain_text};
use event_log::value::Value as Seen;
use js_analysis::log::{LoggedKind, NameAround};
use js_analysis::origin::{
    Form, LoggedName, LoggedPlace, Logical, PathStep, Reference, Root, Step, Value, Written,
};
use js_analysis::position::ByteOffset;
use querypoint::query::number_to_string;

use super::document::Reached;
use super::writes::{Target, Write};
use super::{DEEPEST, InLog, Moment, Next, Spot};

impl InLog<'_> {
    /// The numbers of the variables that a name means, and the scope that holds them.
    pub(super) fn variables(
        &self,
        spot: Spot,
        name: &str,
        at: ByteOffset,
    ) -> Option<(Vec<VariableId>, ScopeId)> {
        let own = self.scripts.get(spot.script)?;
        let tables = &self.model.tables;
        let all = |name: &str| self.globals_named(name);
        let meant = match self.sources.logged_name(own.home, at, name) {
            LoggedName::Unsure if self.is_behind_with(spot, name, at) => {
                self.sources.logged_name_behind_with(own.home, at, name)
            }
            meant => meant,
        };
        let around = match (&own.outer, meant) {
            (Some(outer), LoggedName::Around) => outer.seen_name(name),
            (Some(outer), LoggedName::Declared { .. }) => outer.declared_name(name),
            _ => NameAround::Other,
        };
        match around {
            NameAround::Unsure => return None,
            NameAround::Variable(number) => {
                let number = VariableId(number);
                let declared = tables.variable(number)?.scope;
                return Some((vec![number], self.instance(spot.moment, declared)));
            }
            NameAround::Other => {}
        }
        match meant {
            LoggedName::Unsure => None,
            LoggedName::Around => Some((all(name), ScopeId::NONE)),
            LoggedName::Local { variable, scope } | LoggedName::Declared { variable, scope } => {
                let declared = StaticScopeId(own.first.scope.checked_add(scope)?);
                let number = VariableId(own.first.variable.checked_add(variable)?);
                Some((vec![number], self.instance(spot.moment, declared)))
            }
            LoggedName::Global(variable) => {
                // Each script has its own number for it.
                let known = variable
                    .and_then(|variable| own.first.variable.checked_add(variable))
                    .and_then(|number| tables.variable(VariableId(number)));
                let name = known.map_or(name, |known| known.name.as_str());
                Some((all(name), ScopeId::NONE))
            }
        }
    }

    /// The numbers of the global variable of a name: each script has its own.
    pub(super) fn globals_named(&self, name: &str) -> Vec<VariableId> {
        let named = self.model.tables.variables.iter().zip(1..);
        let global = named
            .filter(|(variable, _)| variable.scope == StaticScopeId::NONE && variable.name == name);
        global.map(|(_, number)| VariableId(number)).collect()
    }

    /// The last write of a variable before a moment.
    pub(super) fn variable(&self, spot: Spot, name: &str, at: ByteOffset) -> Option<Write> {
        let (variables, scope) = self.variables(spot, name, at)?;
        match self.newest(spot.moment, &variables, scope) {
            Some(write) => Some(write),
            None if scope == ScopeId::NONE => self.written_as_property(spot, name),
            None => None,
        }
    }

    /// The last write before a moment of a variable that has several numbers, in a scope.
    pub(super) fn newest(
        &self,
        moment: Moment,
        variables: &[VariableId],
        scope: ScopeId,
    ) -> Option<Write> {
        let last = variables.iter().filter_map(|variable| {
            let writes = self.model.variables.get(&variable.0)?;
            let until = writes.partition_point(|write| write.event < moment.at);
            let mut own = writes.get(..until)?.iter().rev();
            own.find(|write| write.scope == scope && write.stream == moment.stream)
        });
        let last = last.max_by_key(|write| write.event)?;
        Some(self.variable_write(last))
    }

    /// The write of a variable that a default value reads, in the pattern that declares both:
    /// `const { a, b = [a] } = c`. The log tells the variables of a pattern when it has filled all of them.
    pub(super) fn of_same_pattern(
        &self,
        spot: Spot,
        read: &Value,
        (name, at): (&str, ByteOffset),
        (shown, seen): (&str, Seen),
    ) -> Option<Next> {
        /// So many variables of a pattern are looked through.
        const MOST: u32 = 64;
        let (variables, scope) = self.variables(spot, name, at)?;
        let [variable] = variables.as_slice() else {
            return None;
        };
        let writes = self.model.variables.get(&variable.0)?;
        let behind = writes.partition_point(|write| write.event < spot.moment.at);
        let is_its =
            |write: &&VariableWrite| write.scope == scope && write.stream == spot.moment.stream;
        let first = writes.get(behind..)?.iter().find(is_its)?;
        let written = |number: u32| {
            let event = self.event(number)?;
            let is_here = event.kind == Kind::Assign && event.call == spot.moment.call;
            match self.place(event.site).filter(|_| is_here)? {
                (script, LoggedPlace::Written { written, .. }) if script == spot.script => {
                    Some(written)
                }
                _ => None,
            }
        };
        let from = match written(first.event)? {
            Written::Value { value, .. } => Some(value.span),
            Written::Parameter { .. } => None,
            _ => return None,
        };
        let is_in = |step: &PathStep| match step {
            PathStep::Default(default) => {
                default.span.start <= read.span.start && read.span.end <= default.span.end
            }
            _ => false,
        };
        let is_default = |number: u32| match written(number) {
            Some(Written::Value { value, path }) => {
                Some(value.span) == from && path.iter().any(is_in)
            }
            Some(Written::Parameter { path, .. }) => from.is_none() && path.iter().any(is_in),
            _ => false,
        };
        let last = first.event.saturating_add(MOST);
        (first.event..last)
            .any(is_default)
            .then(|| self.checked(self.variable_write(first), shown.to_owned(), seen))
    }

    /// The last write of a key of an object before a moment. An element that stayed as it was, when a collection was
    /// told whole, was not written then.
    ///
    /// Where a source map says that a name was another one, the log has that; so what wrote the key as it runs counts.
    pub(super) fn property(&self, stream: u16, object: u32, key: &Key, at: u32) -> Option<Write> {
        let own = self.model.key(key);
        let own = own.and_then(|number| self.key_write(stream, object, number, at));
        let Key::Property(name) = key else { return own };
        let own = own.filter(|write| self.is_written_as(write, name));
        let others = self.authored().get(name).into_iter().flatten();
        let others = others.filter_map(|&number| {
            let write = self.key_write(stream, object, number, at)?;
            self.is_written_as(&write, name).then_some(write)
        });
        let Some(written) = others.chain(own).max_by_key(|write| write.event) else {
            return self.put_in_rest(stream, object, name, at);
        };
        // One that stayed as a rest parameter was filled with it.
        let stayed = match written.target {
            Target::Key {
                is_listed: true,
                key,
                ..
            } => {
                let first = self.model.writes_of_key(stream, object, key).first();
                let is_first = first.is_some_and(|first| first.event == written.event);
                let put = || self.put_in_rest(stream, object, name, written.event);
                is_first.then(put).flatten()
            }
            _ => None,
        };
        let is_same = |put: &Write| put.value.same(written.value) == Some(true);
        stayed.filter(is_same).or(Some(written))
    }

    /// Whether the text of a write does not say that it wrote another key than this one.
    fn is_written_as(&self, write: &Write, name: &str) -> bool {
        let site = self.event(write.event).map(|event| event.site);
        match site.and_then(|site| self.running_key(site)) {
            Some(key) => key == name,
            None => true,
        }
    }

    /// The key that a site writes, as it runs, where that is another one than in its author's text.
    fn running_key(&self, site: SiteId) -> Option<String> {
        let (script, (_, kind, name)) = self.site(site)?;
        if *kind != LoggedKind::Write || !self.sources.has_names(self.home(script)?) {
            return None;
        }
        match self.place(site)?.1 {
            LoggedPlace::Written { key, .. } => key.filter(|key| key != name),
            _ => None,
        }
    }

    /// The keys of the log by their names as they run, where these are others.
    fn authored(&self) -> &HashMap<String, BTreeSet<u32>> {
        self.authored.get_or_init(|| {
            let mut authored: HashMap<String, BTreeSet<u32>> = HashMap::new();
            let mut known = BTreeSet::new();
            for event in &self.model.events {
                if event.kind != Kind::Write || !known.insert(event.site) {
                    continue;
                }
                if let Some(key) = self.running_key(event.site) {
                    authored.entry(key).or_default().insert(event.key);
                }
            }
            authored
        })
    }

    fn key_write(&self, stream: u16, object: u32, number: u32, at: u32) -> Option<Write> {
        let writes = self.model.writes_of_key(stream, object, number);
        let until = writes.partition_point(|write| write.event < at);
        let before = writes.get(..until)?;
        let is_kept = |write: &KeyWrite| !self.is_taken_by_setter(object, write.event);
        let mut index = before.iter().rposition(is_kept)?;
        while let (Some(write), Some(earlier)) = (
            before.get(index),
            index.checked_sub(1).and_then(|index| before.get(index)),
        ) {
            let same = self.model.written(write).same(self.model.written(earlier));
            if write.listed == NONE || same != Some(true) || !is_kept(earlier) {
                break;
            }
            index -= 1;
        }
        let write = before.get(index)?;
        Some(Write {
            stream,
            event: write.event,
            value: self.model.written(write),
            target: Target::Key {
                object,
                key: number,
                is_listed: write.listed != NONE,
            },
        })
    }

    /// Whether a setter took what was written to an object: the object does not keep it under that key.
    fn is_taken_by_setter(&self, object: u32, event: u32) -> bool {
        let (Some(write), Some(exit)) = (self.event(event), event.checked_sub(1)) else {
            return false;
        };
        let Some(before) = self.event(exit).filter(|_| write.kind == Kind::Write) else {
            return false;
        };
        let is_its = |call: &Call| {
            call.exit == exit
                && call.parent == write.call
                && call.this.object().is_some_and(|id| id.0 == object)
        };
        let key = self.model.keys.get(write.key as usize);
        self.call_of(before.call).is_some_and(is_its)
            && matches!(key, Some(Key::Property(key)) if self.is_setter_of(before.call, key))
    }

    /// The text of a key that is known by an expression.
    pub(super) fn key_text(&self, spot: Spot, value: &Value) -> Option<String> {
        if value.form == Form::Literal {
            let home = self.home(spot.script)?;
            let text = self.sources.text_at(home, value.span)?;
            return literal_key(text);
        }
        if let Form::Operation {
            operands, operator, ..
        } = &value.form
        {
            let computed = self.computed_part(spot, operator, operands, 0)?;
            return Some(computed.text());
        }
        if let Form::Conditional { .. } | Form::Logical { .. } = &value.form {
            return self.key_text(spot, self.chosen(spot, value)?);
        }
        match self.evaluated(spot, value, 0)? {
            key @ (Seen::Number(_) | Seen::String(_) | Seen::Boolean(_)) => {
                Some(plain_text(self.model, spot.moment.stream, key))
            }
            _ => None,
        }
    }

    /// The key of a step.
    pub(super) fn step_key(&self, spot: Spot, step: &Step) -> Option<Key> {
        let text = match step {
            Step::Property(name) | Step::Key(name) => name.clone(),
            Step::Private { name, .. } => format!("#{name}"),
            Step::Index(number) => number_to_string(*number),
            Step::Computed { span, .. } => {
                let code = self.code(spot.script)?;
                return self.key_of(spot, code.key(*span)?);
            }
        };
        Some(Key::Property(text))
    }

    /// The key that an expression gives: a text or a symbol.
    pub(super) fn key_of(&self, spot: Spot, value: &Value) -> Option<Key> {
        if let Some(text) = self.key_text(spot, value) {
            return Some(Key::Property(text));
        }
        let Some(Seen::Symbol(id)) = self.evaluated(spot, value, 0) else {
            return None;
        };
        let stream = spot.moment.stream;
        let class = self.model.object(stream, id.0)?.class;
        let text = self.model.text(stream, class).to_owned();
        Some(Key::Symbol(stream, id.0, text))
    }

    /// The value of an expression, as far as the log says it.
    pub(super) fn evaluated(&self, spot: Spot, value: &Value, depth: u32) -> Option<Seen> {
        if depth > DEEPEST {
            return None;
        }
        match &value.form {
            Form::Reference(reference) => {
                self.reference_value(spot, reference, reference.steps.len())
            }
            Form::Part { of, steps } => {
                let of = self.evaluated(spot, of, depth + 1)?;
                self.behind(spot, of, steps)
            }
            Form::Literal => {
                let home = self.home(spot.script)?;
                let text = self.sources.text_at(home, value.span)?;
                match text {
                    "undefined" | "void 0" => Some(Seen::Undefined),
                    "null" => Some(Seen::Null),
                    "true" | "!0" => Some(Seen::Boolean(true)),
                    "false" | "!1" => Some(Seen::Boolean(false)),
                    text => text.parse().ok().map(Seen::Number),
                }
            }
            Form::Object(_) | Form::Array { .. } => {
                let name = match &value.form {
                    Form::Object(_) => "Object",
                    _ => "Array",
                };
                let at = value.span.start;
                let site = self.site_at(spot.script, at, LoggedKind::Create, name)?;
                let made = self.last_at(site, Kind::Create, spot.moment)?;
                self.event(made).map(|event| event.owner)
            }
            Form::Conditional { yes, no, .. } => match self.branch(spot, value)? {
                true => self.evaluated(spot, yes, depth + 1),
                false => self.evaluated(spot, no, depth + 1),
            },
            Form::Logical { .. } => {
                let chosen = self.chosen(spot, value)?;
                self.evaluated(spot, chosen, depth + 1)
            }
            Form::Call(call) => {
                let value = self.came_back(spot, call)?.value;
                (value != Seen::Unknown).then_some(value)
            }
            Form::Await(_) => {
                let (_, resumed) = self.suspended(spot, value)?;
                self.event(resumed).map(|event| event.value)
            }
            Form::Operation { .. } | Form::Unknown(_) => None,
        }
    }

    /// The value of the first so many steps of a reference.
    pub(super) fn reference_value(
        &self,
        spot: Spot,
        reference: &Reference,
        steps: usize,
    ) -> Option<Seen> {
        if let Some(with) = self.of_with(spot, reference) {
            return self.behind(spot, with.object, with.steps.get(..=steps)?);
        }
        let root = match &reference.root {
            Root::This => self
                .this_of(spot.moment.call)
                .or_else(|| self.global_root(spot, &reference.root))?,
            Root::Variable { name, at, .. } => match self.variable(spot, name, *at) {
                Some(write) => write.value,
                None => match self
                    .imported_value(spot, name)
                    .or_else(|| self.self_named(spot, name, *at))
                    .or_else(|| self.global_root(spot, &reference.root))
                {
                    Some(value) => value,
                    None => {
                        let value = self.namespace_value(spot, reference)?;
                        return self.behind(spot, value, reference.steps.get(1..steps)?);
                    }
                },
            },
        };
        self.behind(spot, root, reference.steps.get(..steps)?)
    }

    /// The value that some steps lead to.
    pub(super) fn behind(&self, spot: Spot, root: Seen, steps: &[Step]) -> Option<Seen> {
        let mut value = root;
        let mut passed = 0;
        for (index, step) in steps.iter().enumerate() {
            if index < passed {
                continue;
            }
            let key = self.step_key(spot, step)?;
            if let Some(length) = self.length(spot, value, &key) {
                value = length;
                continue;
            }
            let object = value.object()?.0;
            value = match self.read(spot, object, &key) {
                Some((_, value)) => value,
                None => {
                    let ways = || {
                        steps
                            .iter()
                            .skip(index)
                            .map_while(|it| self.step_key(spot, it))
                    };
                    match self.through_nodes(spot, object, &key, ways) {
                        Some((Reached::Node(node), taken)) => {
                            passed = index + taken;
                            Seen::Object(ObjectId(node))
                        }
                        _ => self.born_value(spot.moment.stream, object, &key)?,
                    }
                }
            };
        }
        Some(value)
    }

    /// Which way a test went last: whether it held.
    pub(super) fn branch(&self, spot: Spot, value: &Value) -> Option<bool> {
        let test = match &value.form {
            Form::Conditional { test, .. } => test,
            Form::Logical { left, .. } => left,
            _ => return None,
        };
        let code = self.code(spot.script)?;
        let (at, name) = code.test(test.span)?;
        let site = self.site_at(spot.script, at, LoggedKind::Branch, name)?;
        let branch = self.last_at(site, Kind::Branch, spot.moment)?;
        match self.event(branch)?.value {
            Seen::Boolean(held) => Some(held),
            _ => None,
        }
    }

    /// The branch that gave a value.
    pub(super) fn chosen<'v>(&self, spot: Spot, value: &'v Value) -> Option<&'v Value> {
        let held = self.branch(spot, value)?;
        Some(match &value.form {
            Form::Conditional { yes, no, .. } => match held {
                true => yes,
                false => no,
            },
            Form::Logical {
                operator,
                left,
                right,
            } => match (operator, held) {
                // Of `??` the test is whether there is a value.
                (Logical::Or | Logical::Nullish, true) | (Logical::And, false) => left,
                _ => right,
            },
            _ => return None,
        })
    }
}

/// The key that a literal is.
pub(super) fn literal_key(text: &str) -> Option<String> {
    let inner = |quote: char| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(['\\', quote])).then(|| inner.to_owned())
    };
    inner('"')
        .or_else(|| inner('\''))
        .or_else(|| inner('`'))
        .or_else(|| Some(number_to_string(text.parse().ok()?)))
}
