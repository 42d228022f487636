//! Writes of properties: assignments and updates.
//!
//! ```text
//! f().p = g()    ($Qp1=f()).p = ($Qp2=g(),$QpA&&$QpW(1,$Qp1,"p",$Qp2),$Qp2)
//! this.p = v     this.p = ($QpA&&$QpW(1,this,"p",v),v)
//! o[g() + 1] = v   o[$Qp1=(g() + 1)] = ($QpA&&$QpW(1,o,$Qp1,v),v)
//! o[k] = v       o[$Qp1=$QpA?$QpK(1,k,o):k] = ($QpA&&$QpW(1,o,$Qp1,v),v)
//! o[f()] = g()   o[$Qp1=(f()),$QpA&&($Qp1=$QpK(1,$Qp1,o)),$Qp1] = ($Qp2=g(),$QpA&&$QpW(1,o,$Qp1,$Qp2),$Qp2)
//! o.p += g()     o.p = ($Qp1=o.p+(g()),$QpA&&$QpW(1,o,"p",$Qp1),$Qp1)
//! o.p ??= g()    o.p ??= ($Qp1=g(),$QpA&&$QpW(1,o,"p",$Qp1),$Qp1)
//! o.p++          ($Qp1=o.p,++$Qp1,$QpA&&$QpW(1,o,"p",$Qp1),o.p=$Qp1)
//! f(o.p++)       f(($Qp1=o.p,$Qp2=$Qp1++,$QpA&&$QpW(1,o,"p",$Qp1),o.p=$Qp1,$Qp2))
//! ```
//! `v` represents a value that can be named twice (a local variable or a short literal), `o` an object that can be
//! named twice (`this`, or a variable that neither key nor value can have changed); any other is kept in a temporary.
//!
//! A key may be an object, whose `toString` runs when the value has been evaluated. `$QpK` gives a substitute for such
//! a key, which the hook converts, and which is then what the write gets. A compound write reads first, and converts
//! the key for that too (V8 does it twice); dormant hooks have no substitute.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::rc::Rc;

use swc_common::Spanned;
use swc_ecma_ast::{
    AssignExpr, AssignOp, BinaryOp, Expr, Lit, MemberExpr, MemberProp, UpdateExpr, UpdateOp,
};
use swc_ecma_visit::VisitWith;

use super::branches::{Assigned, Assignment, Branches};
use super::hooks::{Quoted, is_anonymous_function, unnamed, without_name};
use super::rewriter::Rewriter;
use super::watching::Watching;
use super::{SiteKind, Watch, private_key};
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
pub(crate) fn number_key(value: f64) -> String {
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

/// What represents an object or a key in a hook.
pub(super) enum Named<'e> {
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

/// Whether a write reads its property first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// A plain assignment.
    Not,
    /// One of a property of `super`: where V8 writes, it looks up the object that has the property, and then converts
    /// the key. So the hook must not convert it before.
    NotOfSuper,
    /// A logical assignment: the value comes after.
    BeforeValue,
    /// A compound assignment or an update: so the page's getters and `valueOf` run before the value is there.
    Before,
}

impl Reads {
    /// What an assignment with this operator does.
    pub(super) fn of(operator: AssignOp) -> Self {
        match operator {
            AssignOp::Assign => Self::Not,
            AssignOp::AndAssign | AssignOp::OrAssign | AssignOp::NullishAssign => Self::BeforeValue,
            _ => Self::Before,
        }
    }
}

/// What an update writes to.
pub(super) struct UpdatedMember {
    pub(super) hook: String,
    /// Text that names it again.
    pub(super) again: String,
    pub(super) temporaries: usize,
}

impl<'a> Rewriter<'a> {
    /// Whether evaluating a key cannot change a variable.
    fn is_settled(&self, key: &Key<'_>) -> bool {
        match key {
            Key::Static(_) => true,
            Key::Dynamic(expression) => self.is_simple_value(expression),
        }
    }

    pub(super) fn watches_key(&self, key: &Key<'_>) -> Option<Watching<'a>> {
        match key {
            Key::Static(name) => self.watches_property(name),
            Key::Dynamic(_) => self.watches_any_property(),
        }
    }

    /// `member = value` and its compound and logical kin. Returns whether it was hooked.
    pub(super) fn assign_member(&mut self, assign: &AssignExpr, member: &MemberExpr) -> bool {
        let key = self.member_key(&member.prop);
        let Some(watching) = self.watches_key(&key) else {
            return false;
        };
        let at = ByteOffset(assign.span.lo.0);
        let site = self.site(at, SiteKind::Assignment);
        let compound = compound_operator(assign.op);
        let target = self.name_member(member, &key, &assign.right, Reads::of(assign.op));
        let compound = compound.map(|operator| (operator, assign));
        let again = match compound {
            Some(_) => target.again(member),
            None => String::new(),
        };
        let to = match &key {
            Key::Static(name) => Assigned::Property(name),
            Key::Dynamic(_) => Assigned::Computed,
        };
        let target = &target;
        let assignment = Assignment { site, to };
        let place = self.place_of_shadow();
        self.hook_value(
            &assign.right,
            (compound, &again),
            assignment,
            None,
            |this, site, value, out| {
                let Target { object, key, .. } = target;
                let written = (object as &dyn fmt::Display, key);
                this.property_hook(site, written, value, (watching, place.as_deref()), out);
            },
        );
        self.release(target.temporaries + usize::from(place.is_some()));
        true
    }

    /// A temporary for a shadow, where hooks are live.
    pub(super) fn place_of_shadow(&mut self) -> Option<Rc<str>> {
        self.is_live().then(|| self.temporary())
    }

    /// The hook of a property that is about to be `value`.
    pub(super) fn property_hook(
        &self,
        site: &str,
        (object, key): (&dyn fmt::Display, &Named<'_>),
        value: &str,
        (watching, place): (Watching<'_>, Option<&str>),
        out: &mut String,
    ) {
        let p = self.prefix;
        let _ = match (place, key) {
            (Some(place), Named::Literal(key)) => {
                let object = object.to_string();
                out.write_str(&self.live_property_hook(site, &object, key, value, place))
            }
            // Elements are left out, and most keys that are computed name them.
            (Some(_), key) => write!(
                out,
                "(typeof {key}==\"number\"||{p}W({site},{object},{key},{value}))"
            ),
            (None, key) => {
                let context = self.context(watching);
                write!(out, "{p}W({site},{object},{key},{value}{context})")
            }
        };
    }

    /// Writes the value of an assignment or initialiser so that `hook` runs between computing the value and
    /// storing it. `compound` is the operator of a compound assignment, `again` its target to be read,
    /// `named` the name that an anonymous function takes. `hook` is given the text of the site's number, and that of
    /// the value.
    pub(super) fn hook_value(
        &mut self,
        value: &Expr,
        (compound, again): (Option<(&'static str, &AssignExpr)>, &str),
        assignment: Assignment<'_>,
        named: Option<&str>,
        hook: impl FnOnce(&Self, &str, &str, &mut String),
    ) {
        if matches!(unparenthesized(value), Expr::Cond(_))
            && let Some(branches) = self.open_branches(value, assignment)
        {
            let site = &branches.site;
            let hook = |this: &Self, value: &str, out: &mut String| hook(this, site, value, out);
            self.hook_visited(value, (compound, again), named, Some(&branches), hook);
            self.release(1);
            return;
        }
        let site = assignment.site.to_string();
        let hook = |this: &Self, value: &str, out: &mut String| hook(this, &site, value, out);
        self.hook_visited(value, (compound, again), named, None, hook);
    }

    fn hook_visited(
        &mut self,
        value: &Expr,
        (compound, again): (Option<(&'static str, &AssignExpr)>, &str),
        named: Option<&str>,
        branches: Option<&Branches>,
        hook: impl FnOnce(&Self, &str, &mut String),
    ) {
        let visit = |this: &mut Self| {
            value.visit_with(this);
            if let Some(branches) = branches {
                this.close_branches(branches);
            }
        };
        let (lo, hi) = (ByteOffset(value.span().lo.0), ByteOffset(value.span().hi.0));
        let p = self.prefix;
        if let Some((operator, assign)) = compound {
            self.drop_operator(assign, operator);
            let temporary = self.temporary();
            self.edits
                .insert_args(lo, format_args!("({temporary}={again}{operator}("));
            visit(self);
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
        visit(self);
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
        reads: Reads,
    ) -> Target<'e>
    where
        'a: 'e,
    {
        let mut temporaries = 0;
        let object = if self.is_stable_object(&member.obj, value, reads == Reads::Before)
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
                self.name_key(expression, (&object, value), reads, &mut temporaries)
            }
        };
        Target {
            object,
            key,
            temporaries,
        }
    }

    /// Visits the key between brackets and names it. One that may be an object is converted by the write and not
    /// before, and only once: the hook must know what it became.
    pub(super) fn name_key<'e>(
        &mut self,
        key: &Expr,
        (object, value): (&Named<'_>, &Expr),
        reads: Reads,
        temporaries: &mut usize,
    ) -> Named<'e>
    where
        'a: 'e,
    {
        let span = key.span();
        let (lo, hi) = (ByteOffset(span.lo.0), ByteOffset(span.hi.0));
        let converts = self.converts_keys() && !is_primitive(key);
        if !converts && self.is_stable_object(key, value, reads == Reads::Before) {
            key.visit_with(self);
            return Named::Text(self.text(unparenthesized(key)));
        }
        let temporary = self.temporary();
        *temporaries += 1;
        let p = self.prefix;
        let how = match reads {
            Reads::Not => 1,
            Reads::BeforeValue | Reads::Before => 2,
            Reads::NotOfSuper => 3,
        };
        if converts && self.is_simple_value(key) {
            let text = self.text(unparenthesized(key));
            self.edits.insert_args(
                lo,
                format_args!("{temporary}={p}A?{p}K({how},{text},{object}):"),
            );
            key.visit_with(self);
            return Named::Temporary(temporary);
        }
        self.edits
            .insert_args(lo, format_args!("{temporary}=({}", unnamed(key)));
        key.visit_with(self);
        if converts {
            self.edits.insert_args(
                hi,
                format_args!("),{p}A&&({temporary}={p}K({how},{temporary},{object})),{temporary}"),
            );
        } else {
            self.edits.insert(hi, ")");
        }
        Named::Temporary(temporary)
    }

    /// Whether keys that are objects are converted by hooks: dormant ones leave them to the write.
    pub(super) fn converts_keys(&self) -> bool {
        !matches!(self.instrumentation.watch, Watch::Standby | Watch::Live)
    }

    /// `o.p++` and its kin. `used` says whether the expression's value can matter.
    pub(super) fn update_member(
        &mut self,
        update: &UpdateExpr,
        member: &MemberExpr,
        used: bool,
    ) -> bool {
        let key = self.member_key(&member.prop);
        let Some(watching) = self.watches_key(&key) else {
            return false;
        };
        self.update(update, used, |this, site, value| {
            let undefined = Expr::Lit(Lit::Null(swc_ecma_ast::Null { span: update.span }));
            let target = this.name_member(member, &key, &undefined, Reads::Before);
            let again = target.again(member);
            let place = this.place_of_shadow();
            let Target { object, key, .. } = &target;
            let mut hook = format!("{}A&&", this.prefix);
            let written = (object as &dyn fmt::Display, key);
            let how = (watching, place.as_deref());
            this.property_hook(&site.to_string(), written, value, how, &mut hook);
            UpdatedMember {
                hook,
                again,
                temporaries: target.temporaries + usize::from(place.is_some()),
            }
        });
        true
    }

    /// An update, taken apart into reading, computing, the hook, and writing. `target` visits what is updated.
    pub(super) fn update(
        &mut self,
        update: &UpdateExpr,
        used: bool,
        target: impl FnOnce(&mut Self, u32, &str) -> UpdatedMember,
    ) {
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
        let UpdatedMember {
            hook,
            again,
            temporaries,
        } = target(self, site, &value);
        if update.prefix || !used {
            let text = format!(",{operator}{value},{hook},{again}={value})");
            self.replace_suffix(update, argument.hi.0, &text);
        } else {
            let old = self.temporary();
            let text = format!(",{old}={value}{operator},{hook},{again}={value},{old})");
            self.replace_suffix(update, argument.hi.0, &text);
            self.release(1);
        }
        self.release(temporaries + 1);
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
}

/// Whether an expression's value is certainly no object.
pub(super) fn is_primitive(expression: &Expr) -> bool {
    match unparenthesized(expression) {
        Expr::Lit(literal) => !matches!(literal, Lit::Regex(_) | Lit::JSXText(_)),
        Expr::Tpl(_) | Expr::Update(_) | Expr::Unary(_) => true,
        Expr::Bin(binary) => match binary.op {
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing => {
                is_primitive(&binary.left) && is_primitive(&binary.right)
            }
            _ => true,
        },
        Expr::Cond(choice) => is_primitive(&choice.cons) && is_primitive(&choice.alt),
        _ => false,
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
        // A comment begins as an operator may.
        if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else if rest.starts_with("//") || rest.starts_with("<!--") || rest.starts_with("-->") {
            at += rest.find(['\n', '\r', '\u{2028}', '\u{2029}'])?;
        } else if rest.starts_with(token) {
            return Some(at);
        } else {
            let character = rest.chars().next()?;
            if !character.is_whitespace() && character != '\u{feff}' && character != ')' {
                return None;
            }
            at += character.len_utf8();
        }
    }
}
