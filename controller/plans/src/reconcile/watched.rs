//! Determines which members of a plan must be watched.

use std::collections::BTreeMap;

use kube::core::{ApiResource, GroupVersionKind};
use portolan_core_install::{Discovery, GroupKind, Members, ObjectRef, Observation};
use portolan_runtime::{ResourceRef, User};
use portolan_world::Gvk;

use super::Plan;
use crate::cache::{PlanReport, Watched};
use crate::write::object_ref;

/// Returns the served resources of the members. Jobs are always included.
fn resources(members: &Members, discovery: &Discovery) -> BTreeMap<GroupKind, ApiResource> {
    let resources = members.iter().filter_map(|member| {
        let at = object_ref(discovery, &member.identity, Some(&member.version))?;
        Some((member.identity.kind.clone(), at))
    });
    let jobs = (!members.jobs().is_empty()).then(|| {
        let kind = GroupKind::job();
        let any = ObjectRef {
            kind: kind.clone(),
            ..ObjectRef::default()
        };
        Some((kind, object_ref(discovery, &any, Some("v1"))?))
    });
    let all = resources.chain(jobs.flatten());
    all.filter_map(|(kind, at)| Some((kind, resource(&at)?)))
        .collect()
}

fn resource(at: &ResourceRef) -> Option<ApiResource> {
    let Gvk {
        group,
        version,
        kind,
    } = &at.object.kind;
    let kind = GroupVersionKind::gvk(group, version, kind);
    Some(ApiResource::from_gvk_with_plural(
        &kind,
        at.plural.as_deref()?,
    ))
}

impl Plan<'_> {
    /// Returns the members to watch. As soon as the first member may exist, all members are
    /// watched.
    pub(super) fn report(&self) -> PlanReport {
        let Observation {
            status,
            discovery,
            plan,
            ..
        } = &self.memory.observed;
        let (Some(_), Some(discovery)) = (&status.record, discovery) else {
            return PlanReport(None);
        };
        let members = self.memory.members();
        PlanReport(members.map(|members| {
            Watched {
                user: User::service_account(self.namespace(), self.account()),
                kinds: resources(&members, discovery),
                members: members
                    .iter()
                    .map(|member| member.identity.clone())
                    .chain(status.jobs.iter().map(|job| plan.job(&job.job)))
                    .collect(),
            }
        }))
    }
}
