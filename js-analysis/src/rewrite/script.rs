//! A parsed script, and what can be asked of it.

use std::sync::Arc;

use swc_common::{Span, Spanned};
use swc_ecma_ast::{Program, VarDeclarator};
use swc_ecma_visit::{Visit, VisitWith};

use super::author_names::{KnownNames, PlaceInScope};
use super::syntax_tree::Parsed;
use super::{
    CodePlaces, Extents, FunctionAt, Instrumentation, NamesAsWritten, OriginalNames,
    OriginalScopes, RewriteError, Rewritten, VariableAt, activations, calls, handed_over, points,
    rewriter,
};
use crate::marks::{UNMARKABLE, may_hold_mark};
use crate::parse::{Goal, on_deep_stack, parse};
use crate::position::{ByteOffset, ByteSpan};
use crate::scopes::{BindingKind, Scopes};

/// A parsed script: parse once, ask and rewrite many times.
pub struct Script<'a> {
    pub(super) source: &'a str,
    pub(super) parsed: Arc<Parsed>,
}

impl std::fmt::Debug for Script<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Script")
            .field("bytes", &self.source.len())
            .field("scopes", &self.parsed.scopes.scopes.len())
            .finish_non_exhaustive()
    }
}

/// Parses `source`, finds its scopes, and gives them to `work`, all on a stack deep enough for any tree.
/// [`ParsedScripts`](super::ParsedScripts) keeps what is asked of several times.
///
/// # Errors
/// [`RewriteError::Syntax`] if it does not parse, [`RewriteError::TooLarge`] over 1 GiB.
pub fn with_script<T>(
    source: &str,
    goal: Goal,
    work: impl FnOnce(&Script<'_>) -> T,
) -> Result<T, RewriteError> {
    on_deep_stack(|| {
        let parsed = Arc::new(Parsed::of(source, goal)?);
        Ok(work(&Script { source, parsed }))
    })
}

impl Script<'_> {
    /// Places hooks.
    ///
    /// # Errors
    /// [`RewriteError::PrefixTaken`] if the source uses our names, [`RewriteError::Unmarkable`] if it holds
    /// what marks inserted text.
    pub fn rewrite(
        &self,
        instrumentation: &Instrumentation,
        names: &dyn OriginalNames,
    ) -> Result<Rewritten, RewriteError> {
        let prefix = instrumentation.prefix.as_bytes();
        if memchr::memmem::find(self.source.as_bytes(), prefix).is_some() {
            return Err(RewriteError::PrefixTaken {
                prefix: instrumentation.prefix.clone(),
            });
        }
        if may_hold_mark(self.source) && self.source.contains(UNMARKABLE) {
            return Err(RewriteError::Unmarkable);
        }
        rewriter::rewrite(
            self.source,
            &self.parsed.program,
            &self.parsed.scopes,
            instrumentation,
            names,
        )
    }

    pub(crate) fn program(&self) -> &Program {
        &self.parsed.program
    }

    pub(crate) fn source(&self) -> &str {
        self.source
    }

    pub(crate) fn scopes(&self) -> &Scopes {
        &self.parsed.scopes
    }

    /// The call at exactly that position, as far as it reaches.
    pub(crate) fn exact_call_span(&self, at: ByteOffset) -> Option<Span> {
        calls::exact_call_span(self.source, &self.parsed.program, at)
    }

    /// The places in this script at which execution can be said to be.
    #[must_use]
    pub fn code_places(&self) -> CodePlaces {
        CodePlaces::of(&self.parsed.program)
    }

    /// How far its statements and expressions reach.
    #[must_use]
    pub fn extents(&self) -> Extents {
        Extents::of(self.source, &self.parsed.program)
    }

    /// The function around an offset, as a stack would show it.
    #[must_use]
    pub fn function_name_at(&self, at: ByteOffset) -> Option<String> {
        let scope = self.parsed.scopes.innermost_at(at);
        let (name, _) = self.parsed.scopes.function_name(scope)?;
        Some(name.to_string())
    }

    /// The function that begins at `at`, as a debugger tells of a frame; `None`: none does.
    #[must_use]
    pub fn function_beginning_at(&self, at: ByteOffset) -> Option<FunctionAt> {
        activations::function_beginning_at(&self.parsed.program, at)
    }

    /// All functions of the script, in the order of the text.
    #[must_use]
    pub fn functions(&self) -> Vec<FunctionAt> {
        activations::functions(&self.parsed.program)
    }

    /// The names that the author of this script gave to its functions and variables, where others run.
    #[must_use]
    pub fn original_scopes(&self, names: &dyn OriginalNames) -> OriginalScopes {
        OriginalScopes::of(&self.parsed.scopes, names)
    }

    /// The first character of the call at which a debugger says, by the position `at`, that a caller is: of the
    /// call, construction or tagged template, or of the assignment that called a setter.
    #[must_use]
    pub fn call_at(&self, at: ByteOffset) -> Option<ByteOffset> {
        calls::call_at(self.source, &self.parsed.program, at)
    }

    /// [`Script::call_at`] where a call is at exactly that position, not only around it.
    #[must_use]
    pub fn exact_call_at(&self, at: ByteOffset) -> Option<ByteOffset> {
        calls::exact_call_at(self.source, &self.parsed.program, at)
    }

    /// What the variable that its author called `name` is called in this script at `at`, and where its last
    /// change is kept.
    #[must_use]
    pub fn variable_at(&self, at: ByteOffset, name: &str, names: &dyn OriginalNames) -> VariableAt {
        let scope = self.parsed.scopes.innermost_at(at);
        let place = PlaceInScope {
            scopes: &self.parsed.scopes,
            scope,
            at,
            names,
            known: &KnownNames::default(),
        };
        handed_over::variable_at(&place, name)
    }

    /// Whether a variable that is in sight at `at` can have no value there yet: its declaration is behind it, or what
    /// it is declared with is still being evaluated.
    #[must_use]
    pub fn is_uninitialised_at(&self, at: ByteOffset, name: &str) -> bool {
        let scopes = &self.parsed.scopes;
        let mut scope = Some(scopes.innermost_at(at));
        while let Some(index) = scope {
            let inside = scopes.scope(index);
            let declared = inside.bindings.iter().map(|&index| scopes.binding(index));
            let mut named = declared.filter(|binding| binding.name == name);
            if let Some(binding) = named.next() {
                let begins_with_declaration = matches!(
                    binding.kind,
                    BindingKind::Let | BindingKind::Const | BindingKind::Class
                );
                let declared = binding.declared_at;
                return begins_with_declaration
                    && (declared > at || self.is_in_initialiser(at, declared));
            }
            scope = inside.parent;
        }
        false
    }

    /// Whether `at` is in the value of the declarator that names a variable at `declared`.
    fn is_in_initialiser(&self, at: ByteOffset, declared: ByteOffset) -> bool {
        struct Search {
            at: ByteOffset,
            declared: ByteOffset,
            found: bool,
        }
        impl Visit for Search {
            fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
                // A hook behind a literal is in its end.
                let holds = |span: Span| span.lo.0 <= self.at.0 && self.at.0 <= span.hi.0;
                if !holds(declarator.span) {
                    return;
                }
                let name = declarator.name.span();
                let names_it = name.lo.0 <= self.declared.0 && self.declared.0 < name.hi.0;
                let value = declarator.init.as_deref();
                self.found |= names_it && value.is_some_and(|value| holds(value.span()));
                declarator.visit_children_with(self);
            }
        }
        let mut search = Search {
            at,
            declared,
            found: false,
        };
        self.parsed.program.visit_with(&mut search);
        search.found
    }

    /// The text of a function that gives the references with the numbers `dependents` as they are at `at`: what a
    /// debugger evaluates in a frame that is there. `begins`: where the frame's function begins, where that is
    /// known.
    #[must_use]
    pub fn context_at(
        &self,
        at: ByteOffset,
        begins: Option<ByteOffset>,
        instrumentation: &Instrumentation,
        dependents: &[usize],
        names: &dyn OriginalNames,
    ) -> String {
        rewriter::context_at(
            &self.parsed.scopes,
            at,
            begins,
            instrumentation,
            dependents,
            names,
        )
    }

    /// Module specifiers that this script imports from with string literals, statically or by `import()`.
    #[must_use]
    pub fn imported_specifiers(&self) -> Vec<String> {
        points::imported_specifiers(&self.parsed.program)
    }

    /// The specifiers of a module's `import … from` and `export … from`, each with the place of its literal, quotes
    /// included.
    #[must_use]
    pub fn linked_specifiers(&self) -> Vec<(ByteSpan, String)> {
        points::linked_specifiers(&self.parsed.program)
    }
}

/// [`Script::context_at`] for global code.
#[must_use]
pub fn global_context(instrumentation: &Instrumentation, dependents: &[usize]) -> String {
    on_deep_stack(|| match parse("", Goal::Script) {
        Ok(parsed) => {
            let scopes = Scopes::of(&parsed, Goal::Script);
            let at = ByteOffset(0);
            rewriter::context_at(
                &scopes,
                at,
                None,
                instrumentation,
                dependents,
                &NamesAsWritten,
            )
        }
        Err(_) => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_no_value_until_it_was_declared() {
        let source =
            "let early = 1; const made = { at: early }; let late = made; { let inner = early; }";
        let told = |text: &str, name: &str, behind: usize| {
            let at = source.find(text).unwrap() + behind;
            let at = ByteOffset::from_index(at);
            with_script(source, Goal::Module, |script| {
                script.is_uninitialised_at(at, name)
            })
            .unwrap()
        };
        assert!(told("early = 1", "late", 0));
        assert!(told("{ at", "made", 0));
        // Where a hook follows the literal.
        assert!(told("{ at", "made", "{ at: early }".len()));
        assert!(!told("let late", "made", 0));
        assert!(!told("{ at", "early", 0));
        assert!(told("inner = early", "inner", "inner = ".len()));
        assert!(!told("{ at", "nowhere", 0));
    }
}
