//! The loops of a script: where each is, and by which of its parts iterations are told apart.
//!
//! ```js
//! for (const item of items) total += item;   // variable `item`, body `total += item;`
//! while (queue.length > 0) run(queue.shift()); // test `queue.length > 0`
//! ```

use swc_common::{Span, Spanned};
use swc_ecma_ast::{DoWhileStmt, Expr, ForInStmt, ForOfStmt, ForStmt, WhileStmt};
use swc_ecma_visit::{Visit, VisitWith};

use crate::Goal;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{RewriteError, with_script};

/// A head is cut behind so many characters.
const LONGEST_HEAD: usize = 60;

/// A part of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopPart {
    /// What runs once before the first iteration.
    Start,
    /// The variable that a `for-of` or `for-in` sets.
    Variable,
    /// The condition.
    Test,
    /// The last expression in the head of a `for`.
    Update,
    /// The statement that is repeated.
    Body,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// All of it.
    pub span: ByteSpan,
    /// The loop around it, by index; it may be one of another function.
    pub parent: Option<usize>,
    /// Its text without the statement that is repeated, on one line.
    pub head: String,
    /// Whether its condition is behind the statement.
    pub tests_last: bool,
    /// The variable that a `for-of` or `for-in` sets.
    pub variable: Option<ByteSpan>,
    /// The condition.
    pub test: Option<ByteSpan>,
    /// The last expression in the head of a `for`.
    pub update: Option<ByteSpan>,
    /// The statement that is repeated.
    pub body: ByteSpan,
}

impl Loop {
    /// Which part of the loop a place in it is in.
    #[must_use]
    pub fn part(&self, at: ByteOffset) -> LoopPart {
        let is_in = |span: Option<ByteSpan>| span.is_some_and(|it| holds(it, at));
        match () {
            () if is_in(Some(self.body)) => LoopPart::Body,
            () if is_in(self.test) => LoopPart::Test,
            () if is_in(self.update) => LoopPart::Update,
            () if is_in(self.variable) => LoopPart::Variable,
            () => LoopPart::Start,
        }
    }
}

/// The loops of a script, each behind those around it.
///
/// # Errors
/// [`RewriteError`] if it does not parse.
pub fn loops(source: &str, goal: Goal) -> Result<Vec<Loop>, RewriteError> {
    with_script(source, goal, |script| {
        let mut finder = Finder {
            source,
            loops: Vec::new(),
            around: None,
        };
        script.program().visit_with(&mut finder);
        finder.loops
    })
}

/// The loops that hold a place, by index, the innermost first. Those of functions around are among them.
pub fn loops_around(loops: &[Loop], at: ByteOffset) -> impl Iterator<Item = usize> + '_ {
    let behind = loops.partition_point(|it| it.span.start <= at);
    let mut next = behind.checked_sub(1);
    std::iter::from_fn(move || {
        while let Some(index) = next {
            let it = loops.get(index)?;
            next = it.parent;
            if holds(it.span, at) {
                return Some(index);
            }
        }
        None
    })
}

fn holds(span: ByteSpan, at: ByteOffset) -> bool {
    span.start <= at && at < span.end
}

const fn bytes(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

struct Finder<'s> {
    source: &'s str,
    loops: Vec<Loop>,
    around: Option<usize>,
}

impl Finder<'_> {
    fn found(&mut self, span: Span, body: Span, visit: impl FnOnce(&mut Self, &mut Loop)) {
        let index = self.loops.len();
        let mut found = Loop {
            span: bytes(span),
            parent: self.around,
            head: self.head(span, body),
            tests_last: false,
            variable: None,
            test: None,
            update: None,
            body: bytes(body),
        };
        self.loops.push(found.clone());
        let around = self.around.replace(index);
        visit(self, &mut found);
        self.around = around;
        if let Some(place) = self.loops.get_mut(index) {
            *place = found;
        }
    }

    /// The text around the body, on one line.
    fn head(&self, span: Span, body: Span) -> String {
        let text = |from: u32, to: u32| self.source.get(from as usize..to as usize);
        let before = text(span.lo.0, body.lo.0).unwrap_or_default();
        let behind = text(body.hi.0, span.hi.0).unwrap_or_default();
        let words: Vec<&str> = before
            .split_whitespace()
            .chain(behind.split_whitespace())
            .collect();
        let head = words.join(" ");
        let head = head.trim_end_matches(';');
        match head.char_indices().nth(LONGEST_HEAD) {
            Some((at, _)) => format!("{}…", head.get(..at).unwrap_or_default()),
            None => head.to_owned(),
        }
    }
}

fn span_of(it: Option<&Expr>) -> Option<ByteSpan> {
    it.map(|it| bytes(it.span()))
}

impl Visit for Finder<'_> {
    fn visit_while_stmt(&mut self, it: &WhileStmt) {
        self.found(it.span, it.body.span(), |finder, found| {
            found.test = span_of(Some(&it.test));
            it.visit_children_with(finder);
        });
    }

    fn visit_do_while_stmt(&mut self, it: &DoWhileStmt) {
        self.found(it.span, it.body.span(), |finder, found| {
            found.tests_last = true;
            found.test = span_of(Some(&it.test));
            it.visit_children_with(finder);
        });
    }

    fn visit_for_stmt(&mut self, it: &ForStmt) {
        self.found(it.span, it.body.span(), |finder, found| {
            found.test = span_of(it.test.as_deref());
            found.update = span_of(it.update.as_deref());
            it.visit_children_with(finder);
        });
    }

    fn visit_for_in_stmt(&mut self, it: &ForInStmt) {
        self.found(it.span, it.body.span(), |finder, found| {
            found.variable = Some(bytes(it.left.span()));
            it.visit_children_with(finder);
        });
    }

    fn visit_for_of_stmt(&mut self, it: &ForOfStmt) {
        self.found(it.span, it.body.span(), |finder, found| {
            found.variable = Some(bytes(it.left.span()));
            it.visit_children_with(finder);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "function f(a) {\n  for (let i = 0; i < a; i += 1) {\n    while (g(i))\n      h(i);\n  }\n  \
        do { k(); } while (m);\n  for (const [x, y] of b) n(() => { for (;;) o(x); });\n}";

    fn at(text: &str) -> ByteOffset {
        ByteOffset::from_index(SOURCE.find(text).unwrap())
    }

    #[test]
    fn loops_have_heads_and_parts() {
        let found = loops(SOURCE, Goal::Script).unwrap();
        let heads: Vec<_> = found.iter().map(|it| (&*it.head, it.parent)).collect();
        assert_eq!(
            heads,
            [
                ("for (let i = 0; i < a; i += 1)", None),
                ("while (g(i))", Some(0)),
                ("do while (m)", None),
                ("for (const [x, y] of b)", None),
                ("for (;;)", Some(3)),
            ]
        );
        let part = |index: usize, text: &str| found[index].part(at(text));
        assert_eq!(part(0, "i = 0"), LoopPart::Start);
        assert_eq!(part(0, "i < a"), LoopPart::Test);
        assert_eq!(part(0, "i += 1"), LoopPart::Update);
        assert_eq!(part(0, "h(i)"), LoopPart::Body);
        assert_eq!(part(2, "m)"), LoopPart::Test);
        assert_eq!(part(3, "y]"), LoopPart::Variable);
        assert!(found[2].tests_last && !found[0].tests_last);
    }

    #[test]
    fn a_place_is_in_the_loops_around_it() {
        let found = loops(SOURCE, Goal::Script).unwrap();
        let around = |text: &str| loops_around(&found, at(text)).collect::<Vec<_>>();
        assert_eq!(around("h(i)"), [1, 0]);
        assert_eq!(around("i < a"), [0]);
        assert_eq!(around("k()"), [2]);
        assert_eq!(around("o(x)"), [4, 3]);
        assert!(around("function").is_empty());
        assert!(loops("for (", Goal::Script).is_err());
    }

    #[test]
    fn a_head_is_not_long() {
        let source = format!("while ({}) f();", "ü".repeat(90));
        let found = loops(&source, Goal::Script).unwrap();
        assert_eq!(found[0].head.chars().count(), 61);
    }
}
