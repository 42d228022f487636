//! Code given to a direct `eval`: what it does is in the log, with the variables around the call.

use super::*;

/// As bundlers write a development build: each module is a function that does nothing but call `eval`.
const BUNDLE: &str = r#"const modules = {
  cart: (module, exports, load) => {
    "use strict";
    eval("{exports.Cart = class Cart {\n  constructor() { this.total = 0; }\n  add(price) {\n    \
this.total = sum(this.total, price);\n    return this.total;\n  }\n};\nconst offset = load('rate').rate(1);\n\
function sum(one, two) {\n  let all = one + two;\n  all += offset;\n  return all;\n}\n\n}\n//# sourceURL=made:///cart.js\n");
  },
  rate: (module, exports) => {
    eval("var calls = 0;\nvar last;\nexports.rate = function rate(n) {\n  calls = calls + 1;\n  last = n;\n  \
return calls;\n};\n//# sourceURL=made:///rate.js\n");
  },
};
function load(name) {
  const exports = {};
  modules[name](name, exports, load);
  return exports;
}
const { Cart } = load('cart');
const cart = new Cart();
cart.add(3);
cart.add(4);
"#;

fn results(folder: &Path, arguments: &[&str]) -> String {
    let answer = query(folder, arguments);
    let mut shown = String::new();
    for result in answer["results"].as_array().unwrap() {
        shown.push_str(&format!("{}\n", result["query"].as_str().unwrap()));
        for line in lines(result) {
            shown.push_str(&format!("  {line}\n"));
        }
    }
    shown
}

#[test]
fn modules_that_are_given_to_eval_are_in_the_log() {
    let page = "<script src='app.js'></script>";
    let (folder, output) = recorded(page, &[("app.js", BUNDLE)], &[]);
    assert!(output.status.success(), "{output:?}");
    let folder = folder.path();
    let questions = ["callTree(R)", "history(cart.total)", "argumentsOf(sum)"];
    let mut shown = results(folder, &questions);
    // A function of such a text sees its own variables, and those of the module's function around.
    shown.push_str(&results(
        folder,
        &["--at", "made:///cart.js:12", "locals(R)"],
    ));
    shown.push_str(&results(
        folder,
        &[
            "--at",
            "made:///rate.js:6",
            "history(R:calls)",
            "history(R:last)",
        ],
    ));
    insta::assert_snapshot!(shown);
}

/// Each function does what it does without hooks, and says with what it was called.
#[test]
fn code_given_to_eval_does_what_it_did() {
    let app = r#"const seen = [];
function values() {
  seen.push(eval("1;;"), eval("var x = 1"), eval("if (true) { 5 }"), eval("let y = 2; y"), eval(7));
  seen.push(x, typeof y, eval("eval('x = 3'); x"), x);
}
function recursive(n) {
  return n === 0 ? 0 : eval("add(recursive(n - 1), n)");
}
function add(a, b) { return a + b; }
function failing() {
  try { eval("before(); throw new Error('no'); before();"); } catch (error) { after(error.message); }
  after('then');
}
function before() {}
function after(text) { seen.push(text); }
function again() { function own() { return 'own'; } eval("var own = () => 'by a text'"); return own(); }
function anew() { function own() { return 'own'; } eval("function own() { return 'anew'; }"); return own(); }
class Shape {
  side = eval("this.constructor.name + 1");
  area(by = eval("2 + arguments.length")) { return eval("super.toString === Object.prototype.toString ? by : 0"); }
}
values();
seen.push(recursive(3));
failing();
seen.push(new Shape().side, new Shape().area(), (() => eval("this === undefined"))());
seen.push(again(), anew(), (function (eval) { return eval("text"); })((text) => `mine: ${text}`));
console.log(seen.join());
"#;
    let (folder, output) = recorded("<script src='app.js'></script>", &[("app.js", app)], &[]);
    assert!(output.status.success(), "{output:?}");
    let questions = [
        "argumentsOf(console.log)",
        "argumentsOf(add)",
        "callTree(R)",
    ];
    insta::assert_snapshot!(results(folder.path(), &questions));
}

/// A variable that a text writes has that write; one that may be another has none, and it is said.
#[test]
fn what_code_given_to_eval_writes_is_the_variable_around() {
    let app = r#"function own() {
  let n = 1;
  const keep = () => n;
  eval("n = 2; eval('n = n + 10')");
  n += 3;
  return keep;
}
const keep = own();
let shared = 0;
function outer() {
  let far = 0;
  const read = () => far;
  function inner() {
    eval("far = 5");
    return far;
  }
  eval("shared = inner()");
  return read;
}
const read = outer();
keep();
read();
"#;
    let (folder, output) = recorded("<script src='app.js'></script>", &[("app.js", app)], &[]);
    assert!(output.status.success(), "{output:?}");
    let folder = folder.path();
    let mut shown = results(folder, &["--at", "app.js:3", "history(R:n)"]);
    shown.push_str(&results(folder, &["--at", "app.js:12", "history(R:far)"]));
    shown.push_str(&results(folder, &["--at", "end", "history(shared)"]));
    let said = String::from_utf8_lossy(&output.stdout);
    let uncertain: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("may be another"))
        .filter_map(|line| line.rsplit_once("app.js:"))
        .map(|(_, place)| place)
        .collect();
    shown.push_str(&uncertain.join("\n"));
    insta::assert_snapshot!(shown);
}
