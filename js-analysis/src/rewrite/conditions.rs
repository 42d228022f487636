//! Conditions that a question is about: their outcome is reported when it is known.
//!
//! ```text
//! if (v) k();                 if (($Qp1=v,$QpA&&($Qpc0_2=$QpB(1,0,$Qpc0_2,$Qp1,0,[$Qp1])),$Qp1)) k();
//! if (f(o) < v) k();          if (($Qp1=$Qp2=$QpB,$Qp3=($Qp1=f(o)) < ($Qp2=v),$QpA&&(…),$Qp3)) k();
//! switch (v) { case 1: k() }   switch (($Qp1=(v))) { case ($Qp2=1,$QpA&&(…$Qp1===$Qp2…),$Qp2): k() }
//! for (const y of v) k();     for (const y of v) {let $QpZ=$QpA&&(…);k();}
//! x ||= v;                    x ||= ($QpA&&(…),v);
//! o?.p.q(v);                  ($Qp1=o,$QpA&&(…),$Qp1)?.p.q(v);
//! o.f?.(v);                   o.f?.(($QpA&&(…),v));
//! ```
//!
//! The last outcome is kept in a variable of the function, `$Qpc0_2`, so each activation has its own. A function has
//! one for each question that asks in it (`0`), and its name holds the number of the function's scope (`2`), so that no
//! function inside finds that of another. The operands are the parts of a test that are neither literals nor operators
//! between them; one that was not evaluated keeps the value `$QpB`. (*Querypoint Debugging*, section on lastCondition.)

use std::fmt::Write as _;
use std::rc::Rc;

use swc_common::Spanned;
use swc_ecma_ast::{
    AssignExpr, AssignTarget, BinaryOp, Expr, Lit, OptCall, SimpleAssignTarget, SwitchCase, UnaryOp,
};

use super::function_room::Top;
use super::hooks::{is_anonymous_function, without_name};
use super::rewriter::Rewriter;
use super::watching::Watching;
use super::{ConditionSite, SiteKind, Watch, WatchedCondition};
use crate::control_flow::{Condition, ConditionKind};
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::{ScopeKind, unparenthesized};

/// How the outcome follows from the value that a hook hands over.
#[derive(Clone, Copy)]
enum OutcomeRule {
    /// Whether it is true.
    Truth = 0,
    /// Whether it is neither `undefined` nor `null`.
    Presence = 1,
    /// It is the outcome.
    Itself = 2,
}

/// A condition whose text is being visited.
pub(super) struct OpenCondition {
    condition: Condition,
    value: Rc<str>,
    outcome: OutcomeRule,
    operands: Vec<(ByteSpan, Rc<str>)>,
    /// What is behind the value.
    close: &'static str,
    temporaries: usize,
}

fn byte_span(span: swc_common::Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

impl<'a> Rewriter<'a> {
    /// Whether a watched condition begins within a statement.
    pub(super) fn has_condition(&self, span: swc_common::Span) -> bool {
        let inside = |watched: &WatchedCondition| {
            let at = watched.condition.span.start.0;
            span.lo.0 <= at && at < span.hi.0
        };
        self.instrumentation.conditions.iter().any(inside)
    }

    /// Whether a watched `try` block begins within a statement.
    pub(super) fn has_try_block(&self, span: swc_common::Span) -> bool {
        let mut blocks = self.instrumentation.try_blocks.iter();
        blocks.any(|block| (span.lo.0..span.hi.0).contains(&block.0))
    }

    /// `try {let $Qpt12=$QpTt(); …`: what a watched `try` block begins with.
    pub(super) fn try_block_opening(&mut self, block: ByteOffset) -> String {
        if !self.instrumentation.try_blocks.contains(&block) {
            return String::new();
        }
        self.site(block, SiteKind::TryBlock);
        let name = super::entry_name(self.prefix, block);
        format!("let {name}={}Tt();", self.prefix)
    }

    fn watches_condition(&self, condition: Condition) -> bool {
        self.conditions.contains_key(&condition)
    }

    /// The variable that holds the last outcome of the conditions asked for as `slot`, in the current function.
    pub(super) fn condition_record(&self, slot: usize) -> String {
        let scope = self.scopes.function_around(self.current);
        let p = self.prefix;
        let is_script_top = match self.rooms.last() {
            Some(room) => room.top == Top::Script,
            None => self.scopes.scope(scope).kind == ScopeKind::Script,
        };
        if is_script_top {
            format!("{p}T.q{}_{slot}", self.instrumentation.script)
        } else {
            format!("{p}c{slot}_{}", scope.0)
        }
    }

    /// The hooks of a condition: `$Qpc0_2=$QpB(site,slot,$Qpc0_2,value,how,[operands])`.
    fn condition_hooks(
        &mut self,
        condition: Condition,
        value: &str,
        outcome: OutcomeRule,
        operands: &[(ByteSpan, Rc<str>)],
    ) -> String {
        let Some(watched) = self.conditions.get(&condition).copied() else {
            return String::new();
        };
        let site = self.site(condition.span.start, SiteKind::Condition);
        if let Some(site) = self.sites.last_mut() {
            site.condition = Some(ConditionSite {
                condition,
                operands: operands.iter().map(|(span, _)| *span).collect(),
                slots: watched.slots.clone(),
            });
        }
        let values: Vec<&str> = operands.iter().map(|(_, name)| &**name).collect();
        let values = values.join(",");
        let p = self.prefix;
        let mut hooks = String::new();
        for &slot in &watched.slots {
            let record = self.condition_record(slot);
            self.declare_for_function(&record);
            let dependents = match &self.instrumentation.watch {
                Watch::Names(names) => names.get(slot).map(|name| name.dependents.as_slice()),
                _ => None,
            };
            let watching = Watching {
                dependents: dependents.unwrap_or(&[]),
                slot: Some(slot),
            };
            let context = self.context(watching);
            let separator = if hooks.is_empty() { "" } else { "," };
            let how = outcome as u8;
            let _ = write!(
                hooks,
                "{separator}{record}={p}B({site},{slot},{record},{value},{how},[{values}]{context})"
            );
        }
        hooks
    }

    /// Begins an expression, if it is a condition: `(value=`.
    pub(super) fn open_condition(&mut self, expression: &Expr) -> Option<OpenCondition> {
        let span = byte_span(expression.span());
        let of = |kind| Condition { span, kind };
        let (condition, outcome) = if self.watches_condition(of(ConditionKind::Test)) {
            let outcome = match self.nullish_tests.contains(&span.start) {
                true => OutcomeRule::Presence,
                false => OutcomeRule::Truth,
            };
            (of(ConditionKind::Test), outcome)
        } else if self.watches_condition(of(ConditionKind::Chain)) {
            (of(ConditionKind::Chain), OutcomeRule::Presence)
        } else {
            return None;
        };
        let mut parts = Vec::new();
        if condition.kind == ConditionKind::Test {
            operands(expression, &mut parts);
        } else {
            parts.push(expression);
        }
        let mut opened = OpenCondition {
            condition,
            value: Rc::from(""),
            outcome,
            operands: Vec::new(),
            close: "",
            temporaries: 0,
        };
        let alone = parts.len() == 1 && parts[0].span() == unparenthesized(expression).span();
        let mut opening = "(".to_owned();
        if !alone {
            for part in parts {
                let name = self.temporary();
                let part = byte_span(part.span());
                self.operands.insert(part, name.clone());
                let _ = write!(opening, "{name}=");
                opened.operands.push((part, name));
            }
            if !opened.operands.is_empty() {
                let _ = write!(opening, "{}B,", self.prefix);
            }
        }
        opened.value = self.temporary();
        if alone {
            let part = byte_span(unparenthesized(expression).span());
            opened.operands.push((part, opened.value.clone()));
        }
        opened.temporaries = opened.operands.len() + usize::from(!alone);
        let (before, after) = as_one_value(expression);
        opened.close = after;
        let _ = write!(opening, "{}={before}", opened.value);
        self.edits.insert(span.start, &opening);
        Some(opened)
    }

    /// Ends a condition: `,$QpA&&(hooks),value)`.
    pub(super) fn close_condition(&mut self, opened: &OpenCondition) {
        let OpenCondition {
            condition,
            value,
            outcome,
            operands,
            close,
            temporaries,
        } = opened;
        let hooks = self.condition_hooks(*condition, value, *outcome, operands);
        let p = self.prefix;
        self.edits.insert_args(
            condition.span.end,
            format_args!("{close},{p}A&&({hooks}),{value})"),
        );
        for (span, _) in operands {
            self.operands.remove(span);
        }
        self.release(*temporaries);
    }

    /// Begins an operand of a condition around: `(name=`; whether it is one.
    pub(super) fn open_operand(&mut self, expression: &Expr) -> bool {
        let span = byte_span(expression.span());
        let Some(name) = self.operands.get(&span) else {
            return false;
        };
        self.edits.insert_args(span.start, format_args!("({name}="));
        true
    }

    /// `x ||= v`: the hook runs when `v` is evaluated.
    pub(super) fn open_assignment(&mut self, assign: &AssignExpr) -> bool {
        let condition = Condition {
            span: byte_span(assign.left.span()),
            kind: ConditionKind::Assignment,
        };
        if !self.watches_condition(condition) {
            return false;
        }
        if is_anonymous_function(&assign.right) {
            self.unhooked(
                condition.span.start,
                "a condition that gives its name to a function",
            );
            return false;
        }
        let held = assign.op == swc_ecma_ast::AssignOp::AndAssign;
        let mut operands = Vec::new();
        if let AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) = &assign.left {
            operands.push((condition.span, Rc::from(&*ident.sym)));
        }
        let value = if held { "true" } else { "false" };
        let hooks = self.condition_hooks(condition, value, OutcomeRule::Itself, &operands);
        let start = ByteOffset(assign.right.span().lo.0);
        self.edits
            .insert_args(start, format_args!("({}A&&({hooks}),", self.prefix));
        true
    }

    /// The condition of `o.f?.(v)`, taken out until [`Rewriter::open_method_call`] puts it back: a value around `o.f`
    /// would take `o` away from the call.
    pub(super) fn take_method_condition(&mut self, call: &OptCall) -> Option<&'a WatchedCondition> {
        let condition = Condition {
            span: byte_span(call.callee.span()),
            kind: ConditionKind::Chain,
        };
        let is_method = match unparenthesized(&call.callee) {
            Expr::Member(_) | Expr::SuperProp(_) => true,
            Expr::OptChain(chain) => chain.base.is_member(),
            _ => false,
        };
        if is_method {
            self.conditions.remove(&condition)
        } else {
            None
        }
    }

    /// `o.f?.(v)`: the hook runs when the first argument is evaluated. Where what it opens is to be closed.
    pub(super) fn open_method_call(
        &mut self,
        call: &OptCall,
        watched: &'a WatchedCondition,
    ) -> Option<ByteOffset> {
        let condition = watched.condition;
        self.conditions.insert(condition, watched);
        let Some(first) = call.args.first() else {
            self.unhooked(
                condition.span.start,
                "whether a method is there that is called without arguments",
            );
            return None;
        };
        let hooks = self.condition_hooks(condition, "true", OutcomeRule::Itself, &[]);
        let span = byte_span(first.expr.span());
        self.edits
            .insert_args(span.start, format_args!("({}A&&({hooks}),", self.prefix));
        Some(span.end)
    }

    /// Whether any case of a `switch` is watched.
    pub(super) fn watches_cases(&self, cases: &[SwitchCase]) -> bool {
        cases
            .iter()
            .filter_map(case_condition)
            .any(|condition| self.watches_condition(condition))
    }

    /// Begins and ends the test of a case, if it is watched: `(name=` … `,$QpA&&(hooks),name)`.
    pub(super) fn case_condition(
        &mut self,
        case: &SwitchCase,
        of: Option<&(ByteSpan, Rc<str>)>,
        test: impl FnOnce(&mut Self),
    ) {
        let watched = case_condition(case)
            .filter(|condition| self.watches_condition(*condition))
            .zip(case.test.as_ref())
            .zip(of);
        let Some(((condition, expression), of)) = watched else {
            return test(self);
        };
        let name = self.temporary();
        let span = byte_span(expression.span());
        let (before, after) = as_one_value(expression);
        self.edits
            .insert_args(span.start, format_args!("({name}={before}"));
        test(self);
        let matches = format!("{}==={name}", of.1);
        let mut operands = vec![of.clone()];
        if !matches!(**expression, Expr::Lit(_)) {
            operands.push((span, name.clone()));
        }
        let hooks = self.condition_hooks(condition, &matches, OutcomeRule::Itself, &operands);
        let p = self.prefix;
        self.edits
            .insert_args(span.end, format_args!("{after},{p}A&&({hooks}),{name})"));
        self.release(1);
    }

    /// The hooks of the step of a loop, run at the start of the iteration.
    pub(super) fn step_hooks(
        &mut self,
        head: swc_common::Span,
        right: swc_common::Span,
        hooks: String,
    ) -> String {
        let condition = Condition {
            span: ByteSpan {
                start: ByteOffset(head.lo.0),
                end: ByteOffset(right.hi.0),
            },
            kind: ConditionKind::Step,
        };
        if !self.watches_condition(condition) {
            return hooks;
        }
        let step = self.condition_hooks(condition, "true", OutcomeRule::Itself, &[]);
        if hooks.is_empty() {
            step
        } else {
            format!("{step},{hooks}")
        }
    }

    /// Declares a name of ours for the function (or default value, or field) being visited.
    fn declare_for_function(&mut self, name: &str) {
        if name.contains('.') {
            return;
        }
        let depth = self.room().depth;
        if let Some(names) = self.lasting.get_mut(depth.wrapping_sub(1))
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
}

/// What is around an expression that is assigned to a temporary: a function must not take its name, and of a list
/// the last is meant.
fn as_one_value(expression: &Expr) -> (&'static str, &'static str) {
    match expression {
        Expr::Seq(_) => ("(", ")"),
        _ => without_name(expression),
    }
}

fn case_condition(case: &SwitchCase) -> Option<Condition> {
    let test = case.test.as_ref()?;
    Some(Condition {
        span: ByteSpan {
            start: ByteOffset(case.span.lo.0),
            end: ByteOffset(test.span().hi.0),
        },
        kind: ConditionKind::Case,
    })
}

/// Where the parts of a test are whose values say why it came out so.
pub(crate) fn condition_operands(test: &Expr) -> Vec<ByteSpan> {
    let mut found = Vec::new();
    operands(test, &mut found);
    found
        .into_iter()
        .map(|part| byte_span(part.span()))
        .collect()
}

/// The parts of a test whose values say why it came out so.
fn operands<'e>(test: &'e Expr, found: &mut Vec<&'e Expr>) {
    const MOST: usize = 8;
    if found.len() >= MOST {
        return;
    }
    match test {
        Expr::Paren(inner) => operands(&inner.expr, found),
        Expr::Unary(unary) if !matches!(unary.op, UnaryOp::TypeOf | UnaryOp::Delete) => {
            operands(&unary.arg, found);
        }
        Expr::Bin(binary) => {
            if !(binary.op == BinaryOp::In && matches!(*binary.left, Expr::PrivateName(_))) {
                operands(&binary.left, found);
            }
            operands(&binary.right, found);
        }
        Expr::Lit(literal) if !matches!(literal, Lit::Regex(_)) => {}
        Expr::Ident(ident) if matches!(&*ident.sym, "undefined" | "NaN" | "Infinity") => {}
        Expr::Seq(sequence) => {
            if let Some(last) = sequence.exprs.last() {
                operands(last, found);
            }
        }
        Expr::Fn(_) | Expr::Arrow(_) | Expr::Class(_) | Expr::Lit(_) => {}
        other => found.push(other),
    }
}
