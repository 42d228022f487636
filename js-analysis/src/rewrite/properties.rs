//! Writes of properties: assignments, updates, deletions.
//!
//! ```text
//! f().p = g()    ($Qp1=f()).p = ($Qp2=g(),$QpA&&$QpW(1,$Qp1,"p",$Qp2),$Qp2)
//! this.p = v     this.p = ($QpA&&$QpW(1,this,"p",v),v)
//! o[f()] = g()   o[$Qp1=(f())] = ($Qp2=g(),$QpA&&$QpW(1,o,$Qp1,$Qp2),$Qp2)
//! o.p += g()     o.p = ($Qp1=o.p+(g()),$QpA&&$QpW(1,o,"p",$Qp1),$Qp1)
//! o.p ??= g()    o.p ??= ($Qp1=g(),$QpA&&$QpW(1,o,"p",$Qp1),$Qp1)
//! o.p++          ($Qp1=o.p,++$Qp1,$QpA&&$QpW(1,o,"p",$Qp1),o.p=$Qp1)
//! f(o.p++)       f(($Qp1=o.p,$Qp2=$Qp1++,$QpA&&$QpW(1,o,"p",$Qp1),o.p=$Qp1,$Qp2))
//! delete f().p   ($Qp1= f(),$QpA&&$QpD(1,$Qp1,"p"),delete $Qp1.p)
//! ```
//! `v` stands for a value that can be named twice (a local variable or a short literal), `o` for an object that can be named twice (`this`, or a variable that neither key nor value can have
//! changed); any other is kept in a temporary. A key that is an object is converted to a string twice by
//! compound writes and updates, as V8 does it.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::rc::Rc;

use swc_common::Spanned;
use swc_ecma_ast::{
    AssignExpr, AssignOp, Expr, Lit, MemberExpr, MemberProp, OptChainBase, SuperProp,
    SuperPropExpr, UnaryExpr, UpdateExpr, UpdateOp,
};
use swc_ecma_visit::VisitWith;

use super::hooks::{Quoted, Watching, is_anonymous_function, quote, unnamed, without_name};
use super::walk::Rewriter;
use super::{SiteKind, private_key};
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

/// A property's key as a site knows it.
pub(super) enum Key<'e> {
    /// Known before the program runs.
    Static(Cow<'e, str>),
    /// Known only at run time.
    Dynamic(&'e Expr),
}

/// The key of a member expression.
pub(super) fn member_key(property: &MemberProp) -> Key<'_> {
    match property {
        MemberProp::Ident(name) => Key::Static(Cow::Borrowed(&name.sym)),
        MemberProp::PrivateName(name) => Key::Static(Cow::Owned(private_key(&name.name))),
        MemberProp::Computed(computed) => computed_key(&computed.expr),
    }
}

/// The key between brackets.
pub(super) fn computed_key(expression: &Expr) -> Key<'_> {
    match unparenthesized(expression) {
        Expr::Lit(Lit::Str(string)) => match string.value.as_str() {
            Some(text) => Key::Static(Cow::Borrowed(text)),
            None => Key::Dynamic(expression),
        },
        Expr::Lit(Lit::Num(number)) => Key::Static(Cow::Owned(number_key(number.value))),
        _ => Key::Dynamic(expression),
    }
}

/// A number as a property key: as JavaScript prints it.
pub(super) fn number_key(value: f64) -> String {
    // From these on JavaScript writes an exponent, which Rust never does by itself.
    const LARGE: f64 = 1e21;
    const SMALL: f64 = 1e-6;
    if value == 0.0 {
        "0".to_owned()
    } else if value.is_infinite() {
        "Infinity".to_owned()
    } else if !(SMALL..LARGE).contains(&value) {
        let text = format!("{value:e}");
        match text.split_once('e') {
            Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
            _ => text,
        }
    } else {
        format!("{value}")
    }
}

/// What stands for an object or a key in a hook.
enum Named<'e> {
    /// Text of the script.
    Text(&'e str),
    Temporary(Rc<str>),
    /// A key, to be written as a string literal.
    Literal(&'e str),
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Named::Text(text) => out.write_str(text),
            Named::Temporary(name) => out.write_str(name),
            Named::Literal(key) => Quoted(key).fmt(out),
        }
    }
}

/// How the object and the key of a member are named in a hook.
struct Target<'e> {
    object: Named<'e>,
    key: Named<'e>,
    temporaries: usize,
}

impl Target<'_> {
    /// The member, to be evaluated again: `o.p`.
    fn again(&self, member: &MemberExpr) -> String {
        let Self { object, key, .. } = self;
        match &member.prop {
            MemberProp::Ident(name) => format!("{object}.{}", name.sym),
            MemberProp::PrivateName(name) => format!("{object}.#{}", name.name),
            MemberProp::Computed(_) => format!("{object}[{key}]"),
        }
    }
}

impl<'a> Rewriter<'a> {
    /// Whether evaluating a key cannot change a variable.
    fn is_settled(&self, key: &Key<'_>) -> bool {
        match key {
            Key::Static(_) => true,
            Key::Dynamic(expression) => self.is_simple_value(expression),
        }
    }

    fn watches_key(&self, key: &Key<'_>) -> Option<Watching<'a>> {
        match key {
            Key::Static(name) => self.watches_property(name),
            Key::Dynamic(_) => self.watches_any_property(),
        }
    }

    /// `member = value` and its compound and logical kin. Returns whether it was hooked.
    pub(super) fn assign_member(&mut self, assign: &AssignExpr, member: &MemberExpr) -> bool {
        let key = member_key(&member.prop);
        let Some(watching) = self.watches_key(&key) else {
            return false;
        };
        let at = ByteOffset(assign.span.lo.0);
        let site = self.site(at, SiteKind::Assignment);
        let compound = compound_operator(assign.op);
        let target = self.name_member(member, &key, &assign.right, compound.is_some());
        let compound = compound.map(|operator| (operator, assign));
        let again = match compound {
            Some(_) => target.again(member),
            None => String::new(),
        };
        self.hook_value(&assign.right, compound, &again, None, |this, value, out| {
            let context = this.context(watching);
            let Target { object, key, .. } = &target;
            let _ = write!(
                out,
                "{}W({site},{object},{key},{value}{context})",
                this.prefix
            );
        });
        self.release(target.temporaries);
        true
    }

    /// `super.x = value`: the object written is `this`.
    pub(super) fn assign_super(&mut self, assign: &AssignExpr, member: &SuperPropExpr) -> bool {
        let SuperProp::Ident(name) = &member.prop else {
            if self.watches_any_property().is_some() {
                let at = ByteOffset(assign.span.lo.0);
                self.unhooked(at, "a computed property of super");
            }
            return false;
        };
        let Some(watching) = self.watches_property(&name.sym) else {
            return false;
        };
        let site = self.site(ByteOffset(assign.span.lo.0), SiteKind::Assignment);
        let again = format!("super.{}", name.sym);
        let key = quote(&name.sym);
        let compound = compound_operator(assign.op);
        let compound = compound.map(|operator| (operator, assign));
        self.hook_value(&assign.right, compound, &again, None, |this, value, out| {
            let context = this.context(watching);
            let _ = write!(out, "{}W({site},this,{key},{value}{context})", this.prefix);
        });
        true
    }

    /// Writes the value of an assignment or initialiser so that `hook` runs between computing the value and
    /// storing it. `compound` is the operator of a compound assignment, `again` its target to be read,
    /// `named` the name that an anonymous function takes.
    pub(super) fn hook_value(
        &mut self,
        value: &Expr,
        compound: Option<(&'static str, &AssignExpr)>,
        again: &str,
        named: Option<&str>,
        hook: impl FnOnce(&Self, &str, &mut String),
    ) {
        let (lo, hi) = (ByteOffset(value.span().lo.0), ByteOffset(value.span().hi.0));
        let p = self.prefix;
        if let Some((operator, assign)) = compound {
            self.drop_operator(assign, operator);
            let temporary = self.temporary();
            self.edits
                .insert_args(lo, format_args!("({temporary}={again}{operator}("));
            value.visit_with(self);
            let text = self.hook_text(&temporary, hook);
            self.edits
                .insert_args(hi, format_args!("),{p}A&&{text},{temporary})"));
            self.hook_text = text;
            self.release(1);
            return;
        }
        if self.is_simple_value(value) {
            let text = self.hook_text(self.text(unparenthesized(value)), hook);
            self.edits.insert_args(lo, format_args!("({p}A&&{text},"));
            self.hook_text = text;
            value.visit_with(self);
            self.edits.insert(hi, ")");
            return;
        }
        let temporary = self.temporary();
        let (before, after) = match (is_anonymous_function(value), named) {
            (true, Some(name)) => super::hooks::naming(name),
            (true, None) => ("(0,".to_owned(), ")".to_owned()),
            (false, _) => (String::new(), String::new()),
        };
        self.edits
            .insert_args(lo, format_args!("({temporary}={before}"));
        value.visit_with(self);
        let text = self.hook_text(&temporary, hook);
        self.edits
            .insert_args(hi, format_args!("{after},{p}A&&{text},{temporary})"));
        self.hook_text = text;
        self.release(1);
    }

    /// The hook's text for a value of this name.
    fn hook_text(&mut self, value: &str, hook: impl FnOnce(&Self, &str, &mut String)) -> String {
        let mut text = std::mem::take(&mut self.hook_text);
        text.clear();
        hook(self, value, &mut text);
        text
    }

    /// Turns `+=` into `=`.
    fn drop_operator(&mut self, assign: &AssignExpr, operator: &str) {
        let from = assign.left.span().hi.0 as usize;
        if let Some(at) = find_token(self.source, from, operator) {
            let start = ByteOffset::from_index(at);
            let end = ByteOffset::from_index(at + operator.len());
            self.edits.replace(self.source, start, end, "");
        }
    }

    /// Visits a member that is written, and names its object and key so that a hook can use them after
    /// `value` was evaluated.
    fn name_member<'e>(
        &mut self,
        member: &'e MemberExpr,
        key: &'e Key<'e>,
        value: &Expr,
        compound: bool,
    ) -> Target<'e>
    where
        'a: 'e,
    {
        let mut temporaries = 0;
        let object = if self.is_stable_object(&member.obj, value, compound)
            && (self.is_settled(key) || self.is_never_reassigned(&member.obj))
        {
            member.obj.visit_with(self);
            Named::Text(self.text(unparenthesized(&member.obj)))
        } else {
            let temporary = self.temporary();
            temporaries += 1;
            let span = member.obj.span();
            let (before, after) = without_name(&member.obj);
            self.edits
                .insert_args(ByteOffset(span.lo.0), format_args!("({temporary}={before}"));
            member.obj.visit_with(self);
            self.edits
                .insert_args(ByteOffset(span.hi.0), format_args!("{after})"));
            Named::Temporary(temporary)
        };
        let key = match key {
            Key::Static(name) => Named::Literal(name),
            Key::Dynamic(expression) => {
                self.name_key(expression, value, compound, &mut temporaries)
            }
        };
        Target {
            object,
            key,
            temporaries,
        }
    }

    fn name_key<'e>(
        &mut self,
        key: &Expr,
        value: &Expr,
        compound: bool,
        temporaries: &mut usize,
    ) -> Named<'e>
    where
        'a: 'e,
    {
        let span = key.span();
        let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
        if self.is_stable_object(key, value, compound) {
            key.visit_with(self);
            return Named::Text(self.text(unparenthesized(key)));
        }
        let temporary = self.temporary();
        *temporaries += 1;
        self.edits
            .insert_args(lo, format_args!("{temporary}=({}", unnamed(key)));
        key.visit_with(self);
        self.edits.insert(hi, ")");
        Named::Temporary(temporary)
    }

    /// `o.p++` and its kin. `used` says whether the expression's value can matter.
    pub(super) fn update_member(
        &mut self,
        update: &UpdateExpr,
        member: &MemberExpr,
        used: bool,
    ) -> bool {
        let key = member_key(&member.prop);
        let Some(watching) = self.watches_key(&key) else {
            return false;
        };
        let p = self.prefix;
        let at = ByteOffset(update.span.lo.0);
        let site = self.site(at, SiteKind::Update);
        let value = self.temporary();
        let operator = match update.op {
            UpdateOp::PlusPlus => "++",
            UpdateOp::MinusMinus => "--",
        };
        let argument = update.arg.span();
        if update.prefix {
            let end = ByteOffset(at.0 + 2);
            self.edits
                .replace(self.source, at, end, &format!("({value}="));
        } else {
            self.edits.insert_args(at, format_args!("({value}="));
        }
        let undefined = Expr::Lit(Lit::Null(swc_ecma_ast::Null { span: update.span }));
        let target = self.name_member(member, &key, &undefined, true);
        let context = self.context(watching);
        let again = target.again(member);
        let Target {
            object,
            key,
            temporaries,
        } = &target;
        let hook = format!("{p}A&&{p}W({site},{object},{key},{value}{context}),{again}={value}");
        if update.prefix || !used {
            let text = format!(",{operator}{value},{hook})");
            self.replace_suffix(update, argument.hi.0, &text);
        } else {
            let old = self.temporary();
            let text = format!(",{old}={value}{operator},{hook},{old})");
            self.replace_suffix(update, argument.hi.0, &text);
            self.release(1);
        }
        self.release(*temporaries + 1);
        true
    }

    /// Puts `text` after an update's argument, in place of its operator if it is postfix.
    fn replace_suffix(&mut self, update: &UpdateExpr, argument_end: u32, text: &str) {
        let start = ByteOffset(argument_end);
        let end = ByteOffset(update.span.hi.0);
        if update.prefix {
            self.edits.insert(end, text);
        } else {
            self.edits.replace(self.source, start, end, text);
        }
    }

    /// `delete o.p`. Returns whether it was hooked (and visited).
    pub(super) fn delete_member(&mut self, unary: &UnaryExpr) -> bool {
        let (member, optional) = match unparenthesized(&unary.arg) {
            Expr::Member(member) => (member, false),
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(member) if chain.optional => (member, true),
                OptChainBase::Member(member) => {
                    if self.watches_key(&member_key(&member.prop)).is_some() {
                        let at = ByteOffset(unary.span.lo.0);
                        self.unhooked(at, "delete of a member behind an optional chain");
                    }
                    return false;
                }
                OptChainBase::Call(_) => return false,
            },
            _ => return false,
        };
        let key = member_key(&member.prop);
        let Some(watching) = self.watches_key(&key) else {
            return false;
        };
        let p = self.prefix;
        let at = ByteOffset(unary.span.lo.0);
        let site = self.site(at, SiteKind::Deletion);
        let context = self.context(watching);
        let object = self.temporary();
        let guard = if optional {
            format!("{object}!=null&&")
        } else {
            String::new()
        };
        let (before, after) = without_name(&member.obj);
        // `delete` goes, and comes back behind the hook.
        let object_start = ByteOffset(member.obj.span().lo.0);
        self.edits.replace(
            self.source,
            at,
            object_start,
            &format!("({object}={before}"),
        );
        member.obj.visit_with(self);
        let object_end = ByteOffset(member.obj.span().hi.0);
        self.edits.insert(object_end, after);
        match &key {
            Key::Static(name) => {
                let key = quote(name);
                self.edits.insert_args(
                    object_end,
                    format_args!(
                        ",{p}A&&{guard}{p}D({site},{object},{key}{context}),delete {object}"
                    ),
                );
                self.close_delete(unary, member);
            }
            Key::Dynamic(expression) => {
                // The key is evaluated before the hook, once: `($1=o,$2=k,hook,delete $1[$2])`.
                let temporary = self.temporary();
                let lo = ByteOffset(expression.span().lo.0);
                let hi = ByteOffset(expression.span().hi.0);
                let unnamed = unnamed(expression);
                let evaluate = if optional {
                    format!(",{object}==null||({temporary}=({unnamed}")
                } else {
                    format!(",{temporary}=({unnamed}")
                };
                self.edits.replace(self.source, object_end, lo, &evaluate);
                expression.visit_with(self);
                let (dot, close) = if optional { ("?.", ")") } else { ("", "") };
                self.edits.replace(
                    self.source,
                    hi,
                    ByteOffset(unary.span.hi.0),
                    &format!(
                        "){close},{p}A&&{guard}{p}D({site},{object},{temporary}{context}),delete {object}{dot}[{temporary}])"
                    ),
                );
                self.release(1);
            }
        }
        self.release(1);
        true
    }

    fn close_delete(&mut self, unary: &UnaryExpr, member: &MemberExpr) {
        // Parentheses around the operand were opened before the object and are gone; drop their ends.
        let start = ByteOffset(member.span.hi.0);
        let end = ByteOffset(unary.span.hi.0);
        self.edits.replace(self.source, start, end, ")");
    }
}

/// The binary operator of a compound assignment; `None` for `=` and the logical ones, which keep theirs.
pub(super) fn compound_operator(operator: AssignOp) -> Option<&'static str> {
    Some(match operator {
        AssignOp::AddAssign => "+",
        AssignOp::SubAssign => "-",
        AssignOp::MulAssign => "*",
        AssignOp::DivAssign => "/",
        AssignOp::ModAssign => "%",
        AssignOp::LShiftAssign => "<<",
        AssignOp::RShiftAssign => ">>",
        AssignOp::ZeroFillRShiftAssign => ">>>",
        AssignOp::BitOrAssign => "|",
        AssignOp::BitXorAssign => "^",
        AssignOp::BitAndAssign => "&",
        AssignOp::ExpAssign => "**",
        AssignOp::Assign | AssignOp::AndAssign | AssignOp::OrAssign | AssignOp::NullishAssign => {
            return None;
        }
    })
}

/// Where `token` begins after `from`, behind white space, comments and closing parentheses.
pub(super) fn find_token(source: &str, from: usize, token: &str) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = source.get(at..)?;
        if rest.starts_with(token) {
            return Some(at);
        }
        if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else if rest.starts_with("//") || rest.starts_with("<!--") || rest.starts_with("-->") {
            at += rest.find(['\n', '\r', '\u{2028}', '\u{2029}'])?;
        } else {
            let character = rest.chars().next()?;
            if !character.is_whitespace() && character != '\u{feff}' && character != ')' {
                return None;
            }
            at += character.len_utf8();
        }
    }
}
