//! Answers that must not say more than the log knows, nor less.

use super::*;

fn answers(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let answer = query(folder, arguments);
    answer["results"].as_array().unwrap().clone()
}

/// What runs is asked of the point, not of the end of the log.
#[test]
fn what_runs_and_has_ended_is_said_of_the_point() {
    let page = "<script>function work(n) {\ninner(n);\nreturn n;\n}\nfunction inner(n) {\nreturn n + 1;\n}\n\
        async function load() {\nawait 1;\ninner(2);\n}\nload();\nwork(1);\ninner(5);\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let holds = |at: &str| {
        let mut arguments = vec!["--at", at, "--explain"];
        let functions = ["work", "inner", "load"];
        let questions: Vec<String> = functions
            .iter()
            .flat_map(|name| [format!("isRunning({name})"), format!("hasEnded({name})")])
            .collect();
        arguments.extend(questions.iter().map(String::as_str));
        let results = answers(folder.path(), &arguments);
        for result in &results {
            gives_the_same(folder.path(), result);
        }
        let said = results.iter().map(|it| it["holds"] == true);
        said.map(|it| if it { 'y' } else { '-' })
            .collect::<String>()
    };
    // Whether `work` runs, has ended; `inner`; `load`.
    assert_eq!(holds("page.html:9"), "----y-");
    assert_eq!(holds("page.html:3"), "y--yy-");
    assert_eq!(holds("page.html:14"), "-y-yy-");
    assert_eq!(holds("page.html:10"), "-y-yy-");
    assert_eq!(holds("end"), "-y-y-y");
}

/// A `catch` clause gets objects of classes that extend the one that is asked for, whatever it calls them.
#[test]
fn all_that_is_caught_is_counted_by_its_class_and_those_it_extends() {
    let page = "<script>class AppError extends Error {}\nclass DeepError extends AppError {}\n\
        function Old() {}\nfunction fails(Type) { throw new Type('no'); }\nlet seen = '';\n\
        try { fails(TypeError); } catch (error) { seen += error.message; }\n\
        try { fails(DeepError); } catch { seen += 'deep'; }\n\
        try { null.x; } catch /* ( */ ( /* ) */ { message,\n name: [first], a = () => message } /* ) */ ) // )\n\
        { let seen = message; var shared = first + a().length; }\n\
        try { fails(Old); } catch {}\n\
        async function waits() { try { await Promise.reject(new RangeError('r')); } catch ({ message }) { seen += \
        message; } }\nwaits();\ntry { throw 'text' } catch { seen += shared }\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let counted = |class: &str| {
        let question = format!("wasCaught({class})");
        let results = answers(folder.path(), &["--explain", &question]);
        gives_the_same(folder.path(), &results[0]);
        assert_eq!(results[0]["complete"], true, "{}", results[0]);
        results[0]["total"].clone()
    };
    let classes = [
        "Error",
        "TypeError",
        "AppError",
        "DeepError",
        "RangeError",
        "Old",
        "SyntaxError",
    ];
    let totals: Vec<Value> = classes.into_iter().map(counted).collect();
    assert_eq!(totals, [4, 2, 1, 1, 1, 1, 0]);
    let results = answers(folder.path(), &["history(shared)", "history(seen)"]);
    let shared = lines(&results[0]);
    assert!(
        shared.len() == 1 && shared[0].starts_with("assign (top level) shared value=\"T"),
        "{shared:?}"
    );
    let last = lines(&results[1]).pop().unwrap();
    assert!(last.contains("value=\"nodeep"), "{last}");
}
