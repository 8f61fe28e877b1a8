//! What approval says of the plans that OLM makes, and what the API server makes of policies.
//!
//! A story lets OLM make a plan, writes policies, and waits until the watch tells what comes of
//! it; how long that took is printed.

mod author;
pub(crate) mod definition;
mod dependency;
mod folder;
mod hidden;
mod images;
mod manifests;
mod manual;
mod odd;
pub(crate) mod policy;
mod quiet;
mod serving;
mod stage;
mod stale;
mod together;
mod told;
mod watcher;
