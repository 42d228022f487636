//! Calls: where they are made, what `new` makes, and what built-ins write.
//!
//! ```text
//! f(a, 2)        $QpLC(1,0,f($Qp1=(0,a), $QpLt(2,1)),$Qp1,2)
//!                                              the place is told when the last argument is known
//! f(...a)        $QpLC(1,0,f(...$QpLt(a,1)))   what is spread is not told
//! f()            $QpLC(1,$QpLn(1),f())
//! new C(a)       $QpLg(2,0,new C($Qp1=$QpLt(a,1)),$Qp1)
//! list.push(a)   $QpLB(1,$QpLC(1,0,list.push($Qp1=$QpLt(a,1)),$Qp1),list,"push",1)
//! f().set(a, b)  $QpLB(2,$QpLC(2,0,($Qp1=(0,f())).set($Qp2=(0,a),$Qp3=$QpLt(b,2)),$Qp2,$Qp3),$Qp1,"set",$Qp2)
//! super.add(a)   $QpLB(1,$QpLC(1,0,super.add($Qp1=$QpLt(a,1)),$Qp1),this,"add",$Qp1)
//! p.then(f)      $QpLth(1,0,p.then($Qp1=$QpLt(f,1)),p,$Qp1)
//! list[name](a)  $QpLB(1,$QpLC(1,0,list[name]($Qp1=$QpLt(a,1)),$Qp1),list,name,$Qp1,1)
//! push.apply(list, a)
//!                $QpLB(1,$QpLC(1,0,push.apply($Qp1=(0,list),$Qp2=$QpLt(a,1)),$Qp1,$Qp2),$Qp1,push,0,-1)
//! eval(a)        $QpLC(1,0,($QpCb(),eval($QpCe(eval,4,$QpLt(a,1)))))
//! f`a${b}c`      $QpLC(1,0,f`a${$QpLt(b,1)}c`)
//! ```
//! The call itself is as it is written, with `this`, the message of its errors and its frame in stacks. What has no
//! hooks does not tell its arguments, so the place of the call keeps them until the call is over.

use swc_common::Spanned;
use swc_ecma_ast::{
    CallExpr, Callee, Expr, ExprOrSpread, Lit, MemberProp, NewExpr, SuperProp, TaggedTpl,
};
use swc_ecma_visit::VisitWith;

use super::code::is_direct_eval;
use super::walker::{LogWalker, at, end};
use super::{LoggedKind, documents};

/// Methods of built-ins that write what they are called on: collections and dates.
pub(super) const WRITING: [&str; 29] = [
    "push",
    "pop",
    "shift",
    "unshift",
    "splice",
    "sort",
    "reverse",
    "fill",
    "copyWithin",
    "set",
    "add",
    "delete",
    "clear",
    "setDate",
    "setFullYear",
    "setHours",
    "setMilliseconds",
    "setMinutes",
    "setMonth",
    "setSeconds",
    "setTime",
    "setUTCDate",
    "setUTCFullYear",
    "setUTCHours",
    "setUTCMilliseconds",
    "setUTCMinutes",
    "setUTCMonth",
    "setUTCSeconds",
    "setYear",
];

/// Methods that register what happens when a promise is settled.
const REACTIONS: [&str; 3] = ["then", "catch", "finally"];
/// Functions of `Promise` that wait for several.
const COMBINATORS: [&str; 4] = ["all", "allSettled", "any", "race"];

/// Of a call with more arguments none is told.
const MOST_ARGUMENTS: usize = 16;
/// A literal that is longer is kept in a temporary rather than written twice.
const LONGEST_LITERAL: usize = 40;

/// How a call may be of a built-in that writes, or that registers a reaction.
enum Writing<'e> {
    /// `list.push(a)`: its name is in the text.
    Named(&'e Expr, &'static str),
    /// `super.push(a)`, which works on `this`.
    OfSuper(&'static str),
    /// `list[name](a)`: as which method it ran, the execution says.
    Computed(&'e Expr, &'e Expr),
    /// `push.call(list, a)`, `push.apply(list, values)`: which function it was, the execution says.
    Borrowed {
        /// The function.
        function: &'e Expr,
        /// Whether it is `apply`.
        applies: bool,
    },
    /// `promise.then(f)`, `Promise.all(promises)`
    Reaction(&'e Expr),
}

/// An expression that a hook names again.
#[derive(Default)]
struct Kept {
    /// Its own text, or a temporary.
    text: String,
    /// Whether it is a temporary.
    is_temporary: bool,
}

/// The arguments of a call as its place tells them.
#[derive(Default)]
pub(super) struct Told {
    /// What is added to the hook: `,$Qp1,2`.
    text: String,
    /// How many temporaries that takes.
    pub(super) temporaries: u32,
    /// The temporary of the first, if it has one.
    pub(super) first: Option<String>,
}

impl LogWalker<'_> {
    /// The arguments, the place of the call behind the last one. `is_told`: each is kept for the hook of the call.
    pub(super) fn arguments(
        &mut self,
        arguments: &[ExprOrSpread],
        site: u32,
        is_told: bool,
    ) -> Told {
        let mut told = Told::default();
        let is_spread = arguments.iter().any(|argument| argument.spread.is_some());
        let mut is_told = is_told && !is_spread && arguments.len() <= MOST_ARGUMENTS;
        for (argument, index) in arguments.iter().zip(0..) {
            let span = argument.expr.span();
            let is_last = index + 1 == arguments.len();
            let literal = self.literal(&argument.expr);
            let temporary = match (is_told, &literal) {
                (true, None) => self.temporary(),
                _ => None,
            };
            told.temporaries += u32::from(temporary.is_some());
            match (&literal, &temporary) {
                (Some(literal), _) => {
                    told.text.push(',');
                    told.text.push_str(literal);
                }
                (None, Some(name)) => {
                    told.text.push(',');
                    told.text.push_str(name);
                }
                // Nowhere can a temporary be declared: some without the others would be wrong.
                (None, None) => is_told = false,
            }
            if index == 0 {
                told.first.clone_from(&temporary);
            }
            let hook = format!("{}Lt(", self.prefix);
            let (before, after) = match (&temporary, is_last) {
                (Some(name), true) => (format!("{name}={hook}"), format!(",{site})")),
                (None, true) => (hook, format!(",{site})")),
                // A function is not given that name.
                (Some(name), false) => (format!("{name}=(0,"), ")".to_owned()),
                (None, false) => {
                    argument.expr.visit_with(self);
                    continue;
                }
            };
            self.wrap(span, &before, &after, |this| argument.expr.visit_with(this));
        }
        if !is_told {
            told.text.clear();
        }
        told
    }

    /// The text of a literal that can be written a second time.
    fn literal(&self, argument: &Expr) -> Option<String> {
        let text = match argument {
            Expr::Lit(Lit::Str(_) | Lit::Bool(_) | Lit::Null(_) | Lit::Num(_) | Lit::BigInt(_)) => {
                self.text(argument.span())
            }
            _ => return None,
        };
        (text.len() <= LONGEST_LITERAL).then(|| text.to_owned())
    }

    fn callee(&mut self, call: &CallExpr) {
        if !is_direct_eval(call) {
            call.callee.visit_with(self);
        }
    }

    pub(super) fn call(&mut self, call: &CallExpr) {
        let code = self.code_site(call);
        // What gives a place must also say that the call is over.
        let may_wrap = self.may_wrap(call.span);
        if !self.values() || !may_wrap || matches!(call.callee, Callee::Import(_)) {
            if let Some(site) = code {
                self.open_eval(call, site);
            }
            self.callee(call);
            call.args.visit_with(self);
            if code.is_some() {
                self.close_text(call);
                self.edits.insert(end(call.span), ")");
            }
            return;
        }
        let site = self.site_by_text(at(call.span), LoggedKind::Call, call.callee.span());
        let p = self.prefix;
        let changes_document = self.watches_document()
            && matches!(&call.callee, Callee::Expr(callee) if documents::calls(callee));
        if changes_document {
            self.edits
                .insert_args(at(call.span), format_args!("{p}LW({site},{p}Lz(),"));
        }
        let writing = Self::writing(call);
        let kept = writing.as_ref().and_then(|writing| self.keep_all(writing));
        let reacts = matches!(writing, Some(Writing::Reaction(_))) && kept.is_some();
        if kept.is_some() && !reacts {
            self.edits
                .insert_args(at(call.span), format_args!("{p}LB({site},"));
        } else if let Some(Writing::Named(..)) = writing {
            self.unlogged(
                at(call.span),
                "what a built-in writes in a default value or a field",
            );
        }
        let is_empty = call.args.is_empty();
        let first = match is_empty {
            true => format!("{p}Ln({site})"),
            false => "0".to_owned(),
        };
        let hook = if reacts { "Lth" } else { "LC" };
        self.edits
            .insert_args(at(call.span), format_args!("{p}{hook}({site},{first},"));
        if let Some(site) = code {
            self.open_eval(call, site);
        }
        match (&writing, &kept) {
            (Some(Writing::Named(object, _) | Writing::Reaction(object)), Some([object_is, _])) => {
                self.visit_kept(object, object_is);
            }
            (Some(Writing::Computed(object, key)), Some([object_is, key_is])) => {
                self.visit_kept(object, object_is);
                self.visit_kept(key, key_is);
            }
            (Some(Writing::Borrowed { function, .. }), Some([function_is, _])) => {
                self.visit_kept(function, function_is);
            }
            _ => self.callee(call),
        }
        let told = self.arguments(&call.args, site, true);
        if code.is_some() {
            self.close_text(call);
            self.edits.insert(end(call.span), ")");
        }
        let promise = match &kept {
            Some([promise, _]) if reacts => format!(",{}", promise.text),
            _ => String::new(),
        };
        self.edits
            .insert_args(end(call.span), format_args!("{promise}{})", told.text));
        let mut temporaries = told.temporaries;
        if let (Some(writing), Some(kept)) = (&writing, &kept) {
            temporaries += kept
                .iter()
                .map(|it| u32::from(it.is_temporary))
                .sum::<u32>();
            if let Some(hook) = self.written_hook(writing, kept, &call.args, told.first) {
                self.edits
                    .insert_args(end(call.span), format_args!("{hook})"));
            }
        }
        if changes_document {
            self.edits.insert(end(call.span), ")");
        }
        self.release(temporaries);
    }

    /// What the hook of a built-in that writes is told: its object, which built-in, what it was given; `None`: it
    /// writes nothing.
    fn written_hook(
        &self,
        writing: &Writing<'_>,
        [kept, key]: &[Kept; 2],
        arguments: &[ExprOrSpread],
        first: Option<String>,
    ) -> Option<String> {
        let is_spread = arguments.iter().any(|argument| argument.spread.is_some());
        let count = |count: usize| match is_spread {
            true => "-1".to_owned(),
            false => count.to_string(),
        };
        Some(match writing {
            Writing::Reaction(_) => return None,
            Writing::Named(_, method) => {
                let extra = self.written_by(Some(method), arguments, first);
                format!(",{},\"{method}\"{extra}", kept.text)
            }
            Writing::OfSuper(method) => {
                let extra = self.written_by(Some(method), arguments, first);
                format!(",this,\"{method}\"{extra}")
            }
            Writing::Computed(..) => {
                let literal = arguments.first().and_then(|it| self.literal(&it.expr));
                let first = literal.or(first);
                let count = match first {
                    None if !arguments.is_empty() => "-1".to_owned(),
                    _ => count(arguments.len()),
                };
                let first = first.as_deref().unwrap_or("0");
                format!(",{},{},{first},{count}", kept.text, key.text)
            }
            Writing::Borrowed { applies, .. } => {
                let on = first.as_deref().unwrap_or("0");
                let count = match applies {
                    true => "-1".to_owned(),
                    false => count(arguments.len().saturating_sub(1)),
                };
                format!(",{on},{},0,{count}", kept.text)
            }
        })
    }

    /// What the hook of a built-in that writes names again: its object and key, or the function; `None`: nowhere can
    /// a temporary be declared.
    fn keep_all(&mut self, writing: &Writing<'_>) -> Option<[Kept; 2]> {
        match writing {
            Writing::OfSuper(_) => Some([Kept::default(), Kept::default()]),
            Writing::Named(kept, _)
            | Writing::Reaction(kept)
            | Writing::Borrowed { function: kept, .. } => Some([self.keep(kept)?, Kept::default()]),
            Writing::Computed(object, key) => {
                let object = self.keep(object)?;
                match self.keep(key) {
                    Some(key) => Some([object, key]),
                    None => {
                        self.release(u32::from(object.is_temporary));
                        None
                    }
                }
            }
        }
    }

    /// How a hook names an expression again.
    fn keep(&mut self, expression: &Expr) -> Option<Kept> {
        if self.is_simple(expression) {
            let text = self.text(expression.span()).to_owned();
            return Some(Kept {
                text,
                is_temporary: false,
            });
        }
        Some(Kept {
            text: self.temporary()?,
            is_temporary: true,
        })
    }

    /// `f().push(a)` → `($Qp1=(0,f())).push(a)`: a function is not given that name.
    fn visit_kept(&mut self, expression: &Expr, kept: &Kept) {
        if !kept.is_temporary {
            expression.visit_with(self);
            return;
        }
        let name = &kept.text;
        self.edits
            .insert_args(at(expression.span()), format_args!("({name}=(0,"));
        expression.visit_with(self);
        self.edits.insert(end(expression.span()), "))");
    }

    /// What a hook is told of the arguments of a built-in that writes: of `push` it is enough to know how many there
    /// are, of an entry its key is needed.
    pub(super) fn written_by(
        &self,
        method: Option<&str>,
        arguments: &[ExprOrSpread],
        first: Option<String>,
    ) -> String {
        let is_spread = arguments.iter().any(|argument| argument.spread.is_some());
        match method {
            _ if is_spread => String::new(),
            Some("push") => format!(",{}", arguments.len()),
            Some("set" | "add" | "delete") => {
                let literal = arguments
                    .first()
                    .and_then(|first| self.literal(&first.expr));
                let key = literal.or(first);
                key.map_or(String::new(), |key| format!(",{key}"))
            }
            _ => String::new(),
        }
    }

    /// How a call may be of a built-in that writes or registers a reaction; `None`: it is not, as far as its text says.
    fn writing(call: &CallExpr) -> Option<Writing<'_>> {
        let Callee::Expr(callee) = &call.callee else {
            return None;
        };
        let known = |name: &str| WRITING.into_iter().find(|known| *known == name);
        let member = match &**callee {
            Expr::Member(member) => member,
            Expr::SuperProp(member) => match &member.prop {
                SuperProp::Ident(name) => return known(&name.sym).map(Writing::OfSuper),
                SuperProp::Computed(_) => return None,
            },
            _ => return None,
        };
        let name = match &member.prop {
            MemberProp::Ident(name) => &*name.sym,
            MemberProp::Computed(key) => match &*key.expr {
                Expr::Lit(Lit::Str(key)) => key.value.as_str()?,
                Expr::Lit(_) => return None,
                key => return Some(Writing::Computed(&member.obj, key)),
            },
            MemberProp::PrivateName(_) => return None,
        };
        if let Some(method) = known(name) {
            return Some(Writing::Named(&member.obj, method));
        }
        let is_combined =
            || matches!(&*member.obj, Expr::Ident(object) if object.sym == *"Promise");
        if REACTIONS.contains(&name) || COMBINATORS.contains(&name) && is_combined() {
            return Some(Writing::Reaction(&member.obj));
        }
        let is_borrowed = matches!(name, "call" | "apply")
            && !call.args.is_empty()
            && call.args.iter().all(|argument| argument.spread.is_none());
        let may_write = match &*member.obj {
            Expr::Ident(_) => true,
            Expr::Member(function) => {
                matches!(&function.prop, MemberProp::Ident(name) if known(&name.sym).is_some())
            }
            _ => false,
        };
        (is_borrowed && may_write).then_some(Writing::Borrowed {
            function: &member.obj,
            applies: name == "apply",
        })
    }

    /// `` f`a${b}c` ``
    pub(super) fn tagged(&mut self, template: &TaggedTpl) {
        if !self.values() || !self.may_wrap(template.span) || self.in_chain {
            template.tag.visit_with(self);
            template.tpl.visit_with(self);
            return;
        }
        let site = self.site_by_text(at(template.span), LoggedKind::Call, template.tag.span());
        let p = self.prefix;
        let first = match template.tpl.exprs.is_empty() {
            true => format!("{p}Ln({site})"),
            false => "0".to_owned(),
        };
        self.edits
            .insert_args(at(template.span), format_args!("{p}LC({site},{first},"));
        template.tag.visit_with(self);
        if let Some((last, before)) = template.tpl.exprs.split_last() {
            for hole in before {
                hole.visit_with(self);
            }
            // `${a, b}`: without parentheses these would be two arguments.
            let (open, close) = match &**last {
                Expr::Seq(_) => ("(", ")"),
                _ => ("", ""),
            };
            let before = format!("{p}Lt({open}");
            let after = format!("{close},{site})");
            self.wrap(last.span(), &before, &after, |this| last.visit_with(this));
        }
        self.edits.insert(end(template.span), ")");
    }

    pub(super) fn construction(&mut self, construction: &NewExpr) {
        let name = self.short(construction.callee.span());
        let arguments = construction.args.as_deref().unwrap_or_default();
        let may_wrap = self.values() && self.may_wrap(construction.span);
        let mut site = 0;
        if may_wrap {
            // The hook takes it that the one site follows the other.
            let callee = construction.callee.span();
            site = self.site_by_text(at(construction.span), LoggedKind::Call, callee);
            let created = self.site(at(construction.span), LoggedKind::Create, name);
            let p = self.prefix;
            let first = match arguments.is_empty() {
                true => format!("{p}Ln({site})"),
                false => "0".to_owned(),
            };
            self.edits.insert_args(
                at(construction.span),
                format_args!("{p}Lg({created},{first},"),
            );
        }
        let outer = self.callee_of_new.replace(construction.callee.span().lo.0);
        construction.callee.visit_with(self);
        self.callee_of_new = outer;
        if !may_wrap {
            construction.args.visit_with(self);
            return;
        }
        let told = self.arguments(arguments, site, true);
        self.edits
            .insert_args(end(construction.span), format_args!("{})", told.text));
        self.release(told.temporaries);
    }
}
