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
