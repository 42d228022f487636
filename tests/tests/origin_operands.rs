//! `origin(C:operand(2))`: an origin that ended in a computation goes on at one of its operands.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::origins::{asked, detail, path, site_of};

const SHOP: &str = "const config = { rate: '0.19', base: 7 };
function tax(net) { return net * Number(config.rate); }
function shipping(weight, zone) {
  const perKilo = zone + config.base;
  return weight * perKilo;
}
const items = [{ price: 20, weight: 3 }, { price: 5, weight: 1 }];
let sum = 0;
for (const item of items) sum += item.price;
const total = tax(sum) + shipping(items[0].weight, 2);
const answer = { of: [total] };
const out = document.createElement('p');
document.documentElement.append(out);
out.append(`Total: ${total}`, ' for ', config.rate);";

#[test]
fn what_calls_gave_is_known_and_each_operand_is_followed_to_where_it_was_made() {
    let site = site_of(SHOP);
    let queries = [
        "C = origin(R:answer.of[0])",
        "D = origin(C:operand(1))",
        "E = origin(C:operand(2))",
        "F = origin(E:operand(2))",
        "origin(F:operand(2))",
        "origin(F:operand(1))",
        "origin(D:operand(1))",
        "origin(D:operand(2))",
    ];
    let (points, executions) = asked(&site, &queries, &[]);
    let paths: Vec<Vec<String>> = points.iter().map(path).collect();
    let sum = "computation 10:15, tax(sum) = 4.75, shipping(items[0].weight, 2) = 27";
    assert_eq!(paths[0].last().map(String::as_str), Some(sum));
    assert_eq!(
        paths[1],
        [
            "return 2:21 tax = 4.75",
            "computation 2:28, net = 25, Number(config.rate) = 0.19"
        ]
    );
    assert_eq!(
        paths[2],
        [
            "return 5:3 shipping = 27",
            "computation 5:10, weight = 3, perKilo = 9"
        ]
    );
    assert_eq!(
        paths[3],
        [
            "copy 4:9 perKilo = 9",
            "computation 4:19, zone = 2, config.base = 7"
        ]
    );
    assert_eq!(paths[4], ["property 1:32 config.base = 7", "literal 1:38"]);
    assert_eq!(paths[5], ["parameter 10:52 zone = 2", "literal 10:52"]);
    assert_eq!(
        paths[6],
        [
            "parameter 10:19 net = 25",
            "copy 9:27 sum = 25",
            "computation 9:27, sum = 20, item.price = 5"
        ]
    );
    assert_eq!(
        paths[7],
        [
            "conversion 2:34 config.rate = \"0.19\"",
            "property 1:18 config.rate = \"0.19\"",
            "literal 1:24"
        ]
    );
    // The value that is asked about is the operand's.
    assert_eq!(points[1]["new"]["text"], "4.75");
    assert_eq!(points[1]["stack"][0]["function"], "tax");
    assert_eq!(executions, 3);
}

#[test]
fn what_is_no_operand_is_said() {
    let site = site_of(SHOP);
    let queries = [
        "C = origin(R:total)",
        "D = origin(C:operand(3))",
        "E = origin(R:items[0].price)",
        "F = origin(E:operand(1))",
        "origin(F:operand(1))",
    ];
    let (points, _) = asked(&site, &queries, &[]);
    assert_eq!(points[1]["end"]["kind"], "unobserved");
    assert_eq!(
        detail(&points[1]),
        "the computation has 2 operands, and no number 3"
    );
    let no_computation =
        "only a computation has operands; the value was made by the program's text";
    assert_eq!(detail(&points[3]), no_computation);
    assert_eq!(points[4]["end"]["kind"], "unobserved");
    assert_eq!(points[1]["hops"].as_array().map_or(0, Vec::len), 0);
}

#[test]
fn a_text_of_several_that_the_page_shows_is_followed_alone() {
    let site = site_of(SHOP);
    let queries = [
        "C = origin(R:out.textContent)",
        "D = origin(C:operand(1))",
        "origin(D:operand(1))",
        "origin(C:operand(3))",
    ];
    let (points, _) = asked(&site, &queries, &[]);
    let paths: Vec<Vec<String>> = points.iter().map(path).collect();
    assert_eq!(
        paths[0],
        [
            "dom 14:1 out.textContent = \"Total: 31.75 for 0.19\"",
            "computation 14:1, `Total: ${total}` = \"Total: 31.75\", ' for ' = \" for \", config.rate = \"0.19\"",
        ]
    );
    assert_eq!(
        paths[1],
        [
            "dom 14:1 `Total: ${total}` = \"Total: 31.75\"",
            "conversion 14:12 total = 31.75",
            "copy 10:7 total = 31.75",
            "computation 10:15, tax(sum) = 4.75, shipping(items[0].weight, 2) = 27",
        ]
    );
    assert_eq!(paths[2][0], "return 2:21 tax = 4.75");
    assert_eq!(paths[3].last().map(String::as_str), Some("literal 1:24"));
}

#[test]
fn the_answer_shows_what_to_ask_next() {
    let site = site_of(SHOP);
    let (url, at) = (site.url("/"), ["--at", "console:asked here"]);
    let shown = querypoint(&["ask", &url, at[0], at[1], "C = origin(R:total)"]);
    assert!(
        shown.out.contains("tax(sum) = 4.75  origin(C:operand(1))"),
        "{}",
        shown.out
    );
    for (query, complaint) in [
        (
            "D = origin(C:operand(1))",
            "expected the name of an origin; C is none",
        ),
        (
            "D = origin(R:operand(1))",
            "expected the name of an origin; R is none",
        ),
        (
            "D = origin(C:operand(0))",
            "expected the number of an operand, from 1",
        ),
    ] {
        let refused = querypoint(&["ask", &url, at[0], at[1], "C = lastChange(R:total)", query]);
        assert_eq!(refused.status, Some(2), "{query}");
        assert!(refused.err.contains(complaint), "{}", refused.err);
    }
}

#[test]
fn an_operand_that_the_same_expression_writes_has_the_value_that_was_read() {
    let code = "let x = 5; const sum = x++ + x; const rest = x-- - --x; const o = { n: 1 };
for (let i = 0; i < 3; i++) o.n = o.n++ + x;
const list = ['a', 'b', 'c']; const area = list.length * x; const text = 'four'; const size = text.length + x;
class Box { constructor() { this.n = 2; } double() { return this.n * list.length; } }
const twice = new Box().double();";
    let queries = [
        "origin(R:sum)",
        "origin(R:rest)",
        "origin(R:o.n)",
        "origin(R:area)",
        "origin(R:size)",
        "origin(R:twice)",
    ];
    let (points, _) = asked(&site_of(code), &queries, &[]);
    let last = |number: usize| path(&points[number]).pop().unwrap();
    assert_eq!(last(0), "computation 1:24, x = 5, x = 6");
    assert_eq!(last(1), "computation 1:46, x = 6, x = 4");
    // 1 + 4, 5 + 4, 9 + 4: of the last round.
    assert_eq!(last(2), "computation 2:35, o.n = 9, x = 4");
    assert_eq!(last(3), "computation 3:44, list.length = 3, x = 4");
    assert_eq!(last(4), "computation 3:95, text.length = 4, x = 4");
    assert_eq!(last(5), "computation 4:61, this.n = 2, list.length = 3");
}

#[test]
fn an_operand_that_the_same_expression_assigns_later_has_the_value_that_was_read() {
    // As template compilers write it: one variable for many parts.
    let code = "const part = (n) => 'p' + n; let t;
const both = ((t = part(1)) != null ? t : '') + '-' + ((t = part(2)) != null ? t : '');
let own = 'first'; let out;
for (const again of [true, false]) out = own + (again ? (own = part(3)) : '.');
let a = 1; let sum; for (const more of [0, 1]) sum = a * 2 + (more && (a = 7));";
    let queries = ["origin(R:both)", "origin(R:out)", "origin(R:sum)"];
    let (points, _) = asked(&site_of(code), &queries, &[]);
    let last = |number: usize| path(&points[number]).pop().unwrap();
    assert!(
        last(0).contains("= \"p1\"") && last(0).contains("= \"p2\""),
        "{}",
        last(0)
    );
    // Of the second round, in which nothing was assigned: what the first has left.
    assert_eq!(last(1), "computation 4:42, own = \"p3\"");
    assert_eq!(last(2), "computation 5:54, a = 1, 2 = 2");
}

/// Whatever the other operands are, one of them alone decides what comes out.
#[test]
fn an_operand_that_alone_decides_is_followed_by_itself() {
    let code = "const shop = { count: 0, rate: undefined, days: 5 };
function percent(text) { return Number(text.slice(4)); }
const coupon = percent('BONUS15');
const subtotal = 40 + shop.days;
const discount = subtotal * coupon / shop.days;
const total = subtotal - discount;
const share = Math.round((100 * shop.days) / shop.count);
const area = shop.days * shop.count;
let sum = shop.days; const size = '0'; sum += size;
const most = Math.max(shop.days, coupon);
const both = coupon - shop.rate;
const label = size + ' of ' + shop.days; const joined = size + size;
const rest = shop.days - subtotal;
const positive = (n) => n > 0 ? n : NaN; const none = positive(shop.count);";
    let names = [
        "total", "share", "area", "sum", "most", "both", "label", "joined", "rest", "none",
    ];
    let queries = names.map(|name| format!("origin(R:{name})"));
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let (points, _) = asked(&site_of(code), &queries, &[]);
    let paths: Vec<Vec<String>> = points.iter().map(path).collect();
    let coupon = [
        "copy 3:7 coupon = NaN",
        "return 2:26 percent = NaN",
        "conversion 2:33 text.slice(4) = \"S15\"",
        "conversion 2:40 text = \"BONUS15\"",
        "parameter 3:24 text = \"BONUS15\"",
        "literal 3:24",
    ];
    let total = [
        "copy 6:7 total = NaN",
        "conversion 6:15 discount = NaN",
        "copy 5:7 discount = NaN",
        "conversion 5:18 coupon = NaN",
    ];
    assert_eq!(paths[0], [&total[..], &coupon].concat());
    let most = ["copy 10:7 most = NaN", "conversion 10:14 coupon = NaN"];
    assert_eq!(paths[4], [&most[..], &coupon].concat());
    let count = ["property 1:16 shop.count = 0", "literal 1:23"];
    let share = [
        "copy 7:7 share = Infinity",
        "conversion 7:26 shop.count = 0",
    ];
    assert_eq!(paths[1], [&share[..], &count].concat());
    let area = ["copy 8:7 area = 0", "conversion 8:14 shop.count = 0"];
    assert_eq!(paths[2], [&area[..], &count].concat());
    let sum = [
        "copy 9:40 sum = \"50\"",
        "conversion 9:40 size = \"0\"",
        "copy 9:28 size = \"0\"",
        "literal 9:35",
    ];
    assert_eq!(paths[3], sum);
    // `NaN` in the text is where it was made.
    let none = [
        "copy 14:48 none = NaN",
        "return 14:25 positive = NaN",
        "literal 14:37",
    ];
    assert_eq!(paths[9], none);
    // Both are no numbers, a text is joined, nothing is special.
    for (number, computation) in [(5, "11:14"), (6, "12:15"), (7, "12:57"), (8, "13:14")] {
        let last = paths[number].last().unwrap();
        assert!(
            last.starts_with(&format!("computation {computation}")),
            "{last}"
        );
    }
}
