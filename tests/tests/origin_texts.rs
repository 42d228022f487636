//! The texts of operations and calls in an origin: those of the author where a script is minified and its map has the
//! source, if the map has an exact range for them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::origins::{asked, detail, path};
use serde_json::json;

const MONEY: &str = "export default (amount) => amount.toFixed(2);
";
const APP: &str = "import money from './money.js';
const prices = { tea: 4, cake: 3 };
function sum(items) {
  let total = 0;
  for (const item of items) {
    total += prices[item.name] * item.count;
  }
  return total;
}
const label = (amount, unit) => {
  return `${money(amount)} ${unit}`;
};
const total = sum([{ name: 'tea', count: 2 }, { name: 'cake', count: 1 }]);
globalThis.out = {
  total,
  label: label(total, 'EUR'),
  first: ['a', 'b'].map((it) => it + '!')[0],
  inlined: total * RATE + Math.round(total / 3),
};
console.log('asked here');
";
/// What esbuild 0.28.2 makes of both with `--minify --define:RATE=1.5`.
const MINIFIED: &str = "(()=>{var a=t=>t.toFixed(2);var l={tea:4,cake:3};function c(t){let e=0;for(let n of t)e+=l[n.name]*n.coun\
t;return e}var r=(t,e)=>`${a(t)} ${e}`,o=c([{name:\"tea\",count:2},{name:\"cake\",count:1}]);globalThis.out={\
total:o,label:r(o,\"EUR\"),first:[\"a\",\"b\"].map(t=>t+\"!\")[0],inlined:o*1.5+Math.round(o/3)};console.log(\"ask\
ed here\");})();";
const MAPPINGS: &str = "MAAA,IAAOA,EAASC,GAAWA,EAAO,QAAQ,CAAC,ECC3C,IAAMC,EAAS,CAAE,IAAK,EAAG,KAAM,CAAE,EACjC,SAASC,EAAIC,EAAO,CA\
ClB,IAAIC,EAAQ,EACZ,QAAWC,KAAQF,EACjBC,GAASH,EAAOI,EAAK,IAAI,EAAIA,EAAK,MAEpC,OAAOD,CACT,CACA,IAAME,EAAQ,\
CAACC,EAAQC,IACd,GAAGC,EAAMF,CAAM,CAAC,IAAIC,CAAI,GAE3BJ,EAAQF,EAAI,CAAC,CAAE,KAAM,MAAO,MAAO,CAAE,EAAG,CA\
AE,KAAM,OAAQ,MAAO,CAAE,CAAC,CAAC,EACzE,WAAW,IAAM,CACf,MAAAE,EACA,MAAOE,EAAMF,EAAO,KAAK,EACzB,MAAO,CAAC,IA\
AK,GAAG,EAAE,IAAKM,GAAOA,EAAK,GAAG,EAAE,CAAC,EACzC,QAASN,EAAQ,IAAO,KAAK,MAAMA,EAAQ,CAAC,CAC9C,EACA,QAAQ,I\
AAI,YAAY";

fn site(sources: &[Option<&str>]) -> Site {
    let map = json!({
        "version": 3, "sources": ["money.js", "app.src.js"], "sourcesContent": sources,
        "mappings": MAPPINGS, "names": ["money_default", "amount", "prices", "sum", "items", "total", "item", "label", "amount", "unit", "money_default", "it"],
    });
    Site::new(&[
        ("/", page("<script src=app.js></script>")),
        (
            "/app.js",
            script(&format!("{MINIFIED}\n//# sourceMappingURL=app.js.map")),
        ),
        (
            "/app.js.map",
            Reply::new("application/json", map.to_string()),
        ),
    ])
}

#[test]
fn operations_and_calls_have_their_authors_texts_where_the_map_has_them() {
    let queries = [
        "C = origin(R:out.total)",
        "origin(R:out.label)",
        "origin(R:out.first)",
        "origin(R:out.inlined)",
    ];
    let (points, _) = asked(&site(&[Some(MONEY), Some(APP)]), &queries, &[]);
    let paths: Vec<Vec<String>> = points.iter().map(path).collect();
    assert_eq!(
        detail(&points[0]),
        "total += prices[item.name] * item.count"
    );
    assert_eq!(detail(&points[1]), "`${money(amount)} ${unit}`");
    assert_eq!(
        paths[1].last().unwrap().split_once(',').unwrap().1,
        " money(amount) = \"11.00\", unit = \"EUR\""
    );
    assert!(
        paths[2][1].ends_with("['a', 'b'].map((it) => it + '!')[0] = \"a!\""),
        "{:?}",
        paths[2]
    );
    // The bundler put a number in the place of a name: the author has no such text.
    assert_eq!(detail(&points[3]), "o*1.5+Math.round(o/3)");
    // What the execution without the log shows is the same, so each operand is found in the log.
    assert!(
        paths[0]
            .last()
            .unwrap()
            .ends_with("total = 8, prices.cake = 3, item.count = 1")
    );
}

#[test]
fn without_the_source_the_text_that_runs_is_shown() {
    let queries = ["origin(R:out.total)"];
    let (points, _) = asked(&site(&[None, None]), &queries, &[]);
    assert_eq!(detail(&points[0]), "e+=l[n.name]*n.count");
}

#[test]
fn an_operand_with_its_authors_text_is_followed() {
    let queries = ["C = origin(R:out.label)", "origin(C:operand(1))"];
    let (points, _) = asked(&site(&[Some(MONEY), Some(APP)]), &queries, &[]);
    let followed = path(&points[1]);
    assert!(followed[0].ends_with("= \"11.00\""), "{followed:?}");
    assert!(
        followed.last().unwrap().starts_with("computation"),
        "{followed:?}"
    );
}
