//! A type's name says which it is: no type is called by a word that any module could use for something of its own. And
//! what identifies a document or an event is a type, not a number.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::collections::BTreeSet;
use std::fs;

use end_to_end::{repository, tracked_files};
use syn::Ident;
use syn::visit::{self, Visit};

/// Names that say too little by themselves.
const BARE: [&str; 5] = ["Asked", "Outcome", "Place", "Standing", "State"];

/// The types that have such a name. It only becomes shorter: what is renamed is taken off.
const ALLOWED: [(&str, &str); 8] = [
    ("app/src/kept.rs", "Asked"),
    ("benches/src/panel.rs", "Asked"),
    ("cli/src/render/mod.rs", "Asked"),
    ("engine/src/ask/pausing.rs", "Asked"),
    ("event-log/src/catalogue/mod.rs", "Asked"),
    ("querypoint/src/session/results.rs", "Asked"),
    ("tests/oracle/src/prolog.rs", "Asked"),
    ("tests/support/src/server.rs", "Asked"),
];

/// The bare names among the types that a file declares, wherever in it.
#[derive(Default)]
struct BareNames(BTreeSet<String>);

impl BareNames {
    fn of(text: &str) -> syn::Result<BTreeSet<String>> {
        let mut names = Self::default();
        names.visit_file(&syn::parse_file(text)?);
        Ok(names.0)
    }

    fn add(&mut self, name: &Ident) {
        self.0
            .extend(Some(name.to_string()).filter(|name| BARE.contains(&name.as_str())));
    }
}

impl<'ast> Visit<'ast> for BareNames {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(&item.ident);
        visit::visit_item_trait(self, item);
    }
}

#[test]
fn the_name_of_a_type_says_which_it_is() {
    let mut found = BTreeSet::new();
    let mut read = 0;
    for path in tracked_files().unwrap() {
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let text = fs::read_to_string(repository().join(&path)).unwrap();
        let names = BareNames::of(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        found.extend(
            names
                .into_iter()
                .map(|name| (path.display().to_string(), name)),
        );
        read += 1;
    }
    assert!(read > 500, "only {read} files were read");
    let allowed = ALLOWED.map(|(path, name)| (path.to_owned(), name.to_owned()));
    let allowed = BTreeSet::from(allowed);
    let more: Vec<_> = found.difference(&allowed).collect();
    assert!(
        more.is_empty(),
        "give these types a name that says which: {more:?}"
    );
    let fewer: Vec<_> = allowed.difference(&found).collect();
    assert!(fewer.is_empty(), "take these off the list: {fewer:?}");
}

#[test]
fn bare_names_are_found_wherever_they_are_declared() {
    let text =
        "fn f() { enum State { A } } mod m { type Place = u8; } struct CartState; use a::Outcome;";
    let names: Vec<_> = BareNames::of(text).unwrap().into_iter().collect();
    assert_eq!(names, ["Place", "State"]);
}

/// The files that know how an event's number is made, and how a document's: all others have the types.
const OF_NUMBERS: [(&str, &[&str]); 2] = [
    (
        "NUMBERS_OF_A_QUERY",
        &[
            "agent/js/constants.js",
            "agent/js/event-numbers.js",
            "querypoint/src/resolution/sequence.rs",
        ],
    ),
    ("DocumentId(", &["engine/src/document_id.rs"]),
];

/// How the same would be written as a number.
const BARE_NUMBERS: [&str; 6] = [
    "1 << 40",
    "2 ** 40",
    "1099511627776",
    "1_099_511_627_776",
    "document: f64",
    "document: u64",
];

#[test]
fn what_identifies_a_document_or_an_event_is_a_type() {
    let mut users: [BTreeSet<String>; 2] = Default::default();
    let mut bare = Vec::new();
    for path in tracked_files().unwrap() {
        let name = path.display().to_string();
        let folders = ["agent/js/", "engine/src/", "querypoint/src/"];
        if !folders.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let Ok(text) = fs::read_to_string(repository().join(&path)) else {
            continue;
        };
        // Tests write down what the numbers are.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for ((word, _), users) in OF_NUMBERS.iter().zip(&mut users) {
            if text.contains(word) {
                users.insert(name.clone());
            }
        }
        let is_source = path
            .extension()
            .is_some_and(|ending| ending == "rs" || ending == "js");
        let is_test = name.contains("/tests");
        if is_source && !is_test {
            let found = BARE_NUMBERS.iter().filter(|number| text.contains(**number));
            bare.extend(found.map(|number| (name.clone(), *number)));
        }
    }
    for ((word, allowed), users) in OF_NUMBERS.iter().zip(users) {
        let allowed = allowed.iter().map(|name| (*name).to_owned());
        assert_eq!(users, allowed.collect(), "{word}");
    }
    let made = [
        ("agent/js/constants.js".to_owned(), "1099511627776"),
        (
            "querypoint/src/resolution/sequence.rs".to_owned(),
            "1 << 40",
        ),
    ];
    assert_eq!(bare, made);
}
