//! The condition about channels with a later minor version than the channel of the policy.

#[cfg(test)]
mod tests;

use portolan_api::{ConditionType, Effect, Form, Reason};

use crate::case::{Case, DesiredSubscription};
use crate::contribution::Contribution;
use crate::deprecation::of_other_catalog;
use crate::desired::{Condition, Status};
use crate::phrase::listed;
use crate::{Answer, existing};

const TYPE: ConditionType = ConditionType::MinorChannelUpgradeAvailable;

/// A channel name that contains a minor version, such as `stable-4.10` or `v4.10.x`.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    prefix: &'a str,
    major: u64,
    minor: u64,
    suffix: &'a str,
}

/// Judges if the package has a channel with a later minor version. Only policies of the established
/// form that approve upgrades check this.
pub(crate) fn judge(case: &Case<'_>, wanted: &DesiredSubscription) -> Contribution {
    let is_asked = match case.intent.form {
        Form::Established => case.intent.approves_updates,
        Form::Design => false,
    };
    let is_there = case.subscription().is_some() || existing::serving(case).is_some();
    if !is_asked || !is_there {
        return skipped();
    }
    let offer = match &case.answers.offer {
        Answer::Found(offer) => offer,
        Answer::Unavailable(unavailable) => return Contribution::default().keep(TYPE, unavailable),
        Answer::NotAsked | Answer::NotFound(_) => return skipped(),
    };
    if let Some(why) = of_other_catalog(offer, wanted) {
        return Contribution::default().keep(TYPE, why);
    }
    let names = offer.channels.iter().map(|channel| channel.name.as_str());
    let later = later(wanted.channel.as_str(), names);
    Contribution::of(condition(case, wanted, &later))
}

fn skipped() -> Contribution {
    let message = "The check for channels with a later minor version is off";
    Contribution::of(Condition::good(TYPE, Reason::Skipped, message))
}

fn condition(case: &Case<'_>, wanted: &DesiredSubscription, later: &[&str]) -> Condition {
    let (package, channel) = (&case.intent.subscription.package, &wanted.channel);
    let message = match later {
        [] => {
            let message =
                format!("Package {package} has no channel of a later minor version than {channel}");
            return Condition::good(TYPE, Reason::Recommended, message);
        }
        [one] => format!("Channel {one} of package {package} has a later minor version"),
        all => format!(
            "Channels {} of package {package} have later minor versions",
            listed(all)
        ),
    };
    let status = match case.intent.effects.minor_channel_upgrade_available {
        Effect::Condition => Status::True,
        Effect::NonCompliant => Status::False,
    };
    Condition::new(TYPE, status, Reason::UpgradeAvailable, message)
}

/// Returns the channel names that differ from `channel` only by a later minor version. The lowest
/// minor version is first.
fn later<'a>(channel: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let Some(own) = Line::of(channel) else {
        return Vec::new();
    };
    let is_later = |line: &Line<'_>| {
        let Line {
            prefix,
            major,
            minor,
            suffix,
        } = line;
        (*prefix, *major, *suffix) == (own.prefix, own.major, own.suffix) && *minor > own.minor
    };
    let lines = names.filter_map(|name| Some((Line::of(name).filter(is_later)?.minor, name)));
    let mut lines: Vec<_> = lines.collect();
    lines.sort_unstable();
    lines.into_iter().map(|(_, name)| name).collect()
}

// === impl Line ===

impl<'a> Line<'a> {
    /// Parses letters and hyphens, two numbers, and an optional `.x`. Returns None for all other
    /// names.
    fn of(channel: &'a str) -> Option<Self> {
        let start = channel.find(|c: char| c.is_ascii_digit())?;
        let (prefix, numbers) = channel.split_at(start);
        let is_plain = |c: char| c.is_ascii_alphabetic() || c == '-';
        let (numbers, suffix) = match numbers.strip_suffix(".x") {
            Some(numbers) => (numbers, ".x"),
            None => (numbers, ""),
        };
        let (major, minor) = numbers.split_once('.')?;
        prefix.chars().all(is_plain).then_some(())?;
        Some(Self {
            prefix,
            major: number(major)?,
            minor: number(minor)?,
            suffix,
        })
    }
}

fn number(text: &str) -> Option<u64> {
    let is_digits = text.chars().all(|c| c.is_ascii_digit());
    is_digits.then(|| text.parse().ok())?
}
