//! The stages of a removal. Each stage deletes the objects of one kind.

use portolan_api::{ConditionType, Reason, Removal, Removing};

use crate::kinds::{ApiKind, CRD, CSV, INSTALL_PLAN, OPERATOR_GROUP, SUBSCRIPTION};

/// A stage of a removal. It deletes the objects of one kind, after the objects of the previous
/// stages are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Deleted first, so that OLM does not reinstall the operator.
    Subscriptions,
    /// Deleted while the operator still runs, so that it can clean up its custom resources.
    Crds,
    Csvs,
    /// Deleted when no operator in the namespace needs the OperatorGroup any more.
    Groups,
    Plans,
}

/// The condition reasons of a stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct StageReasons {
    pub(super) absent: Reason,
    pub(super) present: Reason,
    pub(super) kept: Reason,
    pub(super) deleted: Reason,
    pub(super) deleting: Reason,
    pub(super) withheld: Reason,
}

// === impl Stage ===

impl Stage {
    pub(super) const ALL: &[Self] = &[
        Self::Subscriptions,
        Self::Crds,
        Self::Csvs,
        Self::Groups,
        Self::Plans,
    ];

    /// Returns the stage that deletes objects of this kind. Returns None if no stage deletes them.
    pub(super) fn of(api_version: &str, kind: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|stage| stage.kind() == (api_version, kind))
    }

    pub(super) fn kind(self) -> ApiKind {
        match self {
            Self::Subscriptions => SUBSCRIPTION,
            Self::Crds => CRD,
            Self::Csvs => CSV,
            Self::Groups => OPERATOR_GROUP,
            Self::Plans => INSTALL_PLAN,
        }
    }

    /// Returns the phase in the status while this stage deletes objects.
    pub(super) fn phase(self) -> &'static str {
        match self {
            Self::Subscriptions => "Subscriptions",
            Self::Crds => "CustomResourceDefinitions",
            Self::Csvs => "ClusterServiceVersions",
            Self::Groups => "OperatorGroups",
            Self::Plans => "InstallPlans",
        }
    }

    pub(super) fn condition(self) -> ConditionType {
        match self {
            Self::Subscriptions => ConditionType::SubscriptionCompliant,
            Self::Crds => ConditionType::CustomResourceDefinitionCompliant,
            Self::Csvs => ConditionType::ClusterServiceVersionCompliant,
            Self::Groups => ConditionType::OperatorGroupCompliant,
            Self::Plans => ConditionType::InstallPlanCompliant,
        }
    }

    /// Returns what the policy sets for the removal of this kind.
    pub(super) fn removing(self, removal: &Removal) -> Removing {
        match self {
            Self::Subscriptions => removal.subscriptions,
            Self::Crds => removal.custom_resource_definitions,
            Self::Csvs => removal.cluster_service_versions,
            Self::Groups => removal.operator_groups,
            Self::Plans => removal.install_plans,
        }
    }

    /// Returns the policy field that configures the stage.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Subscriptions => "spec.removalBehavior.subscriptions",
            Self::Crds => "spec.removalBehavior.customResourceDefinitions",
            Self::Csvs => "spec.removalBehavior.clusterServiceVersions",
            Self::Groups => "spec.removalBehavior.operatorGroups",
            Self::Plans => "spec.removalBehavior.installPlans",
        }
    }

    pub(super) fn reasons(self) -> StageReasons {
        match self {
            Self::Subscriptions => StageReasons {
                absent: Reason::SubscriptionNotPresent,
                present: Reason::SubscriptionPresent,
                kept: Reason::SubscriptionKept,
                deleted: Reason::SubscriptionDeleted,
                deleting: Reason::SubscriptionDeleting,
                withheld: Reason::Withheld,
            },
            Self::Crds => StageReasons {
                absent: Reason::RelevantCRDNotFound,
                present: Reason::CustomResourceDefinitionPresent,
                kept: Reason::CustomResourceDefinitionKept,
                deleted: Reason::CustomResourceDefinitionDeleted,
                deleting: Reason::CustomResourceDefinitionDeleting,
                withheld: Reason::Withheld,
            },
            Self::Csvs => StageReasons {
                absent: Reason::ClusterServiceVersionNotPresent,
                present: Reason::ClusterServiceVersionPresent,
                kept: Reason::ClusterServiceVersionKept,
                deleted: Reason::ClusterServiceVersionDeleted,
                deleting: Reason::ClusterServiceVersionDeleting,
                withheld: Reason::Withheld,
            },
            Self::Groups => StageReasons {
                absent: Reason::OperatorGroupNotPresent,
                present: Reason::OperatorGroupPresent,
                kept: Reason::OperatorGroupKept,
                deleted: Reason::OperatorGroupDeleted,
                deleting: Reason::OperatorGroupDeleting,
                withheld: Reason::Withheld,
            },
            Self::Plans => StageReasons {
                absent: Reason::NoInstallPlansFound,
                ..StageReasons::all(Reason::InstallPlanNotApplicable)
            },
        }
    }
}

// === impl StageReasons ===

impl StageReasons {
    /// Returns reasons in which every outcome has the same reason.
    fn all(reason: Reason) -> Self {
        Self {
            absent: reason,
            present: reason,
            kept: reason,
            deleted: reason,
            deleting: reason,
            withheld: reason,
        }
    }
}
