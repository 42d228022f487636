//! Calls of functions that a question must tell apart: each time such a function is entered it takes a number, which a
//! debugger reads in its frame.
//!
//! ```text
//! (function h() { k(); })     (function h() {var $Qpa65;…$QpA&&($Qpa65=$QpTt()); k(); })
//! (y => f(y))                 (y => {var $Qpa56;…$QpA&&($Qpa56=$QpTt());return f(y)})
//! ({ get p() { return v } })   ({ get p() {var $Qpa62;…$QpA&&($Qpa62=$QpTt()); return v } })
//! ```
//!
//! The name holds the place where the function's body begins (`65`), so that no function inside takes the variable for
//! its own. The top of a script, which may declare nothing, keeps its number in the agent's object, as `$QpT.a1`.
//! (*Querypoint Debugging*, section 3: mayAffect.)

use std::fmt::Write as _;

use swc_common::Spanned;
use swc_ecma_ast::{ArrowExpr, ArrowFunctionBody, Constructor, Function, Program};
use swc_ecma_visit::{Visit, VisitWith};

use super::function_room::{FunctionRoom, TOP, Top};
use super::functions::FunctionBodyOf;
use super::rewriter::Rewriter;
use super::{Site, SiteKind};
use crate::position::ByteOffset;

/// A function, as far as a debugger must tell its calls apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionAt {
    /// Where its body begins, behind the brace: its name in [`super::Instrumentation::activations`].
    pub body: ByteOffset,
    /// Whether it can be left and gone on with, from another caller: a generator or asynchronous function.
    pub is_resumed: bool,
}

/// The expression that gives, in a frame of the function whose body begins at `body`, the number of the call.
#[must_use]
pub fn activation_name(prefix: &str, script: u32, body: ByteOffset, is_script: bool) -> String {
    if body == TOP && is_script {
        return format!("{prefix}T.a{script}");
    }
    format!("{prefix}a{}", body.0)
}

impl Rewriter<'_> {
    /// Whether a function whose calls are numbered begins within a statement.
    pub(super) fn has_activation(&self, span: swc_common::Span) -> bool {
        let mut activations = self.instrumentation.activations.iter();
        activations.any(|body| (span.lo.0..span.hi.0).contains(&body.0))
    }

    /// Where the body of a function begins.
    pub(super) fn begin_of(body: &FunctionBodyOf<'_>) -> ByteOffset {
        match body {
            FunctionBodyOf::Statements { start, .. } => *start,
            FunctionBodyOf::Expression(expression) => ByteOffset(expression.span().lo.0),
        }
    }

    /// `$Qpa65=$QpTt()`, where the calls of the function whose body begins at `body` are numbered.
    pub(super) fn activation_hook(&mut self, body: ByteOffset, top: Top) -> String {
        let mut hook = String::new();
        if self.instrumentation.activations.contains(&body) {
            self.site(body, SiteKind::Activation);
            let (p, script) = (self.prefix, self.instrumentation.script);
            let name = activation_name(p, script, body, top == Top::Script);
            let _ = write!(hook, "{name}={p}Tt()");
        }
        hook
    }

    /// Declares what [`Rewriter::activation_hook`] writes.
    pub(super) fn declare_activation(&self, body: ByteOffset, room: &mut FunctionRoom) {
        if !self.instrumentation.activations.contains(&body) {
            return;
        }
        let is_own = |site: &Site| site.kind == SiteKind::Activation && site.at == body;
        let Some(own) = self.sites.iter().position(is_own) else {
            return;
        };
        if room.top != Top::Script {
            let script = self.instrumentation.script;
            room.lasting
                .push(activation_name(self.prefix, script, body, false));
            // That of a script's top was made before there was room for it.
            if !room.sites.contains(&own) {
                room.sites.push(own);
            }
        }
    }
}

/// The function that the engine says begins at `at`: at its parameters, or somewhere before them.
pub(super) fn function_beginning_at(program: &Program, at: ByteOffset) -> Option<FunctionAt> {
    // One that is found inside comes later: a default value of its parameters.
    let found = Search::of(program).into_iter().rev();
    let mut around = found.filter(|(start, function)| *start <= at && at < function.body);
    around.next().map(|(_, function)| function)
}

/// All functions that have statements or an expression of their own.
pub(super) fn functions(program: &Program) -> Vec<FunctionAt> {
    let found = Search::of(program).into_iter();
    found.map(|(_, function)| function).collect()
}

#[derive(Default)]
struct Search {
    /// Where each begins, with what it is.
    found: Vec<(ByteOffset, FunctionAt)>,
}

impl Search {
    fn of(program: &Program) -> Vec<(ByteOffset, FunctionAt)> {
        let mut search = Self::default();
        program.visit_with(&mut search);
        search.found
    }

    fn function(&mut self, start: u32, body: u32, is_resumed: bool) {
        let body = ByteOffset(body);
        let function = FunctionAt { body, is_resumed };
        self.found.push((ByteOffset(start), function));
    }
}

impl Visit for Search {
    fn visit_function(&mut self, function: &Function) {
        if let Some(body) = &function.body {
            let is_resumed = function.is_async || function.is_generator;
            self.function(function.span.lo.0, body.span.lo.0 + 1, is_resumed);
        }
        function.visit_children_with(self);
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        if let Some(body) = &constructor.body {
            self.function(constructor.span.lo.0, body.span.lo.0 + 1, false);
        }
        constructor.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        let body = match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => body.span.lo.0 + 1,
            ArrowFunctionBody::Expr(expression) => expression.span().lo.0,
        };
        self.function(arrow.span.lo.0, body, arrow.is_async);
        arrow.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Goal;
    use crate::rewrite::with_script;

    /// The text behind the beginning of the function's body that begins at `^`.
    fn found(marked: &str) -> Option<(String, bool)> {
        let at = ByteOffset::from_index(marked.find('^').unwrap());
        let text = marked.replace('^', "");
        let found = with_script(&text, Goal::Script, |script| {
            script.function_beginning_at(at)
        });
        let found = found.unwrap()?;
        Some((text[found.body.index()..].to_owned(), found.is_resumed))
    }

    fn plain(text: &str) -> Option<(String, bool)> {
        Some((text.to_owned(), false))
    }

    #[test]
    fn functions_are_found_by_where_the_engine_says_that_they_begin() {
        assert_eq!(found("k(); function f^(a) { 1 }"), plain(" 1 }"));
        assert_eq!(found("g((^x) => x.y)"), plain("x.y)"));
        assert_eq!(found("g(^x => y => x)"), plain("y => x)"));
        assert_eq!(found("g(x => ^y => x)"), plain("x)"));
        assert_eq!(found("({ m^() { 1 } })"), plain(" 1 } })"));
        assert_eq!(found("({ get p^() { 1 } })"), plain(" 1 } })"));
        assert_eq!(found("({ set p^(v) { 1 } })"), plain(" 1 } })"));
        assert_eq!(found("class A { constructor^() { 1 } }"), plain(" 1 } }"));
        assert_eq!(found("class A { static m^() { 1 } }"), plain(" 1 } }"));
        assert_eq!(found("function f(a = ^() => 1) { 2 }"), plain("1) { 2 }"));
    }

    #[test]
    fn what_can_be_gone_on_with_is_told() {
        assert_eq!(
            found("function* f^() { 1 }").map(|found| found.1),
            Some(true)
        );
        assert_eq!(
            found("async function f^() { 1 }").map(|found| found.1),
            Some(true)
        );
        assert_eq!(found("g(async ^x => 1)").map(|found| found.1), Some(true));
    }

    #[test]
    fn elsewhere_no_function_begins() {
        assert_eq!(found("^k(); function f() {}"), None);
        assert_eq!(found("function f() { ^k(); }"), None);
        assert_eq!(found("class A { x = ^1 }"), None);
    }
}
