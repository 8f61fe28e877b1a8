//! Finds the owners of objects that existed before a plan, and decides if the plan may adopt these
//! objects.

use portolan_api::plan::{Collisions, GROUP, MemberOwner};
use portolan_core_names::GroupKind;
use portolan_core_names::object::split_api_version;
use portolan_core_names::text::{cut, listed_up_to, one_line};
use serde_json::Value;

use super::Halt;
use super::decision::Ask;
use super::observation::{Observation, OlmDefinitions};
use crate::lineages::{Life, Lineages, of_object};
use crate::object::{items, text};

/// A label or annotation with which a tool claims an object.
struct Mark {
    map: &'static str,
    key: &'static str,
    /// The text that identifies the tool. In a message, the name of the owner follows.
    words: &'static str,
    /// The API group of the owner's kind. Empty if the owner is a tool.
    group: &'static str,
    kind: &'static str,
    /// The label or annotation that contains the namespace of the owner. Empty if the tool has
    /// none.
    namespace: &'static str,
}

impl Mark {
    const fn label(key: &'static str, words: &'static str, kind: &'static str) -> Self {
        Self {
            map: "labels",
            key,
            words,
            group: "",
            kind,
            namespace: "",
        }
    }

    const fn annotation(key: &'static str, words: &'static str, kind: &'static str) -> Self {
        Self {
            map: "annotations",
            ..Self::label(key, words, kind)
        }
    }

    const fn of(self, group: &'static str, namespace: &'static str) -> Self {
        Self {
            group,
            namespace,
            ..self
        }
    }

    /// Returns the owner that claims the object with this mark. Returns None if the object has no
    /// such mark.
    fn claim(&self, metadata: &Value) -> Option<OwnerClaim> {
        let marks = metadata.get(self.map)?;
        let name = marks.get(self.key)?.as_str()?;
        let namespace = marks.get(self.namespace).and_then(Value::as_str);
        Some(OwnerClaim {
            words: format!("{} {name}", self.words),
            owner: owner(self.group, self.kind, namespace, name),
        })
    }
}

const CLAIMS: [Mark; 8] = [
    Mark::label("olm.owner", "OLM, for", "OLM").of("", "olm.owner.namespace"),
    Mark::label(
        "olm.operatorframework.io/owner-name",
        "the ClusterExtension",
        "ClusterExtension",
    )
    .of("olm.operatorframework.io", ""),
    Mark::annotation("meta.helm.sh/release-name", "the Helm release", "Helm")
        .of("", "meta.helm.sh/release-namespace"),
    Mark::label(
        "helm.toolkit.fluxcd.io/name",
        "Flux's HelmRelease",
        "HelmRelease",
    )
    .of("helm.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io/namespace"),
    Mark::label(
        "kustomize.toolkit.fluxcd.io/name",
        "Flux's Kustomization",
        "Kustomization",
    )
    .of(
        "kustomize.toolkit.fluxcd.io",
        "kustomize.toolkit.fluxcd.io/namespace",
    ),
    Mark::annotation("argocd.argoproj.io/tracking-id", "Argo CD, for", "Argo CD"),
    Mark::label("kapp.k14s.io/app", "the kapp app", "kapp"),
    Mark::label("applyset.kubernetes.io/part-of", "the ApplySet", "ApplySet"),
];

/// The maximum length of each field of an owner that a status contains.
const LONGEST_OWNER: usize = 253;
/// The message about an object that remained after its plan was deleted.
const LEFT: &str =
    "already exists, because a deleted InstallPlan kept it; set spec.collisions to IfUnowned";
/// The maximum number of plans of a lineage that a message names.
const MOST_PLANS: usize = 3;

/// The owner that claims an object, in two forms.
struct OwnerClaim {
    /// The owner in words, such as `the Helm release ferry`.
    words: String,
    owner: MemberOwner,
}

/// A message about an object of another owner.
pub(super) struct Foreign {
    pub(super) sentence: String,
    /// The owner of the object, if it is known.
    pub(super) owner: Option<MemberOwner>,
}

/// Returns the reason why the plan may not adopt an existing object. Returns None if the plan may
/// adopt it.
///
/// # Errors
///
/// Returns `Halt::Ask` with the facts to look up first.
pub(super) fn refusal(
    object: &Value,
    collisions: Collisions,
    observed: &Observation,
) -> Result<Option<Foreign>, Halt> {
    if collisions == Collisions::Adopt {
        return Ok(None);
    }
    let (why, wanted, owner) = match (collisions, claim(object, observed)?) {
        (Collisions::Adopt, _) | (Collisions::IfUnowned, None) => return Ok(None),
        (Collisions::Refuse, None) if is_left(object, &observed.living) => {
            let sentence = LEFT.to_owned();
            return Ok(Some(Foreign {
                sentence,
                owner: None,
            }));
        }
        (Collisions::Refuse, None) => ("no plan created it".to_owned(), "IfUnowned", None),
        (Collisions::Refuse | Collisions::IfUnowned, Some(OwnerClaim { words, owner })) => {
            (format!("belongs to {words}"), "Adopt", Some(owner))
        }
    };
    // Does not advise the user to remove an object if its deletion would also delete data of other
    // users.
    let removal = if GroupKind::of(object).is_precious() {
        ""
    } else {
        "remove it, or "
    };
    let sentence = format!("already exists, and {why}; {removal}set spec.collisions to {wanted}");
    Ok(Some(Foreign { sentence, owner }))
}

/// Returns the message about an object that another owner took over from the plan.
///
/// # Errors
///
/// Returns `Halt::Ask` with the facts to look up first.
pub(super) fn taken(object: &Value, observed: &Observation) -> Result<Foreign, Halt> {
    let claim = claim(object, observed)?;
    let words = claim.as_ref().map_or("another owner", |it| &it.words);
    Ok(Foreign {
        sentence: format!(
            "exists, but the label of this plan is missing: {words} took over the object or \
             created it again"
        ),
        owner: claim.map(|it| it.owner),
    })
}

/// Returns true if the object belongs to a lineage whose plans are all deleted.
fn is_left(object: &Value, living: &Lineages) -> bool {
    of_object(object).any(|lineage| living.is_gone(lineage))
}

/// Returns the owner that claims the object. Returns None if no owner claims it.
///
/// # Errors
///
/// Returns `Halt::Ask` if the list of CRDs that OLM manages is missing.
fn claim(object: &Value, observed: &Observation) -> Result<Option<OwnerClaim>, Halt> {
    let mut plans = of_object(object).filter_map(|lineage| plan_of(lineage, &observed.living));
    if let Some(claim) = plans.next().or_else(|| other_claim(object)) {
        return Ok(Some(claim));
    }
    let is_managed = object.pointer("/metadata/labels/olm.managed") == Some(&Value::from("true"));
    let is_olms = is_managed && is_olms(object, observed)?;
    Ok(is_olms.then(|| OwnerClaim {
        words: "OLM".to_owned(),
        owner: owner("", "OLM", None, ""),
    }))
}

/// Returns true if a plan, a controller, or a tool that marks its objects claims the object.
/// Ignores OLM's label `olm.managed`. Deleted plans also count, because the object does not show if
/// its plan was deleted.
pub fn is_claimed(object: &Value) -> bool {
    of_object(object).next().is_some() || other_claim(object).is_some()
}

/// Returns true if OLM still manages an object with OLM's label. CRDs and their ClusterRoles keep
/// this label after OLM has removed their operator.
fn is_olms(object: &Value, observed: &Observation) -> Result<bool, Halt> {
    let crds = if GroupKind::of(object).is_definition() {
        vec![text(object, "/metadata/name")]
    } else {
        crds_of_role(object)
    };
    if crds.is_empty() {
        return Ok(true);
    }
    match &observed.olm_definitions {
        None => Err(Halt::ask(Ask::OlmDefinitions)),
        Some(OlmDefinitions::Owned(names)) => Ok(crds.iter().any(|crd| names.contains(*crd))),
        Some(OlmDefinitions::Unknown) => Ok(true),
    }
}

/// Returns the CRDs that own a ClusterRole of OLM. OLM creates such a role for the users of a CRD.
/// Returns an empty list for any other object, and for a role that has an owner of another kind.
pub fn crds_of_role(object: &Value) -> Vec<&str> {
    let role = GroupKind::new("rbac.authorization.k8s.io", "ClusterRole");
    let owners = items(object, "/metadata/ownerReferences");
    if GroupKind::of(object) != role || !owners.iter().all(is_crd_reference) {
        return Vec::new();
    }
    owners.iter().map(|owner| text(owner, "/name")).collect()
}

/// Returns true if the owner reference names a CRD. OLM writes the kind in lower case.
fn is_crd_reference(owner: &Value) -> bool {
    let (group, _) = split_api_version(text(owner, "/apiVersion"));
    let kind = text(owner, "/kind");
    group == "apiextensions.k8s.io" && kind.eq_ignore_ascii_case("CustomResourceDefinition")
}

/// Returns the controller, the ClusterServiceVersion or the tool that claims the object according
/// to its metadata. Plans and OLM's label `olm.managed` are checked elsewhere.
fn other_claim(object: &Value) -> Option<OwnerClaim> {
    let metadata = object.get("metadata")?;
    let owners = items(metadata, "/ownerReferences");
    let named = |reference: &Value, words: String| {
        let (group, _) = split_api_version(text(reference, "/apiVersion"));
        let (kind, name) = (text(reference, "/kind"), text(reference, "/name"));
        let owner = owner(group, kind, None, name);
        Some(OwnerClaim { words, owner })
    };
    if let Some(owner) = owners.iter().find(|owner| owner["controller"] == true) {
        let (kind, name) = (text(owner, "/kind"), text(owner, "/name"));
        return named(
            owner,
            format!("the {kind} {name}, which controls the object"),
        );
    }
    // OLM writes an owner reference to the ClusterServiceVersion, but it is not a controller
    // reference.
    if let Some(owner) = owners.iter().find(|owner| is_version(owner)) {
        let name = text(owner, "/name");
        return named(owner, format!("the ClusterServiceVersion {name}"));
    }
    CLAIMS.iter().find_map(|mark| mark.claim(metadata))
}

/// Returns the owner of objects of this lineage: its first plan, and a text with its plans. Returns
/// None if all plans of the lineage are deleted.
fn plan_of(lineage: &str, living: &Lineages) -> Option<OwnerClaim> {
    let (words, first) = match living.life(lineage) {
        Life::Living(plans) => {
            let kind = if plans.len() > 1 {
                "InstallPlans"
            } else {
                "InstallPlan"
            };
            let words = format!("the {kind} {}", listed_up_to(MOST_PLANS, plans));
            (words, plans.first())
        }
        Life::Unknown => (
            format!(
                "an InstallPlan of the lineage {lineage}, which may be in a namespace that the \
                 controller does not watch"
            ),
            None,
        ),
        Life::Gone => return None,
    };
    let (namespace, name) = first.map(|plan| (&*plan.namespace, &*plan.name)).unzip();
    Some(OwnerClaim {
        words,
        owner: owner(GROUP, "InstallPlan", namespace, name.unwrap_or_default()),
    })
}

/// Returns the reference to an owner. The values come from the object, so they are truncated to the
/// maximum length.
fn owner(group: &str, kind: &str, namespace: Option<&str>, name: &str) -> MemberOwner {
    let value = |text: &str| cut(&one_line(text), LONGEST_OWNER);
    MemberOwner {
        group: value(group),
        kind: value(kind),
        namespace: namespace.map(value),
        name: value(name),
    }
}

fn is_version(owner: &Value) -> bool {
    let (group, _) = split_api_version(text(owner, "/apiVersion"));
    group == "operators.coreos.com" && text(owner, "/kind") == "ClusterServiceVersion"
}
