//! The files of a crate, and which of them uses which: read from its sources, not compiled.
//!
//! Seen are `use` declarations and the paths in code; what is inside a macro's brackets and what only tests compile is
//! not. A name that a module only hands on (`pub use`) leads to the file that has it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree};

/// A module by its names from the crate's root.
type ModulePath = Vec<String>;

/// One module.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// What its names represent that are declared by `use`: absolute paths in the crate.
    imports: HashMap<String, ModulePath>,
    /// Every path that it names, as it is written.
    named: BTreeSet<Vec<String>>,
}

/// The modules of a crate.
pub(crate) struct Crate {
    folder: PathBuf,
    modules: BTreeMap<ModulePath, Module>,
}

impl Crate {
    /// Reads the crate whose root is `root` (`src/lib.rs`, `src/main.rs`).
    pub(crate) fn read(root: &Path) -> Self {
        let mut read = Self {
            folder: root.parent().unwrap().to_owned(),
            modules: BTreeMap::new(),
        };
        read.add_file(root, Vec::new());
        read
    }

    fn add_file(&mut self, file: &Path, path: ModulePath) {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        self.add_module(file, path, parsed.items);
    }

    fn add_module(&mut self, file: &Path, path: ModulePath, items: Vec<Item>) {
        let mut module = Module {
            file: file.to_owned(),
            ..Module::default()
        };
        let mut children = Vec::new();
        for item in &items {
            match item {
                Item::Mod(child) if !is_for_tests(&child.attrs) => {
                    let mut path = path.clone();
                    path.push(child.ident.to_string());
                    children.push((path, child.content.as_ref().map(|(_, items)| items.clone())));
                }
                Item::Mod(_) => {}
                item => module.visit_item(item),
            }
        }
        self.modules.insert(path, module);
        for (path, inline) in children {
            match inline {
                Some(items) => self.add_module(file, path, items),
                None => self.add_file(&file_of(file, path.last().unwrap()), path),
            }
        }
    }

    /// The module that has what `path` names in `from`; none: it is of another crate.
    fn resolve(&self, from: &ModulePath, path: &[String], depth: usize) -> Option<&ModulePath> {
        let (first, rest) = path.split_first()?;
        let mut from = from.clone();
        let mut rest = rest;
        match first.as_str() {
            "crate" => from.clear(),
            "self" => {}
            "super" => {
                from.pop();
                while let Some((next, after)) = rest.split_first().filter(|(it, _)| *it == "super")
                {
                    let _ = next;
                    from.pop();
                    rest = after;
                }
            }
            name => {
                let mut child = from.clone();
                child.push(name.to_owned());
                let is_known = self.modules.contains_key(&child)
                    || self.modules[&from].imports.contains_key(name);
                if !is_known {
                    return None;
                }
                rest = path;
            }
        }
        for (index, name) in rest.iter().enumerate() {
            let mut child = from.clone();
            child.push(name.clone());
            if self.modules.contains_key(&child) {
                from = child;
                continue;
            }
            let imported = self.modules.get(&from)?.imports.get(name);
            if let Some(imported) = imported.filter(|_| depth < 20) {
                let mut whole = imported.clone();
                whole.extend_from_slice(&rest[index + 1..]);
                return self.resolve(&from, &whole, depth + 1);
            }
            break;
        }
        self.modules.get_key_value(&from).map(|(path, _)| path)
    }

    /// Which file uses which, a child its own parents left out.
    pub(crate) fn uses(&self) -> BTreeSet<(String, String)> {
        let mut uses = BTreeSet::new();
        for (path, module) in &self.modules {
            for named in &module.named {
                let Some(used) = self.resolve(path, named, 0) else {
                    continue;
                };
                let used_file = &self.modules[used].file;
                if *used_file != module.file && !path.starts_with(used) {
                    uses.insert((self.name(&module.file), self.name(used_file)));
                }
            }
        }
        uses
    }

    /// How many files it has.
    pub(crate) fn files(&self) -> usize {
        let files: BTreeSet<_> = self.modules.values().map(|module| &module.file).collect();
        files.len()
    }

    fn name(&self, file: &Path) -> String {
        let name = file.strip_prefix(&self.folder).unwrap();
        name.display().to_string()
    }
}

/// The file of the module `name` that is declared in `parent`.
fn file_of(parent: &Path, name: &str) -> PathBuf {
    let folder = match parent.file_stem().unwrap().to_str().unwrap() {
        "mod" | "lib" | "main" => parent.parent().unwrap().to_owned(),
        _ => parent.with_extension(""),
    };
    let file = folder.join(format!("{name}.rs"));
    if file.is_file() {
        return file;
    }
    folder.join(name).join("mod.rs")
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute
                    .parse_args::<syn::Path>()
                    .is_ok_and(|path| path.is_ident("test"))
    })
}

impl Module {
    fn import(&mut self, tree: &UseTree, before: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before);
                before.pop();
            }
            UseTree::Name(name) => self.import_as(before, &name.ident.to_string(), None),
            UseTree::Rename(rename) => {
                self.import_as(
                    before,
                    &rename.ident.to_string(),
                    Some(rename.rename.to_string()),
                );
            }
            UseTree::Glob(_) => {
                self.named.insert(before.clone());
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before);
                }
            }
        }
    }

    fn import_as(&mut self, before: &[String], name: &str, renamed: Option<String>) {
        let mut path = before.to_vec();
        let mut known_as = name.to_owned();
        if name == "self" {
            known_as = before.last().cloned().unwrap_or_default();
        } else {
            path.push(name.to_owned());
        }
        // A name that represents itself (`use serde_json;`) leads nowhere.
        if path.len() > 1 {
            self.imports
                .insert(renamed.unwrap_or(known_as), path.clone());
        }
        self.named.insert(path);
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Fn(it) => &it.attrs[..],
            Item::Impl(it) => &it.attrs,
            Item::Use(it) => &it.attrs,
            Item::Const(it) => &it.attrs,
            Item::Struct(it) => &it.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if names.len() > 1 {
            self.named.insert(names);
        }
        visit::visit_path(self, path);
    }
}
