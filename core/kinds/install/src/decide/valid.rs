//! The checks that must pass before anything is written: form, references, permissions and dry
//! runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_api::plan::{Intent, OnImmutable, Phase, Reason, Source};
use portolan_core_names::object::split_api_version;
use portolan_core_names::text::{cite, listed_up_to};
use portolan_core_olm::{State, messages};

use super::account::unusable_account;
use super::case::PlanContext;
use super::decision::Ask;
use super::dependency::{Until, is_before};
use super::lacking;
use super::observation::{ObjectRead, Observation, Trial};
use super::report::{Missing, Report, UndatedCondition, waits_until};
use super::{Halt, invalid, stop};
use crate::discovery::Discovery;
use crate::manifest::{ManifestFault, Member, Members};
use crate::object::text;

/// The maximum number of faults in one message, because the size of a status is limited.
const MOST: usize = 20;

/// Returns the members that the manifests of the plan describe. After the plan has begun, the
/// manifests must not change.
pub(super) fn members(observed: &Observation, intent: &Intent) -> Result<Arc<Members>, Halt> {
    let asks = contents(observed, intent);
    if !asks.is_empty() {
        return Err(Halt::Ask(asks));
    }
    let members = match &observed.members {
        Some(known) => known.clone(),
        None => {
            let read = Members::read(intent, &observed.plan.identity, &observed.contents);
            Arc::new(read.map_err(|faults| refused(&faults, Reason::ManifestInvalid))?)
        }
    };
    match &observed.status.record {
        Some(record) if record.digest != members.digest() => {
            let sentence = "the manifests changed after the plan had started; create another plan \
                            for the new manifests, or restore the objects that this plan refers to";
            Err(invalid(UndatedCondition::no(
                Reason::ManifestsChanged,
                sentence,
            )))
        }
        Some(_) | None => Ok(members),
    }
}

/// Returns the members of a plan whose objects must be deleted. If an object that stores manifests
/// no longer exists or has changed, returns the members that the status records.
pub(super) fn members_to_delete(
    observed: &Observation,
    intent: &Intent,
) -> Result<Arc<Members>, Halt> {
    match members(observed, intent) {
        Err(Halt::Say(report)) => {
            let record = observed.status.record.as_ref();
            let recalled = record.and_then(|record| Members::recalled(intent, record));
            recalled.map(Arc::new).ok_or(Halt::Say(report))
        }
        read => read,
    }
}

/// Returns a request for each object that stores manifests and was not read yet.
pub(super) fn contents(observed: &Observation, intent: &Intent) -> BTreeSet<Ask> {
    let contents = &observed.contents;
    let resources = intent.stages.iter().flat_map(|stage| &stage.resources);
    let asks = resources.filter_map(|resource| match &resource.source {
        Source::ResourceManifest(name) if !contents.resource_manifests.contains_key(name) => {
            Some(Ask::ResourceManifest(name.clone()))
        }
        Source::Secret(name) if !contents.secrets.contains_key(name) => {
            Some(Ask::Secret(name.clone()))
        }
        Source::Inline(_) | Source::ResourceManifest(_) | Source::Secret(_) => None,
    });
    asks.collect()
}

/// Checks that the API server serves each kind, or that it will after the plan is applied. Objects
/// of namespaced kinds must have a namespace, and other objects must not have one.
pub(super) fn kinds(
    observed: &Observation,
    members: &Members,
    discovery: &Discovery,
) -> Result<(), Halt> {
    let known = discovery.with_definitions(members);
    let mut faults = Vec::new();
    for member in members {
        let kind = &member.identity.kind;
        let (group, version) = split_api_version(member.api_version());
        let comes = || {
            let mut services = members.iter();
            services.any(|other| {
                let at = ["/spec/group", "/spec/version"].map(|at| text(&other.manifest, at));
                other.identity.kind.is_api_service() && at == [group, version]
            })
        };
        let Some(served) = known.kind(kind) else {
            if !comes() {
                let meant = known.nearest(kind);
                let meant = meant.map_or(String::new(), |it| format!("; did you mean {it}?"));
                let sentence =
                    format!("has the kind {kind}, which the API server does not serve{meant}");
                faults.push(member.fault(State::NotYet, sentence));
            }
            continue;
        };
        if !served.versions.contains(&member.version) {
            let versions = listed_up_to(MOST, &served.versions);
            let version = &member.version;
            let sentence = format!(
                "has version {version}, but the API server serves {versions}; write a served \
                 version"
            );
            faults.push(member.fault(State::NotYet, sentence));
        }
        match (served.is_namespaced, &member.identity.namespace) {
            (true, None) => {
                let sentence = "has no namespace; set metadata.namespace";
                faults.push(member.fault(State::No, sentence));
            }
            (false, Some(_)) => {
                let sentence = format!(
                    "has a namespace, but {kind} is cluster-scoped; remove metadata.namespace"
                );
                faults.push(member.fault(State::No, sentence));
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    let is_invalid = faults.iter().any(|fault| fault.state == State::No);
    if !is_invalid && !observed.is_discovery_fresh {
        return Err(Halt::ask(Ask::Discovery));
    }
    let reason = if is_invalid {
        Reason::ManifestInvalid
    } else {
        Reason::KindNotServed
    };
    Err(refused(&faults, reason))
}

/// Checks that the ServiceAccount has all permissions that it needs.
pub(super) fn permissions(
    observed: &Observation,
    members: &Members,
    discovery: &Discovery,
    intent: &Intent,
    deleted: &[&Member],
) -> Result<(), Halt> {
    let needs = || lacking::needs(observed, members, discovery, (intent, deleted));
    let unknown = observed.roles.unknown(members);
    let lacks = match unusable_account(observed, intent)? {
        Some(lacks) => lacks,
        None if !unknown.is_empty() => {
            return Err(Halt::Ask(unknown.into_iter().map(Ask::Role).collect()));
        }
        None => match lacking::lacking(observed, intent, &needs())? {
            Some(lacks) => lacks,
            None => return Ok(()),
        },
    };
    let unlooked = unchecked("the ServiceAccount has all permissions");
    let mut report = pending(observed, unlooked, lacks.said);
    report.missing = lacks.missing;
    Err(stop(report))
}

/// Checks with dry runs that the API server accepts the manifests. A manifest that depends on a
/// missing object cannot be checked yet, so it is omitted.
pub(super) fn trials(case: &PlanContext<'_>) -> Result<(), Halt> {
    let (mut asks, mut faults) = (BTreeSet::new(), Vec::new());
    let mut missing = Missing::default();
    for (place, member) in case.members.iter().enumerate() {
        let needed = case.dependencies.of_member(place);
        let waits = needed.iter().any(|needed| is_to_come(case, needed.on));
        if waits || case.is_unchanged(place) || case.keeps_webhook(place) {
            continue;
        }
        match case.observed.trial(&member.identity) {
            None => drop(asks.insert(Ask::Trial(member.identity.clone()))),
            Some(Trial::Accepted | Trial::Undecided | Trial::Immutable) => {}
            Some(Trial::Refused(sentence)) => match missing_namespace(member, sentence) {
                Some(namespace) => {
                    missing.namespaces.insert(namespace.to_owned());
                    let sentence = format!("is in namespace {namespace}, which does not exist");
                    faults.push(member.fault(State::NotYet, sentence));
                }
                None => faults.push(refused_by_server(member, sentence)),
            },
        }
    }
    for (place, job) in case.members.jobs().iter().enumerate() {
        let identity = job.identity(case.job_owner(), 1);
        match case.observed.trial(&identity) {
            None => drop(asks.insert(Ask::JobTrial(place))),
            Some(Trial::Accepted | Trial::Undecided | Trial::Immutable) => {}
            Some(Trial::Refused(sentence)) => faults.push(ManifestFault {
                place: job.place,
                object: None,
                state: State::No,
                sentence: format!("is refused: {}", cite(sentence)),
            }),
        }
    }
    if !asks.is_empty() {
        return Err(Halt::Ask(asks));
    }
    if faults.is_empty() {
        return Ok(());
    }
    let (phase, said) = if faults.iter().all(|fault| fault.state == State::NotYet) {
        let said = UndatedCondition::not_yet(Reason::ReferenceMissing, list_faults(&faults));
        (Phase::Pending, said)
    } else {
        (
            Phase::Invalid,
            UndatedCondition::no(Reason::DryRunRejected, list_faults(&faults)),
        )
    };
    Err(stop(Report {
        missing,
        ..Report::before(phase, said, held())
    }))
}

/// Returns the fault of a manifest that the API server always rejects.
fn refused_by_server(member: &Member, sentence: &str) -> ManifestFault {
    let may_not_change = messages::is_of_immutable_field(sentence);
    let way_out = if may_not_change && member.lifecycle.on_immutable == OnImmutable::Fail {
        "; with `lifecycle.onImmutable: Recreate`, the controller deletes the object and creates \
         it again"
    } else {
        ""
    };
    member.fault(
        State::No,
        format!("is refused: {}{way_out}", cite(sentence)),
    )
}

/// Returns the namespace of a member if the API server rejects its manifest because this namespace
/// is missing. Returns None if there is another reason. A missing namespace is no permanent fault,
/// because it may be created later.
fn missing_namespace<'m>(member: &'m Member, sentence: &str) -> Option<&'m str> {
    let namespace = member.identity.namespace.as_deref()?;
    messages::is_of_missing_namespace(sentence, namespace).then_some(namespace)
}

/// Returns true if the object of a member does not exist yet. Always returns true for a CRD. An
/// existing CRD may have another version, and the CRD determines which objects of its kind are
/// valid.
pub(super) fn is_to_come(case: &PlanContext<'_>, place: usize) -> bool {
    let is_definition = case.members[place].identity.kind.is_definition();
    is_definition || !matches!(case.object_read(place), Some(ObjectRead::Present(_)))
}

/// Checks that the plan applies each member after the members that it needs.
pub(super) fn order(case: &PlanContext<'_>) -> Result<(), Halt> {
    let mut faults = Vec::new();
    for (place, member) in case.members.iter().enumerate() {
        for needed in case.dependencies.of_member(place) {
            let other = &case.members[needed.on];
            let is_there = matches!(case.object_read(needed.on), Some(ObjectRead::Present(_)));
            let is_wanted = needed.until == Until::Ready && !is_there;
            if is_wanted && !is_before(case.intent, case.members, needed.on, place) {
                let sentence = format!(
                    "needs {}, which the plan applies later, at {}; apply that object earlier",
                    other.identity, other.place
                );
                faults.push(member.fault(State::No, sentence));
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    let said = UndatedCondition::no(Reason::OrderInvalid, list_faults(&faults));
    Err(stop(Report::before(Phase::Invalid, said, held())))
}

/// Returns the condition for checks that the controller does not make, because another plan has
/// replaced this plan.
pub(super) fn unchecked_while_resting() -> UndatedCondition {
    unchecked("no other plan replaces this plan any more")
}

pub(super) fn valid() -> UndatedCondition {
    UndatedCondition::yes(Reason::PlanValid, "the plan is valid")
}

pub(super) fn held() -> UndatedCondition {
    let sentence = "the ServiceAccount has all permissions";
    UndatedCondition::yes(Reason::PermissionsSufficient, sentence)
}

fn refused(faults: &[ManifestFault], reason: Reason) -> Halt {
    let said = list_faults(faults);
    if faults.iter().any(|fault| fault.state == State::No) {
        return invalid(UndatedCondition::no(reason, said));
    }
    let reason = if reason == Reason::KindNotServed {
        reason
    } else {
        Reason::ReferenceMissing
    };
    let said = UndatedCondition::not_yet(reason, said);
    stop(Report::before(Phase::Pending, said, waits_until("valid")))
}

fn unchecked(until: &str) -> UndatedCondition {
    let sentence = format!("the dry run starts once {until}");
    UndatedCondition::not_yet(Reason::NotObserved, sentence)
}

/// Returns the report of a plan whose ServiceAccount lacks permissions. If the plan has already
/// begun, it counts as valid.
fn pending(
    observed: &Observation,
    unlooked: UndatedCondition,
    permitted: UndatedCondition,
) -> Report {
    let valid = match observed.status.record {
        Some(_) => valid(),
        None => unlooked,
    };
    Report::before(Phase::Pending, valid, permitted)
}

fn list_faults(faults: &[ManifestFault]) -> String {
    let mut told: Vec<_> = faults.iter().take(MOST).map(ToString::to_string).collect();
    if faults.len() > MOST {
        told.push(format!("and {} more", faults.len() - MOST));
    }
    told.join(". ")
}
