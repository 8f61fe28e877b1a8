//! The controller: observe, ask, decide, write.
//!
//! It is thin. What it sees comes from `services/world`, what it knows of catalogs, of health and
//! of approvals it asks the services for, what is to be done is decided by `controller/decide`, and
//! it writes that. It parses no catalog, computes no graph and judges no Deployment.
//!
//! ```text
//! world -> observe -\
//!                    decide -> write -> API server
//! services -> ask --/
//! ```

mod ask;
mod instances;
pub mod lease;
mod observe;
mod reconcile;
mod release;
pub mod write;

pub use release::{Freed, ReleaseFailure, release_finalizers};
