//! Converts InstallPlans.

use portolan_core_approval::{Bundle, BundleIdentity, Plan, Source, Step};
use portolan_core_names::PackageName;
use portolan_core_olm::{
    Approval, BundleLookup, GROUP, InstallPlan, PlannedBundle, Stated, StepManifest, StepResource,
};

pub(crate) fn plan(plan: &InstallPlan) -> Plan {
    let portolan_core_olm::ObjectIdentity {
        namespace: _,
        name,
        uid,
        resource_version,
    } = plan.identity();
    let (spec, status) = (&plan.spec, &plan.status);
    let looked_up = status.bundle_lookups.iter().map(lookup);
    let planned = status.steps.iter().map(|step| &step.resource);
    let planned = planned.filter(|resource| {
        resource.kind == portolan_core_olm::ClusterServiceVersion::KIND && resource.group == GROUP
    });
    Plan {
        name,
        uid,
        resource_version,
        generation: spec.generation,
        phase: status.phase.to_string(),
        is_approved: spec.approved,
        is_manual: spec.approval == Approval::Manual,
        csvs: spec.csvs.clone(),
        bundles: looked_up.chain(planned.map(bundle)).collect(),
        steps: status.steps.iter().map(step).collect(),
    }
}

fn lookup(lookup: &BundleLookup) -> Bundle {
    let catalog = lookup.catalog_source_ref.as_ref();
    Bundle {
        name: lookup.identifier.clone(),
        source: Source::Lookup,
        replaces: lookup.replaces.clone(),
        catalog: catalog
            .map(|catalog| qualified(&catalog.namespace, &catalog.name))
            .unwrap_or_default(),
        identity: stated(&lookup.properties),
        is_pending: lookup.is_pending(),
    }
}

/// Returns the bundle of a step that creates a ClusterServiceVersion.
fn bundle(resource: &StepResource) -> Bundle {
    let none = PlannedBundle::default();
    let (planned, unreadable) = match &resource.manifest {
        StepManifest::Bundle(planned) => (&**planned, None),
        StepManifest::Unreadable(why) => (&none, Some(why)),
        StepManifest::Unread | StepManifest::Subscription(_) => (&none, None),
    };
    let unreadable = unreadable.map(|why| Err(format!("its manifest cannot be read: {why}")));
    Bundle {
        name: resource.name.clone(),
        source: Source::Step,
        replaces: planned.replaces.clone(),
        catalog: qualified(&resource.source_namespace, &resource.source_name),
        identity: unreadable.or_else(|| stated(&planned.properties)),
        is_pending: false,
    }
}

fn stated(stated: &Stated) -> Option<Result<BundleIdentity, String>> {
    match stated.as_ref()? {
        Ok(properties) => BundleIdentity::of(properties),
        Err(fault) => Some(Err(format!("its properties cannot be read: {fault}"))),
    }
}

fn step(step: &portolan_core_olm::Step) -> Step {
    let portolan_core_olm::Step {
        resolving,
        status: _,
        resource,
    } = step;
    let package = match &resource.manifest {
        StepManifest::Subscription(spec) if resource.group == GROUP => {
            PackageName::parse(&spec.package).ok()
        }
        StepManifest::Subscription(_)
        | StepManifest::Bundle(_)
        | StepManifest::Unread
        | StepManifest::Unreadable(_) => None,
    };
    Step {
        bundle: resolving.clone(),
        kind: resource.kind.clone(),
        name: resource.name.clone(),
        package,
    }
}

fn qualified(namespace: &str, name: &str) -> String {
    match name {
        "" => String::new(),
        name => format!("{namespace}/{name}"),
    }
}

#[cfg(test)]
mod tests;
