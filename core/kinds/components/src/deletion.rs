//! Deletes an Operator in four steps. It waits for the operators that need its bundles, deletes its
//! Install, removes its labels, and removes its finalizer.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::components::{ConditionType, Reason};
use portolan_api::installs;
use portolan_api::operator::FORCE_DELETION;
use portolan_core_names::text::{cite, some};
use portolan_core_names::{Gvk, ObjectRef, VersionRange};

use crate::component::{Component, by_kind};
use crate::contents::{Ask, ContentAnswer, Knowledge};
use crate::decide::{
    Decision, Finalizer, Judgment, Observation, UndatedCondition, rendered, stored_if_new,
};
use crate::fleet::{Resident, ResidentFacts};
use crate::installed::{condition, own_install};
use crate::source::{Bundle, Record, Source};

/// The kinds that show which operators an Operator has installed. If one of them cannot be listed,
/// the deletion must wait.
const INSTALLING: [&str; 4] = [
    "Install",
    "Subscription",
    "InstallPlan",
    "ClusterServiceVersion",
];
/// The maximum number of names that a sentence lists.
const NAMED: usize = 6;

/// Decides the next step of the deletion. The Operator is deleted only after its labels are
/// removed, because OLM recreates the Operator while an object has one of them.
pub(crate) fn deleted(observation: &Observation, is_of_olm: bool) -> Decision {
    let Observation {
        operator,
        components,
        unseen,
        ..
    } = observation;
    if !operator.has_finalizer {
        return Decision::default();
    }
    let mut kinds = INSTALLING.into_iter();
    let hidden = kinds.find_map(|kind| Some((kind, unseen.get(kind)?)));
    if let Some((kind, why)) = hidden.filter(|_| !is_of_olm && !operator.is_deletion_forced) {
        let sentence = format!(
            "the objects of the Operator and the operators that need them are unknown, because \
             {kind}s cannot be read: {}; to \
             delete the Operator anyway, set the annotation {FORCE_DELETION}",
            cite(why)
        );
        return report(observation, deleting(Reason::KindsForbidden, sentence));
    }
    if is_of_olm || components.is_empty() {
        return Decision {
            finalizer: Some(Finalizer::Remove),
            ..Decision::default()
        };
    }
    match held(observation) {
        Ok(None) => going(observation),
        Ok(Some(judgment)) => report(observation, judgment),
        Err(ask) => Decision {
            ask: Some(ask),
            ..Decision::default()
        },
    }
}

/// Deletes the Install of the Operator, together with all objects that it installed. Then removes
/// the labels that remain.
///
/// The InstallPlan of an Install restores the labels of its members. Usually, these members are
/// deleted with the Install. After `kubectl delete --cascade=orphan`, however, they may remain
/// without an Install of the Operator. In this case, the deletion does not wait for them.
fn going(observation: &Observation) -> Decision {
    let Observation {
        operator,
        components,
        remaining,
        ..
    } = observation;
    if let Some(component) = own_install(operator, components) {
        let install = component.install().filter(|it| !it.is_deleting);
        return Decision {
            uninstalled: install.map(|_| component.id.clone()),
            ..report(observation, removing(component, observation))
        };
    }
    let has_others = components.iter().any(|it| !it.is_planned);
    Decision {
        taken_off: first_to_go(components),
        finalizer: (!has_others).then_some(Finalizer::Remove),
        ..report(observation, labels(components, remaining))
    }
}

fn removing(install: &Component, observation: &Observation) -> Judgment {
    let refused = observation.remaining.get(&install.id);
    let ready = condition(install, installs::ConditionType::Ready);
    let said = ready.filter(|it| it["status"] != "True");
    let said = said.and_then(|it| it["message"].as_str());
    let why = refused.map(String::as_str).or(said);
    let name = &install.id.name;
    let sentence = format!("Install {name} is deleted first, with everything that it installed");
    let message = match why {
        _ if !observation.are_installs_made => {
            format!("{sentence}; this needs a controller that runs with --installs")
        }
        Some(why) => format!("{sentence}: {}", cite(why)),
        None => sentence,
    };
    deleting(Reason::RemovingInstall, message)
}

/// Returns a decision that only reports this condition.
fn report(observation: &Observation, judgment: Judgment) -> Decision {
    let operator = &observation.operator;
    let mut status = operator.stored.status.clone().unwrap_or_default();
    let conditions = rendered(observation, [judgment], true);
    status.insert("conditions".to_owned(), conditions);
    Decision {
        stored: stored_if_new(operator, status),
        ..Decision::default()
    }
}

/// Returns the components that lose the label first. OLM and [`projected`](crate::projected) copy
/// the label from these components to the others.
fn first_to_go(components: &[Component]) -> BTreeSet<ObjectRef<Gvk>> {
    for kind in ["Subscription", "InstallPlan", "ClusterServiceVersion"] {
        let of_kind = components.iter().filter(|it| it.id.kind.kind == kind);
        let ids: BTreeSet<_> = of_kind.map(|it| it.id.clone()).collect();
        if !ids.is_empty() {
            return ids;
        }
    }
    components.iter().map(|it| it.id.clone()).collect()
}

fn deleting(reason: Reason, message: String) -> Judgment {
    (
        ConditionType::Deleting,
        UndatedCondition::yes(reason, message),
    )
}

fn labels(components: &[Component], remaining: &BTreeMap<ObjectRef<Gvk>, String>) -> Judgment {
    let first = remaining
        .iter()
        .min_by(|(one, _), (other, _)| by_kind(one, other));
    match first {
        None => {
            let sentence = format!("{} components have the label", components.len());
            deleting(Reason::RemovingLabels, sentence)
        }
        Some((id, why)) => {
            let sentence = format!(
                "{} of {} components keep the label; the first is {id}: {why}; remove the label \
                 by hand, or allow the controller to remove the label",
                remaining.len(),
                components.len(),
            );
            deleting(Reason::LabelsRemain, sentence)
        }
    }
}

// --- dependencies of other operators ---

/// Returns the condition to report if the Install must not be deleted yet. Returns None if it may
/// be deleted.
///
/// # Errors
///
/// Returns the query that catalogs must answer first.
fn held(observation: &Observation) -> Result<Option<Judgment>, Ask> {
    let Observation {
        operator,
        components,
        fleet,
        knowledge,
        ..
    } = observation;
    let install = own_install(operator, components).and_then(Component::install);
    let record = install.and_then(|it| it.held.record.as_ref());
    let Some(record) = record.filter(|_| !operator.is_deletion_forced) else {
        return Ok(None);
    };
    if let Some(judgment) = named(record, observation) {
        return Ok(Some(judgment));
    }
    let mut staying = Vec::new();
    for resident in &fleet.present {
        let name = format!("ClusterServiceVersion {}", resident.name);
        staying.push((name, resident.clone()));
    }
    let found = fleet.holding().filter(|(name, member, _)| {
        let is_other = *name != operator.name;
        is_other && !member.is_deleting
    });
    for (name, _, other) in found {
        for bundle in &other.bundles {
            match described(bundle, knowledge)? {
                Ok(resident) => staying.push((format!("Operator {name}"), resident)),
                Err(why) => return Ok(Some(unknown(bundle, &why))),
            }
        }
    }
    if staying.is_empty() {
        return Ok(None);
    }
    needed(record, &staying, knowledge)
}

/// Returns the condition to report if other Operators name packages that this Operator contains
/// only as dependencies. Returns None if there are no such Operators.
///
/// These Operators wait with the reason `PackageTaken` and have no Install yet. Without this check,
/// the packages would be deleted.
fn named(record: &Record, observation: &Observation) -> Option<Judgment> {
    let Observation {
        operator, fleet, ..
    } = observation;
    let own = Source::of(operator.stored.spec.as_ref()).and_then(Result::ok);
    let is_own = |bundle: &Bundle| own.as_ref().is_some_and(|own| own.names(bundle));
    let others = || {
        let others = fleet.members.iter();
        others.filter(|(name, it)| **name != operator.name && !it.is_deleting)
    };
    let is_elsewhere = |bundle: &Bundle| {
        let held = others().filter_map(|(_, it)| it.record());
        let mut held = held.flat_map(|it| it.bundles.iter().map(|it| &it.package));
        let mut present = fleet.present.iter().map(|it| &it.package);
        present.any(|it| *it == bundle.package) || held.any(|it| *it == bundle.package)
    };
    let (mut users, mut used) = (BTreeSet::new(), BTreeSet::new());
    for bundle in &record.bundles {
        let naming = others().filter(|(_, it)| it.source.names(bundle));
        let naming: Vec<_> = naming.map(|(name, _)| format!("Operator {name}")).collect();
        if !naming.is_empty() && !is_own(bundle) && !is_elsewhere(bundle) {
            users.extend(naming);
            used.insert(&bundle.name);
        }
    }
    if users.is_empty() {
        return None;
    }
    let sentence = format!(
        "{} {} the package of {}, which is deleted together with the Install of this Operator; \
         delete {} first, or set the \
         annotation {FORCE_DELETION}",
        some(NAMED, &users),
        if users.len() == 1 { "names" } else { "name" },
        some(NAMED, &used),
        if users.len() == 1 { "it" } else { "them" },
    );
    Some(deleting(Reason::DeletionBlocked, sentence))
}

/// Returns the condition to report if other operators need the bundles of the Install. Returns None
/// if no operator needs them.
///
/// # Errors
///
/// Returns the query that catalogs must answer first.
fn needed(
    record: &Record,
    staying: &[(String, Resident)],
    knowledge: &Knowledge,
) -> Result<Option<Judgment>, Ask> {
    let mut users = BTreeSet::new();
    let mut used = BTreeSet::new();
    for bundle in &record.bundles {
        let going = match described(bundle, knowledge)? {
            Ok(going) => going,
            Err(why) => return Ok(Some(unknown(bundle, &why))),
        };
        let needing = staying.iter().filter(|(_, user)| {
            let mut needs = needs(user);
            needs.any(|need| {
                let is_elsewhere = staying.iter().any(|(_, other)| need.is_met_by(other));
                need.is_met_by(&going) && !is_elsewhere
            })
        });
        for (user, _) in needing {
            users.insert(user);
            used.insert(&bundle.name);
        }
    }
    if users.is_empty() {
        return Ok(None);
    }
    let sentence = format!(
        "{} {} {} of the Install; first delete the operators that need the Install, or set the \
         annotation \
         {FORCE_DELETION}",
        some(NAMED, &users),
        if users.len() == 1 { "needs" } else { "need" },
        some(NAMED, &used),
    );
    Ok(Some(deleting(Reason::DeletionBlocked, sentence)))
}

/// Returns a bundle with the APIs that it provides and requires. The inner error is the reason why
/// a catalog cannot answer. If the catalog no longer contains the bundle, its APIs are unknown, so
/// they block nothing.
///
/// # Errors
///
/// Returns the query that catalogs must answer first.
fn described(bundle: &Bundle, knowledge: &Knowledge) -> Result<Result<Resident, String>, Ask> {
    let ask = Ask::Bundle {
        catalog: bundle.catalog.clone(),
        package: bundle.package.clone(),
        name: bundle.name.clone(),
    };
    let facts = match knowledge.get(&ask) {
        None => return Err(ask),
        Some(ContentAnswer::Unknown(why)) => return Ok(Err(why.clone())),
        Some(ContentAnswer::Bundle(_, facts)) => Some(facts.clone()),
        Some(ContentAnswer::No(_) | ContentAnswer::Resolved(_) | ContentAnswer::Routes(_)) => None,
    };
    Ok(Ok(Resident {
        facts,
        ..Resident::of(bundle)
    }))
}

fn unknown(bundle: &Bundle, why: &str) -> Judgment {
    let Bundle { catalog, name, .. } = bundle;
    let sentence = format!(
        "it is unknown if another operator needs {name}, because catalog {catalog} does not report \
         what {name} provides and requires: {}; to delete the Operator despite this, set the \
         annotation {FORCE_DELETION}",
        cite(why)
    );
    deleting(Reason::ResolverUnavailable, sentence)
}

/// A package or an API that an operator requires.
enum Need<'r> {
    Package { name: &'r str, range: &'r str },
    ProvidedApi(&'r [String; 3]),
}

fn needs(user: &Resident) -> impl Iterator<Item = Need<'_>> {
    let facts = user.facts.iter();
    facts.flat_map(
        |ResidentFacts {
             requires, packages, ..
         }| {
            let packages = packages
                .iter()
                .map(|(name, range)| Need::Package { name, range });
            packages.chain(requires.iter().map(Need::ProvidedApi))
        },
    )
}

impl Need<'_> {
    fn is_met_by(&self, resident: &Resident) -> bool {
        match self {
            Self::Package { name, range } => {
                // If the range or the version cannot be parsed, the package still counts as needed.
                resident.package == **name && VersionRange::may_match(range, &resident.version)
            }
            Self::ProvidedApi(api) => {
                let facts = resident.facts.as_ref();
                facts.is_some_and(|it| it.provides.contains(*api))
            }
        }
    }
}
