//! How a front end hears what goes on.

use engine::ask::Progress;

/// Shows what goes on, in its own way.
pub trait Reporter: Send {
    /// A stage begins, such as "starting the browser".
    fn stage(&mut self, stage: &str);
    /// `done` of `total` parts of the stage are done.
    fn part(&mut self, stage: &str, done: usize, total: usize);
    /// `done` of `total` parts of the stage that began last are done.
    fn advance(&mut self, done: usize, total: usize);
    /// Something that does not end the work, but that a person should know.
    fn note(&mut self, note: &str);
}

/// What shows with it how a question is answered.
pub fn of_questions(reporter: &mut dyn Reporter) -> impl FnMut(Progress) + Send {
    |progress| match progress {
        Progress::Execution { number, purpose } => {
            reporter.stage(&format!("execution {number}: {purpose}"));
        }
        Progress::Step { step, steps, .. } => reporter.advance(step, steps),
    }
}
