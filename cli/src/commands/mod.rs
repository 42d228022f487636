//! One module for each command.

pub(crate) mod ask;
pub(crate) mod browser;
pub(crate) mod chosen_files;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod install_host;
mod keeping;
pub(crate) mod minimize;
pub(crate) mod native_host;
pub(crate) mod output;
mod pause;
pub(crate) mod plan;
mod pool;
pub(crate) mod question;
pub(crate) mod record;
pub(crate) mod recording_file;
pub(crate) mod replay;
pub(crate) mod rewrite;
mod runs;
pub(crate) mod serve;
