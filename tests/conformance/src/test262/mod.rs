//! Tests of test262, ECMAScript's own suite: what passes plain passes rewritten.
//!
//! Two layouts are read: that of the suite itself (`harness/`, `test/`), and that of SpiderMonkey's sources
//! (`js/src/tests/test262`, in Debian's source package `mozjs78`), where the harness is in files `shell.js`
//! beside the tests.

pub mod process;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use js_analysis::Goal;

/// A folder of tests.
pub struct Suite {
    root: PathBuf,
    /// Where the tests are.
    tests: PathBuf,
    /// Where the harness is, if it is apart.
    harness: Option<PathBuf>,
}

/// One test, in one of the modes in which it is to be run.
pub struct Case {
    /// Its file.
    pub path: PathBuf,
    /// Its file within the suite and, if it runs so, `strict`.
    pub name: String,
    /// What runs.
    pub source: String,
    /// How it is read.
    pub goal: Goal,
    /// The harness: scripts that run before it.
    pub before: Vec<PathBuf>,
    /// Whether it is over when it calls `$DONE`.
    pub is_async: bool,
    /// The name of the error that it must end with.
    pub negative: Option<String>,
}

impl Suite {
    /// The suite at `root`.
    ///
    /// # Errors
    /// If there is none.
    pub fn at(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        let harness =
            Some(root.join("harness")).filter(|folder| folder.join("assert.js").is_file());
        let tests = match harness {
            Some(_) => root.join("test"),
            None => root.clone(),
        };
        if harness.is_none() && !root.join("shell.js").is_file() {
            let message = format!("{} is no folder of test262", root.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        Ok(Self {
            root,
            tests,
            harness,
        })
    }

    /// The files of the tests whose path within the suite holds `part`, in order.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn files(&self, part: &str) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let mut folders = vec![self.tests.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if is_test(&path) && self.name(&path).contains(part) {
                    files.push(path);
                }
            }
        }
        files.sort();
        Ok(files)
    }

    fn name(&self, path: &Path) -> String {
        let within = path.strip_prefix(&self.root).unwrap_or(path);
        within.display().to_string()
    }

    /// A file's cases; none if it is no text.
    #[must_use]
    pub fn cases(&self, path: &Path) -> Vec<Case> {
        let Ok(source) = fs::read_to_string(path) else {
            return Vec::new();
        };
        let front = FrontMatter::of(&source);
        let (raw, module) = (front.has("raw"), front.has("module"));
        let modes: &[bool] = match () {
            () if raw || module || front.has("noStrict") => &[false],
            () if front.has("onlyStrict") => &[true],
            () => &[false, true],
        };
        let case = |&strict: &bool| Case {
            path: path.to_owned(),
            name: self.name(path) + if strict { ", strict" } else { "" },
            source: if strict {
                format!("\"use strict\";\n{source}")
            } else {
                source.clone()
            },
            goal: if module { Goal::Module } else { Goal::Script },
            before: if raw {
                Vec::new()
            } else {
                self.before(path, &front)
            },
            is_async: front.has("async"),
            negative: front.negative(),
        };
        modes.iter().map(case).collect()
    }

    fn before(&self, path: &Path, front: &FrontMatter<'_>) -> Vec<PathBuf> {
        if let Some(harness) = &self.harness {
            let mut names = vec!["assert.js".to_owned(), "sta.js".to_owned()];
            names.extend(front.list("includes"));
            return names.iter().map(|name| harness.join(name)).collect();
        }
        let mut shells: Vec<PathBuf> = path
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(&self.root))
            .map(|folder| folder.join("shell.js"))
            .filter(|shell| shell.metadata().is_ok_and(|file| file.len() > 0))
            .collect();
        shells.reverse();
        shells
    }
}

fn is_test(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".js")
        && !name.contains("_FIXTURE")
        && !matches!(&*name, "shell.js" | "browser.js")
}

/// What a test says of itself: the part of YAML that tests use.
struct FrontMatter<'s>(&'s str);

impl<'s> FrontMatter<'s> {
    fn of(source: &'s str) -> Self {
        let front = source.split_once("/*---");
        let front = front.and_then(|(_, rest)| rest.split_once("---*/"));
        Self(front.map_or("", |(front, _)| front))
    }

    /// The lines of an entry: what is behind its name, and what is indented below it.
    fn entry(&self, name: &str) -> impl Iterator<Item = &'s str> {
        let mut lines = self.0.lines();
        let first = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let below = lines.take_while(|line| line.starts_with([' ', '-']));
        let below: Vec<&str> = first.map_or(Vec::new(), |_| below.collect());
        first.into_iter().chain(below)
    }

    /// `name: [a, b]`, or one a line.
    fn list(&self, name: &str) -> Vec<String> {
        let words = self
            .entry(name)
            .flat_map(|line| line.split(['[', ']', ',', ' ']));
        let words = words.map(|word| word.trim_start_matches('-').trim());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    }

    fn has(&self, flag: &str) -> bool {
        self.list("flags").iter().any(|known| known == flag)
    }

    fn negative(&self) -> Option<String> {
        let kind = |line: &str| {
            line.trim()
                .strip_prefix("type:")
                .map(str::trim)
                .map(str::to_owned)
        };
        self.entry("negative").find_map(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_says_of_itself_is_read() {
        let source = "// x\n/*---\ninfo: |\n  flags: [no]\nflags: [onlyStrict, async]\nincludes:\n  - a.js\n  - \
            b.js\nnegative:\n  phase: parse\n  type: SyntaxError\nfeatures: [let]\n---*/\n";
        let front = FrontMatter::of(source);
        assert!(front.has("onlyStrict") && front.has("async") && !front.has("no"));
        assert_eq!(front.list("includes"), ["a.js", "b.js"]);
        assert_eq!(front.negative().as_deref(), Some("SyntaxError"));
        assert_eq!(FrontMatter::of("x").negative(), None);
    }
}
