//! Scripts that a page keeps in memory, at `blob:` and `data:` addresses: what the page can find out about them is what
//! it put there, and what it finds out about the functions that it uses for it is what the browser says.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

/// One page that says what it finds; the last write is in the page's own text.
fn check_page(lines: &[&str], said: &[&str], hooked: &str, blind: &[&str]) {
    let body = format!(
        "<script>\n\
const blob = (text, type = 'text/javascript') => URL.createObjectURL(new Blob([text], {{ type }}));\n\
const heard = (worker) => new Promise((told) => {{ worker.onmessage = (event) => told(event.data); worker.onerror = \
(event) => {{ event.preventDefault(); told('error ' + event.message); }}; }});\n\
const named = (error) => error.name + ' ' + error.message.replace(/[-0-9a-f]{{36}}/g, \
'UUID').replace(/127.0.0.1:[0-9]+/g, 'HOST');\n\
(async () => {{\n{}\nprobe.value = 1;\ndone();\n}})();\n</script>",
        lines.join("\n")
    );
    let site = Site::new(&[("/", page(&body))]);
    let (really_said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(really_said.lines().collect::<Vec<_>>(), said);
    assert_eq!(blind_spots(&answer), blind);
    assert_eq!(coverage(&answer), hooked);
    assert_eq!(place(&answer), format!("found :{}:1", lines.len() + 7));
}

#[test]
fn what_is_kept_stays_what_it_is() {
    check_page(
        &[
            "const text = \"window.ran = (window.ran || 0) + 1; probe.value = 'kept'; //\u{e9}\";",
            "const address = blob(text);",
            "const script = document.createElement('script'); script.src = address;",
            "const loaded = new Promise((told) => { script.onload = told; });",
            "document.head.append(script); say(script.src === address, script.outerHTML === `<script \
             src=\"${address}\"><\\/script>`);",
            "await loaded; await import(address); say(ran, script.src === address);",
            "say(await (await fetch(address)).text() === text);",
            "const link = document.createElement('a'); link.href = address; say(link.href === address);",
            "URL.revokeObjectURL(address);",
            "await fetch(address).catch((error) => say('revoked', error.name));",
            "await import(address); say(ran);",
            "const late = blob(text); URL.revokeObjectURL(late);",
            "await import(late).catch((error) => say(named(error)));",
            "say(performance.getEntriesByType('resource').map((entry) => entry.name.split('/').pop()).filter((name) \
             => name !== 'favicon.ico'));",
        ],
        &[
            "true true",
            "2 true",
            "true",
            "true",
            "revoked TypeError",
            "2",
            "TypeError Failed to fetch dynamically imported module: blob:http://HOST/UUID",
            "say.js",
        ],
        "4 of 4",
        &[],
    );
}

#[test]
fn modules_of_other_types_and_addresses_that_are_none_fail_as_before() {
    check_page(
        &[
            "say((await import(blob('{ \"value\": 1 }', 'application/json'), { with: \
             { type: 'json' } })).default.value);",
            "say((await import('data:application/json,{\"value\":2}', { with: { type: 'json' } })).default.value);",
            "say((await import(blob('a { color: red }', 'text/css'), { with: \
             { type: 'css' } })).default.cssRules.length);",
            "await import(blob('probe.value = 2', 'text/plain')).catch((error) => say(named(error)));",
            "await import({ toString() { say('asked'); return 'data:text/javascript,probe.value = 3'; } });",
            "await import({ toString() { throw new RangeError('mine'); } }).catch((error) => say(named(error)));",
            "say((await import('data:text/javascript;base64,ZXhwb3J0IGRlZmF1bHQgJ8OpJw')).default);",
            "const one = await import('data:text/javascript,export default {}#1'), two = await \
             import('data:text/javascript,export default {}#2');",
            "say(one === two, one === await import('data:text/javascript,export default {}#1'));",
        ],
        &[
            "1",
            "2",
            "1",
            "TypeError Failed to fetch dynamically imported module: blob:http://HOST/UUID",
            "asked",
            "RangeError mine",
            "\u{e9}",
            "false true",
        ],
        "6 of 6",
        &[],
    );
}

#[test]
fn workers_are_made_as_before() {
    check_page(
        &[
            "const echo = blob('const o = {}; o.value = 1; postMessage([typeof o, location.protocol, self.name, this \
             === self].join())');",
            "say(await heard(new Worker(echo, { name: 'n' })));",
            "say(await heard(new Worker(new URL(echo))));",
            "say(await heard(new Worker('data:text/javascript,postMessage(origin + location.protocol)')));",
            "say(await heard(new Worker(blob('import.meta.url; postMessage(typeof this)'), { type: 'module' })));",
            "say(await heard(new Worker(blob('(')), {}));",
            "class Mine extends Worker { constructor(...values) \
             { super(...values); this.own = new.target === Mine; } }",
            "const mine = new Mine(echo); say(await heard(mine), mine instanceof Mine, mine instanceof Worker, \
             mine.own);",
            "say(Worker.name, Worker.length, String(Worker), Worker.prototype.constructor === Worker, \
             Object.getPrototypeOf(Worker) === EventTarget);",
            "for (const fn of [URL.createObjectURL, URL.revokeObjectURL, Worklet.prototype.addModule]) say(fn.name, \
             fn.length, String(fn), Reflect.ownKeys(fn).join(), 'prototype' in fn);",
            "try { Worker(echo); } catch (error) { say(named(error)); }",
            "try { new Worker(); } catch (error) { say(named(error)); }",
            "try { URL.createObjectURL({}); } catch (error) { say(named(error)); }",
            "try { new (URL.createObjectURL)(); } catch (error) { say(named(error)); }",
            "await new Promise((told) => \
             { const shared = new SharedWorker(blob(\"onconnect = (event) => \
             event.ports[0].postMessage('shared')\")); shared.port.onmessage = (event) => { say(event.data); told(); \
             }; });",
        ],
        &[
            "object,blob:,n,true",
            "object,blob:,,true",
            "nulldata:",
            "undefined",
            "error Uncaught SyntaxError: Unexpected end of input",
            "object,blob:,,true true true true",
            "Worker 1 function Worker() { [native code] } true true",
            "createObjectURL 1 function createObjectURL() { [native code] } length,name false",
            "revokeObjectURL 1 function revokeObjectURL() { [native code] } length,name false",
            "addModule 1 function addModule() { [native code] } length,name false",
            "TypeError Failed to construct 'Worker': Please use the 'new' operator, this DOM object constructor \
             cannot be called as a function.",
            "TypeError Failed to construct 'Worker': 1 argument required, but only 0 present.",
            "TypeError Failed to execute 'createObjectURL' on 'URL': Overload resolution failed.",
            "TypeError URL.createObjectURL is not a constructor",
            "shared",
        ],
        "6 of 7",
        &[
            ": dynamic code of blob at line 12 is not rewritten, because it does not parse: line 1:2: Expression \
             expected",
        ],
    );
}

#[test]
fn what_cannot_be_exchanged_is_listed() {
    check(
        &[(
            "/",
            page(
                "<script type=importmap>{ \"imports\": { \"mapped\": \"data:text/javascript,probe.value=2\" } \
}</script>\n\
<script src=\"data:text/javascript,probe.value=1\"></script>\n\
<iframe srcdoc=\"<script>window.made = () => URL.createObjectURL(new Blob(['probe.value = 3'], { type: \
'text/javascript' }));</script>\"></iframe>\n\
<script>onload = async () => { await import('mapped'); await import(frames[0].made()); say(probe.value); done(); \
};</script>",
            ),
        )],
        &["3"],
        "blind :null:null",
        "3 of 6",
        &[
            "UUID: a script that the page keeps in memory is not rewritten",
            "javascript,probe.value=1: a script that the page keeps in memory is not rewritten",
            "javascript,probe.value=2: a script that the page keeps in memory is not rewritten",
        ],
    );
}
