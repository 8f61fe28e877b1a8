//! Diagnoses the operators of a Situation.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_core_approval as approval;
use portolan_core_health as health;

use crate::case::{Case, Findings};
use crate::code::Matter;
use crate::cure::Cure;
use crate::headline::{self, Impact};
use crate::outlook::Outlook;
use crate::{
    Cause, Code, Diagnosis, Object, Situation, State, Subject, catalog, confidence, contested, csv,
    group, meanwhile, newer, olm, passing, plan, removal, required, rollout, steps, steward,
    subscription, unpack, unwritten, upgrades,
};

/// Diagnoses the operators of a namespace. There is one operator for each Subscription, and one
/// operator for each chain of ClusterServiceVersions without a Subscription. The result is sorted
/// by subject.
///
/// # Guarantees
///
/// The result depends neither on the order of the input nor on objects that are unrelated to the
/// operators of the namespace.
pub fn diagnose(situation: &Situation<'_>) -> Vec<Diagnosis> {
    let situation = &*unwritten::written(situation);
    let findings = Findings {
        situation,
        operators: &health::judge(&situation.namespace),
        reviews: &approval::review(&situation.approval),
        outlook: &Outlook::of(situation),
    };
    let own: Vec<(Case<'_>, Vec<Cause>)> = findings
        .cases()
        .into_iter()
        .map(|case| (case, own(case)))
        .collect();
    let mut diagnoses: Vec<Diagnosis> = own
        .iter()
        .map(|(case, causes)| diagnosis(*case, causes, &own))
        .collect();
    let victims: Vec<Vec<Object>> = own
        .iter()
        .map(|(case, _)| victims(*case, &diagnoses))
        .collect();
    for (diagnosis, victims) in diagnoses.iter_mut().zip(victims) {
        diagnosis.victims = victims;
    }
    point_to_roots(&mut diagnoses);
    diagnoses.into_iter().map(Diagnosis::made_plain).collect()
}

/// Returns a diagnosis with an unknown state for every operator of a namespace. Used if the
/// diagnosis itself fails because of a bug.
pub fn undiagnosed(namespace: &health::Namespace, why: &str) -> Vec<Diagnosis> {
    let operators = health::judge(namespace);
    let diagnoses = operators.into_iter().map(|operator| {
        let subject = Subject {
            object: Object::from(&operator.subject),
            package: operator.package,
            csv: operator.csv,
        };
        let message = format!("Portolan failed to diagnose this operator: {why}.");
        let at_fault = subject.object.clone();
        let cause = Cause::new(Code::NotObserved, State::Working, at_fault, &message);
        let cure = Cure::external(
            "the developers of Portolan",
            "Fix this bug. As a user, report the bug and attach the log.",
        );
        let impact = Impact::of(&subject.object);
        of_status(subject, vec![cause.cured(cure)], None, (impact, &[]))
    });
    diagnoses.collect()
}

/// Returns the causes that this operator itself has, root cause first. Causes of other operators
/// are not included.
fn own(case: Case<'_>) -> Vec<Cause> {
    let mut causes = group::causes(case);
    causes.extend(catalog::causes(case));
    causes.extend(subscription::causes(case));
    causes.extend(unpack::causes(case));
    causes.extend(plan::causes(case));
    causes.extend(required::causes(case));
    causes.extend(rollout::causes(case));
    causes.extend(contested::cause(case));
    let failed = csv::causes(case, &causes);
    causes.extend(failed);
    causes.extend(upgrades::causes(case));
    without_followers(&mut causes);
    newer::approve_first(case, &mut causes);
    newer::replace_stalled(case, &mut causes);
    removal::wait_for_workload(case, &mut causes);
    in_order(&mut causes);
    causes
}

/// Removes causes that are only consequences of other causes.
fn without_followers(causes: &mut Vec<Cause>) {
    let is_down = causes
        .iter()
        .any(|cause| cause.code.matter() == Matter::Workload);
    let is_taken = causes
        .iter()
        .any(|cause| [Code::CrdOwnedByOther, Code::ApiClaimedByGroup].contains(&cause.code));
    let is_modeless = causes
        .iter()
        .any(|cause| cause.code == Code::InstallModeUnsupported);
    let is_unfit = causes
        .iter()
        .any(|cause| cause.code == Code::NotForThisCluster);
    causes.retain(|cause| {
        // The workloads of the operator serve its APIs, so a missing API is a consequence of
        // stopped workloads. OLM also removes the Deployments of an operator that it does not
        // install.
        let is_served = cause.code == Code::ApiMissing && is_down;
        let is_taken_away = cause.code == Code::DeploymentMissing && (is_taken || is_modeless);
        // The bundle cannot run in this cluster, so the diagnosis must not advise an approval.
        let waits = [Code::PlanAwaitsApproval, Code::PlanForcedManual].contains(&cause.code);
        let is_held = waits && is_unfit;
        !is_served && !is_taken_away && !is_held
    });
}

/// Sorts causes and removes duplicates. The worst cause is first. Among equally bad causes, a cause
/// that blocks other causes comes before them.
pub(crate) fn in_order(causes: &mut Vec<Cause>) {
    causes.sort_by(|a, b| {
        let worst_first = b.state.cmp(&a.state);
        worst_first
            .then_with(|| (a.code, &a.at_fault, &a.message).cmp(&(b.code, &b.at_fault, &b.message)))
    });
    causes.dedup_by(|a, b| a.code == b.code && a.at_fault == b.at_fault);
}

/// Returns the diagnosis of an object whose own status shows the causes. The worst cause is the
/// root cause. `conditions` contains the conditions of the status.
pub(crate) fn of_status(
    subject: Subject,
    mut causes: Vec<Cause>,
    unknown: Option<String>,
    (impact, conditions): (Impact, &[Condition]),
) -> Diagnosis {
    in_order(&mut causes);
    let causes = causes.into_iter().map(confidence::told);
    let causes: Vec<_> = match unknown {
        Some(_) => causes.map(confidence::behind).collect(),
        None => causes.collect(),
    };
    let state = causes.first().map_or(State::Well, |worst| worst.state);
    let mut causes = causes.into_iter();
    let cause = causes.next().map(|mut root| {
        root.below.extend(causes);
        root
    });
    let impact = impact.dated(conditions, cause.as_ref());
    let diagnosis = Diagnosis {
        headline: impact.headline(state, cause.as_ref()),
        subject,
        state,
        cause,
        victims: Vec::new(),
        meanwhile: Vec::new(),
        unknowns: unknown.into_iter().collect(),
        untold: None,
    };
    diagnosis.made_plain()
}

fn diagnosis(case: Case<'_>, own: &[Cause], all: &[(Case<'_>, Vec<Cause>)]) -> Diagnosis {
    let mut causes = own.to_vec();
    causes.extend(subscription::blocked(case, all));
    if causes.is_empty() {
        causes.extend(passing::cause(case));
    }
    olm::name_stopped(case, &mut causes);
    in_order(&mut causes);
    let causes = causes.into_iter();
    let causes = causes.map(|cause| confidence::judged(case, steps::guided(case, cause)));
    let causes = causes.map(|cause| {
        let metadata = steward::metadata(case, &cause.at_fault);
        let user = steward::user(case, &cause);
        steward::contacted(steward::named(cause, metadata), user)
    });
    let causes: Vec<_> = causes.collect();
    let state = causes.first().map_or(State::Well, |worst| worst.state);
    let unknowns = passing::unknowns(case, &causes);
    let mut causes = causes.into_iter();
    let cause = causes.next().map(|root| Cause {
        below: causes.collect(),
        ..root
    });
    Diagnosis {
        subject: Subject {
            object: case.subject(),
            package: case.operator.package.clone(),
            csv: case.operator.csv.clone(),
        },
        state,
        headline: headline::of_case(case, cause.as_ref()).headline(state, cause.as_ref()),
        victims: Vec::new(),
        meanwhile: meanwhile::sayings(case, state, cause.as_ref()),
        cause,
        unknowns,
        untold: upgrades::bundle_to_query(case),
    }
}

/// Returns the other operators that suffer from the causes of this operator.
fn victims(case: Case<'_>, diagnoses: &[Diagnosis]) -> Vec<Object> {
    let subject = case.subject();
    let own = diagnoses.iter().find(|one| one.subject.object == subject);
    let Some(own) = own else {
        return Vec::new();
    };
    let is_another = |object: &Object| {
        let mut others = diagnoses.iter().map(|one| &one.subject.object);
        others.any(|other| other == object && *other != subject)
    };
    let at_fault: Vec<&Object> = own
        .causes()
        .filter(|cause| !is_blocked(cause) && cause.state > State::Working)
        .map(|cause| &cause.at_fault)
        .filter(|at_fault| !is_another(at_fault))
        .collect();
    let is_own = |object: &Object| {
        let is_csv = object.kind == "ClusterServiceVersion" && case.has_csv(&object.name);
        *object == subject || (is_csv && object.namespace == subject.namespace)
    };
    let suffers = |other: &&Diagnosis| {
        other.subject.object != subject
            && other
                .causes()
                .any(|cause| at_fault.contains(&&cause.at_fault) || is_own(&cause.at_fault))
    };
    diagnoses
        .iter()
        .filter(suffers)
        .map(|other| other.subject.object.clone())
        .collect()
}

/// Returns true if the cause is that another object of the namespace blocks this operator.
fn is_blocked(cause: &Cause) -> bool {
    [Code::BlockedByCatalog, Code::BlockedByNeighbor].contains(&cause.code)
}

/// Sets `blocked_by` of each cause whose problem another operator has.
fn point_to_roots(diagnoses: &mut [Diagnosis]) {
    let all = diagnoses.to_vec();
    for Diagnosis { subject, cause, .. } in diagnoses {
        let Some(root) = cause else {
            continue;
        };
        for below in &mut root.below {
            below.blocked_by = blocked_by(&subject.object, below, &all);
        }
        root.blocked_by = blocked_by(&subject.object, root, &all);
    }
}

/// Returns the operator that has the problem of this cause as its root cause.
fn blocked_by(subject: &Object, cause: &Cause, all: &[Diagnosis]) -> Option<Object> {
    if !is_suffered(subject, cause) {
        return None;
    }
    let tells = |other: &&Diagnosis| {
        let is_own = |root: &&Cause| !is_suffered(&other.subject.object, root);
        let root = other.cause.as_ref().filter(is_own);
        let is_same = root.is_some_and(|root| {
            let is_orphan = cause.code == Code::BlockedByOrphan;
            root.at_fault == cause.at_fault && (!is_orphan || root.code == cause.code)
        });
        is_same && other.victims.contains(subject)
    };
    let root = all.iter().find(tells)?;
    Some(root.subject.object.clone())
}

/// Returns true if another operator has the problem of this cause. Returns false for a
/// ClusterServiceVersion without a Subscription that is itself the subject.
fn is_suffered(subject: &Object, cause: &Cause) -> bool {
    let waits = cause.code == Code::BlockedByOrphan && cause.at_fault != *subject;
    is_blocked(cause) || waits
}

// === impl Diagnosis ===

impl Diagnosis {
    /// Iterates over all causes, root cause first.
    pub fn causes(&self) -> impl Iterator<Item = &Cause> {
        let root = self.cause.iter();
        root.flat_map(|root| std::iter::once(root).chain(&root.below))
    }
}
