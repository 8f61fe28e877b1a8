//! The controller process. The policy controller works in four steps: observe, ask, decide, write.
//!
//! This crate has little logic. It reads objects with `services/world`. The resolver, the health
//! service and the approval service provide data about catalogs, health and approvals. The crate
//! `core/kinds/operatorpolicy` makes the decisions. The controller then writes. It parses no
//! catalogs, computes no graphs and judges no Deployments.
//!
//! The other controllers of the process are in separate crates. The table in `controllers.rs` lists
//! all of them.
//!
//! ```text
//! world -> observe -\
//!                    decide -> write -> API server
//! services -> ask --/
//! ```

pub mod approve;
mod ask;
mod controllers;
mod crd;
mod crds;
mod flags;
mod installation;
mod instances;
mod metrics;
mod observe;
mod reconcile;
mod rehearsal;
mod release;
mod serve;
mod server_side_apply;
pub mod write;

pub use ask::{Connections, encode_api, encode_namespace};
pub use controllers::{
    Availability, ClusterFacts, MissingForPlans, Off, availability, controllers,
};
pub use crds::{AppliedCrd, CrdInstaller, CrdNotInstalled, CrdRefusal};
pub use flags::{
    ComponentFlags, ControllerConfig, ControllerFlags, Flags, InstallFlags, OperatorFlags,
    PolicyFlags, ServiceFlags, ServiceName,
};
pub use installation::{
    CertificateSecret, Check, CheckPhase, CheckState, ClusterSetup, Deletion, DeployedPart,
    INSTALLER, MANAGED_BY, NotIssued, ObjectInstaller, ObjectNotChanged, Owner, ServingCertificate,
    Setup, certificate_secrets, check,
};
pub use portolan_core_operatorpolicy::{Preview, PreviewedObject, READS};
pub use portolan_operators::{
    Act as OperatorAct, Rehearsed as RehearsedOperator, Step as OperatorStep,
};
pub use portolan_runtime::lease::{LeaseState, lease_state};
pub use portolan_runtime::{ChangePreview, LeaseFlags, LeaseName};
pub use rehearsal::{
    Change, OperatorRehearsal, OperatorTerms, Proposed, Rehearsal, Rehearsed, Terms, Verb,
};
pub use release::{Freed, NOTHING_HELD, ReleaseFailure, held_objects, release_finalizers};
pub use serve::{beside, listen, serve};
pub use server_side_apply::{ApplyChange, INSTALL_MANAGER};
