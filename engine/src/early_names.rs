//! Names of variables whose declaration has not run yet: what is said of them in place of the browser's several
//! messages.

use querypoint::answer::{Scope, ValueType};

/// What was thrown when something was evaluated in a frame, as a person says it: of a variable before its declaration
/// has run there are several messages, one of which speaks of the debugger.
pub(super) fn in_words(message: &str) -> String {
    let name = message.split_once("Cannot access '").and_then(|(_, rest)| {
        let (name, rest) = rest.split_once('\'')?;
        let is_early =
            rest.starts_with(" from debugger") || rest.starts_with(" before initialization");
        is_early.then_some(name)
    });
    match name {
        Some(name) => format!("{name} is not initialised yet there"),
        None => message.to_owned(),
    }
}

/// What is said where the browser has no value for a variable of a frame that is not the newest: only functions in
/// which something is read are kept from being optimised, and an optimised one keeps what it needs no more no longer.
pub(super) fn not_kept(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("Cannot access '")?;
    let name = rest.strip_suffix("' from debugger")?;
    Some(format!(
        "the browser has no value for {name} there: its declaration has not run yet, or the function is optimised and \
         does not need it any more"
    ))
}

/// What is said in place of an error about a variable whose declaration has not run yet. At a call of a built-in the
/// browser says that there is no such variable; the scopes show it.
pub(super) fn not_initialised(message: &str, scopes: &[Scope]) -> Option<String> {
    let said = in_words(message);
    if said != message {
        return Some(said);
    }
    let name = message.strip_prefix("ReferenceError: ").unwrap_or(message);
    let name = name.strip_suffix(" is not defined")?;
    let mut variables = scopes.iter().flat_map(|scope| &scope.variables);
    let variable = variables.find(|variable| variable.name == name)?;
    let is_early = variable.value.kind == ValueType::Uninitialised;
    is_early.then(|| format!("{name} is not initialised yet there"))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_variable_before_its_declaration_is_said_to_be_so() {
        for message in [
            "ReferenceError: Cannot access 'state' before initialization",
            "TypeError: Failed to read the 'state' property from 'Object': Cannot access 'state' from debugger",
        ] {
            assert_eq!(in_words(message), "state is not initialised yet there");
        }
        let other = "TypeError: Cannot access 'x' of undefined";
        assert_eq!(not_kept(other), None);
        assert_eq!(in_words(other), other);
    }

    #[test]
    fn a_variable_of_an_optimised_caller_may_be_gone() {
        let said = not_kept("ReferenceError: Cannot access 'holder' from debugger").unwrap();
        assert!(
            said.starts_with("the browser has no value for holder there"),
            "{said}"
        );
        assert_eq!(
            not_kept("ReferenceError: Cannot access 'x' before initialization"),
            None
        );
    }
}
