//! `origin` of what a page shows: the texts of `tests/origins/document.js`, each put into the document another way.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use serde_json::Value;
use test_support::origins::asked;

const CODE: &str = include_str!("../origins/document.js");
/// What is shown of several texts, or of one that is in the markup twice: the last ones that are asked.
const PUT_TOGETHER: [&str; 3] = ["added", "several", "both"];

fn place(location: &Value) -> String {
    format!("{}:{}", location["line"], location["column"])
}

/// Where a text of the program is behind the name of what holds it.
fn expected(id: &str) -> String {
    let (before, text) = match id {
        "joined" => ("{ name: ", "'second row'".to_owned()),
        _ => {
            let begin = format!("it.{id} = ");
            let at = CODE.find(&begin).unwrap() + begin.len();
            let text = CODE[at..].split(';').next().unwrap().to_owned();
            (&*begin.leak(), text)
        }
    };
    let at = CODE.find(&format!("{before}{text}")).unwrap() + before.len();
    let line = CODE[..at].matches('\n').count() + 1;
    let column = at - CODE[..at].rfind('\n').map_or(0, |at| at + 1) + 1;
    format!("{line}:{column}")
}

#[test]
fn texts_of_the_document_are_followed_to_where_they_were_made() {
    let site = Site::new(&[
        ("/", page("<body><script src=app.js></script>")),
        ("/app.js", script(CODE)),
    ]);
    let url = site.url("/");
    let asked = asked(CODE);
    let queries = asked.iter().map(|(_, shown)| format!("origin({shown})"));
    let queries: Vec<String> = queries.collect();
    let mut arguments = vec!["ask", &url, "--at", "console:asked here", "--json"];
    arguments.extend(queries.iter().map(String::as_str));
    let answer = querypoint(&arguments).answer();
    let points = answer["points"].as_array().unwrap();
    let is_followed = |id: &str| !PUT_TOGETHER.contains(&id);
    for ((id, _), point) in asked
        .iter()
        .zip(&points[1..])
        .filter(|((id, _), _)| is_followed(id))
    {
        let end = &point["end"];
        assert_eq!(end["kind"], "literal", "{id}: {point:#}");
        assert_eq!(place(&end["location"]), expected(id), "{id}: {point:#}");
    }
    let hops = |id: &str| {
        let number = asked.iter().position(|(it, _)| it == id).unwrap() + 1;
        let hops = points[number]["hops"].as_array().unwrap().iter();
        let hops = hops.map(|hop| {
            let name = hop["name"].as_str().unwrap_or_default();
            format!("{} {name}", hop["kind"].as_str().unwrap())
        });
        hops.collect::<Vec<_>>()
    };
    // Through the calls that put one node into the other, to who made the text.
    assert_eq!(
        hops("fragment"),
        [
            "dom document.querySelector(\"#fragment\").textContent",
            "dom fragment",
            "dom element('p', it.fragment)",
            "dom document.createTextNode(part)",
            "iterator part",
            "parameter inside[0]",
            "property it.fragment",
        ]
    );
    assert_eq!(
        hops("copied")[1..],
        ["property it.copied"],
        "the text of the node in the copy was written"
    );
    let operands = |point: &Value| {
        let operands = point["end"]["operands"].as_array().cloned();
        let operands = operands.unwrap_or_default().into_iter();
        operands
            .map(|it| it["value"]["text"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let points = &points[points.len() - PUT_TOGETHER.len()..];
    for point in points {
        assert_eq!(point["end"]["kind"], "computation", "{point:#}");
    }
    // `${row.name}, added`: the cell shows more than the name.
    assert_eq!(operands(&points[0]).last().unwrap(), "\"second row\"");
    assert_eq!(operands(&points[1]), ["\"one text \"", "\"and another\""]);
    assert_eq!(
        operands(&points[2]),
        ["\"in two places\"", "\"in two places\""]
    );
    // All at once cost no more than one.
    assert_eq!(answer["executions"], 3);
}

#[test]
fn one_of_several_elements_is_asked_about() {
    const LIST: &str = "const list = document.querySelector('ul');\n\
        for (const word of ['first', 'second', 'third']) {\n\
        const item = document.createElement('li'); item.textContent = word; list.append(item);\n\
        }\nconsole.log('asked here');\n";
    let site = Site::new(&[
        ("/", page("<body><ul></ul><script src=app.js></script>")),
        ("/app.js", script(LIST)),
    ]);
    let url = site.url("/");
    let queries = ["li", "ul > li"]
        .map(|selector| format!("origin(document.querySelectorAll('{selector}')[1].textContent)"));
    let mut arguments = vec!["ask", &url, "--at", "console:asked here", "--json"];
    arguments.extend(queries.iter().map(String::as_str));
    let answer = querypoint(&arguments).answer();
    let points = answer["points"].as_array().unwrap();
    for point in &points[1..] {
        assert_eq!(point["new"]["text"], "\"second\"", "{point:#}");
        assert_eq!(point["end"]["kind"], "literal", "{point:#}");
        assert_eq!(place(&point["end"]["location"]), "2:30", "{point:#}");
    }
    let beyond = "lastChange(document.querySelectorAll('li')[3].textContent)";
    let answer = querypoint(&["ask", &url, "--at", "end", "--json", beyond]).answer();
    let note = answer["points"][1]["note"].as_str().unwrap_or_default();
    assert!(note.contains("no element has the index 3"), "{answer:#}");
}

#[test]
fn what_is_of_several_texts_has_each_of_them_as_an_operand() {
    const MARKUP: &str = "<body><p id=greeting>Hello <b></b>, see <i></i></p>\n<p id=one> <u></u> </p>\
        <p id=two>by <s></s></p><div></div><select></select><script src=app.js></script>";
    const CODE: &str = "const find = (name) => document.querySelector(name);\n\
        find('b').textContent = 'Ann';\n\
        find('i').textContent = 'Bob';\n\
        find('u').textContent = 'alone';\n\
        find('s').textContent = 'Cid';\n\
        const box = find('div'); box.append('first ', 'second ');\n\
        box.append(document.createTextNode('third'));\n\
        box.classList.add('wide', 'high');\n\
        for (const name of ['x', 'y']) { const option = document.createElement('option');\n\
        option.text = name; find('select').append(option); }\n\
        const { set } = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'title');\n\
        set.call(find('u'), 'by a setter');\n\
        console.log('asked here');\n";
    let site = Site::new(&[("/", page(MARKUP)), ("/app.js", script(CODE))]);
    let url = site.url("/");
    let asked = |queries: &[&str]| {
        let mut arguments = vec!["ask", &*url, "--at", "console:asked here", "--json"];
        arguments.extend(queries);
        let answer = querypoint(&arguments).answer();
        answer["points"].as_array().unwrap()[1..].to_vec()
    };
    let shown = |point: &Value| {
        let operands = point["end"]["operands"].as_array().cloned();
        let operands = operands.unwrap_or_default();
        let operands = operands.iter().map(|it| it["value"]["text"].as_str());
        let kind = point["end"]["kind"].as_str().unwrap().to_owned();
        let place = place(&point["end"]["location"]);
        let texts = operands.flatten().map(|it| it.trim_matches('"').to_owned());
        (kind, place, texts.collect::<Vec<_>>().join("|"))
    };
    let several = |place: &str, texts: &str| {
        let kind = "computation".to_owned();
        (kind, place.to_owned(), texts.to_owned())
    };
    let literal = |place: &str| ("literal".to_owned(), place.to_owned(), String::new());
    let all = "Hello |Ann|, see |Bob|alone|by |Cid|first |second |third|x|y";
    let greeting = "Hello |Ann|, see |Bob";
    let points = asked(&[
        "A = origin(document.querySelector('#greeting').textContent)",
        "origin(A:operand(2))",
        "origin(A:operand(4))",
        "origin(A:operand(3))",
        "origin(document.querySelector('#greeting').innerHTML)",
        "origin(document.querySelector('#one').textContent)",
        "origin(document.querySelector('#two').innerText)",
        "origin(box.textContent)",
        "origin(box.classList.value)",
        "origin(document.querySelector('select').textContent)",
        "B = origin(R:document.body.textContent)",
        "origin(B:operand(11))",
        "origin(document.querySelector('i').outerHTML)",
        "origin(document.querySelector('u').title)",
    ]);
    assert_eq!(
        points.iter().map(shown).collect::<Vec<_>>(),
        [
            several("3:1", greeting),
            literal("2:25"),
            literal("3:25"),
            ("unobserved".to_owned(), "3:1".to_owned(), String::new()),
            several("3:1", greeting),
            literal("4:25"),
            literal("5:25"),
            several("7:1", "first |second |third"),
            several("8:1", "wide|high"),
            several("10:21", "x|y"),
            several("10:21", all),
            literal("9:21"),
            literal("3:25"),
            literal("12:21"),
        ]
    );
    // What is asked is shown first, then the text that is followed.
    let hops = points[6]["hops"].as_array().unwrap();
    let values = hops
        .iter()
        .map(|hop| hop["value"]["text"].as_str().unwrap());
    assert_eq!(values.collect::<Vec<_>>(), ["\"by Cid\"", "\"Cid\""]);
    let detail = points[3]["end"]["detail"].as_str().unwrap();
    assert!(detail.contains("the page's markup"), "{detail}");
}
