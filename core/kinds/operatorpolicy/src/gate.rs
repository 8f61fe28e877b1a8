//! The checks that must pass before the conditions of a policy are judged.

use std::sync::LazyLock;

use jiff::Timestamp;
use portolan_api::{Intent, OperatorPolicyStatus, Presence, Refusals};
use portolan_core_olm::LONGEST_COMPONENT;

use crate::case::Case;
use crate::not_judged::NotJudged;
use crate::removal::{self, RemovalCase};
use crate::{Answer, Answers, NamespaceState, Observed, kinds};

/// The two kinds of policies, for which the decisions differ.
pub(crate) enum Subject<'a> {
    /// The policy is being deleted, and its operator is removed.
    Leaving(RemovalCase<'a>),
    /// The policy is not being deleted.
    Staying(Case<'a>),
}

/// An empty state. Used if a policy has no namespace and its operator must be absent.
static NOWHERE: LazyLock<NamespaceState> = LazyLock::new(NamespaceState::default);
/// An empty status. Used if a policy has no status.
static NO_STATUS: LazyLock<OperatorPolicyStatus> = LazyLock::new(OperatorPolicyStatus::default);

/// Returns the policy with all facts for the decision. Returns the reason if the policy cannot be
/// judged.
pub(crate) fn subject<'a>(
    parsed: &'a Result<Intent, Refusals>,
    observed: &'a Observed,
    answers: &'a Answers,
    now: Timestamp,
) -> Result<Subject<'a>, NotJudged> {
    let policy = &observed.policy;
    if policy.metadata.deletion_timestamp.is_some() {
        let removal = removal::case_of(parsed.as_ref().ok(), observed, now);
        return removal.map(Subject::Leaving);
    }
    let intent = parsed
        .as_ref()
        .map_err(|refusals| NotJudged::invalid(refusals.sentences()))?;
    if let Some(never) = observed.stale.iter().find(|stale| stale.since.is_none()) {
        return Err(NotJudged::Unknown(never.to_string()));
    }
    Ok(Subject::Staying(Case {
        intent,
        observed,
        namespace: namespace(intent, observed, answers)?,
        answers,
        before: policy.status.as_ref().unwrap_or(&NO_STATUS),
        now,
    }))
}

/// Returns the namespace of a policy's operator from the first source that has a value: the
/// policy's spec, its status, the catalog's suggestion, the controller's default.
fn namespace<'a>(
    intent: &Intent,
    observed: &'a Observed,
    answers: &Answers,
) -> Result<&'a NamespaceState, NotJudged> {
    if let Some(namespace) = &observed.namespace {
        return Ok(namespace);
    }
    let found = |namespace| NotJudged::NamespaceFound {
        package: intent.subscription.package.to_string(),
        namespace,
    };
    let standing = observed.standing.as_ref();
    let written = intent.subscription.namespace.clone();
    let known = written
        .or_else(|| standing?.namespace.clone())
        .or_else(|| adopted(intent, observed));
    if let Some(namespace) = known {
        return Err(found(namespace));
    }
    let suggested = match &answers.offer {
        Answer::Unavailable(unavailable) => {
            return Err(NotJudged::Unknown(unavailable.to_string()));
        }
        Answer::Found(offer) => offer.suggested_namespace.clone(),
        Answer::NotFound(_) | Answer::NotAsked => None,
    };
    match suggested.or_else(|| observed.default_namespace.clone()) {
        Some(namespace) => Err(found(namespace)),
        // The operator does not exist in any namespace, so the choice of the namespace has no
        // effect.
        None if is_absent(intent, observed, answers) => Ok(&NOWHERE),
        None => Err(NotJudged::invalid(vec![nowhere(answers)])),
    }
}

/// Returns true if an operator must be absent and cannot be installed: the cluster has no OLM, or
/// no catalog contains the operator.
fn is_absent(intent: &Intent, observed: &Observed, answers: &Answers) -> bool {
    let is_nowhere = match &answers.offer {
        Answer::NotFound(_) => true,
        Answer::Found(_) | Answer::NotAsked | Answer::Unavailable(_) => !observed.has_olm,
    };
    intent.presence == Presence::MustNotHave && is_nowhere
}

fn nowhere(answers: &Answers) -> String {
    let why = match &answers.offer {
        Answer::NotFound(sentence) => format!("{sentence}, and there is no default"),
        Answer::Found(_) => "neither its catalog nor the controller has a default".to_owned(),
        Answer::NotAsked | Answer::Unavailable(_) => "there is no default".to_owned(),
    };
    format!(
        "spec.subscription.namespace is missing: {why}; set this field to the namespace of the \
         operator"
    )
}

/// Returns the namespace of the policy's Subscription, as recorded in the status. Returns None if
/// the status lists several Subscriptions.
fn adopted(intent: &Intent, observed: &Observed) -> Option<String> {
    let status = observed.policy.status.as_ref()?;
    let objects = status.related_objects.iter().map(|related| &related.object);
    let (api_version, kind) = kinds::SUBSCRIPTION;
    let mut subscriptions = objects
        .filter(|object| object.kind == kind && object.api_version == api_version)
        .filter(|object| object.metadata.name == intent.subscription.package.as_str());
    let Some(only) = subscriptions.next() else {
        return labeled(intent, status);
    };
    let namespace = only.metadata.namespace.clone();
    namespace.filter(|namespace| !namespace.is_empty() && subscriptions.next().is_none())
}

/// Returns the namespace from the label of the Subscription, as recorded in the status. Returns
/// None if the label may be truncated.
fn labeled(intent: &Intent, status: &OperatorPolicyStatus) -> Option<String> {
    let label = status.resolved_subscription_label.as_deref()?;
    let rest = label.strip_prefix(intent.subscription.package.as_str());
    let namespace = rest?.strip_prefix('.')?;
    (label.len() < LONGEST_COMPONENT && !namespace.is_empty()).then(|| namespace.to_owned())
}
