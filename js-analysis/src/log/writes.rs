//! Writes of properties and variables.
//!
//! ```text
//! o.p = v       $QpLw(1,o,o.p = v)                     x = v      $QpLv(1,$Qps1,x = v)
//! f().p = v     $QpLw(1,$Qp1=f(),$Qp1.p = v)           x += v     $QpLv(1,$Qps1,x += v)
//! o[k] = v      $QpLi(1,o,$Qp1=k,o[$Qp1] = v)          x ||= v    $QpLV(1,$Qps1,x,x ||= v)
//! o.p ||= v     $QpLw(1,o,o.p ||= $QpLm(v),1)          x++        $QpLp(1,$Qps1,x++,1)
//! o.p++         $QpLP(1,o,o.p++,1)                     delete o.p $QpLX(1,o,delete o.p)
//! ```
//! A hook gets the object, the key and then the author's own expression, which has written when the hook runs: so what
//! fails is not recorded.

use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrayLit, AssignExpr, AssignOp, AssignTarget, AssignTargetPat, Expr, MemberExpr, MemberProp,
    ObjectLit, Pat, Prop, PropName, PropOrSpread, SimpleAssignTarget, UnaryExpr, UpdateExpr,
    UpdateOp,
};
use swc_ecma_visit::VisitWith;

use super::statements::Members;
use super::walker::{LogWalker, at, end, takes_name};
use super::{LoggedKind, documents};
use crate::position::ByteOffset;
use crate::scopes::{Resolution, unparenthesized};

/// A member that is written, as it is prepared.
struct Prepared {
    /// What the object is called behind where it is evaluated.
    object: String,
    /// The temporary that the key is in, if it needs one.
    key: Option<String>,
    temporaries: u32,
}

impl LogWalker<'_> {
    /// Whether an expression may be evaluated twice: nothing happens then, and it gives the same.
    pub(super) fn is_simple(&self, expression: &Expr) -> bool {
        match expression {
            Expr::This(_) => true,
            Expr::Ident(ident) => {
                let resolution = self.scopes.resolve(self.current, &ident.sym);
                resolution != Resolution::Unresolved
                    && !self.scopes.crosses_with(self.current, resolution)
                    && !self.scopes.crosses_eval(self.current, resolution)
            }
            _ => false,
        }
    }

    /// Takes the parts of a member apart: what its object and key are, for the hook, is evaluated before the member
    /// itself, which then names the temporaries. `None` where that cannot be.
    fn prepare(
        &mut self,
        member: &MemberExpr,
        start: ByteOffset,
        hook: (&str, &str),
        changed: Option<documents::Owner>,
    ) -> Option<Prepared> {
        let key = match &member.prop {
            MemberProp::Computed(computed) => Some(&*computed.expr),
            MemberProp::Ident(_) | MemberProp::PrivateName(_) => None,
        };
        let is_plain_key = key.is_none_or(|key| matches!(key, Expr::Lit(_)) || self.is_simple(key));
        let is_plain_object = self.is_simple(&member.obj);
        let needed = u32::from(!is_plain_object) + u32::from(!is_plain_key);
        let mut names = Vec::new();
        for _ in 0..needed {
            let Some(name) = self.temporary() else {
                self.release(ByteOffset::from_index(names.len()).0);
                return None;
            };
            names.push(name);
        }
        let name = match &member.prop {
            MemberProp::Ident(ident) => self.original(at(ident.span), &ident.sym),
            MemberProp::PrivateName(name) => format!("#{}", name.name),
            MemberProp::Computed(_) => String::new(),
        };
        let site = self.site(start, LoggedKind::Write, name);
        let (named, computed) = hook;
        let hook = if key.is_some() { computed } else { named };
        let p = self.prefix;
        if let Some(owner) = changed {
            let node = match owner {
                documents::Owner::Node if is_plain_object => self.text(member.obj.span()),
                _ => "",
            };
            let before = format_args!("{p}LW({site},{p}Lz({node}),");
            self.edits.insert_args(start, before);
        }
        self.edits
            .insert_args(start, format_args!("{p}{hook}({site},"));
        let mut names = names.into_iter();
        // The object, once for the hook and once, by its name, where it was.
        let object = match is_plain_object {
            true => self.text(member.obj.span()).to_owned(),
            false => {
                let name = names.next()?;
                // A function must not be given the temporary's name.
                let zero = if takes_name(&member.obj) { "(0," } else { "" };
                self.edits.insert_args(start, format_args!("{name}={zero}"));
                name
            }
        };
        Some(Prepared {
            object,
            key: names.next(),
            temporaries: needed,
        })
    }

    /// Writes a member behind its hook's beginning: the object, the key, and then the member with what was evaluated.
    ///
    /// ```text
    /// o.p → o,o.p        f().p → $Qp1=f(),$Qp1.p            o[k] → o,k,o[k]
    /// f()[k] → $Qp1=f(),k,$Qp1[k]                           o[g()] → o,$Qp1=(0,/*[*/g()),o[$Qp1]
    /// ```
    ///
    /// `operator` is what comes before the member then: `delete` of `delete f().p`.
    fn member(&mut self, member: &MemberExpr, prepared: &Prepared, operator: &str) {
        let object = member.obj.span();
        let is_plain_object = self.is_simple(&member.obj);
        let named = &prepared.object;
        let close = if takes_name(&member.obj) { ")" } else { "" };
        let MemberProp::Computed(computed) = &member.prop else {
            if is_plain_object {
                self.edits
                    .insert_args(at(object), format_args!("{named},{operator}"));
            } else {
                member.obj.visit_with(self);
                self.edits
                    .insert_args(end(object), format_args!("{close},{operator}{named}"));
            }
            return;
        };
        let key = &computed.expr;
        let Some(name) = &prepared.key else {
            let text = self.text(key.span());
            if is_plain_object {
                self.edits
                    .insert_args(at(object), format_args!("{named},{text},{operator}"));
            } else {
                member.obj.visit_with(self);
                self.edits.insert_args(
                    end(object),
                    format_args!("{close},{text},{operator}{named}"),
                );
            }
            return;
        };
        if !is_plain_object {
            member.obj.visit_with(self);
        }
        let bracket = ByteOffset(computed.span.lo.0);
        let behind = ByteOffset(bracket.0 + 1);
        self.edits
            .replace(self.source, bracket, behind, &format!("{close},{name}=(0,"));
        key.visit_with(self);
        let last = ByteOffset(computed.span.hi.0 - 1);
        self.edits
            .insert_args(last, format_args!("),{operator}{named}[{name}"));
    }

    /// An assignment.
    pub(super) fn assignment(&mut self, assign: &AssignExpr) {
        if !self.values() {
            assign.visit_children_with(self);
            return;
        }
        let is_logical = matches!(
            assign.op,
            AssignOp::AndAssign | AssignOp::OrAssign | AssignOp::NullishAssign
        );
        match &assign.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => {
                self.variable_assignment(assign, &ident.sym, at(ident.span), is_logical);
            }
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => {
                self.member_assignment(assign, member, is_logical);
            }
            AssignTarget::Simple(SimpleAssignTarget::Paren(paren)) => {
                match unparenthesized(&paren.expr) {
                    Expr::Ident(ident) => {
                        self.variable_assignment(assign, &ident.sym, at(ident.span), is_logical);
                    }
                    _ => {
                        self.unlogged(at(assign.span), "a write to a target in parentheses");
                        assign.visit_children_with(self);
                    }
                }
            }
            AssignTarget::Pat(target) => self.pattern_assignment(assign, target),
            AssignTarget::Simple(_) => {
                self.unlogged(at(assign.span), "a write through `super`");
                assign.visit_children_with(self);
            }
        }
    }

    fn variable_assignment(
        &mut self,
        assign: &AssignExpr,
        name: &Atom,
        place: ByteOffset,
        is_logical: bool,
    ) {
        let known = match self.variable(name, None) {
            Some(known) if self.may_wrap(assign.span) => known,
            None if self
                .assignment_in_with(assign, name, place, is_logical)
                .is_some() =>
            {
                return;
            }
            _ => {
                self.unlogged(at(assign.span), "a variable that may be another one");
                assign.right.visit_with(self);
                return;
            }
        };
        let (variable, instance) = known;
        let shown = self.original(place, name);
        let site = self.site_of(at(assign.span), LoggedKind::Assign, shown, variable);
        let p = self.prefix;
        let is_global = self.scopes.resolve(self.current, name) == Resolution::Unresolved;
        let before = match is_logical {
            // Reading it a second time could call a getter.
            true if is_global => {
                self.unlogged(
                    at(assign.span),
                    "a global variable that is written if it has no value",
                );
                assign.right.visit_with(self);
                return;
            }
            true => format!("{p}LV({site},{instance},{name},"),
            false => format!("{p}Lv({site},{instance},"),
        };
        self.next_name = Some(name.to_string());
        self.names_class(&assign.right, place);
        self.wrap(assign.span, &before, ")", |this| {
            assign.right.visit_with(this)
        });
        self.next_name = None;
    }

    fn member_assignment(&mut self, assign: &AssignExpr, member: &MemberExpr, is_logical: bool) {
        self.next_name = match &member.prop {
            MemberProp::Ident(ident) => Some(ident.sym.to_string()),
            _ => None,
        };
        let changed = match self.watches_document() {
            true => documents::writes(member),
            false => None,
        };
        let Some(prepared) = self.prepare(member, at(assign.span), ("Lw", "Li"), changed) else {
            self.unlogged(at(assign.span), "a write in a default value or a field");
            assign.visit_children_with(self);
            return;
        };
        let name = self.next_name.take();
        self.member(member, &prepared, "");
        self.next_name = name;
        let right = assign.right.span();
        if is_logical {
            let before = format!("{}Lm(", self.prefix);
            self.wrap(right, &before, ")", |this| assign.right.visit_with(this));
            self.edits.insert(end(assign.span), ",1)");
        } else {
            assign.right.visit_with(self);
            self.edits.insert(end(assign.span), ")");
        }
        if changed.is_some() {
            self.edits.insert(end(assign.span), ")");
        }
        self.next_name = None;
        self.release(prepared.temporaries);
    }

    /// `[a, b] = v`: the variables are read behind it.
    fn pattern_assignment(&mut self, assign: &AssignExpr, target: &AssignTargetPat) {
        let pattern = match target {
            AssignTargetPat::Array(array) => Pat::Array(array.clone()),
            AssignTargetPat::Object(object) => Pat::Object(object.clone()),
            AssignTargetPat::Invalid(_) => return,
        };
        let mut members = Members(false);
        pattern.visit_with(&mut members);
        if members.0 {
            self.unlogged(at(assign.span), "a property that a pattern writes");
        }
        let hooks = self.assigned_pattern(&pattern);
        if hooks.is_empty() || !self.may_wrap(assign.span) {
            assign.visit_children_with(self);
            return;
        }
        // `$QpLG(value, hooks…)` gives its first argument: the hooks run behind the assignment.
        let hooks = hooks.trim_end_matches(';').replace(';', ",");
        let before = format!("{}LG(", self.prefix);
        self.wrap(assign.span, &before, &format!(",{hooks})"), |this| {
            assign.visit_children_with(this);
        });
    }

    /// Hooks for the variables that an assignment pattern writes.
    pub(super) fn assigned_pattern(&mut self, pattern: &Pat) -> String {
        if !self.values() {
            return String::new();
        }
        let mut names = Vec::new();
        crate::scopes::for_each_binding(pattern, &mut |name, at| names.push((name.clone(), at)));
        let mut text = String::new();
        for (name, place) in names {
            let is_global = self.scopes.resolve(self.current, &name) == Resolution::Unresolved;
            match self.variable(&name, None) {
                Some((variable, instance)) if !is_global => {
                    let shown = self.original(place, &name);
                    let site = self.site_of(place, LoggedKind::Assign, shown, variable);
                    text.push_str(&format!("{}Lv({site},{instance},{name});", self.prefix));
                }
                _ => self.unlogged(place, "a variable that may be another one"),
            }
        }
        text
    }

    /// `++` and `--`.
    pub(super) fn update(&mut self, update: &UpdateExpr) {
        if !self.values() || !self.may_wrap(update.span) {
            update.visit_children_with(self);
            return;
        }
        let p = self.prefix;
        let delta = match update.op {
            UpdateOp::PlusPlus => 1,
            UpdateOp::MinusMinus => -1,
        };
        match unparenthesized(&update.arg) {
            Expr::Ident(ident) => {
                let Some((variable, instance)) = self.variable(&ident.sym, None) else {
                    let place = at(ident.span);
                    let known = self.update_in_with(update, &ident.sym, place, delta);
                    if known.is_none() {
                        self.unlogged(at(update.span), "a variable that may be another one");
                    }
                    return;
                };
                let name = self.original(at(ident.span), &ident.sym);
                let site = self.site_of(at(update.span), LoggedKind::Assign, name, variable);
                let (hook, after) = match update.prefix {
                    true => ("Lv", ")".to_owned()),
                    false => ("Lp", format!(",{delta})")),
                };
                let before = format!("{p}{hook}({site},{instance},");
                self.wrap(update.span, &before, &after, |_| {});
            }
            Expr::Member(member) if matches!(&*update.arg, Expr::Member(_)) => {
                self.member_update(update, member, delta);
            }
            _ => {
                self.unlogged(
                    at(update.span),
                    "a write to a target in parentheses, or through `super`",
                );
                update.visit_children_with(self);
            }
        }
    }

    fn member_update(&mut self, update: &UpdateExpr, member: &MemberExpr, delta: i32) {
        // The operator of `++o.p` is before what the hook needs first.
        let is_plain = self.is_simple(&member.obj)
            && match &member.prop {
                MemberProp::Computed(key) => {
                    matches!(&*key.expr, Expr::Lit(_)) || self.is_simple(&key.expr)
                }
                _ => true,
            };
        if update.prefix && !is_plain {
            let operator = if delta > 0 { "++" } else { "--" };
            if !self.operator_moves(update.span, member, ("Lw", "Li"), operator) {
                self.unlogged(at(update.span), "a write in a default value or a field");
                update.visit_children_with(self);
            }
            return;
        }
        let start = at(update.span);
        if update.prefix {
            let name = match &member.prop {
                MemberProp::Ident(ident) => self.original(at(ident.span), &ident.sym),
                MemberProp::PrivateName(name) => format!("#{}", name.name),
                MemberProp::Computed(_) => String::new(),
            };
            let site = self.site(start, LoggedKind::Write, name);
            let object = self.text(member.obj.span());
            let before = match &member.prop {
                MemberProp::Computed(key) => format!(
                    "{}Li({site},{object},{},",
                    self.prefix,
                    self.text(key.expr.span())
                ),
                _ => format!("{}Lw({site},{object},", self.prefix),
            };
            self.wrap(update.span, &before, ")", |_| {});
            return;
        }
        let Some(prepared) = self.prepare(member, start, ("LP", "LQ"), None) else {
            self.unlogged(start, "a write in a default value or a field");
            update.visit_children_with(self);
            return;
        };
        self.member(member, &prepared, "");
        self.edits
            .insert_args(end(update.span), format_args!(",{delta})"));
        self.release(prepared.temporaries);
    }

    /// An operator before a property of what is worked out: that is worked out first, and then the operator follows.
    ///
    /// ```text
    /// delete f()[g()] → $QpLY(2,$Qp1=f(),$Qp2=(0,g()),delete $Qp1[$Qp2])       ++f().p → $QpLw(2,$Qp1=f(),++$Qp1.p)
    /// ```
    /// Says whether it could be.
    fn operator_moves(
        &mut self,
        whole: Span,
        member: &MemberExpr,
        hook: (&str, &str),
        operator: &str,
    ) -> bool {
        let start = at(whole);
        let Some(prepared) = self.prepare(member, start, hook, None) else {
            return false;
        };
        let length = u32::try_from(operator.trim_end().len()).unwrap_or(0);
        self.edits
            .replace(self.source, start, ByteOffset(start.0 + length), "");
        self.member(member, &prepared, operator);
        self.edits.insert_args(end(whole), format_args!(")"));
        self.release(prepared.temporaries);
        true
    }

    /// `delete o.p`.
    pub(super) fn deletion(&mut self, unary: &UnaryExpr) {
        let Expr::Member(member) = unparenthesized(&unary.arg) else {
            if self.values()
                && matches!(
                    unparenthesized(&unary.arg),
                    Expr::OptChain(_) | Expr::SuperProp(_)
                )
            {
                self.unlogged(at(unary.span), "`delete` behind `?.` or of a variable");
            }
            unary.visit_children_with(self);
            return;
        };
        if !self.values() || !self.may_wrap(unary.span) {
            unary.visit_children_with(self);
            return;
        }
        let key = match &member.prop {
            MemberProp::Computed(key) => Some(&*key.expr),
            _ => None,
        };
        let is_plain = self.is_simple(&member.obj)
            && key.is_none_or(|key| matches!(key, Expr::Lit(_)) || self.is_simple(key));
        if !is_plain {
            let is_bare = matches!(&*unary.arg, Expr::Member(_));
            if !is_bare || !self.operator_moves(unary.span, member, ("LX", "LY"), "delete ") {
                self.unlogged(
                    at(unary.span),
                    "`delete` of a property of what is worked out, in parentheses, a default value or a field",
                );
                unary.visit_children_with(self);
            }
            return;
        }
        let name = match &member.prop {
            MemberProp::Ident(ident) => self.original(at(ident.span), &ident.sym),
            _ => String::new(),
        };
        let site = self.site(at(unary.span), LoggedKind::Write, name);
        let object = self.text(member.obj.span());
        let before = match key {
            Some(key) => format!(
                "{}LY({site},{object},{},",
                self.prefix,
                self.text(key.span())
            ),
            None => format!("{}LX({site},{object},", self.prefix),
        };
        self.wrap(unary.span, &before, ")", |_| {});
    }

    /// `{ p: v }`: the properties that the literal itself names.
    pub(super) fn object_literal(&mut self, object: &ObjectLit) {
        if !self.values() || !self.may_wrap(object.span) {
            object.visit_children_with(self);
            return;
        }
        let site = self.site(at(object.span), LoggedKind::Create, "Object".to_owned());
        // Numbers of the properties' sites follow that of the literal.
        let mut keys: Vec<String> = Vec::new();
        let mut is_known = true;
        for property in &object.props {
            match property {
                PropOrSpread::Spread(_) => is_known = false,
                PropOrSpread::Prop(property) => match property_name(property) {
                    Some(name) if name != "__proto__" && !keys.contains(&name) => keys.push(name),
                    _ => is_known = false,
                },
            }
        }
        is_known &= keys.len() <= 64;
        let mut after = String::new();
        if is_known {
            for (property, key) in object.props.iter().zip(&keys) {
                let shown = match property {
                    PropOrSpread::Prop(property) => match &**property {
                        Prop::Shorthand(ident) => self.original(at(ident.span), key),
                        Prop::KeyValue(pair) => self.original(at(pair.key.span()), key),
                        _ => key.clone(),
                    },
                    PropOrSpread::Spread(_) => key.clone(),
                };
                self.site(at(property.span()), LoggedKind::Write, shown);
                after.push_str(&format!(",{key:?}"));
            }
        }
        after.push(')');
        let hook = if is_known { "Lj" } else { "LJ" };
        let before = format!("{}{hook}({site},", self.prefix);
        self.wrap(object.span, &before, &after, |this| {
            object.visit_children_with(this)
        });
    }

    /// `[v]`
    pub(super) fn array_literal(&mut self, array: &ArrayLit) {
        if !self.values() || !self.may_wrap(array.span) {
            array.visit_children_with(self);
            return;
        }
        let site = self.site(at(array.span), LoggedKind::Create, "Array".to_owned());
        let before = format!("{}Ll({site},", self.prefix);
        self.wrap(array.span, &before, ")", |this| {
            array.visit_children_with(this)
        });
    }
}

/// The name of a property that has a value, in a form that is the same in JavaScript and in Rust.
fn property_name(property: &Prop) -> Option<String> {
    let name = match property {
        Prop::Shorthand(ident) => ident.sym.to_string(),
        Prop::KeyValue(pair) => match &pair.key {
            PropName::Ident(ident) => ident.sym.to_string(),
            PropName::Str(string) => string.value.as_str()?.to_owned(),
            _ => return None,
        },
        _ => return None,
    };
    let is_word = name
        .bytes()
        .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'$' | b'-'));
    is_word.then_some(name)
}
