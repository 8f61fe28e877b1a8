//! Why nothing of a policy is removed.

use jiff::{SignedDuration, Timestamp};
use portolan_api::{Cluster, Form, Intent, PolicyId, Remediation, Says, Standing, Withheld};

use crate::{Observed, valid};

/// How long after its deletion a policy waits for others that have not told yet where they work: the
/// resolver may be starting anew. One that names no namespace that long works nowhere.
const PATIENCE: SignedDuration = SignedDuration::from_secs(300);

/// Why nothing is removed when a policy is deleted, as a clause.
pub(super) fn on_leaving(intent: Option<&Intent>, observed: &Observed) -> Option<String> {
    if observed.is_crd_terminating {
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
    others(intent, observed)
}

/// Why it cannot be said yet whether anything is removed when a policy is deleted, as a clause, and
/// until when that is waited for: nobody knows of another one, which is young, where it works.
pub(super) fn for_now(
    intent: Option<&Intent>,
    observed: &Observed,
    now: Timestamp,
) -> Option<(String, Timestamp)> {
    let intent = intent.filter(|intent| removes(intent, observed))?;
    let deleted = observed.policy.metadata.deletion_timestamp.as_ref()?;
    let until = deleted.0 + PATIENCE;
    let is_unknown =
        |other: &&Standing| other.namespace.is_none() && is_rival(intent, observed, other);
    let unknown = observed.neighbors.iter().filter(is_unknown);
    let other = unknown.map(|other| name(&other.id)).min()?;
    let why = format!("it is not known yet whether the policy {other} means the same Subscription");
    (now < until).then_some((why, until))
}

/// Why a policy is not let go before somebody has said what is to become of the Subscription that it
/// no longer names, as a clause.
pub(super) fn until_named(intent: Option<&Intent>, observed: &Observed) -> Option<String> {
    intent.filter(|intent| removes(intent, observed))?;
    valid::abandoned(observed)
}

/// Whether the deletion of a policy is to remove its operator.
fn removes(intent: &Intent, observed: &Observed) -> bool {
    intent.form == Form::Design && intent.is_enforced() && !observed.is_crd_terminating
}

/// Why nothing is removed where other policies that are enforced mean the same Subscription and stay,
/// as a clause. One that only informs, or is not valid, has nobody look after the operator.
pub(super) fn others(intent: &Intent, observed: &Observed) -> Option<String> {
    let place = observed
        .namespace
        .as_ref()
        .map(|namespace| namespace.name.as_str());
    let is_same = |other: &&Standing| {
        let namespace = other.namespace.as_deref();
        let is_here = namespace.is_some() && (place.is_none() || namespace == place);
        is_here && is_rival(intent, observed, other)
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

/// Whether another policy changes this cluster for the same package.
fn is_rival(intent: &Intent, observed: &Observed, other: &Standing) -> bool {
    let is_enforced = match &other.says {
        Says::Allows(_) | Says::Withholds(Withheld::MustNotHave | Withheld::Overlaps(_)) => true,
        Says::Withholds(Withheld::Leaving | Withheld::Invalid(_) | Withheld::Inform) => false,
    };
    let own = observed.standing.as_ref().map(|own| &own.cluster);
    // One without labels is of whichever cluster it lies on, and so is each that lies beside it.
    let unlabeled = Cluster::default();
    let is_elsewhere = own.is_some_and(|own| {
        *own != unlabeled && other.cluster != unlabeled && *own != other.cluster
    });
    is_enforced && !is_elsewhere && other.package == intent.subscription.package
}

/// With the slash that no name has, so that names with dots stay apart.
fn name(id: &PolicyId) -> String {
    let PolicyId {
        namespace, name, ..
    } = id;
    format!("{namespace}/{name}")
}
