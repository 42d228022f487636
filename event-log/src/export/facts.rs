//! The events of a log as facts of Prolog.

use std::io::{self, Write};

use super::terms::{atom, function_name, key, term};
use crate::catalogue::outcome_word;
use crate::ids::FunctionId;
use crate::model::{Call, Event, GONE_WITH_OTHERS, KeyWrite, Kind, Model, NONE};
use crate::tables::Site;
use crate::value::Value;

/// The predicates, with how many arguments each has.
const PREDICATES: &str = "method_call/8, return/5, exception/4, native/7, throw/5, catch/5, uncaught/3, write/7, \
    contents/7, assign/7, new/6, branch/5, step/4, task/3, task_end/2, suspend/3, resume/3, settle/6, dom/7, request/6, response/5, \
    action/5, gap/2";

/// Writes the log as facts of Prolog, one for each event, in the terms of JEL (Girgis and Jayaraman, *JavaTA*, section
/// 3):
///
/// | fact | what |
/// | --- | --- |
/// | `method_call(Seq, Thread, Caller, Call, Function, This, Arguments, Place)` | a call; `Call` is `Seq`, `Caller` the number of the call around it or `none`; `Place` is where it was called |
/// | `return(Seq, Thread, Call, Function, Value)` | its end |
/// | `exception(Seq, Thread, Call, Function)` | its end by an exception; `Seq` is the number of what ended it, which is the `catch` where the page had no room to say more |
/// | `native(Seq, Thread, Call, Function, Arguments, Value, Place)` | a call of code without hooks has come back |
/// | `throw(Seq, Thread, Call, Value, Place)`, `catch(Seq, Thread, Call, Value, Place)` | an exception is thrown, is caught |
/// | `uncaught(Seq, Thread, Value)` | nothing caught it |
/// | `write(Seq, Thread, Call, Object, Field, Value, Place)` | a field is set; `absent` as the value: it is deleted |
/// | `contents(Seq, Thread, Call, Object, Total, Entries, Place)` | what a collection holds, `Field-Value` by `Field-Value`; `Total` is how many it has, `Entries` the first of them |
/// | `assign(Seq, Thread, Call, Scope, Variable, Value, Place)` | a local variable is set |
/// | `new(Seq, Thread, Call, Object, Class, Place)` | an object is made |
/// | `branch(Seq, Thread, Call, Value, Place)` | a condition |
/// | `step(Seq, Thread, Call, Place)` | a place is reached |
/// | `task(Seq, Thread, Kind)`, `task_end(Seq, Thread)` | a thread of control begins, ends |
/// | `suspend(Seq, Thread, Call)`, `resume(Seq, Thread, Call)` | it is suspended, goes on |
/// | `settle(Seq, Thread, Call, Promise, Outcome, Value)` | a promise is `fulfilled` or `rejected` |
/// | `dom(Seq, Thread, Call, Node, Change, Value, Place)` | the document was changed: `'added node'`, `'removed node'`, `'added text'`, `'removed text'`, `'changed text'` or the name of an attribute |
/// | `request(Seq, Thread, Call, Target, Body, Place)`, `response(Seq, Thread, Status, Target, Body)` | a request leaves, a response arrives; `Target` is method and address |
/// | `action(Seq, Thread, Kind, Selector, Value)` | the user did something |
/// | `gap(Seq, Thread)` | something is missing |
///
/// A value is a number, a string for a text (`text(Start, Length)` for a long one), `bigint(Number)`,
/// `object(Number, Class)`, `function(Number, Name)`, `symbol(Number)`, or one of `undefined`, `null`, `true`, `false`,
/// `nan`, `infinite`, `minus_infinite`, `absent`, `accessor`, `uninitialised`, `unknown`. Objects of two threads that
/// have one number are two. `Arguments` is a list, or `unknown`. A field is an atom, `symbol(Number, Description)`, or
/// `entry(Key)` of a map or set. A scope is `scope(Activation, Block)`: blocks that no function captures share one
/// activation, and a name can be declared in several of them. A place is `at(File, Line)`, or `none`. `Call` is `none`
/// where nothing is known to run.
///
/// # Errors
/// If the output cannot be written.
pub fn jel(model: &Model, output: &mut dyn Write) -> io::Result<()> {
    writeln!(
        output,
        ":- encoding(utf8).\n:- discontiguous {PREDICATES}.\n:- dynamic {PREDICATES}."
    )?;
    let mut facts = Facts {
        model,
        ended_by_handlers: ended_by_handlers(model),
        listed: listed(model),
    };
    for (event, number) in model.events.iter().zip(0_u32..) {
        facts.event(event, number, output)?;
    }
    Ok(())
}

struct Facts<'m> {
    model: &'m Model,
    /// Calls whose end is a handler further out, by that event; the last event is the last.
    ended_by_handlers: Vec<(u32, u32)>,
    /// Writes that an event has beside itself: what a collection holds, the message of an exception. The last event
    /// is the first, its keys are in the order in which they were told, from the end.
    listed: Vec<&'m KeyWrite>,
}

/// The calls that a handler further out ended, sorted by its event, the last first.
fn ended_by_handlers(model: &Model) -> Vec<(u32, u32)> {
    let ended = model.calls.iter().zip(0..).filter(|(call, _)| {
        let event = model.events.get(call.exit as usize);
        event.is_some_and(|event| event.kind == Kind::Catch)
    });
    let mut ended: Vec<(u32, u32)> = ended.map(|(call, number)| (call.exit, number)).collect();
    // Of one handler the newest call is left first.
    ended.sort_unstable_by_key(|&(exit, number)| (std::cmp::Reverse(exit), number));
    ended
}

/// The writes that events have beside themselves, the last first.
fn listed(model: &Model) -> Vec<&KeyWrite> {
    let writes = model
        .writes
        .iter()
        .filter(|write| !matches!(write.listed, NONE | GONE_WITH_OTHERS));
    let mut listed: Vec<&KeyWrite> = writes.collect();
    listed.sort_unstable_by_key(|write| std::cmp::Reverse((write.event, write.listed)));
    listed
}

impl Facts<'_> {
    fn event(&mut self, event: &Event, number: u32, output: &mut dyn Write) -> io::Result<()> {
        let model = self.model;
        let thread = event.stream;
        let value = || term(model, thread, event.value);
        let owner = || term(model, thread, event.owner);
        let call = enter(model, event.call);
        let place = || place(model, event);
        let said = || atom(model.text(thread, event.key));
        match event.kind {
            Kind::Call => match model.calls.get(event.call as usize) {
                Some(it) => self.call(it, number, &place(), output),
                None => Ok(()),
            },
            Kind::Return => {
                let (function, value) = (self.function(event.call), value());
                writeln!(
                    output,
                    "return({number}, {thread}, {call}, {function}, {value})."
                )
            }
            Kind::Unwind => self.exception(event.call, number, thread, output),
            Kind::Throw => writeln!(
                output,
                "throw({number}, {thread}, {call}, {}, {}).",
                value(),
                place()
            ),
            Kind::Catch => {
                while let Some(&(exit, ended)) = self.ended_by_handlers.last()
                    && exit <= number
                {
                    self.ended_by_handlers.pop();
                    self.exception(ended, number, thread, output)?;
                }
                writeln!(
                    output,
                    "catch({number}, {thread}, {call}, {}, {}).",
                    value(),
                    place()
                )
            }
            Kind::Uncaught => {
                writeln!(output, "uncaught({number}, {thread}, {}).", value())?;
                let (value, place) = (value(), place());
                self.told(number, |key, told| {
                    writeln!(
                        output,
                        "write({number}, {thread}, {call}, {value}, {key}, {told}, {place})."
                    )
                })
            }
            Kind::Write | Kind::WriteEntry => writeln!(
                output,
                "write({number}, {thread}, {call}, {}, {}, {}, {}).",
                owner(),
                key(model, event.key),
                value(),
                place()
            ),
            Kind::Contents => self.contents(event, number, &call, output),
            Kind::Assign => {
                let site = model.site(event.site);
                let name = atom(site.map_or("", |site| site.name.as_str()));
                let variable = site.and_then(|site| model.tables.variable(site.variable));
                let block = variable.map_or(0, |variable| variable.scope.0);
                let scope = format!("scope({}, {block})", event.key);
                writeln!(
                    output,
                    "assign({number}, {thread}, {call}, {scope}, {name}, {}, {}).",
                    value(),
                    place()
                )
            }
            Kind::Create => {
                let object = event.owner.object();
                let class = atom(object.map_or("", |id| model.class_of(thread, id.0)));
                writeln!(
                    output,
                    "new({number}, {thread}, {call}, {}, {class}, {}).",
                    owner(),
                    place()
                )
            }
            Kind::Branch => writeln!(
                output,
                "branch({number}, {thread}, {call}, {}, {}).",
                value(),
                place()
            ),
            Kind::Step => writeln!(output, "step({number}, {thread}, {call}, {}).", place()),
            Kind::CallEnd => self.native(event, number, &call, output),
            Kind::Task => {
                let kind = atom(model.text(thread, event.key));
                writeln!(output, "task({number}, {thread}, {kind}).")
            }
            Kind::TaskEnd => writeln!(output, "task_end({number}, {thread})."),
            Kind::Suspend => writeln!(output, "suspend({number}, {thread}, {call})."),
            Kind::Resume => writeln!(output, "resume({number}, {thread}, {call})."),
            Kind::Settle => writeln!(
                output,
                "settle({number}, {thread}, {call}, {}, {}, {}).",
                owner(),
                outcome_word(event),
                value()
            ),
            Kind::Gap => writeln!(output, "gap({number}, {thread})."),
            Kind::Dom => writeln!(
                output,
                "dom({number}, {thread}, {call}, {}, {}, {}, {}).",
                owner(),
                said(),
                value(),
                place()
            ),
            Kind::Request => writeln!(
                output,
                "request({number}, {thread}, {call}, {}, {}, {}).",
                said(),
                value(),
                place()
            ),
            Kind::Response => writeln!(
                output,
                "response({number}, {thread}, {}, {}, {}).",
                owner(),
                said(),
                value()
            ),
            Kind::Action => {
                let selector = match event.owner {
                    Value::String(text) => atom(model.text(thread, text.0)),
                    _ => atom(""),
                };
                writeln!(
                    output,
                    "action({number}, {thread}, {}, {selector}, {}).",
                    said(),
                    value()
                )
            }
            Kind::Other => Ok(()),
        }
    }

    fn call(&self, it: &Call, number: u32, place: &str, output: &mut dyn Write) -> io::Result<()> {
        let model = self.model;
        let thread = it.stream;
        let caller = enter(model, it.parent);
        let function = atom(&function_name(model, it.function));
        let this = term(model, thread, it.this);
        let values = list(model, thread, model.arguments_of(it));
        writeln!(
            output,
            "method_call({number}, {thread}, {caller}, {number}, {function}, {this}, {values}, {place})."
        )
    }

    fn exception(
        &self,
        call: u32,
        number: u32,
        thread: u16,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let (function, call) = (self.function(call), enter(self.model, call));
        writeln!(output, "exception({number}, {thread}, {call}, {function}).")
    }

    fn native(
        &self,
        event: &Event,
        number: u32,
        call: &str,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let model = self.model;
        let thread = event.stream;
        let name = model.site(event.site).map_or("", Site::shown);
        let name = atom(name);
        let values = list(model, thread, model.library_arguments_of(number));
        let (value, place) = (term(model, thread, event.value), place(model, event));
        writeln!(
            output,
            "native({number}, {thread}, {call}, {name}, {values}, {value}, {place})."
        )
    }

    fn contents(
        &mut self,
        event: &Event,
        number: u32,
        call: &str,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let model = self.model;
        let thread = event.stream;
        let mut entries = String::new();
        self.told(number, |key, value| {
            if !entries.is_empty() {
                entries.push_str(", ");
            }
            // With a minus before a number, `--` would be one operator.
            entries.push_str(&format!("{key} - {value}"));
            Ok(())
        })?;
        let (owner, total, place) = (
            term(model, thread, event.owner),
            event.key,
            place(model, event),
        );
        writeln!(
            output,
            "contents({number}, {thread}, {call}, {owner}, {total}, [{entries}], {place})."
        )
    }

    /// Each key and value that an event has beside itself, as terms.
    fn told(
        &mut self,
        number: u32,
        mut each: impl FnMut(&str, &str) -> io::Result<()>,
    ) -> io::Result<()> {
        while let Some(&write) = self.listed.last()
            && write.event <= number
        {
            self.listed.pop();
            if write.event == number {
                let value = term(self.model, write.stream, self.model.written(write));
                each(&key(self.model, write.key), &value)?;
            }
        }
        Ok(())
    }

    /// The name of a call's function.
    fn function(&self, call: u32) -> String {
        let call = self.model.calls.get(call as usize);
        let function = call.map_or(FunctionId::NONE, |call| call.function);
        atom(&function_name(self.model, function))
    }
}

/// The number of the event that began a call.
fn enter(model: &Model, call: u32) -> String {
    match model.calls.get(call as usize) {
        Some(call) if call.enter != NONE => call.enter.to_string(),
        _ => "none".to_owned(),
    }
}

/// Values as a list; `unknown` if they were not recorded.
fn list(model: &Model, thread: u16, values: Option<&[crate::value::Value]>) -> String {
    let Some(values) = values else {
        return "unknown".to_owned();
    };
    let values = values.iter().map(|&value| term(model, thread, value));
    format!("[{}]", values.collect::<Vec<_>>().join(", "))
}

fn place(model: &Model, event: &Event) -> String {
    let site = model.site(event.site);
    let script = site.and_then(|site| model.tables.script(site.script));
    match (site, script) {
        (Some(site), Some(script)) => {
            let file = script.url.rsplit('/').next().unwrap_or_default();
            format!("at({}, {})", atom(file), site.line)
        }
        _ => "none".to_owned(),
    }
}
