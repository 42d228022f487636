//! The texts of hooks: how a value is named twice, and how a hook is run.

use std::fmt::{self, Write as _};

use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{Expr, Lit, UnaryOp};

use super::rewriter::Rewriter;
use super::watching::{VariablePlace, Watching};
use super::{Site, SiteKind, UnhookedSite};
use crate::position::ByteOffset;
use crate::scopes::{BindingIndex, Resolution, unparenthesized};

impl<'a> Rewriter<'a> {
    /// The number of a new site.
    pub(super) fn site(&mut self, at: ByteOffset, kind: SiteKind) -> u32 {
        let function = self.scopes.function_name(self.current).map(|(name, at)| {
            self.names
                .original_name(*at)
                .unwrap_or_else(|| name.to_string())
        });
        let index = self.sites.len();
        self.room().sites.push(index);
        self.here = at;
        self.sites.push(Site {
            at,
            kind,
            function,
            anchor: None,
            calls: None,
            making: None,
            condition: None,
        });
        self.instrumentation.first_site + ByteOffset::from_index(self.sites.len() - 1).0
    }

    /// Says that a site could not be hooked.
    pub(super) fn unhooked(&mut self, at: ByteOffset, reason: &'static str) {
        self.unhooked.push(UnhookedSite { at, reason });
    }

    /// Source text of an expression.
    pub(super) fn text(&self, expression: &Expr) -> &'a str {
        let span = expression.span();
        self.source
            .get(span.lo.0 as usize..span.hi.0 as usize)
            .unwrap_or("")
    }

    /// Whether evaluating `value` twice in a row is the same as once, and writing it twice is short and moves no
    /// line.
    pub(super) fn is_simple_value(&self, value: &Expr) -> bool {
        const LONGEST_REPEATED_TEXT: usize = 40;
        let value = unparenthesized(value);
        let span = value.span();
        if (span.hi.0 - span.lo.0) as usize > LONGEST_REPEATED_TEXT
            || self
                .text(value)
                .contains(['\n', '\r', '\u{2028}', '\u{2029}'])
        {
            return false;
        }
        match value {
            Expr::This(_) => true,
            Expr::Lit(literal) => !matches!(literal, Lit::Regex(_) | Lit::JSXText(_)),
            Expr::Unary(unary) => {
                matches!(
                    unary.op,
                    UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Bang | UnaryOp::Void
                ) && matches!(unparenthesized(&unary.arg), Expr::Lit(Lit::Num(_)))
            }
            Expr::Ident(ident) => self.is_plain_variable(&ident.sym),
            _ => false,
        }
    }

    /// Whether `object` can be named again after `value` was evaluated and still means the same. Before a
    /// compound write the page's getters and `valueOf` may run too.
    pub(super) fn is_stable_object(&self, object: &Expr, value: &Expr, compound: bool) -> bool {
        match unparenthesized(object) {
            Expr::This(_) => true,
            Expr::Ident(ident) => {
                self.is_plain_variable(&ident.sym)
                    && ((!compound && self.is_simple_value(value))
                        || !self.is_reassigned(&ident.sym))
            }
            _ => false,
        }
    }

    /// Whether `object` is `this`, or a variable that no assignment changes.
    pub(super) fn is_never_reassigned(&self, object: &Expr) -> bool {
        match unparenthesized(object) {
            Expr::Ident(ident) => !self.is_reassigned(&ident.sym),
            Expr::This(_) => true,
            _ => false,
        }
    }

    fn is_reassigned(&self, name: &Atom) -> bool {
        match self.scopes.resolve(self.current, name) {
            Resolution::Local(binding) => {
                let scope = self.scopes.scope(self.scopes.binding(binding).scope);
                self.scopes.binding(binding).reassigned || scope.has_direct_eval
            }
            _ => true,
        }
    }

    /// A variable whose evaluation runs nobody's code: declared in this script, with no `with` or `eval` that
    /// could come between.
    fn is_plain_variable(&self, name: &Atom) -> bool {
        let resolution = self.scopes.resolve(self.current, name);
        match resolution {
            Resolution::Local(_) | Resolution::ScriptLexical(_) => {
                self.with_depth == 0 || !self.scopes.crosses_with(self.current, resolution)
            }
            Resolution::GlobalVar(_) => false,
            Resolution::Unresolved => {
                self.with_depth == 0 && matches!(&**name, "undefined" | "NaN" | "Infinity")
            }
        }
    }

    /// Whether this script declares the global variable of that name.
    fn declares_global(&self, name: &Atom) -> bool {
        matches!(
            self.scopes.resolve(self.current, name),
            Resolution::GlobalVar(_) | Resolution::ScriptLexical(_)
        )
    }

    /// The shadow's name of a binding. A function in a block that is copied to the function around has two bindings of
    /// one name, and the hook of the copy sees both.
    pub(super) fn shadow(&self, binding: BindingIndex) -> String {
        let binding = self.scopes.binding(binding);
        let mark = if binding.is_copied_out { "B" } else { "" };
        format!("{}{mark}${}", self.prefix, binding.name)
    }

    /// A statement that evaluates `expression` and has no completion value, so that it can be anywhere.
    pub(super) fn silent_statement(&self, expression: &str) -> String {
        format!("{{let {p}Z={expression}}}", p = self.prefix)
    }

    /// The statement that runs `hooks`.
    pub(super) fn hook_statement(&self, hooks: &str) -> String {
        self.silent_statement(&format!("{}A&&({hooks})", self.prefix))
    }

    /// Adds to `hooks` the one of a binding, named at `name_at`, that holds what the language put there; nothing if it
    /// is not watched.
    pub(super) fn fill_hook(
        &mut self,
        name: &Atom,
        name_at: ByteOffset,
        site_at: ByteOffset,
        kind: SiteKind,
        hooks: &mut String,
    ) {
        let Some((place, watching)) = self.watches_variable(name, name_at) else {
            return;
        };
        self.filled(name, &place, watching, (site_at, kind), hooks);
    }

    /// [`Rewriter::fill_hook`] for a binding that is known to be watched.
    pub(super) fn filled(
        &mut self,
        name: &Atom,
        place: &VariablePlace,
        watching: Watching<'_>,
        (site_at, kind): (ByteOffset, SiteKind),
        hooks: &mut String,
    ) {
        let site = self.site(site_at, kind);
        let write = VariableWrite::Fill;
        if !hooks.is_empty() {
            hooks.push(',');
        }
        let written = WrittenVariable {
            name,
            place,
            watching,
            write,
        };
        self.variable_hook(site, written, name, hooks);
    }

    /// The hook for a value written to a watched variable: `($Qp$x=$QpX(site,x,$Qp$x,value))` for an
    /// assignment, `…V(site,$Qp$x,value)` where the binding is filled.
    pub(super) fn variable_hook(
        &self,
        site: impl fmt::Display,
        written: WrittenVariable<'_>,
        value: &str,
        out: &mut String,
    ) {
        let p = self.prefix;
        let WrittenVariable {
            name,
            place,
            watching,
            write,
        } = written;
        let context = self.context(watching);
        let in_with = self.with_depth > 0 && {
            let resolution = self.scopes.resolve(self.current, name);
            self.scopes.crosses_with(self.current, resolution)
        };
        if in_with {
            out.push('(');
            for object in self.with_objects.iter().rev() {
                let key = Quoted(name);
                let _ = write!(out, "{p}H({object},{key})?{p}W({site},{object},{key},");
                let _ = match write {
                    VariableWrite::Update => write!(out, "{p}J({object},{key},{value})"),
                    VariableWrite::Assign | VariableWrite::First | VariableWrite::Fill => {
                        write!(out, "{value}")
                    }
                };
                let _ = write!(out, "{context}):");
            }
        }
        let or_shadow = matches!(
            place,
            VariablePlace::Global {
                or_shadow: true,
                ..
            }
        );
        // Which variable is meant shows only as it runs.
        let site: &dyn fmt::Display = match or_shadow && self.is_live() {
            true => &-1,
            false => &site,
        };
        if or_shadow && !self.is_live() {
            let function = match write {
                VariableWrite::Update => "U",
                VariableWrite::Assign | VariableWrite::First | VariableWrite::Fill => "X",
            };
            let _ = write!(
                out,
                "(typeof {p}${name}===\"object\"?{p}${name}={p}{function}({site},{name},{p}${name},{value}{context}):"
            );
        }
        let _ = match (place, write) {
            (VariablePlace::Shadow(binding), write) => {
                let shadow =
                    binding.map_or_else(|| format!("{p}${name}"), |binding| self.shadow(binding));
                match write {
                    _ if self.is_live() => {
                        let variable = (&**name, *binding);
                        let site = site.to_string();
                        let hook = self.live_variable_hook(&site, variable, &shadow, write, value);
                        out.write_str(&hook)
                    }
                    VariableWrite::Assign | VariableWrite::First => {
                        write!(
                            out,
                            "({shadow}={p}X({site},{name},{shadow},{value}{context}))"
                        )
                    }
                    VariableWrite::Fill => {
                        write!(out, "({shadow}={p}V({site},{shadow},{value}{context}))")
                    }
                    VariableWrite::Update => {
                        write!(
                            out,
                            "({shadow}={p}U({site},{name},{shadow},{value}{context}))"
                        )
                    }
                }
            }
            (VariablePlace::Global { .. }, VariableWrite::Update) => {
                write!(out, "{p}N({site},{},{value}{context})", Quoted(name))
            }
            (VariablePlace::Global { lexical, or_shadow }, _)
                if !or_shadow && self.is_live() && self.declares_global(name) =>
            {
                let site = site.to_string();
                out.write_str(&self.live_global_hook(&site, (&**name, *lexical), value))
            }
            (VariablePlace::Global { lexical, .. }, _) => {
                // A binding that is filled with itself has been written by the language already.
                let after = write == VariableWrite::Fill && value == &**name;
                let how = u8::from(*lexical) | (u8::from(after) << 1);
                write!(out, "{p}G({site},{},{value},{how}{context})", Quoted(name))
            }
        };
        if or_shadow && !self.is_live() {
            out.push(')');
        }
        if in_with {
            out.push(')');
        }
    }
}

/// A watched variable that is written.
#[derive(Clone, Copy)]
pub(super) struct WrittenVariable<'w> {
    pub(super) name: &'w Atom,
    pub(super) place: &'w VariablePlace,
    pub(super) watching: Watching<'w>,
    pub(super) write: VariableWrite,
}

/// How a variable is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableWrite {
    /// By an assignment; the hook comes before.
    Assign,
    /// By the declaration of a `var` that nothing has written before; only live hooks tell it from others.
    First,
    /// By the language itself, or for the first time.
    Fill,
    /// By `++` (value `1`) or `--` (value `-1`); the hook comes before.
    Update,
}

/// A function or class without a name, which takes the name of what it is assigned to.
pub(super) fn is_anonymous_function(value: &Expr) -> bool {
    match unparenthesized(value) {
        Expr::Fn(function) => function.ident.is_none(),
        Expr::Class(class) => class.ident.is_none(),
        Expr::Arrow(_) => true,
        _ => false,
    }
}

/// What is around a value that is assigned to a temporary of ours, whose name a function must not take.
pub(super) fn without_name(value: &Expr) -> (&'static str, &'static str) {
    if is_anonymous_function(value) {
        ("(0,", ")")
    } else {
        ("", "")
    }
}

/// What keeps an anonymous function from taking the name of a temporary of ours, in parentheses before it.
pub(super) fn unnamed(value: &Expr) -> &'static str {
    if is_anonymous_function(value) {
        "0,"
    } else {
        ""
    }
}

/// A JavaScript string literal of a text.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'t>(pub(super) &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        out.write_char('"')?;
        if self.0.bytes().all(is_plain) {
            out.write_str(self.0)?;
            return out.write_char('"');
        }
        for character in self.0.chars() {
            match character {
                '"' => out.write_str("\\\"")?,
                '\\' => out.write_str("\\\\")?,
                '\0'..='\u{1f}' => write!(out, "\\u{:04x}", u32::from(character))?,
                '<' => out.write_str("\\x3c")?,
                _ if character.is_ascii() => out.write_char(character)?,
                _ => {
                    let mut units = [0; 2];
                    for unit in character.encode_utf16(&mut units) {
                        write!(out, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        out.write_char('"')
    }
}

/// The name of a member of an object literal. `__proto__` would be the object's prototype, and a literal must not have
/// two.
pub(super) struct Member<'t>(pub(super) &'t str);

impl fmt::Display for Member<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "__proto__" => out.write_str("[\"__proto__\"]"),
            name => Quoted(name).fmt(out),
        }
    }
}

/// [`Quoted`] as a text of its own.
pub(super) fn quote(text: &str) -> String {
    Quoted(text).to_string()
}

/// The two halves of text that give an anonymous function in between the name it would have had:
/// `{x:` and `}.x`.
pub(super) fn naming(name: &str) -> (String, String) {
    if name == "__proto__" {
        (
            "{[\"__proto__\"]:".to_owned(),
            "}[\"__proto__\"]".to_owned(),
        )
    } else {
        (format!("{{{name}:"), format!("}}.{name}"))
    }
}
