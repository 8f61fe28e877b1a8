//! Why nothing of a policy is removed.

use jiff::{SignedDuration, Timestamp};
use portolan_api::{Form, Intent, PolicyId, Remediation, Says, Standing, Withheld};

use crate::Observed;

/// How long after its deletion a policy waits for others that have not told yet where they work.
const PATIENCE: SignedDuration = SignedDuration::from_secs(60);

/// Why nothing is removed when a policy is deleted, as a clause.
pub(super) fn on_leaving(intent: Option<&Intent>, observed: &Observed) -> Option<String> {
    if observed.is_kind_leaving {
        let why = "the definition of OperatorPolicies itself is being deleted, which is no wish \
                   about operators";
        return Some(why.to_owned());
    }
    let Some(intent) = intent else {
        return Some("the policy is not valid".to_owned());
    };
    match (intent.form, intent.remediation) {
        (Form::Established, _) => {
            let why = "the deletion of a policy with complianceType leaves its operator";
            return Some(why.to_owned());
        }
        (Form::Design, Remediation::Inform) => return Some("the policy only informs".to_owned()),
        (Form::Design, Remediation::Enforce) => {}
    }
    others(intent, observed, |_| true)
}

/// Why it cannot be said yet whether anything is removed when a policy is deleted, as a clause, and
/// until when that is waited for: nobody knows of another one, which is young, where it works.
pub(super) fn for_now(
    intent: Option<&Intent>,
    observed: &Observed,
    now: Timestamp,
) -> Option<(String, Timestamp)> {
    let removes = |intent: &&Intent| intent.form == Form::Design && intent.is_enforced();
    let intent = intent.filter(|intent| removes(intent) && !observed.is_kind_leaving)?;
    let deleted = observed.policy.metadata.deletion_timestamp.as_ref()?;
    let until = deleted.0 + PATIENCE;
    let is_unknown = |other: &&Standing| {
        let may_tell = match &other.says {
            Says::Allows(_) | Says::Withholds(Withheld::MustNotHave | Withheld::Overlaps(_)) => {
                true
            }
            Says::Withholds(Withheld::Leaving | Withheld::Invalid(_) | Withheld::Inform) => false,
        };
        may_tell && other.namespace.is_none() && other.package == intent.subscription.package
    };
    let unknown = observed.neighbors.iter().filter(is_unknown);
    let other = unknown.map(|other| name(&other.id)).min()?;
    let why = format!("it is not known yet whether the policy {other} means the same Subscription");
    (now < until).then_some((why, until))
}

/// Why nothing is removed for a policy whose operator must not be, as a clause: others that are
/// enforced mean the same Subscription.
pub(super) fn on_must_not_have(intent: &Intent, observed: &Observed) -> Option<String> {
    others(intent, observed, |standing| match &standing.says {
        Says::Allows(_) | Says::Withholds(Withheld::MustNotHave | Withheld::Overlaps(_)) => {
            standing.namespace.is_some()
        }
        Says::Withholds(Withheld::Leaving | Withheld::Invalid(_) | Withheld::Inform) => false,
    })
}

/// Other policies that mean, or may mean, the same Subscription and stay.
fn others(
    intent: &Intent,
    observed: &Observed,
    matters: impl Fn(&Standing) -> bool,
) -> Option<String> {
    let package = &intent.subscription.package;
    let place = observed.scene.as_ref().map(|scene| scene.name.as_str());
    let is_same = |other: &&Standing| {
        let namespace = other.namespace.as_deref();
        let is_here = namespace.is_none() || place.is_none() || namespace == place;
        other.package == *package && is_here && !is_leaving(other) && matters(other)
    };
    let others = observed.neighbors.iter().filter(is_same);
    let mut names: Vec<_> = others.map(|other| name(&other.id)).collect();
    names.sort();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("the policy {one} means the same Subscription")),
        many => Some(format!(
            "the policies {} mean the same Subscription",
            many.join(", ")
        )),
    }
}

fn is_leaving(standing: &Standing) -> bool {
    match &standing.says {
        Says::Withholds(Withheld::Leaving) => true,
        Says::Allows(_)
        | Says::Withholds(
            Withheld::Invalid(_) | Withheld::Inform | Withheld::MustNotHave | Withheld::Overlaps(_),
        ) => false,
    }
}

/// With the slash that no name has, so that names with dots stay apart.
fn name(id: &PolicyId) -> String {
    let PolicyId {
        namespace, name, ..
    } = id;
    format!("{namespace}/{name}")
}
