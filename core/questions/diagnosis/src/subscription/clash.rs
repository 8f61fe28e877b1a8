//! Explains Subscriptions that cannot be installed in the same namespace.

use portolan_core_names::text::listed;
use portolan_core_olm::Subscription;

use super::delete;
use crate::case::Case;
use crate::cure::Cure;
use crate::outlook::Contested;
use crate::{Cause, Code, State, evidence};

/// Returns the cause if this Subscription and the `rivals` need the same package or API. Only one
/// operator of a namespace can provide the package or API.
pub(super) fn cause(case: Case<'_>, what: &Contested, rivals: &[String]) -> Cause {
    let object = case.subject();
    let namespace = case.situation().name();
    let others = match rivals {
        [] => "another operator of the namespace".to_owned(),
        rivals => {
            let named = rivals.iter().map(|name| format!("{namespace}/{name}"));
            format!("Subscription {}", listed(named))
        }
    };
    let (code, message) = match what {
        Contested::Package(package) => (
            Code::DuplicateSubscription,
            format!(
                "{object} and {others} request package {package}. A namespace can have only one \
                 operator of a package."
            ),
        ),
        Contested::Api(api) => (
            Code::ApiProvidedTwice,
            format!(
                "The operators of {object} and {others} provide {api}. A namespace can have only \
                 one operator that provides this API. Remove one of the operators, or move it to \
                 another namespace."
            ),
        ),
    };
    let cause = Cause::new(code, State::Stuck, object, &message);
    let Some(subscription) = case.subscription else {
        let who = format!("the owner of namespace {namespace}");
        return cause.cured(Cure::external(&who, "Keep only one of these operators."));
    };
    let rivals = rivals
        .iter()
        .filter_map(|name| case.situation().subscription(name));
    let shown = rivals.flat_map(evidence::subscription);
    cause
        .cured(Cure::Choice(vec![delete(case, subscription)]))
        .shown(evidence::subscription(subscription))
        .shown(shown)
        .shown(evidence::condition_evidence(
            subscription,
            Subscription::RESOLUTION_FAILED,
        ))
}
