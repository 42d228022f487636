//! Where a `get` trap of a proxy or a getter of the page decides what a read gives, what was looked up without
//! running the page is compared with what the page itself reads. The debugger lets it run as far as that has no side
//! effects; where the page ends at the reproduction point, it lets it run with them, after all else was read.

use std::collections::BTreeMap;

use cdp_driver::protocol::Call as _;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Missing, ProtocolError, SessionId};
use futures::future::try_join_all;
use js_analysis::position::Utf16Position;
use querypoint::answer::Value as Preview;
use querypoint::graph::Parent;
use serde::Deserialize;

use super::{PauseLoop, Role, Watcher};
use crate::debugger::{Effects, Reader, Untold, Where};
use crate::error::EngineError;
use crate::preview;
use crate::sources::SourceLocation;
use crate::stopped::{Frame, frame_at};

/// What a trap or getter, whose value is not certainly what was looked up, makes of an answer.
#[derive(Clone, Debug)]
pub(crate) struct PageRead {
    /// Where that function is; `None`: it is none of a script.
    pub(crate) function: Option<SourceLocation>,
    /// Whether it is the getter of an accessor.
    pub(crate) is_getter: bool,
    /// Whether what was followed ends in a value that was not changed since it was made.
    pub(crate) is_doubtful: bool,
    pub(crate) reading: Reading,
}

impl PageRead {
    /// Whether only its side effects kept it from being said.
    pub(crate) fn is_for_side_effects(&self) -> bool {
        matches!(self.reading, Reading::Unknown(Untold::SideEffects))
    }
}

/// How the page reads the value.
#[derive(Clone, Debug)]
pub(crate) enum Reading {
    /// As another value than the one that was looked up: this one.
    Differs(Preview),
    /// It cannot be said.
    Unknown(Untold),
}

impl PauseLoop<'_> {
    /// Compares what is asked at `parent`, at which the page is paused, with what the page reads.
    pub(super) async fn compare_with_page(
        &mut self,
        parent: Parent,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let place = |frame| frame_at(frames, frame).map(Where::Frame);
        let reads = &mut self.readings.page_reads;
        let reader = &self.watcher.reader;
        self.watcher.compare(parent, &place, reader, reads).await
    }
}

impl Watcher<'_> {
    /// Compares what is asked at the end of the replay, at which the page is not paused.
    pub(super) async fn compare_in_document(&self) -> Result<(), EngineError> {
        let place = |frame| (frame == 0).then_some(Where::Document(&self.tab));
        let mut reads = BTreeMap::new();
        self.compare(Parent::ReproductionPoint, &place, &self.reader, &mut reads)
            .await?;
        self.compare_at_end(&place, &mut reads).await?;
        self.gathered.lock().outcome.page_reads.extend(reads);
        Ok(())
    }

    /// Compares what is asked at the reproduction point, where the page ends and all else has been read, once more:
    /// what has side effects runs. No request leaves the page then, and it is not paused.
    pub(super) async fn compare_at_end<'p>(
        &self,
        place: &(dyn Fn(i32) -> Option<Where<'p>> + Sync),
        reads: &mut BTreeMap<usize, PageRead>,
    ) -> Result<(), EngineError> {
        let is_open = reads.values().any(PageRead::is_for_side_effects);
        let Some(session) = place(0).map(Where::session) else {
            return Ok(());
        };
        let ends_here =
            self.task.role == Role::Page && self.task.pause.is_none() && !self.goes_on();
        // What it writes to cookies and storage must be thrown away with the page.
        let is_own = !self.setting.protocol.offers().lacks(Missing::OwnContexts);
        if !is_open || !ends_here || !is_own {
            return Ok(());
        }
        let protocol = &self.reader.protocol;
        let offline = cdp::network::EmulateNetworkConditions::new(true, 0.0, -1.0, -1.0);
        let skip = cdp::debugger::SetSkipAllPauses::new(true);
        for done in [
            protocol.call(Some(session), &offline).await.map(drop),
            protocol.call(Some(session), &skip).await.map(drop),
        ] {
            match done {
                Ok(()) => {}
                // Where it cannot be kept from sending requests, as in a worker, it does not run.
                Err(ProtocolError::Refused { .. }) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        let reader = Reader {
            protocol: protocol.clone(),
            prefix: self.reader.prefix.clone(),
            effects: Effects::Allowed,
        };
        self.compare(Parent::ReproductionPoint, place, &reader, reads)
            .await
    }

    async fn compare<'p>(
        &self,
        parent: Parent,
        place: &(dyn Fn(i32) -> Option<Where<'p>> + Sync),
        reader: &Reader,
        reads: &mut BTreeMap<usize, PageRead>,
    ) -> Result<(), EngineError> {
        let has_effects = reader.effects == Effects::Allowed;
        let prefix = &self.setting.collection.prefix;
        let asked = self
            .setting
            .collection
            .property_queries(&self.setting.plan, parent);
        let mut compared = Vec::new();
        for (query, frame) in asked {
            let Some(place) = place(frame) else {
                continue;
            };
            let context = match place {
                Where::Frame(frame) => self.context(frame, &query.dependents),
                Where::Document(_) => self.global_context(&query.dependents),
            };
            let number = query.query;
            let known = reads.get(&number);
            if has_effects && !known.is_some_and(PageRead::is_for_side_effects) {
                continue;
            }
            let query = serde_json::to_string(query).unwrap_or_default();
            let function = format!("{prefix}E.runByRead({query},{context})");
            compared.push((place, number, query, context, function));
        }
        // Most run nothing, which is asked of all at once. What is asked of one that does is about the last that ran.
        let run = compared
            .iter()
            .map(|(place, _, _, _, function)| reader.object_in(*place, function));
        let run = try_join_all(run).await?;
        let is_only = compared.len() == 1;
        let running = compared.into_iter().zip(run);
        for ((place, number, query, context, function), run) in running {
            let run = match run {
                Some(_) if !is_only => reader.object_in(place, &function).await?,
                run => run,
            };
            let Some(function) = run else {
                continue;
            };
            let is = async |what: &str| {
                let expression = format!("{prefix}E.{what}()");
                let told = reader.truth_in(place, &expression).await?;
                Ok::<bool, EngineError>(told.unwrap_or(false))
            };
            if has_effects && !is("isComparable").await? {
                continue;
            }
            let agrees = format!("{prefix}E.agreesWithPage({query},{context})");
            let reading = match reader.truth_in(place, &agrees).await? {
                Ok(true) => {
                    reads.remove(&number);
                    continue;
                }
                Ok(false) => {
                    let read = format!("{prefix}E.readAsPage({query},{context})");
                    match reader.preview_in(place, &read).await? {
                        Ok(value) => Reading::Differs(preview::shown(&value)),
                        Err(why) => Reading::Unknown(why),
                    }
                }
                Err(why) => Reading::Unknown(why),
            };
            let (is_getter, is_doubtful) = (is("isOfGetter").await?, is("isDoubtful").await?);
            let function = self.place_of_function(place.session(), &function).await?;
            let read = PageRead {
                function,
                is_getter,
                is_doubtful,
                reading,
            };
            reads.insert(number, read);
        }
        Ok(())
    }

    /// Where a function is in its script.
    async fn place_of_function(
        &self,
        session: &SessionId,
        function: &cdp::runtime::RemoteObjectId,
    ) -> Result<Option<SourceLocation>, EngineError> {
        /// What the browser says in `[[FunctionLocation]]`.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct FunctionLocation {
            script_id: String,
            line_number: u32,
            column_number: u32,
        }
        let own = cdp::runtime::GetProperties {
            own_properties: Some(true),
            ..cdp::runtime::GetProperties::new(function.as_str())
        };
        let protocol = &self.reader.protocol;
        let told = protocol.call(Some(session), &own).await?;
        let mut internal = told.internal_properties.into_iter().flatten();
        let location = internal.find(|property| property.name == "[[FunctionLocation]]");
        let Some(location) = location.and_then(|property| property.value?.value) else {
            return Ok(None);
        };
        let Ok(location) = FunctionLocation::deserialize(location) else {
            return Ok(None);
        };
        let (script, line, column) = (
            location.script_id,
            location.line_number,
            location.column_number,
        );
        let Some(script) = self.scripts.lock().get(session, &script).cloned() else {
            return Ok(None);
        };
        let position = script.position(Utf16Position { line, column });
        Ok(Some(
            self.setting.sources.lock().place(&script.url, position),
        ))
    }
}
