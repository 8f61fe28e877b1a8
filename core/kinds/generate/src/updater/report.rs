//! The report of the updater about an Operator.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use portolan_api::operator::UPDATES;
use portolan_api::status::{ConditionTypes, Reconcile, UndatedCondition};
use portolan_core_names::codes;

use crate::updater::operator::SeenOperator;

codes! {
    /// The reason in the updater's condition.
    pub enum Reason;

    /// The Operator has the newest version that its rule allows.
    UpToDate,
    /// The updater has written another version, and the upgrade of the Operator is in progress.
    Updating,
    /// A version is available, but in a dry run the updater writes nothing.
    DryRun,
    /// A version is available, but an earlier Operator must be ready first.
    WaitsForTurn,
    /// The Operator is not ready in its current version.
    NotReady,
    /// The requested version has failed, and no newer version is available.
    UpdateFailed,
    /// Another field manager owns `spec.version`.
    VersionManagedElsewhere,
    /// A version requires an Operator that does not exist or that the configuration does not name.
    NeedsOthers,
    /// No version is available. The message comes from the resolver.
    Refused,
    /// A catalog is broken. Updates wait until it is repaired.
    CatalogBroken,
    /// The resolver does not answer.
    ResolverUnavailable,
    /// The configuration of the updater cannot be read.
    ConfigurationInvalid,
}

/// The type of the only condition that the updater writes. Other controllers write the other
/// conditions of the Operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct AutomaticUpdates;

/// The report about one Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorReport {
    pub reason: Reason,
    pub message: String,
}

// === impl Reason ===

impl Reason {
    /// Returns true if the Operator has the version that its rule requires, or is being updated to
    /// it.
    pub fn is_fine(self) -> bool {
        match self {
            Self::UpToDate | Self::Updating => true,
            Self::DryRun
            | Self::WaitsForTurn
            | Self::NotReady
            | Self::UpdateFailed
            | Self::VersionManagedElsewhere
            | Self::NeedsOthers
            | Self::Refused
            | Self::CatalogBroken
            | Self::ResolverUnavailable
            | Self::ConfigurationInvalid => false,
        }
    }

    /// Returns true if a user must act before updates continue.
    pub fn is_warning(self) -> bool {
        match self {
            Self::UpToDate
            | Self::Updating
            | Self::DryRun
            | Self::WaitsForTurn
            | Self::NotReady => false,
            Self::UpdateFailed
            | Self::VersionManagedElsewhere
            | Self::NeedsOthers
            | Self::Refused
            | Self::CatalogBroken
            | Self::ResolverUnavailable
            | Self::ConfigurationInvalid => true,
        }
    }
}

// === impl AutomaticUpdates ===

impl ConditionTypes for AutomaticUpdates {
    type Reason = Reason;

    const ALL: &'static [Self] = &[Self];

    fn as_str(self) -> &'static str {
        UPDATES
    }
}

/// Returns the condition that contains this report.
pub fn condition(
    said: &OperatorReport,
    of: &SeenOperator,
    generation: Option<i64>,
    now: Timestamp,
) -> Condition {
    let set = if said.reason.is_fine() {
        UndatedCondition::yes
    } else {
        UndatedCondition::no
    };
    let reconcile = Reconcile {
        before: of.condition.as_slice(),
        generation,
        now: Time(now),
    };
    reconcile.dated(AutomaticUpdates, set(said.reason, &said.message))
}
