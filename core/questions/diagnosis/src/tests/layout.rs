//! Checks the structure of every cause: the responsible person and the commands.

use super::stories;
use crate::{Action, Cause, Certainty, Diagnosis, Procedure, Step};

/// Returns the diagnoses of all scenarios for all kinds of objects. Each diagnosis has the name of
/// its scenario.
fn all() -> Vec<(&'static str, Diagnosis)> {
    let of_olm = stories::all().into_iter();
    let of_olm = of_olm.flat_map(|(name, story)| {
        let diagnoses = story.diagnose().into_iter();
        diagnoses.map(move |one| (name, one))
    });
    let own = [
        ("plans", crate::own_plan::tests::stories()),
        ("operators", crate::own_operator::tests::stories()),
        ("own", crate::own::tests::stories()),
    ];
    let own = own.into_iter();
    let own = own.flat_map(|(name, all)| all.into_iter().map(move |one| (name, one)));
    of_olm.chain(own).collect()
}

/// Checks that every cause of every scenario has this property.
fn each_cause(claim: impl Fn(&Cause) -> bool, what: &str) {
    for (name, one) in all() {
        let root = one.cause.iter();
        for cause in root.flat_map(with_below) {
            assert!(claim(cause), "{name}: {what}: {cause:#?}");
        }
    }
}

fn with_below(cause: &Cause) -> Vec<&Cause> {
    let below = cause.below.iter().flat_map(with_below);
    std::iter::once(cause).chain(below).collect()
}

/// Checks that every procedure of every cause has this property.
fn each_procedure(claim: impl Fn(&Procedure) -> bool, what: &str) {
    each_cause(|cause| cause.remedy.procedures().all(&claim), what);
}

fn is_deletion(step: &Step) -> bool {
    step.action.text().starts_with("kubectl delete ")
}

/// Returns the text of a delete command after `kubectl delete `.
fn operands(step: &Step) -> &str {
    let text = step.action.text();
    text.strip_prefix("kubectl delete ").unwrap_or(text)
}

#[test]
fn messages_do_not_repeat_messages_of_other_programs() {
    each_cause(
        |cause| {
            let mut quotes = cause.quotes.iter();
            let is_apart = |text: &str| !text.is_empty() && !cause.message.contains(text);
            quotes.all(|quote| !quote.source.is_empty() && is_apart(&quote.text))
        },
        "a message repeats the message of another program",
    );
}

#[test]
fn objects_are_saved_before_they_are_deleted() {
    each_procedure(
        |procedure| {
            let mut steps = procedure.steps.iter().enumerate();
            steps.all(|(at, step)| {
                let save = format!("kubectl get {} -o yaml > ", operands(step));
                let mut before = procedure.steps[..at].iter();
                !is_deletion(step) || before.any(|one| one.action.text().starts_with(&save))
            })
        },
        "a deletion has no backup",
    );
}

#[test]
fn deletions_describe_deleted_and_remaining_objects() {
    each_procedure(
        |procedure| {
            let deletes = procedure.steps.iter().any(is_deletion);
            let notes = [&procedure.deletes, &procedure.keeps];
            if deletes {
                notes.iter().all(|note| note.ends_with('.'))
            } else {
                notes.iter().all(|note| note.is_empty())
            }
        },
        "the objects of a deletion are not named",
    );
}

#[test]
fn each_step_is_one_command_or_one_manifest_with_a_comment() {
    let is_one = |step: &Step| match &step.action {
        Action::Command(line) => {
            let is_chained = [" && ", " | ", "; ", "\n"].iter().any(|it| {
                // Text in quotes may contain any characters.
                let outside: String = line.split('\'').step_by(2).collect();
                outside.contains(it)
            });
            let programs = [
                "kubectl ",
                "portolan install crds",
                "portolan packages ",
                "portolan route ",
            ];
            let is_run = programs.iter().any(|program| line.starts_with(program));
            let is_known = is_run || line == "sleep 5";
            is_known && !is_chained
        }
        Action::Manifest(text) => text.contains("apiVersion"),
    };
    let has_comment = |step: &Step| {
        !step.comment.is_empty() && !step.comment.ends_with(['.', ':']) && step.comment.is_ascii()
    };
    each_cause(
        |cause| {
            let looks = cause.remedy.look.iter();
            let steps = cause.remedy.procedures().flat_map(|one| &one.steps);
            let mut all = looks.chain(steps);
            all.all(|step| is_one(step) && has_comment(step))
        },
        "a step is not whole",
    );
}

#[test]
fn procedures_have_steps_a_title_and_a_risk() {
    each_cause(
        |cause| {
            let has_title = |one: &Procedure| one.title.ends_with('.');
            let has_steps = |one: &Procedure| !one.steps.is_empty();
            let has_risk = |one: &Procedure| one.risk.ends_with('.');
            let remedy = &cause.remedy;
            // Only the alternatives in `decide` may have no command.
            let mut others = remedy.fix.iter().chain(&remedy.later);
            remedy.procedures().all(has_title)
                && others.all(has_steps)
                && remedy.changes().all(has_risk)
        },
        "a procedure is not whole",
    );
}

#[test]
fn inspection_steps_are_read_only() {
    const READS: [&str; 6] = [
        "kubectl auth can-i ",
        "kubectl get ",
        "kubectl describe ",
        "kubectl logs ",
        "portolan packages ",
        "portolan route ",
    ];
    each_cause(
        |cause| {
            let mut looks = cause.remedy.look.iter();
            looks.all(|step| {
                let text = step.action.text();
                READS.iter().any(|verb| text.starts_with(verb)) && !text.contains(" > ")
            })
        },
        "a look changes something",
    );
}

/// Without a timeout, a wait could block a script forever.
#[test]
fn waits_have_a_timeout() {
    each_procedure(
        |procedure| {
            procedure.texts().all(|text| {
                let waits = ["kubectl wait ", "kubectl rollout status "];
                let is_wait = waits.iter().any(|verb| text.starts_with(verb));
                !is_wait || text.contains("--timeout=")
            })
        },
        "a wait has no timeout",
    );
}

#[test]
fn causes_have_one_responsible_person_and_an_action() {
    each_cause(
        |cause| {
            let who = cause.responsible.who.as_str();
            let action = cause.responsible.action.as_str();
            match who {
                // The problem resolves without an action.
                "" => action.is_empty() && !cause.remedy.is_actionable(),
                who => {
                    let is_said = action.ends_with('.') || cause.remedy.is_actionable();
                    is_said && !who.ends_with('.') && !who.starts_with("The ")
                }
            }
        },
        "the responsible actor is missing",
    );
}

#[test]
fn causes_have_a_confidence_with_a_reason() {
    each_cause(
        |cause| {
            let is_unseen = cause.code == crate::Code::NotObserved;
            let is_unknown = cause.confidence.certainty == Certainty::Unknown;
            cause.confidence.reason.ends_with('.') && is_unseen == is_unknown
        },
        "a cause has no confidence",
    );
}

#[test]
fn every_diagnosis_has_a_headline() {
    for (name, one) in all() {
        assert!(one.headline.ends_with('.'), "{name}: {one:#?}");
    }
}
