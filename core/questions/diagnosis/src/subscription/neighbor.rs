//! Explains operators that are blocked because another operator makes the resolution of the
//! namespace fail.

use portolan_core_health::Item;
use portolan_core_names::text::cite;
use portolan_core_olm::Subscription;

use super::{delete, is_own, resolve_again};
use crate::case::Case;
use crate::catalog::connection;
use crate::catalog::pod::{Stopped, stopped};
use crate::command::{CATALOGS, Target};
use crate::cure::Cure;
use crate::deletion;
use crate::outlook::{Culprit, Matter, Trouble};
use crate::situation::Offer;
use crate::words::sentence;
use crate::{Cause, Code, Evidence, Object, Procedure, State, evidence};

/// The operators of a namespace, each with the causes that belong to it.
pub(crate) type Own<'a> = [(Case<'a>, Vec<Cause>)];

/// Returns the causes at other operators or catalogs that make OLM install nothing for this
/// operator.
pub(crate) fn blocked(case: Case<'_>, own: &Own<'_>) -> Vec<Cause> {
    let Some(subscription) = case.subscription else {
        return Vec::new();
    };
    let troubles = case.findings.outlook.troubles.iter();
    let foreign = troubles.filter(|trouble| !is_own(case, trouble));
    let mut causes: Vec<Cause> = Vec::new();
    for trouble in foreign {
        let cause = suffered(case, subscription, trouble, own);
        if !causes.iter().any(|known| known.at_fault == cause.at_fault) {
            causes.push(cause);
        }
    }
    causes
}

fn suffered(
    case: Case<'_>,
    subscription: &Item<Subscription>,
    trouble: &Trouble,
    own: &Own<'_>,
) -> Cause {
    let namespace = case.situation().name();
    let theirs = reported_cause(trouble, own);
    let at_fault = at_fault(case, trouble);
    let (code, mut why) = match (&trouble.culprit, &trouble.matter) {
        (Culprit::Catalog(_), Matter::Catalog { why }) => (Code::BlockedByCatalog, cited(why)),
        (Culprit::Catalog(_), _) => (Code::BlockedByCatalog, String::new()),
        (Culprit::Csv(name), Matter::Orphan) if is_same_package(case, name) => {
            (Code::BlockedByOrphan, String::new())
        }
        (Culprit::Subscription(_) | Culprit::Csv(_), _) => (Code::BlockedByNeighbor, String::new()),
    };
    if let Some(theirs) = theirs {
        why = format!(" {}", sentence(&theirs.message));
    }
    let offer = lost(case, trouble).filter(|_| theirs.is_none());
    let stopped = offer.and_then(stopped);
    if let Some((offer, stopped)) = offer.zip(stopped.as_ref()) {
        why = format!(" {}", stopped.message(offer));
    }
    let subject = &subscription.observed.object;
    let until = match (&trouble.matter, theirs) {
        (Matter::Upgrade { old }, None) => format!("the upgrade from {old} is complete"),
        (_, _) => "the problem is fixed".to_owned(),
    };
    let message = format!(
        "{subject} is blocked by {at_fault}. OLM chooses the versions of all Subscriptions of namespace {namespace} \
         together. It installs nothing in this namespace until {until}.{why}"
    );
    let lacks = [
        Code::CatalogNeverReached,
        Code::CatalogNotAnswering,
        Code::CatalogUnreachable,
        Code::DependencyMissing,
        Code::DependencyOutOfRange,
    ];
    let theirs_at_fault = theirs.filter(|theirs| lacks.contains(&theirs.code));
    let lacked = offer.zip(stopped.as_ref());
    let lacked = lacked.map(|(offer, stopped)| stopped.at_fault(offer));
    let at_fault = theirs_at_fault.map_or(at_fault, |theirs| theirs.at_fault.clone());
    let at_fault = lacked.unwrap_or(at_fault);
    let cause = Cause::new(code, state(trouble, theirs), at_fault, &message);
    let cause = Cause {
        quotes: theirs.map_or_else(Vec::new, |theirs| theirs.quotes.clone()),
        ..cause
    };
    let shown = evidence::condition_evidence(subscription, Subscription::RESOLUTION_FAILED);
    let cause = cured(cause, case, trouble, theirs).shown(shown);
    let cause = cause.shown(lost(case, trouble).map(connection));
    let cause = cause.shown(stopped.iter().flat_map(Stopped::evidence));
    let theirs: Vec<Evidence> = theirs
        .map(|theirs| theirs.evidence.clone())
        .unwrap_or_default();
    cause.shown(theirs)
}

/// Returns the catalog that makes the resolution fail. Returns None if a different object is at
/// fault.
fn lost<'a>(case: Case<'a>, trouble: &Trouble) -> Option<&'a Offer<'a>> {
    let Culprit::Catalog(key) = &trouble.culprit else {
        return None;
    };
    let (place, name) = key.split_once('/')?;
    case.situation().offer(place, name)
}

fn cited(why: &str) -> String {
    format!(" The catalog does not answer: {}", sentence(&cite(why)))
}

fn is_same_package(case: Case<'_>, csv: &str) -> bool {
    let csv = case.situation().csv(csv);
    let package = csv.and_then(|csv| csv.package());
    package.unwrap_or_default() == case.operator.package
}

fn at_fault(case: Case<'_>, trouble: &Trouble) -> Object {
    let namespace = case.situation().name();
    match &trouble.culprit {
        Culprit::Subscription(name) => Object::new("Subscription", namespace, name),
        Culprit::Csv(name) => Object::new("ClusterServiceVersion", namespace, name),
        Culprit::Catalog(key) => {
            let (place, name) = key.split_once('/').unwrap_or(("", key));
            Object::new("CatalogSource", place, name)
        }
    }
}

/// Finds the diagnosis of the operator at fault, and returns the cause that reports the problem.
fn reported_cause<'o>(trouble: &Trouble, own: &'o Own<'_>) -> Option<&'o Cause> {
    let (case, causes) = own.iter().find(|(case, _)| is_own(*case, trouble))?;
    let is_of_catalog = |cause: &&Cause| {
        let is_lost = [
            Code::CatalogNeverReached,
            Code::CatalogNotAnswering,
            Code::CatalogUnreachable,
        ];
        cause.at_fault.kind == "CatalogSource" || is_lost.contains(&cause.code)
    };
    match &trouble.matter {
        Matter::Upgrade { .. } => causes.iter().find(|cause| cause.state > State::Waiting),
        Matter::Catalog { .. } | Matter::Unusable { .. } => causes.iter().find(is_of_catalog),
        Matter::Nothing(_)
        | Matter::Needs { .. }
        | Matter::Clash { .. }
        | Matter::Orphan
        | Matter::Forbidden { .. } => {
            let alone = super::cause(*case, trouble)?;
            causes.iter().find(|cause| cause.code == alone.code)
        }
    }
}

/// Returns the state. If the failure is only due to an upgrade in progress, it ends without an
/// action, so the state is `Working`.
fn state(trouble: &Trouble, theirs: Option<&Cause>) -> State {
    match (&trouble.matter, theirs) {
        (Matter::Upgrade { .. }, None) => State::Working,
        (_, _) => State::Stuck,
    }
}

/// Adds the cure of the object at fault. If this object has no commands as a cure, offers to delete
/// a Subscription that has installed nothing, or an unused catalog.
fn cured(cause: Cause, case: Case<'_>, trouble: &Trouble, theirs: Option<&Cause>) -> Cause {
    if let Some(theirs) = theirs.filter(|theirs| {
        let is_named = [Code::ChannelMissing, Code::PackageMissing].contains(&theirs.code);
        theirs.remedy.is_actionable() || (theirs.is_external() && is_named)
    }) {
        return cause.cured_like(theirs);
    }
    if let (Matter::Upgrade { .. }, None) = (&trouble.matter, theirs) {
        return cause;
    }
    if let Some(fix) = unneeded(case, trouble).or_else(|| unused(case, trouble)) {
        return cause.cured(Cure::Choice(vec![fix]));
    }
    match theirs {
        Some(theirs) => cause.cured_like(theirs),
        None => {
            let offer = lost(case, trouble);
            let stopped = offer.and_then(|offer| Some((offer, stopped(offer)?)));
            let who = format!("the owner of {}", at_fault(case, trouble));
            cause.cured(match stopped {
                Some((offer, stopped)) => stopped.cure(offer),
                None => Cure::external(&who, "Repair or remove this object."),
            })
        }
    }
}

/// Returns the steps that delete the Subscription at fault, if it has installed nothing.
fn unneeded(case: Case<'_>, trouble: &Trouble) -> Option<Procedure> {
    let Culprit::Subscription(name) = &trouble.culprit else {
        return None;
    };
    let subscription = case.situation().subscription(name)?;
    let is_empty = subscription.status.installed_csv.is_empty();
    is_empty.then(|| delete(case, subscription))
}

/// Returns the steps that delete the catalog at fault, if no Subscription of the namespace uses it.
/// Global catalogs are never deleted, because other namespaces may use them.
fn unused(case: Case<'_>, trouble: &Trouble) -> Option<Procedure> {
    let situation = case.situation();
    let Culprit::Catalog(key) = &trouble.culprit else {
        return None;
    };
    let (place, name) = key.split_once('/')?;
    let mut subscriptions = situation.namespace.subscriptions.objects.iter();
    let is_used = subscriptions.any(|subscription| {
        subscription.spec.source_namespace == place && subscription.spec.source == name
    });
    let is_own = place == situation.name() && place != situation.global_namespace;
    (is_own && !is_used).then(|| {
        deletion::delete(
            &format!("Delete CatalogSource {key}, which no Subscription of the namespace uses."),
            &[Target::new(CATALOGS, place, name)],
            resolve_again(case, ""),
            "None: no Subscription of the namespace uses this catalog.",
        )
    })
}
