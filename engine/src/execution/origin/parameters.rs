//! Parameters: the argument that a caller handed over, or the element that a built-in gave to its callback.

use js_analysis::origin::{Argument, Call, CallAt, CallKind, Form, PathStep, Value};
use js_analysis::position::Utf16Position;
use querypoint::answer::{EndKind, HopKind};
use serde::Deserialize;

use super::{Pause, SAME, Spot, Way};
use crate::debugger::Untold;
use crate::error::EngineError;
use crate::origin::{Next, OF_EACH, Probe};
use crate::stopped::Frame;
use cdp_driver::protocol::Call as _;
use cdp_driver::protocol::generated as cdp;

/// What a function is, as the browser says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FunctionIs {
    /// It is there in a script.
    Of {
        /// The protocol's id of the script.
        script: String,
        /// The script's address.
        url: String,
        /// Where it begins.
        begins: Utf16Position,
    },
    /// It is the browser's own, or bound.
    Native,
    /// The expression is no function, or cannot be evaluated.
    Unknown,
}

impl Pause<'_> {
    /// What the function is that an expression gives.
    pub(super) async fn function(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<FunctionIs, EngineError> {
        /// What the browser says in `[[FunctionLocation]]`.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct FunctionLocation {
            script_id: String,
            line_number: u32,
            column_number: u32,
        }
        let only = format!("((f)=>typeof f==='function'?f:null)((\n{expression}\n))");
        let Ok(argument) = self.reader().argument_in(frame, &only).await? else {
            return Ok(FunctionIs::Unknown);
        };
        let Some(object) = argument.object_id else {
            return Ok(FunctionIs::Unknown);
        };
        let own = cdp::runtime::GetProperties {
            own_properties: Some(true),
            ..cdp::runtime::GetProperties::new(object)
        };
        let told = self
            .reader()
            .protocol
            .call(Some(&frame.session), &own)
            .await?;
        let mut internal = told.internal_properties.into_iter().flatten();
        let location = internal.find(|property| property.name == "[[FunctionLocation]]");
        let Some(location) = location.and_then(|property| property.value?.value) else {
            return Ok(FunctionIs::Native);
        };
        let Ok(location) = FunctionLocation::deserialize(location) else {
            return Ok(FunctionIs::Unknown);
        };
        let scripts = self.pauses.watcher.scripts.lock();
        let Some(script) = scripts.get(&frame.session, &location.script_id) else {
            return Ok(FunctionIs::Unknown);
        };
        if script.url == super::super::agent_url(self.prefix()) {
            // What the agent has put in the place of a built-in.
            return Ok(FunctionIs::Native);
        }
        Ok(FunctionIs::Of {
            url: script.url.clone(),
            begins: script.position(Utf16Position {
                line: location.line_number,
                column: location.column_number,
            }),
            script: location.script_id,
        })
    }

    /// Whether an expression of the caller gives the function in which the page is paused.
    async fn is_this(&self, caller: Spot<'_>, callee: &Value) -> Result<bool, EngineError> {
        let Some(frame) = self.frames.first() else {
            return Ok(false);
        };
        let Some(begins) = frame.begins else {
            return Ok(false);
        };
        if callee.form == Form::Literal {
            // A function that is called where it is written.
            let sources = self.pauses.setting.sources.lock();
            return Ok(sources.is_inside(caller.home, callee.span, &frame.url, begins));
        }
        let Some(text) = self.pure_text(caller, callee) else {
            return Ok(false);
        };
        let function = self.function(caller.frame, &text).await?;
        Ok(matches!(
            function,
            FunctionIs::Of { script, begins: own, .. } if script == frame.script && own == begins
        ))
    }

    /// A parameter was filled.
    pub(super) async fn parameter(
        &self,
        index: usize,
        is_rest: bool,
        way: Way<'_>,
    ) -> Result<Probe, EngineError> {
        let at_write = |next| Probe {
            kind: HopKind::Parameter,
            place: None,
            value: None,
            caller: None,
            identity: None,
            further: Vec::new(),
            next,
        };
        if is_rest {
            return Ok(at_write(Next::ended(
                EndKind::Literal,
                None,
                Some("an array of the arguments".to_owned()),
            )));
        }
        let Some(frame) = self.frames.get(1).copied() else {
            // A reaction has what a promise was settled with; only of an event it is the browser that made it.
            let tells = format!(
                "((v)=>typeof Event==='function'&&v instanceof Event)({})",
                self.value
            );
            if self.holds(way.spot.frame, &tells).await? != Ok(true) {
                return Ok(at_write(Next::unobserved(
                    "what called the function is not followed: no code of the page did",
                )));
            }
            let detail = "the browser called the function, and handed it over".to_owned();
            return Ok(at_write(Next::ended(EndKind::Browser, None, Some(detail))));
        };
        let called = {
            let sources = self.pauses.setting.sources.lock();
            sources.called(&frame.url, frame.position)
        };
        let Some((home, called)) = called else {
            return Ok(at_write(Next::unobserved(
                "who called the function is not known: there is no call where its caller is",
            )));
        };
        let caller = Spot {
            frame,
            number: 1,
            home,
        };
        match called {
            CallAt::Setter(value) => {
                let mut probe = self.argument(caller, &value, way).await?;
                probe.kind = HopKind::Setter;
                Ok(probe)
            }
            CallAt::Call(call) => match self.handed_over(caller, &call, index).await? {
                Handed::Argument(value) => self.argument(caller, value, way).await,
                Handed::Nothing => {
                    let default = match way.steps.first() {
                        Some(PathStep::Default(default)) => Some(default),
                        _ => None,
                    };
                    match default {
                        Some(default) => self.default(default, way).await,
                        None => {
                            let place = self.place(home, call.span);
                            let detail = format!("the call hands over no argument {}", index + 1);
                            let next = Next::ended(
                                EndKind::Missing,
                                place.as_ref().map(|place| place.location.clone()),
                                Some(detail),
                            );
                            Ok(Probe {
                                place,
                                ..at_write(next)
                            })
                        }
                    }
                }
                Handed::OfList(list, index) => self.of_list(caller, list, index, way).await,
                Handed::Element(list) => self.callback(caller, &call, list, way).await,
                Handed::Unknown(why) => Ok(at_write(Next::unobserved(why))),
            },
        }
    }

    /// What a call hands over as the argument `index` of the function in which the page is paused.
    async fn handed_over<'c>(
        &self,
        caller: Spot<'_>,
        call: &'c Call,
        index: usize,
    ) -> Result<Handed<'c>, EngineError> {
        let is_super = call.kind == CallKind::Super;
        let is_direct = match &call.callee {
            Some(callee) => self.is_this(caller, callee).await?,
            None => is_super,
        };
        if call.kind == CallKind::Tagged {
            return Ok(Handed::Unknown(
                "what a tagged template hands over is not followed",
            ));
        }
        if is_direct {
            return Ok(argument_of(&call.arguments, index));
        }
        let (Some(receiver), Some(method)) = (&call.receiver, &call.method) else {
            return Ok(Handed::Unknown(
                "the function is not the one that its caller calls: something in between called it",
            ));
        };
        match method.as_str() {
            "call" if self.is_this(caller, receiver).await? => {
                Ok(argument_of(&call.arguments, index + 1))
            }
            "apply" if self.is_this(caller, receiver).await? => match call.arguments.get(1) {
                Some(list) if !call.arguments.iter().any(|it| it.is_spread) => {
                    Ok(Handed::OfList(&list.value, index))
                }
                _ => Ok(Handed::Unknown("what `apply` hands over is not followed")),
            },
            method if index == 0 && OF_EACH.contains(&method) => {
                let mut functions = call.arguments.iter().take(2);
                let mut is_callback = false;
                for argument in functions.by_ref() {
                    is_callback |= self.is_this(caller, &argument.value).await?;
                }
                let list = match (method, &call.global) {
                    ("from", Some(global)) if global == "Array.from" => {
                        call.arguments.first().map(|argument| &argument.value)
                    }
                    ("from", _) => None,
                    _ => Some(receiver),
                };
                match list {
                    Some(list) if is_callback => Ok(Handed::Element(list)),
                    _ => Ok(Handed::Unknown("what called the function is not followed")),
                }
            }
            _ => Ok(Handed::Unknown("what called the function is not followed")),
        }
    }

    /// An argument, and where its value comes from.
    async fn argument(
        &self,
        caller: Spot<'_>,
        value: &Value,
        way: Way<'_>,
    ) -> Result<Probe, EngineError> {
        let mut further = Vec::new();
        let place = self.place(caller.home, value.span);
        let next = self
            .value(caller, value, way, Some(&self.value), &mut further)
            .await?;
        Ok(Probe {
            kind: HopKind::Parameter,
            place,
            value: None,
            caller: None,
            identity: None,
            further,
            next,
        })
    }

    /// A parameter took its default value.
    async fn default(&self, default: &Value, way: Way<'_>) -> Result<Probe, EngineError> {
        let mut further = Vec::new();
        let rest = Way {
            spot: way.spot,
            steps: way.steps.get(1..).unwrap_or_default(),
        };
        let place = self.place(way.spot.home, default.span);
        let next = self
            .value(way.spot, default, rest, Some(&self.value), &mut further)
            .await?;
        Ok(Probe {
            kind: HopKind::Parameter,
            place,
            value: None,
            caller: None,
            identity: None,
            further,
            next,
        })
    }

    /// `f.apply(object, list)`
    async fn of_list(
        &self,
        caller: Spot<'_>,
        list: &Value,
        index: usize,
        way: Way<'_>,
    ) -> Result<Probe, EngineError> {
        let next = match self.plain_way(way) {
            Some(into) => self.element(caller, list, index, &into).await?,
            None => Next::unobserved("an argument that is taken apart with a default value"),
        };
        Ok(Probe {
            kind: HopKind::Parameter,
            place: self.place(caller.home, list.span),
            value: None,
            caller: None,
            identity: None,
            further: Vec::new(),
            next,
        })
    }

    /// A built-in handed an element over to its callback: which one, its value says, if it is the only one.
    async fn callback(
        &self,
        caller: Spot<'_>,
        call: &Call,
        list: &Value,
        way: Way<'_>,
    ) -> Result<Probe, EngineError> {
        let place = self.place(caller.home, call.span);
        let next = match (self.pure_text(caller, list), self.plain_way(way)) {
            (Some(text), Some(into)) => match self.index_of(caller.frame, &text, &into).await? {
                Ok(index) => self.element(caller, list, index, &into).await?,
                Err(why) => Next::unobserved(why),
            },
            (None, _) => Next::unobserved("the list is not the value of a variable or property"),
            (_, None) => Next::unobserved("an element that is taken apart with a default value"),
        };
        Ok(Probe {
            kind: HopKind::Callback,
            place,
            value: None,
            caller: None,
            identity: None,
            further: Vec::new(),
            next,
        })
    }

    /// The number of the only element of a list that has, behind `into`, the value that is followed.
    pub(super) async fn index_of(
        &self,
        frame: &Frame,
        list: &str,
        into: &str,
    ) -> Result<Result<usize, String>, EngineError> {
        let own = &self.value;
        let search = format!(
            "((l,v)=>{{if(!Array.isArray(l))return -3;let f=-1;for(let i=0;i<l.length;i++){{const e=l[i];\
             if(({into_text})&&{SAME}(e{into},v)){{if(f>=0)return -2;f=i}}}}return f}})((\n{list}\n),{own})",
            into_text = if into.is_empty() { "true" } else { "e!=null" },
        );
        let told = self.reader().value_in(frame.into(), &search).await?;
        Ok(match told {
            Ok(number) => match number.as_i64() {
                Some(-1) => Err("no element of the list has that value any more".to_owned()),
                Some(-2) => Err("several elements of the list have that value".to_owned()),
                Some(number) => usize::try_from(number)
                    .map_err(|_| "what is iterated is no array, and is not followed".to_owned()),
                None => Err("the element is not known".to_owned()),
            },
            Err(Untold::Threw(why)) => Err(why),
            Err(why) => Err(format!("the list is not searched: {why}")),
        })
    }

    /// Goes on at an element of a list.
    pub(super) async fn element(
        &self,
        spot: Spot<'_>,
        list: &Value,
        index: usize,
        into: &str,
    ) -> Result<Next, EngineError> {
        let (Form::Reference(reference), Some(text)) = (&list.form, self.pure_text(spot, list))
        else {
            return Ok(Next::unobserved(
                "the list is not the value of a variable or property",
            ));
        };
        let Some(asked) = self.asked(spot, reference).await? else {
            return Ok(Next::unobserved("no query can ask for the list there"));
        };
        let step = format!("[{index}]{into}");
        self.confirmed(
            spot,
            &format!("({text}){step}"),
            &format!("{asked}{step}"),
            Some(&self.value),
        )
        .await
    }
}

/// What a call hands over.
enum Handed<'c> {
    /// The value of this argument.
    Argument(&'c Value),
    /// It has no such argument.
    Nothing,
    /// The element with this number of a list.
    OfList(&'c Value, usize),
    /// An element of a list; which one is not said.
    Element(&'c Value),
    /// It cannot be told, and why.
    Unknown(&'static str),
}

fn argument_of(arguments: &[Argument], index: usize) -> Handed<'_> {
    let before = arguments.iter().take(index.saturating_add(1));
    match before.enumerate().find(|(_, argument)| argument.is_spread) {
        Some((first, spread)) if first + 1 == arguments.len() => {
            Handed::OfList(&spread.value, index - first)
        }
        Some(_) => Handed::Unknown("what is handed over by a spread is not followed"),
        None => arguments.get(index).map_or(Handed::Nothing, |argument| {
            Handed::Argument(&argument.value)
        }),
    }
}
