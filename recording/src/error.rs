//! The error for text that is not a recording.

use querypoint::nearest::nearest;

/// Text that is not a recording. Steps are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// It is not JSON.
    #[error(
        "the recording is not JSON: line {line}, column {column}: {reason}\n\
         help: export it from Chrome DevTools Recorder as a JSON file"
    )]
    NotJson {
        /// 1-based line.
        line: usize,
        /// 1-based column, as the JSON parser counts (bytes).
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// It is JSON, but no object.
    #[error(
        "the recording is {found}, not an object with \"title\" and \"steps\"\n\
         help: export it from Chrome DevTools Recorder as a JSON file"
    )]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// A member that must be there is not.
    #[error("{}: the member \"{member}\" is missing", place(*step, kind.as_deref()))]
    MissingMember {
        /// The step; none: the recording itself.
        step: Option<usize>,
        /// The step's type, as far as it is known.
        kind: Option<String>,
        /// The member.
        member: String,
    },
    /// A member is not what it must be.
    #[error("{}: the member \"{member}\" must be {expected}; it is {found}", place(*step, kind.as_deref()))]
    WrongMember {
        /// The step; none: the recording itself.
        step: Option<usize>,
        /// The step's type, as far as it is known.
        kind: Option<String>,
        /// The member.
        member: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A member of `querypoint` cannot be understood.
    #[error(
        "the recording's member querypoint.{member} cannot be used: {reason}\n\
         help: take it out to replay without it"
    )]
    WrongOwnMember {
        /// Its name: `tape`, `environment`.
        member: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// What a step found when it was recorded cannot be understood.
    #[error(
        "the fingerprint of step {step} cannot be used: {reason}\n\
         help: take its member querypoint.fingerprint out to replay without it"
    )]
    WrongFingerprint {
        /// The step.
        step: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A step has a type that is not known.
    #[error("{}", unknown_step(*step, kind, known))]
    UnknownStep {
        /// The step.
        step: usize,
        /// Its type.
        kind: String,
        /// The types that are known.
        known: &'static [&'static str],
    },
}

fn place(step: Option<usize>, kind: Option<&str>) -> String {
    match (step, kind) {
        (Some(step), Some(kind)) => format!("step {step} ({kind})"),
        (Some(step), None) => format!("step {step}"),
        (None, _) => "the recording".to_owned(),
    }
}

fn unknown_step(step: usize, kind: &str, known: &'static [&'static str]) -> String {
    let meant = nearest(kind, known.iter().copied())
        .map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
    format!(
        "step {step} has the unknown type \"{kind}\"\nhelp: {meant}the known types are {}",
        known.join(", ")
    )
}
