//! Exceeded quotas, parsed from messages of Kubernetes.

use std::collections::BTreeMap;

use portolan_core_names::text::listed;
use serde_json::{Map, Value, json};

use crate::Procedure;
use crate::command::{QUOTAS, Target};
use crate::cure::Cure;

/// Kubernetes' message about an exceeded quota: `exceeded quota: NAME, requested: a=1,b=2, used:
/// a=1, limited: a=1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exceeded {
    pub(crate) name: String,
    requested: BTreeMap<String, String>,
    used: BTreeMap<String, String>,
    limited: BTreeMap<String, String>,
}

pub(crate) fn exceeded(sentence: &str) -> Option<Exceeded> {
    let (_, rest) = sentence.split_once("exceeded quota: ")?;
    let (name, rest) = rest.split_once(", requested: ")?;
    let (requested, rest) = rest.split_once(", used: ")?;
    let (used, limited) = rest.split_once(", limited: ")?;
    Some(Exceeded {
        name: name.to_owned(),
        requested: pairs(requested),
        used: pairs(used),
        limited: pairs(limited),
    })
}

fn pairs(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

// === impl Exceeded ===

impl Exceeded {
    /// Returns the minimum that the quota must allow, by resource. Returns None if an amount is
    /// unreadable.
    fn needed(&self) -> Option<Map<String, Value>> {
        let needed = self.requested.iter().map(|(name, requested)| {
            let used = self.used.get(name).map_or("0", String::as_str);
            let sum = thousandths(requested)?.checked_add(thousandths(used)?)?;
            Some((name.clone(), json!(written(sum))))
        });
        needed.collect()
    }
}

/// Returns the cure, which raises the quota to the required amounts.
pub(crate) fn cure(namespace: &str, sentence: &str) -> Cure {
    let external = || {
        Cure::external(
            &format!("the owner of namespace {namespace}"),
            "Raise the quota, or delete objects that use the quota.",
        )
    };
    let Some(exceeded) = exceeded(sentence) else {
        return external();
    };
    let Some(needed) = exceeded.needed() else {
        return external();
    };
    let target = Target::new(QUOTAS, namespace, &exceeded.name);
    let now = amounts(
        exceeded
            .limited
            .iter()
            .map(|(name, most)| (name, most.as_str())),
    );
    let then = needed
        .iter()
        .map(|(name, most)| (name, most.as_str().unwrap_or_default()));
    let risk = format!(
        "The namespace may then use {} instead of {now}.",
        amounts(then)
    );
    let patch = json!({"spec": {"hard": needed}});
    Cure::Choice(vec![Procedure::command(
        &format!(
            "Raise ResourceQuota {namespace}/{} by the needs of one more Pod.",
            exceeded.name
        ),
        target.merge(&patch),
        &risk,
    )])
}

fn amounts<'a>(pairs: impl Iterator<Item = (&'a String, &'a str)>) -> String {
    listed(pairs.map(|(name, most)| format!("{name}={most}")))
}

/// Parses a Kubernetes quantity into thousandths.
fn thousandths(amount: &str) -> Option<i128> {
    let at = amount.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, suffix) = amount.split_at(at.unwrap_or(amount.len()));
    let scale: i128 = match suffix {
        "m" => 1,
        "" => 1000,
        "k" => 1_000_000,
        "M" => 1_000_000_000,
        "G" => 1_000_000_000_000,
        "T" => 1_000_000_000_000_000,
        "Ki" => 1000 << 10,
        "Mi" => 1000 << 20,
        "Gi" => 1000 << 30,
        "Ti" => 1000 << 40,
        _ => return None,
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = u32::try_from(part.len())
        .ok()
        .filter(|digits| *digits <= 9)?;
    let number: i128 = [whole, part].concat().parse().ok()?;
    Some(number.checked_mul(scale)? / 10_i128.pow(digits))
}

/// Formats a Kubernetes quantity.
fn written(thousandths: i128) -> String {
    match thousandths % 1000 {
        0 => (thousandths / 1000).to_string(),
        _ => format!("{thousandths}m"),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_pods("1", "3", "4")]
    #[case::of_processors("250m", "1", "1250m")]
    #[case::of_memory("200Mi", "1Gi", "1283457024")]
    #[case::with_a_point("1.5", "500m", "2")]
    fn adds_requested_and_used_amounts(
        #[case] requested: &str,
        #[case] used: &str,
        #[case] sum: &str,
    ) {
        let sentence = format!(
            "pods \"a\" is forbidden: exceeded quota: tight, requested: x={requested}, used: \
             x={used}, limited: x=1"
        );
        let needed = exceeded(&sentence).and_then(|exceeded| exceeded.needed());
        let expected = json!({"x": sum});
        assert_eq!(needed.map(Value::Object), Some(expected));
    }

    #[test]
    fn unreadable_amount_has_no_sum() {
        let sentence = "exceeded quota: tight, requested: x=1Zi, used: x=0, limited: x=0";
        assert_eq!(
            exceeded(sentence).and_then(|exceeded| exceeded.needed()),
            None
        );
    }
}
