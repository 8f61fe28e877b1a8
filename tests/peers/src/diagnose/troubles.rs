//! The problems that some operators of a dump have.

use portolan_kit::World;
use serde_json::{Value, json};

use super::dump::{CURRENT, well};

/// The problem of a namespace.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trouble {
    Crashes,
    ImageMissing,
    Unschedulable,
    GroupMissing,
    GroupsConflict,
    AwaitsApproval,
    DeadEnd,
    // OLM cannot resolve a namespace with one of the following problems.
    PackageMissing,
    ChannelMissing,
    DependencyMissing,
    /// Two Subscriptions name the same package.
    Clash,
    /// An operator is installed, but no Subscription names it as its installed operator.
    Orphan,
}

/// The problems. Problems with which OLM can resolve the namespace alternate with other problems.
const ALL: [Trouble; 12] = [
    Trouble::Crashes,
    Trouble::PackageMissing,
    Trouble::ImageMissing,
    Trouble::DependencyMissing,
    Trouble::GroupMissing,
    Trouble::Clash,
    Trouble::Unschedulable,
    Trouble::ChannelMissing,
    Trouble::AwaitsApproval,
    Trouble::Orphan,
    Trouble::GroupsConflict,
    Trouble::DeadEnd,
];

/// One namespace of this number has a problem.
const EVERY: usize = 3;

/// The catalog text of a bundle that requires a missing package.
pub(super) const NEEDY: &str = "needy: 1.0.0 requires absent >=1.0.0\n";

/// Returns the problem of a namespace. Returns None for most namespaces.
pub(super) fn of(namespace: usize) -> Option<Trouble> {
    let is_struck = namespace.is_multiple_of(EVERY);
    is_struck.then_some(ALL[namespace / EVERY % ALL.len()])
}

// === impl Trouble ===

impl Trouble {
    /// Returns the code of the cause that the diagnosis must contain.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Crashes => "CrashLooping",
            Self::ImageMissing => "ImagePullFailing",
            Self::Unschedulable => "Unschedulable",
            Self::GroupMissing => "OperatorGroupMissing",
            Self::GroupsConflict => "OperatorGroupsConflict",
            Self::AwaitsApproval => "PlanAwaitsApproval",
            Self::DeadEnd => "DeadEnd",
            Self::PackageMissing => "PackageMissing",
            Self::ChannelMissing => "ChannelMissing",
            Self::DependencyMissing => "DependencyMissing",
            Self::Clash => "DuplicateSubscription",
            Self::Orphan => "BlockedByOrphan",
        }
    }

    /// Returns the number of additional operators in the output that no Subscription names.
    pub(super) fn unknown(self) -> usize {
        usize::from(matches!(self, Self::Orphan))
    }

    /// Adds the OperatorGroups of the namespace.
    pub(super) fn groups(self, world: World) -> World {
        match self {
            Self::GroupMissing => world,
            Self::GroupsConflict => world.operator_group().operator_group_for("another", &[]),
            Self::Crashes
            | Self::ImageMissing
            | Self::Unschedulable
            | Self::AwaitsApproval
            | Self::DeadEnd
            | Self::PackageMissing
            | Self::ChannelMissing
            | Self::DependencyMissing
            | Self::Clash
            | Self::Orphan => world.operator_group(),
        }
    }

    /// Adds an operator of this package with the problem.
    pub(super) fn strike(self, world: World, package: &str) -> World {
        let current = format!("{package}.v{CURRENT}");
        let before = format!("{package}.v1.3.0");
        match self {
            Self::Crashes => stopped(world, package).crash_looping(3, 7),
            Self::ImageMissing => stopped(world, package).image_pull_failing("not found"),
            Self::Unschedulable => stopped(world, package).unschedulable("0/3 nodes are available"),
            Self::GroupMissing | Self::GroupsConflict => well(world, package, CURRENT),
            Self::AwaitsApproval => world
                .subscription(package, "stable")
                .pending(&before, &current, "install-next")
                .csv(&before, "Succeeded")
                .owning(&[])
                .running(&[package])
                .deployment(package, 1, 1)
                .plan("install-next", &[&current]),
            Self::DeadEnd => well(world, package, "0.9.0"),
            Self::PackageMissing => world.subscription("nobody-has-it", "stable"),
            Self::ChannelMissing => world.subscription(package, "nowhere"),
            Self::DependencyMissing => world.subscription("needy", "stable"),
            Self::Clash => well(world, package, CURRENT)
                .subscription(package, "stable")
                .edit(|subscription| subscription["metadata"]["name"] = json!("again")),
            Self::Orphan => world
                .csv(&current, "Succeeded")
                .owning(&[])
                .edit(|csv| csv["metadata"]["annotations"] = properties(package))
                .running(&[package])
                .deployment(package, 1, 1)
                .subscription(package, "stable"),
        }
    }

    /// Returns the type and the reason of the condition that OLM sets on all Subscriptions of the
    /// namespace. Returns None if OLM sets no condition.
    pub(super) fn said(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::PackageMissing
            | Self::ChannelMissing
            | Self::DependencyMissing
            | Self::Clash
            | Self::Orphan => Some(("ResolutionFailed", "ConstraintsNotSatisfiable")),
            Self::Crashes
            | Self::ImageMissing
            | Self::Unschedulable
            | Self::GroupMissing
            | Self::GroupsConflict
            | Self::AwaitsApproval
            | Self::DeadEnd => None,
        }
    }
}

/// Returns the properties with the package that OLM writes into an annotation of the operator.
fn properties(package: &str) -> Value {
    let value = json!({"packageName": package, "version": CURRENT});
    let all = json!({"properties": [{"type": "olm.package", "value": value}]});
    json!({"operatorframework.io/properties": all.to_string()})
}

/// Adds an operator with a Deployment whose Pod does not run.
fn stopped(world: World, package: &str) -> World {
    let csv = format!("{package}.v{CURRENT}");
    let set = format!("{package}-6f");
    world
        .subscription(package, "stable")
        .installed(&csv)
        .csv(&csv, "Failed")
        .because("ComponentUnhealthy", "the Deployment is not ready")
        .owning(&[])
        .running(&[package])
        .deployment(package, 0, 1)
        .deadline_exceeded()
        .replica_set(&set, 1, 1)
        .pod(&format!("{set}-x"))
}
