//! Tests of the approval service: it reviews the InstallPlans that OLM creates. Also tests how the
//! API server validates policies.
//!
//! In a test, OLM creates an InstallPlan. The test writes policies, and waits until the watch
//! reports their effect. It prints how long this took.

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
