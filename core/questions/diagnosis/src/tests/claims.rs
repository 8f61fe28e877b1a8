//! Properties that every Diagnosis has.

use std::collections::BTreeSet;

use super::stories;
use crate::{Change, Code, Cure, Diagnosis, State};

/// Checks a claim for every Diagnosis of every story.
fn each(claim: impl Fn(&Diagnosis, &[Diagnosis]) -> bool, what: &str) {
    for (name, story) in stories::all() {
        let all = story.diagnose();
        for one in &all {
            assert!(claim(one, &all), "{name}: {what}: {one:#?}");
        }
    }
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
fn blocked_operator_is_not_its_own_culprit() {
    each(
        |one, _| {
            let blocked = one.causes().filter(|cause| {
                [Code::BlockedByCatalog, Code::BlockedByNeighbor].contains(&cause.code)
            });
            let mut guilty = blocked.map(|cause| &cause.guilty);
            guilty.all(|guilty| *guilty != one.subject.object && guilty.name != one.subject.csv)
        },
        "a victim is called guilty",
    );
}

#[test]
fn blocking_neighbor_lists_its_victims() {
    each(
        |one, all| {
            let is_own = |guilty: &crate::Object| {
                *guilty == one.subject.object
                    || (guilty.kind == "ClusterServiceVersion" && guilty.name == one.subject.csv)
            };
            let suffers = |other: &&Diagnosis| {
                let mut causes = other.causes();
                let is_other = other.subject != one.subject;
                is_other
                    && causes
                        .any(|cause| cause.code == Code::BlockedByNeighbor && is_own(&cause.guilty))
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

#[test]
fn fixes_are_commands_or_manifests_and_have_a_risk() {
    each(
        |one, _| {
            one.causes().all(|cause| match &cause.cure {
                Cure::Fixable(fixes) => {
                    !fixes.is_empty()
                        && fixes.iter().all(|fix| {
                            let is_one = match &fix.change {
                                Change::Command(line) => {
                                    let is_piped = line.starts_with("printf ");
                                    let is_kubectl = line.starts_with("kubectl ") || is_piped;
                                    is_kubectl && !line.contains('\n')
                                }
                                Change::Manifest(text) => text.contains("apiVersion"),
                            };
                            is_one && fix.message.ends_with('.') && fix.risk.ends_with('.')
                        })
                }
                Cure::External(who) => who.ends_with('.'),
                Cure::Time => true,
            })
        },
        "a cure is not whole",
    );
}

#[test]
fn steps_are_single_commands_of_external_cures() {
    each(
        |one, _| {
            one.causes().all(|cause| {
                let is_line =
                    |line: &str| line.starts_with("kubectl ") && !line.contains(['\n', '\u{1b}']);
                let is_external = matches!(cause.cure, Cure::External(_));
                let mut steps = cause.steps.iter();
                let order: Vec<_> = cause.steps.iter().map(|step| step.purpose).collect();
                (is_external || cause.steps.is_empty())
                    && steps
                        .all(|step| is_line(&step.command) && !step.message.ends_with(['.', ':']))
                    && order.is_sorted()
            })
        },
        "a step is not whole",
    );
}

/// `blocked_by` names an operator whose own root cause is the same.
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
                reported.guilty == cause.guilty && reported.blocked_by.is_none()
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
fn trouble_has_evidence() {
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
                State::Waiting => matches!(cause.cure, Cure::Fixable(_)),
                State::Well => false,
                State::Working | State::Stuck | State::Broken => true,
            })
        },
        "a state does not fit its cure",
    );
}

/// Names that are impossible in a cluster, but not in files.
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
        texts.extend(cause.steps.iter().map(|step| &*step.command));
        for fix in cause.cure.fixes() {
            let (Change::Command(line) | Change::Manifest(line)) = &fix.change;
            let is_quoted = !line.contains("$(") || line.contains('\'');
            assert!(is_quoted, "{line}");
            texts.extend([&*fix.message, line, &*fix.risk]);
        }
    }
    for text in texts {
        let is_harmful = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!text.contains(is_harmful), "{text:?}");
    }
}
