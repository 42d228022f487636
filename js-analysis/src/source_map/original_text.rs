//! The text that an expression of generated code has in its author's file: `context.count + event.amount` for
//! `e.count+t.amount`.
//!
//! Both texts are read token by token, side by side, from the place that the map names. They must say the same: names
//! may differ where a mapping begins at the name and leads to the other, and what minifiers write otherwise (`!0` for
//! `true`, quotes, brackets that nothing needs, `return` in an arrow function) counts as the same. So the range is
//! exact, or there is none: a text that a tool put together of several places has no author's text.

pub(super) mod tokens;

use crate::position::{ByteOffset, ByteSpan, LineIndex};

use super::{AuthorText, Original, SourceMap};
use tokens::{Kind, Token, Tokens};

/// Longer expressions are not looked up: nobody reads them in one line.
const LONGEST: usize = 4096;

impl SourceMap {
    /// The text of the generated expression at `span` as its author wrote it, if the map has the source and each token
    /// of the expression is there in the same order. `lines` are those of `generated`.
    #[must_use]
    pub fn original_text(
        &self,
        generated: &str,
        lines: &LineIndex,
        span: ByteSpan,
    ) -> Option<&str> {
        let text = generated.get(span.start.index()..span.end.index())?;
        if text.len() > LONGEST {
            return None;
        }
        let own: Vec<Token<'_>> =
            Tokens::new(generated, span.start.index(), span.end.index()).collect();
        let position = |at: usize| lines.position(generated, ByteOffset::from_index(at));
        let begin = lines.position(generated, span.start);
        let end = lines.position(generated, span.end);
        let mappings: Vec<Original> = self.within(begin, end).collect();
        let leads_to = |token: &Token<'_>| {
            let at = position(token.start);
            mappings.iter().filter(move |it| it.generated == at)
        };
        let first = own
            .iter()
            .position(|token| leads_to(token).next().is_some())?;
        let found = own.get(first)?;
        // `(0, module.name)` represents a name, whose place its own mapping says.
        let before: Vec<&str> = own.iter().take(first).map(|it| it.text).collect();
        let first = match before.as_slice() {
            [.., "(", "0", ","] => first - 3,
            _ => first,
        };
        let source = &leads_to(found).next()?.source;
        if mappings.iter().any(|it| it.source != *source) {
            return None;
        }
        let author = self.author_text(source)?;
        for original in leads_to(found) {
            let Some(start) = author.offset(original.position) else {
                continue;
            };
            let mapped = |token: &Token<'_>| {
                let places = leads_to(token).filter_map(|it| author.offset(it.position));
                places.collect::<Vec<usize>>()
            };
            if let Some((start, end)) = side_by_side(&own, first, (author, start), &mapped) {
                return author.text.get(start..end);
            }
        }
        None
    }
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// In both texts.
    Both,
    /// In the author's alone: a round one.
    Authors,
    /// In the author's alone: the block of an arrow function.
    Block,
    /// In the generated one alone: a round one.
    Generated,
}

/// Where the author's text of the tokens begins and ends: the one at `first` is at `start`.
fn side_by_side(
    own: &[Token<'_>],
    first: usize,
    (author, start): (AuthorText<'_>, usize),
    mapped: &dyn Fn(&Token<'_>) -> Vec<usize>,
) -> Option<(usize, usize)> {
    let mut open = Vec::new();
    let mut begins = start;
    // What is in front of the first mapping: brackets and operators.
    for token in own.get(..first)?.iter().rev() {
        let before = author.text.get(..begins)?.trim_end();
        match before.strip_suffix(token.text) {
            Some(rest) if token.kind == Kind::Sign => {
                begins = rest.len();
                if is_opening(token.text) {
                    open.insert(0, Open::Both);
                }
            }
            None if token.text == "(" => open.insert(0, Open::Generated),
            _ => return None,
        }
    }
    let mut walk = Walk {
        own,
        at: first,
        authors: Tokens::new(author.text, start, author.text.len()).peekable(),
        end: start,
        open,
        mapped,
    };
    while walk.at < own.len() {
        walk.step()?;
    }
    walk.close()?;
    Some((begins, walk.end))
}

/// Two texts that are read side by side.
struct Walk<'w, 't> {
    own: &'w [Token<'t>],
    /// The next token of the generated text.
    at: usize,
    authors: std::iter::Peekable<Tokens<'w>>,
    /// Where the last token of the author's text ended.
    end: usize,
    open: Vec<Open>,
    /// Where in the author's text the mappings of a token lead.
    mapped: &'w dyn Fn(&Token<'_>) -> Vec<usize>,
}

impl<'w, 't> Walk<'w, 't> {
    /// Goes over one token, or over one that is in one of the texts alone; `None`: they differ.
    fn step(&mut self) -> Option<()> {
        let own = *self.own.get(self.at)?;
        let author = *self.authors.peek()?;
        if author.kind == Kind::Word && self.skip_import(author)? {
            return Some(());
        }
        if let (Some(constant), Kind::Word) = (self.constant(), author.kind)
            && constant == author.text
        {
            self.at += 2;
            return self.take_author();
        }
        let is_closed = matches!(own.text, ")" | "]" | "}");
        match (author.text, self.open.last()) {
            (")", Some(Open::Authors)) | ("}", Some(Open::Block)) => {
                self.open.pop();
                return self.take_author();
            }
            _ => {}
        }
        if own.text == ")" && self.open.last() == Some(&Open::Generated) {
            self.open.pop();
            self.at += 1;
            return Some(());
        }
        if own.is_like(&author) {
            if own.kind == Kind::Word {
                let places = (self.mapped)(&own);
                if !places.is_empty() && !places.contains(&author.start) {
                    return None;
                }
            }
            if is_opening(own.text) {
                self.open.push(Open::Both);
            } else if is_closed {
                self.open.pop().filter(|it| *it == Open::Both)?;
            }
            self.at += 1;
            return self.take_author();
        }
        let is_name = |token: &Token<'_>| token.kind == Kind::Word && !token.is_number();
        if is_name(&own) && is_name(&author) && (self.mapped)(&own).contains(&author.start) {
            self.at += 1;
            return self.take_author();
        }
        match author.text {
            "(" => {
                self.open.push(Open::Authors);
                return self.take_author();
            }
            "{" if self.before(1).is_some_and(|it| it.text == "=>") => {
                self.take_author()?;
                if self.authors.peek()?.text != "return" {
                    return None;
                }
                self.open.push(Open::Block);
                return self.take_author();
            }
            "," if is_closed => return self.take_author(),
            ";" if own.text == "}" || self.open.last() == Some(&Open::Block) => {
                return self.take_author();
            }
            "," | "}" | "=" if own.text == ":" && self.is_behind_key() => {
                // `{ a }` became `{ a: e }`.
                self.at += 2;
                return Some(());
            }
            _ => {}
        }
        if own.text == "(" {
            self.open.push(Open::Generated);
            self.at += 1;
            return Some(());
        }
        None
    }

    /// What closes only in the author's text, behind the last token.
    fn close(&mut self) -> Option<()> {
        while let Some(open) = self.open.pop() {
            let closing = match open {
                Open::Authors => ")",
                Open::Block => "}",
                Open::Both | Open::Generated => return None,
            };
            while matches!(self.authors.peek()?.text, "," | ";") {
                self.take_author()?;
            }
            if self.authors.peek()?.text != closing {
                return None;
            }
            self.take_author()?;
        }
        Some(())
    }

    fn take_author(&mut self) -> Option<()> {
        self.end = self.authors.next()?.end;
        Some(())
    }

    /// The token of the generated text that is `back` before the next one.
    fn before(&self, back: usize) -> Option<&Token<'t>> {
        self.own.get(self.at.checked_sub(back)?)
    }

    /// Whether the token before the next one is a key of an object or of a pattern.
    fn is_behind_key(&self) -> bool {
        let is_word = self.before(1).is_some_and(|it| it.kind == Kind::Word);
        let value = self.own.get(self.at + 1);
        is_word
            && value.is_some_and(|it| it.kind == Kind::Word)
            && self
                .before(2)
                .is_some_and(|it| matches!(it.text, "{" | ","))
    }

    /// `true`, `false` or `undefined`, as minifiers write them.
    fn constant(&self) -> Option<&'static str> {
        let [first, second] = self.own.get(self.at..self.at + 2)? else {
            return None;
        };
        Some(match (first.text, second.text) {
            ("!", "0") => "true",
            ("!", "1") => "false",
            ("void", "0") => "undefined",
            _ => return None,
        })
    }

    /// `(0, module.name)` and `module.default`, which bundlers make of an imported name.
    fn skip_import(&mut self, author: Token<'_>) -> Option<bool> {
        let texts: Vec<&str> = self
            .own
            .iter()
            .skip(self.at)
            .take(6)
            .map(|it| it.text)
            .collect();
        match texts.as_slice() {
            ["(", "0", ",", _, ".", _, ..] => {
                let name = self.own.get(self.at + 3)?;
                let last = self.own.get(self.at + 5)?.text;
                let of_bracket = (self.mapped)(self.own.get(self.at)?);
                let is_it = (self.mapped)(name).contains(&author.start);
                if !(is_it || of_bracket.contains(&author.start))
                    || self.own.get(self.at + 6)?.text != ")"
                {
                    return Some(false);
                }
                self.at += 7;
                self.take_author()?;
                // `import * as module` keeps the name behind it.
                let mut ahead = self.authors.clone();
                let is_dot = ahead.next().is_some_and(|it| it.text == ".");
                if is_dot && ahead.next().is_some_and(|it| it.text == last) {
                    self.take_author()?;
                    self.take_author()?;
                }
                Some(true)
            }
            [_, ".", "default", ..] => {
                let name = self.own.get(self.at)?;
                if name.kind != Kind::Word || !(self.mapped)(name).contains(&author.start) {
                    return Some(false);
                }
                let mut ahead = self.authors.clone();
                ahead.next();
                let is_dot = ahead.next().is_some_and(|it| it.text == ".");
                if is_dot && ahead.next().is_some_and(|it| it.text == "default") {
                    return Some(false);
                }
                self.at += 3;
                self.take_author()?;
                Some(true)
            }
            _ => Some(false),
        }
    }
}

fn is_opening(text: &str) -> bool {
    matches!(text, "(" | "[" | "{")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_map::{Mapping, NONE, Source};

    /// The places of `^` in a text, and the text without them.
    fn marked(text: &str) -> (Vec<usize>, String) {
        let parts: Vec<&str> = text.split('^').collect();
        let mut places = Vec::new();
        let mut whole = String::new();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                places.push(whole.len());
            }
            whole.push_str(part);
        }
        (places, whole)
    }

    /// The author's text of what is between `«` and `»` of generated code; mappings begin at each `^`.
    fn original_of(generated: &str, author: &str) -> Option<String> {
        let (generated_places, generated) = marked(generated);
        let (author_places, author) = marked(author);
        assert_eq!(generated_places.len(), author_places.len(), "{generated}");

        let start = generated.find('«').unwrap() + '«'.len_utf8();
        let end = generated.find('»').unwrap();
        let lines = LineIndex::new(&generated);
        let author_lines = LineIndex::new(&author);
        let mappings = generated_places
            .iter()
            .zip(&author_places)
            .map(|(&at, &to)| Mapping {
                generated: lines.position(&generated, ByteOffset::from_index(at)),
                original: author_lines.position(&author, ByteOffset::from_index(to)),
                source: 0,
                name: NONE,
            });
        let map = SourceMap {
            mappings: mappings.collect(),
            sources: vec![Source {
                url: "app.ts".to_owned(),
                ignored: false,
                text: Some(author.clone()),
            }],
            ..SourceMap::default()
        };
        let span = ByteSpan {
            start: ByteOffset::from_index(start),
            end: ByteOffset::from_index(end),
        };
        map.original_text(&generated, &lines, span)
            .map(str::to_owned)
    }

    #[test]
    fn an_expression_is_read_in_its_authors_file() {
        for (generated, author, text) in [
            (
                "x=«^e.^count+^t.^amount»;",
                "x = ^context.^count + ^event.^amount;",
                "context.count + event.amount",
            ),
            (
                "«^e.^reduce((^t,^n)=>^t+^n.^p,0)»",
                "^list.^reduce((^sum, ^it) => ^sum + ^it.^p, 0)",
                "list.reduce((sum, it) => sum + it.p, 0)",
            ),
            (
                "«^e.^map(^t=>^t.^x)»}",
                "^items.^map((^item) => {\n  return ^item.^x;\n})",
                "items.map((item) => {\n  return item.x;\n})",
            ),
            (
                "«^`a ${^e} ${^t.^b}`»",
                "^`a ${^value} ${^it.^b}`",
                "`a ${value} ${it.b}`",
            ),
            (
                "«^f({a:^e,b:\"x\"},!0,void 0)»",
                "^f({ ^a, b: 'x', }, true, undefined)",
                "f({ a, b: 'x', }, true, undefined)",
            ),
            ("«^f(1e3,\"\\u20AC\")»", "^f(1000, '€')", "f(1000, '€')"),
            ("y=«(^e+1)*^t»", "y = (^a + 1) * ^b", "(a + 1) * b"),
            ("y=«^e+1+^t»", "y = (^a + 1) + ^b", ""),
            ("«!^e.^ok»", "! ^state.^ok", "! state.ok"),
            (
                "«(0,^J.default)(^e).^f()»",
                "^money(^x).^f()",
                "money(x).f()",
            ),
            ("«^(0,J.default)(^e)»", "^money(^x)", "money(x)"),
            ("«(0,^J.g)(^e)»", "^ns.g(^x)", "ns.g(x)"),
            (
                "«^k.default.^unparse(^e)»",
                "^Papa.^unparse(^rows)",
                "Papa.unparse(rows)",
            ),
            (
                "«^e.^replace(/a\\/b/g,^t)»",
                "^text.^replace(/a\\/b/g, ^with)",
                "text.replace(/a\\/b/g, with)",
            ),
            ("«^e/^t/2»", "^sum / ^n / 2", "sum / n / 2"),
            ("«^e==\"a\"»", "^kind === 'a'", "kind === 'a'"),
            (
                "«^f(^e)»",
                "^f(/* why */ ^x, // how\n)",
                "f(/* why */ x, // how\n)",
            ),
            (
                "«^f(async()=>^e)»",
                "^f(async () => (^x))",
                "f(async () => (x))",
            ),
        ] {
            let expected = (!text.is_empty()).then(|| text.to_owned());
            assert_eq!(original_of(generated, author), expected, "{generated}");
        }
    }

    #[test]
    fn what_is_put_together_of_several_places_has_no_text_of_its_author() {
        for (generated, author) in [
            // Two statements became one expression.
            ("«^e?^a:^b»", "if (^ok) return ^a; else return ^b"),
            // A constant was written in, an order was changed, a name leads elsewhere.
            ("«^e*19»", "^sum * RATE"),
            ("«\"a\"===^e»", "^kind === 'a'"),
            ("«^e+^t»", "^t + a; ^b"),
            // Nothing says that the other name is this one.
            ("«^e+t»", "^a + b"),
            ("«^f(^e)»", "^f(^x as number)"),
            ("«^f(^e)»", "^f(^x"),
            ("«e+t»", "a + b"),
            ("«^f(`${^e}`)»", "^f('' + ^e)"),
        ] {
            assert_eq!(original_of(generated, author), None, "{generated}");
        }
    }
}
