//! Where a `get` trap of a proxy or a getter of the page decides what a read gives, what was looked up without
//! running the page is compared with what the page itself reads. The debugger lets it run as far as that has no side
//! effects.

use cdp_driver::protocol::generated as cdp;
use js_analysis::position::Utf16Position;
use querypoint::answer::Value as Shown;
use querypoint::graph::Parent;
use serde_json::{Value, json};

use super::{Watcher, lock};
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

impl Watcher<'_> {
    /// Compares what is asked at `parent`, at which the page is paused, with what the page reads.
    pub(super) async fn compare_with_page(
        &self,
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
            let context = self.context(frame, &query.dependents);
            let number = query.query;
            let query = serde_json::to_string(query).unwrap_or_default();
            let function = format!("{prefix}E.runByRead({query},{context})");
            let Some(function) = self.reader.object_in(frame, &function).await? else {
                continue;
            };
            let agrees = format!("{prefix}E.agreesWithPage({query},{context})");
            let reading = match self.reader.truth_in(frame, &agrees).await? {
                Ok(true) => continue,
                Ok(false) => {
                    let read = format!("{prefix}E.readAsPage({query},{context})");
                    match self.reader.preview_in(frame, &read).await? {
                        Ok(value) => Reading::Differs(preview::shown(
                            value.get("result").unwrap_or(&Value::Null),
                        )),
                        Err(why) => Reading::Unknown(why),
                    }
                }
                Err(why) => Reading::Unknown(why),
            };
            let is = async |what: &str| {
                let expression = format!("{prefix}E.{what}()");
                let told = self.reader.truth_in(frame, &expression).await?;
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
            lock(&self.page_reads).insert(number, read);
        }
        Ok(())
    }

    /// Where a function stands in its script.
    async fn place_of_function(
        &self,
        frame: &Frame,
        function: &str,
    ) -> Result<Option<Place>, EngineError> {
        let params = json!({ "objectId": function, "ownProperties": true });
        let protocol = &self.reader.protocol;
        let told = protocol
            .send(
                Some(&frame.session),
                cdp::runtime::GetProperties::METHOD,
                params,
            )
            .await?;
        let internal = told.get("internalProperties").and_then(Value::as_array);
        let location = internal.into_iter().flatten().find(|property| {
            property.get("name").and_then(Value::as_str) == Some("[[FunctionLocation]]")
        });
        let Some(location) = location.and_then(|property| property.pointer("/value/value")) else {
            return Ok(None);
        };
        let number = |name: &str| {
            let number = location.get(name).and_then(Value::as_u64);
            number.and_then(|number| u32::try_from(number).ok())
        };
        let script = location.get("scriptId").and_then(Value::as_str);
        let (Some(script), Some(line), Some(column)) =
            (script, number("lineNumber"), number("columnNumber"))
        else {
            return Ok(None);
        };
        let key = (frame.session.clone(), script.to_owned());
        let Some(script) = lock(&self.scripts).get(&key).cloned() else {
            return Ok(None);
        };
        let position = script.position(Utf16Position { line, column });
        Ok(Some(
            lock(&self.setting.sources).place(&script.url, position),
        ))
    }
}
