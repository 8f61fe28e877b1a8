//! Objects that exist before a plan creates them: their owners, and their adoption.

use portolan_api::plan::{Collisions, LINEAGE, sentence};
use portolan_core_names::text::listed_up_to;
use serde_json::Value;

use super::Halt;
use super::lineages::{Life, Lineages, of_object};
use super::observation::{Ask, Observation, OlmDefinitions};
use crate::object::{Kind, items, split, text};

/// The labels and annotations with which other tools claim an object.
const CLAIMS: [(&str, &str, &str); 8] = [
    ("labels", "olm.owner", "OLM, for"),
    (
        "labels",
        "olm.operatorframework.io/owner-name",
        "the ClusterExtension",
    ),
    (
        "annotations",
        "meta.helm.sh/release-name",
        "the Helm release",
    ),
    (
        "labels",
        "helm.toolkit.fluxcd.io/name",
        "Flux's HelmRelease",
    ),
    (
        "labels",
        "kustomize.toolkit.fluxcd.io/name",
        "Flux's Kustomization",
    ),
    (
        "annotations",
        "argocd.argoproj.io/tracking-id",
        "Argo CD, for",
    ),
    ("labels", "kapp.k14s.io/app", "the kapp app"),
    ("labels", "applyset.kubernetes.io/part-of", "the ApplySet"),
];

/// The message about an object that a deleted plan left behind.
const LEFT: &str =
    "is there already, as an InstallPlan that is gone left it; set collisions to IfUnowned";
/// The maximum number of plans of a lineage that are named.
const MOST_PLANS: usize = 3;

/// Returns a sentence that says why an object may not be adopted; None if it may be.
///
/// # Errors
///
/// Returns `Halt::Ask` with the facts to look up first.
pub(super) fn refusal(
    object: &Value,
    collisions: Collisions,
    observed: &Observation,
) -> Result<Option<String>, Halt> {
    if collisions == Collisions::Adopt {
        return Ok(None);
    }
    let (why, wanted) = match (collisions, claim(object, observed)?) {
        (Collisions::Adopt, _) | (Collisions::IfUnowned, None) => return Ok(None),
        (Collisions::Refuse, None) if is_left(object, &observed.living) => {
            return Ok(Some(LEFT.to_owned()));
        }
        (Collisions::Refuse, None) => ("no plan made it".to_owned(), "IfUnowned"),
        (Collisions::Refuse | Collisions::IfUnowned, Some(owner)) => {
            (sentence::belongs_to(&owner), "Adopt")
        }
    };
    // Deleting such an object would also delete the data of others.
    let removal = if Kind::of(object).is_precious() {
        ""
    } else {
        "remove it, or "
    };
    Ok(Some(format!(
        "is there already, and {why}; {removal}set collisions to {wanted}"
    )))
}

/// Returns the end of a sentence about an object that no longer belongs to the plan.
///
/// # Errors
///
/// Returns `Halt::Ask` with the facts to look up first.
pub(super) fn taken(object: &Value, observed: &Observation) -> Result<String, Halt> {
    let owner = claim(object, observed)?;
    let owner = owner.unwrap_or_else(|| "another owner".to_owned());
    Ok(format!(
        "exists without the label of this plan: {owner} has taken it over or made it again"
    ))
}

/// Returns true if a deleted plan left the object behind.
fn is_left(object: &Value, living: &Lineages) -> bool {
    of_object(object).any(|lineage| living.is_gone(lineage))
}

/// Returns the owner that claims an object, as the end of a sentence; None if it has no owner.
///
/// # Errors
///
/// Returns `Halt::Ask` with the CRDs that OLM manages.
fn claim(object: &Value, observed: &Observation) -> Result<Option<String>, Halt> {
    let mut plans = of_object(object).filter_map(|lineage| plan_of(lineage, &observed.living));
    if let Some(owner) = plans.next().or_else(|| other_claim(object)) {
        return Ok(Some(owner));
    }
    let is_managed = object.pointer("/metadata/labels/olm.managed") == Some(&Value::from("true"));
    let is_olms = is_managed && is_olms(object, observed)?;
    Ok(is_olms.then(|| "OLM".to_owned()))
}

/// Returns true if an object has an owner: a plan, a controller, or a tool that marks its objects.
/// OLM's label `olm.managed` is not considered. Deleted plans count, because the object does not
/// show that they are gone.
pub fn is_claimed(object: &Value) -> bool {
    of_object(object).next().is_some() || other_claim(object).is_some()
}

/// Returns true if OLM manages an object that it labeled. OLM leaves CRDs behind, with the label.
fn is_olms(object: &Value, observed: &Observation) -> Result<bool, Halt> {
    if !Kind::of(object).is_definition() {
        return Ok(true);
    }
    match &observed.olm_definitions {
        None => Err(Halt::ask(Ask::OlmDefinitions)),
        Some(OlmDefinitions::Owned(names)) => Ok(names.contains(text(object, "/metadata/name"))),
        Some(OlmDefinitions::Unknown) => Ok(true),
    }
}

/// Returns the owner that an object names, other than a plan or the label on all objects of OLM.
fn other_claim(object: &Value) -> Option<String> {
    let metadata = object.get("metadata")?;
    let owners = items(metadata, "/ownerReferences");
    if let Some(owner) = owners.iter().find(|owner| owner["controller"] == true) {
        let (kind, name) = (text(owner, "/kind"), text(owner, "/name"));
        return Some(format!("the {kind} {name}, which controls it"));
    }
    // OLM is not the controller of objects that it creates for a ClusterServiceVersion.
    if let Some(owner) = owners.iter().find(|owner| is_version(owner)) {
        let name = text(owner, "/name");
        return Some(format!("the ClusterServiceVersion {name}"));
    }
    CLAIMS.into_iter().find_map(|(map, key, who)| {
        let name = metadata.get(map)?.get(key)?.as_str()?;
        Some(format!("{who} {name}"))
    })
}

/// Returns the plans of a lineage, as the end of a sentence; None if they are all gone.
fn plan_of(lineage: &str, living: &Lineages) -> Option<String> {
    match living.life(lineage) {
        Life::Living(plans) if plans.len() > 1 => Some(format!(
            "the InstallPlans {}",
            listed_up_to(MOST_PLANS, plans)
        )),
        Life::Living(plans) => Some(format!(
            "the InstallPlan {}",
            listed_up_to(MOST_PLANS, plans)
        )),
        Life::Unknown => Some(format!(
            "an InstallPlan of the lineage {lineage}, which may be in a namespace that the \
             controller does not watch"
        )),
        Life::Gone => None,
    }
}

fn is_version(owner: &Value) -> bool {
    let (group, _) = split(text(owner, "/apiVersion"));
    group == "operators.coreos.com" && text(owner, "/kind") == "ClusterServiceVersion"
}

/// Returns the lineage in the label of an object.
pub(super) fn lineage(object: &Value) -> Option<&str> {
    let labels = object.pointer("/metadata/labels")?;
    labels.get(LINEAGE.name())?.as_str()
}
