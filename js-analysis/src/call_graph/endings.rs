//! Which functions end something, as far as their names say.

/// Whether a function of this name undoes a registration.
pub(crate) fn undoes(name: &str) -> bool {
    let begins = [
        "unsub",
        "unbind",
        "unlisten",
        "unwatch",
        "unregister",
        "unobserve",
        "off",
        "stop",
        "dispose",
        "cancel",
        "detach",
        "remove",
    ];
    let rest = |begin: &&str| name.strip_prefix(*begin);
    begins.iter().find_map(rest).is_some_and(|rest| {
        // `offset` and `stopwatch` do not.
        let next = rest.chars().next();
        name.starts_with("un") || next.is_none_or(|next| !next.is_lowercase())
    })
}

/// Whether a function of this name registers what it is handed: a call of what it gives undoes that, whatever that is
/// called.
pub(crate) fn registers(name: &str) -> bool {
    let words = [
        "on",
        "once",
        "subscribe",
        "listen",
        "watch",
        "watchEffect",
        "observe",
        "effect",
        "autorun",
        "reaction",
        "register",
        "attach",
        "addListener",
        "addEventListener",
    ];
    let is_for_event = |rest: &str| rest.starts_with(char::is_uppercase);
    words.contains(&name) || name.strip_prefix("on").is_some_and(is_for_event)
}

/// Whether a function of this name ends something: what is called in it, and was given for a registration, undoes that.
pub(crate) fn ends(name: &str) -> bool {
    let words = [
        "unmount",
        "destroy",
        "teardown",
        "cleanup",
        "cleanUp",
        "close",
        "disconnect",
        "pause",
        "reset",
        "leave",
        "clear",
        "end",
        "shutdown",
        "release",
        "free",
        "abort",
        "finish",
        "hide",
    ];
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_it = |word: &str| {
        let rest = last.strip_prefix(word);
        rest.is_some_and(|rest| rest.chars().next().is_none_or(|next| !next.is_lowercase()))
    };
    undoes(last) || words.iter().any(|word| is_it(word))
}
