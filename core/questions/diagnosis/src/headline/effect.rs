//! Describes other effects of a problem than the version that is not installed.

use portolan_core_health::Csv;

use crate::case::Case;
use crate::catalog::catalog_of;
use crate::code::Matter;
use crate::{Cause, Code, State, meanwhile, plan, unpack};

/// Returns the effects as sentences. Empty if no effects are known.
pub(super) fn of(case: Case<'_>, root: &Cause) -> String {
    if root.code == Code::UnpackFailing {
        return unpack::effect(case);
    }
    let of_catalog = [
        Code::CatalogUnreachable,
        Code::CatalogNotAnswering,
        Code::BlockedByCatalog,
    ];
    if of_catalog.contains(&root.code) {
        return of_catalog_away(case, root);
    }
    if root.code.matter() == Matter::Workload && root.state == State::Stuck {
        let sentences = [of_partial(case), of_neighbors(case)];
        return sentences.join(" ").trim().to_owned();
    }
    let csv = case.newest().filter(|_| root.state == State::Broken);
    csv.map_or_else(String::new, |csv| of_stopped(case, csv, root))
}

/// Returns a sentence about an effect that is worse than a blocked version: custom resources that
/// cannot be read. Empty if there is no such effect.
pub(super) fn worst(case: Case<'_>, root: &Cause) -> String {
    let unreadable = plan::conversion::unreadable(case);
    let is_root = [Code::OlmNotRunning, Code::PlanFailed].contains(&root.code);
    unreadable
        .filter(|_| is_root)
        .map_or_else(String::new, |it| it.effect())
}

/// Returns sentences about the Deployments of the newest version that have fewer Pods than
/// requested.
fn of_partial(case: Case<'_>) -> String {
    let csv = case.newest().filter(|_| case.standing().is_none());
    let own = csv.into_iter().flat_map(|csv| case.deployments(csv));
    let partial = own.filter(|one| one.status.available_replicas < one.replicas());
    let partial = partial.map(|one| {
        format!(
            "Only {} of {} Pods of {} are available.",
            one.status.available_replicas,
            one.replicas(),
            one.observed.object
        )
    });
    partial.collect::<Vec<_>>().join(" ")
}

/// Returns a sentence about the other operators of the namespace that OLM does not upgrade
/// meanwhile. Empty if OLM can upgrade them.
fn of_neighbors(case: Case<'_>) -> String {
    if !meanwhile::blocks_namespace(case) {
        return String::new();
    }
    let namespace = &case.situation().namespace.name;
    format!("Meanwhile, OLM upgrades no other operator of namespace {namespace}.")
}

/// Returns sentences about the namespaces that a catalog blocks if it does not answer. It blocks
/// every namespace in which it is visible, because OLM queries all visible catalogs.
fn of_catalog_away(case: Case<'_>, root: &Cause) -> String {
    let namespace = &root.at_fault.namespace;
    let catalog = catalog_of(case, root).map(|it| it.object());
    let catalog = catalog.map_or_else(|| "the catalog".to_owned(), |it| it.to_string());
    let place = if *namespace == case.situation().global_namespace {
        "in namespaces that use global catalogs (the default)".to_owned()
    } else {
        format!("in namespace {namespace}, or in a namespace that uses this catalog")
    };
    format!(
        "OLM cannot use {catalog} now. Meanwhile, OLM installs and upgrades nothing {place}. Installed operators keep \
         running."
    )
}

/// Returns sentences about custom resources whose operator does not run. Empty if the operator
/// runs.
fn of_stopped(case: Case<'_>, csv: &Csv, root: &Cause) -> String {
    let owned: Vec<_> = csv.definitions_owned().collect();
    if owned.is_empty() || !is_stopped(case, csv, root) {
        return String::new();
    }
    let crds = case.situation().namespace.crds.objects.iter();
    let mut own = crds.filter(|crd| owned.iter().any(|it| *it == crd.observed.object.name));
    if own.any(|crd| crd.is_deleting()) {
        "The custom resources of the operator are being deleted, but no running operator processes \
         their finalizers."
            .to_owned()
    } else if root.code == Code::CrdMissing {
        String::new()
    } else {
        "Meanwhile, its custom resources remain, but changes to them have no effect, and failures \
         are not repaired. It is unknown if the workloads that it has created before still run."
            .to_owned()
    }
}

/// Returns true if no Deployment of the operator has an available Pod. Always true if an
/// OperatorGroup claims the APIs of the operator, because OLM then deletes its Deployments.
fn is_stopped(case: Case<'_>, csv: &Csv, root: &Cause) -> bool {
    if root.code == Code::ApiClaimedByGroup {
        return true;
    }
    let wanted = csv.deployments().iter();
    let own = wanted.map(|wanted| case.situation().deployment(&wanted.name));
    let mut available = own.map(|it| it.map_or(0, |it| it.status.available_replicas));
    let is_olm = root.code == Code::OlmNotRunning;
    let is_down = root.code.matter() == Matter::Workload || is_olm;
    is_down && available.all(|count| count <= 0)
}
