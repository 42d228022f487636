//! Calls, as they are written: what is called, on what, and with which arguments.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{CallExpr, Expr, ExprOrSpread, Lit, MemberExpr, OptChainBase};

use super::facts::{AWAIT, CallFact, CallFacts, FlowPlace};
use super::keys::member_key;
use super::walk::{Walk, bytes};
use crate::position::ByteOffset;
use crate::rewrite::OriginalNames;
use crate::scopes::unparenthesized;

impl Walk<'_> {
    /// A call whose arguments were visited.
    pub(super) fn call(
        &mut self,
        span: Span,
        callee: Option<&Expr>,
        arguments: &[ExprOrSpread],
        is_new: bool,
        is_optional: bool,
    ) {
        let number = ByteOffset::from_index(self.facts.calls.len()).0;
        let callee = callee.map(unparenthesized);
        // `(0, o.f)()` calls without an object.
        let (callee, is_bare) = match callee {
            Some(Expr::Seq(sequence)) => {
                (sequence.exprs.last().map(|it| unparenthesized(it)), true)
            }
            other => (other, false),
        };
        let member: Option<&MemberExpr> = match callee {
            Some(Expr::Member(member)) => Some(member),
            Some(Expr::OptChain(chain)) => match &*chain.base {
                OptChainBase::Member(member) => Some(member),
                OptChainBase::Call(_) => None,
            },
            _ => None,
        };
        let name = match (callee, member) {
            (_, Some(member)) => member_key(&member.prop).to_string(),
            (Some(Expr::Ident(ident)), _) => ident.sym.to_string(),
            _ => String::new(),
        };
        let object = member.map(|member| &*member.obj).filter(|_| !is_bare);
        let given = arguments.iter();
        let fact = CallFact {
            span: bytes(span),
            function: self.current,
            name,
            receiver: object.map(|object| bytes(object.span())),
            arguments: given.clone().map(|it| bytes(it.expr.span())).collect(),
            text: text_of(arguments.first()),
            second_text: text_of(arguments.get(1)),
            is_new,
            is_optional,
            signal: self.signal_of(arguments),
            callee: callee.map(|it| self.with_members(it)).unwrap_or_default(),
            receivers: object.map(|it| self.with_members(it)).unwrap_or_default(),
            given: given.map(|it| self.given(it)).collect(),
            spread: self.spread(arguments),
            applied: Vec::new(),
        };
        let mut fact = fact;
        if fact.name == "apply"
            && fact.receiver.is_some()
            && let Some(list) = arguments.get(1)
        {
            fact.applied = self.elements(&list.expr);
            if let (Some(given), Some(_)) = (fact.given.get_mut(1), self.known_elements(&list.expr))
            {
                given.clear();
            }
        }
        self.facts.calls.push(fact);
        self.result.insert((span.lo.0, span.hi.0), number);
    }

    fn with_members(&self, expression: &Expr) -> Vec<FlowPlace> {
        let mut places = self.places(expression);
        places.extend(self.members_of(expression));
        places
    }

    /// What one argument gives.
    fn given(&self, argument: &ExprOrSpread) -> Vec<FlowPlace> {
        let known = argument
            .spread
            .and_then(|_| self.known_elements(&argument.expr));
        known.unwrap_or_else(|| self.places(&argument.expr))
    }

    /// The first argument that is spread, and what comes from there on.
    fn spread(&self, arguments: &[ExprOrSpread]) -> Option<(u32, Vec<FlowPlace>)> {
        let first = arguments.iter().position(|it| it.spread.is_some())?;
        let mut places = Vec::new();
        for argument in arguments.get(first..)? {
            match argument.spread {
                Some(_) => places.extend(self.elements(&argument.expr)),
                None => places.extend(self.places(&argument.expr)),
            }
        }
        Some((ByteOffset::from_index(first).0, places))
    }

    /// `await p` is kept as a call of nothing on `p`: what settles `p` goes on from there.
    pub(super) fn awaited(&mut self, span: Span, value: &Expr) {
        let fact = CallFact {
            span: bytes(span),
            function: self.current,
            name: AWAIT.to_owned(),
            receiver: Some(bytes(value.span())),
            arguments: Vec::new(),
            text: None,
            second_text: None,
            is_new: false,
            is_optional: false,
            signal: None,
            callee: Vec::new(),
            receivers: self.places(value),
            given: Vec::new(),
            spread: None,
            applied: match unparenthesized(value) {
                Expr::Member(member) => self.places(&member.obj),
                _ => Vec::new(),
            },
        };
        self.facts.calls.push(fact);
    }

    /// `import("./cart.js")`: a call without a callee, with the name of a module.
    pub(super) fn import_call(&mut self, call: &CallExpr) {
        self.call(call.span, None, &call.args, false, false);
        if let Some(fact) = self.facts.calls.last_mut() {
            "import".clone_into(&mut fact.name);
        }
    }
}

impl CallFacts {
    /// Gives calls of variables, and functions, the names that their author gave to these.
    pub(super) fn with_names(mut self, names: &dyn OriginalNames) -> Self {
        for call in &mut self.calls {
            let is_variable = call
                .callee
                .iter()
                .any(|place| place.is_variable() || place.is_global());
            if call.receiver.is_none()
                && !call.is_new
                && is_variable
                && let Some(name) = names.original_name(call.span.start)
            {
                call.name = name;
            }
        }
        for function in &mut self.functions {
            let at = function.named_at;
            function.authored = at.and_then(|at| names.original_name(at));
        }
        self
    }
}

/// An argument that is a text.
fn text_of(argument: Option<&ExprOrSpread>) -> Option<String> {
    match unparenthesized(&argument?.expr) {
        Expr::Lit(Lit::Str(string)) => string.value.as_str().map(str::to_owned),
        Expr::Tpl(template) if template.exprs.is_empty() => {
            let only = template.quasis.first()?;
            only.cooked.as_ref()?.as_str().map(str::to_owned)
        }
        _ => None,
    }
}
