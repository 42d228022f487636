//! The rest of a log, of those who are not asked for anything else when an execution ends: workers, and a page that a
//! step could not be done on.

use std::time::Duration;

use super::Setting;
use cdp_driver::protocol::generated::runtime::Evaluate;
use cdp_driver::protocol::{Call as _, SessionId, with_time_limit};

/// How long they are waited for.
const LONGEST: Duration = Duration::from_secs(1);

/// Lets the scripts of sessions hand over what they have logged. One that is busy may not do so in time: then its log
/// lacks its end.
pub(super) async fn hand_over(setting: &Setting, sessions: impl Iterator<Item = &SessionId>) {
    let name = format!("{}LL", setting.collection.prefix);
    let hand_over = Evaluate {
        silent: Some(true),
        ..Evaluate::new(format!("typeof {name}==='function'&&{name}()"))
    };
    let protocol = setting.protocol.as_ref();
    let answers = sessions.map(|session| protocol.call(Some(session), &hand_over));
    let all = futures::future::join_all(answers);
    // What they answer says nothing.
    let _ = with_time_limit(setting.clock.as_ref(), LONGEST, "the rest of the log", all).await;
}
