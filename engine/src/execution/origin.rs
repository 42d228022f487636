//! The page is paused at a write whose value is followed: reads off the syntax tree and the frames where the value
//! comes from.
//!
//! Nothing is guessed. What the text says is evaluated in the frame, without side effects, and must be the value that
//! is written; which branch of `a ? b : c` gave it, the evaluated test says; that a frame's caller called this function
//! and no other, the browser says of the function that the text of the call names (`[[FunctionLocation]]`). Where
//! something cannot be known so, the chain ends there, with the reason.

mod built_ins;
mod calls;
mod parameters;
mod values;

use js_analysis::origin::{Form, PathStep, Target as Written, Value, Written as What};
use js_analysis::position::ByteSpan;
use querypoint::answer::{EndKind, HopKind, Value as Preview};
use querypoint::plan::Sought;
use querypoint::query::{PropertyKey, Target};

use super::{EventCapture, PauseLoop};
use crate::agent_message::answered;
use crate::debugger::{Reader, Untold};
use crate::error::EngineError;
use crate::origin::{AuthorPlace, CallPlace, Followed, Next, Probe, is_content_key};
use crate::preview;
use crate::sources::Home;
use crate::stopped::Frame;

/// What the page is paused at.
pub(super) struct Pause<'p> {
    pauses: &'p PauseLoop<'p>,
    frames: &'p [&'p Frame],
    /// What gives the value that is written, in any frame.
    value: String,
}

/// A text, and a frame in which it is evaluated.
#[derive(Clone, Copy)]
struct Spot<'f> {
    frame: &'f Frame,
    number: i32,
    home: Home,
}

/// A destructuring's way into a value, and where its own expressions are evaluated.
#[derive(Clone, Copy)]
struct Way<'w> {
    spot: Spot<'w>,
    steps: &'w [PathStep],
}

/// The same values, as `Object.is` tells.
const SAME: &str = "((a,b)=>a===b?a!==0||1/a===1/b:a!==a&&b!==b)";

impl PauseLoop<'_> {
    /// What is told of the write at which the page is paused, if a query follows its value.
    pub(super) async fn follow(
        &mut self,
        capture: &EventCapture,
        frames: &[&Frame],
    ) -> Result<(), EngineError> {
        let answered = self.task.answered.get(&capture.sequence);
        let queries = answered.into_iter().flatten();
        // All that it answers ask about the same write; one whose property was computed does not say which.
        let mut followed = queries
            .filter_map(|query| Some((query, self.setting.origins.get(query)?)))
            .map(|(&query, followed)| (&self.setting.plan.queries[query].sought, followed));
        let is_computed =
            |sought: &Sought| matches!(sought, Sought::Change(Target::ComputedProperty { .. }));
        let Some((sought, followed)) = followed
            .clone()
            .find(|(sought, _)| !is_computed(sought))
            .or_else(|| followed.next())
        else {
            return Ok(());
        };
        let (site, by) = (capture.site, capture.by.as_deref());
        let value = format!("{}E.event().value", self.setting.collection.prefix);
        let pause = Pause {
            pauses: self,
            frames,
            value,
        };
        let mut probe = match sought {
            Sought::Trace(_) => {
                let probe = pause.returned(site, followed).await?;
                let value = format!("{}{}", pause.value, followed.way);
                Probe {
                    caller: pause.caller(),
                    identity: pause.identity(&value).await?,
                    ..probe
                }
            }
            Sought::Change(target) => match by {
                Some(by) => pause.by_built_in(by, target).await?,
                None => pause.written(site, target).await?,
            },
            Sought::Condition | Sought::Exception => return Ok(()),
        };
        probe.value = Some(capture.new.clone());
        self.readings.origins.insert(capture.sequence, probe);
        Ok(())
    }
}

impl Pause<'_> {
    fn reader(&self) -> &Reader {
        &self.pauses.watcher.reader
    }

    fn prefix(&self) -> &str {
        &self.pauses.setting.collection.prefix
    }

    /// A text as it runs.
    fn text(&self, home: Home, span: ByteSpan) -> Option<String> {
        let sources = self.pauses.setting.sources.lock();
        sources.text_at(home, span).map(str::to_owned)
    }

    /// The same as its author wrote it, for answers.
    fn shown_text(&self, home: Home, span: ByteSpan) -> Option<String> {
        let sources = self.pauses.setting.sources.lock();
        sources
            .author_text_at(home, span)
            .map(crate::origin::one_line)
    }

    fn place(&self, home: Home, span: ByteSpan) -> Option<AuthorPlace> {
        let sources = self.pauses.setting.sources.lock();
        let place = sources.place_in(home, span.start)?;
        Some(AuthorPlace::new(
            place,
            sources.function_in(home, span.start),
        ))
    }

    fn ended(&self, kind: EndKind, home: Home, span: ByteSpan, detail: Option<String>) -> Next {
        let place = self.place(home, span);
        Next::ended(kind, place.map(|place| place.location), detail)
    }

    /// Whether an expression is true in a frame; or why that cannot be said.
    async fn holds(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Result<bool, Untold>, EngineError> {
        Ok(self
            .reader()
            .truth_in(frame, &format!("(\n{expression}\n)"))
            .await?)
    }

    /// Whether two expressions have the same value.
    async fn same(
        &self,
        frame: &Frame,
        one: &str,
        other: &str,
    ) -> Result<Result<bool, Untold>, EngineError> {
        self.holds(frame, &format!("{SAME}((\n{one}\n),(\n{other}\n))"))
            .await
    }

    async fn shown(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Result<Preview, Untold>, EngineError> {
        let told = self.reader().preview_in(frame.into(), expression).await?;
        Ok(told.map(|object| preview::shown(&object)))
    }

    fn spot(&self, home: Home) -> Option<Spot<'_>> {
        let frame = self.frames.first().copied()?;
        Some(Spot {
            frame,
            number: 0,
            home,
        })
    }

    /// A write by code of the page.
    async fn written(&self, site: u32, target: &Target) -> Result<Probe, EngineError> {
        let (kind, key) = match target {
            Target::Variable { name } => (HopKind::Copy, Some(Written::Variable(name))),
            Target::Property { key, .. } => {
                let (PropertyKey::Public(name) | PropertyKey::Private(name)) = key;
                (kind_of_key(name), Some(Written::Property(name)))
            }
            Target::MapEntry { .. } | Target::SetMember { .. } => (HopKind::Entry, None),
            Target::ComputedProperty { .. } | Target::Unchangeable => (HopKind::Property, None),
        };
        let unknown = |detail: &str| Probe {
            kind,
            place: None,
            value: None,
            caller: None,
            identity: None,
            further: Vec::new(),
            next: Next::unobserved(detail),
        };
        let Some(key) = key else {
            return Ok(unknown(
                "the name of the property is known only when it is written",
            ));
        };
        let what = {
            let sources = self.pauses.setting.sources.lock();
            sources.written(site, key)
        };
        let Some((home, what)) = what else {
            return Ok(unknown("the text of the write does not say what it writes"));
        };
        let Some(spot) = self.spot(home) else {
            return Ok(unknown("no code of the page is on the stack"));
        };
        if let Written::Property(name) = key
            && self.is_other_text(spot, name, &what).await?
        {
            return Ok(unknown("what an element shows is of several texts"));
        }
        self.read(kind, spot, what).await
    }

    /// Whether what an element shows is not the literal that was written to it, or to a node in it.
    async fn is_other_text(
        &self,
        spot: Spot<'_>,
        name: &str,
        what: &What,
    ) -> Result<bool, EngineError> {
        let (what, is_own) = match what {
            What::Other(what) => (&**what, false),
            what => (what, true),
        };
        // The browser gives markup another form.
        if !is_content_key(name) || is_own && name == "innerHTML" {
            return Ok(false);
        }
        let What::Value { value, path } = what else {
            return Ok(false);
        };
        let literal = self.text(spot.home, value.span);
        let literal = literal.filter(|_| value.form == Form::Literal && path.is_empty());
        let Some(literal) = literal else {
            return Ok(false);
        };
        let text = format!("((v)=>v==null?'':''+v)({literal})");
        Ok(self.same(spot.frame, &text, &self.value).await? == Ok(false))
    }

    async fn read(&self, kind: HopKind, spot: Spot<'_>, what: What) -> Result<Probe, EngineError> {
        let mut further = Vec::new();
        let home = spot.home;
        let (kind, what) = match what {
            What::Other(what) => {
                // That a getter gives the value of what it reads, and computes nothing, only its identity says.
                let tells = format!(
                    "((v)=>typeof v==='string'?v.length>0:typeof v==='object'?v!==null:typeof v==='function')({})",
                    self.value
                );
                if self.holds(spot.frame, &tells).await? != Ok(true) {
                    return Ok(Probe {
                        kind: HopKind::Getter,
                        place: None,
                        value: None,
                        caller: None,
                        identity: None,
                        further,
                        next: Next::unobserved(
                            "a getter gives it; what the getter reads was written here, and it may compute",
                        ),
                    });
                }
                (HopKind::Getter, *what)
            }
            what => (kind, what),
        };
        let (kind, next) = match &what {
            What::Value { value, path } => {
                let way = Way { spot, steps: path };
                let next = self
                    .value(spot, value, way, Some(&self.value), &mut further)
                    .await?;
                let kind = match path.is_empty() {
                    true => kind,
                    false => HopKind::Destructuring,
                };
                (kind, next)
            }
            What::Spread { of, key } => (kind, self.copied(spot, of, key).await?),
            What::Parameter {
                index,
                is_rest,
                path,
            } => {
                let way = Way { spot, steps: path };
                return self.parameter(*index, *is_rest, way).await;
            }
            What::Element { of, path } => {
                let way = Way { spot, steps: path };
                (HopKind::Iterator, self.iterated(spot, of, way).await?)
            }
            What::KeyOf(_) => (
                kind,
                Next::unobserved(
                    "a `for-in` loop gives the names of properties; who made them is not followed",
                ),
            ),
            What::Caught | What::CaughtPart(_) => (
                HopKind::Catch,
                Next::unobserved("who threw it is not followed; ask exceptionAfter"),
            ),
            What::Made(span) => (kind, self.ended(EndKind::Literal, home, *span, None)),
            What::Nothing => (
                kind,
                Next::ended(
                    EndKind::Literal,
                    None,
                    Some("it was declared without a value, or deleted".to_owned()),
                ),
            ),
            What::Unknown(why) => (kind, Next::unobserved(*why)),
            What::Other(_) => (kind, Next::unobserved("a getter of a getter")),
        };
        Ok(Probe {
            kind,
            place: None,
            value: None,
            caller: None,
            identity: None,
            further,
            next,
        })
    }

    /// A `for-of` loop reached an element: which one, its value says, if it is the only one.
    async fn iterated(
        &self,
        spot: Spot<'_>,
        of: &Value,
        way: Way<'_>,
    ) -> Result<Next, EngineError> {
        let Some(list) = self.pure_text(spot, of) else {
            return Ok(Next::unobserved(
                "what is iterated is not the value of a variable or property",
            ));
        };
        let Some(into) = self.plain_way(way) else {
            return Ok(Next::unobserved(
                "an element that is taken apart with a default value",
            ));
        };
        let index = self.index_of(spot.frame, &list, &into).await?;
        match index {
            Ok(index) => self.element(spot, of, index, &into).await,
            Err(why) => Ok(Next::unobserved(why)),
        }
    }

    /// What tells the object that an expression gives from others; `None`: it gives none, or cannot be evaluated.
    async fn identity(&self, expression: &str) -> Result<Option<String>, EngineError> {
        let Some(frame) = self.frames.first().copied() else {
            return Ok(None);
        };
        let only = format!(
            "((v)=>v!==null&&(typeof v==='object'||typeof v==='function')?v:null)((\n{expression}\n))"
        );
        let Ok(object) = self.reader().argument_in(frame, &only).await? else {
            return Ok(None);
        };
        if object.object_id.is_none() {
            return Ok(None);
        }
        let function = format!("(object)=>{}E.identity(object)", self.prefix());
        match self
            .reader()
            .json_of_call(frame, &function, &[object])
            .await
        {
            Ok(identity) => Ok(Some(answered(&identity)?)),
            Err(error) if error.is_fatal() => Err(error.into()),
            Err(_) => Ok(None),
        }
    }

    /// The call at which the caller of the newest frame is.
    fn caller(&self) -> Option<CallPlace> {
        let caller = self.frames.get(1)?;
        let sources = self.pauses.setting.sources.lock();
        sources.call_of(&caller.url, caller.position)
    }

    /// A function returned: the value of which expression.
    async fn returned(&self, site: u32, followed: &Followed) -> Result<Probe, EngineError> {
        let unknown = |detail: &str| Probe {
            kind: HopKind::Return,
            place: None,
            value: None,
            caller: None,
            identity: None,
            further: Vec::new(),
            next: Next::unobserved(detail),
        };
        let what = {
            let sources = self.pauses.setting.sources.lock();
            sources.returned(site)
        };
        let Some((home, what)) = what else {
            return Ok(unknown("the text does not say what is returned there"));
        };
        let Some(spot) = self.spot(home) else {
            return Ok(unknown("no code of the page is on the stack"));
        };
        let way = followed.way.as_str();
        if way.is_empty() {
            return self.read(HopKind::Return, spot, what).await;
        }
        // The object that was returned is that of the event.
        let of_object = format!("{}{way}", self.value);
        let next = match self.shown(spot.frame, &of_object).await? {
            Ok(value) => Next::Change {
                frame: 0,
                reference: format!(".owner{way}"),
                value,
            },
            Err(why) => Next::unobserved(format!("{way} of what was returned: {why}")),
        };
        Ok(Probe {
            kind: HopKind::Return,
            place: None,
            value: None,
            caller: None,
            identity: None,
            further: Vec::new(),
            next,
        })
    }
}

/// How a write of a property with this key is called.
fn kind_of_key(key: &str) -> HopKind {
    let is_index = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    if is_index {
        HopKind::Element
    } else {
        HopKind::Property
    }
}
