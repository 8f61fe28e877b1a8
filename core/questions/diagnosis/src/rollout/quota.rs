//! Parses the messages of Kubernetes about exceeded quotas.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::text::listed;
use serde_json::{Map, Value, json};

use crate::Procedure;
use crate::command::{QUOTAS, Target};
use crate::cure::Cure;

/// A message of Kubernetes about an exceeded quota, such as `exceeded quota: NAME, requested:
/// a=1,b=2, used: a=1, limited: a=1`.
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
    // Portolan may have appended more text to the message of the API server.
    let limited = limited.split([' ', ';']).next().unwrap_or(limited);
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
    /// Describes the needed and the free amounts, such as `1Gi of limits.memory (0 of 4Gi is
    /// free)`.
    fn shortage(&self) -> String {
        let needed = self.requested.iter().map(|(name, requested)| {
            match (self.free(name), self.limited.get(name)) {
                (Some(free), Some(limited)) => {
                    format!("{requested} of {name} ({free} of {limited} is free)")
                }
                (_, _) => format!("{requested} of {name}"),
            }
        });
        listed(needed)
    }

    /// Returns the end of a sentence about an object that the quota does not permit.
    pub(crate) fn refuses(&self, namespace: &str, object: &str) -> String {
        format!(
            "ResourceQuota {namespace}/{} is exceeded: {object} needs {}.",
            self.name,
            self.shortage()
        )
    }

    /// Returns the free amount of a resource. Returns None if an amount cannot be parsed.
    fn free(&self, name: &str) -> Option<String> {
        let limited = self.limited.get(name)?;
        let used = self.used.get(name).map_or("0", String::as_str);
        let free = thousandths(limited)?.checked_sub(thousandths(used)?)?;
        Some(written(free.max(0), [limited, used]))
    }

    /// Returns the kinds of the objects that use the exceeded resources.
    fn users(&self) -> String {
        let kinds: BTreeSet<&str> = self.requested.keys().map(|name| user(name)).collect();
        listed(kinds)
    }

    /// Returns the limits that would permit the object, by resource. Returns None if an amount
    /// cannot be parsed.
    fn needed(&self) -> Option<Map<String, Value>> {
        let needed = self.requested.iter().map(|(name, requested)| {
            let used = self.used.get(name).map_or("0", String::as_str);
            let sum = thousandths(requested)?.checked_add(thousandths(used)?)?;
            Some((name.clone(), json!(written(sum, [requested, used]))))
        });
        needed.collect()
    }
}

/// Returns the kind of the objects that use this resource of a quota, such as `Pods` for
/// `limits.cpu`.
fn user(resource: &str) -> &str {
    if let Some(counted) = resource.strip_prefix("count/") {
        return counted;
    }
    let is_of = |parts: &[&str]| parts.iter().any(|part| resource.contains(part));
    if resource == "persistentvolumeclaims"
        || is_of(&["storageclass.storage.k8s.io", "requests.storage"])
    {
        "PersistentVolumeClaims"
    } else if resource.starts_with("services") {
        "Services"
    } else if ["pods", "cpu", "memory"].contains(&resource)
        || is_of(&["requests.", "limits.", "ephemeral-storage"])
    {
        "Pods"
    } else {
        resource
    }
}

/// Returns the cure for a message about an exceeded quota. The administrator must raise the quota
/// or delete objects.
pub(crate) fn cure(namespace: &str, sentence: &str) -> Cure {
    let administrator = format!("the administrator of namespace {namespace}");
    let Some(exceeded) = exceeded(sentence) else {
        return Cure::external(&administrator, "Raise the quota, or free some of it.");
    };
    let action = format!(
        "Raise the quota, or delete {} of the namespace that are not needed. The write is then retried by itself.",
        exceeded.users()
    );
    Cure::advised(
        &administrator,
        &action,
        raised(namespace, &exceeded).into_iter().collect(),
    )
}

/// Returns the command that raises the quota, so that one more object fits. Returns None if an
/// amount cannot be parsed.
fn raised(namespace: &str, exceeded: &Exceeded) -> Option<Procedure> {
    let needed = exceeded.needed()?;
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
    let title = format!(
        "Raise ResourceQuota {namespace}/{} by what one more object needs.",
        exceeded.name
    );
    Some(Procedure::command(&title, target.merge(&patch), &risk))
}

fn amounts<'a>(pairs: impl Iterator<Item = (&'a String, &'a str)>) -> String {
    listed(pairs.map(|(name, most)| format!("{name}={most}")))
}

/// Parses a Kubernetes quantity, and returns it in thousandths. Returns None if the text is not a
/// known quantity.
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

/// Formats an amount as a Kubernetes quantity. `from` contains the quantities from which the amount
/// was calculated. If a quantity in `from` has a binary suffix, the result has one too.
fn written(thousandths: i128, from: [&str; 2]) -> String {
    let is_binary = from.iter().any(|amount| amount.ends_with('i'));
    let sizes: [(&str, i128); 3] = [("Gi", 1000 << 30), ("Mi", 1000 << 20), ("Ki", 1000 << 10)];
    let mut sizes = sizes.into_iter().filter(|_| is_binary && thousandths > 0);
    if let Some((suffix, size)) = sizes.find(|(_, size)| thousandths % size == 0) {
        return format!("{}{suffix}", thousandths / size);
    }
    match thousandths % 1000 {
        0 => (thousandths / 1000).to_string(),
        _ => format!("{thousandths}m"),
    }
}

/// Returns the sum of Kubernetes quantities. Returns None if a quantity cannot be parsed.
pub(crate) fn sum<'a>(amounts: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut sum: i128 = 0;
    let mut unit = "";
    for amount in amounts {
        sum = sum.checked_add(thousandths(amount)?)?;
        if amount.ends_with('i') {
            unit = amount;
        }
    }
    Some(written(sum, [unit, ""]))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_pods("1", "3", "4")]
    #[case::of_processors("250m", "1", "1250m")]
    #[case::of_memory("200Mi", "1Gi", "1224Mi")]
    #[case::of_bytes("200", "1Gi", "1073742024")]
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

    #[rstest]
    #[case::memory(
        "memory=6Gi",
        "memory=3Gi",
        "memory=8Gi",
        "6Gi of memory (5Gi of 8Gi is free)"
    )]
    #[case::count("pods=1", "pods=4", "pods=3", "1 of pods (0 of 3 is free)")]
    #[case::unreadable("x=1", "x=1Zi", "x=2", "1 of x")]
    fn shortage_names_what_is_free(
        #[case] requested: &str,
        #[case] used: &str,
        #[case] limited: &str,
        #[case] expected: &str,
    ) {
        let sentence = format!(
            "pods \"a\" is forbidden: exceeded quota: tight, requested: {requested}, used: {used}, limited: \
             {limited}; it is retried"
        );
        let shortage = exceeded(&sentence).map(|exceeded| exceeded.shortage());
        assert_eq!(shortage.as_deref(), Some(expected));
    }

    #[rstest]
    #[case::pods("limits.memory", "Pods")]
    #[case::claims("requests.storage", "PersistentVolumeClaims")]
    #[case::services("services.loadbalancers", "Services")]
    #[case::counted("count/deployments.apps", "deployments.apps")]
    #[case::other("configmaps", "configmaps")]
    fn users_of_a_resource(#[case] resource: &str, #[case] expected: &str) {
        assert_eq!(user(resource), expected);
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
