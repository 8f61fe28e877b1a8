//! Checks properties that every Diagnosis must have.

use std::collections::BTreeSet;

use super::stories;
use crate::{Cause, Code, Diagnosis, Procedure, Responsible, State, Step};

/// Checks that every Diagnosis of every scenario has this property.
fn each(claim: impl Fn(&Diagnosis, &[Diagnosis]) -> bool, what: &str) {
    for (name, story) in stories::all() {
        let all = story.diagnose();
        for one in &all {
            assert!(claim(one, &all), "{name}: {what}: {one:#?}");
        }
    }
}

/// Returns the inspection commands of a cause, and the steps of its procedures.
fn steps(cause: &Cause) -> impl Iterator<Item = &Step> {
    let procedures = cause.remedy.procedures();
    let steps = procedures.flat_map(|procedure| &procedure.steps);
    cause.remedy.look.iter().chain(steps)
}

#[test]
fn state_is_the_worst_state_of_the_causes() {
    each(
        |one, _| {
            let worst = one.causes().map(|cause| cause.state).max();
            let root = one.cause.as_ref().map(|root| root.state);
            worst.unwrap_or(State::Well) == one.state && root == worst
        },
        "the state is another",
    );
}

#[test]
fn only_healthy_operators_have_no_cause() {
    each(
        |one, _| (one.state == State::Well) == one.cause.is_none(),
        "state and cause do not fit",
    );
}

#[test]
fn causes_are_sorted_and_one_level_deep() {
    each(
        |one, _| {
            let causes: Vec<_> = one.causes().collect();
            let order = |at: &&crate::Cause| (std::cmp::Reverse(at.state), at.code);
            let is_flat = causes.iter().skip(1).all(|cause| cause.below.is_empty());
            is_flat
                && causes
                    .windows(2)
                    .all(|two| order(&two[0]) <= order(&two[1]))
        },
        "causes are out of order",
    );
}

#[test]
fn blocked_operator_is_not_at_fault_itself() {
    each(
        |one, _| {
            let blocked = one.causes().filter(|cause| {
                [Code::BlockedByCatalog, Code::BlockedByNeighbor].contains(&cause.code)
            });
            let mut at_fault = blocked.map(|cause| &cause.at_fault);
            at_fault
                .all(|at_fault| *at_fault != one.subject.object && at_fault.name != one.subject.csv)
        },
        "a victim is called at fault",
    );
}

#[test]
fn blocking_neighbor_lists_its_victims() {
    each(
        |one, all| {
            let is_own = |at_fault: &crate::Object| {
                *at_fault == one.subject.object
                    || (at_fault.kind == "ClusterServiceVersion"
                        && at_fault.name == one.subject.csv)
            };
            let suffers = |other: &&Diagnosis| {
                let mut causes = other.causes();
                let is_other = other.subject != one.subject;
                is_other
                    && causes.any(|cause| {
                        cause.code == Code::BlockedByNeighbor && is_own(&cause.at_fault)
                    })
            };
            let suffering: BTreeSet<_> = all
                .iter()
                .filter(suffers)
                .map(|other| &other.subject.object)
                .collect();
            suffering.iter().all(|other| one.victims.contains(other))
        },
        "a victim is missing",
    );
}

/// The operator in `blocked_by` has a diagnosis with the same object at fault.
#[test]
fn blocking_operator_reports_the_same_root_cause() {
    let mut pointers = 0;
    for (name, story) in stories::all() {
        let all = story.diagnose();
        for (cause, root) in pointing(&all) {
            pointers += 1;
            let found = all.iter().find(|other| other.subject.object == *root);
            let reported = found.and_then(|other| other.cause.as_ref());
            let is_same = reported.is_some_and(|reported| {
                reported.at_fault == cause.at_fault && reported.blocked_by.is_none()
            });
            assert!(is_same, "{name}: {cause:#?} is not reported by {root}");
        }
    }
    assert!(pointers > 0, "no cause has `blocked_by`");
}

fn pointing(all: &[Diagnosis]) -> impl Iterator<Item = (&crate::Cause, &crate::Object)> {
    let causes = all.iter().flat_map(Diagnosis::causes);
    causes.filter_map(|cause| Some((cause, cause.blocked_by.as_ref()?)))
}

#[test]
fn problem_has_evidence() {
    each(
        |one, _| {
            let mut bad = one.causes().filter(|cause| cause.state > State::Working);
            bad.all(|cause| !cause.evidence.is_empty() && !cause.message.is_empty())
        },
        "a cause stands on nothing",
    );
}

#[test]
fn waiting_cause_has_a_fix() {
    each(
        |one, _| {
            one.causes().all(|cause| match cause.state {
                State::Waiting => cause.remedy.is_actionable(),
                State::Well => false,
                State::Working | State::Stuck | State::Broken => true,
            })
        },
        "a state does not fit its cure",
    );
}

/// Such names cannot exist in a cluster, but input files may contain them.
#[test]
fn hostile_names_are_escaped() {
    let evil = "fe\u{1b}[31mry\n$(rm -rf /)\u{202e}";
    let story = crate::tests::kit::harbor()
        .subscriptions("ferry", |subscription| {
            subscription.observed.object.name = evil.to_owned();
            subscription.spec.channel = evil.to_owned();
            subscription.status.install_plan_ref = crate::tests::kit::plan_ref(evil);
            subscription.spec.source = evil.to_owned();
        })
        .change(|all| all.unresolved = Some(evil.to_owned()))
        .fails(&format!(
            "constraints not satisfiable: no operators found in package {evil} in the catalog \
             referenced by subscription {evil}, subscription {evil} exists"
        ));
    let all = story.diagnose();
    let causes: Vec<_> = all.iter().flat_map(Diagnosis::causes).collect();
    assert!(!causes.is_empty());
    let mut texts: Vec<&str> = all
        .iter()
        .flat_map(|one| &one.unknowns)
        .map(String::as_str)
        .collect();
    for cause in causes {
        texts.push(&cause.message);
        texts.extend(
            cause
                .evidence
                .iter()
                .flat_map(|one| [&*one.field, &*one.value]),
        );
        let Responsible { who, action } = &cause.responsible;
        texts.extend([who, action].map(String::as_str));
        for procedure in cause.remedy.procedures() {
            let Procedure {
                title,
                deletes,
                keeps,
                risk,
                ..
            } = procedure;
            texts.extend([title, deletes, keeps, risk].map(String::as_str));
        }
        for step in steps(cause) {
            let line = step.action.text();
            let line_of_ours = line.replace("$(date +%s)", "");
            let is_quoted = !line_of_ours.contains("$(") || line.contains('\'');
            assert!(is_quoted, "{line}");
            texts.extend([&*step.comment, line]);
        }
    }
    for text in texts {
        let is_harmful = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!text.contains(is_harmful), "{text:?}");
    }
}
