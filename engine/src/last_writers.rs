//! Who wrote last what is in sight where a page with live hooks is paused: read from the shadows, which the page itself
//! keeps beside the values. No execution is needed for it.
//!
//! A shadow has a number: the site of the write and the task it was made in. What a built-in wrote (entries of maps,
//! storage, the DOM) has the frame that called it instead. What no shadow tells, or where code
//! without hooks may have written, nothing is said.

use querypoint::answer::{Cause, LastWriter, Variable};
use serde_json::Value;

use crate::agent_message::{LastWriterTold, answered};
use crate::debugger::declared;
use crate::report::CapturedCause;
use crate::sources::{Caller, SeenScripts, Sources};
use cdp::runtime::{CallArgument, CallFunctionOn};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Call as _, Protocol, ProtocolError, SessionId};

/// Something whose last writers are asked for, by the protocol's id of its object.
#[derive(Clone, Debug)]
pub(crate) enum InSight<'o> {
    /// The variables of a scope, of this kind as the protocol calls it.
    Scope { kind: &'o str, object: &'o str },
    /// What is inside an object, by name.
    Properties {
        names: Vec<NameInside<'o>>,
        object: &'o str,
    },
    /// The entries of a collection, whose keys and values are in this list. The collection is the next that is asked
    /// about.
    Entries { list: &'o str },
}

/// The name of something inside an object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NameInside<'o> {
    Property(&'o str),
    Attribute(&'o str),
}

impl InSight<'_> {
    fn object(&self) -> &str {
        let (Self::Scope { object, .. }
        | Self::Properties { object, .. }
        | Self::Entries { list: object }) = self;
        object
    }

    /// What the agent knows it by, where it is asked about as number `number`.
    fn kind(&self, number: usize) -> Value {
        match self {
            Self::Scope { kind, .. } => Value::from(*kind),
            Self::Properties { names, .. } => {
                let names = names.iter().map(|name| match name {
                    NameInside::Property(name) => Value::from(*name),
                    NameInside::Attribute(name) => Value::from(vec![*name]),
                });
                names.collect()
            }
            Self::Entries { .. } => Value::from(number + 1),
        }
    }

    /// Whether only what is declared in a script with hooks can write it.
    fn is_closed(&self) -> bool {
        matches!(self, Self::Scope { kind, .. } if !matches!(*kind, "global" | "script"))
    }
}

/// What the shadows of a realm tell of `asked`, all of which is of that realm. `is_whole`: all scripts that ran there
/// have hooks; else nothing is told of what others can write, too. A realm without an agent tells nothing.
///
/// # Errors
/// Connection, browser or session are gone.
pub(crate) async fn told(
    protocol: &dyn Protocol,
    session: &SessionId,
    prefix: &str,
    asked: &[InSight<'_>],
    is_whole: bool,
) -> Result<Vec<LastWriterTold>, ProtocolError> {
    let Some(first) = asked.first() else {
        return Ok(Vec::new());
    };
    let kinds = asked.iter().enumerate();
    let kinds = kinds.map(|(number, it)| it.kind(number)).collect();
    let kinds = CallArgument {
        value: Some(Value::Array(kinds)),
        ..CallArgument::default()
    };
    let objects = asked.iter().map(|it| CallArgument {
        object_id: Some(it.object().into()),
        ..CallArgument::default()
    });
    let call = CallFunctionOn {
        object_id: Some(first.object().into()),
        arguments: Some([kinds].into_iter().chain(objects).collect()),
        return_by_value: Some(true),
        silent: Some(true),
        ..CallFunctionOn::new(declared(&format!(
            "(kinds,...objects)=>{prefix}E.lastWriters(kinds,...objects)"
        )))
    };
    let called = match protocol.call(Some(session), &call).await {
        Err(error) if error.is_fatal() => return Err(error),
        Err(_) => return Ok(Vec::new()),
        Ok(called) => called,
    };
    let value = called.result.value.unwrap_or_default();
    let mut all: Vec<LastWriterTold> = match called.exception_details {
        None => answered(&value).unwrap_or_default(),
        Some(_) => Vec::new(),
    };
    all.retain(|it| {
        let of = asked.get(it.scope);
        of.is_some_and(|of| is_whole || it.sure || of.is_closed())
    });
    Ok(all)
}

/// Whether all scripts that came in responses have all their hooks.
pub(crate) fn is_whole(seen: &SeenScripts) -> bool {
    seen.hooked >= seen.scripts && seen.unhooked_sites == 0 && seen.blind_spots.is_empty()
}

/// Gives the variables of what was asked as number `scope` their last writers. Their names are those that run.
pub(crate) fn give(
    variables: &mut [Variable],
    scope: usize,
    told: &[LastWriterTold],
    sources: &Sources,
) {
    for writer in told.iter().filter(|it| it.scope == scope) {
        let mut named = variables.iter_mut();
        if let Some(variable) = named.find(|it| it.name == writer.name) {
            variable.last_writer = shown(writer, sources).map(Box::new);
        }
    }
}

/// Gives what is inside an object its last writers: `told` says of which it is.
pub(crate) fn give_inside(variables: &mut [Variable], told: &[LastWriterTold], sources: &Sources) {
    for writer in told {
        let variable = writer.index.and_then(|index| variables.get_mut(index));
        if let Some(variable) = variable {
            variable.last_writer = shown(writer, sources).map(Box::new);
        }
    }
}

fn shown(told: &LastWriterTold, sources: &Sources) -> Option<LastWriter> {
    let location = match &told.frame {
        _ if told.user => None,
        Some(frame) => {
            let caller = Caller {
                url: &frame.url,
                position: frame.position(),
                function: &frame.function,
            };
            // Where a call begins that is in no text is not known: another place would be wrong.
            Some(sources.call_place(caller, "").ok()?.location)
        }
        None => Some(sources.site_location(sources.site(told.site)?)?.location),
    };
    let cause = told.cause.clone();
    Some(LastWriter {
        location,
        by_user: told.user,
        cause: cause.map(|CapturedCause { kind, target }| Cause { kind, target }),
        tasks_ago: told.ago,
    })
}
