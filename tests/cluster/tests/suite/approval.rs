//! Reviews of the InstallPlans that OLM makes, and the validation of policies by the API server.
//!
//! A test lets OLM make a plan, writes policies, and waits until the watch reports the effect. It
//! prints how long that took.

mod author;
mod by_command;
pub(crate) mod crds;
mod dependency;
mod folder;
mod hidden;
mod images;
mod manifests;
mod manual;
mod odd;
pub(crate) mod policy;
mod quiet;
mod report;
mod serving;
mod stage;
mod stale;
mod together;
mod watcher;
