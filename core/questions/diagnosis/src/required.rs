//! Diagnoses the requirements of an operator and its condition `Upgradeable`.

use portolan_core_health::{self as health, Csv, HealthCode, Item, Kind, ObjectVersion};
use portolan_core_names::text::listed;
use portolan_core_olm::messages::is_of_cluster_version;
use portolan_core_olm::{Condition, OperatorCondition, Subscription};
use serde_json::json;

use crate::case::{Case, FactPath};
use crate::command::{CONDITIONS, CSVS, SUBSCRIPTIONS, Target};
use crate::cure::Cure;
use crate::role::{Role, role};
use crate::unwritten::is_being_brought;
use crate::{Cause, Code, Evidence, Object, Procedure, State, deletion, evidence};

/// The type of the condition with which an operator allows or blocks upgrades.
const UPGRADEABLE: &str = OperatorCondition::UPGRADEABLE;

/// Returns the causes for unmet requirements of the operator and for its condition `Upgradeable`.
pub(crate) fn causes(case: Case<'_>) -> Vec<Cause> {
    let told = case.facts();
    let mut causes: Vec<Cause> = told.iter().filter_map(|told| need(case, told)).collect();
    without_first_looks(&mut causes);
    causes.extend(word(case));
    causes
}

/// Removes causes about missing ServiceAccounts if another requirement is also unmet. OLM creates
/// the ServiceAccounts after its first check, but does not update its message until another
/// requirement changes. Therefore such a report is probably outdated.
fn without_first_looks(causes: &mut Vec<Cause>) {
    let is_account = |cause: &Cause| {
        cause.code == Code::RequirementUnmet && cause.at_fault.kind == Kind::ServiceAccount.as_str()
    };
    if !causes.iter().all(is_account) {
        causes.retain(|cause| !is_account(cause));
    }
}

fn need(case: Case<'_>, told: &FactPath<'_>) -> Option<Cause> {
    let Role::Need(code) = role(told.fact.code) else {
        return None;
    };
    let fact = told.fact;
    let is_unseen = code == Code::RequirementNotRechecked;
    if fact.state == health::State::Yes || (fact.state == health::State::NotYet && !is_unseen) {
        return None;
    }
    if is_being_brought(case.situation(), &case.operator.csv) {
        return None;
    }
    let object = &fact.observed.object;
    let is_csv = object.kind == Kind::ClusterServiceVersion;
    let code = if is_csv && code == Code::RequirementUnmet && is_of_version(case) {
        Code::ClusterTooOld
    } else {
        code
    };
    let state = if is_unseen {
        State::Working
    } else {
        case.down()
    };
    let at_fault = at_fault(case, object);
    let cure = cure(case, code, fact, &at_fault);
    let cause = Cause::new(code, state, at_fault.clone(), &fact.message).cured(cure);
    let is_absent = [HealthCode::CrdMissing, HealthCode::ApiServiceMissing].contains(&fact.code);
    let absent = is_absent.then(|| Evidence::absent(at_fault));
    let csv = case.newest().into_iter().flat_map(evidence::csv);
    let cause = cause.shown(absent).shown(rows(case, &object.name));
    Some(cause.shown(crd(case, &object.name)).shown(csv))
}

/// Returns the object that is missing or has a problem. If its kind is unknown, returns the
/// ClusterServiceVersion that requires it.
fn at_fault(case: Case<'_>, object: &health::Object) -> Object {
    match case.newest().filter(|_| object.kind == Kind::Other) {
        Some(csv) => Object::from(&csv.observed.object),
        None => Object::from(object),
    }
}

/// Returns true if OLM reports that the version of the cluster does not match.
fn is_of_version(case: Case<'_>) -> bool {
    case.newest().is_some_and(is_about_cluster_version)
}

/// Returns true if OLM reports that the cluster is too old for a ClusterServiceVersion.
pub(crate) fn is_about_cluster_version(csv: &Csv) -> bool {
    let rows = csv.status.requirements.iter();
    let mut own = rows.filter(|row| row.kind == Kind::ClusterServiceVersion.as_str());
    own.any(|row| is_of_cluster_version(&row.message))
}

/// Returns the status of a requirement in the ClusterServiceVersion as evidence.
fn rows(case: Case<'_>, name: &str) -> Vec<Evidence> {
    let Some(csv) = case.newest() else {
        return Vec::new();
    };
    let rows = csv
        .status
        .requirements
        .iter()
        .filter(|row| row.name == name);
    let rows = rows.map(|row| {
        let field = format!("status.requirementStatus[{}/{}]", row.kind, row.name);
        let value = [row.status.as_str(), &row.message].join(" ");
        Evidence::new(&csv.observed.object, &field, value.trim())
    });
    rows.collect()
}

/// Returns the conditions of a CustomResourceDefinition or an APIService as evidence.
fn crd(case: Case<'_>, name: &str) -> Vec<Evidence> {
    let all = &case.situation().namespace;
    let crds = all.crds.objects.iter();
    let crds = crds.map(|one| (&one.observed.object, &one.status.conditions));
    let served = all.served.objects.iter();
    let served = served.map(|one| (&one.observed.object, &one.status.conditions));
    let own = crds.chain(served).filter(|(object, _)| object.name == name);
    let mut said: Vec<Evidence> = own
        .flat_map(|(object, said)| said.iter().map(|said| evidence::condition(object, said)))
        .collect();
    said.sort();
    said
}

fn cure(case: Case<'_>, code: Code, fact: &health::Fact, object: &Object) -> Cure {
    let Some(csv) = case.newest() else {
        return Cure::external(ADMINISTRATOR, &format!("Provide {object}."));
    };
    let name = &csv.observed.object.name;
    if code == Code::RequirementNotRechecked {
        return Cure::Safe(retry(CSVS, &csv.observed));
    }
    if code == Code::CrdMissing && brings(csv, &object.name) {
        return again(case, csv);
    }
    provide(case, code, fact, object, name)
}

const ADMINISTRATOR: &str = "a cluster administrator";

/// Returns the person who must provide the object, and the action.
fn provide(case: Case<'_>, code: Code, fact: &health::Fact, object: &Object, name: &str) -> Cure {
    if fact.code == HealthCode::ApiServiceUnavailable {
        let who = format!("the administrator of the server of {object}");
        return Cure::external(&who, "Find out why the server of this API does not answer.");
    }
    let kind = fact.observed.object.kind;
    let action = if code == Code::ClusterTooOld {
        format!(
            "Upgrade Kubernetes, because {name} does not run on this version. Alternatively, set a \
             channel in the Subscription whose versions support this Kubernetes version."
        )
    } else if code == Code::PermissionMissing {
        format!(
            "Grant this permission to {object}. OLM grants the permissions of {name} only once, during the \
             installation."
        )
    } else if fact.code == HealthCode::CrdTerminating {
        format!(
            "Find out which user or client deletes {object}. The deletion cannot be undone. It \
             waits for custom resources with finalizers, which their operator must process. If you \
             still need {name}, install it again."
        )
    } else if code == Code::CrdOwnedByOther {
        format!("Keep either {object} or the other CRD that uses the same names.")
    } else if [Code::CrdMissing, Code::ApiMissing].contains(&code) {
        format!("Provide {object}{}.", provider(case, &object.name))
    } else {
        repair(kind, object, name)
    };
    Cure::external(ADMINISTRATOR, &action)
}

/// Returns the action for a requirement that has no specific code.
fn repair(kind: Kind, object: &Object, name: &str) -> String {
    if kind == Kind::ClusterServiceVersion {
        format!(
            "Find the missing requirement in status.requirementStatus of {object}. The message of \
             OLM does not contain it."
        )
    } else if kind == Kind::Other {
        format!("Provide the missing requirement of {name}.")
    } else if kind == Kind::ServiceAccount {
        format!("Create {object}, which {name} needs.")
    } else {
        format!("Repair {object}, which {name} needs.")
    }
}

fn brings(csv: &Csv, name: &str) -> bool {
    let mut owned = csv.spec.custom_resources.owned.iter();
    owned.any(|api| api.name == name)
}

/// Returns the end of a sentence with the operator that can provide the object. If no operator owns
/// the object, advises the user to install one.
fn provider(case: Case<'_>, name: &str) -> String {
    let situation = case.situation();
    let here = situation.namespace.csvs.objects.iter();
    let mut all: Vec<&Csv> = here.chain(&situation.elsewhere.objects).collect();
    all.sort();
    let brings = |csv: &&Csv| csv.definitions_owned().any(|owned| owned == name);
    match all.into_iter().find(brings) {
        Some(csv) => format!(", which {} provides", csv.observed.object),
        None => ", or install an operator that provides this object".to_owned(),
    }
}

/// Returns the command that makes OLM reconcile an object again.
pub(crate) fn retry(resource: &'static str, observed: &ObjectVersion) -> Procedure {
    Procedure::of(
        &format!("Make OLM check {} now.", observed.object),
        vec![Target::of(resource, observed).retried()],
        "None: the command only sets an annotation that OLM ignores.",
    )
}

/// Returns the cure for an object that OLM creates only once, in an InstallPlan. The cure
/// reinstalls the operator.
fn again(case: Case<'_>, csv: &Csv) -> Cure {
    let Some(subscription) = case.subscription else {
        return Cure::external(
            &format!("the user who installed {}", csv.observed.object),
            "Install the operator again. It has no Subscription, so OLM does not install it by \
             itself.",
        );
    };
    Cure::Choice(vec![reinstall(
        case,
        subscription,
        &format!("Reinstall {} with all its objects.", case.title()),
        &format!(
            "The operator stops until it is installed again: OLM installs {}. The custom resources \
             of the deleted CRD are already lost.",
            case.anew()
        ),
    )])
}

/// Returns the steps that delete the installed version, wait until OLM has noticed the deletion,
/// and recreate the Subscription. Without the wait, OLM would treat the installed version as an
/// operator without a Subscription, and would not check it again.
pub(crate) fn reinstall(
    case: Case<'_>,
    subscription: &Item<Subscription>,
    title: &str,
    risk: &str,
) -> Procedure {
    let csvs = case.csvs().map(|csv| Target::of(CSVS, &csv.observed));
    let csvs: Vec<_> = csvs.collect();
    let subscription = Target::of(SUBSCRIPTIONS, &subscription.observed);
    let noticed = (!csvs.is_empty()).then(deletion::noticed);
    let then = noticed.into_iter().chain(deletion::recreate(subscription));
    let procedure = deletion::delete(title, &csvs, then.collect(), risk);
    let names = csvs.iter().chain([&subscription]);
    let names = listed(names.map(|target| target.called()));
    procedure.deleting(
        &format!("{names}. The last step creates the Subscription again."),
        "The CRDs and custom resources of the operator.",
    )
}

/// Returns the cause if a next version waits because the condition `Upgradeable` of the operator
/// blocks upgrades.
fn word(case: Case<'_>) -> Option<Cause> {
    let told = case.facts();
    let mut facts = told.iter().map(|told| told.fact);
    let fact = facts
        .find(|fact| fact.code == HealthCode::NotUpgradeable && fact.state != health::State::Yes)?;
    let next = case.newest()?;
    let mut own = case.situation().namespace.conditions.objects.iter();
    let own = own.find(|own| own.observed.object.name == next.spec.replaces);
    let administrator = own.and_then(|own| {
        let mut overrides = own.spec.overrides.iter();
        overrides.find(|said| said.r#type == UPGRADEABLE && said.is_false())
    });
    let name = own.map_or(&next.spec.replaces, |own| &own.observed.object.name);
    let at_fault = Object::new("OperatorCondition", case.situation().name(), name);
    let says_no = own.is_some_and(|own| {
        let mut said = own.status.conditions.iter();
        said.any(|said| said.r#type == UPGRADEABLE && said.is_false())
    });
    let cure = match (own, administrator) {
        (Some(own), Some(_)) if !says_no => {
            let kept = own
                .spec
                .overrides
                .iter()
                .filter(|said| said.r#type != UPGRADEABLE);
            let kept: Vec<_> = kept
                .map(|said| json!({"type": said.r#type, "status": said.status, "reason": said.reason, "message": said.message}))
                .collect();
            let patch = json!({"spec": {"overrides": kept}});
            Cure::Choice(vec![Procedure::command(
                &format!("Remove the override of the administrator for Upgradeable in {at_fault}."),
                Target::of(CONDITIONS, &own.observed).merge(&patch),
                &format!(
                    "OLM then upgrades to {}, although the administrator has blocked this upgrade.",
                    next.observed.object.name
                ),
            )])
        }
        (_, _) => Cure::external(
            &format!("the administrator of operator {}", next.spec.replaces),
            "Finish the work that the operator reports in its OperatorCondition. The operator then \
             removes Upgradeable=False from the OperatorCondition.",
        ),
    };
    let said = own.into_iter().flat_map(words);
    let cause = Cause::new(Code::NotUpgradeable, State::Stuck, at_fault, &fact.message).cured(cure);
    Some(cause.shown(said).shown(evidence::csv(next)))
}

/// Returns the `Upgradeable` conditions as evidence: the overrides of the administrator and the
/// conditions of the operator.
fn words(own: &Item<OperatorCondition>) -> Vec<Evidence> {
    let object = &own.observed.object;
    let is_about = |said: &&Condition| said.r#type == UPGRADEABLE;
    let overrides = own
        .spec
        .overrides
        .iter()
        .filter(is_about)
        .map(|said| Evidence {
            field: format!("spec.overrides[{UPGRADEABLE}]"),
            ..evidence::condition(object, said)
        });
    let said = own.status.conditions.iter().filter(is_about);
    overrides
        .chain(said.map(|said| evidence::condition(object, said)))
        .collect()
}
