//! Parsing: text in, syntax tree out, with the parser's own types kept inside the crate.

use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};

use memchr::memmem;
use swc_common::comments::{CommentKind, Comments, SingleThreadedComments};
use swc_common::{BytePos, Span, Spanned};
use swc_ecma_ast::{EsVersion, ModuleItem, Program, Regex, Stmt, Str, TplElement};
use swc_ecma_parser::error::SyntaxError as ParserError;
use swc_ecma_parser::{EsSyntax, Parser, StringInput, Syntax, lexer::Lexer};
use swc_ecma_visit::{Visit, VisitWith};

use crate::position::{ByteOffset, ByteSpan, HumanPosition, LineIndex};

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
    /// Where `function` is in the place of a statement. The parser holds all of these for errors; behind the `if`
    /// of a script that is not strict they are none (ECMAScript, Annex B.3.4).
    pub(crate) functions_as_statements: Vec<ByteOffset>,
}

/// Parses `source`. Every offset in the tree is a byte offset into `source` (the parser is started at
/// position 0).
///
/// # Errors
/// The first syntax error, also those that the parser could recover from: a script that the browser may
/// refuse is left as it was written.
pub(crate) fn parse(source: &str, goal: Goal) -> Result<Parsed, SyntaxError> {
    let parsed = parse_text(source, goal, None)?;
    if may_await_using(source) {
        check_ends(source, &parsed.program)?;
    }
    let mut marks = match goal {
        Goal::Module => Vec::new(),
        _ => marks_of_comments(source),
    };
    let mut arrows = arrows_to_nothing(source);
    if marks.is_empty() && arrows.is_empty() {
        return Ok(parsed);
    }
    let mut texts = Texts { spans: Vec::new() };
    parsed.program.visit_with(&mut texts);
    texts.spans.sort_by_key(|span| span.start);
    marks.retain(|at| !texts.hold(*at));
    arrows.retain(|at| !texts.hold(*at));
    if marks.is_empty() && arrows.is_empty() {
        return Ok(parsed);
    }
    let comments = comments(source, goal)?;
    arrows.retain(|at| !comments.iter().any(|comment| comment.holds(*at)));
    if let Some(&arrow) = arrows.first() {
        let at = ByteOffset::from_index(arrow);
        let message = "an arrow leads to nothing".to_owned();
        return Err(SyntaxError::at(source, at, message));
    }
    let hidden = html_comments(source, &comments)?;
    if hidden.is_empty() || goal == Goal::Module {
        return Ok(parsed);
    }
    let mut masked = source.to_owned();
    for comment in hidden {
        let blank = format!("//{:1$}", "", comment.len() - 2);
        masked.replace_range(comment, &blank);
    }
    parse_text(&masked, goal, None)
}

/// Whether `await using` may be somewhere. The words alone are in the comments of many a script.
fn may_await_using(source: &str) -> bool {
    let mut found = memmem::find_iter(source.as_bytes(), b"using");
    found.any(|at| {
        let before = &source[..at];
        let trimmed = before.trim_end();
        let is_behind_word = trimmed.len() < at && trimmed.ends_with("await");
        // Before a name it is a declaration, and in words about it there is no operator.
        let behind = source[at + "using".len()..].trim_start();
        let is_before_operator = behind.starts_with(|c: char| "<>=+-*/%&|^?.,([)".contains(c));
        (is_behind_word || trimmed.ends_with("*/")) && is_before_operator
    })
}

/// Where the parser has looked ahead to see whether `await using` begins a declaration, it takes `await using < a b`
/// for two statements; a browser does not.
fn check_ends(source: &str, program: &Program) -> Result<(), SyntaxError> {
    let mut ends = Ends {
        source,
        without: None,
    };
    program.visit_with(&mut ends);
    match ends.without {
        Some(at) => Err(SyntaxError::at(
            source,
            at,
            "a statement begins where the one before it has no end".to_owned(),
        )),
        None => Ok(()),
    }
}

/// Looks for a statement on the line of another that has no end.
struct Ends<'s> {
    source: &'s str,
    without: Option<ByteOffset>,
}

impl Ends<'_> {
    fn check<T: Spanned>(&mut self, statements: &[T]) {
        let has_no_end = |pair: &[T]| {
            let [first, second] = pair else { return None };
            let (end, start) = (first.span().hi.0 as usize, second.span().lo.0 as usize);
            // `do ; while (a) b` needs none.
            let is_ended = self.source.get(..end)?.ends_with([';', '}', ')']);
            let between = self.source.get(end..start)?;
            let is_new_line = between.contains(['\n', '\r', '\u{2028}', '\u{2029}']);
            (!is_ended && !is_new_line).then(|| ByteOffset::from_index(start))
        };
        let without = statements.windows(2).find_map(has_no_end);
        self.without = self.without.or(without);
    }
}

impl Visit for Ends<'_> {
    fn visit_stmts(&mut self, statements: &[Stmt]) {
        self.check(statements);
        statements.visit_children_with(self);
    }

    fn visit_module_items(&mut self, items: &[ModuleItem]) {
        self.check(items);
        items.visit_children_with(self);
    }
}

/// Arrows behind which a list goes on or ends, also in texts and comments. The parser takes them behind a pattern in
/// parentheses, `([a] =>)`; a browser does not.
fn arrows_to_nothing(source: &str) -> Vec<usize> {
    const ARROW: &str = "=>";
    // A text of nothing but arrows and beginnings of comments must not be looked through once for each.
    const FARTHEST: usize = 1000;
    let arrows = memmem::find_iter(source.as_bytes(), ARROW);
    let leads_nowhere = |at: &usize| {
        let end = source.floor_char_boundary(at + FARTHEST);
        let mut rest = &source[at + ARROW.len()..end];
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
            let end = match rest.as_bytes() {
                [b')' | b',', ..] => return true,
                [b'/', b'*', ..] => rest.find("*/").map(|end| end + 2),
                [b'/', b'/', ..] => rest.find(['\n', '\r', '\u{2028}', '\u{2029}']),
                _ => None,
            };
            match end.and_then(|end| rest.get(end..)) {
                Some(behind) => rest = behind,
                None => return false,
            }
        }
    };
    arrows.filter(leads_nowhere).collect()
}

/// What opens a comment anywhere in a classic script, a relic of scripts hidden from the oldest browsers.
const OPENING_COMMENT: &str = "<!--";

/// What opens a comment at the start of a line of one.
const CLOSING_COMMENT: &str = "-->";

/// Where such comments may begin: also in texts and in other comments.
fn marks_of_comments(source: &str) -> Vec<usize> {
    let opening = memmem::find_iter(source.as_bytes(), OPENING_COMMENT);
    let closing = memmem::find_iter(source.as_bytes(), CLOSING_COMMENT);
    opening
        .chain(closing.filter(|at| may_begin_line(&source[..*at])))
        .collect()
}

/// Whether there may be nothing but white space and comments on the last line of `before`.
fn may_begin_line(before: &str) -> bool {
    let is_line_break = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let is_space = |c: char| (c.is_whitespace() || c == '\u{FEFF}') && !is_line_break(c);
    let before = before.trim_end_matches(is_space);
    before.is_empty() || before.ends_with(is_line_break) || before.ends_with("*/")
}

/// A comment as the parser tells it.
struct CommentIn {
    span: Range<usize>,
    is_line: bool,
}

impl CommentIn {
    fn holds(&self, at: usize) -> bool {
        self.span.contains(&at)
    }
}

/// Where the comments of a script are, in order.
///
/// # Errors
/// As of [`parse`].
pub(crate) fn comment_spans(source: &str, goal: Goal) -> Result<Vec<ByteSpan>, SyntaxError> {
    let comments = comments(source, goal)?.into_iter();
    let spans = comments.map(|it| ByteSpan {
        start: ByteOffset::from_index(it.span.start),
        end: ByteOffset::from_index(it.span.end),
    });
    Ok(spans.collect())
}

/// The comments of a text, in order.
fn comments(source: &str, goal: Goal) -> Result<Vec<CommentIn>, SyntaxError> {
    let comments = SingleThreadedComments::default();
    parse_text(source, goal, Some(&comments))?;
    let (leading, trailing) = comments.take_all();
    let all = [leading.take(), trailing.take()];
    let all = all.iter().flat_map(|comments| comments.values().flatten());
    let mut comments: Vec<CommentIn> = all
        .map(|comment| CommentIn {
            span: comment.span.lo.0 as usize..comment.span.hi.0 as usize,
            is_line: comment.kind == CommentKind::Line,
        })
        .collect();
    comments.sort_by_key(|comment| comment.span.start);
    Ok(comments)
}

/// The marks of comments as in HTML, in order. The parser lets the node behind such a comment begin at the comment,
/// which may be on the line of another statement, and what is inserted before `-->` would make it an operator: so both
/// are read as `//`.
fn html_comments(source: &str, comments: &[CommentIn]) -> Result<Vec<Range<usize>>, SyntaxError> {
    let mut marks = Vec::new();
    for comment in comments.iter().filter(|comment| comment.is_line) {
        let start = comment.span.start;
        // Of the one the parser leaves out the first character, of the other all three.
        let is_at = |mark: &str, skipped: usize| {
            let begin = start.checked_sub(skipped)?;
            let is_mark = source.get(begin..)?.starts_with(mark);
            is_mark.then_some(begin..begin + mark.len())
        };
        let is_plain = source
            .get(start..)
            .is_some_and(|text| text.starts_with("//"));
        let opening = is_at(OPENING_COMMENT, 1).filter(|_| !is_plain);
        let closing = is_at(CLOSING_COMMENT, CLOSING_COMMENT.len());
        match opening.or(closing) {
            // `-->//` is a comment in a comment, or an operator before one.
            Some(mark) if is_plain && may_begin_line(&source[..mark.start]) => {
                let at = ByteOffset::from_index(mark.start);
                let message = "`-->//` may be a comment or an operator".to_owned();
                return Err(SyntaxError::at(source, at, message));
            }
            Some(_) if is_plain => {}
            Some(mark) => marks.push(mark),
            None => {}
        }
    }
    marks.dedup();
    Ok(marks)
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
fn parse_text(
    source: &str,
    goal: Goal,
    comments: Option<&SingleThreadedComments>,
) -> Result<Parsed, SyntaxError> {
    // After a panic nobody looks at the comments.
    let parse = AssertUnwindSafe(|| parse_trustingly(source, goal, comments));
    let parsed = panic::catch_unwind(parse);
    parsed.unwrap_or_else(|_| {
        let message = "the parser broke down over it".to_owned();
        Err(SyntaxError::at(source, ByteOffset(0), message))
    })
}

fn parse_trustingly(
    source: &str,
    goal: Goal,
    comments: Option<&SingleThreadedComments>,
) -> Result<Parsed, SyntaxError> {
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
    let comments = comments.map(|comments| comments as &dyn Comments);
    let lexer = Lexer::new(syntax, EsVersion::EsNext, input, comments);
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
        let at = ByteOffset(error.span().lo.0);
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
    let at = ByteOffset(error.span().lo.0);
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
/// hundred thousand terms nests as deep). The memory is reserved, not used, until it is needed. Within such work, the
/// stack that it has is used.
pub(crate) fn on_deep_stack<T>(work: impl FnOnce() -> T) -> T {
    const DEEP_STACK_BYTES: usize = 512 * 1024 * 1024;
    const LEAST_BYTES: usize = 480 * 1024 * 1024;
    stacker::maybe_grow(LEAST_BYTES, DEEP_STACK_BYTES, work)
}
