//! Predicts the decisions of OLM v0 for a namespace ([`forecast`]), and of OLM v1 for a
//! ClusterExtension ([`forecast_extension`]). Each forecast contains reasons.
//!
//! OLM v0 resolves a namespace as a whole. In each pass, OLM updates each operator by at most one
//! step. OLM starts the next pass after it has installed these updates:
//!
//! ```text
//! Namespace, Sources -> entries -> formula -> solve --> Pass: what is installed now
//!                          ^                        \-> End: settled, failed, silent, waiting
//!                          \--- as if all had succeeded ---/
//! ```
//!
//! [`forecast`] simulates these passes with the objects of a cluster dump. If OLM fails, the
//! [`Unresolvable`] contains OLM's error text, and each [`Blame`] contains an object that blocks
//! the namespace. If OLM stops without a message, the [`End`] contains the reason.
//!
//! Some decisions of OLM depend on the order of a Go map, which is random. The forecast then always
//! returns the same one of the possible decisions. This happens in three cases: several sets of
//! reasons exist, two Subscriptions have conflicting preferences, or a Subscription specifies no
//! channel and several channels contain the bundle.
//!
//! This crate predicts the actions of OLM. In contrast, the crate `solver` finds the best set of
//! operators. This crate does no I/O.
//!
//! ```
//! use portolan_core_catalog::{Catalog, Reading};
//! use portolan_core_forecast::{End, Namespace, OperatorGroup, Source, Subscription, forecast};
//!
//! let ferry = Catalog::of([Reading::of("ferry.json", br#"
//!     {"schema": "olm.package", "name": "ferry", "defaultChannel": "stable"}
//!     {"schema": "olm.channel", "package": "ferry", "name": "stable",
//!      "entries": [{"name": "ferry.v1.0.0"}]}
//!     {"schema": "olm.bundle", "package": "ferry", "name": "ferry.v1.0.0", "image": "x.test/a:1",
//!      "properties": [
//!        {"type": "olm.package", "value": {"packageName": "ferry", "version": "1.0.0"}}]}
//! "#)]);
//! let sources = [Source { name: "olm/ships".parse()?, priority: 0, content: Ok(&ferry) }];
//! let mut namespace = Namespace {
//!     name: "harbor".to_owned(),
//!     operator_groups: vec![OperatorGroup::default()],
//!     subscriptions: vec![Subscription::new("ferry", "ferry".parse()?, "olm/ships".parse()?)],
//!     csvs: Vec::new(),
//!     copied: Default::default(),
//! };
//! let forecast_of = |namespace: &Namespace| forecast(namespace, &sources, "olm");
//! let ahead = forecast_of(&namespace);
//! assert_eq!(ahead.passes[0].installs[0].bundle.as_str(), "ferry.v1.0.0");
//! assert!(matches!(ahead.end, End::Settled(_)));
//!
//! namespace.subscriptions[0].channel = Some("fast".parse()?);
//! let End::Failed(failure) = forecast_of(&namespace).end else { panic!("it must fail") };
//! assert_eq!(
//!     failure.refusal.to_string(),
//!     "constraints not satisfiable: no operators found in channel fast of package ferry in the \
//!      catalog referenced by subscription ferry, subscription ferry exists",
//! );
//! assert_eq!(failure.blames[0].why, "Package ferry has no channel fast in the catalog of the Subscription.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod chain;
mod csv;
mod entries;
mod extension;
mod failure;
mod forecast;
mod formula;
mod namespace;
mod objects;
mod simulation;
mod solve;
mod state;
mod stay;
#[cfg(test)]
mod tests;
mod words;

pub use csv::{Csv, Traits, Unreadable};
pub use extension::{
    AllowedVersions, CatalogRole, CatalogUse, Change, Exclusion, ExtensionBlock, ExtensionCatalog,
    ExtensionForecast, ExtensionState, ExtensionStep, FieldPath, FieldUse, InvalidVersions,
    NewerBundle, Transition, TransitionNote, TransitionObstacle, WatchFault, forecast_extension,
    transition,
};
pub use failure::{
    Blame, BundleId, Culprit, Failure, Hindrance, Missing, Origin, Reason, Shape, Unresolvable,
};
pub use forecast::{Cause, End, Forecast, Install, Pass, Purpose, Silence, Stay};
pub use namespace::{Namespace, OperatorGroup, Source, Subscription};
pub use portolan_core_olm::{Approval, CsvPhase as Phase};
pub use simulation::forecast;
