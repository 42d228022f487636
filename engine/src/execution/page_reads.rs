//! Where a `get` trap of a proxy or a getter of the page decides what a read gives, what was looked up without
//! running the page is compared with what the page itself reads. The debugger lets it run as far as that has no side
//! effects.

use cdp_driver::protocol::Call as _;
use cdp_driver::protocol::generated as cdp;
use js_analysis::position::Utf16Position;
use querypoint::answer::Value as Shown;
use querypoint::graph::Parent;
use serde::Deserialize;

use super::PauseLoop;
use crate::debugger::Untold;
use crate::error::EngineError;
use crate::preview;
use crate::sources::Place;
use crate::stopped::{Frame, frame_at};

/// What a trap or getter, whose value is not certainly what was looked up, makes of an answer.
#[derive(Clone, Debug)]
pub(crate) struct PageRead {
    /// Where that function stands; `None`: it is none of a script.
    pub(crate) function: Option<Place>,
    /// Whether it is the getter of an accessor.
    pub(crate) is_getter: bool,
    /// Whether what was followed ends in a value that was not changed since it was made.
    pub(crate) is_doubtful: bool,
    pub(crate) reading: Reading,
}

/// How the page reads the value.
#[derive(Clone, Debug)]
pub(crate) enum Reading {
    /// As another value than the one that was looked up: this one.
    Differs(Shown),
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
        let prefix = &self.setting.collection.prefix;
        let asked = self
            .setting
            .collection
            .property_queries(&self.setting.plan, parent);
        for (query, frame) in asked {
            let Some(frame) = frame_at(frames, frame) else {
                continue;
            };
            let context = self.watcher.context(frame, &query.dependents);
            let number = query.query;
            let query = serde_json::to_string(query).unwrap_or_default();
            let function = format!("{prefix}E.runByRead({query},{context})");
            let Some(function) = self.watcher.reader.object_in(frame, &function).await? else {
                continue;
            };
            let agrees = format!("{prefix}E.agreesWithPage({query},{context})");
            let reading = match self.watcher.reader.truth_in(frame, &agrees).await? {
                Ok(true) => continue,
                Ok(false) => {
                    let read = format!("{prefix}E.readAsPage({query},{context})");
                    match self.watcher.reader.preview_in(frame, &read).await? {
                        Ok(value) => Reading::Differs(preview::shown(&value)),
                        Err(why) => Reading::Unknown(why),
                    }
                }
                Err(why) => Reading::Unknown(why),
            };
            let is = async |what: &str| {
                let expression = format!("{prefix}E.{what}()");
                let told = self.watcher.reader.truth_in(frame, &expression).await?;
                Ok::<bool, EngineError>(told.unwrap_or(false))
            };
            let (is_getter, is_doubtful) = (is("isOfGetter").await?, is("isDoubtful").await?);
            let function = self.place_of_function(frame, &function).await?;
            let read = PageRead {
                function,
                is_getter,
                is_doubtful,
                reading,
            };
            self.readings.page_reads.insert(number, read);
        }
        Ok(())
    }

    /// Where a function stands in its script.
    async fn place_of_function(
        &self,
        frame: &Frame,
        function: &cdp::runtime::RemoteObjectId,
    ) -> Result<Option<Place>, EngineError> {
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
        let protocol = &self.watcher.reader.protocol;
        let told = protocol.call(Some(&frame.session), &own).await?;
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
        let scripts = &self.watcher.scripts;
        let Some(script) = scripts.lock().get(&frame.session, &script).cloned() else {
            return Ok(None);
        };
        let position = script.position(Utf16Position { line, column });
        Ok(Some(
            self.setting.sources.lock().place(&script.url, position),
        ))
    }
}
