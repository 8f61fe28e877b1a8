//! The checks before a removal. If a check fails, the deletion of a policy removes nothing.

use jiff::{SignedDuration, Timestamp};
use portolan_api::{
    Cluster, FINALIZER, Flaw, Form, Intent, PolicyId, Remediation, Says, Standing, Withheld,
};

use super::case::RemovalCase;
use crate::not_judged::NotJudged;
use crate::phrase::INFORMS;
use crate::{Observed, WriteMode, managed, valid};

/// The time that a policy in deletion waits for other policies whose namespace is unknown, because
/// the resolver may be restarting. After this time, policies without a namespace are ignored.
const PATIENCE: SignedDuration = SignedDuration::from_secs(300);

/// Returns the removal for a policy in deletion, or the reason why no object is removed.
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

/// Returns the reason, as a clause, if the policy may remove its operator but its intent is
/// unknown. Returns None if the intent is known. An object that the policy's templates read may be
/// missing, deleted together with the policy, or unavailable. This is no mistake of the author of
/// the policy.
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

/// Returns true if the namespace of a policy will be known after the status is updated for the
/// current generation. The deletion has increased the generation.
fn may_be_found(observed: &Observed) -> bool {
    observed.policy.status.as_ref().is_some_and(|status| {
        let is_old = status.observed_generation != observed.policy.metadata.generation;
        is_old && status.resolved_subscription_label.is_some()
    })
}

/// Returns the intent of a policy whose deletion removes its operator. Otherwise returns the reason
/// why the operator is kept, as a clause.
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

/// Returns the reason why the removal cannot be decided yet, as a clause, and the end of the wait.
/// Returns None if it can be decided. The reason is another policy for the package whose namespace
/// is unknown.
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

/// Returns the reason why a policy keeps Portolan's finalizer, as a clause. Returns None if the
/// finalizer may be removed. A user must first decide what happens to a Subscription that the
/// policy no longer specifies.
pub(super) fn until_named(intent: Option<&Intent>, observed: &Observed) -> Option<String> {
    intent.filter(|intent| removes(intent, observed))?;
    valid::abandoned(observed)
}

/// Returns true if the deletion of a policy removes its operator.
fn removes(intent: &Intent, observed: &Observed) -> bool {
    intent.form == Form::Design && intent.is_enforced() && !observed.is_crd_terminating
}

/// Returns the reason why no object is removed, as a clause: other enforced policies manage the
/// same Subscription. Returns None if there are no such policies. An invalid policy or a policy in
/// inform mode manages no operator.
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

/// Returns true if another policy for the same package is enforced on this cluster.
fn is_rival(intent: &Intent, observed: &Observed, other: &Standing) -> bool {
    let is_enforced = match &other.says {
        Says::Allows(_) | Says::Withholds(Withheld::MustNotHave | Withheld::Overlaps(_)) => true,
        Says::Withholds(Withheld::Leaving | Withheld::Invalid(_) | Withheld::Inform) => false,
    };
    let own = observed.standing.as_ref().map(|own| &own.cluster);
    // A policy without cluster labels applies to the cluster that stores it. This is also true for
    // all policies in its namespace.
    let unlabeled = Cluster::default();
    let is_elsewhere = own.is_some_and(|own| {
        *own != unlabeled && other.cluster != unlabeled && *own != other.cluster
    });
    is_enforced && !is_elsewhere && other.package == intent.subscription.package
}

/// Joins namespace and name with a slash. Names cannot contain a slash, so different names with
/// dots stay different.
fn name(id: &PolicyId) -> String {
    let PolicyId {
        namespace, name, ..
    } = id;
    format!("{namespace}/{name}")
}
