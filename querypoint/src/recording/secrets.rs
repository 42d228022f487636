//! What a recording does not hold: passwords and the like, which are given when it is replayed.

use super::{Recording, StepKind};

/// Something that was typed is neither in the recording nor given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "step {step} types a secret, which the recording does not hold; give it in the environment variable {variable}"
)]
pub struct MissingSecret {
    /// Counted from 1.
    pub step: usize,
    /// Where it is looked for.
    pub variable: String,
}

impl Recording {
    /// Whether everything that is typed and every file that is chosen is in it, rather than given when it is replayed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.steps.iter().all(|step| {
            let is_given = match &step.kind {
                StepKind::Files(files) => files.files.iter().any(|file| file.contents.is_none()),
                _ => step.ours("secret").is_some(),
            };
            !is_given
        })
    }

    /// Puts in what the recording does not hold, as `given` has it under the name of an environment variable.
    ///
    /// # Errors
    /// [`MissingSecret`] for the first that is not given.
    pub fn fill_secrets(
        &mut self,
        given: impl Fn(&str) -> Option<String>,
    ) -> Result<(), MissingSecret> {
        for (index, step) in self.steps.iter_mut().enumerate() {
            let Some(variable) = step.ours("secret").and_then(|secret| secret.as_str()) else {
                continue;
            };
            let secret = given(variable).ok_or_else(|| MissingSecret {
                step: index + 1,
                variable: variable.to_owned(),
            })?;
            if let StepKind::Change { value, .. } = &mut step.kind {
                *value = secret;
            }
        }
        Ok(())
    }
}
