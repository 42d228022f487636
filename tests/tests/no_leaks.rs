//! Nothing in the repository speaks of the machine or the network it was made on.

use std::fs;

use end_to_end::{repository, tracked_files};

/// Hosts of package registries, put together here so that this file does not hold them.
fn hosts() -> Vec<String> {
    [
        ("index.", "crates", ".io"),
        ("static.", "crates", ".io"),
        ("registry.", "npm", "js.org"),
        ("py", "pi", ".org"),
        ("files.python", "hosted", ".org"),
        ("deb.", "debian", ".org"),
        ("security.", "debian", ".org"),
    ]
    .map(|(start, middle, end)| [start, middle, end].concat())
    .into()
}

/// Folders of a developer's machine, put together likewise.
fn folders() -> Vec<String> {
    [
        ("/wo", "rk/"),
        ("/ro", "ot/"),
        ("/ho", "me/"),
        ("/Us", "ers/"),
    ]
    .map(|(start, end)| [start, end].concat())
    .into()
}

/// Whether a path that begins with `folder` is at `at`: one of its own, not a part of a longer one such as
/// `src/root/`, and one that leads to something in the folder.
fn is_path_into(folder: &str, text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + folder.len()..].chars().next();
    before.is_none_or(|before| !before.is_alphanumeric() && !"_-./}$*".contains(before))
        && after.is_some_and(|after| after.is_alphanumeric() || "._-".contains(after))
}

fn leaks_in(text: &str) -> Vec<String> {
    let named_hosts = hosts().into_iter().filter(|host| text.contains(host));
    let named_folders = folders().into_iter().filter(|folder| {
        text.match_indices(folder)
            .any(|(at, _)| is_path_into(folder, text, at))
    });
    named_hosts.chain(named_folders).collect()
}

#[test]
fn no_tracked_file_names_a_registry_host_or_a_developers_folder() {
    let files = tracked_files().unwrap();
    assert!(files.len() > 20, "git lists only {} files", files.len());
    let mut leaks = Vec::new();
    for file in files {
        let bytes = fs::read(repository().join(&file)).unwrap();
        for needle in leaks_in(&String::from_utf8_lossy(&bytes)) {
            leaks.push(format!("{} holds {needle}", file.display()));
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
fn a_leak_is_found_and_a_longer_path_is_none() {
    let folder = ["/wo", "rk/main/src"].concat();
    assert_eq!(leaks_in(&format!("see {folder}")).len(), 1);
    assert_eq!(leaks_in(&format!("`{folder}`")).len(), 1);
    assert_eq!(leaks_in(&format!("frame{folder}")).len(), 0);
    let alone = ["sourceRoot: '/ro", "ot/'"].concat();
    assert_eq!(leaks_in(&alone).len(), 0);
    let address = ["https://registry.", "npmjs.org/react"].concat();
    assert_eq!(leaks_in(&address).len(), 1);
}
