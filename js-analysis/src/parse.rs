//! Parsing: text in, syntax tree out, with the parser's own types kept inside the crate.

use std::ops::Range;
use std::panic;

use memchr::memmem;
use swc_common::{BytePos, Span};
use swc_ecma_ast::{EsVersion, Program, Regex, Str, TplElement};
use swc_ecma_parser::error::SyntaxError as ParserError;
use swc_ecma_parser::{EsSyntax, Parser, StringInput, Syntax, lexer::Lexer};
use swc_ecma_visit::{Visit, VisitWith};

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
    /// A text given to `eval`.
    Eval {
        /// Whether the code around the call is strict, and with it the text.
        strict: bool,
        /// Whether `var` in it declares variables of the function that called (a direct call in a function), not
        /// globals.
        in_function: bool,
    },
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

/// A text that has been parsed.
pub(crate) struct Parsed {
    pub(crate) program: Program,
    /// Where `function` stands in the place of a statement. The parser holds all of these for errors; behind the `if` of a
    /// script that is not strict they are none (ECMAScript, Annex B.3.4).
    pub(crate) functions_as_statements: Vec<ByteOffset>,
}

/// Parses `source`. Every offset in the tree is a byte offset into `source` (the parser is started at
/// position 0).
///
/// # Errors
/// The first syntax error, also those that the parser could recover from: a script that the browser may
/// refuse is left as it was written.
pub(crate) fn parse(source: &str, goal: Goal) -> Result<Parsed, SyntaxError> {
    let parsed = parse_text(source, goal)?;
    if goal == Goal::Module {
        return Ok(parsed);
    }
    let mut comments = html_comments(source);
    if comments.is_empty() {
        return Ok(parsed);
    }
    let mut texts = Texts { spans: Vec::new() };
    parsed.program.visit_with(&mut texts);
    texts.spans.sort_by_key(|span| span.start);
    comments.retain(|comment| !texts.hold(comment.start));
    let mut masked = source.to_owned();
    for comment in comments {
        let blank = format!("//{:1$}", "", comment.len() - 2);
        masked.replace_range(comment, &blank);
    }
    parse_text(&masked, goal)
}

/// What opens a comment anywhere in a classic script, a relic of scripts hidden from the oldest browsers.
const OPENING_COMMENT: &str = "<!--";

/// What opens a comment at the start of a line of one.
const CLOSING_COMMENT: &str = "-->";

/// The marks of such comments, and what looks like them in texts. The parser lets the node behind such a comment begin at
/// the comment, which may be on the line of another statement, and what is inserted before `-->` would make it an operator:
/// so both are read as `//`.
fn html_comments(source: &str) -> Vec<Range<usize>> {
    let opening = memmem::find_iter(source.as_bytes(), OPENING_COMMENT);
    let closing = closing_comments(source).into_iter();
    let mut comments: Vec<Range<usize>> = opening
        .map(|at| at..at + OPENING_COMMENT.len())
        .chain(closing.map(|at| at..at + CLOSING_COMMENT.len()))
        .collect();
    comments.sort_by_key(|comment| comment.start);
    // Of `<!-->` only the first is a mark.
    comments.dedup_by(|next, last| next.start < last.end);
    comments
}

/// Where `-->` has nothing but white space and comments before it on its line.
fn closing_comments(source: &str) -> Vec<usize> {
    let is_line_break = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let is_space = |c: char| (c.is_whitespace() || c == '\u{FEFF}') && !is_line_break(c);
    // It looks back no further than it must: a line may be as long as the script, and `n-->0` is common.
    let begins_line = |at: &usize| {
        let mut before = &source[..*at];
        loop {
            before = before.trim_end_matches(is_space);
            if before.is_empty() || before.ends_with(is_line_break) {
                return true;
            }
            let comment = before.strip_suffix("*/");
            let Some(start) = comment.and_then(|rest| rest.rfind("/*")) else {
                return false;
            };
            if before[start..].contains(is_line_break) {
                return true;
            }
            before = &before[..start];
        }
    };
    memmem::find_iter(source.as_bytes(), CLOSING_COMMENT)
        .filter(begins_line)
        .collect()
}

/// Texts that may hold what looks like a comment.
struct Texts {
    spans: Vec<Range<usize>>,
}

impl Visit for Texts {
    fn visit_str(&mut self, string: &Str) {
        self.push(string.span);
    }

    fn visit_tpl_element(&mut self, element: &TplElement) {
        self.push(element.span);
    }

    fn visit_regex(&mut self, regex: &Regex) {
        self.push(regex.span);
    }
}

impl Texts {
    fn push(&mut self, span: Span) {
        self.spans.push(span.lo.0 as usize..span.hi.0 as usize);
    }

    /// Whether one of them is at `at`. They are in order, and do not overlap.
    fn hold(&self, at: usize) -> bool {
        let after = self.spans.partition_point(|span| span.start <= at);
        let before = after.checked_sub(1);
        before.is_some_and(|index| self.spans[index].contains(&at))
    }
}

/// The parser holds a few things for certain that no text can be trusted with: what it panics on is no script to us.
fn parse_text(source: &str, goal: Goal) -> Result<Parsed, SyntaxError> {
    let parsed = panic::catch_unwind(|| parse_trustingly(source, goal));
    parsed.unwrap_or_else(|_| {
        let message = "the parser broke down over it".to_owned();
        Err(SyntaxError::at(source, ByteOffset(0), message))
    })
}

fn parse_trustingly(source: &str, goal: Goal) -> Result<Parsed, SyntaxError> {
    let syntax = Syntax::Es(EsSyntax {
        import_attributes: true,
        explicit_resource_management: true,
        // A text of a direct eval may use what its caller may.
        allow_super_outside_method: matches!(goal, Goal::Eval { .. }),
        allow_return_outside_function: goal == Goal::EventHandler,
        ..EsSyntax::default()
    });
    let end = BytePos(ByteOffset::from_index(source.len()).0);
    let input = StringInput::new(source, BytePos(0), end);
    let lexer = Lexer::new(syntax, EsVersion::EsNext, input, None);
    let mut parser = Parser::new_from(lexer);
    let parsed = match goal {
        Goal::Module => parser.parse_module().map(Program::Module),
        Goal::Script | Goal::EventHandler | Goal::Eval { .. } => {
            parser.parse_script().map(Program::Script)
        }
    };
    let may_be_in_function = matches!(goal, Goal::Eval { .. });
    let mut functions_as_statements = Vec::new();
    let recovered = parser.take_errors().into_iter().find(|error| {
        let at = ByteOffset(swc_common::Spanned::span(error).lo.0);
        match error.kind() {
            ParserError::InvalidNewTarget => !may_be_in_function,
            ParserError::DeclNotAllowed if is_function(source, at) => {
                functions_as_statements.push(at);
                false
            }
            _ => true,
        }
    });
    let error = match (parsed, recovered) {
        (Ok(program), None) => {
            return Ok(Parsed {
                program,
                functions_as_statements,
            });
        }
        (Err(error), _) | (Ok(_), Some(error)) => error,
    };
    let at = ByteOffset(swc_common::Spanned::span(&error).lo.0);
    Err(SyntaxError::at(source, at, error.kind().msg().into_owned()))
}

fn is_function(source: &str, at: ByteOffset) -> bool {
    let rest = source.get(at.index()..);
    rest.is_some_and(|rest| rest.starts_with("function"))
}

impl SyntaxError {
    /// The error `message` at an offset of `source`.
    pub(crate) fn at(source: &str, at: ByteOffset, message: String) -> Self {
        Self {
            message,
            position: LineIndex::new(source).position(source, at).into(),
        }
    }
}

/// Runs `work` on a stack large enough for syntax trees as deep as hostile pages write them (a sum of a
/// hundred thousand terms nests as deep). The memory is reserved, not used, until it is needed.
pub(crate) fn on_deep_stack<T>(work: impl FnOnce() -> T) -> T {
    const DEEP_STACK_BYTES: usize = 512 * 1024 * 1024;
    stacker::grow(DEEP_STACK_BYTES, work)
}
