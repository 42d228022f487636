//! `querypoint serve`: the back end of panels, until Ctrl-C or until it is not used any more.

use std::process::ExitCode;
use std::time::Duration;

use app::cancelling::Cancellation;
use app::failure::Failure;
use app::sessions::store::default_folder;
use panel_server::BackEnd;

use super::output;
use crate::arguments::ServeArguments;
use crate::render;

/// Serves until Ctrl-C.
///
/// # Errors
/// If the folder of the sessions cannot be used, or the port cannot be listened on.
pub(crate) async fn run(arguments: &ServeArguments) -> Result<ExitCode, Failure> {
    if arguments.browser.connect.len() > 1 {
        let why = "--connect is given several times; a back end has one browser";
        return Err(Failure::NotPossible(why.to_owned()));
    }
    let folder = match &arguments.state {
        Some(folder) => folder.clone(),
        None => default_folder()?,
    };
    let back_end = BackEnd::start(
        &folder,
        arguments.port,
        arguments.browser.options(),
        arguments.idle_limit.is_some(),
        |answer, line| render::html(&answer.clone().into(), line),
    )
    .await?;
    output::print(&format!(
        "{}\n{}\n",
        back_end.url(),
        back_end.secret_subprotocol()
    ))?;
    match back_end.panel_url() {
        Some(url) => output::print(&format!("{url}\n"))?,
        None => eprintln!("the panel is not there as a page: `cargo xtask panel` builds it"),
    }
    eprintln!("Ctrl-C ends it");
    let unused = async {
        match arguments.idle_limit {
            Some(minutes) => back_end.unused_for(Duration::from_secs(60) * minutes).await,
            None => std::future::pending().await,
        }
    };
    let signals = Cancellation::by_signals();
    tokio::select! {
        () = signals.requested() => {}
        () = unused => {}
        () = back_end.ended() => {}
    }
    back_end.close().await;
    Ok(ExitCode::SUCCESS)
}
