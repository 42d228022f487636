//! Parsing: text in, syntax tree out, with the parser's own types kept inside the crate.

use swc_common::BytePos;
use swc_ecma_ast::{EsVersion, Program};
use swc_ecma_parser::{EsSyntax, Parser, StringInput, Syntax, lexer::Lexer};

use crate::position::{ByteOffset, HumanPosition, LineIndex};

/// How a text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// A classic script.
    Script,
    /// A module.
    Module,
    /// The body of an event-handler attribute: a function body, so `return` is allowed.
    EventHandler,
}

/// The text is not JavaScript for the asked goal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {position}: {message}")]
pub struct SyntaxError {
    /// What the parser says.
    pub message: String,
    /// Where, counted as people count.
    pub position: HumanPosition,
}

/// Parses `source`. Every offset in the tree is a byte offset into `source` (the parser is started at
/// position 0).
///
/// # Errors
/// The first syntax error, also those that the parser could recover from: a script that the browser may
/// refuse is left as it was written.
pub(crate) fn parse(source: &str, goal: Goal) -> Result<Program, SyntaxError> {
    let syntax = Syntax::Es(EsSyntax {
        import_attributes: true,
        explicit_resource_management: true,
        allow_return_outside_function: goal == Goal::EventHandler,
        ..EsSyntax::default()
    });
    let end = BytePos(ByteOffset::from_index(source.len()).0);
    let input = StringInput::new(source, BytePos(0), end);
    let lexer = Lexer::new(syntax, EsVersion::EsNext, input, None);
    let mut parser = Parser::new_from(lexer);
    let parsed = match goal {
        Goal::Module => parser.parse_module().map(Program::Module),
        Goal::Script | Goal::EventHandler => parser.parse_script().map(Program::Script),
    };
    let recovered = parser.take_errors();
    let error = match (parsed, recovered.into_iter().next()) {
        (Ok(program), None) => return Ok(program),
        (Err(error), _) | (Ok(_), Some(error)) => error,
    };
    let at = ByteOffset(swc_common::Spanned::span(&error).lo.0);
    Err(SyntaxError {
        message: error.kind().msg().into_owned(),
        position: LineIndex::new(source).position(source, at).into(),
    })
}

/// Runs `work` on a stack large enough for syntax trees as deep as hostile pages write them (a sum of a
/// hundred thousand terms nests as deep). The memory is reserved, not used, until it is needed.
pub(crate) fn on_deep_stack<T>(work: impl FnOnce() -> T) -> T {
    const DEEP_STACK_BYTES: usize = 512 * 1024 * 1024;
    stacker::grow(DEEP_STACK_BYTES, work)
}
