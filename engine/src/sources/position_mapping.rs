//! Position mapping: from sites and running positions to places in the author's files, and what a debugger evaluates
//! in a frame.

use js_analysis::position::{ByteOffset, ByteSpan, HumanPosition, Utf16Position};
use js_analysis::rewrite::{Extents, Instrumentation, NamesAsWritten, OriginalNames, SiteKind};
use js_analysis::source_map::{Original, SourceMap};
use querypoint::answer::{GeneratedLocation, Location};

use super::map_names::MapNames;
use super::{ScriptIn, SiteEntry, Sources, Text};

impl Sources {
    /// A site by its number.
    pub(crate) fn site(&self, number: u32) -> Option<&SiteEntry> {
        self.sites.get((number as usize).checked_sub(1)?)
    }

    /// The places of the running texts at which armed code never comes, one in each function that has one of
    /// `sites` in it or seems to call one of the `native_functions`, and those at the reproduction point (site 0).
    pub(crate) fn anchors(&self, sites: &[u32], native_functions: &[String]) -> Vec<Anchor> {
        let mut anchors = Vec::new();
        let mut numbers = sites.to_vec();
        numbers.extend(self.callers(native_functions));
        numbers.sort_unstable();
        for number in numbers {
            let home = self.site(number).map(|site| site.text);
            let anchor = match self.site(number) {
                Some(site) => site.anchor,
                None => Some(0),
            };
            let Some(anchor) = anchor else { continue };
            let needle = format!("{}S({anchor})", self.collection.prefix);
            for (index, text) in self.texts.iter().enumerate() {
                if home.is_some_and(|home| home != index) {
                    continue;
                }
                if let Some(at) = text.mapped.rewritten.find(&needle) {
                    let at = ByteOffset::from_index(at);
                    let anchor = Anchor {
                        url: text.url.clone(),
                        digest: text.digest.clone(),
                        position: text.mapped.rewritten_position(at),
                    };
                    if !anchors.contains(&anchor) {
                        anchors.push(anchor);
                    }
                }
            }
        }
        anchors
    }

    /// Where a site is, in its author's file.
    pub(crate) fn site_location(&self, site: &SiteEntry) -> Option<SourceLocation> {
        let text = self.texts.get(site.text)?;
        let sought = match site.kind {
            SiteKind::Branch => Sought::Branch,
            _ => Sought::Expression(None),
        };
        Some(text.place_at(text.mapped.position_of(site.at), sought))
    }

    /// The same of a condition of which the first `evaluated` operands were evaluated.
    pub(crate) fn condition_location(
        &self,
        site: &SiteEntry,
        evaluated: usize,
    ) -> Option<SourceLocation> {
        let text = self.texts.get(site.text)?;
        let condition = site.condition.as_ref();
        let operands = condition.map_or(&[][..], |condition| &condition.operand_places);
        let last = evaluated.checked_sub(1).and_then(|last| operands.get(last));
        let position = text.mapped.position_of(site.at);
        Some(text.place_at(position, Sought::Condition(last.copied())))
    }

    /// Where the reproduction point is, if it is in an event-handler attribute.
    pub(crate) fn attribute_point(&self) -> Option<SourceLocation> {
        let (text, at) = self.attribute_point?;
        let text = self.texts.get(text)?;
        Some(text.place(text.mapped.position_of(at)))
    }

    /// Where a position of the running text is, in its author's file.
    pub(crate) fn place(&self, url: &str, running: Utf16Position) -> SourceLocation {
        match self.text_of(url) {
            Some(text) => text.place(text.mapped.original_position(running)),
            None => SourceLocation::unmapped(url, running),
        }
    }

    /// What the author called the function that a frame is in; `None` if that is the name it runs under.
    pub(crate) fn function_at(&self, url: &str, running: Utf16Position) -> Option<String> {
        let text = self.text_of(url)?;
        let at = text.mapped.original_offset(running)?;
        text.names.as_ref()?.function(at).map(str::to_owned)
    }

    /// The first place inside which a running position lies, as an offset of the author's text.
    pub(crate) fn text_of(&self, url: &str) -> Option<&Text> {
        let number = self
            .latest
            .get(url)
            .or_else(|| self.latest.get(self.redirects.get(url)?))?;
        self.texts.get(*number)
    }

    /// The text of a file as its author wrote it: a response, or what a source map has.
    pub(crate) fn author_text(&self, url: &str) -> Option<&str> {
        if let Some(text) = self.text_of(url) {
            return Some(&text.mapped.original);
        }
        // The latest of those that name it.
        let maps = self
            .texts
            .iter()
            .rev()
            .filter_map(|text| text.source_map.as_ref());
        maps.into_iter().find_map(|map| map.source_text(url))
    }

    /// What a debugger evaluates in a frame that is at `running` of `url`, in the function that begins at `begins`,
    /// to get the references numbered `dependents`.
    pub(crate) fn context(
        &self,
        url: &str,
        running: Utf16Position,
        begins: Option<Utf16Position>,
        dependents: &[usize],
    ) -> String {
        let mut instrumentation = self.collection.instrumentation(0, 1, false, Vec::new());
        instrumentation.outer = self.text_of(url).and_then(|text| text.outer.clone());
        let global = || js_analysis::rewrite::global_context(&instrumentation, dependents);
        let Some(text) = self.text_of(url) else {
            return global();
        };
        let Some(offset) = text.mapped.original_offset(running) else {
            return global();
        };
        let inside = |script: &&ScriptIn| script.span.start <= offset && offset <= script.span.end;
        let Some(&ScriptIn { span, goal, number }) = text.scripts.iter().find(inside) else {
            return global();
        };
        let Some(content) = text
            .mapped
            .original
            .get(span.start.index()..span.end.index())
        else {
            return global();
        };
        let lines = text.mapped.original_lines();
        let names = MapNames::new(text.source_map.as_ref(), &text.mapped.original, lines);
        let names: &dyn OriginalNames = match &names {
            Some(names) => names,
            None => &NamesAsWritten,
        };
        let at = ByteOffset(offset.0 - span.start.0);
        let begins = begins
            .and_then(|begins| text.mapped.original_offset(begins))
            .filter(|begins| span.start <= *begins && *begins <= offset)
            .map(|begins| ByteOffset(begins.0 - span.start.0));
        let of_script = Instrumentation {
            script: number,
            ..instrumentation.clone()
        };
        self.parsed
            .with(content, goal, |script| {
                script.context_at(at, begins, &of_script, dependents, names)
            })
            .unwrap_or_else(|_| global())
    }

    /// The global context.
    pub(crate) fn global_context(&self, dependents: &[usize]) -> String {
        let instrumentation = self.collection.instrumentation(0, 1, false, Vec::new());
        js_analysis::rewrite::global_context(&instrumentation, dependents)
    }
}

/// A place in a running text at which armed code never comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub(crate) url: String,
    /// The digest of the text, where it has no address of its own.
    pub(crate) digest: Option<String>,
    pub(crate) position: Utf16Position,
}

/// What it is whose place is looked for.
#[derive(Clone, Copy)]
enum Sought {
    /// An expression, or a call whose method's name is there.
    Expression(Option<ByteOffset>),
    /// An assignment, by where its value begins.
    Branch,
    /// A condition, by where the operand begins that was evaluated last.
    Condition(Option<ByteOffset>),
}

/// A place in a file, with what is there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceLocation {
    pub(crate) location: Location,
    pub(crate) source_line: Option<String>,
}

impl SourceLocation {
    fn unmapped(url: &str, position: Utf16Position) -> Self {
        let human = HumanPosition::from(position);
        Self {
            location: Location {
                url: url.to_owned(),
                line: human.line,
                column: human.column,
                generated: None,
                eval_origin: None,
                library: false,
            },
            source_line: None,
        }
    }
}

impl Text {
    /// The place of a position of the author's (or bundler's) text, through its source map if it has one.
    pub(super) fn place(&self, position: Utf16Position) -> SourceLocation {
        self.place_at(position, Sought::Expression(None))
    }

    /// The place of an expression that begins at `position`; `named` is where the method's name is, if it is a
    /// call.
    pub(super) fn place_of(
        &self,
        position: Utf16Position,
        named: Option<ByteOffset>,
    ) -> SourceLocation {
        self.place_at(position, Sought::Expression(named))
    }

    fn place_at(&self, position: Utf16Position, sought: Sought) -> SourceLocation {
        let mut place = SourceLocation::unmapped(&self.url, position);
        place.location.eval_origin.clone_from(&self.eval_origin);
        place.source_line = self.mapped.original_line(position.line).map(cut_line);
        let Some((map, original)) = self.original(position, sought) else {
            return place;
        };
        let human = HumanPosition::from(original.position);
        place.source_line = map
            .source_line(&original.source, original.position.line)
            .map(cut_line);
        let generated = place.location;
        let library = map.is_ignored(&original.source);
        place.location = Location {
            url: original.source,
            line: human.line,
            column: human.column,
            generated: Some(GeneratedLocation {
                url: generated.url,
                line: generated.line,
                column: generated.column,
            }),
            eval_origin: generated.eval_origin,
            library,
        };
        place
    }
}

impl Text {
    /// Where a position of the bundler's text comes from.
    fn original(&self, position: Utf16Position, sought: Sought) -> Option<(&SourceMap, Original)> {
        let map = self.source_map.as_ref()?;
        let direct = || map.original(position);
        let Some(at) = self.mapped.offset_of(position) else {
            return Some((map, direct()?));
        };
        let Some((script, extents)) = self.extents() else {
            return Some((map, direct()?));
        };
        let source = self.mapped.original.get(..script.end.index())?;
        let original = match sought {
            Sought::Expression(named) => extents.original(map, source, at, named),
            Sought::Branch => extents.branch(map, source, at),
            Sought::Condition(last) => extents.condition(map, source, at, last),
        };
        Some((map, original?))
    }

    /// How far the expressions of the one script in this text reach; looked at when a map first asks for it.
    fn extents(&self) -> Option<(ByteSpan, &Extents)> {
        /// In a longer one, a segment before an expression is taken for its own.
        const LONGEST: u32 = 16 << 20;
        // What has a map begins where its script does.
        let &[ScriptIn { span, goal, .. }] = self.scripts.as_slice() else {
            return None;
        };
        if span.start.0 != 0 || span.end.0 > LONGEST {
            return None;
        }
        let read = || {
            let content = self.mapped.original.get(..span.end.index())?;
            self.parsed
                .with(content, goal, |script| script.extents())
                .ok()
        };
        Some((span, self.extents.get_or_init(read).as_ref()?))
    }
}

/// Lines of minified files are cut: nobody reads them.
fn cut_line(line: &str) -> String {
    const LONGEST: usize = 500;
    line.chars().take(LONGEST).collect()
}
