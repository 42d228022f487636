//! How many questions declarative debugging asks: the experiment of Hermanns and Kuchen, *Hybrid Debugging of Java
//! Programs* (2010, section 5), with its five programs written anew in JavaScript.
//!
//! Ten programs of today are beside them: classes, closures, async functions, promises, events, components.
//!
//! Each mutant has one line that is wrong. The person is played by the correct program, which is asked about each call
//! once, whatever strategies there are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use app::browser::BrowserOptions;
use app::cancelling::Cancellation;
use app::diagnosis::{GoodVersion, LoggingBrowser, reads_of, uses_of};
use app::page::Page;
use app::progress::Reporter;
use diagnosis::{Answer, Interview, Judged, Known, LogTree, Said, Step, Strategy, UsesOf, carried};
use engine::logging::{Detail, LogRequest, LoggedScripts};
use event_log::model::Model;
use querypoint::diagnosis::AnsweredBy;

use crate::error::BenchError;
use crate::report::{Bound, Section};

/// The paper's averages, of those of its strategies that it names.
const PAPER: [(Strategy, f64); 4] = [
    (Strategy::TopDown, 12.84),
    (Strategy::DivideAndQuery, 10.00),
    (Strategy::DefUse, 8.25),
    (Strategy::Edges, 7.66),
];

/// The strategies that are measured.
const STRATEGIES: [Strategy; 7] = [
    Strategy::TopDown,
    Strategy::Heaviest,
    Strategy::DivideAndQuery,
    Strategy::Optimal,
    Strategy::DefUse,
    Strategy::Edges,
    Strategy::Suspicion,
];

#[derive(serde::Deserialize)]
struct Mutant {
    program: String,
    good: String,
    wrong: String,
}

/// A set of programs.
struct Experiment {
    /// Its mutants.
    mutants: &'static str,
    /// Where its programs are, below the folder of the experiments.
    programs: &'static str,
    /// What is said before its tables.
    introduction: &'static str,
    /// Whether it is the one that the paper has averages of, and the project a bound for.
    is_of_paper: bool,
}

const EXPERIMENTS: [Experiment; 2] = [
    Experiment {
        mutants: "mutants.json",
        programs: "",
        introduction: "Five programs with one wrong line each; the person is played by the correct program. The \
                       experiment is that of\n\
                       Hermanns and Kuchen, *Hybrid Debugging of Java Programs* (2010), with the programs written anew \
                       in\n\
                       JavaScript, so the figures can be set beside the paper's in their order only. A question is an \
                       answer that a\n\
                       person would give; none is answered by what is trusted.\n",
        is_of_paper: true,
    },
    Experiment {
        mutants: "mutants-of-today.json",
        programs: "today",
        introduction: "\n## Ten programs of today\n\n\
                       Classes with private fields and accessors (`cart`), closures (`history`), async functions that \
                       try again\n(`loader`), promises (`queue`), a store with events (`store`), components with hooks \
                       (`component`), regular\nexpressions and generators (`router`), tasks that are generators \
                       (`tasks`), a parser (`markdown`), cells that know\nwho uses them (`cells`). Each has four \
                       mutants; the person is the correct program, as above. Of a call that gives a\npromise or a \
                       function it can say nothing: that is a question, too, and its answer is *unknown*. In\n\
                       brackets is of how many mutants a call was found, where it is not all of them.\n",
        is_of_paper: false,
    },
];

/// How sessions are held.
#[derive(Clone, Copy)]
struct Way {
    title: &'static str,
    /// Whether the same is asked once.
    once: bool,
    /// Whether chains of recursive calls are asked about as one.
    compress: bool,
    /// Whether the mutants of a program are looked at one after the other in one session, as if each were repaired
    /// before the next: answers that hold are carried on.
    session: bool,
}

const WAYS: [Way; 6] = [
    Way {
        title: "A person answers all.",
        once: false,
        compress: false,
        session: false,
    },
    Way {
        title: "The same is asked once: what was judged before is answered by itself.",
        once: true,
        compress: false,
        session: false,
    },
    Way {
        title: "With `--compress` a person answers all: of a chain of recursive calls the first, and what is found is the\n\
                function.",
        once: false,
        compress: true,
        session: false,
    },
    Way {
        title: "With `--compress` the same is asked once.",
        once: true,
        compress: true,
        session: false,
    },
    Way {
        title: "The mutants of a program are looked at in one session (`--session`), as if each were repaired before the\n\
                next: what was judged before, of this one or of one before it, is answered by itself.",
        once: true,
        compress: false,
        session: true,
    },
    Way {
        title: "With `--compress` in one session.",
        once: true,
        compress: true,
        session: true,
    },
];

/// An execution of a mutant before, and what was said of its calls by way and strategy.
struct Former {
    model: Model,
    uses: UsesOf,
    judged: Vec<Vec<Vec<Judged>>>,
}

/// What is carried on from those before, as `diagnose --session` does: what was said last counts, and is said last.
fn carry_on(
    interview: &mut Interview<'_>,
    now: Known<'_>,
    formers: &[Former],
    (way, strategy): (usize, usize),
) {
    let mut answered = BTreeSet::new();
    let mut holding = Vec::new();
    for former in formers.iter().rev() {
        let log = LogTree::new(&former.model, 0..u32::MAX);
        let its = Known {
            log: &log,
            uses: &former.uses,
        };
        let found = carried(its, &former.judged[way][strategy], now).into_iter();
        let own = found.filter(|it| answered.insert(it.judged.node));
        holding.push(own.map(|it| it.judged).collect::<Vec<_>>());
    }
    for judged in holding.into_iter().rev().flatten() {
        let said = Said {
            by: AnsweredBy::Same,
            why: None,
            before: None,
        };
        interview.take(judged.node, judged.answer, said);
    }
}

/// What one mutant took.
struct Measured {
    program: String,
    calls: usize,
    /// By way and strategy; `None`: no call was found.
    asked: [Vec<Option<u32>>; WAYS.len()],
    /// What no strategy can do without: that the faulty call is wrong, and that each call that it made is right. The
    /// least of the calls that were found where a person answers all.
    least: Option<u32>,
}

struct Silent;

impl Reporter for Silent {
    fn stage(&mut self, _: &str) {}
    fn part(&mut self, _: &str, _: usize, _: usize) {}
    fn advance(&mut self, _: usize, _: usize) {}
    fn note(&mut self, _: &str) {}
}

/// Counts the questions of each strategy for each mutant; writes the tables to `docs/questions-asked.md`.
pub(crate) async fn run(
    executable: Option<&Path>,
    repository: &Path,
    quick: bool,
) -> Result<Section, BenchError> {
    let folder = repository.join("benches").join("questions-asked");
    let mut text = String::new();
    let mut bounds = Vec::new();
    for experiment in &EXPERIMENTS {
        let measured = measured(executable, &folder, experiment, quick).await?;
        text.push_str(&tables(experiment, &measured));
        if experiment.is_of_paper {
            bounds = bounds_of(&measured);
            text.push('\n');
            text.push_str(&crate::report::bounds_table(bounds.iter()));
        }
    }
    if !quick {
        let path = repository.join("docs").join("questions-asked.md");
        let page = format!(
            "# Questions asked\n\nWritten by `cargo xtask bench --only questions-asked`; do not edit by \
             hand.\n\n{text}"
        );
        std::fs::write(&path, page).map_err(BenchError::file(&path))?;
    }
    Ok(Section {
        title: "Questions asked by declarative debugging".into(),
        text,
        bounds,
    })
}

/// What the mutants of an experiment take.
async fn measured(
    executable: Option<&Path>,
    folder: &Path,
    experiment: &Experiment,
    quick: bool,
) -> Result<Vec<Measured>, BenchError> {
    let path = folder.join(experiment.mutants);
    let text = std::fs::read_to_string(&path).map_err(BenchError::file(&path))?;
    let mutants: Vec<Mutant> = serde_json::from_str(&text)
        .map_err(|error| BenchError::Setup(format!("{}: {error}", path.display())))?;
    let programs = folder.join(experiment.programs);
    let mut measured = Vec::new();
    let mut formers: BTreeMap<&str, Vec<Former>> = BTreeMap::new();
    for mutant in mutants.iter().step_by(if quick { 6 } else { 1 }) {
        eprintln!("  {}: {}", mutant.program, mutant.wrong.trim());
        let own = formers.entry(&mutant.program).or_default();
        measured.push(one(executable, &programs, mutant, own).await?);
    }
    Ok(measured)
}

async fn one(
    executable: Option<&Path>,
    folder: &Path,
    mutant: &Mutant,
    formers: &mut Vec<Former>,
) -> Result<Measured, BenchError> {
    let setup = |what: String| BenchError::Setup(format!("{}: {what}", mutant.program));
    let failed = |error: app::failure::Failure| setup(error.to_string());
    let path = folder.join(format!("{}.js", mutant.program));
    let program = std::fs::read_to_string(&path).map_err(BenchError::file(&path))?;
    if program.matches(&mutant.good).count() != 1 {
        return Err(setup(format!("{:?} is not in it once", mutant.good)));
    }
    let pages = tempfile::tempdir().map_err(BenchError::file(folder))?;
    for (name, text) in [
        ("good", program.clone()),
        ("bad", program.replace(&mutant.good, &mutant.wrong)),
    ] {
        let write = |name: String, text: String| {
            let path = pages.path().join(name);
            std::fs::write(&path, text).map_err(BenchError::file(&path))
        };
        let page = format!("<!doctype html><title>{name}</title><script src={name}.js></script>\n");
        write(format!("{name}.html"), page)?;
        write(format!("{name}.js"), text)?;
    }
    let open = async |name: &str| {
        let path = pages.path().join(name);
        Page::open(&path.display().to_string(), &[]).await
    };
    let page_failed = |error: app::page_server::PageServerError| setup(error.to_string());
    let bad = open("bad.html").await.map_err(page_failed)?;
    let good_page = open("good.html").await.map_err(page_failed)?;
    let options = BrowserOptions {
        executable: executable.map(Path::to_owned),
        connect: Vec::new(),
        headed: false,
        user: None,
        timeout: Duration::from_secs(30),
    };
    let request = LogRequest {
        page: bad.url().to_string(),
        recording: None,
        readings: None,
        responses: None,
        recording_name: None,
        scripts: LoggedScripts::Own,
        detail: Detail::All,
        from: None,
        to: None,
        timeout: options.timeout,
        versions: None,
        tells_inside: true,
    };
    let mut silent = Silent;
    let logging = LoggingBrowser::open(&options, None, &Cancellation::by_signals(), &mut silent)
        .await
        .map_err(failed)?;
    let (model, outcome) = logging.log(&request, &mut silent).await.map_err(failed)?;
    let log = LogTree::new(&model, 0..u32::MAX);
    let good_url = good_page.url().as_str();
    let mut good = GoodVersion::open(&logging, &request, &outcome.sources, good_url, &mut silent)
        .await
        .map_err(failed)?;
    let uses = uses_of(&outcome.sources);
    let reads = reads_of(&outcome.sources);
    let mut asked = [const { Vec::new() }; WAYS.len()];
    let mut judged = Vec::new();
    let mut least = None;
    for ((number, way), asked) in WAYS.iter().enumerate().zip(&mut asked) {
        let mut of_way = Vec::new();
        for (index, strategy) in STRATEGIES.into_iter().enumerate() {
            let mut interview = Interview::new(&log, strategy, &[]);
            interview.reads(&reads);
            if way.compress {
                interview.join_recursive_calls();
            }
            if way.session {
                let now = Known {
                    log: &log,
                    uses: &uses,
                };
                carry_on(&mut interview, now, formers, (number, index));
            }
            while let Step::Ask(node) = interview.next() {
                if way.once && interview.take_said_before(node, &uses) {
                    continue;
                }
                let said = good
                    .judge(&logging, &log, node, &mut silent)
                    .await
                    .map_err(failed)?;
                if said.answer == Answer::Unknown {
                    eprintln!("    unknown: {}", said.why);
                }
                interview.answer(node, said.answer, AnsweredBy::Person, Some(said.why));
            }
            // What follows from other answers is not carried on.
            let own = interview
                .answers()
                .filter(|(_, said)| said.before.is_none());
            of_way.push(own.map(|(judged, _)| judged).collect());
            if let (0, Step::Found(node)) = (number, interview.next()) {
                let children = u32::try_from(log.tree().children(node).count());
                let needed = children.unwrap_or(u32::MAX).saturating_add(1);
                least = Some(least.map_or(needed, |it: u32| it.min(needed)));
            }
            let diagnosis = interview.diagnosis(Vec::new());
            asked.push(diagnosis.found.is_some().then_some(diagnosis.asked));
        }
        judged.push(of_way);
    }
    let calls = log.tree().len();
    formers.push(Former {
        model,
        uses,
        judged,
    });
    Ok(Measured {
        program: mutant.program.clone(),
        calls,
        asked,
        least,
    })
}

/// The average of a way and a strategy, by their numbers.
fn average(measured: &[&Measured], way: usize, strategy: usize) -> f64 {
    let asked = measured.iter().filter_map(|it| it.asked[way][strategy]);
    let (sum, count) = asked.fold((0.0, 0.0), |(sum, count), asked| {
        (sum + f64::from(asked), count + 1.0)
    });
    sum / count
}

fn tables(experiment: &Experiment, measured: &[Measured]) -> String {
    let mut text = experiment.introduction.to_owned();
    for (number, way) in WAYS.iter().enumerate() {
        table(&mut text, measured, number, way);
        if number == 0 {
            text.push_str(&least_text(measured));
        }
        if number == 0 && experiment.is_of_paper {
            text.push_str("\nThe paper's averages:");
            for (strategy, average) in PAPER {
                let _ = write!(text, " {} {average:.2},", strategy.word());
            }
            text.pop();
            text.push_str(".\n");
        }
    }
    let lost: usize = measured
        .iter()
        .flat_map(|it| it.asked.iter().flatten())
        .filter(|asked| asked.is_none())
        .count();
    let _ = writeln!(
        text,
        "\nSessions in which no call was found, for the correct program could not answer: {lost} of {}.",
        measured.len() * STRATEGIES.len() * WAYS.len()
    );
    text
}

/// What no strategy can do without, on the average.
fn least_text(measured: &[Measured]) -> String {
    let least: Vec<f64> = measured
        .iter()
        .filter_map(|it| it.least.map(f64::from))
        .collect();
    let sum: f64 = least.iter().sum();
    let count = u32::try_from(least.len()).map_or(1.0, f64::from).max(1.0);
    format!(
        "\nTo know of the call that is found that it is wrong, and of each call that it made that it is right, takes \
         {:.2}\nanswers on the average, whatever is asked before.\n",
        sum / count
    )
}

/// The answers of a person, by program and strategy.
fn table(text: &mut String, measured: &[Measured], way_number: usize, way: &Way) {
    let _ = write!(text, "\n{}\n\n| program | mutants | calls |", way.title);
    for strategy in STRATEGIES {
        let _ = write!(text, " {} |", strategy.word());
    }
    text.push_str("\n| --- | --- | --- |");
    text.push_str(&" --- |".repeat(STRATEGIES.len()));
    text.push('\n');
    let mut by_program: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
    for it in measured {
        by_program.entry(&it.program).or_default().push(it);
    }
    let mut row = |name: &str, own: &[&Measured]| {
        let calls: usize = own.iter().map(|it| it.calls).sum();
        let _ = write!(
            text,
            "| {name} | {} | {} |",
            own.len(),
            calls / own.len().max(1)
        );
        for strategy in 0..STRATEGIES.len() {
            let found = own
                .iter()
                .filter(|it| it.asked[way_number][strategy].is_some());
            let _ = match found.count() {
                0 => write!(text, " – |"),
                count if count == own.len() => {
                    write!(text, " {:.2} |", average(own, way_number, strategy))
                }
                count => write!(
                    text,
                    " {:.2} ({count}) |",
                    average(own, way_number, strategy)
                ),
            };
        }
        text.push('\n');
    };
    for (program, own) in &by_program {
        row(program, own);
    }
    let all: Vec<&Measured> = measured.iter().collect();
    row("**all**", &all);
}

fn bounds_of(measured: &[Measured]) -> Vec<Bound> {
    let all: Vec<&Measured> = measured.iter().collect();
    let least = |way: usize| {
        (0..STRATEGIES.len())
            .map(|strategy| average(&all, way, strategy))
            .fold(f64::INFINITY, f64::min)
    };
    let bound = |what: &str, at_most: f64, way: usize| Bound {
        what: format!("answers of a person, with the best strategy, on the average{what}"),
        at_most,
        measured: least(way),
        unit: "".into(),
        slower: 1.0,
    };
    vec![
        bound("", 6.5, 0),
        bound(", where the same is asked once", 5.0, 1),
        bound(", where the same is asked once, with `--compress`", 5.0, 3),
        bound(", in one session for the mutants of a program", 5.0, 4),
        bound(", in one session, with `--compress`", 5.0, 5),
    ]
}
