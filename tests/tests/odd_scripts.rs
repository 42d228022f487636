//! Scripts that are odd in their text or in the way they come: comments as of old, hashbangs, marks of byte order,
//! integrity by an import map, redirected modules, deferred and asynchronous ones. Each page is run plainly and under a
//! question.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

#[test]
fn comments_as_of_old_are_comments_in_scripts_and_errors_in_modules() {
    check(
        &[
            (
                "/",
                page(
                    "<script src=/old.js></script>\n<script type=module>import('/module.js').catch((error) => \
                     { say(error.name, error.message); done(); });</script>",
                ),
            ),
            (
                "/old.js",
                script(
                    "<!-- probe.value = 'a comment'\n/* as\nwell */ --> probe.value = 'a comment'\nvar x = 1; \
                     probe.value = x<!--x; probe.value = 'a comment'\n;say(probe.value);\n  --> probe.value = 'the \
                     end'",
                ),
            ),
            (
                "/module.js",
                script("probe.value = 2;\n<!-- no comment\nprobe.value = 3;\n"),
            ),
        ],
        &["1", "SyntaxError HTML comments are not allowed in modules"],
        "found old.js:4:12",
        "3 of 4",
        &[
            "module.js: not rewritten, because it does not parse: line 2:1: Legacy comments cannot be used in module \
             code",
        ],
    );
}

#[test]
fn hashbangs_and_marks_of_byte_order() {
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(
            "#!/usr/bin/env node\nprobe.value = '\u{e9}'; say(probe.value.charCodeAt(0));\n"
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        )
        .collect();
    check(
        &[
            (
                "/",
                page(
                    "<script src=/bang.js></script>\n<script src=/wide.js></script>\n<script>#!inline\nprobe.value = \
'inline'; say(probe.value)</script>\n\
<script type=module src=/module.js></script>\n\
<script type=module>\nnew Worker('/worker.js').onmessage = (event) => { say(event.data); try { eval('#!\\nprobe.value \
= 6; say(probe.value)'); new Function('#!'); } catch (error) { say(error.name); } done(); };</script>",
                ),
            ),
            (
                "/bang.js",
                script("\u{feff}#!/usr/bin/env node\nprobe.value = 'bang'; say(probe.value);\n"),
            ),
            ("/wide.js", Reply::new("text/javascript", utf16)),
            (
                "/module.js",
                script(
                    "#!module\nimport { text } from '/imported.js';\nprobe.value = text; say(text);\n",
                ),
            ),
            (
                "/imported.js",
                script("\u{feff}#!/imported\nexport const text = 'imported';\n"),
            ),
            (
                "/worker.js",
                script("#!worker\nconst o = {}; o.value = 'worker'; postMessage(o.value);\n"),
            ),
        ],
        &[
            "bang",
            "233",
            "inline",
            "imported",
            "worker",
            "6",
            "SyntaxError",
        ],
        "found :8:74:2:1",
        "9 of 9",
        &[],
    );
}

#[test]
fn what_an_import_map_knows_by_its_digest_stays_as_it_is_and_is_listed() {
    check(
        &[
            (
                "/",
                page(
                    "<script type=importmap>{ \"imports\": { \"one\": \"/one.js\", \"two\": \"/two.js\" }, \"integrity\": { \"/one.js\": \"sha256-juiH6x4RpfpwizCYwwr5XagI3CY6h0rL1TQjeQ440qE=\" }, \"scopes\": { \"/two.js\": { \"one\": \"/two-one.js\" } } }</script>\n\
<script type=module>import { one } from 'one'; import two from 'two'; say(one, two);\nimport('two').then((again) => { \
say(again.default === two); done(); });</script>",
                ),
            ),
            (
                "/one.js",
                script("export const one = 1; probe.value = 'one';\n"),
            ),
            (
                "/two.js",
                script("import one from 'one'; export default one + 1;\nprobe.value = 'two';\n"),
            ),
            ("/two-one.js", script("export default 11;\n")),
        ],
        &["1 12", "true"],
        "found two.js:2:1",
        "4 of 5",
        &[
            "one.js: the page checks its digest, which no attribute in the document gives, so it stays as it is",
        ],
    );
}

#[test]
fn redirected_modules_and_workers_resolve_what_they_import_from_where_they_are() {
    let moved = |to: &str| {
        Reply::new("text/plain", "")
            .status(302)
            .header("Location", to)
    };
    check(
        &[
            (
                "/",
                page(
                    "<script type=module src=/moved.js></script>\n<script type=module>\n\
const worker = new Worker('/worker.js'); worker.onmessage = (event) => { say(event.data); done(); };\n</script>",
                ),
            ),
            ("/moved.js", moved("/deep/there.js")),
            (
                "/deep/there.js",
                script(
                    "import data from './data.json' with { type: 'json' };\nimport { near } from \
'./near.js';\nsay(near, data.value, import.meta.url.endsWith('/deep/there.js'), \
import.meta.resolve('./x').endsWith('/deep/x'));\n\
const late = await import('./data.json', { with: { type: 'json' } }); say(late.default === data);\n\
probe.value = near;\n",
                ),
            ),
            ("/deep/near.js", script("export const near = 'near';\n")),
            (
                "/deep/data.json",
                Reply::new("application/json", "{ \"value\": 1 }"),
            ),
            ("/worker.js", moved("/deep/worker.js")),
            (
                "/deep/worker.js",
                script(
                    "importScripts('part.js'); const o = {}; o.value = part; import('./near.js').then(({ near }) => \
                     postMessage([o.value, near, location.pathname].join()));\n",
                ),
            ),
            ("/deep/part.js", script("var part = 'part';\n")),
        ],
        &["near 1 true true", "true", "part,near,/deep/worker.js"],
        "found deep/there.js:5:1",
        "7 of 7",
        &[],
    );
}

#[test]
fn deferred_asynchronous_and_passed_over_scripts() {
    check(
        &[
            (
                "/",
                page(
                    "<script defer src=/deferred.js></script><script nomodule src=/old.js></script><script \
nomodule>probe.value = 'old'</script>\n\
<script async src=/soon.js></script><script type=module async>window.asynchronous = 1</script>\n\
<script for=window event=onload()>probe.value = 'for'; say('for')</script><script for=document \
event=onload>probe.value = 'never'</script>\n\
<script language=javascript1.5>say('language', document.readyState)</script><script language=vbscript>probe.value = \
'never'</script>\n\
<noscript><script>probe.value = 'never'</script></noscript><textarea><script>probe.value = \
'never'</script></textarea><xmp><script></xmp>\n\
<script src='data:text/javascript,say(\"data\")'></script><script src>probe.value = 'never'</script>\n\
<script>onload = () => { say(typeof soon, asynchronous); done(); }</script>",
                ),
            ),
            (
                "/deferred.js",
                script("probe.value = 'deferred'; say(document.readyState);\n"),
            ),
            ("/old.js", script("probe.value = 'old';\n")),
            ("/soon.js", script("var soon = {}; soon.value = 1;\n")),
        ],
        &["for", "language loading", "data", "interactive", "object 1"],
        "found deferred.js:1:1",
        "8 of 9",
        &["javascript,say(\"data\"): a script that the page keeps in memory is not rewritten"],
    );
}
