//! The questions of a diagnosis, one after the other: what answers by itself, and what somebody is asked.

use std::collections::{BTreeMap, BTreeSet};

use diagnosis::{Answer, Interview, LogTree, NodeId, Step, UsesOf};
use querypoint::diagnosis::{AnsweredBy, Diagnosis};

use super::kept::KeptSession;
use super::{Answerer, CallQuestion, Reply, UndoneAnswer};
use crate::cancelling::Cancellation;
use crate::diagnosis::functions::FunctionFile;
use crate::diagnosis::{GoodVersion, Judgement, LoggingBrowser};
use crate::failure::Failure;
use crate::progress::Reporter;

/// What answers by itself.
pub(super) struct ByItself<'q> {
    uses: UsesOf,
    functions: Vec<FunctionFile>,
    /// A good version, and the browser that it runs in.
    good: Option<(GoodVersion, &'q LoggingBrowser)>,
    /// Whether the good version plays the person.
    is_simulated: bool,
    /// Calls of which the good version can say nothing, and why.
    unsaid: BTreeMap<NodeId, String>,
    /// Those of which a function says nothing.
    silent: BTreeSet<(usize, NodeId)>,
}

impl<'q> ByItself<'q> {
    pub(super) const fn new(
        uses: UsesOf,
        functions: Vec<FunctionFile>,
        good: Option<(GoodVersion, &'q LoggingBrowser)>,
        is_simulated: bool,
    ) -> Self {
        Self {
            uses,
            functions,
            good,
            is_simulated,
            unsaid: BTreeMap::new(),
            silent: BTreeSet::new(),
        }
    }
}

/// What is asked about a log until a call is found, or nobody answers any more.
pub(super) struct Questions<'q, 'l> {
    pub(super) log: &'l LogTree<'l>,
    pub(super) interview: Interview<'l>,
    pub(super) by_itself: ByItself<'q>,
    pub(super) session: Option<KeptSession>,
    /// The address of the page.
    pub(super) page: &'q str,
    pub(super) cancellation: &'q Cancellation,
    /// What a reader of the diagnosis should know.
    pub(super) notes: Vec<String>,
}

impl Questions<'_, '_> {
    /// Asks until nothing is left to ask. What is said is kept answer by answer.
    ///
    /// # Errors
    /// If the browser is lost, nobody can be asked, something cannot be kept, or it is cancelled.
    pub(super) async fn ask_all(
        &mut self,
        answerer: &mut impl Answerer,
        reporter: &mut dyn Reporter,
    ) -> Result<(), Failure> {
        self.keep()?;
        let mut number = self.answered();
        loop {
            let Step::Ask(node) = self.interview.next() else {
                // Answers that nobody gave may have led here.
                let last = self.interview.last().map(|it| it.by);
                let is_by_itself = last.is_some_and(|by| by != AnsweredBy::Person);
                let asking = answerer.at_the_end(is_by_itself);
                let Some(undone) = self.cancellation.or_work(asking).await?? else {
                    return Ok(());
                };
                self.undo(undone, answerer);
                number = self.answered();
                continue;
            };
            let good = self.by_itself.good.as_ref();
            if self.by_itself.is_simulated
                && let Some(why) = good.and_then(|(good, _)| good.endless())
            {
                let note = format!("the good version can say nothing: {why}");
                self.notes.push(note);
                return Ok(());
            }
            match self.said_by_itself(node, reporter).await? {
                BySelf::Said => {
                    if let Some(judged) = self.interview.last() {
                        answerer.judged(&judged, self.page);
                    }
                }
                // What it cannot say of one call it may say of others: a person is asked last.
                BySelf::MaySayMore => continue,
                BySelf::Silent => {
                    number += 1;
                    let Some(view) = self.interview.view(node) else {
                        return Ok(());
                    };
                    let question = CallQuestion {
                        call: &view,
                        page: self.page,
                        number,
                        suspicious: self.interview.remaining(),
                    };
                    let asking = answerer.ask(&question);
                    match self.cancellation.or_work(asking).await?? {
                        Reply::Is(answer) => {
                            let by = AnsweredBy::Person;
                            self.interview.answer(node, answer, by, None);
                        }
                        Reply::Undo(undone) => {
                            self.undo(undone, answerer);
                            number = self.answered();
                        }
                        Reply::Quit => {
                            let note = "the session was ended before a call was found";
                            self.notes.push(note.to_owned());
                            return Ok(());
                        }
                        Reply::NoMore => {
                            self.notes.push("there were no more answers".to_owned());
                            return Ok(());
                        }
                    }
                }
            }
            self.keep()?;
        }
    }

    /// What came of it.
    ///
    /// # Errors
    /// If the browser is lost.
    pub(super) async fn diagnosis(mut self) -> Result<Diagnosis, Failure> {
        for file in self.by_itself.functions {
            self.notes.extend(file.problems().iter().cloned());
            file.close().await?;
        }
        let mut diagnosis = self.interview.diagnosis(self.notes);
        if diagnosis.found.is_none() {
            diagnosis.notes.extend(why_unsaid(&self.by_itself.unsaid));
        }
        Ok(diagnosis)
    }

    /// Takes an answer that nobody has to give; `node` is the call that would be asked about.
    async fn said_by_itself(
        &mut self,
        node: NodeId,
        reporter: &mut dyn Reporter,
    ) -> Result<BySelf, Failure> {
        let Self {
            log,
            interview,
            by_itself,
            ..
        } = self;
        if by_itself.good.is_none() && interview.take_checked(node)
            || interview.take_said_before(node, &by_itself.uses)
        {
            return Ok(BySelf::Said);
        }
        if let Some((node, said)) = said_by_functions(by_itself, interview, log).await? {
            interview.answer(node, said.answer, AnsweredBy::Oracle, Some(said.why));
            return Ok(BySelf::Said);
        }
        let next = next_for_good_version(interview, node, by_itself);
        let Some((good, logging)) = &mut by_itself.good else {
            return Ok(BySelf::Silent);
        };
        let Some(node) = next.filter(|_| good.endless().is_none()) else {
            return Ok(BySelf::Silent);
        };
        let said = good.judge(logging, log, node, reporter).await?;
        let by = match by_itself.is_simulated {
            true => AnsweredBy::Person,
            false if said.answer == Answer::Unknown => {
                by_itself.unsaid.insert(node, said.why);
                return Ok(BySelf::MaySayMore);
            }
            false => AnsweredBy::Oracle,
        };
        interview.answer(node, said.answer, by, Some(said.why));
        Ok(BySelf::Said)
    }

    /// How many answers a person gave.
    fn answered(&self) -> usize {
        let answers = self.interview.answers();
        answers
            .filter(|(_, said)| said.by == AnsweredBy::Person)
            .count()
    }

    fn undo(&mut self, undone: UndoneAnswer, answerer: &mut impl Answerer) {
        let is_undone = match undone {
            UndoneAnswer::Last => self.interview.undo().is_some(),
            UndoneAnswer::OfCall(call) => {
                let node = self.log.node_at(call);
                node.is_some_and(|node| self.interview.take_back(node))
            }
        };
        if !is_undone {
            answerer.nothing_undone(undone);
        }
    }

    fn keep(&mut self) -> Result<(), Failure> {
        match &mut self.session {
            Some(session) => session.keep(self.log, &self.interview),
            None => Ok(()),
        }
    }
}

/// So many reasons are told of those for which a good version can say nothing.
const MOST_REASONS: usize = 3;

/// Why a good version can say nothing of calls, the most frequent reasons first.
fn why_unsaid(unsaid: &BTreeMap<NodeId, String>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for why in unsaid.values() {
        *counts.entry(why).or_default() += 1;
    }
    let mut reasons: Vec<(&str, usize)> = counts.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let left: usize = reasons
        .iter()
        .skip(MOST_REASONS)
        .map(|(_, count)| count)
        .sum();
    let told = reasons.iter().take(MOST_REASONS);
    let mut texts: Vec<String> = told
        .map(|(why, count)| format!("{why} ({count})"))
        .collect();
    if left > 0 {
        texts.push(format!("other reasons ({left})"));
    }
    let calls = match unsaid.len() {
        0 => return None,
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    };
    Some(format!(
        "of {calls} the good version can say nothing: {}",
        texts.join("; ")
    ))
}

/// What came of the answers that nobody has to give.
enum BySelf {
    /// One was taken.
    Said,
    /// None of this call; of another there may be one.
    MaySayMore,
    /// There is none.
    Silent,
}

/// The call that the good version is asked of, where `node` is the one that was chosen.
fn next_for_good_version(
    interview: &Interview<'_>,
    node: NodeId,
    by_itself: &ByItself<'_>,
) -> Option<NodeId> {
    by_itself.good.as_ref()?;
    if by_itself.is_simulated {
        return Some(node);
    }
    let unsaid = by_itself.unsaid.keys().copied();
    let others = interview.left_to_person().chain(unsaid);
    interview.next_except(&others.collect())
}

/// A suspicious call of which a function says something, and what. Those of which none does are remembered.
async fn said_by_functions(
    by_itself: &mut ByItself<'_>,
    interview: &Interview<'_>,
    log: &LogTree<'_>,
) -> Result<Option<(NodeId, Judgement)>, Failure> {
    let ByItself {
        functions, silent, ..
    } = by_itself;
    for (number, file) in functions.iter_mut().enumerate() {
        loop {
            let is_judged = |node: NodeId| {
                !silent.contains(&(number, node))
                    && !interview.is_left_to_person(node)
                    && file.judges(log, node)
            };
            let Some(node) = interview.next_where(is_judged) else {
                break;
            };
            if let Some(said) = file.judge(log, node).await?
                && said.answer != Answer::Unknown
            {
                return Ok(Some((node, said)));
            }
            silent.insert((number, node));
        }
    }
    Ok(None)
}
