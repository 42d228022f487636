//! A fixture: one HTML page that holds a defect, the question and the answer that is right.
//!
//! The page opens with a comment; each of its lines says one thing:
//!
//! ```text
//! at POINT               the reproduction point; without it the mark R. `R#0` is a hit of the mark R,
//!                        `R-line` its line without the column, other text is a point as it is typed
//! ask QUERY              one query; the first unnamed one is Q1
//! B: 1 -> 2              what is expected of the point B: a change of an existing value,
//! B: created 2           the creation of a property or a binding,
//! B: 1 -> deleted        a deletion,
//! B: user 1 -> 2         a change that the user made, at no line,
//! B: never-changed 5     no change, and the value it has,
//! B: blind TEXT          no hook could see the write; the note holds TEXT,
//! B: not-reached TEXT    it was not reached; the note holds TEXT
//! B: unpredictable       a change whose values vary
//! T: event 2 of 3         which event of a trace query's result set, from 1
//! E: threw CLASS: MESSAGE  an exception that was caught; `uncaught CLASS: MESSAGE`: one that was not
//! C: condition true TEXT  the condition TEXT held; `false`: it did not
//! R: hit 1 of 3          which hit of how many
//! changes B 3            how many changes there were
//! function B NAME        the function it is in
//! cause B TEXT           what made it, `click on #box`
//! note B TEXT            the note of a change that was found holds TEXT
//! note-without B TEXT    it does not hold TEXT
//! operand C TEXT = VALUE  the condition's operand TEXT had that value
//! frame C 1              the condition was evaluated in that frame (0 unless said)
//! exception T CLASS: MESSAGE  that was thrown at it
//! scope B NAME TEXT      at B the variable NAME is TEXT
//! scope-is-new B NAME    at B the variable NAME has the value that B wrote
//! same B C               both wrote one object, or one activation's variable
//! other B C              they wrote different ones
//! made B eval 2:1        B is in a text that the call at the mark made code of, at its line 2, column 1;
//! made B eval 2:1 a.js   its address is the one it gives itself
//! executions 3           how many there may be (2 unless said): fewer where they read ahead
//! form TEXT              what `docs/reference/write-forms.md` calls it, if not by the name of its file
//! diverges               the executions do not agree: there are two at least
//! all-seen               there are no blind spots
//! do click #box          the user clicks; `do change #field text` types into a field or chooses, `do press Enter`
//!                        presses a key; the steps of the recording, in order
//! also standby           asked once more with dormant hooks everywhere
//! also command           asked once more through the command
//! ```
//!
//! Where a change happens is marked in the code: the comment `/*B*/` is just before the place. The page's
//! other files are called as it is, with one more part: `name.html`, `name.lib.js`.

mod compare;
mod expected;
mod facts;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub(crate) use expected::Expected;
use expected::expected;
use facts::Fact;

/// One fixture, read.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    /// Its group and its name, `group/name`.
    pub name: String,
    /// The page.
    pub page: PathBuf,
    /// The reproduction point as it is typed.
    pub at: String,
    /// The queries.
    pub queries: Vec<String>,
    /// The steps of the recording, as its JSON has them.
    steps: Vec<Value>,
    /// Whether it is asked with dormant hooks everywhere as well.
    pub standby: bool,
    /// Whether it is asked through the command as well.
    pub command: bool,
    /// What it is called in the table of forms; empty: as its file.
    pub(crate) form: String,
    pub(crate) expected: Vec<(String, Expected)>,
    facts: Vec<Fact>,
    executions: u64,
    diverges: bool,
    is_all_seen: bool,
    pub(crate) marks: BTreeMap<String, Mark>,
}

/// A place in one of the fixture's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The file's name.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in UTF-16 code units.
    pub column: usize,
}

/// Where a fixture says that a value changed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where<'f> {
    /// At a mark.
    At(&'f Mark),
    /// Nowhere.
    Never,
    /// In a text that became code, by the user, in no place that could be seen.
    Elsewhere,
}

/// All fixtures below `folder`, in order.
///
/// # Errors
/// A folder or file that cannot be read, a page that is no fixture, a file that belongs to none.
pub fn fixtures(folder: &Path) -> Result<Vec<Fixture>, String> {
    read(folder, |_| true)
}

/// The fixture below `folder` of this name, `group/name`, and no other is read: a runner that starts a process for each
/// test does it for each. None: there is none.
///
/// # Errors
/// Those of [`fixtures`], but for what is wrong with others.
pub fn fixture(folder: &Path, name: &str) -> Result<Option<Fixture>, String> {
    Ok(read(folder, |it| it == name)?.pop())
}

/// The fixtures whose name, `group/name`, is wanted.
fn read(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Fixture>, String> {
    let mut fixtures = Vec::new();
    for group in listing(folder)? {
        if !group.is_dir() {
            return Err(format!("{} is in no group", group.display()));
        }
        let files = listing(&group)?;
        let is_page = |file: &PathBuf| {
            name_of(file)
                .strip_suffix(".html")
                .is_some_and(|stem| !stem.contains('.'))
        };
        for file in files.iter().filter(|file| !is_page(file)) {
            let stem = name_of(file)
                .split('.')
                .next()
                .unwrap_or_default()
                .to_owned();
            if !group.join(format!("{stem}.html")).is_file() {
                return Err(format!("{} belongs to no page", file.display()));
            }
        }
        for page in files.iter().filter(|file| is_page(file)) {
            let group = name_of(&group);
            let name = format!("{group}/{}", name_of(page).trim_end_matches(".html"));
            if !is_wanted(&name) {
                continue;
            }
            let fixture = Fixture::read(page, &group, &files)
                .map_err(|problem| format!("{}: {problem}", page.display()))?;
            fixtures.push(fixture);
        }
    }
    Ok(fixtures)
}

fn listing(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(problem)? {
        entries.push(entry.map_err(problem)?.path());
    }
    entries.sort();
    Ok(entries)
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

impl Fixture {
    fn read(page: &Path, group: &str, files: &[PathBuf]) -> Result<Self, String> {
        let text = fs::read_to_string(page).map_err(|error| error.to_string())?;
        let (_, rest) = text
            .split_once("<!--")
            .ok_or("no comment says what is asked")?;
        let (comment, _) = rest.split_once("-->").ok_or("the comment does not end")?;
        let stem = name_of(page).trim_end_matches(".html").to_owned();
        let mut fixture = Self {
            name: format!("{group}/{stem}"),
            page: page.to_owned(),
            at: "R".to_owned(),
            executions: 2,
            ..Self::default()
        };
        for line in comment
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
        {
            fixture
                .line(line)
                .ok_or_else(|| format!("not understood: {line}"))?;
        }
        if fixture.queries.is_empty() || fixture.expected.is_empty() {
            return Err("it asks or expects nothing".to_owned());
        }
        for file in files {
            let name = name_of(file);
            if name.split('.').next() == Some(&stem) {
                let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
                fixture.find_marks(&name, &text);
            }
        }
        fixture.check_marks()?;
        fixture.at = fixture.point()?;
        Ok(fixture)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        if let Some(name) = word.strip_suffix(':') {
            self.expected.push((name.to_owned(), expected(rest)?));
            return Some(());
        }
        let two = || {
            rest.split_once(' ')
                .map(|(one, two)| (one.to_owned(), two.trim().to_owned()))
        };
        match word {
            "at" => rest.clone_into(&mut self.at),
            "form" => rest.clone_into(&mut self.form),
            "ask" => self.queries.push(rest.to_owned()),
            "do" => self.steps.extend(steps(rest)?),
            "cause" => {
                let (name, cause) = two()?;
                self.facts.push(Fact::Cause(name, cause));
            }
            "changes" => {
                let (name, count) = two()?;
                self.facts.push(Fact::Changes(name, count.parse().ok()?));
            }
            "function" => {
                let (name, function) = two().unwrap_or((rest.to_owned(), String::new()));
                self.facts.push(Fact::Function(name, function));
            }
            "note-without" => {
                let (name, text) = two()?;
                self.facts.push(Fact::NoteWithout(name, text));
            }
            "note" => {
                let (name, note) = two()?;
                self.facts.push(Fact::Note(name, note));
            }
            "scope" => {
                let (name, rest) = two()?;
                let (variable, text) = rest.split_once(' ')?;
                self.facts
                    .push(Fact::Scope(name, variable.to_owned(), text.to_owned()));
            }
            "operand" => {
                let (name, rest) = two()?;
                let (expression, value) = rest.split_once(" = ")?;
                self.facts
                    .push(Fact::Operand(name, expression.to_owned(), value.to_owned()));
            }
            "frame" => {
                let (name, frame) = two()?;
                self.facts.push(Fact::Frame(name, frame.parse().ok()?));
            }
            "exception" => {
                let (name, exception) = two()?;
                self.facts.push(Fact::Exception(name, exception));
            }
            "scope-is-new" => {
                let (name, variable) = two()?;
                self.facts.push(Fact::ScopeIsNew(name, variable));
            }
            "same" | "other" => {
                let (one, another) = two()?;
                self.facts.push(Fact::Same(one, another, word == "same"));
            }
            "made" => {
                let words: Vec<&str> = rest.split(' ').collect();
                let (point, by, place) = match words.as_slice() {
                    [point, by, place] | [point, by, place, _] => (point, by, place),
                    _ => return None,
                };
                let (line, column) = place.split_once(':')?;
                self.facts.push(Fact::Made {
                    point: (*point).to_owned(),
                    by: (*by).to_owned(),
                    line: line.parse().ok()?,
                    column: column.parse().ok()?,
                    url: words.get(3).map(|&url| url.to_owned()),
                });
            }
            "executions" => self.executions = rest.parse().ok()?,
            "diverges" => self.diverges = true,
            "all-seen" => self.is_all_seen = true,
            "also" => match rest {
                "standby" => self.standby = true,
                "command" => self.command = true,
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }

    fn find_marks(&mut self, file: &str, text: &str) {
        // What the opening comment says are no marks.
        let start = if file == name_of(&self.page) {
            text.find("-->").unwrap_or(0)
        } else {
            0
        };
        let mut at = start;
        while let Some(open) = text[at..].find("/*").map(|found| at + found) {
            let Some(close) = text[open..].find("*/").map(|found| open + found) else {
                return;
            };
            at = close + 2;
            let before = &text[..at];
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let mark = Mark {
                file: file.to_owned(),
                line: before.matches('\n').count() + 1,
                column: text[line_start..at].encode_utf16().count() + 1,
            };
            for name in text[open + 2..close].split(',') {
                if name == "R" || self.expected.iter().any(|(expected, _)| expected == name) {
                    self.marks.insert(name.to_owned(), mark.clone());
                }
            }
        }
    }

    fn check_marks(&self) -> Result<(), String> {
        for (name, expected) in &self.expected {
            let needs_mark = matches!(
                expected,
                Expected::Change { .. }
                    | Expected::Deletion { .. }
                    | Expected::Condition { .. }
                    | Expected::Exception { .. }
                    | Expected::Event { .. }
                    | Expected::Unpredictable
            );
            if needs_mark && !self.is_made(name) && !self.marks.contains_key(name) {
                return Err(format!("no mark /*{name}*/ says where {name} is"));
            }
        }
        Ok(())
    }

    /// Whether its executions do not agree.
    #[must_use]
    pub fn diverges(&self) -> bool {
        self.diverges
    }

    /// The name of its group.
    #[must_use]
    pub fn group(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// The recording of what the user does, as JSON, if anything.
    #[must_use]
    pub fn recording(&self) -> Option<String> {
        let recording = json!({ "title": self.name, "steps": self.steps });
        (!self.steps.is_empty()).then(|| recording.to_string())
    }

    /// The mark of this name.
    #[must_use]
    pub fn mark(&self, name: &str) -> Option<&Mark> {
        self.marks.get(name)
    }

    /// Where the value changed that the point of this name asks for.
    #[must_use]
    pub fn changed(&self, name: &str) -> Where<'_> {
        let expected = self.expected.iter().find(|(point, _)| point == name);
        match (expected.map(|(_, expected)| expected), self.mark(name)) {
            (Some(Expected::NeverChanged { .. }), _) => Where::Never,
            (Some(Expected::Change { .. } | Expected::Deletion { .. }), Some(mark))
                if !self.is_made(name) =>
            {
                Where::At(mark)
            }
            _ => Where::Elsewhere,
        }
    }

    /// Whether the point is in a text that the page made code of; the call may be in such a text itself.
    fn is_made(&self, name: &str) -> bool {
        self.facts
            .iter()
            .any(|fact| matches!(fact, Fact::Made { point, .. } if point == name))
    }

    /// The point as the command takes it.
    fn point(&self) -> Result<String, String> {
        let Some(rest) = self.at.strip_prefix('R') else {
            return Ok(self.at.clone());
        };
        let mark = self.marks.get("R").ok_or("no mark /*R*/ says where R is")?;
        Ok(match rest.strip_prefix("-line") {
            Some(hit) => format!("{}:{}{hit}", mark.file, mark.line),
            None => format!("{}:{}:{}{rest}", mark.file, mark.line, mark.column),
        })
    }
}

/// The steps of one line: `click #box`, `change #field text`, `press Enter`.
fn steps(text: &str) -> Option<Vec<Value>> {
    let (action, rest) = text.split_once(' ')?;
    let selectors = |selector: &str| json!([[selector]]);
    Some(match action {
        "click" => {
            let (x, y) = (5, 5);
            vec![
                json!({ "type": "click", "selectors": selectors(rest), "offsetX": x, "offsetY": y }),
            ]
        }
        "change" => {
            let (selector, value) = rest.split_once(' ')?;
            vec![json!({ "type": "change", "selectors": selectors(selector), "value": value })]
        }
        "press" => ["keyDown", "keyUp"]
            .map(|kind| json!({ "type": kind, "key": rest }))
            .to_vec(),
        _ => return None,
    })
}
