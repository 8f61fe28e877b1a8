//! The Policies that describe the package of a ClusterExtension. OLM v1 does not evaluate them.

use std::collections::BTreeSet;

use portolan_api::operator::Operator;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_core_approval::consent::{OperatorId, PolicySet};
use portolan_core_forecast::AllowedVersions;
use portolan_core_names::text::listed;
use portolan_core_olm::ClusterExtension;
use serde_json::json;

use super::meaning::patch_of_catalog;
use super::{OwnKind, extension_object};
use crate::command::Target;

/// The Policies and PolicyBindings of a cluster, with its operators.
#[derive(Debug, Default)]
pub(in crate::own) struct UpgradePolicies {
    policies: PolicySet,
    operators: BTreeSet<OperatorId>,
}

// === impl UpgradePolicies ===

impl UpgradePolicies {
    pub(in crate::own) fn of<'a>(
        operators: impl Iterator<Item = &'a Operator>,
        policies: impl Iterator<Item = &'a Policy>,
        bindings: impl Iterator<Item = &'a PolicyBinding>,
        others: impl Iterator<Item = OperatorId>,
    ) -> Self {
        let operators = operators.map(|it| {
            let name = it.metadata.name.as_deref().unwrap_or_default();
            OperatorId::of_package(name)
        });
        Self {
            policies: PolicySet::of(policies, bindings),
            operators: operators.chain(others).collect(),
        }
    }

    /// Returns sentences if Policies restrict the package, but the ClusterExtension allows other
    /// versions than the installed version. Empty if no Policy restricts the package, or if nothing
    /// is installed that could be kept.
    pub(in crate::own) fn not_enforced(&self, extension: &ClusterExtension) -> String {
        let package = &extension.spec.source.catalog;
        let is_pinned =
            AllowedVersions::parse(&package.version).is_ok_and(|allowed| allowed.is_pin());
        let has_bindings = !self.policies.bindings().is_empty();
        let install = extension.status.install.as_ref();
        let install = install.filter(|_| has_bindings && !is_pinned);
        let Some(install) = install.filter(|it| !it.bundle.version.is_empty()) else {
            return String::new();
        };
        let id = OperatorId::of_package(&package.package_name);
        let mut operators = self.operators.clone();
        operators.insert(id.clone());
        let policies = self.policies.restricting(&operators, &id);
        if policies.is_empty() {
            return String::new();
        }
        let noun = if policies.len() == 1 {
            "Policy"
        } else {
            "Policies"
        };
        let object = extension_object(extension);
        let pin = patch_of_catalog(&json!({"version": install.bundle.version}));
        let command =
            Target::new(OwnKind::ClusterExtension.resource(), "", &object.name).merge(&pin);
        format!(
            "Nothing enforces {noun} {} for this ClusterExtension, because OLM v1 does not evaluate \
             Policies. To keep {}, pin its version with `{command}`.",
            listed(policies),
            install.bundle.name
        )
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_olm::FromJson;
    use rstest::rstest;
    use serde_json::Value;

    use super::*;

    fn read<K: FromJson>(object: Value) -> K {
        let (object, faults) = portolan_core_olm::read_value::<K>(object).expect("an object");
        assert_eq!(faults, []);
        object
    }

    fn extension(version: &str, installed: &str) -> ClusterExtension {
        let install =
            json!({"bundle": {"name": format!("ferry.v{installed}"), "version": installed}});
        let install = (!installed.is_empty()).then_some(install);
        read(json!({
            "metadata": {"name": "harbor"},
            "spec": {"source": {"catalog": {"packageName": "ferry", "version": version}}},
            "status": {"install": install},
        }))
    }

    fn policies(subject: &str) -> UpgradePolicies {
        let windows = json!({"schedule": [{"start": "1 0 * * 6", "end": "59 23 * * 0"}]});
        let policy = Policy::new("weekends", windows.into());
        let spec = json!({
            "subjects": [{"kind": "Operator", "name": subject}],
            "policyRef": [{"name": "weekends"}],
        });
        let binding = PolicyBinding::new("all", spec.into());
        UpgradePolicies::of(
            std::iter::empty(),
            [&policy].into_iter(),
            [&binding].into_iter(),
            std::iter::empty(),
        )
    }

    #[test]
    fn names_policies_and_the_pin() {
        let sentence = "Nothing enforces Policy weekends for this ClusterExtension, because OLM v1 does \
                        not evaluate Policies. To keep ferry.v1.0.0, pin its version with `kubectl \
                        patch clusterextensions.olm.operatorframework.io/harbor --type merge -p \
                        '{\"spec\":{\"source\":{\"catalog\":{\"version\":\"1.0.0\"}}}}'`.";
        assert_eq!(
            policies("*").not_enforced(&extension("1.x", "1.0.0")),
            sentence
        );
    }

    #[rstest]
    #[case::unlimited("*", "", "1.0.0", true)]
    #[case::range("*", "1.x", "1.0.0", true)]
    #[case::operator_with_name_of_package("ferry", "", "1.0.0", true)]
    #[case::pin("*", "1.0.0", "1.0.0", false)]
    #[case::nothing_is_installed("*", "", "", false)]
    #[case::other_operator("barge", "", "1.0.0", false)]
    fn only_unpinned_extensions_may_ignore_policies(
        #[case] subject: &str,
        #[case] version: &str,
        #[case] installed: &str,
        #[case] expected: bool,
    ) {
        let sentence = policies(subject).not_enforced(&extension(version, installed));
        assert_eq!(!sentence.is_empty(), expected, "{sentence}");
    }
}
