//! Pages whose scripts are hard to rewrite on their way in: each is run plainly and under a question, says the
//! same both times, is hooked where it can be, and what could not be hooked is listed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod loopback;

use loopback::*;

/// One page: what it says, where the last write is, how much is hooked, what is listed.
fn check(pages: &[(&str, Reply)], said: &[&str], at: &str, hooked: &str, blind: &[&str]) {
    let site = Site::new(pages);
    let (really_said, answer) = compare(&site, &site.url("/"), &[]);
    let real = (
        really_said.as_str(),
        place(&answer),
        coverage(&answer),
        blind_spots(&answer),
    );
    let said = said.join("\n");
    let blind: Vec<String> = blind.iter().map(|&spot| spot.to_owned()).collect();
    let wanted = (said.as_str(), at.to_owned(), hooked.to_owned(), blind);
    assert_eq!(real, wanted, "{answer:#}");
    assert_eq!(answer["consistency"]["agrees"], true, "{answer:#}");
}

// ---- workers -------------------------------------------------------------------------------------------

#[test]
fn workers_of_every_kind_run_as_written() {
    let blob = "URL.createObjectURL(new Blob(['var o = {}; o.value = 2; importScripts(\"' + location.origin + '/imported.js\"); postMessage(imported)']))";
    let body = format!(
        "<script>\n\
const hear = (name, port) => new Promise((told) => {{ port.onmessage = (event) => {{ say(name, event.data); told(); }}; }});\n\
const all = async () => {{\n\
  await hear('dedicated', new Worker('/dedicated.js'));\n\
  await hear('module', new Worker('/module.js', {{ type: 'module' }}));\n\
  await hear('blob', new Worker({blob}));\n\
  const shared = new SharedWorker('/shared.js'); await hear('shared', shared.port);\n\
  const registration = await navigator.serviceWorker.register('/service.js', {{ scope: '/scope/' }});\n\
  const service = registration.installing || registration.waiting || registration.active;\n\
  const channel = new MessageChannel(); service.postMessage(0, [channel.port2]); await hear('service', channel.port1);\n\
  const audio = new OfflineAudioContext(1, 128, 8000); await audio.audioWorklet.addModule('/worklet.js');\n\
  probe.value = 1;\n\
  done();\n\
}};\nall();\n</script>"
    );
    let site = Site::new(&[
        ("/", page(&body)),
        (
            "/dedicated.js",
            script(
                "var o = {}; o.value = 1; importScripts('/imported.js'); import('/dynamic.js').then((m) => postMessage(imported + m.dynamic));\n",
            ),
        ),
        (
            "/imported.js",
            script("var imported = {}; imported.value = 'i'; imported = imported.value + 'x';\n"),
        ),
        (
            "/dynamic.js",
            script("const box = {}; box.value = 'd'; export const dynamic = box.value;\n"),
        ),
        (
            "/module.js",
            script(
                "import { dynamic } from '/dynamic.js'; const o = {}; o.value = dynamic; postMessage(o.value);\n",
            ),
        ),
        (
            "/shared.js",
            script(
                "onconnect = (event) => { const o = {}; o.value = 's'; importScripts('/imported.js'); event.ports[0].postMessage(o.value + imported); };\n",
            ),
        ),
        (
            "/service.js",
            script(
                "importScripts('/imported.js'); onmessage = (event) => { const o = {}; o.value = 'w'; event.ports[0].postMessage(o.value + imported); };\n",
            ),
        ),
        (
            "/worklet.js",
            script(
                "const o = {}; o.value = 1; registerProcessor('p', class extends AudioWorkletProcessor { process() { return false; } });\n",
            ),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(
        said,
        "dedicated ixd\nmodule d\nblob ix\nshared six\nservice wix"
    );
    assert_eq!(place(&answer), "found :13:1");
    assert_eq!(coverage(&answer), "11 of 12");
    assert_eq!(
        blind_spots(&answer),
        [
            "UUID: a script that the page keeps in memory is not rewritten",
            "service.js: it is a service worker: neither it nor what it answers with is hooked",
        ]
    );
}

// ---- frames --------------------------------------------------------------------------------------------

#[test]
fn frames_of_any_origin_are_hooked() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>\n\
const hear = () => new Promise((told) => { onmessage = (event) => { say(event.data); told(); }; });\n\
const frame = async (src, more) => { const it = Object.assign(document.createElement('iframe'), more, { src }); document.body.append(it); await hear(); return it; };\n\
onload = async () => {\n\
  const first = await frame('/frame.html'); first.contentDocument.body.click(); say(first.contentWindow.mine.value);\n\
  await frame('//localhost:' + location.port + '/frame.html');\n\
  await frame('/frame.html?sandboxed', { sandbox: 'allow-scripts' });\n\
  first.remove();\n\
  await frame('/frame.html?again');\n\
  probe.value = 1;\n\
  done();\n\
};\n</script><body>",
            ),
        ),
        (
            "/frame.html",
            html(
                "<script>var mine = {}; mine.value = 1;</script><script defer src=/inner.js></script><body onclick=\"mine.value = 2\">",
            ),
        ),
        (
            "/inner.js",
            script(
                "mine.value = 'inner'; parent.postMessage([mine.value, location.hostname + location.search, typeof origin].join(), '*');\n",
            ),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(
        said,
        "inner,127.0.0.1,string\n2\ninner,localhost,string\ninner,127.0.0.1?sandboxed,string\ninner,127.0.0.1?again,string"
    );
    assert_eq!(place(&answer), "found :11:1");
    assert_eq!(coverage(&answer), "14 of 14");
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
}

#[test]
fn a_write_from_a_frame_is_never_a_wrong_line() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>probe.value = 1;</script><iframe src=/frame.html></iframe><script>onload = () => { say(probe.value); done(); }</script>",
            ),
        ),
        (
            "/frame.html",
            html("<script>parent.probe.value = 2;</script>"),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "2");
    assert!(place(&answer).starts_with("blind "), "{answer:#}");
}

#[test]
fn srcdoc_and_javascript_urls_are_listed() {
    check(
        &[(
            "/",
            page(
                "<script>window.told = () => { probe.value = 1; say('clicked'); done(); };</script>\n\
<iframe srcdoc=\"<script>parent.say('srcdoc', typeof mine); var mine = {}; mine.value = 1; parent.say(mine.value)</script>\"></iframe>\n\
<a id=a href=\"javascript:told(),void 0\">x</a><script>onload = () => document.getElementById('a').click();</script>",
            ),
        )],
        &["srcdoc undefined", "1", "clicked"],
        "found :2:31",
        "3 of 5",
        &[
            ": a javascript: URL is not rewritten",
            ": scripts in a srcdoc attribute are not rewritten",
            "about:srcdoc: a script that did not come as a response of the page is not rewritten",
        ],
    );
}

// ---- inline scripts and attributes ---------------------------------------------------------------------

#[test]
fn event_handler_attributes_in_every_quoting() {
    for (html, place_wanted) in [
        ("<b id=x onclick=\"probe.value = 1\">", "found :2:18"),
        ("<b id=x onclick='probe.value = 1'>", "found :2:18"),
        ("<b id=x onclick=probe.value=1>", "found :2:17"),
        (
            "<b id=x onclick=\"probe.value &#61; '&quot;&amp;&lt;'\">",
            "found :2:18",
        ),
        (
            "<b id=x onclick=\"'&#128512;&eacute;é', probe.value = 1\">",
            "found :2:40",
        ),
        (
            "<b id=x ONCLICK = \n\"probe.value = 1; return false\">",
            "found :3:2",
        ),
    ] {
        let body = format!(
            "{html}x</b><script>onload = () => {{ x.click(); say(probe.value, x.onclick.length); done(); }};</script>"
        );
        let site = Site::new(&[("/", page(&body))]);
        let (_, answer) = compare(&site, &site.url("/"), &[]);
        assert_eq!(place(&answer), place_wanted, "{html}");
        assert_eq!(coverage(&answer), "3 of 3", "{html}");
        assert_eq!(blind_spots(&answer), Vec::<String>::new(), "{html}");
    }
}

#[test]
fn inline_scripts_keep_their_oddities() {
    check(
        &[(
            "/",
            page(
                "<script><!-- a comment as of old\n\
probe.value = 1;\n\
//--></script>\n\
<script>say(probe.value); var closing = '<\\/script>'; say(closing.length);\n\
--> a comment\n\
say(document.currentScript !== null, document.scripts.length);</script>\n\
<script type=\"text/JavaScript\">probe.value = '\\u2028'; say(1)</script>\n\
<script type=\"application/json\">{ \"probe.value\": 1 }</script><script type=text/template>probe.value = 9</script>\n\
<script>say(this === window, typeof probe); done()</script>",
            ),
        )],
        &["1", "9", "true 3", "1", "true object"],
        "found :8:32",
        "5 of 5",
        &[],
    );
}

#[test]
fn a_module_without_import_or_export_has_a_scope_of_its_own() {
    check(
        &[
            (
                "/",
                page(
                    "<script type=module src=/plain.js></script>\n\
<script type=module>\nvar inner = 1; probe.value = 'inline'; say(typeof this, typeof window.inner, import.meta.url.length > 0);\n</script>\n\
<script type=module>say(typeof own, typeof inner); done();</script>",
                ),
            ),
            (
                "/plain.js",
                script(
                    "var own = 1; function f() { return this; }\nprobe.value = 'plain'; say(typeof window.own, f());\n",
                ),
            ),
        ],
        &[
            "undefined undefined",
            "undefined undefined true",
            "undefined undefined",
        ],
        "found :4:16",
        "4 of 4",
        &[],
    );
}

#[test]
fn imports_of_every_kind() {
    check(
        &[
            (
                "/",
                html(
                    "<!doctype html><meta charset=utf-8><base href=/deep/><script src=/say.js></script>\n\
<script type=importmap>{ \"imports\": { \"bare\": \"/mapped.js\" } }</script>\n\
<script type=module src=main.js></script>",
                ),
            ),
            (
                "/deep/main.js",
                script(
                    "import { value } from './one.js'; import bare from 'bare'; import data from './data.json' with { type: 'json' }; import sheet from './sheet.css' with { type: 'css' };\n\
say(value, bare, data.value, sheet.cssRules.length);\n\
const { late } = await import('./late.js'); say(late);\n\
await import('./broken.js').catch((error) => say(error.name, error.message));\n\
await import('./missing.js').catch((error) => say(error.name));\n\
probe.value = 1; done();\n",
                ),
            ),
            ("/deep/one.js", script("export * from './two.js';\n")),
            (
                "/deep/two.js",
                script("const o = {}; o.value = 2; export const { value } = o;\n"),
            ),
            ("/mapped.js", script("export default 'bare';\n")),
            ("/deep/late.js", script("export let late = 0; late = 3;\n")),
            ("/deep/broken.js", script("export const = 1;\n")),
            (
                "/deep/data.json",
                Reply::new("application/json", "{ \"value\": 4 }"),
            ),
            (
                "/deep/sheet.css",
                Reply::new("text/css", "a { color: red }"),
            ),
        ],
        &[
            "2 bare 4 1",
            "3",
            "SyntaxError Unexpected token '='",
            "TypeError",
        ],
        "found deep/main.js:6:1",
        "6 of 7",
        &[
            "broken.js: not rewritten, because it does not parse: line 1:14: Unexpected token `=`. Expected yield, an identifier, [ or {",
        ],
    );
}

#[test]
fn scripts_by_script() {
    check(
        &[
            (
                "/",
                page(
                    "<script>\n\
const add = (set) => new Promise((told) => { const it = document.createElement('script'); set(it); it.onload = it.onerror = told; document.head.append(it); });\n\
const all = async () => {\n\
  await add((it) => { it.src = '/src.js'; });\n\
  await add((it) => { it.src = '/sri.js'; it.integrity = 'sha256-FnpCOmzSNkqc465NMVzxn0bZA2c4ShoRtFMsjoPuDeg='; it.onerror = () => say('refused'); });\n\
  await add((it) => { it.src = URL.createObjectURL(new Blob([\"say('blob')\"])); });\n\
  await add((it) => { it.src = \"data:text/javascript,say('data')\"; });\n\
  const inline = document.createElement('script'); inline.text = \"say('inline')\"; document.head.append(inline);\n\
  eval(\"say('eval')\");\n\
  new Function(\"say('Function')\")();\n\
  await new Promise((told) => { window.told = told; setTimeout(\"say('timer'); told()\", 1); });\n\
  document.body.setAttribute('onclick', \"say('attribute')\"); document.body.click();\n\
  done();\n\
};\n\
document.write(\"<script src=/written.js></scr\" + \"ipt><script>say('written inline')</scr\" + \"ipt>\");\n\
onload = all;\n</script><body>",
                ),
            ),
            ("/src.js", script("say('src'); probe.value = 1;\n")),
            ("/sri.js", script("probe.value = 2; say('sri');\n")),
            ("/written.js", script("say('written');\n")),
        ],
        &[
            "written",
            "written inline",
            "src",
            "sri",
            "blob",
            "data",
            "inline",
            "eval",
            "Function",
            "timer",
            "attribute",
        ],
        "blind :null:null",
        "10 of 13",
        &[
            "UUID: a script that the page keeps in memory is not rewritten",
            "javascript,say('data'): a script that the page keeps in memory is not rewritten",
            "sri.js: the page checks its digest, which no attribute in the document gives, so it stays as it is",
        ],
    );
}

// ---- policies ------------------------------------------------------------------------------------------

#[test]
fn content_security_policies_and_integrity_do_not_stop_it() {
    let policies = [
        "script-src 'nonce-abc' 'strict-dynamic'; object-src 'none'; base-uri 'none'",
        "default-src 'none'; script-src 'self' 'nonce-abc'; connect-src 'self'",
        "script-src 'self' 'nonce-abc'; require-trusted-types-for 'script'; trusted-types one",
        "script-src 'self' 'sha256-AAAA' 'nonce-abc'",
    ];
    for policy in policies {
        let body = "<!doctype html><meta charset=utf-8><script src=/say.js nonce=abc></script>\n\
<link rel=modulepreload href=/module.js integrity=\"sha256-FNnUcCWIjpnyhAS5BlyRclorkgDhHcBXagezoJPxi1s=\">\n\
<script nonce=abc>probe.value = 'inline';</script>\n\
<script nonce=abc src=/external.js></script>\n\
<script nonce=abc type=module src=/module.js></script>";
        let site = Site::new(&[
            ("/", html(body).header("Content-Security-Policy", policy)),
            (
                "/external.js",
                script("probe.value = 'external'; say(probe.value);\n"),
            ),
            (
                "/module.js",
                script("probe.value = 'module'; say(probe.value); done();\n"),
            ),
        ]);
        let (said, answer) = compare(&site, &site.url("/"), &[]);
        assert_eq!(said, "external\nmodule", "{policy}");
        assert_eq!(place(&answer), "found module.js:1:1", "{policy}");
        assert_eq!(coverage(&answer), "4 of 4", "{policy}");
    }
}

// ---- encodings -----------------------------------------------------------------------------------------

/// Text in ISO-8859-1.
fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect()
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|unit| {
            if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        })
        .collect()
}

const CODES: &str =
    "const codes = (text) => [...text].map((c) => c.codePointAt(0).toString(16)).join();";

#[test]
fn pages_and_scripts_in_other_encodings_keep_their_strings() {
    let body = |meta: &str| {
        format!(
            "<!doctype html>{meta}<title>Gr\u{fc}\u{df}e</title><script src=/say.js></script>\n\
<script>{CODES} say(document.characterSet, codes(document.title), codes('\u{e9}\u{ff}')); probe.value = '\u{e9}';</script>\n\
<script src=/same.js></script><script src=/utf8.js charset=utf-8></script><script src=/header.js></script>\n\
<script type=module src=/module.js></script>"
        )
    };
    let text = "say(codes('\u{e9}\u{ff}')); probe.value = '\u{e4}';\n";
    let others = [
        ("/utf8.js", Reply::new("text/javascript", text)),
        (
            "/header.js",
            Reply::new("text/javascript; charset=utf-8", format!("\u{feff}{text}")),
        ),
        (
            "/module.js",
            Reply::new(
                "text/javascript",
                "say(codes('\u{e9}\u{ff}')); probe.value = '\u{e6}'; done();\n",
            ),
        ),
    ];
    let mut little = vec![0xff, 0xfe];
    little.extend(utf16(&body(""), false));
    let mut big = vec![0xfe, 0xff];
    big.extend(utf16(&body(""), true));
    let mut marked = vec![0xef, 0xbb, 0xbf];
    marked.extend(body("<meta charset=latin1>").bytes());
    let cases = [
        (
            "by meta",
            Reply::new("text/html", latin1(&body("<meta charset=iso-8859-1>"))),
            latin1(text),
        ),
        (
            "by header",
            Reply::new(
                "text/html; charset=windows-1252",
                latin1(&body("<meta charset=utf-8>")),
            ),
            latin1(text),
        ),
        (
            "by no one",
            Reply::new("text/html", latin1(&body(""))),
            latin1(text),
        ),
        (
            "UTF-16LE",
            Reply::new("text/html", little),
            utf16(text, false),
        ),
        (
            "UTF-16BE",
            Reply::new("text/html; charset=latin1", big),
            utf16(text, true),
        ),
        (
            "a mark beats a meta",
            Reply::new("text/html", marked),
            text.as_bytes().to_vec(),
        ),
    ];
    for (name, document, same) in cases {
        let mut pages = vec![
            ("/", document),
            ("/same.js", Reply::new("text/javascript", same)),
        ];
        pages.extend(others.clone());
        let site = Site::new(&pages);
        let (said, answer) = compare(&site, &site.url("/"), &[]);
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].ends_with("47,72,fc,df,65 e9,ff"), "{name}: {said}");
        assert_eq!(lines[1..], ["e9,ff", "e9,ff", "e9,ff", "e9,ff"], "{name}");
        assert_eq!(place(&answer), "found module.js:1:19", "{name}");
        assert_eq!(
            coverage(&answer),
            "6 of 6",
            "{name} {:#?}",
            blind_spots(&answer)
        );
    }
}

/// The text in a format's way to say "not compressed".
fn stored(coding: &str, text: &str) -> Vec<u8> {
    let data = text.as_bytes();
    let length = u16::try_from(data.len()).unwrap();
    let deflate = |out: &mut Vec<u8>| {
        out.push(1);
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(data);
    };
    let mut out = Vec::new();
    match coding {
        "gzip" => {
            out.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
            deflate(&mut out);
            let mut crc = u32::MAX;
            for &byte in data {
                crc ^= u32::from(byte);
                for _ in 0..8 {
                    crc = (crc >> 1) ^ (0xedb8_8320 & (0u32.wrapping_sub(crc & 1)));
                }
            }
            out.extend((!crc).to_le_bytes());
            out.extend(u32::from(length).to_le_bytes());
        }
        "deflate" => {
            out.extend([0x78, 0x01]);
            deflate(&mut out);
            let (mut a, mut b) = (1u32, 0u32);
            for &byte in data {
                a = (a + u32::from(byte)) % 65521;
                b = (b + a) % 65521;
            }
            out.extend(((b << 16) | a).to_be_bytes());
        }
        "br" => {
            let header = ((u32::from(length) - 1) << 4) | (1 << 20);
            out.extend(&header.to_le_bytes()[..3]);
            out.extend(data);
            out.push(3);
        }
        "zstd" => {
            // One segment whose size takes two bytes, one last raw block.
            out.extend([0x28, 0xb5, 0x2f, 0xfd, 0x60]);
            out.extend((length - 256).to_le_bytes());
            out.extend(&((u32::from(length) << 3) | 1).to_le_bytes()[..3]);
            out.extend(data);
        }
        other => panic!("{other}"),
    }
    out
}

#[test]
fn compressed_responses() {
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let padding = " ".repeat(300);
        let document = format!(
            "<!doctype html><meta charset=utf-8><script src=/say.js></script>\n<script src=/packed.js></script>{padding}"
        );
        let packed = format!("probe.value = 'packed'; say(probe.value); done();{padding}");
        let site = Site::new(&[
            (
                "/",
                Reply::new("text/html", stored(coding, &document))
                    .header("Content-Encoding", coding),
            ),
            (
                "/packed.js",
                Reply::new("text/javascript", stored(coding, &packed))
                    .header("Content-Encoding", coding),
            ),
        ]);
        let (said, answer) = compare(&site, &site.url("/"), &[]);
        assert_eq!(said, "packed", "{coding}");
        assert_eq!(place(&answer), "found packed.js:1:1", "{coding}");
        assert_eq!(coverage(&answer), "2 of 2", "{coding}");
    }
}

// ---- responses -----------------------------------------------------------------------------------------

#[test]
fn redirects_error_pages_and_cached_responses() {
    check(
        &[
            ("/", Reply::new("text/plain", "").status(302).header("Location", "/there")),
            ("/there", page("<script src=/moved.js></script><script src=/gone.js onerror=\"say('gone'); probe.value = 7\"></script>\n\
<script src=/tagged.js></script><script src=/tagged.js></script><script src=/wrong.js></script><script src=/empty.js></script>\n\
<script>fetch('/tagged.js').then((r) => r.text()).then((text) => { say(text.length); probe.value = 8; done(); });</script>").status(404)),
            ("/moved.js", Reply::new("text/plain", "").status(302).header("Location", "/moved/to.js")),
            ("/moved/to.js", script("probe.value = 'moved'; say('moved');\n")),
            ("/gone.js", script("say('error pages of scripts are not run');").status(404)),
            ("/tagged.js", script("say('tagged');\n").header("ETag", "\"1\"").header("Cache-Control", "no-cache")),
            ("/wrong.js", Reply::new("image/png", "say('never');")),
            ("/empty.js", script("")),
        ],
        &["moved", "gone", "tagged", "tagged", "15"],
        "found there:4:86",
        "6 of 6",
        &[],
    );
}

#[test]
fn a_script_with_a_syntax_error_keeps_its_error() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script src=/broken.js></script>\n<script>\nprobe.value = 1; let let = 2;\n</script><script src=/throws.js></script><b onclick=\"if (\" id=x></b><script>x.click(); probe.value = 2; done();</script>",
            ),
        ),
        ("/broken.js", script("var fine = 1;\nprobe.value = ;\n")),
        (
            "/throws.js",
            script("probe.value = 1;\n  undefined.nothing;\n"),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    for told in [
        "Unexpected token ';' http://127.0.0.1:PORT/broken.js 2 15",
        "http://127.0.0.1:PORT/ 4 22",
        "http://127.0.0.1:PORT/throws.js 2 13",
        "http://127.0.0.1:PORT/ 5 69",
    ] {
        let told = told.replace("PORT", &site.port.to_string());
        assert!(said.contains(&told), "{told} is not in {said}");
    }
    assert_eq!(place(&answer), "found :5:88");
    assert_eq!(coverage(&answer), "3 of 6");
    let listed = blind_spots(&answer);
    assert_eq!(listed.len(), 3, "{listed:#?}");
    for (spot, start) in listed.iter().zip([
        ": not rewritten, because it does not parse: line 2:22: ",
        ": the attribute onclick is not rewritten, because it does not parse: line 1:5: ",
        "broken.js: not rewritten, because it does not parse: line 2:15: ",
    ]) {
        assert!(spot.starts_with(start), "{spot} is not {start}…");
    }
}

#[test]
fn a_redirected_script_has_its_own_lines_in_stacks() {
    let site = Site::new(&[
        (
            "/",
            page("<script src=/moved.js></script><script>done()</script>"),
        ),
        (
            "/moved.js",
            Reply::new("text/plain", "")
                .status(302)
                .header("Location", "/to/there.js"),
        ),
        (
            "/to/there.js",
            script("function f() { probe.value = 1; probe.value = 2; } probe.value = 3; f();\n"),
        ),
    ]);
    let (_, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(place(&answer), "found to/there.js:1:33");
    let stack = answer["points"][1]["stack"].as_array().unwrap();
    let columns: Vec<&serde_json::Value> = stack.iter().map(|frame| &frame["column"]).collect();
    assert_eq!(columns, [33, 69], "{answer:#}");
}

#[test]
fn a_page_that_a_service_worker_serves() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>\nif (navigator.serviceWorker.controller) { say('served', document.title); probe.value = 2; const s = document.createElement('script'); s.src = '/made.js'; s.onload = done; document.head.append(s); }\n\
else { navigator.serviceWorker.register('/worker.js'); navigator.serviceWorker.ready.then((r) => { probe.value = 1; if (r.active.state === 'activated') location.reload(); else r.active.onstatechange = (e) => { if (e.target.state === 'activated') location.reload(); }; }); }\n</script>",
            ),
        ),
        (
            "/worker.js",
            script(
                "oninstall = () => skipWaiting(); onactivate = (event) => event.waitUntil(clients.claim());\n\
onfetch = (event) => { if (event.request.url.endsWith('/made.js')) event.respondWith(new Response(\"say('made'); probe.value = 3;\", { headers: { 'Content-Type': 'text/javascript' } })); };\n",
            ),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "served page\nmade");
    let at = place(&answer);
    assert!(
        at == "found made.js:1:14" || at.starts_with("blind "),
        "{answer:#}"
    );
}

#[test]
fn a_large_script_and_one_long_line() {
    let mut large = String::from("var big = { value: 0 };\n");
    for number in 0..20_000 {
        large.push_str(&format!(
            "function large{number}(a, b) {{ big.value = a + b; var c = {{ x: a, y: [b] }}; return c.x - {number}; }}\n"
        ));
    }
    large.push_str("probe.value = large19999(1, 2);\n");
    assert!(large.len() > 1_500_000);
    let line = large.lines().count();
    let minified = format!(
        "{}probe.value='short';say(big.value);done();",
        "big.value=1;if(!big.value){big.value=2}".repeat(5_000)
    );
    let site = Site::new(&[
        (
            "/",
            page("<script src=/large.js></script><script src=/line.js></script>"),
        ),
        ("/large.js", script(&large)),
        ("/line.js", script(&minified)),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "1");
    let column = 39 * 5_000 + 1;
    assert_eq!(place(&answer), format!("found line.js:1:{column}"));
    let inner = ask(&site.url("/"), &["S = lastChange(R:big.value)"]).answer();
    assert_eq!(coverage(&inner), "3 of 3");
    assert!(line > 20_000);
}
