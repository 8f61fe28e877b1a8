//! The condition about the relevant InstallPlan, and the step that approves it.

mod consent;
mod news;
mod release;
mod relevant;
mod review;
mod skip;
mod stalled;
#[cfg(test)]
mod tests;

use portolan_api::{ConditionType, Effect, Form, Reason, RelatedObject};
use portolan_core_names::trouble;
use portolan_core_olm::{ApprovalCode, ApprovalTopic, InstallPlanPhase, Step as OlmStep};

use crate::case::Case;
use crate::contribution::{Contribution, known, related};
use crate::desired::{Action, Condition, Status, Step, Target};
use crate::kinds::INSTALL_PLAN;
use crate::phrase::clause;
use crate::{PlannedBundle, State};

pub use consent::newest_allowed;
pub(crate) use consent::{allows, field, is_certain};
pub(crate) use news::{channel, version};
pub(crate) use release::UNMET;
use release::{Permission, Withheld};
pub(crate) use relevant::Relevant;
pub(crate) use review::{Objection, exact, objections};
pub use review::{UnseenPolicy, is_outdated, unseen_policy};
pub(crate) use skip::skipped;
pub(crate) use stalled::Patience;

const TYPE: ConditionType = ConditionType::InstallPlanCompliant;

/// Judges the relevant InstallPlan.
pub(crate) fn judge(case: &Case<'_>) -> Contribution {
    let own = Relevant::of(case);
    if own.is_none_or(|own| own.is_over())
        && let Some(needed) = relevant::needed(case)
    {
        return waiting(&needed);
    }
    match own {
        None => nothing(case),
        Some(relevant) if relevant.is_past() => idle(case),
        Some(relevant) => one(&relevant),
    }
}

/// Builds the contribution for a policy without a relevant InstallPlan.
fn nothing(case: &Case<'_>) -> Contribution {
    let message = "No InstallPlan in the namespace installs the operator";
    let good = |message: &str| Condition::good(TYPE, Reason::NoInstallPlansFound, message);
    let subscription = case.subscription();
    let subscription = subscription.filter(|each| each.status.current_csv.is_empty());
    let part = match subscription {
        None => Contribution::of(good(message)),
        Some(new) => stalled::unresolved(case, new, good(message)),
    };
    part.add_related(TYPE, vec![none(case)])
}

/// Builds the contribution for a policy whose relevant InstallPlan waits although its bundle is
/// already installed.
fn idle(case: &Case<'_>) -> Contribution {
    Contribution::of(resting()).add_related(TYPE, vec![none(case)])
}

fn resting() -> Condition {
    let message = "No InstallPlan waits for approval";
    Condition::good(TYPE, Reason::NoInstallPlansRequiringApproval, message)
}

fn one(relevant: &Relevant<'_>) -> Contribution {
    if let Some(why) = intruder(relevant) {
        let condition = Condition::bad(TYPE, Reason::InstallPlanNotAllowed, why);
        return with_plan(relevant, condition);
    }
    match &relevant.plan.status.phase {
        InstallPlanPhase::RequiresApproval if relevant.plan.spec.approved => approved(relevant),
        InstallPlanPhase::RequiresApproval => waiting(relevant),
        InstallPlanPhase::Installing => installing(relevant),
        InstallPlanPhase::Failed => failed(relevant),
        // The new ClusterServiceVersion exists, but OLM does not count it as installed yet. Until
        // then, the old ClusterServiceVersion looks healthy.
        InstallPlanPhase::Complete if relevant.is_on_its_way() => installing(relevant),
        InstallPlanPhase::Complete => with_plan(relevant, resting()),
        InstallPlanPhase::Planning | InstallPlanPhase::Other(_) => unready(relevant),
    }
}

/// Returns a contribution with the condition and the InstallPlan as its related object.
fn with_plan(relevant: &Relevant<'_>, condition: Condition) -> Contribution {
    let object = object(relevant, !condition.violates);
    Contribution::of(condition).add_related(TYPE, vec![object])
}

/// Judges an InstallPlan that is approved and that OLM must start next. The transition time of the
/// condition is the time of the approval, even if the message changes later.
fn approved(relevant: &Relevant<'_>) -> Contribution {
    let since = stalled::approved_since(relevant);
    let patience = since.map(|since| (since, Patience::since(since, relevant.case.now)));
    let Some((since, Patience::Until(later))) = patience else {
        return with_plan(relevant, stalled::never_started(relevant));
    };
    let condition = Condition {
        since: Some(since),
        ..started_soon(relevant, approved_message(relevant))
    };
    with_plan(relevant, condition).requeue_at(later)
}

fn approved_message(relevant: &Relevant<'_>) -> String {
    let (name, brings) = (relevant.name(), relevant.brings());
    format!("InstallPlan {name} for {brings} is approved")
}

/// Returns the condition of an InstallPlan that is approved and that OLM must start next. In the
/// design form, the condition counts as an upgrade in progress.
fn started_soon(relevant: &Relevant<'_>, message: String) -> Condition {
    let intent = relevant.case.intent;
    let status = match intent.form {
        Form::Design => status(intent.effects.upgrades_progressing),
        Form::Established => Status::True,
    };
    Condition::new(TYPE, status, Reason::InstallPlanApproved, message)
}

fn installing(relevant: &Relevant<'_>) -> Contribution {
    let message = format!(
        "InstallPlan {} is installing {}",
        relevant.name(),
        relevant.brings()
    );
    let effect = relevant.case.intent.effects.upgrades_progressing;
    let condition = Condition::new(
        TYPE,
        status(effect),
        Reason::InstallPlansInstalling,
        message,
    );
    with_plan(relevant, condition)
}

fn failed(relevant: &Relevant<'_>) -> Contribution {
    let condition = match failure(relevant) {
        Some(why) => Condition::bad(TYPE, Reason::InstallPlanFailed, why),
        None => resting(),
    };
    Contribution::of(condition).add_related(TYPE, vec![object(relevant, false)])
}

/// Judges an InstallPlan that OLM has not completed yet.
fn unready(relevant: &Relevant<'_>) -> Contribution {
    Contribution::of(resting()).add_related(TYPE, vec![object(relevant, false)])
}

fn waiting(relevant: &Relevant<'_>) -> Contribution {
    let head = news::sentence(relevant);
    match release::of(relevant) {
        Permission::Granted { although } => {
            let waiting = wait(relevant, Reason::InstallPlanRequiresApproval, head);
            with_plan(relevant, waiting).add_step(approval(relevant, although.as_deref()))
        }
        Permission::Withheld(Withheld { reason, why, again }) => {
            let behind = skip::behind(relevant).unwrap_or_default();
            let message = format!("{head}. {why}{behind}");
            let part = with_plan(relevant, wait(relevant, reason, message));
            match again {
                Some(later) => part.requeue_at(relevant.case.now + later),
                None => part,
            }
        }
    }
}

fn wait(relevant: &Relevant<'_>, reason: Reason, message: String) -> Condition {
    let effect = relevant.case.intent.effects.upgrades_available;
    Condition::new(TYPE, status(effect), reason, message)
}

fn status(effect: Effect) -> Status {
    match effect {
        Effect::Condition => Status::True,
        Effect::NonCompliant => Status::False,
    }
}

/// Returns the step that approves the InstallPlan, in the state that was reviewed.
fn approval(relevant: &Relevant<'_>, although: Option<&str>) -> Step {
    let (api_version, kind) = INSTALL_PLAN;
    let mut message = approved_message(relevant);
    if let Some(by) = relevant.needed_by {
        message = format!("{message} because {by} needs it");
    }
    if let Some(although) = although {
        message = format!("{message}, although {}", clause(although));
    }
    let done = started_soon(relevant, message);
    Step {
        action: Action::Approve(Target::of(api_version, kind, relevant.plan)),
        type_: TYPE,
        related: vec![listed(
            relevant,
            !done.violates,
            "The InstallPlan is approved",
        )],
        done,
    }
}

/// Returns the related object of the InstallPlan.
fn object(relevant: &Relevant<'_>, is_content: bool) -> RelatedObject {
    let plan = relevant.plan;
    let reason = match &plan.status.phase {
        InstallPlanPhase::RequiresApproval if plan.spec.approved => {
            "The InstallPlan is approved".to_owned()
        }
        InstallPlanPhase::RequiresApproval => "The InstallPlan is not approved".to_owned(),
        InstallPlanPhase::Other(word) if word.is_empty() => "The state of the InstallPlan is \
                                                             unknown"
            .to_owned(),
        phase @ (InstallPlanPhase::Planning
        | InstallPlanPhase::Installing
        | InstallPlanPhase::Complete
        | InstallPlanPhase::Failed
        | InstallPlanPhase::Other(_)) => format!("The InstallPlan is {phase}"),
    };
    listed(relevant, is_content, &reason)
}

fn listed(relevant: &Relevant<'_>, is_content: bool, reason: &str) -> RelatedObject {
    let compliant = if is_content {
        "Compliant"
    } else {
        "NonCompliant"
    };
    let name = (relevant.namespace(), relevant.name());
    let object = related(INSTALL_PLAN, name, Some(compliant), reason);
    known(object, relevant.plan.metadata.uid.as_deref(), false)
}

fn none(case: &Case<'_>) -> RelatedObject {
    let name = (Some(case.namespace.name.as_str()), "-");
    let reason = "No InstallPlan of the namespace belongs to the policy";
    related(INSTALL_PLAN, name, Some("Compliant"), reason)
}

/// Returns the reason why the InstallPlan failed. Returns None if only its steps for other
/// operators failed.
fn failure(relevant: &Relevant<'_>) -> Option<String> {
    let plan = relevant.plan;
    let is_shared = plan.spec.csvs.len() > 1;
    let mut own = plan
        .status
        .steps
        .iter()
        .filter(|step| is_own_step(step, relevant));
    let is_done = own.clone().next().is_some() && own.all(OlmStep::is_done);
    if is_shared && is_done {
        return None;
    }
    let name = relevant.name();
    let step = match failing(relevant) {
        Some(step) => format!(" (at {} {})", step.resource.kind, step.resource.name),
        None => String::new(),
    };
    let claim = trouble::plan_failed(&relevant.case.namespace.name, name) + &step;
    Some(match message_of_olm(relevant) {
        Some(message) => format!("{claim}: {message}"),
        None => claim,
    })
}

fn is_own_step(step: &OlmStep, relevant: &Relevant<'_>) -> bool {
    step.resolving == relevant.current()
}

/// Returns the step of the InstallPlan at which OLM stopped. Returns None if it is unknown. OLM
/// executes the steps one after the other. A step for this operator takes precedence over steps for
/// other operators.
fn failing<'a>(relevant: &Relevant<'a>) -> Option<&'a OlmStep> {
    let steps = || {
        relevant
            .plan
            .status
            .steps
            .iter()
            .filter(|step| !step.is_done())
    };
    let own = steps().find(|step| is_own_step(step, relevant));
    own.or_else(|| steps().next())
}

/// Returns OLM's message about the InstallPlan. Returns None if there is no message.
fn message_of_olm(relevant: &Relevant<'_>) -> Option<String> {
    let status = &relevant.plan.status;
    let failed = status
        .conditions
        .iter()
        .filter(|condition| condition.status == "False");
    let mut messages = failed
        .map(|condition| condition.message.as_str())
        .chain([status.message.as_str()])
        .map(clause);
    messages.find(|message| !message.is_empty())
}

/// Returns a sentence about an approved InstallPlan that contains a bundle which is not allowed.
/// Returns None if all bundles are allowed, or if the InstallPlan is complete or failed.
fn intruder(relevant: &Relevant<'_>) -> Option<String> {
    let is_under_way = match relevant.plan.status.phase {
        InstallPlanPhase::Complete | InstallPlanPhase::Failed => false,
        InstallPlanPhase::Planning
        | InstallPlanPhase::RequiresApproval
        | InstallPlanPhase::Installing
        | InstallPlanPhase::Other(_) => true,
    };
    if !relevant.plan.spec.approved || !is_under_way {
        return None;
    }
    let why = own_version(relevant).or_else(|| companion(relevant))?;
    let name = relevant.name();
    Some(format!("InstallPlan {name} is already approved, but {why}"))
}

/// Returns a clause about the operator's version in the InstallPlan if the policy does not allow
/// this version. Returns None otherwise.
fn own_version(relevant: &Relevant<'_>) -> Option<String> {
    let intent = relevant.case.intent;
    let bundle = relevant.current();
    let version = news::version(relevant.case, bundle);
    let is_foreign =
        relevant.is_next() && is_certain(intent, &version) && !allows(intent, bundle, &version);
    let field = field(intent);
    is_foreign.then(|| format!("installs {bundle}, which {field} does not allow"))
}

/// Returns a clause about another operator's bundle in the InstallPlan if this bundle is not
/// allowed. Returns None if all bundles are allowed, or if the policy is in inform mode.
fn companion(relevant: &Relevant<'_>) -> Option<String> {
    if !relevant.case.intent.is_enforced() {
        return None;
    }
    let review = review::any(relevant.case, relevant.plan)?;
    let is_other = |bundle: &&PlannedBundle| bundle.name != relevant.current();
    let mut bundles = review.bundles.iter().filter(is_other);
    bundles.find_map(|bundle| {
        // Ignores this reason: a user may approve an update that no policy approves automatically.
        let by_hand = Some(ApprovalTopic::ByHand);
        let mut reasons = bundle.verdict.reasons.iter();
        let reason = reasons.find(|reason| reason.code.known().map(ApprovalCode::topic) != by_hand);
        let reason = reason.filter(|_| bundle.verdict.state == State::No)?;
        let message = clause(&reason.message);
        Some(format!(
            "installs {}, which no policy allows: {message}",
            bundle.name
        ))
    })
}
