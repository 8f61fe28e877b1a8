//! Judges Subscriptions that OLM cannot resolve.

use jiff::{SignedDuration, Timestamp};
use portolan_api::Reason;
use portolan_core_olm::{ClusterServiceVersion, Condition as OlmCondition, Subscription};

use super::{Subscribed, TYPE, UPDATED, full_name, in_words_of_olm, of as entry, target};
use crate::case::Case;
use crate::contribution::Contribution;
use crate::csv::is_leaving;
use crate::desired::{Action, Condition, Step};
use crate::phrase::on_one_line;
use crate::{Answer, words};

const FAILED: &str = "ResolutionFailed";
const UNSATISFIABLE: &str = "ConstraintsNotSatisfiable";
/// The word before the name of an operator that has no Subscription, in a message of OLM.
const ORPHAN: &str = "clusterserviceversion";
const IS_ORPHAN: &str = "exists and is not referenced by a subscription";

/// The time that OLM has to recover before the controller repairs the Subscription.
const PATIENCE: SignedDuration = SignedDuration::from_secs(30);
/// The maximum time by which a repair may be late. A later repair gets a new planned time.
const LATENESS: SignedDuration = SignedDuration::from_secs(10);
/// The time by which the next reconciliation is later than the planned repair.
const MOMENT: SignedDuration = SignedDuration::from_secs(1);

/// The result of OLM's resolution of a namespace, as it affects one Subscription.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Resolution {
    /// OLM reports no failure.
    Fine,
    /// The resolution fails because of other Subscriptions or packages. The value contains their
    /// names.
    Blocked(Vec<String>),
    /// The resolution fails because of this Subscription, or for an unknown reason. The text is the
    /// reason that OLM reports.
    Failed(Condition, String),
}

pub(super) fn of(case: &Case<'_>, present: &Subscription) -> Resolution {
    let Some(failed) = failed(present).filter(|failed| !is_passing(case, &failed.message)) else {
        return Resolution::Fine;
    };
    match mentioned(case, &failed.message) {
        Mentioned::Others(culprits) => Resolution::Blocked(culprits),
        Mentioned::This | Mentioned::Nobody => {
            let reason = words::reason(&failed.reason).to_owned();
            Resolution::Failed(condition(case, failed), reason)
        }
    }
}

/// Returns true if the message names an operator that was replaced or is being replaced. OLM writes
/// such a message during an update, and may keep it for a long time after the update.
fn is_passing(case: &Case<'_>, text: &str) -> bool {
    let existing = format!("@existing/{}//", case.namespace.name);
    let mut named = text.split_whitespace().filter_map(|word| {
        let name = word.strip_prefix(&existing)?;
        Some(name.trim_end_matches([',', ':', ';', '.', ')']))
    });
    named.any(|name| case.csv(name).is_none_or(is_leaving))
}

fn failed(present: &Subscription) -> Option<&OlmCondition> {
    let mut conditions = present.status.conditions.iter();
    conditions.find(|each| each.r#type == FAILED && each.status == "True")
}

fn condition(case: &Case<'_>, failed: &OlmCondition) -> Condition {
    if failed.reason != UNSATISFIABLE {
        let since = failed.last_transition_time.as_ref().map(|since| since.0);
        return in_words_of_olm(&failed.reason, failed.message.clone(), since);
    }
    let message = match &case.answers.conflict {
        Answer::Found(tree) => on_one_line(tree),
        // OLM's own message is not used, because the order of its items changes from time to time.
        Answer::NotFound(_) | Answer::Unavailable(_) | Answer::NotAsked => format!(
            "OLM finds no set of operators that satisfies Subscription {}; see the Subscription's \
             condition {FAILED}",
            full_name(case)
        ),
    };
    Condition::bad(TYPE, Reason::ConstraintsNotSatisfiable, message)
}

/// The Subscriptions or packages that a message of OLM names.
enum Mentioned {
    This,
    Others(Vec<String>),
    Nobody,
}

/// Returns the Subscriptions or packages that a message names. OLM writes the same message to all
/// Subscriptions of a namespace.
fn mentioned(case: &Case<'_>, text: &str) -> Mentioned {
    let package = case.intent.subscription.package.as_str();
    let namespace = case.namespace.name.as_str();
    let words: Vec<_> = text.split_whitespace().collect();
    let mut others = Vec::new();
    for pair in words.windows(2) {
        let kind = match pair[0].trim_start_matches(['(', '"', '\'']) {
            "subscription" => "Subscription",
            "package" => "package",
            _ => continue,
        };
        let whole = pair[1].trim_end_matches([',', ':', ';', '.', ')']);
        let name = match whole.split_once('/') {
            Some((type_, name)) if type_ == namespace => name,
            Some(_) | None => whole,
        };
        if name == package {
            return Mentioned::This;
        }
        others.push(format!("{kind} {name}"));
    }
    others.sort();
    others.dedup();
    if others.is_empty() {
        Mentioned::Nobody
    } else {
        Mentioned::Others(others)
    }
}

/// Sets the missing field `status.currentCSV` of the Subscription, if OLM does not set it again
/// within the time limit.
pub(super) fn intervene(
    case: &Case<'_>,
    present: &Subscription,
    resolution: &Resolution,
    part: Contribution,
) -> Subscribed {
    let orphan = match resolution {
        Resolution::Failed(_, reason) if reason == UNSATISFIABLE && case.acts() => {
            orphan(case, present)
        }
        Resolution::Failed(..) | Resolution::Blocked(_) | Resolution::Fine => None,
    };
    let Some(orphan) = orphan else {
        return part.into();
    };
    let planned = case.before.subscription_intervention_time.as_ref();
    let at = match planned.map(|planned| planned.0) {
        Some(planned) if planned <= case.now && case.now.duration_since(planned) <= LATENESS => {
            return part.add_step(mend(case, present, orphan)).into();
        }
        Some(planned) if planned > case.now => planned,
        Some(_) | None => later(case.now, PATIENCE),
    };
    Subscribed {
        is_right: true,
        contribution: part.requeue_at(later(at, MOMENT)),
        intervention: Some(at),
    }
}

fn later(from: Timestamp, by: SignedDuration) -> Timestamp {
    from.saturating_add(by).unwrap_or(from)
}

/// Returns the operator that has no Subscription according to OLM's message, and that may belong to
/// this Subscription. Returns None if there is no such operator, or if this Subscription already
/// has an operator.
fn orphan<'a>(case: &Case<'a>, present: &Subscription) -> Option<&'a ClusterServiceVersion> {
    let status = &present.status;
    if !status.current_csv.is_empty() || !status.installed_csv.is_empty() {
        return None;
    }
    let message = &failed(present)?.message;
    let parts = message.split(ORPHAN).skip(1);
    let mut named = parts.filter_map(|rest| {
        let (name, rest) = rest.trim_start().split_once(' ')?;
        rest.trim_start().starts_with(IS_ORPHAN).then_some(name)
    });
    named.find_map(|name| {
        let csv = case.csv(name).filter(|csv| !csv.is_copied())?;
        let package = csv.package();
        let wanted = case.intent.subscription.package.as_str();
        package
            .is_none_or(|package| package == wanted)
            .then_some(csv)
    })
}

fn mend(case: &Case<'_>, present: &Subscription, orphan: &ClusterServiceVersion) -> Step {
    let csv = orphan.metadata.name.clone().unwrap_or_default();
    let message = format!(
        "status.currentCSV of Subscription {} was set to {csv}, which OLM had lost",
        full_name(case)
    );
    Step {
        action: Action::AdoptCsv {
            subscription: target(present),
            csv,
        },
        type_: TYPE,
        done: Condition::good(TYPE, Reason::SubscriptionUpdated, message),
        related: vec![entry(case, present, "Compliant", UPDATED)],
    }
}
