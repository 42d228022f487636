//! Scripts that are parsed once and kept, for whoever asks several things of the same ones.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

use super::syntax_tree::Parsed;
use super::{RewriteError, Script};
use crate::parse::{Goal, on_deep_stack};

/// Each is compared with what is looked for.
const MOST_SCRIPTS: usize = 200;

/// The scripts that were asked about last, parsed: as many as fit into a bound on their texts.
///
/// A tree takes many times the room of its text (rewriting 2 MB peaks at some 100 MB), so a script that does not fit
/// alone is parsed each time.
pub struct ParsedScripts {
    /// The bytes of text that are kept at most.
    most: usize,
    /// The one asked about last comes first.
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Clone)]
struct Kept {
    source: Arc<str>,
    goal: Goal,
    parsed: Arc<Parsed>,
}

impl std::fmt::Debug for ParsedScripts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ParsedScripts")
            .field("most", &self.most)
            .finish_non_exhaustive()
    }
}

impl ParsedScripts {
    /// Keeps scripts whose texts have together at most `most` bytes.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    /// As [`with_script`](super::with_script), which parses each time.
    ///
    /// # Errors
    /// [`RewriteError::Syntax`] if it does not parse, [`RewriteError::TooLarge`] over 1 GiB.
    pub fn with<T>(
        &self,
        source: &str,
        goal: Goal,
        work: impl FnOnce(&Script<'_>) -> T,
    ) -> Result<T, RewriteError> {
        on_deep_stack(|| {
            let parsed = self.parsed(source, goal)?;
            Ok(work(&Script { source, parsed }))
        })
    }

    /// A script that is asked about many times, whose text is not looked for each time.
    ///
    /// # Errors
    /// As of [`with`](Self::with).
    pub fn parse(&self, source: &str, goal: Goal) -> Result<ParsedScript, RewriteError> {
        on_deep_stack(|| self.parsed(source, goal)).map(ParsedScript)
    }

    fn parsed(&self, source: &str, goal: Goal) -> Result<Arc<Parsed>, RewriteError> {
        if let Some(parsed) = self.find(source, goal) {
            return Ok(parsed);
        }
        let parsed = Arc::new(Parsed::of(source, goal)?);
        self.keep(source, goal, &parsed);
        Ok(parsed)
    }

    fn find(&self, source: &str, goal: Goal) -> Option<Arc<Parsed>> {
        let mut kept = self.kept.lock();
        let is_it = |kept: &Kept| kept.goal == goal && *kept.source == *source;
        let found = kept.iter().position(is_it)?;
        let found = kept.remove(found)?;
        kept.push_front(found.clone());
        Some(found.parsed)
    }

    fn keep(&self, source: &str, goal: Goal, parsed: &Arc<Parsed>) {
        if source.len() > self.most {
            return;
        }
        let mut kept = self.kept.lock();
        kept.push_front(Kept {
            source: source.into(),
            goal,
            parsed: parsed.clone(),
        });
        let mut room = self.most;
        let fits = |kept: &Kept| match room.checked_sub(kept.source.len()) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        };
        let count = kept.iter().map(fits).take_while(|fits| *fits).count();
        kept.truncate(count.min(MOST_SCRIPTS));
    }

    /// How many are kept.
    #[cfg(test)]
    fn count(&self) -> usize {
        self.kept.lock().len()
    }
}

/// One script, parsed. It keeps the tree as long as it is kept itself.
#[derive(Clone)]
pub struct ParsedScript(Arc<Parsed>);

impl std::fmt::Debug for ParsedScript {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ParsedScript")
            .finish_non_exhaustive()
    }
}

impl ParsedScript {
    /// As [`ParsedScripts::with`]; `source` is the text that was parsed.
    pub fn with<T>(&self, source: &str, work: impl FnOnce(&Script<'_>) -> T) -> T {
        let parsed = self.0.clone();
        on_deep_stack(|| work(&Script { source, parsed }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(script: &Script<'_>) -> *const Parsed {
        Arc::as_ptr(&script.parsed)
    }

    #[test]
    fn a_script_is_parsed_once() {
        let scripts = ParsedScripts::new(100);
        let first = scripts.with("box.a = 1", Goal::Script, bytes).unwrap();
        let again = scripts.with("box.a = 1", Goal::Script, bytes).unwrap();
        let as_module = scripts.with("box.a = 1", Goal::Module, bytes).unwrap();
        let other = scripts.with("box.a = 2", Goal::Script, bytes).unwrap();
        assert_eq!(first, again);
        assert!(first != as_module && first != other && as_module != other);
        assert_eq!(scripts.count(), 3);
    }

    #[test]
    fn those_asked_about_last_are_kept() {
        let scripts = ParsedScripts::new(30);
        let ask = |text: &str| scripts.with(text, Goal::Script, bytes).unwrap();
        let first = ask("box.a = 1");
        ask("box.a = 2");
        ask("box.a = 3");
        assert_eq!(ask("box.a = 1"), first);
        ask("box.a = 4");
        assert_eq!(scripts.count(), 3);
        assert_eq!(ask("box.a = 1"), first);
        // The room is for the texts of all.
        ask("box.alonger = 'than the others'");
        assert_eq!(scripts.count(), 3);
        ask("box.as = 'long as all of it'");
        assert_eq!(scripts.count(), 1);
    }

    #[test]
    fn what_does_not_parse_is_said_each_time() {
        let scripts = ParsedScripts::new(100);
        for _ in 0..2 {
            let wrong = scripts.with("box.a =", Goal::Script, bytes);
            assert!(matches!(wrong, Err(RewriteError::Syntax(_))));
        }
        assert_eq!(scripts.count(), 0);
    }

    #[test]
    fn a_deep_tree_is_dropped() {
        let scripts = ParsedScripts::new(1 << 20);
        let deep = format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000));
        scripts.with(&deep, Goal::Script, |_| ()).unwrap();
        assert_eq!(scripts.count(), 1);
        drop(scripts);
    }
}
