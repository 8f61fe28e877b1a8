//! The pages of OperatorPolicies, Policies and PolicyBindings.

use jiff::Timestamp;
use kube::ResourceExt as _;
use portolan_api::OperatorPolicy;
use portolan_api::policy::{Policy, PolicyBinding, SubjectKind};
use portolan_core_console::view::{ObjectCell, ObjectKind, ObjectPage, ShownObject};

use super::{OperatorLink, conditions, table, unless_empty};
use crate::services::calendar::{calendar, link, week};
use crate::services::policies::{of_binding, of_operator, timed};
use crate::services::windows::UpgradePolicies;
use crate::shown_time;

/// Returns the page of an OperatorPolicy.
pub(super) fn operator_policy(
    id: &ShownObject,
    it: &OperatorPolicy,
    operators: &[OperatorLink],
    (policies, now): (&UpgradePolicies, Timestamp),
) -> ObjectPage {
    let row = of_operator(it);
    let status = it.status.clone().unwrap_or_default();
    let upgrades = status.upgrades.clone().unwrap_or_default();
    let installed = upgrades.installed.map(|it| it.name).unwrap_or_default();
    let next = upgrades.next.map(|it| it.name).unwrap_or_default();
    let target = upgrades.target.map(|it| it.name).unwrap_or_default();
    let subject = (
        SubjectKind::OperatorPolicy,
        id.namespace.clone(),
        id.name.clone(),
    );
    let blocked = upgrades.blocked.iter().map(|it| {
        let object = it.object.as_ref();
        let object = object.map(|it| {
            let namespace = it.namespace.as_ref().map(|it| format!("{it}/"));
            format!("{} {}{}", it.kind, namespace.unwrap_or_default(), it.name)
        });
        vec![
            ObjectCell::text(it.message.clone().unwrap_or_default()),
            ObjectCell::text(object.unwrap_or_default()),
        ]
    });
    let blocked = table(
        "What blocks upgrades",
        "Obstacles that block further upgrades",
        &["Obstacle", "Object"],
        blocked.collect(),
    );
    let related = status.related_objects.iter().map(|it| {
        let (object, metadata) = (&it.object, &it.object.metadata);
        let namespace = metadata.namespace.as_ref().map(|it| format!("{it}/"));
        let name = format!(
            "{} {}{}",
            object.kind,
            namespace.unwrap_or_default(),
            metadata.name
        );
        vec![
            ObjectCell::text(name),
            ObjectCell::text(it.compliant.clone().unwrap_or_default()),
            ObjectCell::text(it.reason.clone().unwrap_or_default()),
        ]
    });
    let related = table(
        "Objects",
        "Objects of the operator",
        &["Object", "Compliance", "Reason"],
        related.collect(),
    );
    let history = status.history.iter().map(|it| {
        let at = it.last_timestamp.as_ref().map(|at| shown_time(at.0));
        vec![
            ObjectCell::text(at.unwrap_or_default()),
            ObjectCell::text(it.message.clone().unwrap_or_default()),
        ]
    });
    let history = table(
        "History",
        "Messages, the newest first",
        &["Time", "Message"],
        history.collect(),
    );
    let tables = [
        Some(conditions(&status.conditions)),
        unless_empty(blocked),
        calendar(policies, [subject].iter(), now),
        unless_empty(related),
        Some(history),
    ];
    ObjectPage {
        id: id.clone(),
        state: row.state,
        why: status
            .conditions
            .iter()
            .find(|it| it.type_ == "Compliant")
            .map(|it| it.message.clone())
            .unwrap_or_default(),
        facts: vec![
            ("Operator", ObjectCell::Links(operators.to_vec())),
            ("About", ObjectCell::Text(row.about)),
            ("Says", ObjectCell::Lines(row.says)),
            ("Installed", ObjectCell::Text(installed)),
            ("Next", ObjectCell::Text(next)),
            ("Wanted", ObjectCell::Text(target)),
        ],
        cause: Ok(None),
        tables: tables.into_iter().flatten().collect(),
    }
}

/// Returns the page of a Policy.
pub(super) fn policy(
    id: &ShownObject,
    it: &Policy,
    policies: &UpgradePolicies,
    now: Timestamp,
) -> ObjectPage {
    let row = timed(it);
    let status = it.status.clone().unwrap_or_default();
    let name = it.name_any();
    let bindings = policies.bindings_of(&name).into_iter().map(|name| {
        let id = ShownObject::of(ObjectKind::PolicyBinding, "", name);
        id.link()
    });
    let operators = policies.operators().iter();
    let operators = operators.filter(|it| policies.bound(it).policies.contains(name.as_str()));
    let own = policies.alone(&name);
    let tables = [
        own.is_timed().then(|| week(&own, now)),
        calendar(policies, operators, now),
        Some(conditions(&status.conditions)),
    ];
    ObjectPage {
        id: id.clone(),
        state: row.state,
        why: row.trouble,
        facts: vec![
            ("PolicyBindings", ObjectCell::Links(bindings.collect())),
            ("Says", ObjectCell::Lines(row.says)),
        ],
        cause: Ok(None),
        tables: tables.into_iter().flatten().collect(),
    }
}

/// Returns the page of a PolicyBinding.
pub(super) fn binding(
    id: &ShownObject,
    it: &PolicyBinding,
    policies: &UpgradePolicies,
    now: Timestamp,
) -> ObjectPage {
    let row = of_binding(it, policies);
    let status = it.status.clone().unwrap_or_default();
    let name = it.name_any();
    let named = policies.policies_of(&name).into_iter();
    let named = named.map(|name| ShownObject::of(ObjectKind::Policy, "", name).link());
    let operators = policies.operators().iter();
    let operators = operators.filter(|it| policies.bound(it).bindings.contains(name.as_str()));
    let operators: Vec<_> = operators.collect();
    let links = operators.iter().map(|it| link(it)).collect();
    let tables = [
        calendar(policies, operators.into_iter(), now),
        Some(conditions(&status.conditions)),
    ];
    ObjectPage {
        id: id.clone(),
        state: row.state,
        why: row.trouble,
        facts: vec![
            ("Policies", ObjectCell::Links(named.collect())),
            ("Subjects", ObjectCell::Text(row.about)),
            ("Operators", ObjectCell::Links(links)),
        ],
        cause: Ok(None),
        tables: tables.into_iter().flatten().collect(),
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_console::view::State;
    use serde_json::json;

    use super::*;

    /// A Friday at noon.
    const NOW: &str = "2026-12-04T12:00:00Z";

    fn weekends() -> Policy {
        let policy = json!({
            "metadata": {"name": "weekends"},
            "spec": {"schedule": [{"start": "0 0 * * 6", "end": "0 12 * * 0"}]},
        });
        serde_json::from_value(policy).expect("a Policy")
    }

    fn bound_to(policy: &str) -> PolicyBinding {
        let binding = json!({
            "metadata": {"name": "ferries"},
            "spec": {
                "subjects": [{"kind": "Operator", "name": "ferry"}],
                "policyRef": [{"name": policy}],
            },
        });
        serde_json::from_value(binding).expect("a PolicyBinding")
    }

    fn known(binding: &PolicyBinding) -> UpgradePolicies {
        let ferry = (SubjectKind::Operator, String::new(), "ferry".to_owned());
        UpgradePolicies::of([&weekends()], [binding], [ferry])
    }

    #[test]
    fn pages_show_what_may_upgrade_when() {
        let now = NOW.parse().expect("a time");
        let binding = bound_to("weekends");
        let known = known(&binding);
        let id = ShownObject::of(ObjectKind::Policy, "", "weekends");
        let of_policy = policy(&id, &weekends(), &known, now);
        assert_eq!(of_policy.state, State::Well);
        let windows = &of_policy.tables[0].rows;
        let window = ["Saturday, 2026-12-05", "00:00", "Sunday 12:00"];
        assert_eq!(*windows, [window.map(ObjectCell::text)]);
        let id = ShownObject::of(ObjectKind::PolicyBinding, "", "ferries");
        let of_binding = super::binding(&id, &binding, &known, now);
        for week in [&of_policy.tables[1], &of_binding.tables[0]] {
            let days = week.rows[0][1..4].to_vec();
            let [saturday, sunday] =
                ["00:00\u{2011}24:00", "00:00\u{2011}12:00"].map(str::to_owned);
            let expected = [vec![], vec![saturday], vec![sunday]].map(ObjectCell::Lines);
            assert_eq!(
                (week.columns[1].as_str(), days),
                ("Fri 04 Dec", expected.into())
            );
        }
    }

    #[test]
    fn binding_that_names_a_missing_policy_has_no_effect() {
        let binding = bound_to("nights");
        let known = known(&binding);
        let id = ShownObject::of(ObjectKind::PolicyBinding, "", "ferries");
        let page = super::binding(&id, &binding, &known, NOW.parse().expect("a time"));
        assert_eq!(page.state, State::Stuck);
        assert!(page.why.contains("do not exist"), "{}", page.why);
        // The table of conditions is the only table.
        assert_eq!(page.tables.len(), 1);
    }

    #[test]
    fn page_of_an_operator_policy_shows_compliance_and_history() {
        let it = json!({
            "metadata": {"name": "ferry", "namespace": "policies"},
            "spec": {"subscription": {"name": "ferry"}},
            "status": {
                "compliant": "NonCompliant",
                "conditions": [{
                    "type": "Compliant", "status": "False", "reason": "NonCompliant",
                    "message": "not installed", "lastTransitionTime": "2026-01-01T00:00:00Z",
                }],
                "history": [{"lastTimestamp": "2026-01-01T00:00:00.000000Z", "message": "first"}],
            },
        });
        let it = serde_json::from_value(it).expect("an OperatorPolicy");
        let id = ShownObject::of(ObjectKind::OperatorPolicy, "policies", "ferry");
        let none = UpgradePolicies::default();
        let page = operator_policy(&id, &it, &[], (&none, NOW.parse().expect("a time")));
        assert_eq!(
            (page.state, page.why.as_str()),
            (State::Stuck, "not installed")
        );
        let history = page.tables.last().expect("the history");
        assert_eq!(history.rows[0][1], ObjectCell::text("first"));
    }
}
