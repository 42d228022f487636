//! Files of definitions, and what is asked with them.

use super::*;
use crate::catalogue::CatalogueKind;

fn defined(text: &str) -> Definitions {
    let mut definitions = Definitions::default();
    definitions.add("shop.queries", text).unwrap();
    definitions
}

fn composed(definitions: &Definitions, text: &str) -> Composed {
    match definitions.question(text).unwrap() {
        Question::Composed(composed) => composed,
        Question::Plain(plain) => panic!("{plain:?}"),
    }
}

const LOGIN: &str = "# Each time that somebody was let in\n# whose name nobody had typed.\n\
    define strange(user) =\n  first typed = wasAssigned(.name)\n  then let = returnsOf(login)\n\
    \x20 when typed.value != user and let.value == true\n\n\
    # Left alone.\n\ndefine above(f, limit) = argumentsOf(f) when arguments[0] > limit\n";

#[test]
fn a_file_has_definitions_with_help() {
    let definitions = defined(LOGIN);
    let told = definitions
        .iter()
        .map(|it| (it.usage(), it.help.as_str(), it.place.1));
    let wanted = [
        ("above(f, limit)".to_owned(), "", 10),
        (
            "strange(user)".to_owned(),
            "Each time that somebody was let in\nwhose name nobody had typed.",
            3,
        ),
    ];
    assert_eq!(told.collect::<Vec<_>>(), wanted);
}

#[test]
fn what_was_given_is_where_the_parameter_was() {
    let definitions = defined(LOGIN);
    let sequence = composed(&definitions, "S = strange('then, (ann')");
    assert_eq!(sequence.name.as_deref(), Some("S"));
    let names = sequence.steps.iter().map(|step| step.name.as_deref());
    assert_eq!(names.collect::<Vec<_>>(), [Some("typed"), Some("let")]);
    let user = Operand::Literal(Value::string("then, (ann"));
    let typed = Operand::Field {
        step: 0,
        field: Field::Value,
    };
    assert_eq!(sequence.conditions.len(), 2);
    assert_eq!(
        sequence.conditions[0],
        Condition {
            left: typed,
            comparison: Comparison::Other,
            right: user
        }
    );
    let above = composed(&definitions, "above(Cart.add, 10)");
    let Question::Plain(plain) = &above.steps[0].question else {
        panic!("{above:?}")
    };
    assert_eq!(
        plain.kind,
        CatalogueKind::ArgumentsOf("Cart.add".to_owned())
    );
    // A definition of definitions.
    let twice = defined(
        "define a(n) = argumentsOf(f) when arguments[0] == n\ndefine b() = first a(1) then a(2)\n",
    );
    let twice = composed(&twice, "b()");
    assert_eq!(twice.steps.len(), 2);
    assert!(matches!(&twice.steps[1].question, Question::Composed(it) if it.text == "a(2)"));
    // The catalogue is there as ever.
    assert!(matches!(
        definitions.question("callChain(R)"),
        Ok(Question::Plain(_))
    ));
    assert!(matches!(
        definitions.question("W = where(throw())"),
        Ok(Question::Plain(_))
    ));
}

#[test]
fn what_cannot_be_read_says_where_and_what_to_do() {
    let mut definitions = defined(LOGIN);
    let wrong = |text: &str| Definitions::default().add("f", text).unwrap_err();
    for (text, line, place) in [
        ("defin a() = callChain(R)", 1, 0),
        ("\ndefine (x) = callChain(R)", 2, 7),
        ("define value() = callChain(R)", 1, 7),
        ("define where() = callChain(R)", 1, 7),
        ("define a(x y) = callChain(R)", 1, 11),
        ("define a(then) = callChain(R)", 1, 9),
        ("define a() =", 1, 12),
    ] {
        let error = wrong(text);
        assert_eq!(
            (error.line, error.error.offset),
            (line, place),
            "{text}: {error}"
        );
    }
    // Nothing of a file with an error is taken.
    assert!(
        definitions
            .add("f", "define more() = callChain(R)\ndefine a(")
            .is_err()
    );
    assert!(definitions.question("more()").is_err());
    for (text, place, help) in [
        ("strang(1)", 0, Some("did you mean \"strange\"?")),
        ("strange()", 8, Some("strange(user)")),
        ("strange(1, 2)", 8, Some("strange(user)")),
        ("strange(1", 9, Some("strange(user)")),
        (
            "strange(1) x",
            11,
            Some("give each question as an argument of its own"),
        ),
        ("historie(R:a)", 0, Some("did you mean \"history\"?")),
    ] {
        let error = definitions.question(text).unwrap_err();
        let told = (error.offset, error.help.as_deref());
        assert_eq!(told, (place, help), "{text}: {}", error.render());
    }
    let inside = |body: &str| {
        let definitions = defined(&format!("define d() = {body}"));
        definitions.question("d()").unwrap_err()
    };
    for (body, place) in [
        ("callChain(R) when", 17),
        ("callChain(R) when value", 23),
        ("callChain(R) when value = 1", 24),
        ("callChain(R) when first == 1", 18),
        ("callChain(R) when nothing == 1", 18),
        ("callChain(R) when arguments == 1", 28),
        ("first A = callChain(R) when A == 1", 30),
        ("callChain(R) when value == 1 2", 29),
    ] {
        let error = inside(body);
        assert_eq!(error.offset, place, "{body}: {}", error.render());
    }
    let itself = inside("first d() then d()");
    assert!(itself.message.contains("by itself"), "{}", itself.render());
}

#[test]
fn values_are_compared_as_numbers_or_as_texts() {
    let number = |text: &str| Value::new(ValueType::Number, text);
    use Comparison::{AtMost, Less, More, Other, Same};
    assert!(Less.holds(&number("9"), &number("10")));
    assert!(!Less.holds(&Value::string("9"), &Value::string("10")));
    assert!(Other.holds(&number("1"), &Value::string("1")));
    assert!(!More.holds(&number("1"), &Value::string("0")));
    assert!(Same.holds(&number("0.5"), &number("5e-1")));
    assert!(
        Same.holds(&number("NaN"), &number("NaN")) && !AtMost.holds(&number("NaN"), &number("NaN"))
    );
    assert!(AtMost.holds(&number("-Infinity"), &number("3")));
}
