//! Private names by what their author called them: a bundler calls the first of each class `#t`.
//!
//! A name belongs to the innermost class around that declares it, so it is looked up there, and the declaration says
//! what its author wrote: uses of it have no name in every source map.

use swc_ecma_ast::{ClassMember, MemberProp, PrivateName};

use super::private_key;
use super::properties::{Key, member_key};
use super::rewriter::Rewriter;
use crate::position::ByteOffset;

impl Rewriter<'_> {
    /// Takes up the names that a class declares, while it is walked.
    pub(super) fn enter_private_names(&mut self, members: &[ClassMember]) {
        let declared = members.iter().filter_map(|member| match member {
            ClassMember::PrivateProp(field) => Some(&field.key),
            ClassMember::PrivateMethod(method) => Some(&method.key),
            _ => None,
        });
        let names = declared.filter_map(|name| {
            let at = ByteOffset(name.span.lo.0);
            Some((name.name.clone(), self.names.original_private_name(at)?))
        });
        let names = names.collect();
        self.private_names.push(names);
    }

    /// The class is left.
    pub(super) fn leave_private_names(&mut self) {
        self.private_names.pop();
    }

    /// The key of a private name: its author's, or that of the text where only that one is watched.
    pub(super) fn private_key_of(&self, name: &PrivateName) -> String {
        let running = private_key(&name.name);
        let classes = self.private_names.iter().rev();
        let mut declared = classes.flatten().filter(|(text, _)| *text == name.name);
        match declared.next() {
            Some((_, author)) => {
                let author = private_key(author);
                match self.asks_for(&running) && !self.asks_for(&author) {
                    true => running,
                    false => author,
                }
            }
            None => running,
        }
    }

    /// The key of a member expression.
    pub(super) fn member_key<'e>(&self, property: &'e MemberProp) -> Key<'e> {
        match property {
            MemberProp::PrivateName(name) => Key::Static(self.private_key_of(name).into()),
            property => member_key(property),
        }
    }
}
