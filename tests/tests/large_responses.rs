//! Bodies that are larger than what is rewritten, that unpack to far more than they are, or that never end: the page
//! gets them as they are, or the question ends in a typed error, and the next one works.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

const REASON: &str = "it is larger than 64 MiB and not rewritten";

/// What unpacks to `text` and then `mebibytes` of spaces, by zstd: four bytes say "131,072 times this byte".
fn packed(text: &str, mebibytes: usize) -> Vec<u8> {
    const RAW: usize = 0;
    const REPEATED: usize = 1;
    // No length is told, and the window is 128 KiB.
    let mut out = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
    let block = |out: &mut Vec<u8>, kind: usize, length: usize, last: bool, bytes: &[u8]| {
        let header = (length << 3) | (kind << 1) | usize::from(last);
        out.extend(&header.to_le_bytes()[..3]);
        out.extend(bytes);
    };
    block(&mut out, RAW, text.len(), false, text.as_bytes());
    for number in 1..=mebibytes * 8 {
        block(&mut out, REPEATED, 1 << 17, number == mebibytes * 8, b" ");
    }
    out
}

#[test]
fn what_unpacks_to_more_than_is_rewritten_goes_on_as_it_is() {
    let bomb = Reply::new("text/javascript", packed("say('unpacked');", 200));
    let document = "<!doctype html><meta charset=utf-8><title>page</title><script src=/say.js></script>\n\
        <iframe src=/frame></iframe><script src=/bomb.js></script>\n\
        <script>probe.value = 2; onload = () => { say(frames[0].spaces); done(); };</script>";
    let frame = "<!doctype html><script>\
        onload = () => { window.spaces = document.head.lastChild.length; }</script><!--";
    check(
        &[
            ("/", html(document)),
            ("/bomb.js", bomb.header("Content-Encoding", "zstd")),
            (
                "/frame",
                Reply::new("text/html", packed(frame, 70)).header("Content-Encoding", "zstd"),
            ),
        ],
        &["unpacked", "73400320"],
        "found :3:9",
        "2 of 3",
        &[&format!("bomb.js: {REASON}"), &format!("frame: {REASON}")],
    );
}

/// Of a body that is not packed that is clear at once.
#[test]
fn a_script_of_more_than_is_rewritten_goes_on_as_it_is() {
    let long = format!("say('long');\n{}", " ".repeat(65 << 20));
    let site = Site::new(&[
        (
            "/",
            page("<script src=/long.js></script><script>probe.value = 1; done();</script>"),
        ),
        ("/long.js", script(&long)),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "long");
    assert_eq!(blind_spots(&answer), [format!("long.js: {REASON}")]);
    assert_eq!(place(&answer), "found :2:39");
    let executions = usize::try_from(answer["executions"].as_u64().unwrap()).unwrap();
    site.requests();
    let _ = ask(&site.url("/"), &[]).answer();
    let asked_for = site.requests();
    let documents = asked_for.iter().filter(|path| *path == "/");
    assert_eq!(documents.count(), executions, "no execution is repeated");
}

/// It is too much for the page itself.
#[test]
fn what_unpacks_to_gigabytes() {
    let bomb = Reply::new("text/javascript", packed("never;", 3 << 10));
    let site = Site::new(&[
        ("/", page("<script src=/bomb.js></script>")),
        ("/bomb.js", bomb.header("Content-Encoding", "zstd")),
        ("/fine", page("<script>probe.value = 1;</script>")),
    ]);
    let ran = ask(&site.url("/"), &[]);
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.err.contains("ran out of memory"), "{ran:#?}");
    let next = ask(&site.url("/fine"), &[]);
    assert_eq!(place(&next.answer()), "found fine:2:9", "{next:#?}");
}

#[test]
fn a_body_that_never_ends() {
    let endless = |kind| Reply {
        ends: false,
        ..Reply::new(kind, "void 0;\n".repeat(1000))
    };
    let site = Site::new(&[
        ("/endless", endless("text/html")),
        ("/script", page("<script src=/endless.js></script>")),
        ("/endless.js", endless("text/javascript")),
        ("/", page("<script>probe.value = 1;</script>")),
    ]);
    for (path, awaited) in [("/endless", "/endless"), ("/script", "/endless.js")] {
        let ran = ask_within(&site.url(path), "5", &[]);
        assert_eq!(ran.status, Some(4), "{ran:#?}");
        let told = format!("the response of {} did not end", site.url(awaited));
        assert!(ran.err.contains(&told), "{ran:#?}");
    }
    let next = ask(&site.url("/"), &[]);
    assert_eq!(place(&next.answer()), "found :2:9", "{next:#?}");
}
