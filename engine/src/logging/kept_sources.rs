//! The scripts of a log as a text, for who keeps them beside it.

use event_log::ids::{FunctionId, SiteId};
use js_analysis::Goal;
use js_analysis::jsdoc::DocTypes;
use js_analysis::position::{ByteOffset, ByteSpan};
use js_analysis::versions::AuthorName;
use serde::{Deserialize, Serialize};

use super::LoggedSource;

/// A script that was recorded.
#[derive(Serialize, Deserialize)]
struct Kept {
    url: String,
    text: String,
    goal: KeptGoal,
    is_mapped: bool,
    /// The number of each function, its first byte and the one behind its last.
    functions: Vec<(u32, u32, u32)>,
    first_site: u32,
    /// The first byte of each site.
    sites: Vec<u32>,
    /// Where each variable is declared that its author called otherwise, and how.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    names: Vec<(u32, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    declared: Vec<KeptTypes>,
}

/// What is declared of the values of a function.
#[derive(Serialize, Deserialize)]
struct KeptTypes {
    function: u32,
    parameters: Vec<(String, String)>,
    returns: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum KeptGoal {
    Script,
    Module,
    EventHandler,
    Eval { strict: bool, in_function: bool },
}

/// The scripts of a log as JSON.
///
/// # Errors
/// None that scripts lead to.
pub fn write_sources(sources: &[LoggedSource]) -> Result<String, serde_json::Error> {
    let kept = sources.iter().map(|it| Kept {
        url: it.url.clone(),
        text: it.text.clone(),
        goal: match it.goal {
            Goal::Script => KeptGoal::Script,
            Goal::Module => KeptGoal::Module,
            Goal::EventHandler => KeptGoal::EventHandler,
            Goal::Eval {
                strict,
                in_function,
            } => KeptGoal::Eval {
                strict,
                in_function,
            },
        },
        is_mapped: it.is_mapped,
        functions: it
            .functions
            .iter()
            .map(|(number, span)| (number.0, span.start.0, span.end.0))
            .collect(),
        first_site: it.sites.0.0,
        sites: it.sites.1.iter().map(|at| at.0).collect(),
        names: it
            .names
            .iter()
            .map(|it| (it.declared_at.0, it.name.clone()))
            .collect(),
        declared: it
            .declared
            .iter()
            .map(|(number, types)| KeptTypes {
                function: number.0,
                parameters: types.parameters.clone(),
                returns: types.returns.clone(),
            })
            .collect(),
    });
    serde_json::to_string(&kept.collect::<Vec<_>>())
}

/// Reads what [`write_sources`] wrote.
///
/// # Errors
/// If it is something else.
pub fn read_sources(text: &str) -> Result<Vec<LoggedSource>, serde_json::Error> {
    let kept: Vec<Kept> = serde_json::from_str(text)?;
    let sources = kept.into_iter().map(|it| LoggedSource {
        url: it.url,
        text: it.text,
        goal: match it.goal {
            KeptGoal::Script => Goal::Script,
            KeptGoal::Module => Goal::Module,
            KeptGoal::EventHandler => Goal::EventHandler,
            KeptGoal::Eval {
                strict,
                in_function,
            } => Goal::Eval {
                strict,
                in_function,
            },
        },
        is_mapped: it.is_mapped,
        functions: it
            .functions
            .into_iter()
            .map(|(number, start, end)| {
                let span = ByteSpan {
                    start: ByteOffset(start),
                    end: ByteOffset(end),
                };
                (FunctionId(number), span)
            })
            .collect(),
        sites: (
            SiteId(it.first_site),
            it.sites.into_iter().map(ByteOffset).collect(),
        ),
        names: it
            .names
            .into_iter()
            .map(|(at, name)| AuthorName {
                declared_at: ByteOffset(at),
                name,
            })
            .collect(),
        declared: it
            .declared
            .into_iter()
            .map(|types| {
                let declared = DocTypes {
                    parameters: types.parameters,
                    returns: types.returns,
                };
                (FunctionId(types.function), declared)
            })
            .collect(),
        unlogged: Vec::new(),
    });
    Ok(sources.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn sources_are_read_back() {
        let source = |goal| LoggedSource {
            url: "http://h/a.js".to_owned(),
            text: "f() // ü".to_owned(),
            goal,
            is_mapped: true,
            functions: vec![(
                FunctionId(3),
                ByteSpan {
                    start: ByteOffset(0),
                    end: ByteOffset(9),
                },
            )],
            sites: (SiteId(7), vec![ByteOffset(0), ByteOffset(4)]),
            names: vec![AuthorName {
                declared_at: ByteOffset(2),
                name: "total".to_owned(),
            }],
            declared: vec![(
                FunctionId(3),
                DocTypes {
                    parameters: vec![("a".to_owned(), "number".to_owned())],
                    returns: Some("string".to_owned()),
                },
            )],
            unlogged: Vec::new(),
        };
        let eval = Goal::Eval {
            strict: true,
            in_function: false,
        };
        let sources = [Goal::Script, Goal::Module, Goal::EventHandler, eval].map(source);
        let text = write_sources(&sources).unwrap();
        assert_eq!(read_sources(&text).unwrap(), sources);
        assert!(read_sources(&text[1..]).is_err());
    }
}
