//! Checks the approval service's review of the InstallPlan.

use portolan_api::PolicyId;
use portolan_core_olm::{ApprovalCode, InstallPlan};

use crate::case::Case;
use crate::phrase::clause;
use crate::{Answer, Observed, PlanReview, ReviewedPolicy, State, Why};

/// Returns the review of the InstallPlan in its observed state.
///
/// # Errors
///
/// Returns the reason why no such review exists, and true if a later review is possible.
pub(crate) fn exact<'a>(
    case: &Case<'a>,
    plan: &InstallPlan,
) -> Result<&'a PlanReview, (String, bool)> {
    let reviews = match &case.answers.reviews {
        Answer::Found(reviews) => reviews,
        Answer::NotAsked => return Err(("the approval service was not asked".to_owned(), true)),
        Answer::NotFound(why) => {
            return Err((
                format!(
                    "the approval service reports: \
                                                      {}",
                    clause(why)
                ),
                true,
            ));
        }
        Answer::Unavailable(unavailable) => return Err((clause(&unavailable.to_string()), false)),
    };
    let metadata = &plan.metadata;
    let is_same =
        |text: &str, seen: &Option<String>| !text.is_empty() && seen.as_deref() == Some(text);
    let is_exact = |review: &&PlanReview| {
        is_same(&review.plan, &metadata.name)
            && is_same(&review.uid, &metadata.uid)
            && is_same(&review.resource_version, &metadata.resource_version)
    };
    // If a review objects to an InstallPlan, the objection is still valid after the InstallPlan
    // changes. A Yes is valid only for the reviewed state.
    let is_against = |review: &&PlanReview| {
        is_same(&review.uid, &metadata.uid) && review.verdict.state != State::Yes
    };
    let found = reviews.iter().find(is_exact);
    let found = found.or_else(|| reviews.iter().find(is_against));
    found.ok_or_else(|| {
        (
            "the approval service has not observed the latest version of the InstallPlan"
                .to_owned(),
            true,
        )
    })
}

/// Returns true if a review is outdated. There are three cases: the observed InstallPlan is a
/// different object, the InstallPlan changed after a review that allows it, or a policy has another
/// generation.
pub fn is_outdated(review: &PlanReview, observed: &Observed) -> bool {
    let mut plans = observed
        .namespace
        .iter()
        .flat_map(|namespace| &namespace.plans);
    let plan = plans.find(|plan| plan.metadata.name.as_ref() == Some(&review.plan));
    let is_of_plan = plan.is_some_and(|plan| {
        let metadata = &plan.metadata;
        let is_same_state = metadata.resource_version.as_ref() == Some(&review.resource_version);
        metadata.uid.as_ref() == Some(&review.uid)
            && (review.verdict.state != State::Yes || is_same_state)
    });
    let mut judged = review.policies.iter();
    let is_of_policies = judged.all(|judged| match seen_policy(observed, judged) {
        Some(seen) => is_same(judged, &seen),
        None => true,
    });
    !is_of_plan || !is_of_policies
}

/// A policy whose current state the review may not include.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnseenPolicy {
    /// The namespace of the policy.
    pub namespace: String,
    /// The name of the policy.
    pub name: String,
}

/// Returns the first policy whose current state the review does not include: this policy, or
/// another policy of the namespace. The review may be based on an earlier state of the policy that
/// allows more bundles.
pub fn unseen_policy(review: &PlanReview, observed: &Observed) -> Option<UnseenPolicy> {
    let judged = review.policies.iter();
    let other = judged
        .clone()
        .find(|judged| match seen_policy(observed, judged) {
            Some(seen) => !is_same(judged, &seen),
            // A review based on a deleted policy is outdated only if the policy allows a bundle.
            None => allows(review, judged),
        });
    let other = other.map(|judged| (&judged.namespace, &judged.name));
    let own = own(observed);
    let is_judged = |seen: &PolicyId| judged.clone().any(|judged| is_same(judged, seen));
    let missing = [&own].into_iter().chain(managing(review, observed));
    let mut missing = missing.filter(|seen| !is_judged(seen));
    let missing = missing.next().map(|seen| (&seen.namespace, &seen.name));
    let (namespace, name) = other.or(missing)?;
    Some(UnseenPolicy {
        namespace: namespace.clone(),
        name: name.clone(),
    })
}

/// Returns the other policies of the namespace that manage bundles of the InstallPlan. The review
/// must include each of them.
fn managing<'a>(
    review: &'a PlanReview,
    observed: &'a Observed,
) -> impl Iterator<Item = &'a PolicyId> {
    let here = observed
        .namespace
        .as_ref()
        .map(|namespace| namespace.name.as_str());
    let managing = observed.neighbors.iter().filter(move |other| {
        let mut bundles = review.bundles.iter();
        other.namespace.as_deref() == here
            && bundles.any(|bundle| bundle.package == other.package.as_str())
    });
    managing.map(|other| &other.id)
}

/// Returns the observed identity of a policy that the review names. Names can contain dots, so
/// namespace and name are compared separately.
fn seen_policy(observed: &Observed, judged: &ReviewedPolicy) -> Option<PolicyId> {
    let mut neighbors = observed.neighbors.iter().map(|other| &other.id);
    let is_named = |id: &PolicyId| id.namespace == judged.namespace && id.name == judged.name;
    let own = Some(own(observed)).filter(is_named);
    own.or_else(|| neighbors.find(|id| is_named(id)).cloned())
}

/// Returns the identity of this policy.
fn own(observed: &Observed) -> PolicyId {
    let metadata = &observed.policy.metadata;
    let generation = metadata.generation.and_then(|it| u32::try_from(it).ok());
    PolicyId {
        namespace: metadata.namespace.clone().unwrap_or_default(),
        name: metadata.name.clone().unwrap_or_default(),
        uid: metadata.uid.clone(),
        generation: generation.unwrap_or_default(),
    }
}

fn is_same(judged: &ReviewedPolicy, seen: &PolicyId) -> bool {
    judged.namespace == seen.namespace
        && judged.name == seen.name
        && Some(&judged.uid) == seen.uid.as_ref()
        && judged.generation == seen.generation
}

/// Returns true if the policy allows a bundle of the review.
fn allows(review: &PlanReview, judged: &ReviewedPolicy) -> bool {
    let bundles = review.bundles.iter();
    let mut allowances = bundles.flat_map(|bundle| &bundle.allowances);
    allowances.any(|allowance| allowance.uid == judged.uid)
}

/// Returns the review of this InstallPlan, even if the review is outdated. Returns None if there is
/// no review. The bundles of an InstallPlan never change, so an outdated review lists the same
/// bundles.
pub(super) fn any<'a>(case: &Case<'a>, plan: &InstallPlan) -> Option<&'a PlanReview> {
    let Answer::Found(reviews) = &case.answers.reviews else {
        return None;
    };
    let mut reviews = reviews.iter();
    reviews.find(|review| {
        !review.uid.is_empty() && plan.metadata.uid.as_deref() == Some(review.uid.as_str())
    })
}

/// An objection of the approval service, with the smallest change that resolves it. The change is
/// None if none is known.
pub(crate) type Objection = (Why<ApprovalCode>, Option<String>);

/// Returns all objections of a review, each with the smallest fix: first the objections to the
/// InstallPlan, then the objections to its bundles.
pub(crate) fn objections(review: &PlanReview) -> Vec<Objection> {
    let refused = review.bundles.iter();
    let refused = refused.filter(|bundle| bundle.verdict.state != State::Yes);
    let of_bundles: Vec<_> = refused
        .filter_map(|bundle| {
            let reason = bundle.verdict.reasons.first()?;
            Some((reason.clone(), bundle.fixes.first().cloned()))
        })
        .collect();
    let bundles = review.bundles.iter();
    let known: Vec<_> = bundles.flat_map(|bundle| &bundle.verdict.reasons).collect();
    let of_plan = review.verdict.reasons.iter();
    let of_plan = of_plan.filter(|reason| !known.contains(reason));
    let of_plan = of_plan.map(|reason| (reason.clone(), None));
    let mut all: Vec<Objection> = Vec::new();
    for objection in of_plan.chain(of_bundles) {
        if !all.contains(&objection) {
            all.push(objection);
        }
    }
    all
}

/// Returns text that lists the objections of a review.
pub(super) fn objected(review: &PlanReview) -> String {
    let objections = objections(review).into_iter();
    let sentences: Vec<_> = objections
        .map(|(reason, fix)| match fix {
            Some(fix) => format!("{}. {}", clause(&reason.message), clause(&fix)),
            None => clause(&reason.message),
        })
        .collect();
    if sentences.is_empty() {
        "the approval service gives no reason".to_owned()
    } else {
        sentences.join(". ")
    }
}
