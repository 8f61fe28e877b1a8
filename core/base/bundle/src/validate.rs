//! Finds the faults of a bundle whose files could be parsed.
//!
//! The errors for which OLM v1 rejects the bundle come first, in the order of OLM v1's rules. Then
//! follow the warnings: defects that OLM v1 accepts, although an API server will reject the result,
//! or the result differs from what the author intended.

mod names;
mod oddities;
mod sent;
pub(crate) mod webhooks;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::PackageName;

use crate::bundle::Bundle;
use crate::fault::{BundleFault, Code, Faults};
use crate::object;

/// Returns all faults of a bundle: first the errors for which OLM v1 rejects the bundle, then the
/// warnings.
///
/// [`Bundle::warnings`] has the warnings that were found while the bundle was parsed.
pub fn validate(bundle: &Bundle) -> Vec<BundleFault> {
    let mut faults = Faults::up_to(bundle.limits.faults);
    for rule in RULES.into_iter().chain(ODDITIES) {
        rule(bundle, &mut faults);
    }
    faults.into_faults()
}

/// Returns the errors for which OLM v1 rejects the bundle.
pub(crate) fn errors(bundle: &Bundle) -> Vec<BundleFault> {
    let mut faults = Faults::up_to(bundle.limits.faults);
    for rule in RULES {
        rule(bundle, &mut faults);
    }
    faults.into_faults()
}

type RuleOf = fn(&Bundle, &mut Faults);

/// The rules of OLM v1, in the same order.
const RULES: [RuleOf; 13] = [
    deployments_are_unique,
    deployments_have_names,
    crds_are_unique,
    owned_crds_are_there,
    package_is_named,
    webhooks::conversion_is_for_all_namespaces,
    webhooks::deployments_are_there,
    webhooks::names_are_unique,
    webhooks::names_are_names,
    webhooks::conversions_are_unique,
    webhooks::conversions_are_owned,
    webhooks::rules_are_allowed,
    kinds_are_supported,
];

const ODDITIES: [RuleOf; 13] = [
    oddities::csv,
    oddities::namespace_template,
    oddities::install_modes,
    oddities::annotations_clash,
    sent::objects_are_complete,
    sent::versions_are_served,
    sent::objects_are_unique,
    sent::namespaces_fit,
    sent::kinds_are_not_borrowed,
    oddities::webhook_ports,
    names::are_short_enough,
    oddities::conversions_are_filled_in,
    oddities::pods_can_run,
];

/// Returns the keys that occur more than once, each with the position of its second occurrence.
fn again<'a, K: Ord + Copy>(
    all: impl IntoIterator<Item = (K, &'a Arc<str>, u64)>,
) -> Vec<(K, &'a Arc<str>, u64)> {
    let mut seen = BTreeSet::new();
    let mut told = BTreeMap::new();
    for (key, file, line) in all {
        if !seen.insert(key) {
            told.entry(key).or_insert((file, line));
        }
    }
    let told = told.into_iter();
    told.map(|(key, (file, line))| (key, file, line)).collect()
}

fn deployments_are_unique(bundle: &Bundle, faults: &mut Faults) {
    let csv = &bundle.csv;
    let deployments = csv.deployments().iter();
    let names = deployments.map(|dep| (dep.value.name.as_str(), &csv.file, dep.line));
    for (name, file, line) in again(names) {
        let sentence = format!("the ClusterServiceVersion has a second deployment {name:?}");
        faults.push(BundleFault::error(
            file,
            line,
            Code::DeploymentTwice,
            sentence,
        ));
    }
}

fn deployments_have_names(bundle: &Bundle, faults: &mut Faults) {
    let csv = &bundle.csv;
    for deployment in csv.deployments() {
        if let Some(flaw) = no_object_name(&deployment.value.name) {
            let name = &deployment.value.name;
            let sentence = format!("{name:?} is not a valid name of a Deployment: {flaw}");
            let code = Code::DeploymentName;
            faults.push(BundleFault::error(
                &csv.file,
                deployment.line,
                code,
                sentence,
            ));
        }
    }
}

/// Returns the reason why a text is not a valid object name. Returns None if the name is valid.
fn no_object_name(name: &str) -> Option<String> {
    // Package names have the same grammar as object names.
    let refusal = PackageName::parse(name).err()?;
    Some(refusal.flaw().to_string())
}

fn crds_are_unique(bundle: &Bundle, faults: &mut Faults) {
    let crds = bundle.crds.iter();
    let names = crds.map(|crd| (crd.name.as_str(), &crd.file, crd.line));
    for (name, file, line) in again(names) {
        let sentence = format!("a second CustomResourceDefinition {name:?}");
        faults.push(BundleFault::error(file, line, Code::CrdTwice, sentence));
    }
}

fn owned_crds_are_there(bundle: &Bundle, faults: &mut Faults) {
    let there: BTreeSet<_> = bundle.crds.iter().map(|crd| crd.name.as_str()).collect();
    let mut told = BTreeSet::new();
    for owned in &bundle.csv.spec.crds.owned {
        let name = owned.value.name.as_str();
        if !there.contains(name) && told.insert(name) {
            let sentence = format!(
                "the ClusterServiceVersion owns the CustomResourceDefinition {name:?}, which the \
                 bundle does not have"
            );
            let code = Code::CrdMissing;
            faults.push(BundleFault::error(
                &bundle.csv.file,
                owned.line,
                code,
                sentence,
            ));
        }
    }
}

fn package_is_named(bundle: &Bundle, faults: &mut Faults) {
    if bundle.package().is_empty() {
        let file = "metadata/annotations.yaml".into();
        let sentence = format!("`{}` does not name a package", crate::bundle::PACKAGE);
        faults.push(BundleFault::error(&file, 0, Code::PackageMissing, sentence));
    }
}

fn kinds_are_supported(bundle: &Bundle, faults: &mut Faults) {
    for other in &bundle.others {
        if object::supported_kind(other.kind()).is_none() {
            let sentence = format!(
                "{} {:?}: bundles cannot contain objects of this kind",
                other.kind(),
                other.name()
            );
            faults.push(BundleFault::error(
                &other.file,
                other.line,
                Code::UnsupportedKind,
                sentence,
            ));
        }
    }
}
