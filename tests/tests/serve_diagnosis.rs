//! Looking for the faulty call in a log of a session: what is asked, what is answered by itself, what is kept.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::panel::{BackEnd, Panel};
use querypoint::diagnosis::{AnsweredBy, CallAnswer, Ended};
use querypoint::session::messages::RefusalCode;
use querypoint::session::methods;
use querypoint::session::results::Diagnosed;

const SHOP: &str = "<!doctype html><output id=out></output><script>
const cart = { prices: [], total: 0 };
function add(price) {
  cart.prices.push(price);
  cart.total = rounded(sum(cart.prices));
}
function rounded(value) {
  return Math.round(value);
}
function sum(prices) {
  let all = 1;
  for (const price of prices) all += price;
  return all;
}
rounded(3);
add(2);
rounded(3);
add(3);
out.textContent = cart.total;
</script>";

const DIAGNOSE: methods::Diagnose = methods::Diagnose {
    log: 1,
    strategy: None,
};

/// What somebody says who knows what the functions should do.
fn known(function: &str) -> CallAnswer {
    match function {
        "rounded" => CallAnswer::Valid,
        _ => CallAnswer::Invalid,
    }
}

/// Answers until nothing is asked any more.
async fn answered(panel: &mut Panel, mut diagnosed: Diagnosed) -> Diagnosed {
    while let Some(question) = &diagnosed.question {
        let judge = methods::Judge {
            log: 1,
            call: question.call.call,
            answer: known(&question.call.function),
        };
        diagnosed = panel.done(judge).await;
    }
    diagnosed
}

#[tokio::test]
async fn the_faulty_call_is_found_by_answers_that_are_kept() {
    let folder = Folder::new();
    let site = Site::new(&[("/shop.html", html(SHOP))]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/shop.html")).await;
    assert_eq!(panel.refused(DIAGNOSE).await.code, RefusalCode::NotNow);
    panel.does(methods::Log {}).await;

    // As on the command line.
    assert_eq!(panel.done(DIAGNOSE).await.strategy, "suspicion");
    // Each strategy asks about a call of the log, with what it was given, gave and changed.
    for strategy in ["top-down", "divide-and-query", "def-use", "optimal"] {
        let begun = panel
            .done(methods::Diagnose {
                log: 1,
                strategy: Some(strategy.to_owned()),
            })
            .await;
        assert_eq!(begun.strategy, strategy);
        assert!(begun.question.is_some() && begun.diagnosis.questions.is_empty());
    }
    let refusal = panel
        .refused(methods::Diagnose {
            log: 1,
            strategy: Some("guess".to_owned()),
        })
        .await;
    assert_eq!(refusal.code, RefusalCode::NotUnderstood);
    assert!(refusal.message.contains("top-down"), "{}", refusal.message);
    let begun = panel.done(DIAGNOSE).await;
    assert_eq!(begun.strategy, "optimal");

    let done = answered(&mut panel, begun).await;
    let found = done.diagnosis.found.clone().unwrap();
    assert_eq!(found.function, "sum");
    assert_eq!(found.location.as_ref().unwrap().line, 10);
    let shown = panel
        .done(methods::ShowCall {
            log: 1,
            call: found.call,
        })
        .await
        .call;
    let given = shown.arguments[0].entry.as_ref().unwrap();
    assert!(given.text.contains('2'), "{given:?}");
    let Ended::Returned(Some(value)) = &shown.ended else {
        panic!("{shown:?}");
    };
    // One more than the sum of the prices.
    assert!(["3", "6"].contains(&value.text.as_str()), "{value:?}");
    assert_eq!(shown.caller.as_deref(), Some("add"));

    // What was said of the same call counts for another one.
    let judge = |call, answer| methods::Judge {
        log: 1,
        call,
        answer,
    };
    let top = panel.done(methods::Events {
        log: 1,
        query: "argumentsOf(rounded)".to_owned(),
        from: 0,
    });
    let rounded: Vec<u64> = top.await.events.iter().map(|it| it.seq).collect();
    assert_eq!(rounded.len(), 4);
    let other = panel.done(judge(rounded[0], CallAnswer::Invalid)).await;
    assert_eq!(other.diagnosis.found.unwrap().function, "rounded");
    let back = panel
        .done(methods::TakeBack {
            log: 1,
            call: Some(rounded[0]),
        })
        .await;
    let back = answered(&mut panel, back).await;
    assert_eq!(back.diagnosis.found.as_ref(), Some(&found));
    let by = |by| {
        back.diagnosis
            .questions
            .iter()
            .filter(move |it| it.by == by)
    };
    assert_eq!(by(AnsweredBy::Person).count() as u32, back.diagnosis.asked);

    // It is there when the back end is started again; what is taken back is asked anew.
    back_end.kill();
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    assert_eq!(panel.done(DIAGNOSE).await, back);
    let last = methods::TakeBack { log: 1, call: None };
    assert!(panel.done(last).await.question.is_some());
    while panel.done(DIAGNOSE).await.diagnosis.asked > 0 {
        panel.done(last).await;
    }
    assert_eq!(panel.refused(last).await.code, RefusalCode::NotNow);
    for call in [0, 1 << 40] {
        let refusal = panel.refused(judge(call, CallAnswer::Valid)).await;
        assert_eq!(refusal.code, RefusalCode::NotUnderstood, "{call}");
    }
    let nowhere = methods::ShowCall {
        log: 1,
        call: 1 << 40,
    };
    assert_eq!(panel.refused(nowhere).await.code, RefusalCode::Failed);

    // With the log goes what was said of it.
    panel.does(methods::DeleteLog { log: 1 }).await;
    assert_eq!(panel.refused(DIAGNOSE).await.code, RefusalCode::NotNow);
    panel.does(methods::Log {}).await;
    assert_eq!(panel.done(DIAGNOSE).await.diagnosis.questions, []);
}
