//! Decides if the controller may approve the InstallPlan now.

use jiff::SignedDuration;
use portolan_api::Reason;
use portolan_core_olm::{Approval, ApprovalCode, ApprovalTopic, ClusterServiceVersion, CsvPhase};

use super::consent::{allows, field};
use super::review::{UnseenPolicy, exact, objected, unseen_policy};
use super::skip::{outdated, skipped};
use super::{Relevant, news};
use crate::case::Case;
use crate::observed::WriteMode;
use crate::phrase::clause;
use crate::{Answer, PlanReview, State};

/// The delay until the next check if the approval service has not read the current objects yet.
const SOON: SignedDuration = SignedDuration::from_secs(5);
/// The delay until the next check if the approval service itself waits for data.
const LATER: SignedDuration = SignedDuration::from_secs(30);
/// The reason that OLM sets on an operator with a missing requirement.
pub(crate) const UNMET: &str = "RequirementsNotMet";

/// The decision if the controller may approve the InstallPlan now.
pub(super) enum Permission {
    /// The controller may approve the InstallPlan. `although` describes a problem of the installed
    /// operator. None if the operator has no problem.
    Granted { although: Option<String> },
    /// The controller must not approve the InstallPlan now.
    Withheld(Withheld),
}

/// The reason why the controller must not approve the InstallPlan now.
pub(super) struct Withheld {
    /// The reason as one word in CamelCase.
    pub(super) reason: Reason,
    /// The reason as one or more sentences.
    pub(super) why: String,
    /// The delay until the next check, if no observed object changes earlier. None if only a change
    /// of an object can trigger the next check.
    pub(super) again: Option<SignedDuration>,
}

impl Withheld {
    fn because(why: impl Into<String>) -> Self {
        Self {
            reason: Reason::InstallPlanRequiresApproval,
            why: why.into(),
            again: None,
        }
    }

    fn for_now(again: SignedDuration, why: impl Into<String>) -> Self {
        Self {
            again: Some(again),
            ..Self::because(why)
        }
    }
}

pub(super) fn of(relevant: &Relevant<'_>) -> Permission {
    let gates = [passed, wanted, met, settled, allowed];
    match gates.iter().try_for_each(|gate| gate(relevant)) {
        Ok(()) => Permission::Granted {
            although: trouble(relevant),
        },
        Err(withheld) => Permission::Withheld(withheld),
    }
}

/// Checks that the InstallPlan skips no allowed version and does not leave the channel.
fn passed(relevant: &Relevant<'_>) -> Result<(), Withheld> {
    if let Some(why) = outdated(relevant) {
        return Err(Withheld::because(why));
    }
    match skipped(relevant.case) {
        None => Ok(()),
        Some(why) => Err(Withheld {
            reason: Reason::AllowedVersionSkippedByOLM,
            ..Withheld::because(why)
        }),
    }
}

/// Checks that the policy approves InstallPlans, and that the controller may write.
fn wanted(relevant: &Relevant<'_>) -> Result<(), Withheld> {
    let intent = relevant.case.intent;
    let refuse = |why: String| Err(Withheld::because(why));
    if !intent.is_enforced() {
        return refuse(
            "The InstallPlan is not approved because spec.remediationAction is inform".to_owned(),
        );
    }
    if let WriteMode::ReadOnly(why) = &relevant.case.observed.write_mode {
        return refuse(format!("The InstallPlan is not approved: {}", clause(why)));
    }
    if !intent.approves_updates && !relevant.installed().is_empty() {
        return refuse(
            "The InstallPlan is not approved because spec.upgradeApproval is None; set \
             spec.upgradeApproval to Automatic, or approve the InstallPlan by hand"
                .to_owned(),
        );
    }
    if relevant.needed_by.is_none() && !relevant.is_next() {
        let current = relevant.current();
        return refuse(format!(
            "The InstallPlan is not approved because it does not install {current}, which OLM has \
             chosen as the next version"
        ));
    }
    match &relevant.plan.spec.approval {
        Approval::Manual => Ok(()),
        Approval::Automatic | Approval::Other(_) => refuse(
            "OLM approves the InstallPlan, because spec.approval of the InstallPlan is Automatic"
                .to_owned(),
        ),
    }
}

/// Checks that the InstallPlan does not replace a Pending operator with a missing requirement. OLM
/// keeps the next version Pending until the old version is replaced, but OLM never replaces a
/// Pending version. If both versions are Pending, OLM stops resolving the namespace.
fn met(relevant: &Relevant<'_>) -> Result<(), Withheld> {
    let (case, planned) = (relevant.case, &relevant.plan.spec.csvs);
    let is_stuck = |csv: &&ClusterServiceVersion| {
        csv.status.phase == CsvPhase::Pending && csv.status.reason == UNMET
    };
    let replaced = case.namespace.subscriptions.iter().filter_map(|each| {
        let (old, next) = (&each.status.installed_csv, &each.status.current_csv);
        let stuck = case.csv(old).filter(is_stuck)?;
        (old != next && planned.contains(next)).then_some((stuck, old, next))
    });
    match replaced.min_by_key(|(_, old, _)| *old) {
        None => Ok(()),
        Some((csv, old, next)) => Err(lacking(case, csv, [old.as_str(), next.as_str()])),
    }
}

fn lacking(case: &Case<'_>, csv: &ClusterServiceVersion, [old, next]: [&str; 2]) -> Withheld {
    let namespace = &case.namespace.name;
    let why = match clause(&csv.status.message).as_str() {
        "" => String::new(),
        message => format!(": {message}"),
    };
    Withheld::because(format!(
        "The InstallPlan is not approved while {old} is Pending{why}. After an approval, OLM would \
         never replace {old}, and would block all operators of namespace {namespace}. Provide the \
         missing requirements of {old}. Or delete ClusterServiceVersion {namespace}/{old}; OLM \
         then installs {next}"
    ))
}

/// Checks that OLM is not installing the current operator. The installation may have succeeded or
/// failed.
fn settled(relevant: &Relevant<'_>) -> Result<(), Withheld> {
    let Some(installed) = relevant.case.csv(relevant.installed()) else {
        return Ok(());
    };
    let phase = match &installed.status.phase {
        CsvPhase::Other(word) if word.is_empty() => "OLM has not checked it yet".to_owned(),
        CsvPhase::Pending | CsvPhase::InstallReady | CsvPhase::Installing | CsvPhase::Replacing => {
            installed.status.phase.to_string()
        }
        CsvPhase::Succeeded
        | CsvPhase::Failed
        | CsvPhase::Deleting
        | CsvPhase::Unknown
        | CsvPhase::Other(_) => return Ok(()),
    };
    Err(Withheld::because(format!(
        "The approval waits until the installation of {} has ended ({phase})",
        relevant.installed()
    )))
}

/// Checks that a policy allows each bundle of the InstallPlan. The review must be based on the
/// current state of this policy and this InstallPlan.
fn allowed(relevant: &Relevant<'_>) -> Result<(), Withheld> {
    let case = relevant.case;
    let bundle = relevant.current();
    let is_own =
        relevant.needed_by.is_some() || allows(case.intent, bundle, &news::version(case, bundle));
    let review = match exact(case, relevant.plan) {
        Ok(review) => review,
        Err((_, true)) if !is_own => return Err(unlisted(relevant)),
        Err((why, false)) if !is_own => {
            let Withheld { why: own, .. } = unlisted(relevant);
            return Err(Withheld::because(format!("{own}. Also, {why}")));
        }
        Err((why, true)) => {
            return Err(Withheld::for_now(
                SOON,
                format!("The InstallPlan is not approved yet: {why}"),
            ));
        }
        Err((why, false)) => {
            return Err(Withheld::because(format!(
                "The InstallPlan is not approved: {why}"
            )));
        }
    };
    if let Some(lag) = lag(relevant, review) {
        return Err(lag);
    }
    match review.verdict.state {
        State::Yes if is_own => Ok(()),
        State::Yes => Err(unlisted(relevant)),
        State::No => Err(Withheld::because(format!(
            "The InstallPlan is not approved: {}",
            objected(review)
        ))),
        State::NotYet => {
            let why = format!("The InstallPlan is not approved yet: {}", objected(review));
            // If only time windows block the InstallPlan, the review contains their opening times,
            // so no extra check is needed.
            let is_timed = |code: ApprovalCode| code.topic() == ApprovalTopic::Timed;
            let mut reasons = review.verdict.reasons.iter();
            let is_timed = reasons.all(|reason| reason.code.known().is_some_and(is_timed));
            Err(if is_timed {
                Withheld::because(why)
            } else {
                Withheld::for_now(LATER, why)
            })
        }
    }
}

/// Returns the reason that this policy does not allow the bundle.
fn unlisted(relevant: &Relevant<'_>) -> Withheld {
    let (bundle, field) = (relevant.current(), field(relevant.case.intent));
    Withheld::because(format!(
        "The InstallPlan is not approved because {field} does not allow {bundle}. Add {bundle} to \
         {field}"
    ))
}

/// Returns the reason to wait if the approval service has not read the current state of all
/// policies. Returns None otherwise.
fn lag(relevant: &Relevant<'_>, review: &PlanReview) -> Option<Withheld> {
    let observed = relevant.case.observed;
    let UnseenPolicy { namespace, name } = unseen_policy(review, observed)?;
    let metadata = &observed.policy.metadata;
    let is_own =
        metadata.namespace.as_ref() == Some(&namespace) && metadata.name.as_ref() == Some(&name);
    let which = if is_own {
        "the latest version of this policy".to_owned()
    } else {
        format!("the latest version of policy {namespace}/{name}")
    };
    let why = format!(
        "The InstallPlan is not approved yet: the approval service has not observed {which}"
    );
    Some(Withheld::for_now(SOON, why))
}

/// Returns a clause about the problem of the installed operator. Returns None if the operator is
/// healthy. The problem does not block the InstallPlan, because the InstallPlan may solve it.
fn trouble(relevant: &Relevant<'_>) -> Option<String> {
    let installed = relevant.installed();
    if let Some(csv) = relevant.case.csv(installed)
        && csv.status.phase != CsvPhase::Succeeded
    {
        let message = clause(&csv.status.message);
        let phase = &csv.status.phase;
        return Some(match message.as_str() {
            "" => format!("{installed} is {phase}"),
            message => format!("{installed} is {phase}: {message}"),
        });
    }
    match &relevant.case.answers.operator {
        Answer::Found(operator) if operator.csv == installed => match operator.verdict.state {
            State::No => {
                let worst = operator.verdict.reasons.first()?;
                let message = clause(&worst.message);
                Some(format!("{installed} is unhealthy: {message}"))
            }
            State::Yes | State::NotYet => None,
        },
        Answer::Found(_) | Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => None,
    }
}
