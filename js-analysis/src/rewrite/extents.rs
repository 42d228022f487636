//! How far statements and expressions reach, for finding the place of an expression through a source map that has no
//! segment where it begins.
//!
//! ```text
//! if (p)              p&&(c?a:b).push(x)
//!   (c ? a : b)       ^   |^     ^         segments of the map
//!     .push(x)            the call begins here: it is at `push`, not at the `if`
//! ```

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    AssignTarget, Callee, Expr, MemberExpr, MemberProp, OptChainBase, Program, SimpleAssignTarget,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::CodePlaces;
use crate::position::{ByteOffset, ByteSpan, LineIndex, utf16_length};
use crate::scopes::unparenthesized;
use crate::source_map::{Original, SourceMap};

/// How far the statements and expressions of a script reach.
#[derive(Clone, Debug)]
pub struct Extents {
    lines: LineIndex,
    places: CodePlaces,
    /// By where they begin, the longest first.
    expressions: Vec<Extent>,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    span: ByteSpan,
    /// Where the name stands of the method that is called, or of the property that is written.
    name: Option<ByteOffset>,
}

impl Extents {
    pub(super) fn of(source: &str, program: &Program) -> Self {
        let mut found = Found::default();
        program.visit_with(&mut found);
        let order = |extent: &Extent| (extent.span.start, u32::MAX - extent.span.end.0);
        found.0.sort_by_key(order);
        Self {
            lines: LineIndex::new(source),
            places: CodePlaces::of(program),
            expressions: found.0,
        }
    }

    /// Where the expression comes from that begins at `at` of `source`, the script's text: as the segment says that
    /// begins there, or one before it in the same run of text; else the segment of the name that is written or called
    /// (`named`, if that is known), else the first one inside of the expression, else one before it in the same
    /// statement.
    /// A segment of another statement counts only where nothing tells that it is wrong.
    #[must_use]
    pub fn original(
        &self,
        map: &SourceMap,
        source: &str,
        at: ByteOffset,
        named: Option<ByteOffset>,
    ) -> Option<Original> {
        let position = |offset| self.lines.position(source, offset);
        let before = map.original(position(at));
        if let Some(before) = &before
            && let Some(found) = self.continued(map, source, at, before)
        {
            return Some(found);
        }
        let extent = self.expression_at(at);
        let name = named.or(extent.and_then(|extent| extent.name));
        let of_name = name.and_then(|name| map.original(position(name)));
        let inside = || {
            let span = extent?.span;
            map.first_within(position(span.start), position(span.end))
        };
        of_name
            .filter(|of_name| of_name.exact)
            .or_else(inside)
            .or_else(|| {
                let before = before?;
                let start = self.places.start_around(at).map(position);
                let is_of_statement = start.is_none_or(|start| start <= before.generated);
                let is_unknown = map.source_text(&before.source).is_none();
                (is_of_statement || is_unknown).then_some(before)
            })
    }

    /// The place of `at` where the text from a segment's begin up to it is that of the source.
    fn continued(
        &self,
        map: &SourceMap,
        source: &str,
        at: ByteOffset,
        before: &Original,
    ) -> Option<Original> {
        let begin = self.lines.offset(source, before.generated)?;
        let between = source.get(begin.index()..at.index())?;
        let mut found = before.clone();
        let text = map.source_text(&before.source);
        let is_same = text.is_some_and(|text| {
            let line = text.lines().nth(before.position.line as usize);
            let rest = line.and_then(|line| rest_of(line, before.position.column));
            rest.is_some_and(|rest| rest.starts_with(between))
        });
        if is_same {
            found.position.column += utf16_length(between);
        }
        (is_same || between.trim().is_empty()).then_some(found)
    }

    /// The longest expression that begins at `at`.
    fn expression_at(&self, at: ByteOffset) -> Option<&Extent> {
        let first = self
            .expressions
            .partition_point(|extent| extent.span.start < at);
        let extent = self.expressions.get(first)?;
        (extent.span.start == at).then_some(extent)
    }
}

/// A line from a column on.
fn rest_of(line: &str, column: u32) -> Option<&str> {
    let mut units = 0;
    let mut characters = line.char_indices();
    let start = loop {
        if units >= column {
            break characters.next().map_or(line.len(), |(at, _)| at);
        }
        let (_, character) = characters.next()?;
        units += if character.len_utf16() == 2 { 2 } else { 1 };
    };
    line.get(start..)
}

#[derive(Default)]
struct Found(Vec<Extent>);

impl Found {
    fn push(&mut self, span: Span, name: Option<Span>) {
        let span = ByteSpan {
            start: ByteOffset(span.lo.0),
            end: ByteOffset(span.hi.0),
        };
        let name = name.map(|name| ByteOffset(name.lo.0));
        self.0.push(Extent { span, name });
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
        match expression {
            Expr::Call(call) => {
                let called = match &call.callee {
                    Callee::Expr(callee) => name(callee),
                    Callee::Super(_) | Callee::Import(_) => None,
                };
                self.push(span, called);
            }
            Expr::OptChain(_) => self.push(span, name(expression)),
            Expr::Assign(assign) => {
                let written = match &assign.left {
                    AssignTarget::Simple(SimpleAssignTarget::Member(member)) => property(member),
                    _ => None,
                };
                self.push(span, written);
            }
            Expr::Update(update) => self.push(span, name(&update.arg)),
            Expr::Unary(unary) => self.push(span, name(&unary.arg)),
            Expr::New(_) | Expr::TaggedTpl(_) | Expr::Array(_) | Expr::Object(_) => {
                self.push(span, None);
            }
            _ => {}
        }
        expression.visit_children_with(self);
    }
}
