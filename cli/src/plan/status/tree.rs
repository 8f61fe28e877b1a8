//! Renders plans as text: a table of several plans, or a tree for one plan.

use portolan_api::plan::{JobState, MemberState, MemberStatus, Phase};

use super::report::{
    JobReport, ObjectReport, ObjectState, PeerReport, PlanReport, StageReport, StageState,
};
use crate::print::words::{NONE, count};
use crate::print::{Branch, Detail, Page, Span, Table};

pub(super) fn table(page: &mut Page, plans: &[PlanReport], detail: Detail) {
    let table = Table::of(plans, detail)
        .text("NAMESPACE", &|plan| plan.namespace())
        .text("PLAN", &|plan| plan.bare_name())
        .column("PHASE", &|plan| phase(plan.phase))
        .text("STAGE", &|plan| {
            plan.stage().map_or(NONE, |stage| stage.name.as_str())
        })
        .column("READY", &|plan| match plan.counts {
            Some(counts) => format!("{}/{}", counts.ready, counts.members).into(),
            None => NONE.into(),
        })
        .text("WHY", &|plan| {
            plan.cause()
                .map_or(NONE, |condition| condition.reason.as_str())
        })
        .wide_text("MESSAGE", &|plan| {
            plan.cause()
                .map_or(NONE, |condition| condition.message.as_str())
        });
    page.table(table);
}

pub(super) fn draw(page: &mut Page, plan: &PlanReport, detail: Detail) {
    let place = match plan.namespace() {
        "" => plan.bare_name().to_owned(),
        namespace => format!("{namespace}/{}", plan.bare_name()),
    };
    page.line([Span::heading(format!("{place}:")), phase(plan.phase)]);
    page.tree(&branches(plan, detail));
}

fn branches(plan: &PlanReport, detail: Detail) -> Vec<Branch> {
    let mut branches = Vec::new();
    if plan.phase.is_none() {
        branches.push(Branch::leaf([Span::warning(
            "not observed yet; check that a controller runs with --plans",
        )]));
    } else if !plan.is_current {
        branches.push(Branch::leaf([Span::warning(
            "the plan has changed since the controller last observed it",
        )]));
    }
    branches.extend(plan.conditions.iter().map(|condition| {
        let start = Span::warning(format!("{}={}", condition.type_, condition.status));
        let reason = format!("({}):", condition.reason);
        Branch::leaf([start, reason.into(), Span::plain(&condition.message)])
    }));
    branches.extend(plan.stages.iter().map(|one| stage(one, detail)));
    if !plan.leftovers.is_empty() {
        branches.push(Branch {
            line: vec!["objects of replaced plans that are not deleted yet".into()],
            below: plan.leftovers.iter().map(member).collect(),
        });
    }
    branches.extend(plan.replaces.iter().map(|peer| related("replaces", peer)));
    branches.extend(plan.replaces_missing.iter().map(|name| {
        let text = format!("replaces {name}, which does not exist");
        Branch::leaf([text.into()])
    }));
    branches.extend(
        plan.replaced_by
            .iter()
            .map(|peer| related("is replaced by", peer)),
    );
    branches
}

fn related(how: &str, PeerReport { name, phase: at }: &PeerReport) -> Branch {
    Branch::leaf([format!("{how} {name}:").into(), phase(*at)])
}

fn stage(stage: &StageReport, detail: Detail) -> Branch {
    let StageReport {
        name,
        resources,
        state,
        members,
        jobs,
        objects,
    } = stage;
    let state = match state {
        StageState::Done => Span::good("done"),
        StageState::Working => Span::warning("in progress"),
        StageState::Waiting => Span::plain("waits"),
    };
    let mut contents = count(*resources, "object");
    if !jobs.is_empty() {
        contents.push_str(&format!(", {}", count(jobs.len(), "Job")));
    }
    let text = format!("stage {name} ({contents}):");
    let jobs = jobs.iter().map(|one| {
        let object = one.job.as_ref().map(|name| format!("/{name}"));
        let is_told = object.is_some_and(|end| members.iter().any(|it| it.object.ends_with(&end)));
        job(one, is_told)
    });
    let shown = match detail {
        Detail::Usual => members.iter().map(member).collect(),
        Detail::Whole => all(members, objects),
    };
    Branch {
        line: vec![text.into(), state],
        below: shown.into_iter().chain(jobs).collect(),
    }
}

/// Returns the branches of a stage: its objects, and the Jobs and members that are not ready.
fn all(members: &[MemberStatus], objects: &[ObjectReport]) -> Vec<Branch> {
    let mut lines: Vec<_> = objects.iter().map(object).collect();
    let is_shown = |member: &MemberStatus| {
        objects.iter().any(|object| match &object.state {
            ObjectState::Told(told) => **told == *member,
            ObjectState::Ready | ObjectState::Waiting | ObjectState::Unknown => false,
        })
    };
    lines.extend(members.iter().filter(|it| !is_shown(it)).map(member));
    lines
}

fn object(object: &ObjectReport) -> Branch {
    if let ObjectState::Told(told) = &object.state {
        return member(told);
    }
    Branch::leaf([object_state(&object.state), Span::plain(&object.name)])
}

pub(super) fn object_state(state: &ObjectState) -> Span {
    match state {
        ObjectState::Told(told) => member_state(told.state),
        ObjectState::Ready => Span::good("Ready"),
        ObjectState::Waiting => Span::plain("Waiting"),
        ObjectState::Unknown => Span::plain("Unknown"),
    }
}

/// Renders a Job. `is_told` is true if the page already shows the Job object of the last run.
fn job(job: &JobReport, is_told: bool) -> Branch {
    let JobReport {
        name,
        state,
        job,
        run,
        failures,
        retries,
        ended,
        message,
    } = job;
    let mut line = vec![format!("Job {name}:").into(), job_state(*state)];
    if let Some(job) = job {
        let mut facts = vec![format!("run {run}, {job}")];
        if *failures > 0 {
            facts.push(format!("failed {failures} of {} times", retries + 1));
        }
        facts.extend(ended.as_ref().map(|ended| format!("ended {ended}")));
        line.push(format!("({})", facts.join(", ")).into());
    }
    if !message.is_empty() && !is_told {
        line.push(Span::plain(message));
    }
    Branch {
        line,
        below: Vec::new(),
    }
}

pub(super) fn job_state(state: Option<JobState>) -> Span {
    match state {
        Some(JobState::Succeeded) => Span::good("Succeeded"),
        Some(JobState::Failed) => Span::error("Failed"),
        Some(JobState::Running) => Span::warning("Running"),
        Some(JobState::Unknown) => Span::warning("Unknown"),
        None => Span::plain("has not started"),
    }
}

fn member(member: &MemberStatus) -> Branch {
    let MemberStatus {
        object,
        state,
        message,
        ..
    } = member;
    let what = Span::plain(format!("{object}:"));
    Branch::leaf([member_state(*state), what, Span::plain(message)])
}

pub(super) fn member_state(state: MemberState) -> Span {
    let word = format!("{state:?}");
    match state {
        MemberState::Refused | MemberState::Failed => Span::error(word),
        MemberState::NotApplied
        | MemberState::Missing
        | MemberState::NotReady
        | MemberState::Drifted
        | MemberState::Contested
        | MemberState::Held
        | MemberState::Terminating
        | MemberState::Remaining
        | MemberState::Unknown => Span::warning(word),
    }
}

pub(super) fn phase(phase: Option<Phase>) -> Span {
    let Some(phase) = phase else {
        return Span::warning("not processed");
    };
    let word = format!("{phase:?}");
    match phase {
        Phase::Ready => Span::good(word),
        Phase::Invalid | Phase::Failed => Span::error(word),
        Phase::Superseded => Span::plain(word),
        Phase::Pending
        | Phase::Suspended
        | Phase::Applying
        | Phase::Applied
        | Phase::Terminating
        | Phase::Unknown => Span::warning(word),
    }
}
