//! Decides if one of Portolan's CRDs may replace the CRD in the cluster.

use std::collections::BTreeSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionCondition,
};
use portolan_api::own_field;
use portolan_core_bundle::{Break, breaks_on_cluster};
use serde_json::Value;
use thiserror::Error;

use crate::crd::{field, root};
use crate::server_side_apply::INSTALL_MANAGER;

/// The label of objects that OLM creates.
const OLM_MANAGED: &str = "olm.managed";
/// The checks whose findings do not mean a loss of data: changed defaults, and schemas that cannot
/// be compared.
const HARMLESS: [&str; 2] = ["unhandled", "default"];

/// The reason why the CRD in the cluster must not be replaced.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CrdRefusal {
    #[error("the CRD is being deleted; wait until the CRD is deleted, and run the command again")]
    Deleting,
    #[error("the CRD belongs to another program: its kind is {found}, not {expected}")]
    OtherKind { found: String, expected: String },
    #[error("the CRD belongs to another program: its schema lacks the field spec.{0}")]
    Foreign(&'static str),
    #[error("the CRD belongs to an operator that OLM installed: it has the label {OLM_MANAGED}")]
    OfOlm,
    #[error(
        "the CRD is newer: it serves version {0}, which this version of portolan does not support; \
         install a newer version of portolan"
    )]
    UnknownVersion(String),
    #[error("the CRD is newer: {loss}{}; install a newer version of portolan", and_more(.more))]
    Newer { loss: String, more: usize },
}

/// The state of a CRD after it was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CrdState {
    Established,
    NamesNotAccepted(String),
}

/// Returns the reason why Portolan's CRD must not replace the CRD in the cluster. Returns None if
/// the CRD may be replaced.
pub(super) fn refusal(
    ours: &CustomResourceDefinition,
    live: &CustomResourceDefinition,
) -> Option<CrdRefusal> {
    if live.metadata.deletion_timestamp.is_some() {
        return Some(CrdRefusal::Deleting);
    }
    owner(ours, live).or_else(|| loss(ours, live))
}

/// Returns the reason if the CRD belongs to another program. Returns None otherwise.
fn owner(ours: &CustomResourceDefinition, live: &CustomResourceDefinition) -> Option<CrdRefusal> {
    if live.spec.names.kind != ours.spec.names.kind {
        return Some(CrdRefusal::OtherKind {
            found: live.spec.names.kind.clone(),
            expected: ours.spec.names.kind.clone(),
        });
    }
    let labels = live.metadata.labels.as_ref();
    if labels.is_some_and(|labels| labels.contains_key(OLM_MANAGED)) {
        return Some(CrdRefusal::OfOlm);
    }
    let own = own_field(ours.metadata.name.as_deref().unwrap_or_default())?;
    let mut roots = live.spec.versions.iter().filter_map(root);
    let has_own =
        roots.any(|root| field(root, "spec").is_some_and(|spec| field(spec, own).is_some()));
    (!has_own).then_some(CrdRefusal::Foreign(own))
}

/// Returns the reason if objects would lose data or clients would lose fields. Returns None
/// otherwise.
fn loss(ours: &CustomResourceDefinition, live: &CustomResourceDefinition) -> Option<CrdRefusal> {
    let known: BTreeSet<&str> = ours
        .spec
        .versions
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let mut served = live.spec.versions.iter().filter(|it| it.served);
    if let Some(unknown) = served.find(|it| !known.contains(it.name.as_str())) {
        return Some(CrdRefusal::UnknownVersion(unknown.name.clone()));
    }
    let json = |crd| serde_json::to_value(crd).unwrap_or(Value::Null);
    let mut lost = breaks_on_cluster(&json(live), &json(ours));
    lost.retain(|it: &Break| !HARMLESS.contains(&it.check));
    let first = lost.first()?;
    Some(CrdRefusal::Newer {
        loss: first.to_string(),
        more: lost.len() - 1,
    })
}

fn and_more(more: &usize) -> String {
    match more {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    }
}

/// Returns the state of the CRD according to the API server. Returns None while the API server has
/// not decided yet.
pub(super) fn standing(crd: &CustomResourceDefinition) -> Option<CrdState> {
    let conditions = crd.status.iter().flat_map(|status| &status.conditions);
    let conditions: Vec<&CustomResourceDefinitionCondition> = conditions.flatten().collect();
    let of = |type_: &str, status: &str| {
        let mut all = conditions.iter();
        all.find(|it| it.type_ == type_ && it.status == status)
    };
    if let Some(rejected) = of("NamesAccepted", "False") {
        let message = rejected.message.clone().unwrap_or_default();
        return Some(CrdState::NamesNotAccepted(message));
    }
    of("Established", "True").map(|_| CrdState::Established)
}

/// Returns the names of the other field managers of a CRD.
pub(super) fn managers(live: &CustomResourceDefinition) -> BTreeSet<String> {
    let managed = live.metadata.managed_fields.iter().flatten();
    let owners = managed.filter(|entry| {
        let fields = entry.fields_v1.as_ref();
        fields.is_some_and(|fields| !fields.0["f:spec"].is_null())
    });
    let names = owners.map(|entry| entry.manager.clone().unwrap_or_default());
    names.filter(|name| name != INSTALL_MANAGER).collect()
}
