//! What the tab that a person debugs shows: read, without anything being changed by it.

use cdp_driver::protocol::Call as _;
use cdp_driver::protocol::generated as cdp;
use futures::future::join_all;
use querypoint::answer::Variable;
use querypoint::session::tab::DOCUMENT;

use super::InspectedTab;
use super::expanding::{ExpandError, Expansion, Inside, inside_of};
use crate::preview;

impl InspectedTab {
    /// What the tab has for the document and for a reference: in this frame (0 is the newest, -1 the oldest) where it
    /// is, else in the global scope. What is not there, or cannot be read without code of the page being run, is
    /// left out.
    pub async fn look(&self, reference: Option<(&str, i32)>) -> Vec<Variable> {
        let document = DOCUMENT.iter().map(|name| (*name, None));
        let asked = reference.map(|(reference, frame)| (reference, Some(frame)));
        let looking = document
            .chain(asked)
            .map(|(expression, frame)| self.value(expression, frame));
        join_all(looking).await.into_iter().flatten().collect()
    }

    /// What the object has inside that an expression gives, in a frame of the tab, which is paused; with who wrote each
    /// property last, where live hooks tell it. Nothing is changed by it, and no getter is called.
    ///
    /// # Errors
    /// If the tab is not paused there, or the expression cannot be evaluated.
    pub async fn expand(&self, inside: &Inside) -> Result<Expansion, ExpandError> {
        let frame = self.frames().get(inside.frame).cloned();
        let frame = frame.ok_or(ExpandError::NoFrame(inside.frame))?;
        let hooks = self.hooks();
        let named = hooks
            .as_ref()
            .and_then(|it| it.running(&frame.url, frame.running, &inside.expression))
            .or_else(|| {
                let written = self.scripts().written(frame.script?)?;
                written.running_expression(frame.running, &inside.expression)
            });
        let expression = match named {
            Some(named) => named.map_err(ExpandError::NoName)?,
            None => inside.expression.clone(),
        };
        let evaluate = cdp::debugger::EvaluateOnCallFrame {
            silent: Some(true),
            throw_on_side_effect: Some(true),
            ..cdp::debugger::EvaluateOnCallFrame::new(frame.id, expression)
        };
        let evaluated = self.protocol.call(Some(&self.session), &evaluate).await?;
        if evaluated.exception_details.is_some() {
            let why = preview::shown(&evaluated.result).text;
            return Err(ExpandError::Threw {
                expression: inside.expression.clone(),
                why: why.lines().next().unwrap_or_default().to_owned(),
            });
        }
        let (protocol, session) = (self.protocol.as_ref(), &self.session);
        let (mut expansion, parts) =
            inside_of(protocol, session, &evaluated.result, inside).await?;
        if let (Some(hooks), Some(object)) = (hooks, &evaluated.result.object_id) {
            let properties = &mut expansion.properties;
            hooks
                .of_inside(object.as_str(), frame.context, &parts, properties)
                .await?;
        }
        Ok(expansion)
    }

    async fn value(&self, expression: &str, frame: Option<i32>) -> Option<Variable> {
        // The browser does not call the title of a document free of effects.
        let throw_on_side_effect = Some(frame.is_some());
        let session = Some(&self.session);
        let (result, thrown) = match frame.map(|frame| self.frame(frame)) {
            None | Some(EvaluationPlace::Nowhere) => {
                let evaluate = cdp::runtime::Evaluate {
                    silent: Some(true),
                    generate_preview: Some(true),
                    throw_on_side_effect,
                    ..cdp::runtime::Evaluate::new(expression)
                };
                let told = self.protocol.call(session, &evaluate).await.ok()?;
                (told.result, told.exception_details)
            }
            Some(EvaluationPlace::At(frame)) => {
                let evaluate = cdp::debugger::EvaluateOnCallFrame {
                    silent: Some(true),
                    generate_preview: Some(true),
                    throw_on_side_effect,
                    ..cdp::debugger::EvaluateOnCallFrame::new(frame, expression)
                };
                let told = self.protocol.call(session, &evaluate).await.ok()?;
                (told.result, told.exception_details)
            }
            Some(EvaluationPlace::Elsewhere) => return None,
        };
        thrown
            .is_none()
            .then(|| Variable::new(expression.to_owned(), preview::shown(&result)))
    }

    /// The frame with this number.
    fn frame(&self, number: i32) -> EvaluationPlace {
        let frames = self.frames();
        if frames.is_empty() && number == 0 {
            return EvaluationPlace::Nowhere;
        }
        let from_newest = usize::try_from(number).ok();
        let index = from_newest.or_else(|| {
            let from_oldest = usize::try_from(number.unsigned_abs()).ok()?;
            frames.len().checked_sub(from_oldest)
        });
        let frame = index.and_then(|index| frames.get(index));
        frame.map_or(EvaluationPlace::Elsewhere, |frame| {
            EvaluationPlace::At(frame.id.clone())
        })
    }
}

/// Where something is evaluated.
enum EvaluationPlace {
    /// The tab is not paused.
    Nowhere,
    /// In this frame.
    At(String),
    /// In a frame that there is not.
    Elsewhere,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::executor::block_on;
    use serde_json::{Value, json};

    use js_analysis::position::Utf16Position;

    use super::*;
    use crate::fake::{FakeProtocol, SESSION};
    use crate::inspected::PausedFrame;
    use cdp_driver::protocol::SessionId;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn answers(fake: &FakeProtocol, method: &str, answers: &[Value]) {
        for answer in answers {
            fake.on(method, Vec::new(), Some(Ok(answer.clone())));
        }
    }

    fn text(value: &str) -> Value {
        json!({ "result": { "type": "string", "value": value } })
    }

    fn number(value: i32) -> Value {
        let text = value.to_string();
        json!({ "result": { "type": "number", "value": value, "description": text } })
    }

    fn texts(read: Vec<Variable>) -> Vec<String> {
        read.into_iter().map(|it| it.value.text).collect()
    }

    fn tab(fake: &Arc<FakeProtocol>) -> InspectedTab {
        InspectedTab::new(fake.clone(), SessionId(SESSION.to_owned()))
    }

    #[test]
    fn in_the_frame_in_which_it_is_paused_else_in_the_global_scope() {
        let fake = Arc::new(FakeProtocol::default());
        let document = [text("http://h/"), text("Cart")];
        answers(&fake, cdp::runtime::Evaluate::METHOD, &document);
        answers(&fake, cdp::runtime::Evaluate::METHOD, &[number(1)]);
        let tab = tab(&fake);
        let read = block_on(tab.look(Some(("total", 0))));
        assert_eq!(texts(read), ["\"http://h/\"", "\"Cart\"", "1"]);
        let asked = fake.sent(cdp::runtime::Evaluate::METHOD);
        let is_free: Vec<&Value> = asked.iter().map(|it| &it["throwOnSideEffect"]).collect();
        assert_eq!(is_free, [&json!(false), &json!(false), &json!(true)]);

        let frames = ["a", "b", "c"].map(|id| PausedFrame {
            id: id.to_owned(),
            script: None,
            url: String::new(),
            running: Utf16Position::default(),
            context: 1,
        });
        *tab.frames() = frames.into();
        for (number_of_frame, id) in [(0, "a"), (1, "b"), (-1, "c"), (-3, "a")] {
            answers(&fake, cdp::runtime::Evaluate::METHOD, &document);
            answers(
                &fake,
                cdp::debugger::EvaluateOnCallFrame::METHOD,
                &[number(2)],
            );
            let read = block_on(tab.look(Some(("total", number_of_frame))));
            assert_eq!(texts(read).pop().as_deref(), Some("2"));
            let asked = fake.sent(cdp::debugger::EvaluateOnCallFrame::METHOD);
            assert_eq!(asked.last().unwrap()["callFrameId"], id);
        }
        for missing in [3, -4, i32::MIN] {
            answers(&fake, cdp::runtime::Evaluate::METHOD, &document);
            assert_eq!(block_on(tab.look(Some(("total", missing)))).len(), 2);
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let fake = Arc::new(FakeProtocol::default());
        let thrown = json!({ "exceptionDetails": {}, "result": { "type": "object", "description": "EvalError" } });
        answers(
            &fake,
            cdp::runtime::Evaluate::METHOD,
            &[text("http://h/"), thrown.clone(), thrown],
        );
        let read = block_on(tab(&fake).look(Some(("cart.total", 0))));
        assert_eq!(texts(read), ["\"http://h/\""]);
    }
}
