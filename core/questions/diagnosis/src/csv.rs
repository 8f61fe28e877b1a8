//! Causes in ClusterServiceVersions, in which OLM reports the state of an operator.

mod claim;
mod predecessor;

use portolan_core_health::{self as health, Csv, HealthCode, Sight};
use portolan_core_names::trouble;

use crate::case::Case;
use crate::code::Matter;
use crate::command::{CSVS, DEPLOYMENTS, SUBSCRIPTIONS, Target};
use crate::cure::Cure;
use crate::role::{Role, role};
use crate::{
    Cause, Code, Evidence, Object, Procedure, State, deletion, evidence, group, required, rollout,
};

pub(crate) use self::predecessor::pending;

/// The reasons with which OLM reports that workloads did not become ready in time.
const GAVE_UP: &[&str] = &["ComponentUnhealthy", "InstallCheckFailed"];
/// The reason with which OLM reports that a working operator lacks a requirement.
const UNMET: &str = "RequirementsNotMet";
/// The reasons with which OLM reports that another operator owns the same kind.
const CONFLICTS: &[&str] = &[claim::CLAIMED, "OwnerConflict"];

/// Returns the causes that the ClusterServiceVersion itself shows. `others` contains the causes
/// that are already known. A failure that such a cause explains is omitted.
pub(crate) fn causes(case: Case<'_>, others: &[Cause]) -> Vec<Cause> {
    let causes = [
        failed(case, others),
        absent(case),
        predecessor::overtaken(case),
    ];
    causes.into_iter().flatten().collect()
}

fn failed(case: Case<'_>, others: &[Cause]) -> Option<Cause> {
    let csv = case
        .newest()
        .filter(|csv| csv.status.phase == health::CsvPhase::Failed)?;
    if let Some(claimed) = claim::cause(case, csv) {
        return Some(claimed);
    }
    if CONFLICTS.contains(&csv.status.reason.as_str()) {
        return Some(taken(case, csv));
    }
    let is_known = others
        .iter()
        .any(|cause| cause.state == State::Broken || cause.code.matter() == Matter::Workload);
    if is_known {
        return None;
    }
    if group::has_failed(csv) {
        return Some(unnoticed(csv));
    }
    let deployments = &case.situation().namespace.deployments;
    if GAVE_UP.contains(&csv.status.reason.as_str()) && deployments.sight == Sight::Clear {
        return Some(passed(case, csv));
    }
    if csv.status.reason == UNMET {
        // If a requirement were missing, another cause would report it. OLM clears this state soon,
        // for example after an upgrade.
        return None;
    }
    let fact = case.fact(HealthCode::CsvFailed)?;
    let object = Object::from(&csv.observed.object);
    let cure = Cure::external(
        &format!("the publisher of package {}", case.operator.package),
        &format!(
            "Correct {}. The message of OLM is in the status of the ClusterServiceVersion.",
            case.operator.csv
        ),
    );
    let cause = Cause::new(Code::CsvFailed, State::Broken, object, &fact.message);
    Some(cause.cured(cure).shown(evidence::csv(csv)))
}

/// Returns the cause for an operator that OLM has set to Failed because of an OperatorGroup,
/// although the OperatorGroup is correct now.
fn unnoticed(csv: &Csv) -> Cause {
    let object = Object::from(&csv.observed.object);
    let message = format!(
        "OLM has set {object} to Failed because of the OperatorGroups of its namespace ({}). The \
         OperatorGroups are correct now, but OLM has not checked them again.",
        csv.status.reason
    );
    let cause = Cause::new(
        Code::RequirementNotRechecked,
        State::Broken,
        object,
        &message,
    );
    let cure = Cure::Safe(required::retry(CSVS, &csv.observed));
    cause.cured(cure).shown(evidence::csv(csv))
}

/// Returns the cause for an operator whose workloads did not become ready in time. The workloads
/// now work or are rolling out, or they belong to an older content of the bundle.
fn passed(case: Case<'_>, csv: &Csv) -> Cause {
    let object = Object::from(&csv.observed.object);
    let told = case.facts();
    let mut old: Vec<&health::ObjectVersion> = Vec::new();
    for told in &told {
        let is_old = role(told.fact.code) == Role::DeploymentCause(rollout::Outage::Unpullable)
            && rollout::is_outdated(case, told);
        let mut above = told.above.iter().rev();
        let deployment = above.find(|fact| fact.observed.object.kind == health::Kind::Deployment);
        old.extend(deployment.map(|fact| &fact.observed).filter(|_| is_old));
    }
    let is_rolling = told.iter().any(|told| {
        let is_deployment = told.fact.observed.object.kind == health::Kind::Deployment;
        is_deployment && told.fact.state == health::State::NotYet
    });
    let (why, cure) = match old.first() {
        None if is_rolling => (
            "The Deployments of the operator are rolling out. OLM checks the operator again when \
             these Deployments are available."
                .to_owned(),
            Cure::Time,
        ),
        None => (
            "The Deployments of the operator are available now. OLM does not check the operator \
             again by itself."
                .to_owned(),
            Cure::Safe(required::retry(CSVS, &csv.observed)),
        ),
        Some(deployment) => (
            format!(
                "{} still runs images that the ClusterServiceVersion no longer contains, and OLM \
                 does not update this Deployment.",
                deployment.object
            ),
            Cure::Choice(vec![deletion::delete(
                &format!(
                    "Delete {}. OLM then creates this Deployment again.",
                    deployment.object
                ),
                &[Target::of(DEPLOYMENTS, deployment)],
                Vec::new(),
                "The operator stops until the new Pods are ready.",
            )]),
        ),
    };
    let message = format!(
        "OLM set {object} to Failed when the deadline for its Deployments passed ({}). The cause \
         of the delay no longer exists. {why}",
        csv.status.reason
    );
    let cause = Cause::new(Code::DeadlinePassed, State::Broken, object, &message);
    let deployments = csv.deployments().iter();
    let deployments = deployments.filter_map(|one| case.situation().deployment(&one.name));
    cause
        .cured(cure)
        .shown(evidence::csv(csv))
        .shown(deployments.flat_map(evidence::deployment))
}

/// Returns the cause if another operator already owns the same kind.
fn taken(case: Case<'_>, csv: &Csv) -> Cause {
    let situation = case.situation();
    let here = situation.namespace.csvs.objects.iter();
    let here = here.filter(|other| !case.has_csv(&other.observed.object.name));
    let mut here: Vec<&Csv> = here.collect();
    here.sort();
    let mut elsewhere: Vec<&Csv> = situation.elsewhere.objects.iter().collect();
    elsewhere.sort();
    let shared = |other: &Csv| {
        let mut own = csv.definitions_owned();
        own.find(|own| other.definitions_owned().any(|their| their == *own))
    };
    let mut others = here.into_iter().chain(elsewhere);
    let found = others.find_map(|other| Some((other, shared(other)?)));
    let object = &csv.observed.object;
    let (at_fault, message) = match &found {
        Some((other, name)) => (
            Object::from(&other.observed.object),
            format!(
                "{} already provides {name}, so OLM does not install {object}, which also provides \
                 {name} ({}).",
                other.observed.object, csv.status.reason
            ),
        ),
        None => (
            Object::from(object),
            format!(
                "Another operator provides a kind that {object} also provides, but OLM does not \
                 report which operator ({}).",
                csv.status.reason
            ),
        ),
    };
    let cause = Cause::new(Code::CrdOwnedByOther, State::Broken, at_fault, &message);
    let other = found.map(|(other, name)| {
        Evidence::new(
            &other.observed.object,
            "spec.customresourcedefinitions.owned",
            &name,
        )
    });
    let cause = cause.cured(match case.csvs().nth(1) {
        Some(older) => Cure::external(
            &format!("the owner of namespace {}", situation.name()),
            &format!(
                "Keep only one of the two operators. Until you remove one of them, {} stays \
                 installed.",
                older.observed.object
            ),
        ),
        // The other operator was not found and may not exist. Therefore no deletion of this
        // operator is suggested.
        None if other.is_none() => Cure::external(
            &format!("the owner of namespace {}", situation.name()),
            "Find the operator that provides the same kind, and keep only one of the two \
             operators.",
        ),
        None => Cure::Choice(vec![give_way(case, csv)]),
    });
    cause.shown(evidence::csv(csv)).shown(other)
}

/// Returns the fix that removes this operator, which was installed later than the other operator.
fn give_way(case: Case<'_>, csv: &Csv) -> Procedure {
    let subscription = case
        .subscription
        .map(|subscription| Target::of(SUBSCRIPTIONS, &subscription.observed));
    let own = Target::of(CSVS, &csv.observed);
    let targets: Vec<_> = subscription.into_iter().chain([own]).collect();
    let procedure = deletion::delete(
        &format!(
            "Remove {} from namespace {}, because the operator does not work in this namespace.",
            case.title(),
            case.situation().name()
        ),
        &targets,
        Vec::new(),
        "After the removal, the namespace has only the other operator, and only if the other \
         operator watches this namespace.",
    );
    Procedure {
        keeps: "The CRDs and custom resources of the operator.".to_owned(),
        ..procedure
    }
}

/// Returns the cause if OLM treats the operator as installed, although its ClusterServiceVersion
/// does not exist in the namespace.
fn absent(case: Case<'_>) -> Option<Cause> {
    let subscription = case.subscription.filter(|_| !case.is_installed())?;
    let object = Object::from(&subscription.observed.object);
    let shown = [
        Evidence::new(
            &subscription.observed.object,
            "status.state",
            &subscription.status.state,
        ),
        Evidence::new(
            &subscription.observed.object,
            "status.installedCSV",
            &subscription.status.installed_csv,
        ),
    ];
    if let Some(fact) = case.fact(HealthCode::OnlyCopied) {
        let original = original(case, &subscription.status.installed_csv);
        let (served, risk) = match &original {
            Some(original) => (
                format!(
                    " OLM copied this ClusterServiceVersion from namespace {}. OLM creates such \
                     copies only in namespaces that the operator watches.",
                    original.object.namespace
                ),
                "None: the operator in the other namespace also watches this namespace.",
            ),
            None => (
                String::new(),
                "If the operator in the other namespace does not watch this namespace, no operator \
                 watches this namespace.",
            ),
        };
        let fix = deletion::delete(
            &format!("Delete {object}, which installs nothing."),
            &[Target::of(SUBSCRIPTIONS, &subscription.observed)],
            Vec::new(),
            risk,
        );
        let cure = match original {
            Some(_) => Cure::Safe(fix),
            None => Cure::Choice(vec![fix]),
        };
        let message = format!("{}{served}", fact.message);
        let cause = Cause::new(Code::OnlyCopied, State::Stuck, object, &message);
        return Some(cause.cured(cure).shown(shown).shown(original));
    }
    let fact = case
        .fact(HealthCode::NotInstalled)
        .filter(|fact| fact.state == health::State::No)?;
    let plan = case.situation().plan(subscription.plan());
    let is_done = plan.is_some_and(|plan| plan.status.phase == health::InstallPlanPhase::Complete);
    if subscription.status.installed_csv.is_empty() && !is_done {
        return None;
    }
    let fix = Procedure::of(
        &format!("Recreate {object}. OLM then installs the operator again."),
        deletion::recreate(Target::of(SUBSCRIPTIONS, &subscription.observed)),
        &format!("OLM installs {}.", case.anew()),
    );
    let fix = fix.deleting(
        &format!("{object}. The last step creates the Subscription again."),
        "CRDs and custom resources.",
    );
    let message = match subscription.status.installed_csv.as_str() {
        "" => fact.message.clone(),
        csv => trouble::operator_gone(case.situation().name(), csv) + ".",
    };
    let cause = Cause::new(Code::OperatorGone, State::Stuck, object, &message);
    Some(cause.cured(Cure::Safe(fix)).shown(shown))
}

/// Returns the original of a copied ClusterServiceVersion as evidence. Returns None if no namespace
/// or several namespaces have such an original.
fn original(case: Case<'_>, name: &str) -> Option<Evidence> {
    let elsewhere = case.situation().elsewhere.objects.iter();
    let mut originals = elsewhere.filter(|csv| csv.observed.object.name == name);
    let (Some(original), None) = (originals.next(), originals.next()) else {
        return None;
    };
    let phase = original.status.phase.as_str();
    Some(Evidence::new(
        &original.observed.object,
        "status.phase",
        phase,
    ))
}
