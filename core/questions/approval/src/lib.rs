//! Reviews InstallPlans by policies. For each bundle, the review decides if policies allow the
//! bundle. For a denied bundle, the review also lists the policy changes that would allow it.
//!
//! The caller passes a [`Namespace`]: its InstallPlans, Subscriptions and installed operators, and
//! all policies that apply or may apply to the namespace. The result is a [`Review`] of each
//! InstallPlan.
//!
//! ```text
//! InstallPlan                     may be approved if all of these may
//! +- bundle                       has a known package, and is
//! |  +- consented                 by the policy that manages its package, or
//! |  +- needed                    by a consented or installed bundle, if no policy manages it
//! +- step                         belongs to one of the bundles
//! ```
//!
//! The policy that manages a package decides about the bundles of this package. The crate makes no
//! guesses:
//!
//! - The crate does not derive a package from a bundle name.
//! - An invalid policy gives no consent.
//! - An object that was not read may exist or be missing.
//! - A policy with an unknown namespace may apply to this namespace.
//!
//! The crate supports the format of OLM v0 InstallPlans (OLM v0.46). It does no I/O, and uses
//! neither gRPC nor the format of OperatorPolicies.
//!
//! [`consent`] decides if the Policies that are bound to an Operator or an OperatorPolicy allow an
//! upgrade at a time.
//!
//! ```
//! use portolan_core_approval::{
//!     Allows, Bundle, BundleIdentity, Namespace, Plan, Standing, PolicyId, Says, Source, State, review,
//! };
//! use portolan_core_names::{Consent, PackageName, Version};
//!
//! let etcd = PackageName::parse("etcd")?;
//! let bundle = Bundle {
//!     name: "etcdoperator.v0.9.4".to_owned(),
//!     source: Source::Lookup,
//!     replaces: "etcdoperator.v0.9.2".to_owned(),
//!     catalog: String::new(),
//!     identity: Some(Ok(BundleIdentity {
//!         package: etcd.clone(),
//!         version: Some(Version::new(0, 9, 4)),
//!         provides: Default::default(),
//!         needs: Vec::new(),
//!     })),
//!     is_pending: false,
//! };
//! let plan = Plan {
//!     name: "install-a".to_owned(),
//!     generation: Some(2),
//!     phase: "RequiresApproval".to_owned(),
//!     bundles: vec![bundle],
//!     ..Plan::default()
//! };
//! let policy = Standing {
//!     id: PolicyId {
//!         namespace: "policies".to_owned(),
//!         name: "etcd".to_owned(),
//!         uid: None,
//!         generation: 1,
//!     },
//!     package: etcd,
//!     namespace: Some("storage".to_owned()),
//!     cluster: Default::default(),
//!     says: Says::Allows(Allows {
//!         consents: vec![Consent::parse("etcdoperator.v0.9.2")?],
//!         field: "spec.versions",
//!         catalog: None,
//!         updates: true,
//!         dependencies: true,
//!     }),
//! };
//! let namespace = Namespace {
//!     name: "storage".to_owned(),
//!     plans: vec![plan],
//!     policies: vec![policy],
//!     ..Namespace::default()
//! };
//!
//! let [review] = review(&namespace).try_into().expect("there must be a review of each plan");
//! assert_eq!((review.waits, review.verdict.state), (true, State::No));
//! assert_eq!(
//!     review.verdict.reasons[0].message,
//!     "Policy policies/etcd allows only etcdoperator.v0.9.2, but etcdoperator.v0.9.4 is version \
//!      0.9.4"
//! );
//! assert_eq!(
//!     review.bundles[0].fixes[0].message,
//!     "Add etcdoperator.v0.9.4 to spec.versions of policy policies/etcd"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod bundle;
pub mod consent;
mod facts;
mod identity;
mod judge;
mod namespace;
mod need;
mod objection;
mod plan;
mod policy;
mod progress;
mod reach;
mod review;
mod withhold;
mod words;

pub use judge::review;
pub use namespace::{Installed, Namespace, Restraint, Subscription};
pub use plan::{Bundle, BundleIdentity, Need, Plan, Source, Step};
pub use policy::{POLICY, withheld};
pub use portolan_api::{Allows, Overlap, PolicyId, Says, Standing, Withheld};
pub use portolan_core_olm::{ApprovalCode, State};
pub use review::{Allowance, BundleReview, Fix, InstalledBundle, Reason, Review, Verdict};

#[cfg(test)]
mod tests;
