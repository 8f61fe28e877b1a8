//! What approval says of the InstallPlan.

use portolan_olm::InstallPlan;

use crate::case::Case;
use crate::phrase::clause;
use crate::{Heard, Judged, Observed, Review, State, Why};

/// The review of exactly this InstallPlan, in the state in which it is seen; else why there is
/// none, and whether one may come by itself.
pub(crate) fn exact<'a>(case: &Case<'a>, plan: &InstallPlan) -> Result<&'a Review, (String, bool)> {
    let reviews = match &case.answers.reviews {
        Heard::Said(reviews) => reviews,
        Heard::Unasked => return Err(("approval was not asked".to_owned(), true)),
        Heard::Nothing(why) => return Err((format!("approval says: {}", clause(why)), true)),
        Heard::Silent(silence) => return Err((clause(&silence.to_string()), false)),
    };
    let metadata = &plan.metadata;
    let is_same =
        |text: &str, seen: &Option<String>| !text.is_empty() && seen.as_deref() == Some(text);
    let is_exact = |review: &&Review| {
        is_same(&review.plan, &metadata.name)
            && is_same(&review.uid, &metadata.uid)
            && is_same(&review.resource_version, &metadata.resource_version)
    };
    // What speaks against it in one state does in the next; only a Yes is for one state alone.
    let is_against = |review: &&Review| {
        is_same(&review.uid, &metadata.uid) && review.verdict.state != State::Yes
    };
    let found = reviews.iter().find(is_exact);
    let found = found.or_else(|| reviews.iter().find(is_against));
    found.ok_or_else(|| ("approval has not seen it as it is now".to_owned(), true))
}

/// Whether nobody may go by a review: the InstallPlan that is seen is another one or, where it
/// would be allowed, in another state, or the policy is in another generation.
pub fn is_outdated(review: &Review, observed: &Observed) -> bool {
    let mut plans = observed.scene.iter().flat_map(|scene| &scene.plans);
    let plan = plans.find(|plan| plan.metadata.name.as_ref() == Some(&review.plan));
    let is_of_plan = plan.is_some_and(|plan| {
        let metadata = &plan.metadata;
        let is_same_state = metadata.resource_version.as_ref() == Some(&review.resource_version);
        metadata.uid.as_ref() == Some(&review.uid)
            && (review.verdict.state != State::Yes || is_same_state)
    });
    let metadata = &observed.policy.metadata;
    let generation = metadata.generation.unwrap_or_default();
    let is_own = |judged: &&Judged| {
        (Some(&judged.namespace), Some(&judged.name))
            == (metadata.namespace.as_ref(), metadata.name.as_ref())
    };
    let mut own = review.policies.iter().filter(is_own);
    let is_of_policy = own.all(|judged| {
        metadata.uid.as_ref() == Some(&judged.uid) && i64::from(judged.generation) == generation
    });
    !is_of_plan || !is_of_policy
}

/// The review of this InstallPlan in whatever state it was: what it brings never changes.
pub(super) fn any<'a>(case: &Case<'a>, plan: &InstallPlan) -> Option<&'a Review> {
    let Heard::Said(reviews) = &case.answers.reviews else {
        return None;
    };
    let mut reviews = reviews.iter();
    reviews.find(|review| {
        !review.uid.is_empty() && plan.metadata.uid.as_deref() == Some(review.uid.as_str())
    })
}

/// Everything that speaks against it, the plan before its bundles, and for each bundle the nearest
/// way out.
pub(crate) fn objections(review: &Review) -> Vec<(Why, Option<String>)> {
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
    let mut all: Vec<(Why, Option<String>)> = Vec::new();
    for objection in of_plan.chain(of_bundles) {
        if !all.contains(&objection) {
            all.push(objection);
        }
    }
    all
}

/// The same for people.
pub(super) fn objected(review: &Review) -> String {
    let objections = objections(review).into_iter();
    let sentences: Vec<_> = objections
        .map(|(reason, fix)| match fix {
            Some(fix) => format!("{}. {}", clause(&reason.message), clause(&fix)),
            None => clause(&reason.message),
        })
        .collect();
    match sentences.is_empty() {
        true => "approval does not say why".to_owned(),
        false => sentences.join(". "),
    }
}
