//! The recordings of the test pages, replayed on the pages as they are.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::path::{Path, PathBuf};

use crate::support::{LIMIT, browser, page, serve};
use engine::replay::{ReplayCursor, ReplayOptions, replay};
use recording::Recording;

fn kind_of(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript",
        Some("css") => "text/css",
        Some("json" | "map") => "application/json",
        _ => "application/octet-stream",
    }
}

fn files_under(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !path.ends_with("node_modules") {
                files_under(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_recording_is_replayed_without_divergence() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("test-pages");
    let browser = browser().await;
    let mut count = 0;
    for folder in std::fs::read_dir(pages)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
    {
        let Ok(text) = std::fs::read_to_string(folder.join("recording.json")) else {
            continue;
        };
        count += 1;
        let recording = Recording::parse(&text).unwrap();
        // What is served is what was built, where there is a build.
        let built = folder.join("dist");
        let root = if built.join("index.html").exists() {
            built
        } else {
            folder.clone()
        };
        let mut files = Vec::new();
        files_under(&root, &mut files);
        let files: Vec<(String, &str, String)> = files
            .iter()
            .filter_map(|file| {
                let path = format!("/{}", file.strip_prefix(&root).unwrap().display());
                Some((path, kind_of(file), std::fs::read_to_string(file).ok()?))
            })
            .collect();
        let served: Vec<(&str, u16, &str, &str)> = files
            .iter()
            .map(|(path, kind, body)| (path.as_str(), 200, *kind, body.as_str()))
            .collect();
        let origin = serve(&served).await;
        let page = page(&browser).await;
        let options = ReplayOptions {
            page_url: Some(format!("{origin}/index.html")),
            step_limit: LIMIT,
            ..ReplayOptions::default()
        };
        let report = replay(
            &page,
            &recording,
            &options,
            &ReplayCursor::default(),
            &mut |_, _, _| {},
        )
        .await;
        let report = report.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        println!(
            "{}: {} steps in {:.0} ms",
            folder.display(),
            report.steps,
            report.time_ms
        );
        assert_eq!(report.divergences, [], "{}", folder.display());
        page.dispose().await.unwrap();
    }
    assert!(count > 0, "no recording was found");
    browser.close().await;
}
