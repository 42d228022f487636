//! Hostile servers, and pages that get at the agent from elsewhere: each question ends in an answer or in a typed error
//! within its time-out, and the next question works. Pages that do it all themselves are in `tests/fixtures/hostile`;
//! what becomes of a lost page or browser is in `robustness.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

const FINE: &str = "<script>probe.value = 1;</script>";

/// The question about `/` of `site` ends with status 4 and `message`; the next one is answered.
fn is_refused(site: &Site, more: &[&str], message: &str) {
    let ran = ask(&site.url("/"), more);
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.err.contains(message), "{ran:#?}");
    assert!(!ran.err.contains("panicked"), "{ran:#?}");
    let next = ask(&site.url("/fine"), &[]);
    assert_eq!(place(&next.answer()), "found fine:2:9", "{next:#?}");
}

#[test]
fn a_page_that_is_redirected_for_ever() {
    let again = html("").status(302).header("Location", "/");
    let site = Site::new(&[("/", again), ("/fine", page(FINE))]);
    is_refused(&site, &[], "ERR_TOO_MANY_REDIRECTS");
}

#[test]
fn a_script_that_never_comes() {
    let never = Reply {
        hangs: true,
        ..script("")
    };
    let body = "<script>probe.value = 1;</script><script src=never.js></script>";
    let site = Site::new(&[
        ("/", page(body)),
        ("/never.js", never),
        ("/fine", page(FINE)),
    ]);
    let ran = ask_within(&site.url("/"), "5", &[]);
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.err.contains("--timeout SECONDS"), "{ran:#?}");
    let next = ask(&site.url("/fine"), &[]);
    assert_eq!(place(&next.answer()), "found fine:2:9", "{next:#?}");
}

#[test]
fn charsets_that_do_not_exist_and_bytes_that_are_no_text() {
    let body = b"<!doctype html><meta charset=no-such-thing><title>\xff\xfe</title><script src=/say.js></script>\n\
        <script charset=neither src=bytes.js></script>"
        .to_vec();
    let bytes = b"var a = '\xc3\x28\xff\xfe\x80';\nprobe.value = a.length;".to_vec();
    let site = Site::new(&[
        ("/", Reply::new("text/html; charset=\"", body)),
        (
            "/bytes.js",
            Reply::new("text/javascript; charset=utf-99", bytes),
        ),
    ]);
    let ran = ask(&site.url("/"), &[]);
    assert_eq!(place(&ran.answer()), "found bytes.js:2:1", "{ran:#?}");
}

/// "Before us" is possible only from a document that is there already, such as the one that holds this one in a frame.
#[test]
fn a_document_that_another_one_has_patched() {
    let holder = "<iframe src=/framed></iframe>\n\
        <script>\n\
        const frame = document.querySelector('iframe');\n\
        const refuse = () => { throw 1; };\n\
        const spoil = (realm) => {\n\
        for (const name of ['Reflect', 'WeakMap', 'JSON', 'Proxy', 'Error']) realm[name] = refuse;\n\
        realm.Object.prototype.__defineGetter__('d', refuse);\n\
        };\n\
        frame.onload = () => {\n\
        spoil(frame.contentWindow);\n\
        frame.contentWindow.write(3);\n\
        probe.value = frame.contentWindow.probe.value;\n\
        };\n\
        </script>";
    let framed = "<script>function write(value) { probe.value = value; } write(2);</script>";
    let site = Site::new(&[("/", page(holder)), ("/framed", page(framed))]);
    let ran = ask(&site.url("/"), &[]);
    let answer = ran.answer();
    assert_eq!(place(&answer), "found :13:1", "{ran:#?}");
    assert_eq!(answer["points"][1]["new"]["text"], "3", "{ran:#?}");
}

/// Where executions differ, watches are evaluated inside the page; what they throw is the page's.
#[test]
fn nothing_of_what_a_watch_throws_in_the_page_is_run() {
    let body = "<script>\n\
        let uninvited = 0;\n\
        const error = {\n\
        get message() { uninvited++; return 'of a getter'; },\n\
        toString() { uninvited++; return 'made up'; },\n\
        };\n\
        const inherited = Object.create(new RangeError('too far'));\n\
        const thrown = (what) => { throw what; };\n\
        for (let count = Math.random() * 5000; count > 0; count--) probe.value = count;\n\
        </script>";
    let site = Site::new(&[("/", page(body))]);
    let watches = [
        "thrown(error)",
        "thrown(inherited)",
        "thrown(17)",
        "uninvited",
    ];
    let mut arguments: Vec<&str> = watches
        .iter()
        .flat_map(|watch| ["--watch", watch])
        .collect();
    arguments.push("--twice");
    let ran = ask(&site.url("/"), &arguments);
    let answer = ran.answer();
    assert_eq!(answer["consistency"]["agrees"], false, "{answer:#}");
    let watches = answer["points"][1]["watches"].as_array().unwrap();
    let texts: Vec<&str> = watches
        .iter()
        .map(|watch| watch["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["error", "too far", "17", "0"], "{answer:#}");
}

#[test]
fn what_is_printed_for_a_person_cannot_steer_a_terminal() {
    let body = "<script>\n\
        const text = '\\x1b]0;owned\\x07\\x1b[2J\\u202egpj.exe\\u2066\\x9b31m';\n\
        function set() { probe.value = text; } /* \u{202e}\u{1b}[2J */\n\
        Object.defineProperty(set, 'name', { value: text });\n\
        window[text] = text;\n\
        set();\n\
        console.error(text);\n\
        </script>";
    let site = Site::new(&[("/", page(body))]);
    for point in ["end", "console:owned"] {
        let ran = querypoint(&[
            "ask",
            &site.url("/"),
            "--timeout",
            "60",
            "--at",
            point,
            "lastChange(R:probe.value)",
            "--watch",
            "text",
        ]);
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        let obeyed = |c: &char| {
            c.is_control() && *c != '\n'
                || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert_eq!(ran.out.chars().find(obeyed), None, "{}", ran.out);
        assert_eq!(ran.err.chars().find(obeyed), None, "{}", ran.err);
        assert!(ran.out.contains("gpj.exe"), "{}", ran.out);
    }
}

#[test]
fn what_errors_are_made_of_is_the_pages_own_after_its_stack_was_exhausted() {
    let site = Site::new(&[(
        "/",
        page(
            "<script>\n\
             function down() { probe.value = Math.random(); down(); }\n\
             for (let round = 0; round < 5; round++) try { down(); } catch { /* no room */ }\n\
             say(typeof Error.prepareStackTrace, Error.stackTraceLimit, typeof new Error().stack);\n\
             done();\n\
             </script>",
        ),
    )]);
    // How deep it comes differs, so the stack is read in the page at each change.
    let ran = ask(&site.url("/"), &[]);
    let answer = ran.answer();
    assert_eq!(answer["consistency"]["agrees"], false, "{answer:#}");
    assert_eq!(answer["points"][1]["location"]["line"], 3, "{answer:#}");
    let said = site.said();
    assert!(said.len() > 1);
    for said in said {
        assert_eq!(said, "undefined 10 string");
    }
}

/// A trap that has side effects is run where the page ends, to see what it gives; but what it sends is not sent.
#[test]
fn what_a_trap_sends_while_it_is_asked_does_not_leave() {
    let body = "<script>
const raw = { value: 1, other: 0 };
var reads = 0;
probe = new Proxy(raw, { get(target, key) {
  reads++;
  fetch('/fetched').catch(() => {});
  navigator.sendBeacon('/beacon');
  new Image().src = '/image';
  new WebSocket('ws://' + location.host + '/socket');
  localStorage.setItem('sent', reads);
  debugger;
  return [target].map((it) => (key === 'other' ? 2 : it[key]))[0];
} });
raw.value = 7;
</script>";
    let site = Site::new(&[("/", page(body))]);
    let ran = ask(&site.url("/"), &["lastChange(R:probe.other)"]);
    let answer = ran.answer();
    let points = answer["points"].as_array().unwrap();
    assert_eq!(points[1]["location"]["line"], 15, "{answer:#}");
    let note = points[1]["note"].as_str().unwrap_or_default();
    assert!(!note.contains("could not be asked"), "{answer:#}");
    assert_eq!(points[2]["status"], "blind", "{answer:#}");
    assert_eq!(points[2]["value"]["text"], "2", "it was run: {answer:#}");
    let mut requests = site.requests();
    requests.retain(|path| path != "/" && path != "/say.js" && path != "/favicon.ico");
    assert_eq!(requests, Vec::<String>::new());
}
