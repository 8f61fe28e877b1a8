//! ClusterExtensions.

use portolan_core_olm::messages::ExtensionProblem;
use portolan_core_olm::{Availability, ClusterCatalog, ClusterExtension, Condition};

use super::{
    BLOCKED, Impact, OwnKind, PROGRESSING, RETRYING, catalog_object, extension_object, impact,
    is_serving, not_observed, of_status, outdated, shown,
};
use crate::cure::Cure;
use crate::{Cause, Code, Diagnosis, Object, State, Subject, words};

/// The reason of Progressing when the desired state is reached.
const SUCCEEDED: &str = "Succeeded";
/// The person who can change a ClusterExtension.
const OWNER: &str = "the owner of the ClusterExtension";
/// The condition type that is True if a bundle is installed.
const INSTALLED: &str = "Installed";

/// Diagnoses a ClusterExtension by its conditions and by the ClusterCatalogs that it may use.
///
/// # Guarantees
///
/// OLM v1 does not report the state of workloads. Therefore an installed bundle counts as working.
pub fn diagnose_extension(extension: &ClusterExtension, catalogs: &[&ClusterCatalog]) -> Diagnosis {
    let object = extension_object(extension);
    let install = extension.status.install.as_ref();
    let bundle = install.map(|it| it.bundle.name.clone()).unwrap_or_default();
    let conditions = &extension.status.conditions;
    let cause = if conditions.is_empty() {
        let who = OwnKind::ClusterExtension.unwritten_cure();
        Some(not_observed(&object, who))
    } else {
        cause(extension, &object, &bundle, catalogs)
    };
    let impact = Impact {
        running: Some(bundle.clone()).filter(|bundle| !bundle.is_empty()),
        ..impact(&object, conditions)
    };
    let subject = Subject {
        object,
        package: extension.spec.source.catalog.package_name.clone(),
        csv: bundle,
    };
    let unknown = outdated(extension.metadata.generation, conditions);
    of_status(subject, Vec::from_iter(cause), unknown, (impact, &[]))
}

fn cause(
    extension: &ClusterExtension,
    object: &Object,
    bundle: &str,
    catalogs: &[&ClusterCatalog],
) -> Option<Cause> {
    let conditions = &extension.status.conditions;
    if extension.metadata.deletion_timestamp.is_some() {
        let message = "The ClusterExtension is being deleted.";
        return Some(Cause::new(
            Code::InProgress,
            State::Working,
            object.clone(),
            message,
        ));
    }
    let installed = Condition::about(conditions, INSTALLED);
    let Some(progress) = Condition::about(conditions, PROGRESSING) else {
        let said = installed.filter(|said| !said.is_true())?;
        let message = format!("Nothing is installed: {}", words::sentence(said.words()));
        return Some(Cause::new(
            Code::NotObserved,
            State::Working,
            object.clone(),
            &message,
        ));
    };
    if ![RETRYING, BLOCKED].contains(&&*progress.reason) && !progress.is_false() {
        let is_done = progress.reason == SUCCEEDED && installed.is_none_or(Condition::is_true);
        let message = format!(
            "OLM v1 is working on the ClusterExtension: \
                               {}",
            words::sentence(progress.words())
        );
        let cause = || Cause::new(Code::InProgress, State::Working, object.clone(), &message);
        return (!is_done).then(cause);
    }
    let impact = match bundle {
        "" => "OLM v1 installs nothing".to_owned(),
        bundle => format!("OLM v1 does not upgrade {bundle}"),
    };
    let problem = ExtensionProblem::of(&progress.message);
    let unserved = unserved(extension, catalogs).filter(|_| is_of_catalog(problem));
    let (code, meaning, who, action) = meaning(problem);
    let retries = match (progress.reason.as_str(), &unserved) {
        (BLOCKED, _) => "OLM v1 does not retry until the ClusterExtension changes.",
        (_, Some(_)) => "OLM v1 continues by itself once it serves the catalog again.",
        _ => "OLM v1 retries by itself, but fails until the problem is fixed.",
    };
    let at_fault = unserved.map_or_else(|| object.clone(), catalog_object);
    let said = words::sentence(progress.words());
    let sentences = [&format!("{impact}: {said}"), meaning, retries];
    let message = sentences.into_iter().filter(|it| !it.is_empty());
    let message = message.collect::<Vec<_>>().join(" ");
    let cause =
        Cause::new(code, State::Stuck, at_fault, &message).cured(Cure::external(who, action));
    Some(shown(cause, object, progress, OwnKind::ClusterExtension))
}

/// Returns the first catalog that the extension may use and that is enabled but not served. OLM v1
/// then resolves nothing.
fn unserved<'c>(
    extension: &ClusterExtension,
    catalogs: &[&'c ClusterCatalog],
) -> Option<&'c ClusterCatalog> {
    let package = &extension.spec.source.catalog;
    let mut used = catalogs
        .iter()
        .copied()
        .filter(|it| package.may_be_from(it));
    used.find(|it| it.spec.availability != Availability::Unavailable && !is_serving(it))
}

fn is_of_catalog(problem: ExtensionProblem) -> bool {
    [
        ExtensionProblem::CatalogNotServed,
        ExtensionProblem::BundleMissing,
    ]
    .contains(&problem)
}

/// Returns the code of a problem, its explanation, the person who must act, and the action.
fn meaning(problem: ExtensionProblem) -> (Code, &'static str, &'static str, &'static str) {
    match problem {
        ExtensionProblem::CatalogNotServed => (
            Code::CatalogNotServed,
            "OLM v1 does not resolve a ClusterExtension while one of its selected catalogs is not \
             served.",
            "the owner of the ClusterCatalog",
            "Repair the ClusterCatalog, or set its spec.availabilityMode to Unavailable. \
             Alternatively, select other catalogs in spec.source.catalog.selector of the \
             ClusterExtension.",
        ),
        ExtensionProblem::BundleMissing => (
            Code::PackageMissing,
            "No selected catalog has the package in an allowed version and an allowed channel.",
            OWNER,
            "Correct spec.source.catalog. `portolan packages` lists the available packages.",
        ),
        ExtensionProblem::DependencyUnsupported => (
            Code::DependencyMissing,
            "OLM v1 does not install bundles that declare dependencies.",
            OWNER,
            "Install this package with OLM v0 or with an Operator of operators.operatorframework.io.",
        ),
        ExtensionProblem::BundleUnsupported => (
            Code::InstallModeUnsupported,
            "OLM v1 does not support this bundle.",
            OWNER,
            "Choose another version, or install this package with OLM v0 or with an Operator of \
             operators.operatorframework.io.",
        ),
        ExtensionProblem::CrdUpgradeUnsafe => (
            Code::CrdUpgradeUnsafe,
            "Custom resources that use the removed or changed fields could lose data.",
            "the publisher of the bundle",
            "Keep the fields in the CRD. If no custom resource uses these fields, the owner of the \
             ClusterExtension can set spec.install.preflight.crdUpgradeSafety.enforcement to None \
             instead.",
        ),
        ExtensionProblem::ObjectNotOwned => (
            Code::ObjectNotOwned,
            "An object of the bundle already belongs to another installation.",
            "the administrator of the package",
            "Remove the other installation, or this ClusterExtension.",
        ),
        ExtensionProblem::ImageUnavailable => (
            Code::ImagePullFailing,
            "The image of the bundle cannot be pulled.",
            "the publisher of the bundle",
            "Make the image pullable. If the registry refuses the login, correct the credentials.",
        ),
        ExtensionProblem::KindNotServed => (
            Code::BundleNotInstallable,
            "The API server does not serve a kind of the bundle. A newer Kubernetes version may \
             have removed the kind, or its CRD is missing.",
            "the publisher of the bundle",
            "Use a kind that the API server serves. Alternatively, choose another version of the \
             bundle or install the CRD.",
        ),
        ExtensionProblem::Other => (
            Code::ExtensionFailing,
            "",
            OWNER,
            "Correct the problem that the message reports.",
        ),
    }
}
