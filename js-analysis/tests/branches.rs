//! Assignments that a minifier made of several: each branch that its author assigned is a site of its own.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use js_analysis::Goal;
use js_analysis::marks::author_text;
use js_analysis::position::ByteOffset;
use js_analysis::rewrite::{
    Instrumentation, OriginalNames, SiteKind, Watch, WatchedName, WatchedTarget, with_script,
};

/// The author assigned what is behind a `^`.
struct Assigned(Vec<ByteOffset>);

impl OriginalNames for Assigned {
    fn original_name(&self, _at: ByteOffset) -> Option<String> {
        None
    }

    fn assigns(&self, at: ByteOffset, name: Option<&str>) -> bool {
        name != Some("other") && self.0.contains(&at)
    }
}

/// The rewritten text, and where its branches are.
fn rewritten(marked: &str) -> (String, Vec<u32>) {
    let places = marked.match_indices('^').enumerate();
    let places = places.map(|(before, (at, _))| ByteOffset::from_index(at - before));
    let names = Assigned(places.collect());
    let source = marked.replace('^', "");
    let target = |target| WatchedName {
        target,
        dependents: Vec::new(),
    };
    let instrumentation = Instrumentation {
        watch: Watch::Names(vec![
            target(WatchedTarget::Property("p".to_owned())),
            target(WatchedTarget::Property("other".to_owned())),
            target(WatchedTarget::Variable("x".to_owned())),
        ]),
        ..Instrumentation::default()
    };
    let rewritten = with_script(&source, Goal::Script, |script| {
        script.rewrite(&instrumentation, &names)
    })
    .and_then(|rewritten| rewritten)
    .unwrap();
    let sites = rewritten.sites.iter();
    let branches = sites.filter(|site| site.kind == SiteKind::Branch);
    let branches = branches.map(|site| site.at.0).collect();
    let text = rewritten.apply(&source).0;
    assert_eq!(author_text(&text, "$Qp"), source);
    (text.replace('\u{b}', ""), branches)
}

#[test]
fn a_branch_that_was_an_assignment_is_a_site() {
    let (text, branches) = rewritten("function f(o,a){o.p=a?^1:(b(),^2)}");
    assert_eq!(branches, [22, 29]);
    let expected = "o.p=($Qp2=a?($Qp1=2,1):($Qp1=3,(b(),2)),$QpA&&$QpW($Qp1,o,\"p\",$Qp2),$Qp2)";
    assert!(text.contains(expected), "{text}");
    // The others keep the site of the whole.
    let (text, branches) = rewritten("function f(o,a,b){o.p=a?1:b?^2:(3)}");
    assert_eq!(branches.len(), 1);
    let expected = "a?($Qp1=1,1):b?($Qp1=2,2):($Qp1=1,(3))";
    assert!(text.contains(expected), "{text}");
    let (text, branches) = rewritten("function f(a){let x;x=a?^1:^2;x+=a?^3:^4;return ()=>x=1}");
    assert_eq!(branches.len(), 4);
    assert!(text.contains("$QpX($Qp1,x,$Qp$x,$Qp2)"), "{text}");
}

#[test]
fn what_its_author_wrote_as_one_is_one() {
    for source in [
        "function f(o,a){o.p=a?1:2}",
        "function f(o,a){o.p=^a}",
        "function f(o,a){o.p=a&&^1}",
        // What the map says is of another assignment.
        "function f(o,a){o.other=a?^1:^2}",
    ] {
        let (text, branches) = rewritten(source);
        assert!(branches.is_empty(), "{text}");
    }
}
