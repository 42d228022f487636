//! The part of a text that is followed: which operand of a template, a sum or a list that is joined has it.
//!
//! A page shows `Ann` of the markup that it wrote. Of what made the markup, the log has the values: the operand that
//! alone has the text is where it comes from. Where it may be in two of them, or across the end of one, nothing is
//! said.

use event_log::model::Key;
use event_log::value::Value as Seen;
use js_analysis::origin::{Call, Form, Operator, Value};
use querypoint::answer::{Hop, HopKind};

use super::{InLog, Next, Spot};

/// A part of a text: `None` where the log does not have all of it.
type Part = Option<String>;

impl InLog<'_> {
    /// From now on, this part of a text is followed; `None`: all of it.
    pub(super) fn look_for(&self, part: Option<String>) {
        *self.part.borrow_mut() = part;
    }

    /// The part of a text that is followed.
    pub(super) fn looked_for(&self) -> Option<String> {
        self.part.borrow().clone()
    }

    /// Of a template or a sum: the operand that has the part which is followed.
    pub(super) fn part_of_operation(
        &self,
        spot: Spot,
        value: &Value,
        wanted: &str,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        let Form::Operation {
            operands, operator, ..
        } = &value.form
        else {
            return None;
        };
        let (mut parts, mut of): (Vec<Part>, Vec<Option<&Value>>) = (Vec::new(), Vec::new());
        match operator {
            Operator::Template(texts) => {
                let mut operands = operands.iter();
                for text in texts {
                    parts.push(Some(text.clone()));
                    of.push(None);
                    if let Some(operand) = operands.next() {
                        parts.push(self.text_of_operand(spot, operand));
                        of.push(Some(operand));
                    }
                }
            }
            Operator::Add => {
                for operand in operands {
                    parts.push(self.text_of_operand(spot, operand));
                    of.push(Some(operand));
                }
            }
            _ => return None,
        }
        let operand = (*of.get(the_part(&parts, wanted)?)?)?;
        // A variable that was written again since: no object is a part of a text.
        if self
            .evaluated(spot, operand, 0)
            .is_some_and(|value| value.object().is_some())
        {
            return None;
        }
        let before = hops.len();
        let own = self.text_of_operand(spot, operand);
        if own.as_deref() == Some(wanted) {
            self.look_for(None);
        }
        let next = self.passed_on(HopKind::Conversion, spot, value, operand, hops);
        if next.is_none() {
            hops.truncate(before);
        }
        next
    }

    /// The operand of a sum or template of texts that is all of it, for the others are empty.
    pub(super) fn only_with_text<'v>(&self, spot: Spot, value: &'v Value) -> Option<&'v Value> {
        let Form::Operation {
            operands, operator, ..
        } = &value.form
        else {
            return None;
        };
        let is_text = match operator {
            Operator::Template(texts) => texts.iter().all(String::is_empty),
            Operator::Add => operands.iter().any(|it| self.is_text_operand(spot, it)),
            _ => false,
        };
        let mut full = operands
            .iter()
            .filter(|it| self.text_of_operand(spot, it).as_deref() != Some(""));
        match (full.next(), full.next()) {
            (Some(only), None) if is_text && !only.is_constant() => Some(only),
            _ => None,
        }
    }

    /// Whether an operand is a text, so that a sum with it is one.
    fn is_text_operand(&self, spot: Spot, operand: &Value) -> bool {
        match self.evaluated(spot, operand, 0) {
            Some(value) => matches!(value, Seen::String(_) | Seen::LongString { .. }),
            None => operand.form == Form::Literal && self.text_of_operand(spot, operand).is_some(),
        }
    }

    /// `list.join(text)`: the element that has the part which is followed.
    pub(super) fn part_of_joined(
        &self,
        spot: Spot,
        value: &Value,
        call: &Call,
        wanted: &str,
        hops: &mut Vec<Hop>,
    ) -> Option<Next> {
        /// How many elements are looked through.
        const MOST: usize = 10_000;
        let receiver = call.receiver.as_ref()?;
        let list = self.evaluated(spot, receiver, 0)?.object()?;
        let stream = spot.moment.stream;
        let between = match call.arguments.first() {
            None => ",".to_owned(),
            Some(argument) => self.text_of_operand(spot, &argument.value)?,
        };
        let (mut parts, mut elements): (Vec<Part>, Vec<Option<(usize, Seen)>>) =
            (Vec::new(), Vec::new());
        for index in 0..MOST {
            let key = Key::Property(index.to_string());
            let Some(write) = self.property(stream, list.0, &key, spot.moment.at) else {
                break;
            };
            if index > 0 {
                parts.push(Some(between.clone()));
                elements.push(None);
            }
            parts.push(match write.value {
                Seen::LongString { .. } | Seen::Object(_) | Seen::Function(_) | Seen::Unknown => {
                    None
                }
                Seen::Undefined | Seen::Null | Seen::Absent => Some(String::new()),
                value => Some(event_log::model::plain_text(self.model, stream, value)),
            });
            elements.push(Some((index, write.value)));
        }
        let at = the_part(&parts, wanted)?;
        let (index, seen) = (*elements.get(at)?)?;
        if parts.get(at)?.as_deref() == Some(wanted) {
            self.look_for(None);
        }
        let name = format!("{}[{index}]", self.named(spot, receiver));
        hops.extend(self.hop(
            HopKind::Conversion,
            spot.script,
            value.span.start,
            (stream, seen),
            name,
        ));
        Some(self.element_of(spot, receiver, index, seen, hops))
    }

    /// Whether a literal is another value than the one that was read: then it is not where that was made.
    pub(super) fn is_other_value(&self, spot: Spot, literal: &Value, seen: Seen) -> bool {
        if matches!(seen, Seen::Unknown | Seen::Absent | Seen::Accessor) {
            return false;
        }
        if matches!(literal.form, Form::Object(_) | Form::Array { .. }) {
            return seen.object().is_none();
        }
        let home = self.home(spot.script);
        let text = home.and_then(|home| self.sources.text_at(home, literal.span));
        let Some(text) = text.filter(|_| literal.form == Form::Literal) else {
            return false;
        };
        match (literal_text(text), text.parse::<f64>(), seen) {
            (Some(text), _, Seen::String(id)) => self.model.text(spot.moment.stream, id.0) != text,
            (Some(_), _, Seen::LongString { .. }) => false,
            (None, Ok(number), Seen::Number(seen)) => {
                number != seen && !(number.is_nan() && seen.is_nan())
            }
            (Some(_), ..) | (None, Ok(_), _) => true,
            _ => false,
        }
    }

    /// What an operand is as a text; `None`: the log does not have all of it.
    fn text_of_operand(&self, spot: Spot, operand: &Value) -> Part {
        if operand.form == Form::Literal
            && let Some(home) = self.home(spot.script)
            && let Some(text) = self
                .sources
                .text_at(home, operand.span)
                .and_then(literal_text)
        {
            return Some(text);
        }
        if let Form::Conditional { .. } | Form::Logical { .. } = &operand.form {
            let chosen = self.chosen(spot, operand)?;
            return self.text_of_operand(spot, chosen);
        }
        let operands = std::slice::from_ref(operand);
        let whole = Operator::Template(vec![String::new(), String::new()]);
        let text = self.computed_part(spot, &whole, operands, 0)?;
        Some(text.text())
    }
}

/// The text that a literal in quotes is, without its escapes; `None`: it is none, or has an escape of another kind.
pub(super) fn literal_text(literal: &str) -> Option<String> {
    let quote = literal.chars().next().filter(|it| "'\"`".contains(*it))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut characters = inner.chars();
    let mut text = String::new();
    while let Some(character) = characters.next() {
        // Several literals that an operator joins.
        if character == quote || quote == '`' && text.ends_with('$') && character == '{' {
            return None;
        }
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            // A line of the program that goes on in the next one.
            '\n' => {}
            'u' | 'x' | 'b' | 'f' | 'v' | '0'..='9' | '\r' => return None,
            other => text.push(other),
        }
    }
    Some(text)
}

/// Which of the parts of a text has all of what is wanted; `None`: none, or more than one may.
fn the_part(parts: &[Part], wanted: &str) -> Option<usize> {
    let count = |part: &str| {
        let starts = part.char_indices().map(|(at, _)| at);
        starts.filter(|&at| part[at..].starts_with(wanted)).count()
    };
    // It may begin at the end of one part and end in the next.
    let may_cross = parts.windows(2).any(|pair| match pair {
        [left, right] => wanted.char_indices().skip(1).any(|(at, _)| {
            let (begin, rest) = wanted.split_at(at);
            let left = left.as_ref().is_none_or(|left| left.ends_with(begin));
            left && right
                .as_ref()
                .is_none_or(|right| right.starts_with(rest) || rest.starts_with(right.as_str()))
        }),
        _ => false,
    });
    if wanted.is_empty() || may_cross {
        return None;
    }
    let mut found = None;
    for (at, part) in parts.iter().enumerate() {
        match part.as_ref().map_or(1, |part| count(part)) {
            0 => {}
            1 if found.is_none() => found = Some(at),
            _ => return None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{literal_text, the_part};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_part_is_found_where_it_can_only_be_one() {
        for (parts, wanted, found) in [
            (
                &[Some("<b>"), Some("Ann"), Some("</b>")][..],
                "Ann",
                Some(1),
            ),
            // In a longer part, and in one that is not known.
            (&[Some("<li>"), Some("1: Ann, 2")], "Ann", Some(1)),
            (&[Some("<ul>"), None, Some("</ul>")], "Ann", Some(1)),
            // In two, or twice in one.
            (&[Some("Ann"), Some("<i>"), Some("Ann")], "Ann", None),
            (&[Some("Ann Ann")], "Ann", None),
            (&[Some("Ann"), Some("<i>"), None], "Ann", None),
            // Across the end of one, by chance.
            (&[Some("An"), Some("n"), Some("Ann")], "Ann", None),
            (&[Some("A"), None], "Ann", None),
            (&[Some("x"), Some("y")], "Ann", None),
            (&[Some("x")], "", None),
        ] {
            let parts: Vec<Option<String>> =
                parts.iter().map(|part| part.map(str::to_owned)).collect();
            assert_eq!(the_part(&parts, wanted), found, "{parts:?} {wanted}");
        }
    }

    #[test]
    fn a_literal_is_read_as_the_program_reads_it() {
        for (literal, text) in [
            (r#"'plain'"#, Some("plain")),
            (r#"'\n'"#, Some("\n")),
            (r#""a \"b\" \\ c""#, Some("a \"b\" \\ c")),
            (r#"'it\'s'"#, Some("it's")),
            ("`over\ntwo lines`", Some("over\ntwo lines")),
            (r#"'\u0041'"#, None),
            ("12", None),
            ("'open", None),
        ] {
            assert_eq!(literal_text(literal).as_deref(), text, "{literal}");
        }
    }
}
