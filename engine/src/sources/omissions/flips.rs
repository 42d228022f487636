//! Edits of scripts: a test that comes out otherwise once, an operation that is counted where it ends.

use js_analysis::position::{ByteOffset, ByteSpan};

use super::{ExpressionAt, Flip, LocatedOperation};
use crate::sources::Sources;

impl Sources {
    /// From now on a test comes out otherwise once.
    /// `home`: requests to other servers than this are not sent; none: they are.
    pub(crate) fn turn_round(&mut self, flip: Flip, home: Option<String>) {
        self.flip = Some(flip);
        self.confined_to = home;
    }

    /// The only server that requests are sent to, if others are held back.
    pub(crate) fn confined_to(&self) -> Option<&str> {
        self.confined_to.as_deref()
    }

    /// What the page's realms need for that: `$QpFlip(test)` is the test but for one time.
    pub(crate) fn flip_helper(&self) -> String {
        let p = &self.collection.prefix;
        if let Some(ends) = &self.ends {
            let name = &ends.name;
            return format!("const {name}=[];const {p}End=(n,v)=>({name}[n]=({name}[n]||0)+1,v);");
        }
        let Some(flip) = &self.flip else {
            return String::new();
        };
        let number = flip.number;
        let wanted = match flip.wanted {
            Some(wanted) => wanted.to_string(),
            None => "!v".to_owned(),
        };
        format!("let {p}Flips=0;const {p}Flip=v=>++{p}Flips==={number}?{wanted}:v;")
    }

    /// The edits that turn a test round, or count what ends, in the script at `span` of a text: where, and
    /// what is inserted.
    pub(in crate::sources) fn flip_edits(
        &self,
        url: &str,
        span: ByteSpan,
    ) -> Vec<(ByteOffset, String)> {
        let p = &self.collection.prefix;
        let is_in = |other: &str, begins: ByteOffset| other == url && begins == span.start;
        let mut edits = Vec::new();
        if let Some(flip) = self
            .flip
            .as_ref()
            .filter(|flip| is_in(&flip.url, flip.begins))
        {
            edits.push((flip.span.start, format!("{p}Flip((")));
            edits.push((flip.span.end, "))".to_owned()));
        }
        let ends = self.ends.iter().flat_map(|ends| &ends.operations);
        for (number, end) in ends.enumerate() {
            if is_in(&end.url, end.begins) {
                edits.push((end.span.start, format!("{p}End({number},(")));
                edits.push((end.span.end, "))".to_owned()));
            }
        }
        edits
    }

    /// From now on it is counted how often operations end, in a list of the page's that is called
    /// `name`: an exception may be in their middle.
    pub(crate) fn count_ends(&mut self, name: &str, operations: &[LocatedOperation]) {
        let places = operations.iter().map(|operation| operation.at.clone());
        self.ends = Some(CountedEnds {
            name: name.to_owned(),
            operations: places.collect(),
        });
    }
}

/// The operations that are counted where they end.
#[derive(Debug)]
pub(in crate::sources) struct CountedEnds {
    /// The list in the page that has the numbers.
    name: String,
    operations: Vec<ExpressionAt>,
}
