//! The extension in Firefox, as far as Firefox lets it: its panel finds the back end, and an answer comes from
//! Chromium.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::firefox::Firefox;
use crate::in_tools::{COUNTING, StartedByHost, extension};
use crate::loopback::*;
use serde_json::json;

#[test]
fn in_firefox_it_finds_the_back_end_asks_and_says_what_it_cannot() {
    let folder = Folder::new();
    let _started = StartedByHost(&folder);
    let home = folder.0.join("home");
    fs::create_dir_all(home.join(".mozilla")).unwrap();
    let state = folder.0.join("state");
    let mut install = command(&["install-host", "--state", state.to_str().unwrap()]);
    let installed = install
        .env("HOME", &home)
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .unwrap();
    assert!(installed.status.success(), "{installed:#?}");

    let site = Site::new(&[("/", html(COUNTING))]);
    let mut firefox = Firefox::start(&home, &extension());
    firefox.shows_panel_at(&site.url("/"));
    firefox.until("document.querySelector('.link')?.textContent === ''");
    // The page of the tab is that of the session.
    firefox.until(&format!(
        "document.querySelector('#page').value === '{}'",
        site.url("/")
    ));
    firefox.until("document.querySelector('.not-following span') !== null");
    let missing = firefox.look("document.querySelector('.not-following span').textContent");
    let missing = missing.as_str().unwrap();
    assert!(
        missing.starts_with("Pauses are not followed: "),
        "{missing}"
    );

    let mut enters = |field: &str, text: &str| {
        firefox.until(&format!(
            "!document.querySelector('{field}').form.querySelector('button').disabled"
        ));
        let text = json!(text);
        firefox.look(&format!(
            "(() => {{ const field = document.querySelector('{field}'); field.value = {text}; \
             field.dispatchEvent(new Event('input', {{ bubbles: true }})); field.form.requestSubmit(); }})()"
        ));
    };
    enters("#at", "end");
    enters("#query", "lastChange(R:box.b)");
    firefox.until("document.querySelector('.point[aria-current] b')?.textContent === 'B'");
    firefox.until("document.querySelector('.lines .cm-line.chosen')?.dataset.line === '5'");
    let change = firefox.look("document.querySelector('p.change').textContent");
    assert!(change.as_str().unwrap().contains('2'), "{change}");
}
