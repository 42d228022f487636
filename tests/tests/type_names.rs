//! A type's name says which it is: no type is called by a word that any module could use for something of its own.

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
