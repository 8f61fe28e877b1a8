//! Decides the changes and the status of an Operator.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::components::{ConditionType, Reason};
use portolan_api::status::{self, Conditions, Reconcile, Undecided};
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::{Map, Value, json};

use crate::component::{Component, Subscription, by_kind};
use crate::contents::{Ask, Knowledge, Outcome};
use crate::csv::{metadata, newest};
use crate::deletion::deleted;
use crate::fleet::OperatorFleet;
use crate::installed::{
    Installation, diverged_from_content, installation, installed_metadata, own_install, pending,
    resolved, unread, wanted,
};
use crate::judged::{associated, diverged, update};
use crate::label::label_key;
use crate::project::{is_of_olm, projected};
use crate::question::{Answer, Question, Unasked, question};
use crate::stored::{LARGEST, Stored};

/// An Operator, and the known facts about it.
#[derive(Debug, Clone)]
pub struct Observation {
    pub operator: Operator,
    /// The components of the Operator: objects with its label, of all kinds that the controller may
    /// list.
    pub components: Vec<Component>,
    /// The kinds that the controller may not list, each with the reason.
    pub unseen: BTreeMap<String, String>,
    /// The Subscriptions in the cluster, by identity.
    pub subscriptions: BTreeMap<ObjectRef<Gvk>, Subscription>,
    /// The components whose label could not be removed, each with the reason.
    pub remaining: BTreeMap<ObjectRef<Gvk>, String>,
    /// True if this controller creates and executes Installs.
    pub are_installs_made: bool,
    pub answer: Option<Answer>,
    /// The Operators that are installed from catalogs, and the other operators in the cluster.
    pub fleet: Arc<OperatorFleet>,
    /// The known responses of catalogs about the content of Installs.
    pub knowledge: Knowledge,
    pub now: Timestamp,
}

/// An Operator, as the API server stores it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Operator {
    pub name: String,
    pub uid: String,
    pub generation: i64,
    pub stored: Stored,
    pub is_deleting: bool,
    /// True if the Operator must be deleted even if other Operators need its bundles.
    pub is_deletion_forced: bool,
    pub has_finalizer: bool,
}

/// The decision about an Operator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// The question that catalogs must answer first. If it is set, the decision contains nothing
    /// else.
    pub question: Option<Question>,
    /// The query about the content of the Install that catalogs must answer first. If it is set,
    /// the decision contains nothing else.
    pub ask: Option<Ask>,
    /// The objects that should have the label.
    pub projected: BTreeSet<ObjectRef<Gvk>>,
    /// The components that lose the label.
    pub taken_off: BTreeSet<ObjectRef<Gvk>>,
    /// The Install to delete.
    pub uninstalled: Option<ObjectRef<Gvk>>,
    pub finalizer: Option<Finalizer>,
    /// The change of the Install of the Operator.
    pub installation: Option<Installation>,
    /// The data to store in the Operator. None if it is already stored, or if the Operator no
    /// longer exists after this decision.
    pub stored: Option<Stored>,
}

/// The change of the finalizer, if one is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finalizer {
    Add,
    Remove,
}

/// Decides the changes of an Operator and of its objects.
pub fn decide(observation: &Observation) -> Decision {
    let Observation {
        operator,
        components,
        answer,
        ..
    } = observation;
    let is_of_olm = is_of_olm(&operator.name, components);
    if operator.is_deleting {
        return deleted(observation, is_of_olm);
    }
    let wanted = match wanted(observation) {
        Ok(wanted) => wanted,
        Err(ask) => {
            return Decision {
                ask: Some(ask),
                ..Decision::default()
            };
        }
    };
    let asked = question(operator, components);
    if let (Ok(question), None) = (&asked, answer) {
        return Decision {
            question: Some(question.clone()),
            ..Decision::default()
        };
    }
    // The finalizer delays the deletion until the labels are removed. An Operator of OLM has no
    // finalizer, because OLM restores its own labels.
    let is_held = !is_of_olm && !components.is_empty();
    let finalizer = match (is_held, operator.has_finalizer) {
        (true, false) => Some(Finalizer::Add),
        (false, true) => Some(Finalizer::Remove),
        (true, true) | (false, false) => None,
    };
    Decision {
        question: None,
        ask: None,
        projected: projected(&operator.name, components),
        taken_off: BTreeSet::new(),
        uninstalled: None,
        finalizer,
        installation: installation(observation, wanted.as_ref()),
        stored: changed(observation, &asked, wanted.as_ref()),
    }
}

/// A condition of an Operator without its type and its transition time.
pub(crate) type UndatedCondition = status::UndatedCondition<Reason>;
/// A condition of an Operator with its type.
pub(crate) type Judgment = (ConditionType, UndatedCondition);

fn changed(
    observation: &Observation,
    asked: &Result<Question, Unasked>,
    wanted: Option<&Outcome>,
) -> Option<Stored> {
    let Observation {
        operator,
        components,
        ..
    } = observation;
    let mut status = Map::new();
    let before = operator.stored.status.as_ref();
    let refs = refs(before, components);
    status.insert(
        "conditions".to_owned(),
        conditions(observation, asked, wanted),
    );
    let about = match newest(components) {
        Some((_, csv)) => Some(metadata(csv, components)),
        None => installed_metadata(operator, components),
    };
    status.extend(about.map(|about| ("metadata".to_owned(), about)));
    status.insert("observedGeneration".to_owned(), json!(operator.generation));
    let available = available(asked, observation.answer.as_ref());
    if !available.is_empty() {
        status.insert("updates".to_owned(), json!({"available": available}));
    }
    let components = fitted(&operator.name, refs, &operator.stored, &status);
    status.insert("components".to_owned(), components);
    stored_if_new(operator, status)
}

pub(crate) fn stored_if_new(operator: &Operator, status: Map<String, Value>) -> Option<Stored> {
    let is_new = operator.stored.status.as_ref() != Some(&status);
    is_new.then(|| Stored {
        spec: operator.stored.spec.clone(),
        status: Some(status),
    })
}

// --- conditions ---

fn conditions(
    observation: &Observation,
    asked: &Result<Question, Unasked>,
    wanted: Option<&Outcome>,
) -> Value {
    let Observation {
        operator,
        components,
        unseen,
        subscriptions,
        answer,
        ..
    } = observation;
    let by_install = own_install(operator, components).map(diverged_from_content);
    let mut judged = vec![
        update(asked, answer.as_ref()),
        by_install.unwrap_or_else(|| diverged(asked, answer.as_ref(), components, unseen)),
    ];
    judged.extend(wanted.map(resolved));
    judged.extend(pending(components));
    judged.extend(own_install(operator, components).and_then(unread));
    judged.extend(not_seen(unseen));
    judged.extend(associated(operator, components, subscriptions));
    rendered(observation, judged, false)
}

fn not_seen(unseen: &BTreeMap<String, String>) -> Option<Judgment> {
    let (kind, why) = unseen.first_key_value()?;
    let kinds: Vec<_> = unseen.keys().map(String::as_str).collect();
    Some((
        ConditionType::ComponentsNotListed,
        UndatedCondition::yes(
            Reason::KindsForbidden,
            format!(
                "components of these kinds cannot be listed: {}; error for {kind}: {why}",
                kinds.join(", ")
            ),
        ),
    ))
}

/// Returns all conditions of the status, given the conditions that were decided.
pub(crate) fn rendered(
    observation: &Observation,
    judged: impl IntoIterator<Item = Judgment>,
    is_deletion: bool,
) -> Value {
    let operator = &observation.operator;
    let before = operator.stored.status.as_ref();
    let before = before.and_then(|status| status.get("conditions"));
    let before = before.map(status::read).unwrap_or_default();
    let mut decided = Conditions::default();
    decided.extend(judged);
    let reconcile = Reconcile {
        before: &before,
        generation: Some(operator.generation),
        now: observation.now.into(),
    };
    json!(decided.render(&reconcile, |type_| undecided(type_, is_deletion)))
}

/// Returns what happens to a condition that was not decided: it is kept or removed. In a deletion,
/// only the conditions about the deletion are decided, so the others are kept.
fn undecided(type_: ConditionType, is_deletion: bool) -> Undecided<Reason> {
    let of_components = if is_deletion {
        Undecided::Kept
    } else {
        Undecided::Removed
    };
    match type_ {
        ConditionType::UpdateAvailable
        | ConditionType::ComponentsDiverge
        | ConditionType::ContentResolved
        | ConditionType::InstallPendingApproval
        | ConditionType::ContentImportError
        | ConditionType::ComponentsNotListed
        | ConditionType::SubscriptionUnassociated => of_components,
        ConditionType::Deleting => Undecided::Removed,
    }
}

fn available(asked: &Result<Question, Unasked>, answer: Option<&Answer>) -> Vec<Value> {
    let (Ok(question), Some(Answer::Known(known))) = (asked, answer) else {
        return Vec::new();
    };
    let updates = known.updates.iter().map(|update| {
        json!({
            "name": question.catalog, "package": question.package,
            "channel": update.channel, "bundle": update.bundle, "version": update.version,
        })
    });
    updates.collect()
}

// --- components ---

/// Returns the list of components in the status. A component keeps its `resourceVersion` in the
/// status until one of its listed fields changes. A new `resourceVersion` therefore shows a visible
/// change.
fn refs(before: Option<&Map<String, Value>>, components: &[Component]) -> Vec<Value> {
    let before = before.and_then(|status| status.get("components"));
    let before = before.and_then(|it| it["refs"].as_array());
    let uid = |it: &Value| it["uid"].as_str().map(str::to_owned);
    let before = before.into_iter().flatten();
    let before: BTreeMap<_, _> = before.filter_map(|it| Some((uid(it)?, it))).collect();
    let mut sorted: Vec<_> = components.iter().collect();
    sorted.sort_by(|one, other| by_kind(&one.id, &other.id));
    let refs = sorted.into_iter().map(|component| {
        let mut shown = reference(component);
        let known = before.get(&component.uid);
        let version = known.map(|known| known["resourceVersion"].clone());
        if let Some(version) = version {
            let new = std::mem::replace(&mut shown["resourceVersion"], version);
            if known.is_some_and(|known| **known != shown) {
                shown["resourceVersion"] = new;
            }
        }
        shown
    });
    refs.collect()
}

fn reference(component: &Component) -> Value {
    let Component {
        id: ObjectRef {
            kind,
            namespace,
            name,
        },
        uid,
        resource_version,
        created: _,
        is_planned: _,
        reading,
    } = component;
    let mut shown = json!({
        "kind": kind.kind, "name": name, "uid": uid, "apiVersion": kind.api_version(),
        "resourceVersion": resource_version,
    });
    if let Some(namespace) = namespace {
        shown["namespace"] = json!(namespace);
    }
    if !reading.conditions.is_empty() {
        shown["conditions"] = json!(reading.conditions);
    }
    shown
}

/// Returns the components part of the status. Components that do not fit in the annotation are only
/// counted.
fn fitted(operator: &str, refs: Vec<Value>, stored: &Stored, status: &Map<String, Value>) -> Value {
    let labels = Map::from_iter([(label_key(operator), json!(""))]);
    let mut shown = json!({"matchLabels": labels, "refs": []});
    let spec = json!(stored.spec).to_string().len();
    let used = spec + json!(status).to_string().len() + shown.to_string().len() + 100;
    let mut left = LARGEST.saturating_sub(used);
    let all = refs.len();
    let fits = refs.into_iter().take_while(|it| {
        let bytes = it.to_string().len() + 1;
        let fits = bytes <= left;
        left = left.saturating_sub(bytes);
        fits
    });
    let fits: Vec<_> = fits.collect();
    if fits.len() < all {
        shown["omitted"] = json!(all - fits.len());
    }
    shown["refs"] = json!(fits);
    shown
}
