//! A log as tables, for SQL and for files that other tools read.
//!
//! [`RELATIONS`] lists them with what each column means; the guide's tables are written from it. [`Relations`] has the
//! rows: nothing is copied but what an index needs, a cell is worked out when it is asked for.

mod tables;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use crate::ids::FunctionId;
use crate::model::{Call, Model, NONE, VariableWrite};

pub use tables::RELATIONS;

/// What is in a row, in one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'m> {
    /// Nothing: not recorded, or there is none.
    Null,
    /// A number of something, or a position.
    Integer(i64),
    /// A number of the page.
    Real(f64),
    /// Text.
    Text(Cow<'m, str>),
}

impl From<u32> for Cell<'_> {
    /// [`NONE`] is null.
    fn from(number: u32) -> Self {
        match number {
            NONE => Self::Null,
            number => Self::Integer(i64::from(number)),
        }
    }
}

impl<'m> From<&'m str> for Cell<'m> {
    /// An empty text is null.
    fn from(text: &'m str) -> Self {
        match text {
            "" => Self::Null,
            text => Self::Text(Cow::Borrowed(text)),
        }
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        match text.is_empty() {
            true => Self::Null,
            false => Self::Text(Cow::Owned(text)),
        }
    }
}

impl From<bool> for Cell<'_> {
    fn from(is: bool) -> Self {
        Self::Integer(i64::from(is))
    }
}

/// What the cells of a column are, beside null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// [`Cell::Integer`]
    Integer,
    /// [`Cell::Real`]
    Real,
    /// [`Cell::Text`]
    Text,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its cells are.
    pub kind: ColumnKind,
    /// What it means.
    pub about: &'static str,
    cell: for<'m> fn(&'m Relations, u32) -> Cell<'m>,
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Relation {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub about: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    rows: fn(&Relations) -> usize,
    indexes: &'static [Index],
}

/// A column by which rows are found without looking at all of them.
#[derive(Clone, Copy, Debug)]
struct Index {
    column: &'static str,
    /// Whether the rows are sorted by it, so that a range can be found too.
    is_sorted: bool,
    find: fn(&Relations, &Wanted<'_>) -> Rows,
}

/// Which values of a column are wanted; of a range both ends are in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted<'m> {
    /// This one.
    Equal(Cell<'m>),
    /// From one number to another.
    Between(i64, i64),
}

/// Some rows of a table, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One behind the other.
    Range(Range<u32>),
    /// Here and there.
    List(Vec<u32>),
}

impl Rows {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::List(list) => list.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The one with an index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u32> {
        match self {
            Self::Range(range) => {
                let row = range.start.checked_add(u32::try_from(index).ok()?)?;
                range.contains(&row).then_some(row)
            }
            Self::List(list) => list.get(index).copied(),
        }
    }
}

/// The arguments of one call, of code with hooks or without.
#[derive(Clone, Copy, Debug)]
struct Passed {
    /// The first, among all arguments of the log.
    from: u32,
    count: u32,
    /// The event with which the call begins; of code without hooks the event of its end.
    seq: u32,
    stream: u16,
    function: FunctionId,
}

/// The rows of all tables of a log.
#[derive(Debug)]
pub struct Relations {
    model: Model,
    /// Writes of variables: which, and by which event; by variable and event.
    variables: Vec<(u32, VariableWrite)>,
    /// Whose arguments are where.
    arguments: Vec<Passed>,
    /// Objects before those of a realm.
    objects: Vec<u32>,
    /// Parents with their calls, sorted.
    children: OnceLock<Vec<(u32, u32)>>,
    /// Functions with their calls, sorted.
    calls: OnceLock<Vec<(u32, u32)>>,
}

impl Relations {
    /// The tables of a log.
    #[must_use]
    pub fn new(model: Model) -> Self {
        let mut variables: Vec<(u32, VariableWrite)> = Vec::new();
        for (&variable, writes) in &model.variables {
            variables.extend(writes.iter().map(|&write| (variable, write)));
        }
        variables.sort_by_key(|(variable, write)| (*variable, write.event));
        let of_calls = model.calls.iter().filter_map(|call| {
            let (from, count) = call.arguments;
            (count != NONE && count > 0).then_some(Passed {
                from,
                count,
                seq: call.enter,
                stream: call.stream,
                function: call.function,
            })
        });
        let of_libraries = model.library_arguments.iter();
        let of_libraries = of_libraries.map(|&(seq, from, count)| Passed {
            from,
            count,
            seq,
            stream: model.events.get(seq as usize).map_or(0, |it| it.stream),
            function: FunctionId::NONE,
        });
        let mut arguments: Vec<Passed> = of_calls.chain(of_libraries).collect();
        arguments.sort_unstable_by_key(|passed| passed.from);
        let mut before = 0_u32;
        let mut objects = Vec::with_capacity(model.streams.len());
        for stream in &model.streams {
            objects.push(before);
            before = before.saturating_add(u32::try_from(stream.objects.len()).unwrap_or(NONE));
        }
        Self {
            model,
            variables,
            arguments,
            objects,
            children: OnceLock::new(),
            calls: OnceLock::new(),
        }
    }

    /// The log.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// How many rows a table has; those from 2³² - 1 on are left out.
    #[must_use]
    pub fn rows(&self, relation: &Relation) -> u32 {
        u32::try_from((relation.rows)(self)).unwrap_or(NONE)
    }

    /// What is in a row, in one column.
    #[must_use]
    pub fn cell(&self, relation: &Relation, row: u32, column: usize) -> Cell<'_> {
        match relation.columns.get(column) {
            Some(column) => (column.cell)(self, row),
            None => Cell::Null,
        }
    }

    /// The rows that may have the wanted value in a column; `None`: there is no index of it.
    #[must_use]
    pub fn find(&self, relation: &Relation, column: usize, wanted: &Wanted<'_>) -> Option<Rows> {
        let index = relation.index(column)?;
        match wanted {
            Wanted::Between(..) if !index.is_sorted => None,
            wanted => Some((index.find)(self, wanted)),
        }
    }

    /// The calls of a call or, of none, those that nothing called.
    fn children(&self) -> &[(u32, u32)] {
        self.children.get_or_init(|| self.pairs(|call| call.parent))
    }

    fn calls_by_function(&self) -> &[(u32, u32)] {
        self.calls
            .get_or_init(|| self.pairs(|call| call.function.0))
    }

    fn pairs(&self, of: impl Fn(&Call) -> u32) -> Vec<(u32, u32)> {
        let calls = self.model.calls.iter().zip(0..);
        let mut pairs: Vec<(u32, u32)> = calls.map(|(call, number)| (of(call), number)).collect();
        pairs.sort_unstable();
        pairs
    }
}

impl Relation {
    /// The table of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        RELATIONS.iter().find(|relation| relation.name == name)
    }

    /// Whether rows are found by a column without looking at all of them, and whether they are sorted by it.
    #[must_use]
    pub fn indexed(&self, column: usize) -> Option<bool> {
        self.index(column).map(|index| index.is_sorted)
    }

    fn index(&self, column: usize) -> Option<&'static Index> {
        let name = self.columns.get(column)?.name;
        self.indexes.iter().find(|index| index.column == name)
    }
}
