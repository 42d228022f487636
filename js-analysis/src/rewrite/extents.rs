//! How far statements and expressions reach, for finding the place of an expression through a source map that has no
//! segment where it begins, or a wrong one.
//!
//! ```text
//! if (p)              p&&(c?a:b).push(x)
//!   (c ? a : b)       ^   |^     ^         segments of the map
//!     .push(x)            the call begins here: it is at `push`, not at the `if`
//!
//! const old = o.n++;  return o.n++         the map has `old` for `o`, but `n` for `n`: it is at the `o` before it
//! return old;                ^ ^
//! ```

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrayPat, AssignTarget, BinaryOp, Callee, Expr, MemberExpr, MemberProp, ObjectPat,
    OptChainBase, Program, SimpleAssignTarget,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::CodePlaces;
use crate::position::{ByteOffset, ByteSpan, LineIndex, Utf16Position};
use crate::scopes::unparenthesized;
use crate::source_map::{AuthorText, Original, SourceMap};

/// How far the statements and expressions of a script reach.
#[derive(Clone, Debug)]
pub struct Extents {
    lines: LineIndex,
    places: CodePlaces,
    /// By where they begin, the longest first.
    expressions: Vec<Extent>,
    /// Where the right operands of logical operators begin.
    operands: Vec<ByteOffset>,
    /// Calls of what is no name, by where their callees end.
    calls: Vec<CallExtent>,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    span: ByteSpan,
    /// The name of the method that is called, or of the property that is written.
    name: Option<ByteSpan>,
    /// Whether the expression begins with the object of that name.
    begins_with_object: bool,
}

/// `(function () { … })(x)`: the engine says that it is at the parenthesis behind the function.
#[derive(Clone, Copy, Debug)]
struct CallExtent {
    start: ByteOffset,
    callee_end: ByteOffset,
    end: ByteOffset,
    calls_function: bool,
}

/// What the author's text says of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    Right,
    Wrong,
    /// The map does not hold the text.
    Unknown,
}

/// A script's text with its map.
#[derive(Clone, Copy)]
struct Mapped<'m> {
    map: &'m SourceMap,
    source: &'m str,
    lines: &'m LineIndex,
}

impl<'m> Mapped<'m> {
    fn position(self, at: ByteOffset) -> Utf16Position {
        self.lines.position(self.source, at)
    }

    fn text(self, span: ByteSpan) -> Option<&'m str> {
        self.source.get(span.start.index()..span.end.index())
    }

    fn all_at(self, at: ByteOffset) -> Vec<Original> {
        self.map.all_at(self.position(at)).collect()
    }

    fn author_text(self, original: &Original) -> Option<AuthorText<'m>> {
        self.map.author_text(&original.source)
    }

    fn trust(self, original: &Original) -> Trust {
        match self.author_text(original) {
            None => Trust::Unknown,
            Some(text) if text.has(original.position, original.name.as_deref()) => Trust::Right,
            Some(_) => Trust::Wrong,
        }
    }

    /// The first segment that the text of its source does not contradict: some tools write those of what is around
    /// first.
    fn first_right(self, segments: &[Original]) -> Option<&Original> {
        let right = |it: &&Original| self.trust(it) == Trust::Right;
        segments.iter().find(right)
    }

    /// Whether a tool gave text of its own the place of something else: its segments have one place and other names.
    fn is_made_up(self, segment: &Original) -> bool {
        let same = |it: &Original| it.source == segment.source && it.position == segment.position;
        let beside = self.map.beside(segment.generated);
        self.trust(segment) == Trust::Wrong
            && segment.name.is_some()
            && beside.iter().flatten().any(same)
    }
}

impl Extents {
    pub(super) fn of(source: &str, program: &Program) -> Self {
        let mut found = Found::default();
        program.visit_with(&mut found);
        let order = |extent: &Extent| (extent.span.start, u32::MAX - extent.span.end.0);
        found.expressions.sort_by_key(order);
        found.calls.sort_by_key(|call| call.callee_end);
        found.operands.sort_unstable();
        Self {
            lines: LineIndex::new(source),
            places: CodePlaces::of(program),
            expressions: found.expressions,
            operands: found.operands,
            calls: found.calls,
        }
    }

    /// Where the expression comes from that begins at `at` of `source`, the script's text. In this order:
    ///
    /// 1. of what writes or calls a property, the object in front of that name in the author's text;
    /// 2. what a segment says that begins there, or one before it in the same run of text, unless another word is
    ///    there;
    /// 3. of a call of a function in its place, where it is called;
    /// 4. the segment of the name that is written or called (`named`, if that is known);
    /// 5. the first one inside of the expression;
    /// 6. one before it in the same statement.
    ///
    /// A segment of another statement counts only where nothing tells that it is wrong.
    #[must_use]
    pub fn original(
        &self,
        map: &SourceMap,
        source: &str,
        at: ByteOffset,
        named: Option<ByteOffset>,
    ) -> Option<Original> {
        let lines = &self.lines;
        let mapped = Mapped { map, source, lines };
        if let Some(found) = self.before_name(mapped, at, named) {
            return Some(found);
        }
        let exact = mapped.all_at(at);
        if let Some(right) = mapped.first_right(&exact) {
            return Some(right.clone());
        }
        let before = map.original(mapped.position(at));
        let is_known = |it: &Original| mapped.trust(it) != Trust::Unknown;
        if exact.last().is_some_and(|last| !is_known(last)) {
            return before;
        }
        if exact.is_empty()
            && let Some(found) = self.called(mapped, at)
        {
            return Some(found);
        }
        if let (Some(before), true) = (&before, exact.is_empty())
            && let Some(found) = continued(mapped, at, before)
        {
            return Some(found);
        }
        let of_name = || {
            let name = named.or(self.named_at(at)?.name.map(|name| name.start));
            let segments = mapped.all_at(name?);
            let unknown = segments.last().filter(|it| !is_known(it));
            mapped.first_right(&segments).or(unknown).cloned()
        };
        behind_semicolon(mapped, at)
            .or_else(of_name)
            .or_else(|| self.inside(mapped, at, &exact))
            .or_else(|| match exact.last() {
                Some(last) => (!mapped.is_made_up(last)).then(|| last.clone()),
                None => self.before(mapped, at, before?),
            })
    }

    /// Where the assignment comes from whose value begins at `at`, of several that a minifier made one of.
    #[must_use]
    pub fn branch(&self, map: &SourceMap, source: &str, at: ByteOffset) -> Option<Original> {
        let lines = &self.lines;
        let mapped = Mapped { map, source, lines };
        let assignment = |original: Original| {
            let text = mapped.author_text(&original)?;
            let (_, position) = text.assigned_before(original.position)?;
            Some(Original {
                position,
                ..original
            })
        };
        let assigned = mapped.all_at(at).into_iter().find_map(assignment);
        assigned.or_else(|| self.original(map, source, at, None))
    }

    /// Where the condition comes from that begins at `at`; the operand that was evaluated last begins at `last`. A
    /// minifier makes one condition of several (`a&&b&&c()` of `if (!a) return; if (b) c();`); the author's is that
    /// of this operand.
    #[must_use]
    pub fn condition(
        &self,
        map: &SourceMap,
        source: &str,
        at: ByteOffset,
        last: Option<ByteOffset>,
    ) -> Option<Original> {
        let from = self.operands.partition_point(|&operand| operand <= at);
        let until = last.map_or(from, |last| {
            self.operands.partition_point(|&operand| operand <= last)
        });
        let behind = self.operands.get(from..until).unwrap_or_default();
        let place = |operand| self.original(map, source, operand, None);
        let mut condition = place(at);
        let mut before = condition.clone();
        for &operand in behind {
            let Some(next) = place(operand) else { continue };
            let text = map.author_text(&next.source);
            let is_apart = match (&before, text) {
                (Some(before), Some(text)) => {
                    before.source != next.source
                        || !text.is_one_expression(before.position, next.position)
                }
                _ => false,
            };
            if is_apart {
                condition = Some(next.clone());
            }
            before = Some(next);
        }
        condition
    }

    /// `a` of `a.b.name = …`, by the author's text in front of `name`.
    fn before_name(
        &self,
        mapped: Mapped<'_>,
        at: ByteOffset,
        named: Option<ByteOffset>,
    ) -> Option<Original> {
        let extent = self.named_at(at)?;
        let name = extent.name.filter(|_| extent.begins_with_object)?;
        if named.is_some_and(|named| named != name.start) {
            return None;
        }
        let written = mapped.text(name)?;
        let start = |it: Original| {
            let path = mapped.author_text(&it)?;
            let position = path.start_of_path(it.position, written)?;
            Some(Original { position, ..it })
        };
        mapped.all_at(name.start).into_iter().find_map(start)
    }

    /// Where a function is called in its place, if a frame says that it is at `at`.
    fn called(&self, mapped: Mapped<'_>, at: ByteOffset) -> Option<Original> {
        let after = self.calls.partition_point(|call| call.callee_end <= at);
        let call = self.calls.get(after.checked_sub(1)?)?;
        let between = mapped.source.get(call.callee_end.index()..at.index())?;
        let is_parenthesis = mapped.source[at.index()..].starts_with('(');
        if !is_parenthesis || !between.trim().is_empty() {
            return None;
        }
        let begins = mapped.all_at(call.start);
        let begin = mapped.first_right(&begins).cloned();
        if begins.len() > 1 || !call.calls_function {
            return begin;
        }
        // The one segment at the function is its own, which a minifier took from elsewhere.
        let (from, until) = (mapped.position(at), mapped.position(call.end));
        let mut arguments = mapped.map.within(from, until);
        arguments
            .find(|it| mapped.trust(it) == Trust::Right)
            .or(begin)
    }

    /// The first segment inside of the expression that begins at `at`, the shortest first.
    fn inside(&self, mapped: Mapped<'_>, at: ByteOffset, exact: &[Original]) -> Option<Original> {
        let is_new = |it: &Original| {
            let is_same = |one: &Original| one.source == it.source && one.position == it.position;
            !exact.iter().any(is_same) && mapped.trust(it) != Trust::Wrong
        };
        let extents = self.expressions_at(at).iter().rev();
        let mut found = extents.filter_map(|extent| {
            let (from, until) = (extent.span.start, extent.span.end);
            let (from, until) = (mapped.position(from), mapped.position(until));
            mapped.map.within(from, until).find(is_new)
        });
        let found = found.next()?;
        let begin = self.lines.offset(mapped.source, found.generated)?;
        let between = mapped.text(ByteSpan {
            start: at,
            end: begin,
        });
        let text = mapped.author_text(&found);
        let position = text.and_then(|text| text.before(found.position, between?));
        Some(Original {
            position: position.unwrap_or(found.position),
            ..found
        })
    }

    /// The segment before `at`, unless it is known to be another statement's.
    fn before(&self, mapped: Mapped<'_>, at: ByteOffset, before: Original) -> Option<Original> {
        let start = self.places.start_around(at);
        // Where only lines are mapped, the segment is at the line's beginning, before the blanks.
        let is_blank_between = |start: ByteOffset| {
            let segment = mapped.lines.offset(mapped.source, before.generated);
            let between = segment.and_then(|it| {
                mapped.text(ByteSpan {
                    start: it,
                    end: start,
                })
            });
            between.is_some_and(|text| text.trim().is_empty())
        };
        let is_of_statement =
            start.is_none_or(|it| mapped.position(it) <= before.generated || is_blank_between(it));
        match mapped.trust(&before) {
            Trust::Unknown => Some(before),
            _ => (is_of_statement && !mapped.is_made_up(&before)).then_some(before),
        }
    }

    /// The expressions that begin at `at`, the longest first.
    fn expressions_at(&self, at: ByteOffset) -> &[Extent] {
        let from = self
            .expressions
            .partition_point(|extent| extent.span.start < at);
        let until = self
            .expressions
            .partition_point(|extent| extent.span.start <= at);
        self.expressions.get(from..until).unwrap_or_default()
    }

    /// The longest expression that begins at `at` and writes or calls what has a name.
    fn named_at(&self, at: ByteOffset) -> Option<&Extent> {
        let mut extents = self.expressions_at(at).iter();
        extents.find(|extent| extent.name.is_some())
    }
}

/// The place of `at` where the text from a segment's begin up to it is that of the source.
fn continued(mapped: Mapped<'_>, at: ByteOffset, before: &Original) -> Option<Original> {
    let start = mapped.lines.offset(mapped.source, before.generated)?;
    let between = mapped.text(ByteSpan { start, end: at })?;
    let text = mapped.author_text(before);
    match text.and_then(|text| text.behind(before.position, between)) {
        Some(position) => Some(Original {
            position,
            ..before.clone()
        }),
        None => between.trim().is_empty().then(|| before.clone()),
    }
}

/// The segments of a statement at the semicolon in front of it, where swc has them if the statement begins with a
/// parenthesis.
fn behind_semicolon(mapped: Mapped<'_>, at: ByteOffset) -> Option<Original> {
    let semicolon = ByteOffset(at.0.checked_sub(1)?);
    if !mapped.source.get(semicolon.index()..)?.starts_with(";(") {
        return None;
    }
    let segments = mapped.all_at(semicolon);
    mapped.first_right(&segments).cloned()
}

#[derive(Default)]
struct Found {
    expressions: Vec<Extent>,
    operands: Vec<ByteOffset>,
    calls: Vec<CallExtent>,
}

impl Found {
    /// A pattern: where it begins, a write does. Minifiers map the names in it, not the bracket.
    fn pattern(&mut self, span: Span) {
        self.expressions.push(Extent {
            span: byte_span(span),
            name: None,
            begins_with_object: false,
        });
    }
}

fn byte_span(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

fn property(member: &MemberExpr) -> Option<Span> {
    match &member.prop {
        MemberProp::Ident(name) => Some(name.span),
        MemberProp::PrivateName(name) => Some(name.span),
        MemberProp::Computed(_) => None,
    }
}

/// The last name of a callee, or of what is updated or deleted.
fn name(expression: &Expr) -> Option<Span> {
    match unparenthesized(expression) {
        Expr::Ident(name) => Some(name.span),
        Expr::Member(member) => property(member),
        Expr::OptChain(chain) => match &*chain.base {
            OptChainBase::Member(member) => property(member),
            OptChainBase::Call(call) => name(&call.callee),
        },
        _ => None,
    }
}

impl Visit for Found {
    fn visit_expr(&mut self, expression: &Expr) {
        let span = expression.span();
        if let Expr::Bin(binary) = expression
            && matches!(
                binary.op,
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing
            )
        {
            self.operands.push(byte_span(binary.right.span()).start);
        }
        let called = match expression {
            Expr::Call(call) => match &call.callee {
                Callee::Expr(callee) => {
                    let inner = unparenthesized(callee);
                    if !matches!(inner, Expr::Ident(_) | Expr::Member(_)) {
                        self.calls.push(CallExtent {
                            start: byte_span(span).start,
                            callee_end: byte_span(callee.span()).end,
                            end: byte_span(span).end,
                            calls_function: matches!(inner, Expr::Fn(_) | Expr::Arrow(_)),
                        });
                    }
                    name(callee)
                }
                Callee::Super(_) | Callee::Import(_) => None,
            },
            Expr::OptChain(_) => name(expression),
            Expr::Assign(assign) => match &assign.left {
                AssignTarget::Simple(SimpleAssignTarget::Member(member)) => property(member),
                _ => None,
            },
            Expr::Update(update) => name(&update.arg),
            Expr::Unary(unary) => name(&unary.arg),
            _ => None,
        };
        let begins_with_object = match expression {
            Expr::Update(update) => !update.prefix,
            Expr::Unary(_) => false,
            _ => true,
        };
        // A segment inside one of these is one of what is around it, too.
        if !matches!(
            expression,
            Expr::Ident(_) | Expr::Lit(_) | Expr::This(_) | Expr::Member(_)
        ) {
            self.expressions.push(Extent {
                span: byte_span(span),
                name: called.map(byte_span),
                begins_with_object,
            });
        }
        expression.visit_children_with(self);
    }

    fn visit_array_pat(&mut self, pattern: &ArrayPat) {
        self.pattern(pattern.span);
        pattern.visit_children_with(self);
    }

    fn visit_object_pat(&mut self, pattern: &ObjectPat) {
        self.pattern(pattern.span);
        pattern.visit_children_with(self);
    }
}
