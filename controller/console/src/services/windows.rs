//! The upgrade policies of operators, and the times at which they permit upgrades.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::policy::{Binding, Intent, Policy, PolicyBinding, Subject, SubjectKind};
use portolan_core_rules::schedule::{Schedule, overlaps};

use super::Services;

/// The period for which a calendar shows windows.
pub(super) const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The period in which the next window is searched.
const YEAR: SignedDuration = SignedDuration::from_hours(366 * 24);

/// An operator as PolicyBindings name it: its kind, its namespace and its name.
pub(super) type PolicySubject = (SubjectKind, String, String);

/// All upgrade policies, and the operators to which they may apply.
#[derive(Debug, Default)]
pub(super) struct UpgradePolicies {
    policies: BTreeMap<String, Result<Intent, String>>,
    bindings: BTreeMap<String, Result<Binding, String>>,
    operators: BTreeSet<PolicySubject>,
    /// True if some of the objects cannot be read.
    is_partial: bool,
}

/// The Policies that apply to an operator.
#[derive(Debug, Default)]
pub(super) struct BoundPolicies<'a> {
    /// The names of the PolicyBindings.
    pub(super) bindings: BTreeSet<&'a str>,
    /// The names of the Policies.
    pub(super) policies: BTreeSet<&'a str>,
    /// The names of the Policies whose rules must also allow an upgrade.
    pub(super) rules: BTreeSet<&'a str>,
    /// The name of an invalid Policy, which permits no upgrade.
    pub(super) invalid: Option<&'a str>,
    /// The schedules of each Policy that depends on the time.
    schedules: Vec<&'a [Schedule]>,
}

impl Services {
    /// Returns the upgrade policies and all operators.
    pub(super) async fn upgrade_policies(&self) -> UpgradePolicies {
        let (policies, bindings, operators, of_olm) = tokio::join!(
            self.all::<Policy>(),
            self.all::<PolicyBinding>(),
            self.all::<Operator>(),
            self.all::<OperatorPolicy>(),
        );
        let is_partial = policies.is_err() || bindings.is_err();
        let (policies, bindings) = (policies.unwrap_or_default(), bindings.unwrap_or_default());
        let (operators, of_olm) = (operators.unwrap_or_default(), of_olm.unwrap_or_default());
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        let operators = operators.objects.values().map(|it| {
            let name = name(&it.metadata.name);
            (SubjectKind::Operator, String::new(), name)
        });
        let of_olm = of_olm.objects.values().map(|it| {
            let namespace = name(&it.metadata.namespace);
            (
                SubjectKind::OperatorPolicy,
                namespace,
                name(&it.metadata.name),
            )
        });
        let policies = policies.objects.values().map(|it| {
            let read = Intent::parse(it).map_err(|why| why.to_string());
            (name(&it.metadata.name), read)
        });
        let bindings = bindings.objects.values().map(|it| {
            let read = Binding::parse(it).map_err(|why| why.to_string());
            (name(&it.metadata.name), read)
        });
        UpgradePolicies {
            policies: policies.collect(),
            bindings: bindings.collect(),
            operators: operators.chain(of_olm).collect(),
            is_partial,
        }
    }
}

// === impl UpgradePolicies ===

impl UpgradePolicies {
    /// Returns all operators to which upgrade policies may apply.
    pub(super) fn operators(&self) -> &BTreeSet<PolicySubject> {
        &self.operators
    }

    /// Returns the Policies that apply to an operator. A binding that names a missing object has no
    /// effect.
    pub(super) fn bound(&self, (kind, namespace, name): &PolicySubject) -> BoundPolicies<'_> {
        let mut bound = BoundPolicies::default();
        for (binding, read) in &self.bindings {
            let Ok(read) = read else { continue };
            if !read.names(*kind, namespace, name) || self.lacks_an_object(read) {
                continue;
            }
            bound.bindings.insert(binding);
            for policy in &read.policies {
                if let Some((policy, read)) = self.policies.get_key_value(policy) {
                    bound.put(policy, read);
                }
            }
        }
        bound
    }

    fn lacks_an_object(&self, binding: &Binding) -> bool {
        let mut policies = binding.policies.iter();
        let mut subjects = binding.subjects.iter();
        policies.any(|policy| !self.policies.contains_key(policy))
            || subjects.any(|subject| match subject {
                Subject::One {
                    kind,
                    namespace,
                    name,
                } => {
                    let subject = (*kind, namespace.clone(), name.clone());
                    !self.operators.contains(&subject)
                }
                Subject::All { .. } => false,
            })
    }

    /// Returns the time at which an operator may be upgraded, as text. Empty if no upgrade policy
    /// depends on the time.
    pub(super) fn window(&self, subject: &PolicySubject, now: Timestamp) -> String {
        if self.is_partial {
            return "unknown: some upgrade policies cannot be read".to_owned();
        }
        self.bound(subject).next(now)
    }
}

// === impl BoundPolicies ===

impl<'a> BoundPolicies<'a> {
    fn put(&mut self, policy: &'a str, read: &'a Result<Intent, String>) {
        let is_new = self.policies.insert(policy);
        match read {
            Ok(intent) => {
                if intent.rule.is_some() {
                    self.rules.insert(policy);
                }
                if is_new {
                    self.schedules.extend(intent.schedules.as_deref());
                }
            }
            Err(_) => self.invalid = Some(policy),
        }
    }

    /// Returns the spans of the next week in which all Policies are open.
    pub(super) fn week(&self, now: Timestamp) -> Vec<(Timestamp, Option<Timestamp>)> {
        match self.invalid {
            Some(_) => Vec::new(),
            None => overlaps(&self.schedules, (now, now + WEEK)).collect(),
        }
    }

    /// Returns true if a Policy depends on the time.
    pub(super) fn is_timed(&self) -> bool {
        !self.schedules.is_empty()
    }

    /// Returns the state of the windows, or the next window, as text.
    fn next(&self, now: Timestamp) -> String {
        if let Some(policy) = self.invalid {
            return format!("closed: Policy {policy} is invalid");
        }
        if self.schedules.is_empty() {
            return String::new();
        }
        let next = overlaps(&self.schedules, (now, now + YEAR)).next();
        match next {
            Some((opens, None)) if opens == now => "open".to_owned(),
            Some((opens, Some(closes))) if opens == now => format!("open until {}", shown(closes)),
            Some((opens, _)) => format!("opens {}", shown(opens)),
            None => "closed for the next year".to_owned(),
        }
    }
}

/// Formats a time with its day.
pub(super) fn shown(at: Timestamp) -> String {
    let at = at.to_zoned(TimeZone::UTC);
    at.strftime("%a %F %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn ferry() -> PolicySubject {
        (SubjectKind::Operator, String::new(), "ferry".to_owned())
    }

    fn policy(name: &str, spec: Value) -> (String, Result<Intent, String>) {
        let policy = json!({"metadata": {"name": name}, "spec": spec});
        let policy = serde_json::from_value(policy).expect("a Policy");
        let read = Intent::parse(&policy).map_err(|why| why.to_string());
        (name.to_owned(), read)
    }

    fn binding(name: &str, policies: &[&str]) -> (String, Result<Binding, String>) {
        let policies = policies.iter().map(|name| json!({"name": name}));
        let spec = json!({
            "subjects": [{"kind": "Operator", "name": "ferry"}],
            "policyRef": policies.collect::<Vec<_>>(),
        });
        let binding = json!({"metadata": {"name": name}, "spec": spec});
        let binding = serde_json::from_value(binding).expect("a PolicyBinding");
        let read = Binding::parse(&binding).map_err(|why| why.to_string());
        (name.to_owned(), read)
    }

    fn weekends() -> (String, Result<Intent, String>) {
        let schedule = json!([{"start": "0 0 * * 6", "end": "0 0 * * 1"}]);
        policy("weekends", json!({"schedule": schedule}))
    }

    fn nights() -> (String, Result<Intent, String>) {
        let schedule = json!([{"start": "0 22 * * *", "end": "0 4 * * *"}]);
        policy("nights", json!({"schedule": schedule}))
    }

    fn window(bindings: &[(&str, &[&str])], now: &str) -> String {
        let bindings = bindings.iter();
        let policies = UpgradePolicies {
            policies: [weekends(), nights(), policy("bad", json!({}))].into(),
            bindings: bindings
                .map(|(name, policies)| binding(name, policies))
                .collect(),
            operators: [ferry()].into(),
            is_partial: false,
        };
        policies.window(&ferry(), now.parse().expect("a time"))
    }

    const FRIDAY: &str = "2026-12-04T12:00:00Z";

    #[rstest]
    #[case::without_a_binding(&[], FRIDAY, "")]
    #[case::closed(&[("a", &["weekends"] as &[_])], FRIDAY, "opens Sat 2026-12-05 00:00 UTC")]
    #[case::open(
        &[("a", &["weekends"] as &[_])],
        "2026-12-05T12:00:00Z",
        "open until Mon 2026-12-07 00:00 UTC"
    )]
    #[case::all_policies_must_be_open(
        &[("a", &["weekends"] as &[_]), ("b", &["nights"] as &[_])],
        "2026-12-05T12:00:00Z",
        "opens Sat 2026-12-05 22:00 UTC"
    )]
    #[case::invalid_policy(
        &[("a", &["weekends", "bad"] as &[_])],
        FRIDAY,
        "closed: Policy bad is invalid"
    )]
    #[case::binding_of_a_missing_policy(&[("a", &["weekends", "missing"] as &[_])], FRIDAY, "")]
    fn window_is_open_when_all_bound_policies_are_open(
        #[case] bindings: &[(&str, &[&str])],
        #[case] now: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(window(bindings, now), expected);
    }
}
