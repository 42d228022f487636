//! The sites as `querypoint plan` tells them: where each is in its author's file, and for which queries.

use js_analysis::position::ByteOffset;
use js_analysis::rewrite::{
    Instrumentation, OriginalNames, RewriteError, Script, Site, SiteKind, Watch, WatchedTarget,
};
use querypoint::outline::SiteOutline;
use querypoint::query::PropertyKey;

use super::{SiteEntry, SourceLocation, Sources};

impl Sources {
    /// From now on it is kept of each site which queries it is for.
    pub(crate) fn survey(&mut self) {
        self.is_surveyed = true;
    }

    /// The queries that the sites of a script are for, by index of the site. `blocks`: its `try` blocks, and the query
    /// that asks for each.
    pub(super) fn asked(
        &self,
        script: &Script<'_>,
        instrumentation: &Instrumentation,
        names: &dyn OriginalNames,
        sites: &[Site],
        blocks: &[(ByteOffset, usize)],
    ) -> Result<Vec<Vec<usize>>, RewriteError> {
        let mut asked = vec![Vec::new(); sites.len()];
        for query in 0..self.collection.query_count() {
            // A script is rewritten once more for each query alone: that is what tells whose a site is.
            let own = self.sites_for(query, script, instrumentation, names)?;
            let own: Vec<_> = own.iter().map(|site| (site.at, site.kind)).collect();
            let conditions = self.collection.condition_queries().iter();
            let slot = conditions
                .filter(|asking| asking.query == query)
                .map(|asking| asking.slot)
                .next();
            for (site, asked) in sites.iter().zip(&mut asked) {
                let is_asked = match (site.kind, &site.condition) {
                    // Whose calls are numbered is not known without running the page.
                    (SiteKind::Code | SiteKind::Activation, _) => false,
                    (SiteKind::Condition, Some(condition)) => {
                        slot.is_some_and(|slot| condition.slots.contains(&slot))
                    }
                    (SiteKind::TryBlock, _) => blocks.contains(&(site.at, query)),
                    (kind, _) => own.contains(&(site.at, kind)),
                };
                if is_asked {
                    asked.push(query);
                }
            }
        }
        Ok(asked)
    }

    /// The sites that a query alone would have in a script.
    fn sites_for(
        &self,
        query: usize,
        script: &Script<'_>,
        instrumentation: &Instrumentation,
        names: &dyn OriginalNames,
    ) -> Result<Vec<Site>, RewriteError> {
        let mut traces = self.collection.traces().iter();
        let counted = traces.find(|trace| trace.query == query);
        let counted = counted.map(|trace| trace.slot);
        let (watched, called) = self.collection.written_for(query);
        let alone = Instrumentation {
            watch: Watch::Names(watched),
            dependents: Vec::new(),
            capture: None,
            points: instrumentation
                .points
                .iter()
                .filter(|point| counted.is_some() && point.slot == counted)
                .cloned()
                .collect(),
            called,
            conditions: Vec::new(),
            try_blocks: Vec::new(),
            activations: Vec::new(),
            traced: instrumentation
                .traced
                .iter()
                .filter(|event| Some(event.slot) == counted)
                .cloned()
                .collect(),
            traced_variables: Vec::new(),
            opens_functions: false,
            ..instrumentation.clone()
        };
        Ok(script.rewrite(&alone, names)?.sites)
    }

    /// The sites of a query, in the order of the texts: those with a hook, and the calls that may be of a built-in.
    pub(crate) fn sites_of(&self, query: usize) -> (Vec<SiteOutline>, Vec<SiteOutline>) {
        let own = self.sites.iter().filter(|site| site.asked.contains(&query));
        let mut own: Vec<&SiteEntry> = own.collect();
        own.sort_by_key(|site| (site.text, site.at));
        let (calls, hooked): (Vec<&SiteEntry>, Vec<&SiteEntry>) = own
            .into_iter()
            .partition(|site| site.kind == SiteKind::Call);
        let outlined = |sites: Vec<&SiteEntry>| {
            let mut sites: Vec<SiteOutline> = sites
                .into_iter()
                .filter_map(|site| self.outlined(site))
                .collect();
            sites.dedup();
            sites
        };
        (outlined(hooked), outlined(calls))
    }

    /// Where the reproduction point can be.
    pub(crate) fn places_of_point(&self) -> Vec<SiteOutline> {
        let mut places = self.point_places.clone();
        places.sort_unstable();
        places.dedup();
        let outlined = places.into_iter().filter_map(|(text, at)| {
            let text = self.texts.get(text)?;
            let place = text.place(text.mapped.position_of(at));
            Some(site_outline("reproduction point", place, None))
        });
        outlined.collect()
    }

    /// The names whose writes are hooked for a query, as they are written in one.
    pub(crate) fn names_watched_by(&self, query: usize) -> Vec<String> {
        let watched = self.collection.watched_by(query).into_iter();
        watched
            .filter_map(|watched| match watched.target {
                WatchedTarget::Property(key) => {
                    Some(match (key.strip_prefix("\0#"), key.strip_prefix("\0@")) {
                        (Some(private), _) => PropertyKey::Private(private.to_owned()).to_string(),
                        // Behind another NUL is which one it is of those with this description.
                        (_, Some(symbol)) => {
                            let description = symbol.split('\0').next().unwrap_or_default();
                            format!("[Symbol({description})]")
                        }
                        _ => PropertyKey::Public(key).to_string(),
                    })
                }
                WatchedTarget::Variable(name) => Some(name),
                WatchedTarget::Entries(_)
                | WatchedTarget::Conditions(_)
                | WatchedTarget::Events(_) => None,
            })
            .collect()
    }

    fn outlined(&self, site: &SiteEntry) -> Option<SiteOutline> {
        let kind = match &site.calls {
            Some(name) if site.kind == SiteKind::Call => format!("call of {name}"),
            _ => word(site.kind).to_owned(),
        };
        let place = self.site_location(site)?;
        let function = site.function.clone().unwrap_or_default();
        let condition = site.condition.as_ref();
        Some(SiteOutline {
            condition: condition.map(|condition| condition.text.clone()),
            ..site_outline(&kind, place, Some(function))
        })
    }
}

fn site_outline(kind: &str, place: SourceLocation, function: Option<String>) -> SiteOutline {
    SiteOutline {
        kind: kind.to_owned(),
        location: place.location,
        function,
        source_line: place.source_line,
        condition: None,
    }
}

fn word(kind: SiteKind) -> &'static str {
    match kind {
        SiteKind::Assignment | SiteKind::Branch => "assignment",
        SiteKind::Update => "update",
        SiteKind::Declaration => "declaration",
        SiteKind::Parameter => "parameter",
        SiteKind::Definition => "definition",
        SiteKind::Property => "property",
        SiteKind::LoopHead => "loop head",
        SiteKind::Deletion => "deletion",
        SiteKind::Call => "call",
        SiteKind::Code => "code of a text",
        SiteKind::Condition => "condition",
        SiteKind::TryBlock => "try block",
        SiteKind::Activation => "function",
        SiteKind::Event => "event",
    }
}
