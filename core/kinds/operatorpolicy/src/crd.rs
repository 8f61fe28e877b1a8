//! The condition about the CRDs of the operator.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use portolan_api::{ConditionType, Reason, RelatedObject};
use portolan_core_olm::{COMPONENT, CustomResourceDefinition, whole_component};

use crate::case::Case;
use crate::contribution::{Contribution, known, related};
use crate::desired::Condition;
use crate::kinds::CRD;

const TYPE: ConditionType = ConditionType::CustomResourceDefinitionCompliant;

/// Judges the CRDs of the operator.
pub(crate) fn judge(case: &Case<'_>) -> Contribution {
    let own: Vec<_> = own(case).into_iter().map(object).collect();
    let package = &case.intent.subscription.package;
    if own.is_empty() {
        let message = format!("No CustomResourceDefinitions of {package} found");
        let reason = "No relevant CustomResourceDefinitions found";
        let none = related(CRD, (None, "-"), Some("Inapplicable"), reason);
        return Contribution::of(Condition::good(TYPE, Reason::RelevantCRDNotFound, message))
            .add_related(TYPE, vec![none]);
    }
    let message = match own.len() {
        1 => format!("1 CustomResourceDefinition of {package} found"),
        count => format!("{count} CustomResourceDefinitions of {package} found"),
    };
    Contribution::of(Condition::good(TYPE, Reason::RelevantCRDFound, message))
        .add_related(TYPE, own)
}

/// Returns the CRDs that the installed ClusterServiceVersion owns, and the CRDs that have OLM's
/// label of the operator. OLM truncates long labels. A label that may be truncated is ignored.
fn own<'a>(case: &Case<'a>) -> Vec<&'a CustomResourceDefinition> {
    let installed = case.installed().into_iter();
    let owned: BTreeSet<_> = installed
        .flat_map(|csv| &csv.spec.custom_resources.owned)
        .map(|owned| owned.name.as_str())
        .collect();
    let component = component_of(case);
    let is_labeled = |crd: &CustomResourceDefinition| {
        let mut names = COMPONENT.suffixes(&crd.metadata);
        component
            .as_ref()
            .is_some_and(|component| names.any(|rest| rest == component))
    };
    let is_owned = |crd: &CustomResourceDefinition| {
        let name = crd.metadata.name.as_deref();
        name.is_some_and(|name| owned.contains(name))
    };
    let all = case.namespace.crds.iter().map(|crd| &**crd);
    all.filter(|crd| is_owned(crd) || is_labeled(crd)).collect()
}

/// Returns the suffix of OLM's label for the operator. Returns None if OLM may have truncated the
/// label.
fn component_of(case: &Case<'_>) -> Option<String> {
    let package = &case.intent.subscription.package;
    whole_component(package.as_str(), &case.namespace.name)
}

fn object(crd: &CustomResourceDefinition) -> RelatedObject {
    let metadata = &crd.metadata;
    let name = metadata.name.as_deref().unwrap_or_default();
    let reason = "Resource found as expected";
    let object = related(CRD, (None, name), Some("Compliant"), reason);
    known(object, metadata.uid.as_deref(), false)
}
