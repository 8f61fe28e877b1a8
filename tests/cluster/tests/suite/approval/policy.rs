//! Policies of a story.

use serde_json::{Value, json};

/// A policy in the namespace of its story, which works on that namespace.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) name: String,
    spec: Value,
}

/// One in the established form: it is named for its package, and enforces; all of the package may
/// be installed and updated, and what it needs besides.
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

/// One in the form of the design: the same, of these bundles alone.
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

    /// Allows these bundles alone, in the established form.
    pub(crate) fn allows(self, versions: &[&str]) -> Self {
        self.with("versions", json!(versions))
    }

    pub(crate) fn informs(self) -> Self {
        self.with("remediationAction", "inform".into())
    }

    /// With this in a field of its spec.
    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        self.spec[field] = value;
        self
    }

    /// With this in a field of its Subscription.
    pub(crate) fn asks(mut self, field: &str, value: Value) -> Self {
        self.spec["subscription"][field] = value;
        self
    }

    /// All but its kind and its name, for a story in this namespace.
    pub(crate) fn body(&self, namespace: &str) -> Value {
        let mut spec = self.spec.clone();
        let subscription = spec["subscription"].as_object_mut();
        let subscription = subscription.expect("a policy must ask for something");
        subscription.entry("namespace").or_insert(namespace.into());
        json!({"spec": spec})
    }
}
