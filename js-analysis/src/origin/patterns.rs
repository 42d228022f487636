//! The names that a pattern binds, each with the way to it.

use swc_ecma_ast::{Expr, ObjectPatProp, Pat};

use super::PathStep;
use super::reading::Reading;
use super::value::Step;
use super::written::key_step;
use crate::position::ByteOffset;
use crate::scopes::unparenthesized;

/// A name in a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bound {
    /// The name under which it runs.
    pub(super) name: String,
    /// Where it is.
    pub(super) at: ByteOffset,
    /// The way to it from what is taken apart.
    pub(super) path: Vec<PathStep>,
}

/// All names that `pattern` binds or assigns, in the order of the text.
pub(super) fn bound(reading: Reading<'_>, pattern: &Pat) -> Vec<Bound> {
    let mut found = Vec::new();
    walk(reading, pattern, &mut Vec::new(), &mut found);
    found
}

fn walk(reading: Reading<'_>, pattern: &Pat, path: &mut Vec<PathStep>, found: &mut Vec<Bound>) {
    let named = |name: &str, at: u32, path: &[PathStep]| Bound {
        name: name.to_owned(),
        at: ByteOffset(at),
        path: path.to_vec(),
    };
    match pattern {
        Pat::Ident(ident) => found.push(named(&ident.sym, ident.span.lo.0, path)),
        Pat::Expr(target) => {
            if let Expr::Ident(ident) = unparenthesized(target) {
                found.push(named(&ident.sym, ident.span.lo.0, path));
            }
        }
        Pat::Assign(assign) => {
            path.push(PathStep::Default(reading.value(&assign.right)));
            walk(reading, &assign.left, path, found);
            path.pop();
        }
        Pat::Array(array) => {
            for (index, element) in array.elems.iter().enumerate() {
                let Some(element) = element else { continue };
                path.push(match element {
                    Pat::Rest(_) => PathStep::Rest(index),
                    _ => PathStep::Iterated(index),
                });
                match element {
                    Pat::Rest(rest) => walk(reading, &rest.arg, path, found),
                    element => walk(reading, element, path, found),
                }
                path.pop();
            }
        }
        Pat::Object(object) => {
            for property in &object.props {
                match property {
                    ObjectPatProp::KeyValue(pair) => {
                        let Some(step) = key_step(&pair.key) else {
                            continue;
                        };
                        path.push(PathStep::Into(step));
                        walk(reading, &pair.value, path, found);
                        path.pop();
                    }
                    ObjectPatProp::Assign(short) => {
                        let mut whole = path.clone();
                        whole.push(PathStep::Into(Step::Property(short.key.sym.to_string())));
                        if let Some(default) = &short.value {
                            whole.push(PathStep::Default(reading.value(default)));
                        }
                        found.push(named(&short.key.sym, short.key.span.lo.0, &whole));
                    }
                    ObjectPatProp::Rest(rest) => {
                        path.push(PathStep::Rest(0));
                        walk(reading, &rest.arg, path, found);
                        path.pop();
                    }
                }
            }
        }
        Pat::Rest(rest) => {
            path.push(PathStep::Rest(0));
            walk(reading, &rest.arg, path, found);
            path.pop();
        }
        Pat::Invalid(_) => {}
    }
}
