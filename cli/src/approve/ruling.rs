//! Decides if a user may approve an InstallPlan of OLM.

use std::collections::BTreeSet;

use portolan_core_olm::ApprovalCode as Code;
use portolan_proto::approval::v1::Review;
use portolan_proto::basis::v1::Reason;

use crate::print::words::located;
use crate::review::reviewed;

/// The decision about the approval of an InstallPlan by a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ruling {
    /// No policy denies the plan, or the user overrides each policy that denies it.
    Free,
    /// The plan is already approved.
    Done,
    /// The plan cannot be approved. Contains the reasons.
    Refused(Vec<String>),
    /// The policies could not be read. Contains the reasons.
    Unknown(Vec<String>),
    /// The plan is denied by policies that the user does not override. Contains the reasons.
    Denied {
        policies: BTreeSet<String>,
        reasons: Vec<String>,
    },
    /// The user overrides these policies, but they do not deny the plan.
    NotDenied(BTreeSet<String>),
}

/// The effect of a reason of a review on an approval by a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// The reason does not prevent an approval by a user.
    None,
    /// A policy denies the plan, and the user can override the policy.
    Denial,
    /// Policies cannot allow the plan, and a user cannot approve the plan either.
    Refusal,
    /// The policies could not be read.
    Doubt,
}

/// The kinds of objects that define policies.
const POLICIES: [&str; 3] = ["OperatorPolicy", "Policy", "PolicyBinding"];

/// Decides if a user may approve the plan of the review. `overridden` contains the policies that
/// the user overrides, each as NAMESPACE/NAME.
pub(super) fn rule(review: &Review, overridden: &[String]) -> Ruling {
    if review.approved {
        return Ruling::Done;
    }
    let reasons = all_reasons(review);
    let of = |meaning: Meaning| -> Vec<String> {
        let with_meaning = reasons.iter().filter(|it| self::meaning(it) == meaning);
        with_meaning
            .map(|it| format!("{}: {}", it.code, it.message))
            .collect()
    };
    let refusals = of(Meaning::Refusal);
    if !refusals.is_empty() {
        return Ruling::Refused(refusals);
    }
    if !review.waits {
        return Ruling::Refused(vec![not_waiting(review)]);
    }
    let doubts = of(Meaning::Doubt);
    if !doubts.is_empty() {
        return Ruling::Unknown(doubts);
    }
    let denials = reasons.iter().filter(|it| meaning(it) == Meaning::Denial);
    let denying: BTreeSet<String> = denials.map(|it| policy(it)).collect();
    let overridden: BTreeSet<String> = overridden.iter().cloned().collect();
    let others: BTreeSet<String> = overridden.difference(&denying).cloned().collect();
    if !others.is_empty() {
        return Ruling::NotDenied(others);
    }
    if denying.is_subset(&overridden) {
        return Ruling::Free;
    }
    Ruling::Denied {
        policies: denying,
        reasons: of(Meaning::Denial),
    }
}

/// Returns the reasons of the plan and of its bundles, without duplicates.
fn all_reasons(review: &Review) -> Vec<&Reason> {
    let bundles = review.bundles.iter().map(|it| it.verdict.as_ref());
    let verdicts = [review.verdict.as_ref()].into_iter().chain(bundles);
    let mut reasons: Vec<&Reason> = Vec::new();
    for reason in verdicts.flat_map(reviewed::reasons) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

fn meaning(reason: &Reason) -> Meaning {
    let Some(code) = Code::parse(&reason.code) else {
        return Meaning::Refusal;
    };
    match code {
        // Without a policy, the user decides. A policy with the reason `UpdatesNotAllowed` leaves
        // the decision to the user.
        Code::NoPolicy | Code::UpdatesNotAllowed | Code::ForcedManual => Meaning::None,
        Code::NotObserved | Code::PolicyServiceUnavailable => Meaning::Doubt,
        Code::NotWritten
        | Code::Finished
        | Code::Superseded
        | Code::NotCurrent
        | Code::StepWithoutBundle
        | Code::UnknownPackage
        | Code::NoSubscription => Meaning::Refusal,
        Code::DependencyNotAllowed
        | Code::DependencyOutOfRange
        | Code::NotAllowed
        | Code::OtherCatalog
        | Code::PolicyInforms
        | Code::PolicyForbids
        | Code::PolicyInvalid
        | Code::PolicyOverlaps
        | Code::PolicyTerminating
        | Code::PolicyUnresolved
        | Code::SubscriptionMissing
        | Code::TimeRestricted
        | Code::DeniedByPolicy => {
            if is_of_policy(reason) {
                Meaning::Denial
            } else {
                Meaning::Refusal
            }
        }
    }
}

fn is_of_policy(reason: &Reason) -> bool {
    let kind = reason.object.as_ref().map(|it| it.kind.as_str());
    kind.is_some_and(|kind| POLICIES.contains(&kind))
}

/// Returns the name of the policy in a reason, as NAMESPACE/NAME. Returns NAME for a cluster-scoped
/// policy.
fn policy(reason: &Reason) -> String {
    let object = reason.object.clone().unwrap_or_default();
    located(&object.namespace, &object.name)
}

fn not_waiting(review: &Review) -> String {
    if !review.manual {
        return "OLM approves the InstallPlan automatically".to_owned();
    }
    match review.phase.as_str() {
        "" => "OLM has not set the phase of the InstallPlan yet; try again later".to_owned(),
        phase => format!("the InstallPlan is in phase {phase}, and does not wait for approval"),
    }
}

#[cfg(test)]
mod tests {
    use portolan_proto::approval::v1::{Bundle, Verdict};
    use portolan_proto::basis::v1::ObjectRef;
    use rstest::rstest;

    use super::*;

    fn reason(code: &str, kind: &str) -> Reason {
        Reason {
            code: code.to_owned(),
            message: "It says why".to_owned(),
            object: Some(ObjectRef {
                kind: kind.to_owned(),
                namespace: "policies".to_owned(),
                name: "ferry".to_owned(),
            }),
        }
    }

    /// Returns the review of a pending plan with these reasons. A bundle of the plan also has the
    /// last reason.
    fn pending(reasons: &[Reason]) -> Review {
        let verdict = |reasons: &[Reason]| {
            let reasons = reasons.to_vec();
            Some(Verdict {
                reasons,
                ..Verdict::default()
            })
        };
        let bundle = Bundle {
            verdict: verdict(reasons.last().map_or(&[], std::slice::from_ref)),
            ..Bundle::default()
        };
        Review {
            manual: true,
            waits: true,
            phase: "RequiresApproval".to_owned(),
            verdict: verdict(reasons),
            bundles: vec![bundle],
            ..Review::default()
        }
    }

    fn ferry() -> BTreeSet<String> {
        BTreeSet::from(["policies/ferry".to_owned()])
    }

    #[rstest]
    #[case::allowed(&[])]
    #[case::without_policy(&[reason("NoPolicy", "ClusterServiceVersion")])]
    #[case::left_to_people(&[reason("UpdatesNotAllowed", "OperatorPolicy")])]
    fn user_may_approve_a_plan_that_no_policy_denies(#[case] reasons: &[Reason]) {
        assert_eq!(rule(&pending(reasons), &[]), Ruling::Free);
    }

    #[rstest]
    #[case::version("NotAllowed", "OperatorPolicy")]
    #[case::window("TimeRestricted", "Policy")]
    #[case::rule("DeniedByPolicy", "PolicyBinding")]
    #[case::inform("PolicyInforms", "OperatorPolicy")]
    #[case::dependency("DependencyNotAllowed", "OperatorPolicy")]
    fn denial_requires_name_of_policy(#[case] code: &str, #[case] kind: &str) {
        let review = pending(&[
            reason("NoPolicy", "ClusterServiceVersion"),
            reason(code, kind),
        ]);
        let denied = Ruling::Denied {
            policies: ferry(),
            reasons: vec![format!("{code}: It says why")],
        };
        assert_eq!(rule(&review, &[]), denied);
        assert_eq!(rule(&review, &["policies/ferry".to_owned()]), Ruling::Free);
        let other = ["policies/ferry".to_owned(), "policies/tug".to_owned()];
        let tug = BTreeSet::from(["policies/tug".to_owned()]);
        assert_eq!(rule(&review, &other), Ruling::NotDenied(tug));
    }

    #[rstest]
    #[case::finished("Finished")]
    #[case::superseded("Superseded")]
    #[case::without_content("NotWritten")]
    #[case::not_of_its_subscription("NotCurrent")]
    #[case::stray_step("StepWithoutBundle")]
    #[case::code_of_a_later_version("SomethingNew")]
    fn rejects_plan_that_is_not_waiting_for_approval(#[case] code: &str) {
        let review = pending(&[reason(code, "InstallPlan")]);
        let refused = Ruling::Refused(vec![format!("{code}: It says why")]);
        assert_eq!(rule(&review, &[]), refused);
        assert_eq!(rule(&review, &["policies/ferry".to_owned()]), refused);
    }

    #[rstest]
    #[case::unread("NotObserved")]
    #[case::policies_not_evaluated("PolicyServiceUnavailable")]
    fn unknown_policies_allow_no_approval(#[case] code: &str) {
        let review = pending(&[reason(code, "OperatorPolicy")]);
        let unknown = Ruling::Unknown(vec![format!("{code}: It says why")]);
        assert_eq!(rule(&review, &[]), unknown);
        assert_eq!(rule(&review, &["policies/ferry".to_owned()]), unknown);
    }

    #[test]
    fn approved_plan_needs_no_approval() {
        let review = Review {
            approved: true,
            waits: false,
            ..pending(&[reason("Finished", "InstallPlan")])
        };
        assert_eq!(rule(&review, &[]), Ruling::Done);
    }

    #[rstest]
    #[case::automatic(
        false,
        "RequiresApproval",
        "OLM approves the InstallPlan automatically"
    )]
    #[case::installing(
        true,
        "Installing",
        "the InstallPlan is in phase Installing, and does not wait for approval"
    )]
    #[case::new(
        true,
        "",
        "OLM has not set the phase of the InstallPlan yet; try again later"
    )]
    fn plan_that_does_not_wait_is_rejected(
        #[case] manual: bool,
        #[case] phase: &str,
        #[case] expected: &str,
    ) {
        let review = Review {
            manual,
            waits: false,
            phase: phase.to_owned(),
            ..pending(&[])
        };
        assert_eq!(
            rule(&review, &[]),
            Ruling::Refused(vec![expected.to_owned()])
        );
    }
}
