//! Policies for other tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use portolan_api::{
    Effect, Effects, Form, Intent, OperatorPolicy, Presence, Remediation, Removal, Remove,
    Removing, Subscription,
};
use portolan_core_names::Consent;
use serde_json::{Value, json};

/// Returns the policy in a file of `tests/manifests`.
pub(crate) fn manifest(name: &str) -> OperatorPolicy {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manifests");
    let file = folder.join(name).with_extension("yaml");
    let text = fs::read_to_string(&file).expect("a manifest");
    serde_saphyr::from_str(&text).expect("a policy")
}

/// Returns the names of all files in `tests/manifests`, sorted.
pub(crate) fn names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manifests");
    let mut names = Vec::new();
    for form in ["design", "established"] {
        for entry in fs::read_dir(folder.join(form)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().expect("a name").to_string_lossy();
            names.push(format!("{form}/{stem}"));
        }
    }
    names.sort();
    names
}

/// Returns the smallest enforced policy in the design form.
pub(crate) fn design() -> Value {
    json!({
        "metadata": {"name": "etcd", "namespace": "managed"},
        "spec": {
            "remediationAction": "enforce",
            "subscription": {"name": "etcd", "namespace": "databases"},
            "allowedCSVs": ["etcdoperator.v0.9.4"],
        },
    })
}

/// Returns the smallest enforced policy in the established form.
pub(crate) fn established() -> Value {
    json!({
        "metadata": {"name": "etcd", "namespace": "managed"},
        "spec": {
            "remediationAction": "enforce",
            "complianceType": "musthave",
            "upgradeApproval": "Automatic",
            "subscription": {"name": "etcd", "namespace": "databases"},
        },
    })
}

/// Returns a policy with another value at a pointer such as `/spec/severity`.
pub(crate) fn with(mut policy: Value, pointer: &str, value: Value) -> Value {
    let mut place = &mut policy;
    for name in pointer.split('/').skip(1) {
        place = &mut place[name.replace("~1", "/")];
    }
    *place = value;
    policy
}

pub(crate) fn policy(json: Value) -> OperatorPolicy {
    serde_json::from_value(json).expect("a policy")
}

/// Returns the error messages of an invalid policy.
pub(crate) fn refused(json: Value) -> Vec<String> {
    let parsed = Intent::parse(&policy(json));
    parsed.expect_err("a refused policy").sentences()
}

/// Returns the parsed policy that has only the required fields.
pub(crate) fn intent(form: Form, package: &str, consents: &[&str]) -> Intent {
    Intent {
        form,
        remediation: Remediation::Inform,
        severity: None,
        presence: Presence::MustHave,
        subscription: subscription(package),
        operator_group: None,
        consents: consents.iter().map(|text| consent(text)).collect(),
        approves_updates: true,
        allows_dependencies: form == Form::Established,
        removal: removal(),
        effects: effects(),
    }
}

pub(crate) fn subscription(package: &str) -> Subscription {
    Subscription {
        secret_variables: BTreeMap::new(),
        package: package.parse().expect("a package"),
        namespace: None,
        channel: None,
        source: None,
        source_namespace: None,
        starting_csv: None,
        config: None,
        approval: None,
    }
}

pub(crate) fn consent(text: &str) -> Consent {
    text.parse().expect("a consent")
}

/// Returns the default removal behavior.
fn removal() -> Removal {
    Removal {
        operator_groups: implied(Remove::DeleteIfUnused),
        subscriptions: implied(Remove::Delete),
        cluster_service_versions: implied(Remove::Delete),
        install_plans: implied(Remove::Keep),
        custom_resource_definitions: implied(Remove::Keep),
        api_service_definitions: implied(Remove::Keep),
    }
}

pub(crate) fn implied(remove: Remove) -> Removing {
    Removing {
        remove,
        is_explicit: false,
    }
}

pub(crate) fn explicit(remove: Remove) -> Removing {
    Removing {
        remove,
        is_explicit: true,
    }
}

/// Returns the default effects on compliance.
pub(crate) fn effects() -> Effects {
    Effects {
        catalog_source_unhealthy: Effect::Condition,
        deployments_unavailable: Effect::NonCompliant,
        upgrades_available: Effect::Condition,
        upgrades_progressing: Effect::NonCompliant,
        deprecations_present: Effect::Condition,
        minor_channel_upgrade_available: Effect::Condition,
    }
}
