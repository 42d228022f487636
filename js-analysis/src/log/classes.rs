//! Classes: their fields, and the initialisers and static blocks, which are functions of their own.

use swc_common::Spanned;
use swc_ecma_ast::{Class, ClassProp, Expr, StaticBlock};
use swc_ecma_visit::{Visit, VisitWith};

use super::LoggedKind;
use super::walker::{ClassAround, LogWalker, Room, Temporaries, at, takes_name};
use crate::position::ByteOffset;
use crate::scopes::ScopeKind;

impl LogWalker<'_> {
    /// Remembers where the name is that a class gets by being assigned to a variable.
    pub(super) fn names_class(&mut self, value: &Expr, name_at: ByteOffset) {
        let mut value = value;
        while let Expr::Paren(inner) = value {
            value = &inner.expr;
        }
        let is_class = matches!(value, Expr::Class(class) if class.ident.is_none());
        self.next_name_at = is_class.then_some(name_at);
    }

    /// The name that its author gave a class. Where it runs under another one, the text of the class says so: `class
    /// e {` becomes `class/*$QpLu:Cart*/ e {`, which its constructor's text has while the page runs.
    fn author_class(&mut self, class: &Class) -> String {
        let running = self.next_name.take().unwrap_or_default();
        let Some(name_at) = self.next_name_at.take() else {
            return running;
        };
        let author = self.original(name_at, &running);
        let is_name = |text: &str| {
            text.chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        };
        const KEYWORD: &str = "class";
        if author != running && is_name(&author) && self.text(class.span).starts_with(KEYWORD) {
            let behind = ByteOffset(class.span.lo.0 + ByteOffset::from_index(KEYWORD.len()).0);
            let marker = format!("/*{}Lu:{author}*/", self.prefix);
            self.edits.insert(behind, &marker);
        }
        author
    }

    pub(super) fn class(&mut self, class: &Class) {
        let name = self.author_class(class);
        self.classes.push(ClassAround {
            name,
            is_derived: class.super_class.is_some(),
        });
        self.in_scope(ScopeKind::Class, class.span, |this| {
            this.head(|this| class.super_class.visit_with(this));
            this.class_depth += 1;
            class.body.visit_with(this);
            this.class_depth -= 1;
        });
        self.classes.pop();
    }

    pub(super) fn class_field(&mut self, property: &ClassProp) {
        self.head(|this| property.key.visit_with(this));
        match Self::key_name(&property.key) {
            Some(name) => {
                let place = at(property.key.span());
                self.field(&name, place, property.value.as_deref(), property.is_static);
            }
            None => {
                if let Some(value) = &property.value {
                    self.unlogged(at(property.span), "a field whose name is computed");
                    self.initialiser(value, |this| value.visit_with(this));
                }
            }
        }
    }

    fn initialiser(&mut self, value: &Expr, visit: impl FnOnce(&mut Self)) {
        self.in_scope(ScopeKind::FieldInitialiser, value.span(), |this| {
            this.without_room(visit);
        });
    }

    /// A field that is initialised: `p = v` becomes `p = $QpLF(site,this,v)`.
    pub(super) fn field(
        &mut self,
        name: &str,
        place: ByteOffset,
        value: Option<&Expr>,
        _is_static: bool,
    ) {
        let Some(value) = value else { return };
        self.next_name = Some(name.to_owned());
        if !self.values() || takes_name(value) {
            if self.values() {
                self.unlogged(place, "a field that names the function in it");
            }
            self.initialiser(value, |this| value.visit_with(this));
            return;
        }
        let site = self.site(place, LoggedKind::Write, name.to_owned());
        let before = format!("{}LF({site},this,", self.prefix);
        self.initialiser(value, |this| {
            // What is on the next line might go on with it.
            this.wrap(value.span(), &before, ");", |this| value.visit_with(this));
        });
        self.next_name = None;
    }

    pub(super) fn static_block(&mut self, block: &StaticBlock) {
        self.in_scope(ScopeKind::Function, block.span, |this| {
            let opening = this.edits.reserve(ByteOffset(block.body.span.lo.0 + 1));
            this.rooms.push(Room {
                is_logged: false,
                is_suspended: false,
                temporaries: Temporaries::Own,
                in_use: 0,
                most: 0,
                ..this.room()
            });
            let hoisted = this.hoisted(this.current);
            this.visit_stmts(&block.body.stmts);
            if let Some(room) = this.rooms.pop() {
                let text = format!("{}{hoisted}", this.declared(&room));
                this.edits.fill(opening, &text);
            }
        });
    }
}
