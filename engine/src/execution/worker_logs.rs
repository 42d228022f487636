//! The log of what runs in workers: they are asked for the rest of it when an execution ends.

use std::time::Duration;

use super::Setting;
use crate::page::ChildTarget;
use cdp_driver::protocol::generated::runtime::Evaluate;
use cdp_driver::protocol::{Call as _, with_time_limit};

/// How long workers are waited for.
const LONGEST: Duration = Duration::from_secs(1);

/// Lets workers hand over what they have logged. One that is busy may not do so in time: then its log lacks its end.
pub(super) async fn hand_over(setting: &Setting, children: &[ChildTarget]) {
    let name = format!("{}LL", setting.collection.prefix);
    let hand_over = Evaluate {
        silent: Some(true),
        ..Evaluate::new(format!("typeof {name}==='function'&&{name}()"))
    };
    let sessions = children.iter().filter_map(|child| child.session.as_ref());
    let protocol = setting.protocol.as_ref();
    let answers = sessions.map(|session| protocol.call(Some(session), &hand_over));
    let all = futures::future::join_all(answers);
    // What they answer says nothing.
    let _ = with_time_limit(setting.clock.as_ref(), LONGEST, "a worker's log", all).await;
}
