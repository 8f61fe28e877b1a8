//! The upgrade policies of operators, and the times at which they permit upgrades.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use kube::ResourceExt as _;
use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::policy::{Binding, Intent, NamedObject, Policy, PolicyBinding, SubjectKind};
use portolan_core_rules::schedule::{Schedule, overlaps};

use super::Services;

/// The time span that a calendar shows.
pub(super) const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The time span in which the console searches for the next window.
const YEAR: SignedDuration = SignedDuration::from_hours(366 * 24);

/// The object by which PolicyBindings name an operator: its kind, namespace and name.
pub(super) type PolicySubject = (SubjectKind, String, String);

/// The Policies and PolicyBindings, and the operators to which they may apply.
#[derive(Debug, Default)]
pub(super) struct UpgradePolicies {
    policies: BTreeMap<String, Result<Intent, String>>,
    bindings: BTreeMap<String, Result<Binding, String>>,
    operators: BTreeSet<PolicySubject>,
    /// The names of the PolicyBindings that name a missing object. Such a binding has no effect.
    broken: BTreeSet<String>,
    /// True if some of these objects cannot be read, so that windows are unknown.
    is_partial: bool,
}

/// The Policies that apply to one operator.
#[derive(Debug, Default)]
pub(super) struct BoundPolicies<'a> {
    /// The names of the PolicyBindings.
    pub(super) bindings: BTreeSet<&'a str>,
    /// The names of the Policies.
    pub(super) policies: BTreeSet<&'a str>,
    /// The names of the Policies with a rule that must also allow an upgrade.
    pub(super) rules: BTreeSet<&'a str>,
    /// The name of an invalid Policy. If a Policy is invalid, no upgrade is permitted.
    pub(super) invalid: Option<&'a str>,
    /// The schedules of the Policies that permit upgrades only at certain times.
    schedules: Vec<&'a [Schedule]>,
}

/// Computes the next window of operators. Operators with the same Policies have the same windows,
/// so each set of Policies is computed only once.
#[derive(Debug)]
pub(super) struct NextWindows<'a> {
    policies: &'a UpgradePolicies,
    now: Timestamp,
    known: BTreeMap<BTreeSet<&'a str>, String>,
}

impl Services {
    /// Reads the upgrade policies and all operators.
    pub(super) async fn upgrade_policies(&self) -> UpgradePolicies {
        let (policies, bindings, operators, of_olm) = tokio::join!(
            self.all::<Policy>(),
            self.all::<PolicyBinding>(),
            self.all::<Operator>(),
            self.all::<OperatorPolicy>(),
        );
        // If an operator cannot be read, its binding would seem to have no effect. The windows are
        // therefore unknown.
        let has_bindings = bindings.as_ref().is_ok_and(|it| !it.objects.is_empty());
        let lacks_operators = operators.is_err() || of_olm.is_err();
        let is_partial = policies.is_err() || bindings.is_err() || has_bindings && lacks_operators;
        let (policies, bindings) = (policies.unwrap_or_default(), bindings.unwrap_or_default());
        let (operators, of_olm) = (operators.unwrap_or_default(), of_olm.unwrap_or_default());
        let operators = operators.objects.values().map(|it| {
            let name = it.name_any();
            (SubjectKind::Operator, String::new(), name)
        });
        let of_olm = of_olm.objects.values().map(|it| {
            let namespace = it.namespace().unwrap_or_default();
            (SubjectKind::OperatorPolicy, namespace, it.name_any())
        });
        let policies = UpgradePolicies::of(
            policies.objects.values().map(|it| &**it),
            bindings.objects.values().map(|it| &**it),
            operators.chain(of_olm),
        );
        UpgradePolicies {
            is_partial,
            ..policies
        }
    }
}

// === impl UpgradePolicies ===

impl UpgradePolicies {
    /// Parses the Policies and PolicyBindings.
    pub(super) fn of<'a>(
        policies: impl IntoIterator<Item = &'a Policy>,
        bindings: impl IntoIterator<Item = &'a PolicyBinding>,
        operators: impl IntoIterator<Item = PolicySubject>,
    ) -> Self {
        let policies = policies.into_iter().map(|it| {
            let read = Intent::parse(it).map_err(|why| why.to_string());
            (it.name_any(), read)
        });
        let bindings = bindings.into_iter().map(|it| {
            let read = Binding::parse(it).map_err(|why| why.to_string());
            (it.name_any(), read)
        });
        let mut known = Self {
            policies: policies.collect(),
            bindings: bindings.collect(),
            operators: operators.into_iter().collect(),
            ..Self::default()
        };
        let broken = known.bindings.iter().filter(|(_, read)| {
            let read = read.as_ref();
            read.is_ok_and(|it| known.lacks_an_object(it))
        });
        known.broken = broken.map(|(name, _)| name.clone()).collect();
        known
    }

    /// Returns the operators to which upgrade policies may apply.
    pub(super) fn operators(&self) -> &BTreeSet<PolicySubject> {
        &self.operators
    }

    /// Returns the Policies that apply to an operator. A binding that names a missing object has no
    /// effect.
    pub(super) fn bound(&self, (kind, namespace, name): &PolicySubject) -> BoundPolicies<'_> {
        let mut bound = BoundPolicies::default();
        for (binding, read) in &self.bindings {
            let Ok(read) = read else { continue };
            if !read.names(*kind, namespace, name) || self.broken.contains(binding) {
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

    /// Returns the names of the bindings that name a Policy.
    pub(super) fn bindings_of(&self, policy: &str) -> Vec<&str> {
        let bindings = self.bindings.iter().filter(|(_, read)| {
            let read = read.as_ref();
            read.is_ok_and(|it| it.policies.iter().any(|it| it == policy))
        });
        bindings.map(|(name, _)| name.as_str()).collect()
    }

    /// Returns the names of the Policies that a binding names. Empty if the binding is invalid.
    pub(super) fn policies_of(&self, binding: &str) -> Vec<&str> {
        let read = self.bindings.get(binding).and_then(|it| it.as_ref().ok());
        let policies = read.into_iter().flat_map(|it| &it.policies);
        policies.map(String::as_str).collect()
    }

    /// Returns this Policy alone, as if no other Policy applied to an operator.
    pub(super) fn alone(&self, policy: &str) -> BoundPolicies<'_> {
        let mut bound = BoundPolicies::default();
        if let Some((policy, read)) = self.policies.get_key_value(policy) {
            bound.put(policy, read);
        }
        bound
    }

    /// Returns true if a binding names an object that does not exist.
    pub(super) fn is_broken(&self, binding: &str) -> bool {
        self.broken.contains(binding)
    }

    fn lacks_an_object(&self, binding: &Binding) -> bool {
        let mut missing = binding.missing(|it| match it {
            NamedObject::Operator {
                kind,
                namespace,
                name,
            } => {
                let subject = (kind, namespace.to_owned(), name.to_owned());
                self.operators.contains(&subject)
            }
            NamedObject::Policy(name) => self.policies.contains_key(name),
        });
        missing.next().is_some()
    }
}

// === impl NextWindows ===

impl<'a> NextWindows<'a> {
    /// Creates the computation for windows that are open at `now` or later.
    pub(super) fn of_policies(policies: &'a UpgradePolicies, now: Timestamp) -> Self {
        Self {
            policies,
            now,
            known: BTreeMap::new(),
        }
    }

    /// Returns a text about the time at which an operator may be upgraded. Empty if no upgrade
    /// policy restricts the time.
    pub(super) fn of(&mut self, subject: &PolicySubject) -> String {
        if self.policies.is_partial {
            return "unknown: upgrade policies or their operators cannot be read".to_owned();
        }
        let bound = self.policies.bound(subject);
        let next = self.known.entry(bound.policies.clone());
        next.or_insert_with(|| bound.next(self.now)).clone()
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

    /// Returns the time spans of the next week in which all Policies permit upgrades.
    pub(super) fn week(&self, now: Timestamp) -> Vec<(Timestamp, Option<Timestamp>)> {
        match self.invalid {
            Some(_) => Vec::new(),
            None => overlaps(&self.schedules, (now, now + WEEK)).collect(),
        }
    }

    /// Returns true if a Policy restricts the time of upgrades.
    pub(super) fn is_timed(&self) -> bool {
        !self.schedules.is_empty()
    }

    /// Returns a text about the current window or the next window.
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

/// Formats a time with its weekday and date.
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

    fn policy(name: &str, spec: Value) -> Policy {
        let policy = json!({"metadata": {"name": name}, "spec": spec});
        serde_json::from_value(policy).expect("a Policy")
    }

    fn binding(name: &str, policies: &[&str]) -> PolicyBinding {
        let policies = policies.iter().map(|name| json!({"name": name}));
        let spec = json!({
            "subjects": [{"kind": "Operator", "name": "ferry"}],
            "policyRef": policies.collect::<Vec<_>>(),
        });
        let binding = json!({"metadata": {"name": name}, "spec": spec});
        serde_json::from_value(binding).expect("a PolicyBinding")
    }

    fn known(bindings: &[(&str, &[&str])]) -> UpgradePolicies {
        let schedule = |start: &str, end: &str| json!({"schedule": [{"start": start, "end": end}]});
        let policies = [
            policy("weekends", schedule("0 0 * * 6", "0 0 * * 1")),
            policy("nights", schedule("0 22 * * *", "0 4 * * *")),
            policy("bad", json!({})),
        ];
        let bindings = bindings.iter();
        let bindings = bindings.map(|(name, policies)| binding(name, policies));
        let bindings: Vec<_> = bindings.collect();
        UpgradePolicies::of(&policies, &bindings, [ferry()])
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
        let known = known(bindings);
        let now = now.parse().expect("a time");
        let mut windows = NextWindows::of_policies(&known, now);
        assert_eq!(windows.of(&ferry()), expected);
    }

    /// An unread policy must not be treated as "no policy".
    #[test]
    fn unread_policies_leave_the_window_unknown() {
        let known = UpgradePolicies {
            is_partial: true,
            ..known(&[])
        };
        let now = FRIDAY.parse().expect("a time");
        let window = NextWindows::of_policies(&known, now).of(&ferry());
        assert!(window.starts_with("unknown"), "{window}");
    }
}
