//! The UpgradePolicies' approval of a hop.
//!
//! The controller requests the approval last, so that the approval is up to date when the
//! controller releases the plan.

use std::collections::BTreeSet;

use jiff::Timestamp;
use portolan_api::operator::Reason;
use portolan_api::policy::SubjectKind;
use portolan_core_approval::consent::{Move, OperatorId, Version};

use super::report::UndatedCondition;
use super::{Ask, Decision, Halt, OperatorContext};
use crate::answer::{Answer, PolicyDecision};
use crate::fleet::Policies;
use crate::hop::OperatorHop;
use crate::member::FleetMember;
use crate::question::{ConsentQuestion, Installation};

/// The maximum number of reasons in a message.
const MOST_REASONS: usize = 3;

/// Returns an error unless the policies allow the Operator and each of its partners to begin now.
pub(super) fn consent(
    case: OperatorContext<'_>,
    held: &OperatorHop,
    decision: &mut Decision,
) -> Result<(), Halt> {
    let partners = held.facts.with.iter().filter_map(|partner| {
        let member = case.observed.fleet.by_package(&partner.package)?;
        Some((member, member.next()?))
    });
    let movers: Vec<_> = [(case.member, held)].into_iter().chain(partners).collect();
    let mut asks = BTreeSet::new();
    let mut answers = Vec::new();
    for (member, hop) in movers {
        let Some(question) = question(case, member, hop) else {
            return Ok(());
        };
        match case.observed.consents.get(&question) {
            Some(answer) => answers.push((member, hop, answer)),
            None => drop(asks.insert(Ask::Consent(Box::new(question)))),
        }
    }
    if !asks.is_empty() {
        return Err(Halt::Ask(asks));
    }
    let withheld = answers.iter().filter_map(|(_, _, answer)| until(answer));
    // All partners begin at the same time, so the next decision is made at the latest of their
    // times.
    decision.until = withheld.max();
    for (member, hop, answer) in answers {
        allowed(case, member, hop, answer).map_err(Halt::Say)?;
    }
    decision.until = None;
    Ok(())
}

/// Returns the query about the move of one operator. Returns None if the cluster has no policies.
fn question(
    case: OperatorContext<'_>,
    member: &FleetMember,
    hop: &OperatorHop,
) -> Option<ConsentQuestion> {
    let grounds = match &case.observed.fleet.policies {
        Policies::NotServed => return None,
        Policies::Unseen => None,
        Policies::Seen(grounds) => Some(grounds.get(&member.name).cloned().unwrap_or_default()),
    };
    let installed = member.installed();
    Some(ConsentQuestion {
        asked: Move {
            operator: OperatorId::of(SubjectKind::Operator, "", &member.name),
            package: hop.facts.installs.package.clone(),
            labels: member.labels.clone(),
            from: installed.map(|hop| version(&hop.facts.installs)),
            to: version(&hop.facts.installs),
        },
        grounds,
    })
}

fn version(installs: &Installation) -> Version {
    Version {
        bundle: installs.bundle.clone(),
        version: installs.version.clone(),
    }
}

fn until(answer: &Answer<PolicyDecision>) -> Option<Timestamp> {
    match answer {
        Answer::Known(PolicyDecision::Withheld { until, .. }) => *until,
        Answer::Known(PolicyDecision::Given) | Answer::Refused(_) | Answer::Unavailable(_) => None,
    }
}

/// Returns the condition to report as an error if the policies do not allow an Operator to begin.
fn allowed(
    case: OperatorContext<'_>,
    member: &FleetMember,
    hop: &OperatorHop,
    answer: &Answer<PolicyDecision>,
) -> Result<(), UndatedCondition> {
    let bundle = &hop.facts.installs.bundle;
    let with = if member.name == case.member.name {
        String::new()
    } else {
        format!(", together with {}", case.member.name)
    };
    match answer {
        Answer::Known(PolicyDecision::Given) => Ok(()),
        Answer::Known(PolicyDecision::Withheld { why, until }) => {
            let why = some(why);
            Err(if until.is_some() {
                let sentence = format!("{bundle} waits{with}: {why}");
                UndatedCondition::no(Reason::TimeRestricted, sentence)
            } else {
                let sentence = format!("policies do not allow {bundle}{with}: {why}");
                UndatedCondition::no(Reason::DeniedByPolicy, sentence)
            })
        }
        Answer::Refused(why) | Answer::Unavailable(why) => {
            let sentence = format!("it is unknown if policies allow {bundle}{with}: {why}");
            Err(UndatedCondition::not_yet(
                Reason::PolicyServiceUnavailable,
                sentence,
            ))
        }
    }
}

fn some(why: &[String]) -> String {
    let told = why[..why.len().min(MOST_REASONS)].join("; ");
    match why.len().saturating_sub(MOST_REASONS) {
        0 => told,
        more => format!("{told}; and {more} more"),
    }
}
