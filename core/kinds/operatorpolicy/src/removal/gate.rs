//! The checks before a removal. If a check fails, the controller removes nothing when the policy is
//! deleted.

use jiff::{SignedDuration, Timestamp};
use portolan_api::{
    Cluster, FINALIZER, Flaw, Form, Intent, PolicyId, Remediation, Says, Standing, Withheld,
};

use super::case::RemovalCase;
use crate::not_judged::NotJudged;
use crate::phrase::INFORMS;
use crate::{Observed, WriteMode, managed, valid};

/// The time that a deleted policy waits for other policies whose namespace is unknown, for example
/// because the resolver restarts. After this time, policies without a namespace are ignored.
const PATIENCE: SignedDuration = SignedDuration::from_secs(300);

/// Returns the removal for a policy that is being deleted. Returns the reason if no object is
/// removed.
pub(crate) fn case_of<'a>(
    intent: Option<&'a Intent>,
    observed: &'a Observed,
    now: Timestamp,
) -> Result<RemovalCase<'a>, NotJudged> {
    let not_removed = |why, is_final| NotJudged::NotRemoved {
        why,
        is_final,
        until: None,
    };
    if !managed::has_finalizer(&observed.policy) {
        return Err(NotJudged::LetGo);
    }
    if let WriteMode::ReadOnly(why) = &observed.write_mode {
        return Err(not_removed(why.clone(), false));
    }
    if let Some(why) = until_named(intent, observed) {
        return Err(not_removed(why, false));
    }
    if let Some(why) = unresolved(observed) {
        return Err(not_removed(why, false));
    }
    if let Some((why, until)) = for_now(intent, observed, now) {
        return Err(NotJudged::NotRemoved {
            why,
            is_final: false,
            until: Some(until),
        });
    }
    let intent = removable(intent, observed).map_err(|why| not_removed(why, true))?;
    let Some(namespace) = &observed.namespace else {
        if may_be_found(observed) {
            return Err(NotJudged::RemovalUnseen);
        }
        let package = &intent.subscription.package;
        let why = format!("the namespace of package {package} is unknown");
        return Err(not_removed(why, true));
    };
    if observed.stale.is_empty() {
        Ok(RemovalCase::of(intent, observed, namespace, now))
    } else {
        Err(NotJudged::RemovalUnseen)
    }
}

/// Returns a clause with the reason if the templates of the policy cannot be resolved, so that its
/// intent is unknown. Returns None if the intent is known, or if the deletion of the policy never
/// removes its operator.
///
/// An object that the templates read may be missing, deleted together with the policy, or
/// unavailable. The author of the policy has made no mistake in this case.
fn unresolved(observed: &Observed) -> Option<String> {
    let policy = &observed.policy;
    let remediation = policy.spec.written()["remediationAction"].as_str();
    let informs = remediation.is_some_and(|word| word.eq_ignore_ascii_case("inform"));
    if observed.is_crd_terminating || informs || policy.form() == Form::Established {
        return None;
    }
    let refusals = Intent::parse(policy).err()?;
    let mut refusals = refusals.iter();
    let refusal = refusals.find(|it| matches!(it.flaw, Flaw::Template | Flaw::Unresolved(_)))?;
    Some(format!(
        "its templates cannot be resolved: {refusal}; restore the objects that the templates \
         read, or correct the templates, or remove the finalizer {FINALIZER} to keep the operator"
    ))
}

/// Returns true if the status contains the namespace, but only for an older generation. The
/// deletion has increased the generation. When the status is updated to this generation, the
/// namespace is known.
fn may_be_found(observed: &Observed) -> bool {
    observed.policy.status.as_ref().is_some_and(|status| {
        let is_old = status.observed_generation != observed.policy.metadata.generation;
        is_old && status.resolved_subscription_label.is_some()
    })
}

/// Returns the intent of a policy whose deletion removes its operator. If the operator is kept,
/// returns a clause with the reason.
pub(super) fn removable<'a>(
    intent: Option<&'a Intent>,
    observed: &Observed,
) -> Result<&'a Intent, String> {
    if observed.is_crd_terminating {
        let why = "the CRD of OperatorPolicies itself is being deleted, so the operators are kept";
        return Err(why.to_owned());
    }
    let intent = intent.ok_or("the policy is not valid")?;
    let why = match (intent.form, intent.remediation) {
        (Form::Established, _) => Some(
            "a policy with complianceType keeps its operator when the policy is deleted".to_owned(),
        ),
        (Form::Design, Remediation::Inform) => Some(INFORMS.to_owned()),
        (Form::Design, Remediation::Enforce) => others(intent, observed),
    };
    why.map_or(Ok(intent), Err)
}

/// Returns a clause with the reason why the removal must wait, and the end of the wait. Returns
/// None if it can be decided now. The removal waits for another policy for the same package whose
/// namespace is unknown.
fn for_now(
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
    let why = format!("it is not known yet if policy {other} manages the same Subscription");
    (now < until).then_some((why, until))
}

/// Returns a clause with the reason why the policy must keep Portolan's finalizer. Returns None if
/// the finalizer may be removed. The policy keeps it while it has a Subscription that it created
/// but no longer names. A user must decide what happens to this Subscription.
pub(super) fn until_named(intent: Option<&Intent>, observed: &Observed) -> Option<String> {
    intent.filter(|intent| removes(intent, observed))?;
    valid::abandoned(observed)
}

/// Returns true if the deletion of a policy removes its operator.
fn removes(intent: &Intent, observed: &Observed) -> bool {
    intent.form == Form::Design && intent.is_enforced() && !observed.is_crd_terminating
}

/// Returns a clause with the other enforced policies that manage the same Subscription. In this
/// case, nothing is removed. Returns None if there are no such policies. A policy that is invalid
/// or in inform mode manages no operator.
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
        [one] => Some(format!("policy {one} manages the same Subscription")),
        many => Some(format!(
            "policies {} manage the same Subscription",
            many.join(", ")
        )),
    }
}

/// Returns true if another enforced policy for the same package applies to this cluster.
fn is_rival(intent: &Intent, observed: &Observed, other: &Standing) -> bool {
    let is_enforced = match &other.says {
        Says::Allows(_) | Says::Withholds(Withheld::MustNotHave | Withheld::Overlaps(_)) => true,
        Says::Withholds(Withheld::Leaving | Withheld::Invalid(_) | Withheld::Inform) => false,
    };
    let own = observed.standing.as_ref().map(|own| &own.cluster);
    // A policy without cluster labels applies to the cluster that stores it, and so do all other
    // policies of its namespace.
    let unlabeled = Cluster::default();
    let is_elsewhere = own.is_some_and(|own| {
        *own != unlabeled && other.cluster != unlabeled && *own != other.cluster
    });
    is_enforced && !is_elsewhere && other.package == intent.subscription.package
}

/// Joins namespace and name with a slash. A dot would be ambiguous, because names can contain dots.
fn name(id: &PolicyId) -> String {
    let PolicyId {
        namespace, name, ..
    } = id;
    format!("{namespace}/{name}")
}
