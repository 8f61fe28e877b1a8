//! Applies windows and rules at a given time to the reviews of InstallPlans. If a PolicyBinding
//! binds an UpgradePolicy to an OperatorPolicy, the OperatorPolicy approves only the bundles that
//! the UpgradePolicy allows.

use std::sync::Arc;

use futures::future::join_all;
use jiff::Timestamp;
use portolan_api::policy::SubjectKind;
use portolan_core_approval::consent::{self, Fallback, Move, OperatorId, Version};
use portolan_core_approval::{
    Allowance, ApprovalCode, BundleReview, PolicyId, Reason, Restraint, Review, State,
};
use portolan_core_names as names;

use crate::judges::{Judges, ReviewUpgrade, ReviewedUpgrade};
use crate::snapshot::UpgradeFacts;

/// A review for a given time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Restricted {
    pub(crate) review: Arc<Review>,
    /// The time at which the review may change without a change of an object. None if there is no
    /// such time.
    pub(crate) next: Option<Timestamp>,
}

/// Returns a review with the restrictions at this time.
pub(crate) async fn restricted(
    judges: &Judges,
    facts: Option<&Arc<UpgradeFacts>>,
    review: &Arc<Review>,
    at: Timestamp,
) -> Restricted {
    let (restraints, next) = restraints(judges, facts, review, at).await;
    // Without restrictions, the review is shared and not copied.
    let review = if restraints.is_empty() {
        review.clone()
    } else {
        Arc::new(Review::clone(review).withhold(&restraints))
    };
    Restricted { review, next }
}

/// Returns the restraints on the approvals of an InstallPlan at this time, and the time at which
/// the restraints may change. Each approval that must be reviewed has one restraint.
pub(crate) async fn restraints(
    judges: &Judges,
    facts: Option<&Arc<UpgradeFacts>>,
    review: &Review,
    at: Timestamp,
) -> (Vec<Restraint>, Option<Timestamp>) {
    let Some(facts) = facts else {
        return (Vec::new(), None);
    };
    let judged = moves(facts, review)
        .into_iter()
        .map(async |(restraint, asked)| {
            let asked = ReviewUpgrade { asked, at };
            let answer = judges.judge(asked, facts.clone()).await;
            let reasons = reasons(facts, &answer);
            (
                Restraint {
                    reasons,
                    ..restraint
                },
                answer.next(),
            )
        });
    let (restraints, nexts): (Vec<_>, Vec<_>) = join_all(judged).await.into_iter().unzip();
    (restraints, nexts.into_iter().flatten().min())
}

/// Returns the upgrades of an InstallPlan that must be reviewed, each with its restraint. Empty if
/// no PolicyBinding applies to the policies of the InstallPlan, which is the usual case.
fn moves(facts: &UpgradeFacts, review: &Review) -> Vec<(Restraint, Move)> {
    let asked = review.approvals().map(|(bundle, allowance)| {
        let restraint = Restraint {
            plan: review.plan.clone(),
            bundle: bundle.name.clone(),
            policy: allowance.policy.clone(),
            reasons: Vec::new(),
        };
        (restraint, asked(facts, bundle, allowance))
    });
    asked
        .filter(|(_, asked)| is_bound(facts, &asked.operator))
        .collect()
}

fn is_bound(facts: &UpgradeFacts, operator: &OperatorId) -> bool {
    let may_deny = facts.terms.unbound == Fallback::Deny
        || !facts.unseen_policies.is_empty()
        || !facts.world.grounds(&facts.operators, operator).is_empty();
    facts.are_policies_served && may_deny
}

fn asked(facts: &UpgradeFacts, bundle: &BundleReview, allowance: &Allowance) -> Move {
    let PolicyId {
        namespace, name, ..
    } = &allowance.policy;
    let operator = OperatorId::of(SubjectKind::OperatorPolicy, namespace, name);
    let package = bundle.package.as_ref().map(ToString::to_string);
    let version = |version: Option<&names::Version>| {
        let version = version.map(ToString::to_string);
        version.unwrap_or_default()
    };
    Move {
        labels: facts.labels.get(&operator).cloned().unwrap_or_default(),
        operator,
        package: package.unwrap_or_default(),
        from: bundle.installed.as_ref().map(|installed| Version {
            bundle: installed.name.clone(),
            version: version(installed.version.as_ref()),
        }),
        to: Version {
            bundle: bundle.name.clone(),
            version: version(bundle.version.as_ref()),
        },
    }
}

/// Returns the reasons why a policy must not approve now. Empty if the policy may approve.
fn reasons(facts: &UpgradeFacts, answer: &ReviewedUpgrade) -> Vec<Reason> {
    let operator = &answer.question.asked.operator;
    let unknown = |why: &str| Reason {
        state: State::NotYet,
        code: ApprovalCode::PolicyServiceUnavailable,
        object: (
            operator.kind.as_str(),
            operator.namespace.clone(),
            operator.name.clone(),
        ),
        message: why.to_owned(),
    };
    let unseen = unseen(facts, answer).iter().map(|why| unknown(why));
    let Some(review) = &answer.review else {
        let late = "the rules of the Policies were not evaluated in time, so the upgrade is not \
         allowed";
        return unseen.chain([unknown(late)]).collect();
    };
    let denied: Vec<_> = if review.allows {
        Vec::new()
    } else {
        let state = match review.next {
            Some(_) => State::NotYet,
            None => State::No,
        };
        let told = review.reasons.iter();
        told.map(|reason| denied(state, reason)).collect()
    };
    unseen.chain(denied).collect()
}

/// Returns the reasons why the restrictions of a policy are unknown. A binding may seem broken only
/// because the operators that it names cannot be listed.
fn unseen<'a>(facts: &'a UpgradeFacts, answer: &ReviewedUpgrade) -> &'a [String] {
    let lacks_operator = answer.grounds.iter().any(|ground| {
        let name = &ground.object.name;
        ground.is_broken && facts.world.lacks_operator(name, &facts.operators)
    });
    if lacks_operator {
        &facts.unseen
    } else {
        &facts.unseen_policies
    }
}

fn denied(state: State, reason: &consent::Reason) -> Reason {
    let consent::Reason {
        code,
        message,
        object,
    } = reason;
    Reason {
        state,
        code: match code {
            consent::Code::TimeRestricted => ApprovalCode::TimeRestricted,
            consent::Code::DeniedByRule
            | consent::Code::RuleFailed
            | consent::Code::PolicyInvalid
            | consent::Code::BindingBroken
            | consent::Code::BindingInvalid
            | consent::Code::NoPolicyBinding
            | consent::Code::Allowed => ApprovalCode::DeniedByPolicy,
        },
        object: (object.kind, object.namespace.clone(), object.name.clone()),
        message: message.clone(),
    }
}
