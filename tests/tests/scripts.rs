//! Scripts of documents: inline, in attributes, modules and what they import, inserted by scripts. Each page is run
//! plainly and under a question, says the same both times, is hooked where it can be, and what could not be hooked is
//! listed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

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
<script type=module>\nvar inner = 1; probe.value = 'inline'; say(typeof this, typeof window.inner, \
import.meta.url.length > 0);\n</script>\n\
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
                    "import { value } from './one.js'; import bare from 'bare'; import data from './data.json' with { \
type: 'json' }; import sheet from './sheet.css' with { type: 'css' };\n\
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
            "broken.js: not rewritten, because it does not parse: line 1:14: Unexpected token `=`. Expected yield, an \
             identifier, [ or {",
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
const add = (set) => new Promise((told) => { const it = document.createElement('script'); set(it); it.onload = \
it.onerror = told; document.head.append(it); });\n\
const all = async () => {\n\
  await add((it) => { it.src = '/src.js'; });\n\
  await add((it) => { it.src = '/sri.js'; it.integrity = 'sha256-FnpCOmzSNkqc465NMVzxn0bZA2c4ShoRtFMsjoPuDeg='; \
  it.onerror = () => say('refused'); });\n\
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
        "12 of 13",
        &[
            "sri.js: the page checks its digest, which no attribute in the document gives, so it stays as it is",
        ],
    );
}

#[test]
fn a_script_with_a_syntax_error_keeps_its_error() {
    let site = Site::new(&[
        (
            "/",
            page(
                "<script src=/broken.js></script>\n<script>\nprobe.value = 1; let let = 2;\n</script><script \
                 src=/throws.js></script><b onclick=\"if (\" id=x></b><script>x.click(); probe.value = 2; \
                 done();</script>",
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
        ": not rewritten, because it does not parse: line 4:22: ",
        ": the attribute onclick is not rewritten, because it does not parse: line 1:5: ",
        "broken.js: not rewritten, because it does not parse: line 2:15: ",
    ]) {
        assert!(spot.starts_with(start), "{spot} is not {start}…");
    }
}

#[test]
fn what_is_written_in_pieces_says_the_same() {
    let lines = [
        "const texts = () => [...document.scripts].slice(2).map((script) => script.text).join('/');",
        "const told = []; new MutationObserver((list) => told.push(...list)).observe(document, \
         { childList: true, subtree: true });",
        "for (const fn of [document.write, document.writeln, document.open]) say(fn.name, fn.length, String(fn), \
         Reflect.ownKeys(fn).join());",
        "for (const piece of ['<scr', 'ipt>say(', '1)', '</scr', 'ipt><p id=p>']) document.write(piece); say(texts());",
        "document.write('<script>'); document.write('say(2, document.currentScript.text.length); /* a comment */ '); \
         document.write('probe.value = 1;</scr', 'ipt>');",
        "document.write('<script><!-- of old\\n'); document.write('say(3)\\n//-->'); document.write('</scr' + \
         'ipt>'); say(texts());",
        "document.write('<script type=text/plain>'); document.write('probe.value = 8'); document.write('</scr' + \
         'ipt>');",
        "document.write('<script>say(4, '); document.write('/* */ 4); probe.value = 2'); document.write('</scr' + \
         'ipt>'); say(texts());",
        "document.write('<script src=/late.js></scr' + 'ipt>');",
        "document.write('<script>say('); document.write('6); probe.value = 3'); document.write('</scr' + \
         'ipt><script>probe.value = 4; say(7)</scr' + 'ipt>');",
        "try { document.write.call({}, ''); } catch (error) { say(error.name, error.message); }",
    ];
    let body = format!(
        "<script>\n{}\n</script>\n<script>say(texts()); probe.value = 5; done();</script>",
        lines.join("\n")
    );
    check(
        &[
            ("/", page(&body)),
            ("/late.js", script("say(5); probe.value = 6;\n")),
        ],
        &[
            "write 0 function write() { [native code] } length,name",
            "writeln 0 function writeln() { [native code] } length,name",
            "open 0 function open() { [native code] } length,name",
            "1",
            "say(1)",
            "2 76",
            "3",
            "say(1)/say(2, document.currentScript.text.length); /* a comment */ probe.value = 1;/<!-- of old",
            "say(3)",
            "//-->",
            "4 4",
            "say(1)/say(2, document.currentScript.text.length); /* a comment */ probe.value = 1;/<!-- of old",
            "say(3)",
            "//-->/probe.value = 8/say(4, /* */ 4); probe.value = 2",
            "TypeError Illegal invocation",
            "5",
            "6",
            "7",
            "say(1)/say(2, document.currentScript.text.length); /* a comment */ probe.value = 1;/<!-- of old",
            "say(3)",
            "//-->/probe.value = 8/say(4, /* */ 4); probe.value = 2//say(6); probe.value = 3/probe.value = 4; \
             say(7)/say(texts()); probe.value = 5; done();",
        ],
        "found :15:23",
        "9 of 11",
        &[
            ": a script or event handler that a script wrote into the document is not rewritten",
            ": code that a script made, or put into the document, is not rewritten",
        ],
    );
}

#[test]
fn what_the_parser_holds_of_a_script_runs_once() {
    let lines = [
        r"const write = (...pieces) => { for (const piece of pieces) document.write(piece); };",
        r"const END = '</scr' + 'ipt>';",
        r"write('<script>', 'say(1);\nsay(2); probe.value = 1; // so', END);",
        r"write('<script>', 'say(3, \'\\u0041\\\\u\'); /* a */ probe.value = 2; // \\', END);",
        r"write('<script>', 'say(4); probe.', 'value = 3', '</scr', 'ipt>');",
        r"write('<script type=module>', 'await 0; say(5); /* b */\n', 'probe.value = 4;', END);",
        r"say([...document.scripts].slice(2).map((script) => script.text).join('/'));",
    ];
    let body = format!(
        "<script>\n{}\n</script>\n<script type=module>probe.value = 5; done();</script>",
        lines.join("\n")
    );
    check(
        &[("/", page(&body))],
        &[
            "1",
            "2",
            r"3 A\u",
            "4",
            "say(1);",
            r"say(2); probe.value = 1; // so/say(3, '\u0041\\u'); /* a */ probe.value = 2; // \/say(4); probe.value = 3/await 0; say(5); /* b */",
            "probe.value = 4;",
            "5",
        ],
        "found :11:21",
        "7 of 7",
        &[],
    );
}

#[test]
fn a_script_inside_svg_that_is_not_written_as_it_is_read_is_listed() {
    check(
        &[(
            "/",
            page(
                "<svg><script>probe.value = 1 &lt; 2; \
say(probe.value)</script><script><![CDATA[say('section')]]></script></svg>\n\
<script>say('after'); done()</script>",
            ),
        )],
        &["true", "section", "after"],
        "blind :null:null",
        "2 of 4",
        &[
            ": a script inside SVG or MathML is not rewritten, because it is not written as it is read",
        ],
    );
}

#[test]
fn copies_of_elements_are_what_they_were() {
    let lines = [
        "const setter = Object.getOwnPropertyDescriptor(HTMLScriptElement.prototype, 'src').set;",
        "for (const fn of [Node.prototype.cloneNode, Document.prototype.importNode, setter]) say(fn.name, fn.length, \
         String(fn), Reflect.ownKeys(fn).join(), 'prototype' in fn);",
        "const told = []; const observer = new MutationObserver((list) => told.push(...list)); \
         observer.observe(document, { subtree: true, childList: true, attributes: true });",
        "const copy = b.cloneNode(true);",
        "say(copy.outerHTML, copy.onclick === b.onclick, String(copy.onclick), copy.onclick.length);",
        "const template = document.createElement('template'); template.innerHTML = '<b onclick=\"probe.value = \
         2\">t</b>';",
        "const inert = template.content.cloneNode(true); say(inert.firstChild.outerHTML, inert.firstChild.onclick);",
        "const mine = () => say('mine'); inert.firstChild.onclick = mine; const late = inert.firstChild;",
        "say(observer.takeRecords().length, told.length); document.body.append(copy, inert); \
         say(observer.takeRecords().length);",
        "late.click(); say(late.onclick === mine, late.outerHTML); copy.click(); say(probe.value);",
        "try { Node.prototype.cloneNode.call({}); } catch (error) { say(error.name, error.message); }",
        "try { document.importNode(); } catch (error) { say(error.name, error.message); }",
        "template.innerHTML += '<i onclick=\"say(1)\">i</i>'; const taken = \
         template.content.cloneNode(true).lastChild; document.body.append(taken); taken.click(); say(taken.outerHTML);",
        "const held = document.importNode(template.content, true).firstChild; held.click(); say(probe.value, \
         template.innerHTML);",
    ];
    let body = format!(
        "<body><b id=b onclick=\"probe.value = 1\">b</b><script>\n{}\ndone();\n</script>",
        lines.join("\n")
    );
    let site = Site::new(&[("/", page(&body))]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    let said: Vec<&str> = said.lines().collect();
    let wanted = [
        "cloneNode 0 function cloneNode() { [native code] } length,name false",
        "importNode 1 function importNode() { [native code] } length,name false",
        "set src 1 function set src() { [native code] } length,name false",
        "<b id=\"b\" onclick=\"probe.value = 1\">b</b> false function onclick(event) {",
        "probe.value = 1",
        "} 1",
        "<b onclick=\"probe.value = 2\">t</b> null",
        "0 0",
        "1",
        "mine",
        "true <b onclick=\"probe.value = 2\">t</b>",
        "1",
        "TypeError Illegal invocation",
        "TypeError Failed to execute 'importNode' on 'Document': 1 argument required, but only 0 present.",
        "1",
        "<i onclick=\"say(1)\">i</i>",
        "2 <b onclick=\"probe.value = 2\">t</b><i onclick=\"say(1)\">i</i>",
    ];
    assert_eq!(said, wanted);
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
    assert_eq!(answer["points"][1]["status"], "found", "{answer:#}");
}
