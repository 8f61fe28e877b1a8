//! Reads facts from the metadata and the status of a plan.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::plan::{
    FINALIZER, InstallPlan, LINEAGE, MOST_MEMBERS, MemberState, Phase, Status,
};
use portolan_core_install::{GroupKind, ObjectRead, ObjectRef, Plan, Succession};

/// Returns the resource version of a plan as a number, which increases with each write.
pub(super) fn version_of(plan: &InstallPlan) -> Option<u64> {
    plan.metadata.resource_version.as_deref()?.parse().ok()
}

pub(crate) fn identity(plan: &InstallPlan, succession: &Succession) -> Plan {
    let metadata = &plan.metadata;
    let mut finalizers = metadata.finalizers.iter().flatten();
    Plan {
        identity: ObjectRef {
            kind: GroupKind::new(portolan_api::plan::GROUP, "InstallPlan"),
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone().unwrap_or_default(),
        },
        uid: metadata.uid.clone().unwrap_or_default(),
        generation: metadata.generation.unwrap_or_default(),
        lineage: succession.lineage.clone(),
        merged: succession.merged.clone(),
        terminating_since: metadata.deletion_timestamp.as_ref().map(|Time(at)| *at),
        has_finalizer: finalizers.any(|finalizer| finalizer == FINALIZER),
        is_abandoned: plan.is_abandoned(),
        retry: plan.retry().map(str::to_owned),
    }
}

/// Returns true if the plan has no work to do until something changes.
pub(super) fn is_at_rest(status: &Status) -> bool {
    match status.phase {
        Some(
            Phase::Ready | Phase::Applied | Phase::Suspended | Phase::Superseded | Phase::Failed,
        ) => true,
        Some(
            Phase::Invalid | Phase::Pending | Phase::Applying | Phase::Terminating | Phase::Unknown,
        )
        | None => false,
    }
}

/// Returns the members that may lack the label that the watch selects, because other owners may
/// have changed them. Returns None if every member may lack the label.
pub(super) fn unwatched(status: &Status) -> Option<BTreeSet<String>> {
    let members = &status.members;
    if members.len() >= MOST_MEMBERS {
        return None;
    }
    let unwatched = members.iter().filter(|member| match member.state {
        MemberState::Refused
        | MemberState::NotApplied
        | MemberState::Missing
        | MemberState::Held
        | MemberState::Terminating
        | MemberState::Remaining
        | MemberState::Unknown => true,
        MemberState::Failed
        | MemberState::NotReady
        | MemberState::Drifted
        | MemberState::Contested => false,
    });
    Some(unwatched.map(|member| member.object.clone()).collect())
}

/// Returns true if an object no longer has the label that the watch selects.
pub(super) fn is_stray(object_read: &ObjectRead) -> bool {
    let ObjectRead::Present(object) = object_read else {
        return false;
    };
    let labels = object.pointer("/metadata/labels");
    labels
        .and_then(|labels| labels.get(LINEAGE.name()))
        .is_none()
}
