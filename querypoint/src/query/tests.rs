//! Tests of the query language: what is understood, what is printed, and how errors read.

use proptest::prelude::*;

use super::*;

fn parsed(text: &str) -> Query {
    Query::parse(text).unwrap_or_else(|error| panic!("{}", error.render()))
}

fn rendered(text: &str) -> String {
    match Query::parse(text) {
        Ok(query) => panic!("{text:?} was understood as {query}"),
        Err(error) => error.render(),
    }
}

fn target(text: &str) -> Target {
    match parsed(text).kind {
        QueryKind::LastChange(reference) => reference.target(),
        other => panic!("{other:?} is no lastChange"),
    }
}

#[test]
fn the_whole_grammar_is_understood_and_printed() {
    // What is typed, and its canonical text.
    let cases = [
        ("lastChange(x)", "lastChange(x)"),
        (
            " B=lastChange( R : cart . total ) ",
            "B = lastChange(R:cart.total)",
        ),
        ("lastChange(R(0):x)", "lastChange(R:x)"),
        (
            "lastChange(R(-1):this.#secret)",
            "lastChange(R(-1):this.#secret)",
        ),
        (
            "lastChange(a[0]['k'][\"it's\"][i])",
            r#"lastChange(a[0]["k"]["it's"][i])"#,
        ),
        (
            "lastChange(a[0x10][1e21][-0][.5])",
            "lastChange(a[16][1e+21][0][0.5])",
        ),
        (
            r"lastChange(a['\u{1F600}\n\x41'])",
            r#"lastChange(a["😀\nA"])"#,
        ),
        ("lastChange($价格._été)", "lastChange($价格._été)"),
        (
            "lastChange(map.get('k').x)",
            r#"lastChange(map.get("k").x)"#,
        ),
        ("lastChange(set.has(3))", "lastChange(set.has(3))"),
        ("lastChange(o.get)", "lastChange(o.get)"),
        ("lastChange(B:.owner.x)", "lastChange(B:.owner.x)"),
        ("lastChange(o.class.new)", "lastChange(o.class.new)"),
        ("lastCondition(B)", "lastCondition(B)"),
        ("E = exceptionAfter( R )", "E = exceptionAfter(R)"),
        (
            "trace(write(.x),before(P),sameness(.owner,P:o),index -1)",
            "trace(write(.x), before(P), sameness(.owner, P:o), index -1)",
        ),
        (
            "trace(line(http://h:8080/a(1).js:22))",
            "trace(line(http://h:8080/a(1).js:22))",
        ),
        (
            "trace(call(Cart.add), after(R), mayAffect(R), index 0)",
            "trace(call(Cart.add), after(R), mayAffect(R), index 0)",
        ),
        ("trace(return(Cart.#sum))", "trace(return(Cart.#sum))"),
        ("trace(write(.#x))", "trace(write(.#x))"),
        ("trace(write(['a b']))", r#"trace(write(["a b"]))"#),
        ("trace(assign(x))", "trace(assign(x))"),
        ("trace(create(Shape))", "trace(create(Shape))"),
        ("trace(throw())", "trace(throw())"),
        ("trace(throw(TypeError))", "trace(throw(TypeError))"),
    ];
    for (typed, canonical) in cases {
        let query = parsed(typed);
        assert_eq!(query.to_string(), canonical);
        assert_eq!(parsed(canonical), query);
        assert_eq!(query.text, typed);
    }
}

#[test]
fn a_condition_ends_where_its_parenthesis_closes() {
    let expression = r#"f(")", ')', `)${g(")")}`, /[)/]\)/, a / b, /* ) */ {a:[1]})"#;
    let query = parsed(&format!("trace(throw(), when( {expression} ), index 0)"));
    let QueryKind::Trace(trace) = &query.kind else {
        panic!("no trace query")
    };
    assert_eq!(trace.constraints, [Constraint::When(expression.to_owned())]);
    assert_eq!(parsed(&query.to_string()), query);
}

#[test]
fn a_reference_ends_in_what_can_be_written() {
    assert_eq!(
        target("lastChange(x)"),
        Target::Variable {
            name: "x".to_owned()
        }
    );
    assert_eq!(
        target("lastChange(x.y[3])"),
        Target::Property {
            owner: Reference::variable("x").then(Segment::Property("y".to_owned())),
            key: PropertyKey::Public("3".to_owned()),
        }
    );
    assert_eq!(
        target("lastChange(this.#n)"),
        Target::Property {
            owner: Reference {
                root: ReferenceRoot::This,
                segments: Vec::new()
            },
            key: PropertyKey::Private("n".to_owned()),
        }
    );
    assert!(
        matches!(target("lastChange(a[i])"), Target::ComputedProperty { variable, .. } if variable == "i")
    );
    assert!(matches!(
        target("lastChange(m.get(1))"),
        Target::MapEntry { .. }
    ));
    assert!(matches!(
        target("lastChange(s.has('a'))"),
        Target::SetMember { .. }
    ));
}

#[test]
fn no_point_is_the_reproduction_point() {
    let QueryKind::LastChange(reference) = parsed("lastChange(x)").kind else {
        panic!()
    };
    assert!(
        reference
            .point_or_reproduction_point()
            .is_reproduction_point()
    );
    assert_eq!(reference.frame, 0);
}

#[test]
fn a_missing_property_name() {
    insta::assert_snapshot!(rendered("lastChange(R:a.)"), @r#"
    lastChange(R:a.)
                   ^ expected a property name after "."
    "#);
}

#[test]
fn a_keyword_with_a_typo() {
    insta::assert_snapshot!(rendered("B = lastchange(R:a)"), @r#"
    B = lastchange(R:a)
        ^ expected "lastChange", "origin", "omitted", "whyNot", "lastCondition", "exceptionAfter" or "trace"
    help: did you mean "lastChange"?
    "#);
    insta::assert_snapshot!(rendered("trace(wrote(.x))"), @r#"
    trace(wrote(.x))
          ^ expected an event: "line", "call", "return", "write", "assign", "create", "throw" or "branch"
    help: did you mean "write"?
    "#);
    insta::assert_snapshot!(rendered("trace(write(.x), befor(R))"), @r#"
    trace(write(.x), befor(R))
                     ^ expected a constraint: "before", "after", "mayAffect", "sameness", "when" or "index"
    help: did you mean "before"?
    "#);
}

#[test]
fn a_bare_reference() {
    insta::assert_snapshot!(rendered("R:cart.total"), @r#"
    R:cart.total
    ^ expected "lastChange", "origin", "omitted", "whyNot", "lastCondition", "exceptionAfter" or "trace"
    help: to ask where its value came from, write lastChange(R:cart.total)
    "#);
}

#[test]
fn an_unclosed_query_and_one_too_many() {
    insta::assert_snapshot!(rendered("lastChange(R:价格.x"), @r#"
    lastChange(R:价格.x
                       ^ expected ")", the end of "lastChange("
    "#);
    insta::assert_snapshot!(rendered("lastChange(a), lastChange(b)"), @"
    lastChange(a), lastChange(b)
                 ^ expected the end of the query
    help: give each query as an argument of its own
    ");
}

#[test]
fn elements_are_looked_up() {
    let canonical = |text: &str| Query::parse(text).unwrap().kind.to_string();
    for (written, meant) in [
        (
            "lastChange(R:$('#total').textContent)",
            "lastChange(R:document.querySelector(\"#total\").textContent)",
        ),
        (
            "lastChange($ ( \"li > a\" ).style.color)",
            "lastChange(document.querySelector(\"li > a\").style.color)",
        ),
        (
            "lastChange(R(1):document.getElementById('a\\'b').value)",
            "lastChange(R(1):document.getElementById(\"a'b\").value)",
        ),
        (
            "lastChange(R:$('shop-cart').shadowRoot.querySelector('#total').textContent)",
            "lastChange(R:document.querySelector(\"shop-cart\").shadowRoot.querySelector(\"#total\").textContent)",
        ),
        (
            "lastChange(R:box.shadowRoot . getElementById( 'total' ).value)",
            "lastChange(R:box.shadowRoot.getElementById(\"total\").value)",
        ),
        (
            "lastChange(R:document.querySelectorAll('li')[2].textContent)",
            "lastChange(R:document.querySelectorAll(\"li\")[2].textContent)",
        ),
        (
            "lastChange(R:box.querySelectorAll( 'li' ) [ 0 ].value)",
            "lastChange(R:box.querySelectorAll(\"li\")[0].value)",
        ),
        // Variables may have these names.
        ("lastChange(R:$.fn)", "lastChange(R:$.fn)"),
        (
            "lastChange(R:document.querySelector)",
            "lastChange(R:document.querySelector)",
        ),
    ] {
        assert_eq!(canonical(written), meant);
    }
    insta::assert_snapshot!(rendered("lastChange(R:$('#total'))"), @"
    lastChange(R:$('#total'))
                            ^ expected a property of the element; the element itself cannot change
    help: for example .textContent, .value or .className
    ");
    insta::assert_snapshot!(rendered("lastChange(R:box.shadowRoot.querySelector('p'))"), @"
    lastChange(R:box.shadowRoot.querySelector('p'))
                                                  ^ expected a property of the element; the element itself cannot change
    help: for example .textContent, .value or .className
    ");
    insta::assert_snapshot!(rendered("lastChange(R:document.querySelectorAll('li').length)"), @r#"
    lastChange(R:document.querySelectorAll('li').length)
                                                ^ expected the index of an element, as [2]
    help: one of the elements is asked about: document.querySelectorAll("li")[2].textContent
    "#);
    insta::assert_snapshot!(rendered("lastChange(R:document.querySelectorAll('li')[-1].value)"), @r#"
    lastChange(R:document.querySelectorAll('li')[-1].value)
                                                 ^ expected the index of an element, as [2]
    help: one of the elements is asked about: document.querySelectorAll("li")[2].textContent
    "#);
    insta::assert_snapshot!(rendered("lastChange(R:document.getElementById(id).value)"), @r##"
    lastChange(R:document.getElementById(id).value)
                                         ^ expected a selector or an id, in quotes
    help: for example document.querySelector("#total")
    "##);
}

#[test]
fn calls_and_other_expressions() {
    insta::assert_snapshot!(rendered("lastChange(cart.total())"), @r#"
    lastChange(cart.total())
                         ^ a reference names a place; it cannot call a function
    help: the only calls are map.get(key), the entry of a map, set.has(key), the member of a set, and document.querySelector("…"), document.querySelectorAll("…")[0] or document.getElementById("…"), an element, which may be gone on from: host.shadowRoot.querySelector("…")
    "#);
    insta::assert_snapshot!(rendered("lastChange(f(x))"), @"
    lastChange(f(x))
                 ^ expected a frame, a whole number
    help: P(0):x is x in the newest frame at point P, P(-1):x in the oldest; a reference cannot call functions
    ");
    insta::assert_snapshot!(rendered("lastChange(a?.b)"), @r#"
    lastChange(a?.b)
                ^ expected "." or "["
    help: write "." for "?.": what is missing is said in the answer
    "#);
    insta::assert_snapshot!(rendered("lastChange(a[i + 1])"), @r#"
    lastChange(a[i + 1])
                   ^ expected "]" after the key
    help: a key is a number, a string in quotes or one variable; no other expression
    "#);
}

#[test]
fn what_cannot_change() {
    insta::assert_snapshot!(rendered("lastChange(R:this)"), @r#"
    lastChange(R:this)
                     ^ expected a variable or a property; "this" itself cannot change
    help: name a property of it, for example this.total
    "#);
    insta::assert_snapshot!(rendered("lastChange(null.x)"), @r#"
    lastChange(null.x)
               ^ expected a variable; "null" is a reserved word
    "#);
}

#[test]
fn bad_keys() {
    insta::assert_snapshot!(rendered("lastChange(a['k])"), @"
    lastChange(a['k])
                 ^ this string is never closed
    help: put ' after its last character
    ");
    insta::assert_snapshot!(rendered("lastChange(a[017])"), @r#"
    lastChange(a[017])
                 ^ expected a number; "017" is not one
    "#);
    insta::assert_snapshot!(rendered(r"lastChange(a['\u12'])"), @r"
    lastChange(a['\u12'])
                  ^ this is not an escape that JavaScript has
    help: for a backslash itself, write two
    ");
    insta::assert_snapshot!(rendered("lastChange(a[])"), @"
    lastChange(a[])
                 ^ expected a key: a number, a string in quotes, or a variable
    ");
}

#[test]
fn trace_queries_that_stop_early() {
    insta::assert_snapshot!(rendered("trace(line(app.js))"), @r#"
    trace(line(app.js))
               ^ expected a file, ":" and a line
    help: for example: line(app.js:22)
    "#);
    insta::assert_snapshot!(rendered("trace(write(x))"), @r#"
    trace(write(x))
                ^ expected "." and the name of a property
    help: a property is written write(.name); a variable, assign(name)
    "#);
    insta::assert_snapshot!(rendered("trace(throw(), index 0, before(R))"), @r#"
    trace(throw(), index 0, before(R))
                          ^ expected ")" after the index
    help: the index comes last, after every constraint
    "#);
    assert_eq!(
        rendered(""),
        "\n^ expected a query\nhelp: for example: lastChange(R:object.property)"
    );
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z_$][a-zA-Z0-9_$]{0,6}",
        Just("价格".to_owned()),
        Just("get".to_owned()),
        Just("has".to_owned()),
    ]
}

fn variable() -> impl Strategy<Value = String> {
    name().prop_filter("a variable", |name| {
        name != "this" && !literal::is_reserved(name)
    })
}

fn point() -> impl Strategy<Value = PointName> {
    name().prop_filter_map("a point", |name| PointName::new(&name))
}

fn key() -> impl Strategy<Value = ElementKey> {
    prop_oneof![
        any::<f64>().prop_filter_map("finite", |number| {
            let number = if number == 0.0 { 0.0 } else { number };
            number.is_finite().then_some(ElementKey::Number(number))
        }),
        any::<i32>().prop_map(|number| ElementKey::Number(f64::from(number))),
        any::<String>().prop_map(ElementKey::String),
        variable().prop_map(ElementKey::Variable),
    ]
}

fn segment() -> impl Strategy<Value = Segment> {
    prop_oneof![
        name().prop_map(Segment::Property),
        name().prop_map(Segment::Private),
        key().prop_map(Segment::Element),
        key().prop_map(Segment::MapEntry),
        key().prop_map(Segment::SetMember),
        any::<String>().prop_map(|text| Segment::Within(Lookup::Selector(text))),
        any::<String>().prop_map(|text| Segment::Within(Lookup::Id(text))),
    ]
}

fn reference() -> impl Strategy<Value = Reference> {
    let root = prop_oneof![
        Just(ReferenceRoot::This),
        variable().prop_map(ReferenceRoot::Variable),
        Just(ReferenceRoot::EventObject),
        any::<String>().prop_map(|text| ReferenceRoot::Element(Lookup::Selector(text))),
        any::<String>().prop_map(|text| ReferenceRoot::Element(Lookup::Id(text))),
    ];
    (root, name(), prop::collection::vec(segment(), 0..4)).prop_map(
        |(root, first, mut segments)| {
            if root == ReferenceRoot::EventObject {
                segments.insert(0, Segment::Property(first));
            }
            Reference { root, segments }
        },
    )
}

fn global_reference() -> impl Strategy<Value = GlobalReference> {
    (prop::option::of((point(), any::<i32>())), reference()).prop_map(|(place, reference)| {
        let (point, frame) = place.map_or((None, 0), |(point, frame)| (Some(point), frame));
        GlobalReference {
            point,
            frame,
            reference,
        }
    })
}

fn code_line() -> impl Strategy<Value = CodeLine> {
    let column = prop::option::of(1..u32::MAX);
    ("[a-z/:.()# 价]{1,12}", 1..u32::MAX, column).prop_map(|(file, line, column)| CodeLine {
        file: format!("f{}.js", file.trim()),
        line,
        column,
    })
}

fn event() -> impl Strategy<Value = Event> {
    let class = prop::collection::vec(name(), 1..3)
        .prop_map(|names| names.join("."))
        .boxed();
    prop_oneof![
        code_line().prop_map(Event::Line),
        class.clone().prop_map(Event::Call),
        class.clone().prop_map(Event::Return),
        name().prop_map(|name| Event::Write(PropertyKey::Private(name))),
        any::<String>().prop_map(|name| Event::Write(PropertyKey::Public(name))),
        name().prop_map(Event::Assign),
        class.clone().prop_map(Event::Create),
        prop::option::of(class).prop_map(Event::Throw),
    ]
}

fn constraint() -> impl Strategy<Value = Constraint> {
    prop_oneof![
        point().prop_map(Constraint::Before),
        point().prop_map(Constraint::After),
        point().prop_map(Constraint::MayAffect),
        (global_reference(), global_reference())
            .prop_map(|(left, right)| Constraint::Sameness(left, right)),
        key().prop_map(|key| Constraint::When(format!("f({key}) && [{key}]"))),
    ]
}

fn kind() -> impl Strategy<Value = QueryKind> {
    prop_oneof![
        global_reference()
            .prop_filter("changeable", |reference| reference.target()
                != Target::Unchangeable)
            .prop_map(QueryKind::LastChange)
            .boxed(),
        global_reference()
            .prop_filter("changeable", |reference| reference.target()
                != Target::Unchangeable)
            .prop_map(QueryKind::Origin)
            .boxed(),
        (point(), 1..=u32::MAX)
            .prop_map(
                |(origin, number)| QueryKind::OriginOfOperand(OperandReference { origin, number })
            )
            .boxed(),
        global_reference()
            .prop_filter("no event", |reference| reference.reference.root
                != ReferenceRoot::EventObject)
            .prop_map(QueryKind::Omitted)
            .boxed(),
        code_line().prop_map(QueryKind::WhyNot).boxed(),
        point().prop_map(QueryKind::LastCondition).boxed(),
        point().prop_map(QueryKind::ExceptionAfter).boxed(),
        (
            event(),
            prop::collection::vec(constraint(), 0..4),
            prop::option::of(any::<i64>())
        )
            .prop_map(|(event, constraints, index)| QueryKind::Trace(TraceQuery {
                event,
                constraints,
                index
            }))
            .boxed(),
    ]
}

proptest! {
    #[test]
    fn what_is_printed_parses_back(name in prop::option::of(point()), kind in kind()) {
        let query = Query { name, kind, text: String::new(), places: Places::default() };
        let text = query.to_string();
        match Query::parse(&text) {
            Ok(again) => prop_assert_eq!(again, query),
            Err(error) => prop_assert!(false, "{}", error.render()),
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        if let Err(error) = Query::parse(&text) {
            prop_assert!(text.is_char_boundary(error.offset));
            prop_assert!(!error.render().is_empty());
        }
    }

    #[test]
    fn no_text_that_is_nearly_a_query_makes_it_panic(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "lastChange(", "trace(", "write(", "when(", "line(", "sameness(", "R", "(", ")", ":", ".", "#", "[",
                "]", "'", "\"", "\\", "`", "${", "/", "/*", "0x", "1e", "-", "é", "价", "x", "=", ",", "index", " ",
                "this", "get", "\\u{", "🙂", "99999999999", "\n",
            ]),
            0..20,
        )
    ) {
        let text = parts.concat();
        if let Err(error) = Query::parse(&text) {
            prop_assert!(text.is_char_boundary(error.offset));
            prop_assert!(!error.render().is_empty());
        }
    }
}
