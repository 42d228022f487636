//! The scopes of a frame and the properties of objects, as variables.

use agent::evaluated;
use futures::future::join_all;
use js_analysis::position::Utf16Position;
use querypoint::answer::{Scope, ScopeKind, Value as Preview, ValueType, Variable};

use super::{Reader, declared, objects};
use crate::preview;
use crate::stopped::Frame;
use cdp::runtime::{CallFunctionOn, PropertyDescriptor};
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{ProtocolError, SessionId};

/// So many variables of a scope are shown.
pub(crate) const MOST_VARIABLES: usize = 200;

/// Among so many of its variables those are looked for.
const MOST_READ: usize = 10_000;

/// From where to where a scope reaches.
pub(crate) type Extent = (Utf16Position, Utf16Position);

/// A scope of a frame, with its variables.
pub(crate) struct ScopeRead {
    pub(crate) scope: Scope,
    /// Where it is; `None`: that is not told.
    pub(crate) extent: Option<Extent>,
    /// Which of the frame's scopes it is, from 0.
    pub(crate) number: usize,
}

impl Reader {
    /// The scopes of a frame with their variables, innermost first; of the global scope only what the page has added,
    /// which the agent tells in the frame `home`. `first` has the names that are read before the others of a scope that
    /// has more than are read.
    pub(crate) async fn scopes(
        &self,
        frame: &Frame,
        home: &Frame,
        first: &(dyn Fn(ScopeKind, Option<Extent>) -> Vec<String> + Sync),
    ) -> Result<Vec<ScopeRead>, ProtocolError> {
        let wanted: Vec<(ScopeKind, Option<Extent>, Option<&str>)> = frame
            .scopes
            .iter()
            .filter_map(|scope| {
                let kind = scope_kind(&scope.kind)?;
                let object = (kind != ScopeKind::Global).then_some(scope.object.as_str());
                Some((kind, scope.extent, object))
            })
            .collect();
        let places = frame.scopes.iter().enumerate();
        let places = places.filter(|(_, scope)| scope_kind(&scope.kind).is_some());
        let places = places.map(|(number, scope)| (number, scope.extent));
        // The object of a `with` is the page's own, and may be a proxy.
        let told: Vec<(&str, Vec<String>)> = wanted
            .iter()
            .filter(|(kind, ..)| *kind != ScopeKind::With)
            .filter_map(|&(kind, extent, object)| Some((object?, first(kind, extent))))
            .collect();
        let has_globals = wanted.iter().any(|(.., object)| object.is_none());
        let globals = async {
            match has_globals {
                true => self.globals_in(home).await,
                false => Ok(Vec::new()),
            }
        };
        let told = self.beginnings(&frame.session, &told);
        let (told, mut globals) = futures::try_join!(told, globals)?;
        let mut told = told.map(Vec::into_iter);
        let reads = wanted.iter().map(|&(kind, _, object)| {
            let told = match &mut told {
                Some(told) if object.is_some() && kind != ScopeKind::With => told.next(),
                _ => None,
            };
            let told = match object {
                Some(_) => told,
                None => Some(std::mem::take(&mut globals)),
            };
            async move {
                let variables = match (told, object) {
                    (Some(variables), _) => variables,
                    (None, Some(object)) => self.properties(&frame.session, object).await?,
                    (None, None) => Vec::new(),
                };
                Ok::<_, ProtocolError>(Scope {
                    kind,
                    function: matches!(kind, ScopeKind::Local).then(|| frame.function.clone()),
                    variables,
                })
            }
        });
        let mut scopes = Vec::new();
        for (scope, (number, extent)) in join_all(reads).await.into_iter().zip(places) {
            let scope = scope?;
            if !scope.variables.is_empty() || scope.kind == ScopeKind::Local {
                scopes.push(ScopeRead {
                    scope,
                    extent,
                    number,
                });
            }
        }
        Ok(scopes)
    }

    /// The variables of scopes, whose objects the debugger made, as the agent sends them, for each those with the given
    /// names first; `None` where there is no agent to ask.
    async fn beginnings(
        &self,
        session: &SessionId,
        scopes: &[(&str, Vec<String>)],
    ) -> Result<Option<Vec<Vec<Variable>>>, ProtocolError> {
        let (scopes, first): (Vec<&str>, Vec<&[String]>) = scopes
            .iter()
            .map(|(scope, first)| (*scope, &**first))
            .unzip();
        let Some(any) = scopes.first() else {
            return Ok(Some(Vec::new()));
        };
        let first = serde_json::to_string(&first).unwrap_or_default();
        let call = CallFunctionOn {
            object_id: Some((*any).into()),
            arguments: Some(objects(&scopes)),
            silent: Some(true),
            ..CallFunctionOn::new(declared(&format!(
                "(...scopes)=>{}E.scopes({first},...scopes)",
                self.prefix
            )))
        };
        let told = match self.call(session, &call).await {
            Err(ProtocolError::Refused { .. }) => return Ok(None),
            told => told?,
        };
        let Some(told) = told
            .result
            .object_id
            .filter(|_| told.exception_details.is_none())
        else {
            return Ok(None);
        };
        let told = self.own_properties(session, told.as_str()).await?;
        let mut all: Vec<Vec<Variable>> = scopes.iter().map(|_| Vec::new()).collect();
        for (name, property) in named(&told) {
            let Some((number, name)) = name.split_once(' ') else {
                continue;
            };
            let scope = number.parse().ok().and_then(|n: usize| all.get_mut(n));
            if let Some(scope) = scope {
                scope.push(variable(name, property));
            }
        }
        Ok(Some(all))
    }

    async fn properties(
        &self,
        session: &SessionId,
        object: &str,
    ) -> Result<Vec<Variable>, ProtocolError> {
        let result = self.own_properties(session, object).await?;
        Ok(variables(&result, |name| !name.starts_with(&self.prefix)))
    }

    async fn own_properties(
        &self,
        session: &SessionId,
        object: &str,
    ) -> Result<Vec<PropertyDescriptor>, ProtocolError> {
        let own = cdp::runtime::GetProperties {
            own_properties: Some(true),
            generate_preview: Some(true),
            ..cdp::runtime::GetProperties::new(object)
        };
        Ok(self.call(session, &own).await?.result)
    }

    async fn globals_in(&self, frame: &Frame) -> Result<Vec<Variable>, ProtocolError> {
        let expression = format!("{}E.globals()", self.prefix);
        let result = self.evaluate_in(frame, &expression, false).await?;
        match result.result.object_id {
            Some(object) => self.properties(&frame.session, object.as_str()).await,
            None => Ok(Vec::new()),
        }
    }

    /// The page's own globals, of a page that runs.
    pub(crate) async fn globals(
        &self,
        session: &SessionId,
    ) -> Result<Vec<Variable>, ProtocolError> {
        let look = cdp::runtime::Evaluate {
            silent: Some(true),
            ..cdp::runtime::Evaluate::new(evaluated(format_args!("{}E.globals()", self.prefix)))
        };
        match self.call(session, &look).await?.result.object_id {
            Some(object) => self.properties(session, object.as_str()).await,
            None => Ok(Vec::new()),
        }
    }
}

/// The properties that have a name.
fn named(properties: &[PropertyDescriptor]) -> impl Iterator<Item = (&str, &PropertyDescriptor)> {
    properties
        .iter()
        .filter(|property| property.symbol.is_none())
        .map(|property| (property.name.as_str(), property))
}

/// The first properties of an object that have such names, as variables: many more than are shown.
pub(crate) fn variables(
    properties: &[PropertyDescriptor],
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Variable> {
    named(properties)
        .filter(|(name, _)| is_wanted(name))
        .take(MOST_READ)
        .map(|(name, property)| variable(name, property))
        .collect()
}

/// All properties of an object that are not symbols, as variables.
pub(crate) fn named_variables(properties: &[PropertyDescriptor]) -> impl Iterator<Item = Variable> {
    named(properties).map(|(name, property)| variable(name, property))
}

/// What is read of a scope, for which there is only its kind as the protocol calls it; none: nothing is.
pub(crate) fn scope_kind(kind: &str) -> Option<ScopeKind> {
    Some(match kind {
        "local" => ScopeKind::Local,
        "block" => ScopeKind::Block,
        "closure" | "eval" => ScopeKind::Closure,
        "catch" => ScopeKind::Catch,
        "with" => ScopeKind::With,
        "module" => ScopeKind::Module,
        "script" => ScopeKind::Script,
        "global" => ScopeKind::Global,
        _ => return None,
    })
}

/// A property as a variable; its name is cut.
fn variable(name: &str, property: &PropertyDescriptor) -> Variable {
    const LONGEST_NAME: usize = 200;
    let value = match &property.value {
        Some(object) => preview::shown(object),
        None if property.get.is_some() => Preview::new(ValueType::Accessor, "(…)"),
        None => Preview::new(ValueType::Uninitialised, "<not yet initialised>"),
    };
    let name: String = name.chars().take(LONGEST_NAME).collect();
    Variable::new(name, value)
}
