//! One version of a script: its functions, its names and their own code.

use swc_atoms::Atom;
use swc_ecma_ast::{AssignPatProp, Ident, PrivateMethod, PrivateProp, Program, Prop};
use swc_ecma_visit::{Visit, VisitWith};

use super::authors::{AuthorName, authors};
use super::functions::{FunctionNode, functions};
use crate::call_graph::InnermostScopes;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;
use crate::scopes::{BindingIndex, BindingKind, Scopes};

/// One version.
pub(super) struct Side<'s> {
    pub(super) source: &'s str,
    pub(super) program: &'s Program,
    pub(super) scopes: &'s Scopes,
    /// The script itself first.
    pub(super) functions: Vec<FunctionNode>,
    /// What the author calls each variable, by its index.
    authors: Vec<Option<String>>,
    by_author: bool,
    /// What each name that is used means, in their order; none of them where names are taken as they run.
    meant: Vec<Option<BindingIndex>>,
    /// The names that are used, in the order of the text.
    used: Vec<UsedName>,
    /// The private members of its classes, in the order of the text.
    private_members: Vec<Atom>,
    /// Its comments, in the order of the text: a bundler writes names of files into them.
    comments: Vec<ByteSpan>,
}

impl<'s> Side<'s> {
    pub(super) fn new(script: &'s Script<'s>, names: &[AuthorName], by_author: bool) -> Self {
        let scopes = script.scopes();
        let mut side = Self {
            source: script.source(),
            program: script.program(),
            scopes,
            functions: Vec::new(),
            authors: authors(scopes, names),
            by_author,
            meant: Vec::new(),
            used: Vec::new(),
            private_members: Vec::new(),
            comments: Vec::new(),
        };
        let mut names_there = Names::default();
        side.program.visit_with(&mut names_there);
        names_there.used.sort_by_key(|it| it.at);
        side.used = names_there.used;
        side.private_members = names_there.private_members;
        if by_author {
            let innermost = InnermostScopes::new(scopes);
            let used = side.used.iter();
            let meant = used.map(|it| innermost.resolve(&it.name, it.at.0).binding());
            side.meant = meant.collect();
        }
        side.functions = functions(
            side.program,
            side.source,
            &|name, at| match side.meant_at(at) {
                // What a bundler made up has no name that could be compared.
                Some(binding) => side.author(binding).unwrap_or("").to_owned(),
                None => name.to_owned(),
            },
        );
        side
    }

    /// With its comments, which are no part of its code.
    pub(super) fn with_comments(mut self, comments: Vec<ByteSpan>) -> Self {
        self.comments = comments;
        self
    }

    /// Adds a part of the text without the comments in it.
    fn push_code(&self, code: &mut String, span: ByteSpan) {
        let mut start = span.start;
        let first = self.comments.partition_point(|it| it.end <= span.start);
        for comment in self.comments.get(first..).unwrap_or_default() {
            if comment.start >= span.end {
                break;
            }
            let end = comment.start.max(start);
            code.push_str(self.text(ByteSpan { start, end }));
            start = comment.end;
            let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$');
            let end = span.end;
            let behind = self.text(ByteSpan { start, end });
            if code.ends_with(is_word) && behind.starts_with(is_word) {
                code.push(' ');
            }
        }
        let end = span.end;
        if start < end {
            code.push_str(self.text(ByteSpan { start, end }));
        }
    }

    /// Whether variables are told apart by what their author calls them.
    pub(super) const fn is_by_author(&self) -> bool {
        self.by_author
    }

    /// Which variable the name at a place means.
    fn meant_at(&self, at: ByteOffset) -> Option<BindingIndex> {
        let index = self.used.partition_point(|other| other.at < at);
        let is_there = self.used.get(index).is_some_and(|other| other.at == at);
        self.meant.get(index).copied().filter(|_| is_there)?
    }

    /// What a name that is used means.
    pub(super) fn meaning(&self, used: &UsedName) -> Option<BindingIndex> {
        match self.is_by_author() {
            true => self.meant_at(used.at),
            false => self.resolve(&used.name, used.at),
        }
    }

    /// Where a variable is declared.
    pub(super) fn declared_at(&self, binding: BindingIndex) -> ByteOffset {
        self.scopes.binding(binding).declared_at
    }

    /// Whether both have the same private members.
    pub(super) fn has_private_members_of(&self, other: &Side<'_>) -> bool {
        self.private_members == other.private_members
    }

    /// What the author calls a variable, if that is known.
    pub(super) fn author(&self, binding: BindingIndex) -> Option<&str> {
        self.authors.get(binding.0 as usize)?.as_deref()
    }

    /// The names that are used in a part of the script.
    pub(super) fn names_in(&self, span: ByteSpan) -> &[UsedName] {
        let before = |end: ByteOffset| self.used.partition_point(|it| it.at < end);
        let range = before(span.start)..before(span.end);
        self.used.get(range).unwrap_or_default()
    }

    /// The parts of a function's code, without those of the functions in it, that are in `span`; and whether a function
    /// is behind each.
    fn own_parts(&self, function: usize, span: ByteSpan) -> Vec<(ByteSpan, bool)> {
        let mut parts = Vec::new();
        let mut start = span.start;
        for &child in &self.functions[function].children {
            let inner = self.functions[child].span;
            if inner.start < start || inner.end > span.end {
                continue;
            }
            let end = inner.start;
            parts.push((ByteSpan { start, end }, true));
            start = inner.end;
        }
        let end = span.end;
        parts.push((ByteSpan { start, end }, false));
        parts
    }

    /// The names that are used there, without those of the functions in it.
    pub(super) fn own_names(&self, function: usize, span: ByteSpan) -> Vec<&UsedName> {
        let parts = self.own_parts(function, span).into_iter();
        parts.flat_map(|(part, _)| self.names_in(part)).collect()
    }

    pub(super) fn text(&self, span: ByteSpan) -> &'s str {
        self.source
            .get(span.start.index()..span.end.index())
            .unwrap_or_default()
    }

    /// The code of a function there without that of the functions in it, comments and white space. Where the author's
    /// names of variables are known, it is without those that run.
    pub(super) fn own_code(&self, function: usize, span: ByteSpan) -> String {
        let mut code = String::new();
        for (part, is_before_function) in self.own_parts(function, span) {
            let mut start = part.start;
            let names = match self.is_by_author() {
                true => self.names_in(part),
                false => &[],
            };
            // The name of a shorthand is that of a property, too.
            for name in names.iter().filter(|it| it.written == Written::Plain) {
                let end = name.at;
                self.push_code(&mut code, ByteSpan { start, end });
                code.push('ι');
                start = name.end();
            }
            let end = part.end;
            self.push_code(&mut code, ByteSpan { start, end });
            if is_before_function {
                code.push('ƒ');
            }
        }
        without_space(&code)
    }

    pub(super) fn resolve(&self, name: &str, at: ByteOffset) -> Option<BindingIndex> {
        let scope = self.scopes.innermost_at(at);
        self.scopes.resolve(scope, &name.into()).binding()
    }

    /// What a name means in a body that is in the place of a function's own.
    pub(super) fn resolve_without_body(&self, name: &str, body: ByteSpan) -> Option<BindingIndex> {
        let scope = self.scopes.innermost_at(body.start);
        let found = self.scopes.resolve_by(scope, |binding| {
            binding.name == *name && !is_in(binding.declared_at, body)
        });
        found.binding()
    }

    /// The variable that its author calls so, in sight of a body and declared outside of it.
    pub(super) fn by_author(&self, author: &str, body: ByteSpan) -> Option<BindingIndex> {
        let from = self.scopes.innermost_at(body.start);
        let mut scopes = self.scopes.chain(from);
        scopes.find_map(|scope| {
            let mut bindings = self.scopes.scope(scope).bindings.iter().copied();
            bindings.find(|&binding| {
                !is_in(self.declared_at(binding), body) && self.author(binding) == Some(author)
            })
        })
    }

    /// Whether a body declares a name for all of its function.
    pub(super) fn hoists(&self, name: &str, body: ByteSpan) -> bool {
        let own = self
            .scopes
            .function_around(self.scopes.innermost_at(body.start));
        self.scopes.bindings.iter().any(|it| {
            it.name == *name
                && it.scope == own
                && matches!(it.kind, BindingKind::Var | BindingKind::Function)
                && is_in(it.declared_at, body)
        })
    }
}

pub(super) fn is_in(at: ByteOffset, span: ByteSpan) -> bool {
    span.start <= at && at < span.end
}

/// A code without white space between words; what is a space inside a text stays one.
fn without_space(code: &str) -> String {
    let mut plain = String::new();
    let mut has_space = false;
    for character in code.chars() {
        if character.is_whitespace() {
            has_space = true;
            continue;
        }
        if has_space && !plain.is_empty() {
            plain.push(' ');
        }
        has_space = false;
        plain.push(character);
    }
    plain
}

/// How a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Plain,
    /// `{ name }`, as a value.
    Shorthand,
    /// `{ name }` or `{ name = value }`, as a pattern.
    PatternShorthand,
}

/// A name that is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UsedName {
    pub(super) name: Atom,
    pub(super) at: ByteOffset,
    length: u32,
    pub(super) written: Written,
}

impl UsedName {
    /// Behind its last character.
    pub(super) const fn end(&self) -> ByteOffset {
        ByteOffset(self.at.0 + self.length)
    }
}

/// The names that a script uses.
#[derive(Default)]
struct Names {
    used: Vec<UsedName>,
    private_members: Vec<Atom>,
}

impl Names {
    fn add(&mut self, ident: &Ident, written: Written) {
        self.used.push(UsedName {
            name: ident.sym.clone(),
            at: ByteOffset(ident.span.lo.0),
            length: ident.span.hi.0 - ident.span.lo.0,
            written,
        });
    }
}

impl Visit for Names {
    fn visit_ident(&mut self, ident: &Ident) {
        self.add(ident, Written::Plain);
    }

    fn visit_prop(&mut self, property: &Prop) {
        match property {
            Prop::Shorthand(ident) => self.add(ident, Written::Shorthand),
            other => other.visit_children_with(self),
        }
    }

    fn visit_assign_pat_prop(&mut self, property: &AssignPatProp) {
        self.add(&property.key.id, Written::PatternShorthand);
        property.value.visit_with(self);
    }

    fn visit_private_prop(&mut self, it: &PrivateProp) {
        self.private_members.push(it.key.name.clone());
        it.visit_children_with(self);
    }

    fn visit_private_method(&mut self, it: &PrivateMethod) {
        self.private_members.push(it.key.name.clone());
        it.visit_children_with(self);
    }
}
