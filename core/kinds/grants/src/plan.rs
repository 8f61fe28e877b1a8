//! Reads and builds the InstallPlans of an Install.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_api::installs::{AccountRef, GROUP, INSTALL, Install, Intent, Resolved};
use portolan_api::plan::{
    ConditionType, Disposition, InstallPlan, Phase, Reason, Status as PlanStatus,
};
use portolan_core_install::{Predecessors, Recipe, make};
use portolan_core_names::text::one_line;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::account::{Group, account_name, inherited, owner};

/// The annotation of a plan with the generation of the Install. The plan was created for this
/// generation.
pub const GENERATION: &str = "operators.portolan.dev/generation";
/// The annotation of a plan that records the images in the content and their digests.
pub const CONTENT: &str = "operators.portolan.dev/content";
/// The time in seconds after which the plan gives up a blocked deletion. If a user deletes
/// everything at once, the permissions for the deletion may be gone before the objects.
const ABANDONED: u32 = 300;

/// An existing plan of an Install, reduced to the facts that a decision needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanSeen {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub version: String,
    pub service_account: String,
    pub generation: i64,
    pub record: Record,
    pub is_terminating: bool,
    /// True if the status of the plan contains conditions. They show that the plan is older than a
    /// plan that is created later.
    pub is_known: bool,
    /// True if a newer plan has taken over all objects of this plan.
    pub is_handed_over: bool,
    /// True if the account lacks permissions that the plan needs.
    pub lacks_permissions: bool,
    pub progress: Progress,
}

/// The record of the images in the content. It is written when the plan is created.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The digest of the content in the spec. Empty if the content has no images.
    pub digest: String,
    /// Each image in the content, with its reference that contains the digest.
    pub images: BTreeMap<String, String>,
    pub resolved: Vec<Resolved>,
}

/// The progress of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    Ready,
    /// The plan is still being applied. Contains the message of the plan.
    OnItsWay(String),
    /// The plan has a problem. Contains the message of the plan.
    Fails(String),
}

impl PlanSeen {
    /// Returns the plan, and the uid of its Install. Returns None if the plan does not belong to an
    /// Install.
    pub fn read(plan: &InstallPlan) -> Option<(&str, Self)> {
        let metadata = &plan.metadata;
        let install = INSTALL.of(metadata)?;
        let annotations = metadata.annotations.as_ref();
        let generation = annotations.and_then(|it| it.get(GENERATION)?.parse().ok());
        let record = annotations.and_then(|it| serde_json::from_str(it.get(CONTENT)?).ok());
        let status = plan.status.clone().unwrap_or_default();
        let replaced = status.condition(ConditionType::Replaced);
        let account = plan.spec.as_json()["serviceAccountName"].as_str();
        let seen = Self {
            namespace: metadata.namespace.clone()?,
            name: metadata.name.clone()?,
            uid: metadata.uid.clone()?,
            version: metadata.resource_version.clone().unwrap_or_default(),
            service_account: account.unwrap_or_default().to_owned(),
            generation: generation.unwrap_or_default(),
            record: record.unwrap_or_default(),
            is_terminating: metadata.deletion_timestamp.is_some(),
            is_known: !status.conditions.is_empty(),
            is_handed_over: replaced
                .is_some_and(|it| it.status == "True" && it.reason == Reason::HandedOver.as_str()),
            lacks_permissions: status.is_false(ConditionType::Permitted),
            progress: progress(metadata.generation, &status),
        };
        Some((install, seen))
    }

    /// Returns true if the plan really belongs to this Install. Its label alone is no evidence. The
    /// plan must also be in the namespace of Portolan, or use the ServiceAccount of the Install.
    pub(crate) fn is_genuine(&self, install: &Install, home: &str, groups: &[Group]) -> bool {
        let status = install.status.as_ref();
        let had = status.and_then(|status| status.service_account_ref.clone());
        let has = had.or_else(|| inherited(&Intent::parse(install).ok()?.mapping, groups));
        self.namespace == home || has == Some(self.account())
    }

    pub(crate) fn account(&self) -> AccountRef {
        AccountRef {
            name: self.service_account.clone(),
            namespace: self.namespace.clone(),
        }
    }
}

fn progress(generation: Option<i64>, status: &PlanStatus) -> Progress {
    if status.observed_generation != generation {
        return Progress::OnItsWay("the InstallPlan has not been reconciled yet".to_owned());
    }
    if status.is_true(ConditionType::Applied) && status.is_true(ConditionType::Ready) {
        return Progress::Ready;
    }
    let mut types = ConditionType::ALL.iter().copied();
    let said = types.find_map(|type_| {
        let condition = status.condition(type_).filter(|_| type_.is_step())?;
        (condition.status != "True").then_some((type_, condition))
    });
    let Some((type_, condition)) = said else {
        return Progress::OnItsWay("its InstallPlan is starting".to_owned());
    };
    let waits = [Reason::Waiting, Reason::Applying, Reason::NotObserved];
    let message = one_line(&condition.message);
    let is_failing = match type_ {
        ConditionType::Ready => {
            status.phase == Some(Phase::Failed)
                || condition.reason == Reason::MembersFailed.as_str()
        }
        ConditionType::Valid
        | ConditionType::Permitted
        | ConditionType::Applied
        | ConditionType::Drifted
        | ConditionType::Replaced => {
            condition.status == "False" && !waits.iter().any(|it| it.as_str() == condition.reason)
        }
    };
    if is_failing {
        Progress::Fails(message)
    } else {
        Progress::OnItsWay(message)
    }
}

/// Copies a label from the Install to the manifests: the label of the Operator that owns the
/// Install. OLM and Portolan find the components of an Operator by this label. The label gives the
/// author of the Install no additional power, because the author could also write it into the
/// content.
pub(crate) fn labeled(manifests: &[Value], install: &ObjectMeta) -> Vec<Value> {
    // The caller has read the complete metadata of the Install, so all of it can be converted to
    // JSON.
    let metadata = json!(install);
    let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
    let prefix = format!("{GROUP}/");
    let is_of_olm = |it: &&Value| {
        it["apiVersion"]
            .as_str()
            .is_some_and(|it| it.starts_with(&prefix))
    };
    let owners = owners
        .filter(|it| it["kind"] == "Operator")
        .filter(is_of_olm);
    let owners: Vec<_> = owners.filter_map(|it| it["name"].as_str()).collect();
    // OLM truncates long names of Operators in the label.
    let is_own = |key: &str| {
        let name = key.strip_prefix(&prefix);
        name.is_some_and(|name| !name.is_empty() && owners.iter().any(|it| it.starts_with(name)))
    };
    let labels = install.labels.iter().flatten();
    let labels = labels.filter(|(key, _)| is_own(key));
    let mut manifests = manifests.to_vec();
    for (key, value) in labels {
        manifests.iter_mut().for_each(|it| label(it, key, value));
    }
    manifests
}

/// Adds a label to a manifest. If the labels of the manifest are invalid, they stay unchanged, and
/// the plan reports the fault.
fn label(manifest: &mut Value, key: &str, value: &str) {
    let metadata = manifest.get_mut("metadata").and_then(Value::as_object_mut);
    let labels = metadata.map(|it| it.entry("labels").or_insert(Value::Null));
    if let Some(labels) = labels.filter(|it| it.is_null() || it.is_object()) {
        labels[key] = json!(value);
    }
}

/// Returns the objects to create: the objects that store manifests beside the plan, and then the
/// plan.
///
/// # Errors
///
/// Returns all reasons why the manifests cannot form a plan, one sentence each.
pub(crate) fn made(
    manifests: &[Value],
    (install, uid, generation): (&str, &str, i64),
    account: &AccountRef,
    record: &Record,
) -> Result<Vec<Value>, Vec<String>> {
    let made = make(
        manifests,
        &Recipe {
            // The name contains digits of the uid, so that plans of other Installs have other
            // names.
            name: account_name(install, uid),
            namespace: Some(account.namespace.clone()),
            service_account: account.name.clone(),
            predecessors: Predecessors::OfSameName,
            on_plan_deletion: Some(Disposition::Delete),
            collisions: None,
            is_split: false,
            heeds_annotations: false,
        },
    );
    let made = made.map_err(|flaws| flaws.into_iter().map(|it| it.sentence).collect::<Vec<_>>())?;
    let mut objects = made.beside;
    let mut plan = made.plan;
    plan["metadata"]["annotations"][GENERATION] = json!(generation.to_string());
    if !record.digest.is_empty() {
        plan["metadata"]["annotations"][CONTENT] = json!(json!(record).to_string());
    }
    plan["spec"]["collisions"] = json!("IfUnowned");
    plan["spec"]["lifecycle"]["onDrift"] = json!("Revert");
    plan["spec"]["lifecycle"]["onDeletion"] = json!("Recreate");
    plan["spec"]["abandonAfterSeconds"] = json!(ABANDONED);
    objects.push(plan);
    for object in &mut objects {
        object["metadata"]["ownerReferences"] = json!([owner(install, uid)]);
        object["metadata"]["labels"][INSTALL.name()] = json!(uid);
    }
    Ok(objects)
}
