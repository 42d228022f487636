//! Pages that restrict their own scripts: content security policies by nonce, by hash and by trust, Trusted Types,
//! subresource integrity. They run rewritten as they run plainly, and every script that the policy lets run is hooked.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

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

/// The inline script and the handler of the page below, whose digests the policy holds.
const INLINE: &str = "probe.value = 'inline'; const late = document.createElement('script'); late.src = '/late.js'; \
    document.head.append(late);";
const HANDLER: &str = "probe.value = 'handler'; say(probe.value); done();";

#[test]
fn scripts_that_a_policy_knows_by_their_hashes_are_hooked_and_so_is_what_they_trust() {
    let policy = "script-src 'sha256-P449QMVOWRvBMt4zbU2RatH7QNfN1JnvIAZXa7+eT4c=' \
                  'sha256-EJItkg8SFGRGzLUjFW15mZ65OHBnLp+uQX2hOh1TPYw=' 'unsafe-hashes' 'strict-dynamic' 'nonce-say'; \
                  object-src 'none'";
    let body = format!(
        "<!doctype html><meta charset=utf-8><script nonce=say src=/say.js></script><b id=b \
onclick=\"{HANDLER}\">b</b>\n\
<script>{INLINE}</script>"
    );
    let site = Site::new(&[
        ("/", html(&body).header("Content-Security-Policy", policy)),
        (
            "/late.js",
            script(
                "probe.value = 'late'; say(probe.value); document.getElementById('b').click();\n",
            ),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "late\nhandler");
    assert_eq!(place(&answer), "found :1:92");
    assert_eq!(coverage(&answer), "4 of 4", "{answer:#}");
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
}

#[test]
fn what_a_page_under_trusted_types_makes_code_of_is_hooked() {
    let policy = "require-trusted-types-for 'script'; trusted-types page";
    let body = "<script>\n\
const trust = (text) => text;\n\
const page = trustedTypes.createPolicy('page', { createHTML: trust, createScript: trust, createScriptURL: trust });\n\
probe.value = 1;\n\
eval(page.createScript(\"say('eval', probe.value); probe.value = 2\"));\n\
const inserted = document.createElement('script');\n\
inserted.text = page.createScript(\"say('script', probe.value); probe.value = 4\");\n\
document.head.append(inserted);\n\
say(inserted.text);\n\
const box = document.createElement('div');\n\
box.innerHTML = page.createHTML(\"<b onclick=\\\"say('handler', probe.value); probe.value = 5\\\">b</b>\");\n\
box.firstChild.click();\n\
say(box.innerHTML);\n\
const late = document.createElement('script');\n\
late.src = page.createScriptURL('/late.js');\n\
document.head.append(late);\n\
</script>";
    let site = Site::new(&[
        ("/", page(body).header("Content-Security-Policy", policy)),
        (
            "/late.js",
            script(
                "say('late', probe.value);\nsetTimeout(page.createScript(\"probe.value = 6; say('timer', \
                 probe.value); done()\"), 1);\n",
            ),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    let said: Vec<&str> = said.lines().collect();
    let wanted = [
        "eval 1",
        "script 2",
        "say('script', probe.value); probe.value = 4",
        "handler 4",
        "<b onclick=\"say('handler', probe.value); probe.value = 5\">b</b>",
        "late 5",
        "timer 6",
    ];
    assert_eq!(said, wanted);
    assert_eq!(blind_spots(&answer), Vec::<String>::new());
    let point = &answer["points"][1];
    assert_eq!(point["status"], "found", "{answer:#}");
    assert_eq!(point["location"]["maker"]["by"], "timer", "{answer:#}");
    assert_eq!(point["location"]["maker"]["line"], 2, "{answer:#}");
    assert_eq!(point["old"]["text"], "5");
}

#[test]
fn a_script_whose_digest_the_document_names_is_hooked() {
    let digest = "sha256-iTKPhAtC+fdSYwZ7/Sli4oQsDufEYTC/YIFj0mhgwCI=";
    let body = format!(
        "<script src=/kept.js integrity=\"{digest}\" crossorigin></script>\n\
<script src=/kept.js integrity='sha256-AAAA {digest}'></script><script>done();</script>"
    );
    let site = Site::new(&[
        ("/", page(&body)),
        (
            "/kept.js",
            script("probe.value = 'kept'; say(probe.value);\n"),
        ),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, "kept\nkept");
    assert_eq!(place(&answer), "found kept.js:1:1", "{answer:#}");
    assert_eq!(coverage(&answer), "4 of 4", "{answer:#}");
}
