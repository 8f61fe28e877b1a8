//! Parses the readiness rules for custom resources, which the author of a plan writes.

use std::sync::LazyLock;

use portolan_core_rules::cel::{Dialect, Numbers, Rule};
use serde_json::Value;

use crate::place::{ManifestPlace, is_label};
use crate::refusal::Refusal;

const READY_FIELDS: &[&str] = &["cel", "kind"];
/// The maximum number of rules of a stage.
pub(in crate::plan) const MOST_RULES: usize = 20;
/// The maximum length of a rule, in bytes.
pub(in crate::plan) const LONGEST_RULE: usize = portolan_core_rules::cel::LONGEST;
/// The maximum length of a kind with its API group.
pub(in crate::plan) const LONGEST_KIND: usize = 317;
/// The API groups whose kinds have built-in readiness rules. Rules for these kinds are rejected.
const KNOWN_GROUPS: [&str; 3] = [
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "rbac.authorization.k8s.io",
];

/// The dialect of readiness rules. Its only variable, `self`, is the object in the cluster.
static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new("self", Numbers::Integers));

/// A readiness rule for the objects of one kind in a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyRule {
    pub kind: String,
    pub group: String,
    pub rule: Rule,
}

impl ReadyRule {
    /// Returns true if the object is ready. Returns an error if the rule cannot be evaluated.
    pub fn holds_for(&self, object: &Value) -> Result<bool, String> {
        let value = portolan_core_rules::cel::Value::of(object.clone(), DIALECT.numbers());
        let answer = self.rule.holds_for(&DIALECT, value);
        answer.map_err(|why| why.to_string())
    }
}

pub(crate) fn rules(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Vec<ReadyRule> {
    let places = place.list(refused).unwrap_or_default();
    if place.exceeds(MOST_RULES, (places.len(), "rules"), refused) {
        return Vec::new();
    }
    let mut rules: Vec<ReadyRule> = Vec::with_capacity(places.len());
    for place in &places {
        let Some(rule) = rule(place, refused) else {
            continue;
        };
        let is_same = |other: &ReadyRule| (&other.kind, &other.group) == (&rule.kind, &rule.group);
        if rules.iter().any(is_same) {
            let sentence = format!(
                "is \"{}.{}\", which an earlier readiness rule already names; remove one of the \
                 two rules",
                rule.kind, rule.group
            );
            place.field("kind").refuse_value(sentence, refused);
        }
        rules.push(rule);
    }
    rules
}

fn rule(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<ReadyRule> {
    place.only(READY_FIELDS, refused)?;
    let (kind, cel) = (place.field("kind"), place.field("cel"));
    kind.require(
        "write a kind with its group, such as Ship.ferry.example",
        refused,
    );
    cel.require(
        "write the condition for readiness, such as self.status.phase == 'Sailing'",
        refused,
    );
    let named = kind
        .text(refused)
        .and_then(|text| named(&kind, text, refused));
    let rule = cel.text(refused).and_then(|text| {
        let rule = Rule::parse(&DIALECT, text);
        rule.map_err(|why| cel.refuse_value(format!("is no rule: {why}"), refused))
            .ok()
    });
    let (kind, group) = named?;
    Some(ReadyRule {
        kind,
        group,
        rule: rule?,
    })
}

/// Parses a text in the form `KIND.GROUP`.
fn named(
    place: &ManifestPlace<'_>,
    text: &str,
    refused: &mut Vec<Refusal>,
) -> Option<(String, String)> {
    let (kind, group) = text.split_once('.').unwrap_or((text, ""));
    let is_kind = kind.starts_with(|first: char| first.is_ascii_alphabetic())
        && kind.chars().all(|char| char.is_ascii_alphanumeric());
    let is_group = group.contains('.') && group.split('.').all(is_label);
    if !is_kind || !is_group || text.len() > LONGEST_KIND {
        let sentence = "must be the kind of a CustomResourceDefinition and its group, such as Ship.ferry.example";
        place.refuse_value(sentence, refused);
        return None;
    }
    if KNOWN_GROUPS.contains(&group) {
        let sentence = format!(
            "is in group {group}, whose kinds have built-in readiness rules; remove this rule"
        );
        place.refuse_value(sentence, refused);
        return None;
    }
    Some((kind.to_owned(), group.to_owned()))
}
