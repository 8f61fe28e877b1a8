//! Predicts if an object of a plan is deleted or kept, and why it is kept.

use std::fmt;

use portolan_api::plan::{Disposition, Lifecycle};
use portolan_core_names::GroupKind;

use crate::manifest::Member;

/// The prediction for an object of a plan: deleted or kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Deleted,
    Kept(KeepReason),
}

/// The reason why an object is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeepReason {
    /// The object existed before the plan.
    Found,
    /// Objects of this kind contain data of other users, so they are kept by default.
    Precious(GroupKind),
    /// The resource in the plan sets this lifecycle field to `Keep`.
    OfResource(&'static str),
    /// The plan's `lifecycle.onPlanDeletion` is `Keep`, or is not set.
    OfPlan,
    /// The plan with this name contains the object too, or takes it back.
    OfPlanNamed(String),
}

impl Fate {
    /// Returns the prediction for a member if its plan is deleted. `plan` is the `onPlanDeletion`
    /// of this plan.
    pub fn with_plan(member: &Member, plan: Disposition) -> Self {
        let Lifecycle {
            on_plan_deletion, ..
        } = member.lifecycle;
        if member.is_deleted_with(plan) {
            return Self::Deleted;
        }
        Self::Kept(match on_plan_deletion {
            Some(Disposition::Keep) => KeepReason::OfResource("lifecycle.onPlanDeletion"),
            None if plan == Disposition::Keep => KeepReason::OfPlan,
            Some(Disposition::Delete) | None => KeepReason::Precious(member.identity.kind.clone()),
        })
    }

    /// Returns the prediction for a member if a new plan without this member replaces its plan.
    pub fn when_lacking(member: &Member) -> Self {
        if member.is_deleted_when_lacking() {
            return Self::Deleted;
        }
        Self::Kept(match member.lifecycle.on_removal {
            Some(_) => KeepReason::OfResource("lifecycle.onRemoval"),
            None => KeepReason::Precious(member.identity.kind.clone()),
        })
    }

    /// Changes the prediction to `Kept` if the member existed before the plan.
    pub(crate) fn unless_found(self, was_found: Option<bool>) -> Self {
        match self {
            Self::Deleted if was_found == Some(true) => Self::Kept(KeepReason::Found),
            Self::Deleted | Self::Kept(_) => self,
        }
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deleted => f.write_str("is deleted"),
            Self::Kept(kept) => write!(f, "stays: {kept}"),
        }
    }
}

impl fmt::Display for KeepReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found => f.write_str("the object existed before the plan"),
            Self::Precious(GroupKind { kind, .. }) => write!(
                f,
                "a {kind} is deleted only if its resource has lifecycle.onRemoval: Delete"
            ),
            Self::OfResource(field) => write!(f, "its resource has {field}: Keep"),
            Self::OfPlan => f.write_str("lifecycle.onPlanDeletion of the plan is not Delete"),
            Self::OfPlanNamed(plan) => write!(f, "{plan} also has the object"),
        }
    }
}
