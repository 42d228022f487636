//! What is at a write: the expression whose value it wrote, and the author's names for what is in it.

use js_analysis::control_flow::{FlowMoment, FlowPoint};
use js_analysis::origin::{
    CallAt, Exported, LoggedCode, LoggedName, PropertyRead, Target, Written,
};
use js_analysis::position::{ByteOffset, ByteSpan, Utf16Position};
use js_analysis::rewrite::{DebuggerScope, NamesAsWritten, OriginalNames, Script, Spot};

use querypoint::query::is_identifier;

use super::map_names::MapNames;
use super::position_mapping::SourceLocation;
use super::{ScriptIn, Sources, Text};
use crate::origin::CallPlace;

/// A script in a text: spans of its syntax tree are from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    text: usize,
    begins: ByteOffset,
}

impl Home {
    /// The script that begins at `begins` of the text with the number `text`.
    pub(super) const fn of(text: usize, begins: ByteOffset) -> Self {
        Self { text, begins }
    }
}

impl Sources {
    /// What is at the places of a script that the event log names.
    pub(crate) fn logged_code(&self, home: Home) -> Option<LoggedCode> {
        self.read(home, |script| script.logged_code())
    }

    /// The condition that decides last whether an expression is reached, of those that begin at `from` or behind it.
    pub(crate) fn decided_between(
        &self,
        home: Home,
        from: ByteOffset,
        at: ByteOffset,
    ) -> Option<ByteSpan> {
        let point = FlowPoint {
            at,
            moment: FlowMoment::Start,
        };
        let conditions = self.read(home, |script| script.conditions_before(&[point]).concat())?;
        let between = conditions.iter().map(|it| it.span);
        between
            .filter(|span| span.start >= from && span.start < at)
            .max_by_key(|span| span.start)
    }

    /// The reads of properties of a name in a part of a script: see [`Script::property_reads`].
    pub(crate) fn property_reads(
        &self,
        home: Home,
        within: ByteSpan,
        name: &str,
    ) -> Vec<PropertyRead> {
        let read = |script: &Script<'_>| script.property_reads(within, name);
        self.read(home, read).unwrap_or_default()
    }

    /// The variable that runs as `name` at `at` of `home`, as the event log numbers those of a script.
    pub(crate) fn logged_name(&self, home: Home, at: ByteOffset, name: &str) -> LoggedName {
        let read = |script: &Script<'_>| script.logged_name(at, name);
        self.read(home, read).unwrap_or(LoggedName::Unsure)
    }

    /// The same where no object of a `with` around has the name.
    pub(crate) fn logged_name_behind_with(
        &self,
        home: Home,
        at: ByteOffset,
        name: &str,
    ) -> LoggedName {
        let read = |script: &Script<'_>| script.logged_name_behind_with(at, name);
        self.read(home, read).unwrap_or(LoggedName::Unsure)
    }

    /// Whether a variable of a script, by its number there, is declared by `let`, `const` or as a class at its top.
    pub(crate) fn is_lexical(&self, home: Home, variable: u32) -> bool {
        self.read(home, |script| script.is_lexical(variable))
            .unwrap_or(true)
    }

    /// Where the class or function begins whose own name this is: see [`Script::self_name`].
    pub(crate) fn self_name(&self, home: Home, at: ByteOffset, name: &str) -> Option<ByteOffset> {
        self.read(home, |script| script.self_name(at, name))?
    }

    /// The bodies of the `with` statements around that may say what `name` means: see [`Script::with_bodies`].
    pub(crate) fn with_bodies(&self, home: Home, at: ByteOffset, name: &str) -> Vec<ByteSpan> {
        let read = |script: &Script<'_>| script.with_bodies(at, name);
        self.read(home, read).unwrap_or_default()
    }

    /// Where a module has an imported name from: see [`Script::imported`].
    pub(crate) fn imported(&self, home: Home, name: &str) -> Option<(String, Option<String>)> {
        self.read(home, |script| script.imported(name))?
    }

    /// What a module exports under a name, and where.
    pub(crate) fn exported(&self, home: Home, name: &str) -> Option<(Exported, ByteOffset)> {
        self.read(home, |script| script.exported(name))?
    }

    /// The modules of which a module exports all.
    pub(crate) fn exported_all(&self, home: Home) -> Vec<String> {
        let read = |script: &Script<'_>| script.exported_all();
        self.read(home, read).unwrap_or_default()
    }

    /// Whether a source map names things otherwise than they run.
    pub(crate) fn has_names(&self, home: Home) -> bool {
        self.texts
            .get(home.text)
            .is_some_and(|text| text.source_map.is_some())
    }

    /// The address of the text that a script is in.
    pub(crate) fn address_of(&self, home: Home) -> Option<String> {
        self.texts.get(home.text).map(|text| text.url.clone())
    }

    /// The address of a module that another names; `None`: the name is no address.
    pub(crate) fn module_named(&self, home: Home, specifier: &str) -> Option<String> {
        let is_relative = ["./", "../", "/"]
            .iter()
            .any(|start| specifier.starts_with(start));
        let url = match is_relative {
            true => url::Url::parse(&self.address_of(home)?)
                .ok()?
                .join(specifier)
                .ok()?,
            false => url::Url::parse(specifier).ok()?,
        };
        let url = url.to_string();
        Some(self.redirects.get(&url).cloned().unwrap_or(url))
    }

    fn read<T>(&self, home: Home, read: impl FnOnce(&Script<'_>) -> T) -> Option<T> {
        let text = self.texts.get(home.text)?;
        let mut scripts = text.scripts.iter();
        let script = scripts.find(|script| script.span.start == home.begins)?;
        text.parsed
            .with(text.content(script)?, script.goal, read)
            .ok()
    }

    /// What the site with this number wrote to `target`.
    pub(crate) fn written(&self, site: u32, target: Target<'_>) -> Option<(Home, Written)> {
        let site = self.site(site)?;
        let text = self.texts.get(site.text)?;
        let holds = |script: &&ScriptIn| script.span.start <= site.at && site.at < script.span.end;
        let &script = text.scripts.iter().find(holds)?;
        let lines = text.mapped.original_lines();
        let names = MapNames::new(text.source_map.as_ref(), &text.mapped.original, lines);
        // A source map is of a script that is all of its text.
        let names: &dyn OriginalNames = match &names {
            Some(names) => names,
            None => &NamesAsWritten,
        };
        let at = ByteOffset(site.at.0 - script.span.start.0);
        let home = Home {
            text: site.text,
            begins: script.span.start,
        };
        let read = |parsed: &Script<'_>| parsed.written_at(at, site.kind, target, names);
        let written = text.parsed.with(text.content(&script)?, script.goal, read);
        Some((home, written.ok()??))
    }

    /// What was returned at the site with this number.
    pub(crate) fn returned(&self, site: u32) -> Option<(Home, Written)> {
        let site = self.site(site)?;
        let text = self.texts.get(site.text)?;
        let holds = |script: &&ScriptIn| script.span.start <= site.at && site.at < script.span.end;
        let &script = text.scripts.iter().find(holds)?;
        let at = ByteOffset(site.at.0 - script.span.start.0);
        let home = Home {
            text: site.text,
            begins: script.span.start,
        };
        let read = |parsed: &Script<'_>| parsed.returned_at(at);
        let returned = text.parsed.with(text.content(&script)?, script.goal, read);
        Some((home, returned.ok()??))
    }

    /// The call at which a frame is.
    pub(crate) fn call_of(&self, url: &str, running: Utf16Position) -> Option<CallPlace> {
        let (home, script, at) = self.home(url, running)?;
        let text = self.texts.get(home.text)?;
        let read = |parsed: &Script<'_>| parsed.call_extent(at);
        let extent = text.parsed.with(text.content(&script)?, script.goal, read);
        Some(self.call_beginning(home, extent.ok()??.start))
    }

    /// A call that begins at `at` of `home`.
    pub(crate) fn call_beginning(&self, home: Home, at: ByteOffset) -> CallPlace {
        let url = self.texts.get(home.text).map(|text| text.url.clone());
        CallPlace {
            url: url.unwrap_or_default(),
            start: home.begins.0 + at.0,
        }
    }

    /// The name of the function that begins at a running position, as `trace(return(…))` takes it; `None`: it has none,
    /// or what it returns is no value that its caller gets.
    pub(crate) fn returning(&self, url: &str, running: Utf16Position) -> Option<String> {
        let (home, script, at) = self.home(url, running)?;
        let text = self.texts.get(home.text)?;
        let read = |parsed: &Script<'_>| {
            let function = parsed.function_beginning_at(at)?;
            let own = || parsed.function_name_at(function.body);
            (!function.is_resumed).then(|| (function.body, own()))
        };
        let read = text.parsed.with(text.content(&script)?, script.goal, read);
        let (body, own) = read.ok()??;
        let in_text = ByteOffset(home.begins.0 + body.0);
        let name = match &text.names {
            Some(names) => names.function(in_text).map(str::to_owned),
            None => own,
        };
        name.filter(|name| is_identifier(name))
    }

    /// What is called where a frame is.
    pub(crate) fn called(&self, url: &str, running: Utf16Position) -> Option<(Home, CallAt)> {
        let (home, script, at) = self.home(url, running)?;
        let text = self.texts.get(home.text)?;
        let read = |parsed: &Script<'_>| parsed.called_at(at);
        let called = text.parsed.with(text.content(&script)?, script.goal, read);
        Some((home, called.ok()??))
    }

    /// The script in which a running position is, and where in it.
    fn home(&self, url: &str, running: Utf16Position) -> Option<(Home, ScriptIn, ByteOffset)> {
        let text = self.text_of(url)?;
        let offset = text.mapped.original_offset(running)?;
        let &script = text.script_at(offset)?;
        let number = self.texts.iter().position(|it| std::ptr::eq(it, text))?;
        let home = Home {
            text: number,
            begins: script.span.start,
        };
        let at = ByteOffset(offset.0 - script.span.start.0);
        Some((home, script, at))
    }

    /// Whether a running position is inside `span` of `home`.
    pub(crate) fn is_inside(
        &self,
        home: Home,
        span: ByteSpan,
        url: &str,
        running: Utf16Position,
    ) -> bool {
        let inside = |(own, _, at): (Home, ScriptIn, ByteOffset)| {
            own == home && span.start <= at && at < span.end
        };
        self.home(url, running).is_some_and(inside)
    }

    /// The text that runs at `span` of `home`, without what hooks put into it.
    pub(crate) fn text_at(&self, home: Home, span: ByteSpan) -> Option<&str> {
        let text = self.texts.get(home.text)?;
        let begins = home.begins.index();
        let range = begins + span.start.index()..begins + span.end.index();
        text.mapped.original.get(range)
    }

    /// The text at `span` of `home` as its author wrote it: see [`SourceMap::original_text`]. Without a map, or where
    /// the map has no exact range for it, the text that runs.
    ///
    /// [`SourceMap::original_text`]: js_analysis::source_map::SourceMap::original_text
    pub(crate) fn author_text_at(&self, home: Home, span: ByteSpan) -> Option<&str> {
        let running = self.text_at(home, span)?;
        let text = self.texts.get(home.text)?;
        let in_text = ByteSpan {
            start: ByteOffset(home.begins.0 + span.start.0),
            end: ByteOffset(home.begins.0 + span.end.0),
        };
        let own = text.source_map.as_ref().and_then(|map| {
            let lines = text.mapped.original_lines();
            map.original_text(&text.mapped.original, lines, in_text)
        });
        Some(own.unwrap_or(running))
    }

    /// The private name at `at` of `home` as its author wrote it, with its `#`, where a source map says so.
    pub(crate) fn private_name(&self, home: Home, at: ByteOffset) -> Option<String> {
        let text = self.texts.get(home.text)?;
        let (running, lines) = (&text.mapped.original, text.mapped.original_lines());
        let names = MapNames::new(text.source_map.as_ref(), running, lines)?;
        let given = names.original_name(ByteOffset(home.begins.0 + at.0));
        given.filter(|given| given.starts_with('#'))
    }

    /// Where `at` of `home` is, in its author's file.
    pub(crate) fn place_in(&self, home: Home, at: ByteOffset) -> Option<SourceLocation> {
        let text = self.texts.get(home.text)?;
        let at = ByteOffset(home.begins.0 + at.0);
        Some(text.place_of(text.mapped.position_of(at), None))
    }

    /// The function around `at` of `home`, by its author's name; empty at the top of a script.
    pub(crate) fn function_in(&self, home: Home, at: ByteOffset) -> Option<String> {
        let text = self.texts.get(home.text)?;
        let in_text = ByteOffset(home.begins.0 + at.0);
        if let Some(names) = &text.names {
            return Some(names.function(in_text).unwrap_or_default().to_owned());
        }
        let holds = |script: &&ScriptIn| script.span.start <= in_text && in_text < script.span.end;
        let script = text.scripts.iter().find(holds)?;
        let read = |parsed: &Script<'_>| parsed.function_name_at(at);
        let name = text.parsed.with(text.content(script)?, script.goal, read);
        Some(name.ok()?.unwrap_or_default())
    }

    /// The name by which a query can ask for the variable that runs as `name` at `at` of `home`; `None`: by none.
    pub(crate) fn asked_as(&self, home: Home, at: ByteOffset, name: &str) -> Option<String> {
        let text = self.texts.get(home.text)?;
        let (Some(names), Some(map)) = (&text.names, &text.source_map) else {
            return Some(name.to_owned());
        };
        let at = ByteOffset(home.begins.0 + at.0);
        let position = text.mapped.position_of(at);
        let spot = Spot { at, position, map };
        let given = names.variable(spot, DebuggerScope::Anywhere, name);
        let given = given.unwrap_or_else(|| name.to_owned());
        // It must lead back to that variable.
        let running = names.running(spot, &given).ok()?;
        (running.text.trim() == name).then_some(given)
    }
}

impl Text {
    pub(super) fn content(&self, script: &ScriptIn) -> Option<&str> {
        let range = script.span.start.index()..script.span.end.index();
        self.mapped.original.get(range)
    }
}
