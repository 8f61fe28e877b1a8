//! The policies that tests create.

use serde_json::{Value, json};

/// A policy for the namespace in which it is created.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) name: String,
    spec: Value,
}

/// Returns a policy in the established form with the name of its package. The policy is enforced,
/// and allows all versions of the package and of its dependencies.
pub(crate) fn policy(package: &str) -> Policy {
    Policy {
        name: package.to_owned(),
        spec: json!({
            "remediationAction": "enforce",
            "complianceType": "musthave",
            "upgradeApproval": "Automatic",
            "subscription": {"name": package},
        }),
    }
}

/// Returns a policy in the design form that allows only these bundles.
pub(crate) fn design(package: &str, allowed: &[&str]) -> Policy {
    Policy {
        name: package.to_owned(),
        spec: json!({
            "remediationAction": "enforce",
            "subscription": {"name": package},
            "allowedCSVs": allowed,
        }),
    }
}

impl Policy {
    pub(crate) fn called(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Restricts a policy of the established form to these bundles.
    pub(crate) fn allows(self, versions: &[&str]) -> Self {
        self.with("versions", json!(versions))
    }

    pub(crate) fn informs(self) -> Self {
        self.with("remediationAction", "inform".into())
    }

    /// Sets a field of the policy's spec.
    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        self.spec[field] = value;
        self
    }

    /// Sets a field of the policy's Subscription.
    pub(crate) fn asks(mut self, field: &str, value: Value) -> Self {
        self.spec["subscription"][field] = value;
        self
    }

    /// Returns the manifest for a test in this namespace, without kind and name.
    pub(crate) fn body(&self, namespace: &str) -> Value {
        let mut spec = self.spec.clone();
        let subscription = spec["subscription"].as_object_mut();
        let subscription = subscription.expect("a policy must ask for something");
        subscription.entry("namespace").or_insert(namespace.into());
        json!({"spec": spec})
    }
}
