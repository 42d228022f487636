//! One module for each command.

pub(crate) mod ask;
pub(crate) mod compare;
pub(crate) mod demo;
pub(crate) mod diagnose;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod install_host;
pub(crate) mod log;
pub(crate) mod minimize;
pub(crate) mod native_host;
pub(crate) mod output;
mod pause;
pub(crate) mod plan;
pub(crate) mod query;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod rewrite;
pub(crate) mod serve;
pub(crate) mod signals;
