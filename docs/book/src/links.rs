//! Whether the links of a folder of HTML lead somewhere.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use lol_html::{RewriteStrSettings, element, rewrite_str};

use crate::BookError;

/// What was looked at.
pub(crate) struct Checked {
    pub(crate) pages: usize,
    pub(crate) links: usize,
}

/// What of a page matters here.
#[derive(Default)]
struct Page {
    /// The names that a link can lead to.
    anchors: BTreeSet<String>,
    links: Vec<String>,
}

/// Follows each link, image, script and style of each page in a folder that does not leave the folder's site.
///
/// # Errors
/// Those that lead nowhere; a file that cannot be read.
pub(crate) fn check(folder: &Path) -> Result<Checked, BookError> {
    let mut files = BTreeSet::new();
    collect(folder, &mut files)?;
    let mut pages = BTreeMap::new();
    for path in files.iter().filter(|path| is_page(path)) {
        pages.insert(path.clone(), page(path)?);
    }
    let (mut links, mut broken) = (0, Vec::new());
    for (path, page) in &pages {
        // What the server shows where there is nothing, at any address.
        if path.file_name().is_some_and(|name| name == "404.html") {
            continue;
        }
        for link in page.links.iter().filter(|link| !leaves(link)) {
            links += 1;
            if let Some(problem) = problem(path, link, &files, &pages) {
                let from = path.strip_prefix(folder).unwrap_or(path);
                broken.push(format!("{}: {link}: {problem}", from.display()));
            }
        }
    }
    match broken.is_empty() {
        true => Ok(Checked {
            pages: pages.len(),
            links,
        }),
        false => Err(BookError::Broken(broken)),
    }
}

fn problem(
    from: &Path,
    link: &str,
    files: &BTreeSet<PathBuf>,
    pages: &BTreeMap<PathBuf, Page>,
) -> Option<&'static str> {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().unwrap_or_default();
    let target = match path {
        "" => from.to_owned(),
        path => joined(from.parent().unwrap_or(from), path),
    };
    if !files.contains(&target) {
        return Some("no such file");
    }
    let page = pages.get(&target)?;
    let is_there = anchor.is_empty() || page.anchors.contains(anchor);
    (!is_there).then_some("no such heading")
}

/// The path that a relative one leads to, without going through the file system.
fn joined(folder: &Path, path: &str) -> PathBuf {
    let mut joined = folder.to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                joined.pop();
            }
            Component::Normal(name) => joined.push(name),
            _ => {}
        }
    }
    joined
}

/// Whether it has a scheme, as in `https:` and `data:`.
fn leaves(link: &str) -> bool {
    let scheme = link.split(['/', '#', '?']).next().unwrap_or_default();
    scheme.contains(':') || link.starts_with("//")
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "html")
}

fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), BookError> {
    let problem = |problem| BookError::File {
        path: folder.to_owned(),
        problem,
    };
    for entry in fs::read_dir(folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.insert(path);
        }
    }
    Ok(())
}

fn page(path: &Path) -> Result<Page, BookError> {
    let text = fs::read_to_string(path).map_err(|problem| BookError::File {
        path: path.to_owned(),
        problem,
    })?;
    let page = RefCell::new(Page::default());
    let link = |attribute: &'static str| {
        let page = &page;
        element!(format!("[{attribute}]"), move |element| {
            page.borrow_mut()
                .links
                .extend(element.get_attribute(attribute));
            Ok(())
        })
    };
    let settings = RewriteStrSettings::new()
        .append_element_content_handler(link("href"))
        .append_element_content_handler(link("src"))
        .append_element_content_handler(element!("[id]", |element| {
            page.borrow_mut()
                .anchors
                .extend(element.get_attribute("id"));
            Ok(())
        }));
    rewrite_str(&text, settings).map_err(|problem| BookError::Html {
        path: path.to_owned(),
        problem: problem.to_string(),
    })?;
    Ok(page.into_inner())
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a panic is how a test fails"
    )]

    use std::fs;

    use super::check;
    use crate::BookError;

    #[test]
    fn a_link_that_leads_nowhere_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write(
            "a.html",
            "<a href=b.html#there>1</a><a href='https://example.org/none'>2</a><img src=none.png><a href='#none'>3</a>",
        );
        write(
            "b.html",
            "<h1 id=there>b</h1><a href=a.html>4</a><a href='../b.html'>5</a>",
        );
        let Err(BookError::Broken(broken)) = check(folder.path()) else {
            panic!("nothing was found");
        };
        assert_eq!(
            broken,
            [
                "a.html: none.png: no such file",
                "a.html: #none: no such heading",
                "b.html: ../b.html: no such file",
            ]
        );
        write("a.html", "<a href=b.html#there>1</a>");
        write("b.html", "<h1 id=there>b</h1><a href='./a.html?x#'>4</a>");
        let checked = check(folder.path()).unwrap();
        assert_eq!((checked.pages, checked.links), (2, 2));
    }
}
