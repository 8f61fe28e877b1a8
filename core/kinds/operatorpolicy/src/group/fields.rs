//! The fields of an OperatorGroup's spec that a policy sets.

use std::collections::BTreeMap;

use portolan_api::{Targets, UpgradeStrategy};
use portolan_core_olm::OperatorGroup;
use serde_json::{Value, json};

use super::GroupSpec;
use crate::change::{Field, Wanted};

/// Returns the fields of the spec, each with its current and its wanted value.
pub(super) fn of(group: &OperatorGroup, wanted: &GroupSpec) -> Vec<Field> {
    let spec = &group.spec;
    let (names, selector) = targets(wanted);
    let found = (!spec.target_namespaces.is_empty()).then(|| {
        let is_same = matches!(&wanted.targets, Targets::Namespaces(names)
            if sorted(names) == sorted(&spec.target_namespaces));
        // The order of the namespaces is ignored.
        match &names {
            Wanted::Value(wanted) if is_same => wanted.clone(),
            Wanted::Value(_) | Wanted::Absent | Wanted::Open => json!(spec.target_namespaces),
        }
    });
    let static_apis = wanted.static_provided_apis;
    vec![
        whole("targetNamespaces", found, names),
        whole(
            "selector",
            spec.selector.as_ref().map(|found| json!(found)),
            selector,
        ),
        Field::text(
            "serviceAccountName",
            &spec.service_account_name,
            wanted.service_account.as_deref(),
        ),
        Field {
            name: "staticProvidedAPIs",
            found: (spec.static_provided_apis || static_apis == Some(false))
                .then(|| json!(spec.static_provided_apis)),
            wanted: static_apis.map_or(Wanted::Open, |wanted| Wanted::Value(json!(wanted))),
            is_whole: false,
            secret: BTreeMap::new(),
        },
        Field::text(
            "upgradeStrategy",
            &spec.upgrade_strategy.to_string(),
            wanted.upgrade_strategy.map(strategy),
        ),
    ]
}

fn whole(name: &'static str, found: Option<Value>, wanted: Wanted) -> Field {
    Field {
        name,
        found,
        wanted,
        is_whole: true,
        secret: BTreeMap::new(),
    }
}

/// Returns the wanted states of the two fields that select namespaces: `targetNamespaces` and the
/// selector. OLM ignores the selector if `targetNamespaces` is set.
fn targets(wanted: &GroupSpec) -> (Wanted, Wanted) {
    match &wanted.targets {
        Targets::All => (Wanted::Open, Wanted::Open),
        Targets::Namespaces(names) => {
            let idle = wanted.idle_selector.as_ref();
            let selector = idle.map_or(Wanted::Open, |idle| Wanted::Value(json!(idle)));
            (Wanted::Value(json!(names)), selector)
        }
        Targets::Selector(selector) => (Wanted::Absent, Wanted::Value(json!(selector))),
    }
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut names: Vec<_> = names.iter().collect();
    names.sort();
    names.dedup();
    names
}

fn strategy(strategy: UpgradeStrategy) -> &'static str {
    match strategy {
        UpgradeStrategy::Default => "Default",
        UpgradeStrategy::FailForward => "TechPreviewUnsafeFailForward",
    }
}

/// Returns the spec of a new OperatorGroup.
pub(super) fn spec(wanted: &GroupSpec) -> Value {
    let mut spec = json!({});
    for field in of(&OperatorGroup::default(), wanted) {
        if let Wanted::Value(value) = field.wanted {
            spec[field.name] = value;
        }
    }
    spec
}
