//! Functions about reviews that several modules use.

use portolan_core_olm::{ApprovalCode, ApprovalTopic};
use portolan_proto::approval::v1::verdict::State;
use portolan_proto::approval::v1::{Review, Verdict};
use portolan_proto::basis::v1::{Observed, Reason};

use crate::print::Span;
use crate::print::words::{NONE, located};

/// Returns the namespace and the name of the reviewed plan.
pub(crate) fn names(review: &Review) -> (&str, &str) {
    object(review.plan.as_ref())
}

/// Returns the namespace and the name of the observed object.
pub(super) fn object(observed: Option<&Observed>) -> (&str, &str) {
    let object = observed.and_then(|observed| observed.object.as_ref());
    object.map_or(("", NONE), |object| (&object.namespace, &object.name))
}

/// Returns NAMESPACE/NAME.
pub(super) fn place((namespace, name): (&str, &str)) -> String {
    located(namespace, name)
}

/// Returns true if OLM has completed the plan.
pub(super) fn is_finished(review: &Review) -> bool {
    codes(review).any(|code| code == ApprovalCode::Finished)
}

/// Returns true if the plan no longer needs an approval.
pub(crate) fn is_settled(review: &Review) -> bool {
    codes(review).any(|code| code.topic() == ApprovalTopic::Settled)
}

/// Returns true if the plan waits until a person approves it or changes a policy.
pub(super) fn waits_for_a_person(review: &Review) -> bool {
    review.waits && !is_settled(review) && state(review.verdict.as_ref()) == State::No
}

/// Returns true if the plan is pending, but some objects that the decision depends on could not be
/// read.
pub(super) fn is_in_doubt(review: &Review) -> bool {
    review.waits && codes(review).any(|code| code.topic() == ApprovalTopic::Doubt)
}

/// Returns the approval codes in the review. Omits codes that only a newer version of the service
/// sends.
fn codes(review: &Review) -> impl Iterator<Item = ApprovalCode> {
    let reasons = reasons(review.verdict.as_ref()).iter();
    reasons.filter_map(|reason| ApprovalCode::parse(&reason.code))
}

pub(super) fn state(verdict: Option<&Verdict>) -> State {
    verdict.map_or(State::Unspecified, Verdict::state)
}

pub(crate) fn reasons(verdict: Option<&Verdict>) -> &[Reason] {
    verdict.map_or(&[], |verdict| &verdict.reasons)
}

/// Returns the state of a verdict as one word.
pub(super) fn word(verdict: Option<&Verdict>) -> Span {
    match state(verdict) {
        State::Yes => Span::good("Yes"),
        State::No => Span::error("No"),
        State::NotYet => Span::warning("NotYet"),
        State::Unspecified => Span::warning("unknown"),
    }
}
