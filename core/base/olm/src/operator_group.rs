//! `OperatorGroup`: selects the namespaces that the operators in its namespace watch. OLM v0
//! installs operators only in namespaces with an OperatorGroup.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::{resource, word};
use crate::{Annotation, Condition};

/// The annotation with the value `true` that makes OLM ignore catalogs of the global namespace.
pub const EXCLUDES_GLOBAL: Annotation =
    Annotation::new("olm.operatorframework.io/exclude-global-namespace-resolution");

/// The annotation that permits Installs to use the ServiceAccount of the OperatorGroup, if its
/// value is `true`. It applies to Installs that are mapped to the namespace.
pub const INHERITED: Annotation = Annotation::new("operators.portolan.dev/installs");

/// The annotation with the APIs that the operators of the group provide, such as
/// `Ferry.v1.demo.example`, separated by commas. OLM updates it, unless `staticProvidedAPIs` is
/// true.
pub const PROVIDED: Annotation = Annotation::new("olm.providedAPIs");

/// The namespaces that the operators in the namespace of the OperatorGroup watch.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OperatorGroup {
    /// The metadata, such as the name, the namespace and the resource version.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: OperatorGroupSpec,
    /// The state that OLM reports.
    pub status: OperatorGroupStatus,
}

resource!(
    OperatorGroup,
    "operatorgroups",
    "operators.coreos.com",
    "v1",
    NamespaceResourceScope
);

/// The desired state of an OperatorGroup.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OperatorGroupSpec {
    /// The namespaces that the operators watch. If the list is not empty, OLM ignores the selector.
    pub target_namespaces: Vec<String>,
    /// The labels of the namespaces that the operators watch.
    pub selector: Option<LabelSelector>,
    /// The ServiceAccount with whose permissions OLM installs operators. If it is empty, OLM uses
    /// its own ServiceAccount.
    pub service_account_name: String,
    /// Determines whether a newer version can replace an operator that failed.
    pub upgrade_strategy: UpgradeStrategy,
    /// True if OLM does not update the annotation with the provided APIs.
    #[serde(rename = "staticProvidedAPIs")]
    pub static_provided_apis: bool,
}

word! {
    /// Determines whether a newer version can replace an operator that failed.
    UpgradeStrategy {
        /// A newer version cannot replace a failed operator. This is the default of OLM.
        Default = "Default",
        /// A newer version can replace a failed operator, although this is unsafe.
        FailForward = "TechPreviewUnsafeFailForward",
    }
}

/// The namespaces that the operators of an OperatorGroup watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets<'a> {
    /// Every namespace.
    All,
    /// The listed namespaces. If a selector determines them, OLM lists them in the status.
    These(BTreeSet<&'a str>),
    /// The namespaces that a selector determines, but OLM has not listed in the status yet.
    Selected,
}

/// The state of an OperatorGroup that OLM reports.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct OperatorGroupStatus {
    /// The namespaces that the operators watch. An empty name stands for all namespaces.
    pub namespaces: Vec<String>,
    /// The conditions that OLM has set.
    pub conditions: Vec<Condition>,
}

// === impl OperatorGroup ===

impl OperatorGroup {
    /// Returns true if OLM ignores catalogs of the global namespace.
    pub fn excludes_global_catalogs(&self) -> bool {
        EXCLUDES_GLOBAL.of(&self.metadata) == Some("true")
    }

    /// Returns true if Installs may use the ServiceAccount of the OperatorGroup.
    pub fn is_inherited(&self) -> bool {
        INHERITED.of(&self.metadata) == Some("true")
    }

    /// Returns true if a selector determines the namespaces that the operators watch. An empty
    /// selector counts as missing, as in OLM (v0.46).
    pub fn has_selector(&self) -> bool {
        let by_label = |selector: &LabelSelector| {
            let labels = selector.match_labels.as_ref();
            let expressions = selector.match_expressions.as_ref();
            labels.is_some_and(|labels| !labels.is_empty())
                || expressions.is_some_and(|expressions| !expressions.is_empty())
        };
        self.spec.target_namespaces.is_empty() && self.spec.selector.as_ref().is_some_and(by_label)
    }

    /// Returns the namespaces that the operators watch: from the status if a selector determines
    /// them, or else from the spec. An empty name stands for all namespaces.
    pub fn targets(&self) -> Targets<'_> {
        let has_selector = self.has_selector();
        let names = if has_selector {
            &self.status.namespaces
        } else {
            &self.spec.target_namespaces
        };
        match names.as_slice() {
            [] if has_selector => Targets::Selected,
            [] => Targets::All,
            names if names.iter().any(String::is_empty) => Targets::All,
            names => Targets::These(names.iter().map(String::as_str).collect()),
        }
    }

    /// Returns the APIs in the annotation [`PROVIDED`], such as `Ferry.v1.demo.example`.
    pub fn provided_apis(&self) -> BTreeSet<&str> {
        let claimed = PROVIDED.of(&self.metadata).unwrap_or_default();
        let claimed = claimed.split(',').map(str::trim);
        claimed.filter(|api| !api.is_empty()).collect()
    }

    /// Returns the namespaces in which no other OperatorGroup may provide the same APIs (OLM
    /// v0.46): the namespaces that the operators watch, and the namespace of this OperatorGroup.
    pub fn claimed_namespaces(&self) -> Targets<'_> {
        match self.targets() {
            Targets::These(mut names) => {
                names.extend(self.metadata.namespace.as_deref());
                Targets::These(names)
            }
            Targets::All => Targets::All,
            Targets::Selected => Targets::Selected,
        }
    }

    /// Returns true if a newer version can replace an operator that failed.
    pub fn fails_forward(&self) -> bool {
        self.spec.upgrade_strategy == UpgradeStrategy::FailForward
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;
    use crate::read_value;

    #[rstest]
    #[case::plain(json!({}), json!({}), [false, false])]
    #[case::excluding(json!({EXCLUDES_GLOBAL.to_string(): "true"}), json!({}), [true, false])]
    #[case::not_excluding(json!({EXCLUDES_GLOBAL.to_string(): "yes"}), json!({}), [false, false])]
    #[case::forward(
        json!({}),
        json!({"upgradeStrategy": "TechPreviewUnsafeFailForward"}),
        [false, true]
    )]
    #[case::usual(json!({}), json!({"upgradeStrategy": "Default"}), [false, false])]
    fn reads_catalog_exclusion_and_upgrade_strategy(
        #[case] annotations: Value,
        #[case] spec: Value,
        #[case] wanted: [bool; 2],
    ) {
        let group = json!({"metadata": {"name": "g", "annotations": annotations}, "spec": spec});
        let (group, faults) = read_value::<OperatorGroup>(group).expect("an OperatorGroup");
        assert_eq!(faults, []);
        assert_eq!(
            [group.excludes_global_catalogs(), group.fails_forward()],
            wanted
        );
    }

    #[rstest]
    #[case::nothing(json!({}), false)]
    #[case::labels(json!({"selector": {"matchLabels": {"a": "b"}}}), true)]
    #[case::expressions(
        json!({"selector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}),
        true
    )]
    #[case::everything(json!({"selector": {"matchLabels": {}}}), false)]
    #[case::names_and_a_selector(
        json!({"targetNamespaces": ["a"], "selector": {"matchLabels": {"a": "b"}}}),
        false
    )]
    fn operator_group_has_a_selector_only_if_it_is_not_empty_and_has_no_names(
        #[case] spec: Value,
        #[case] counts: bool,
    ) {
        let group = json!({"metadata": {"name": "g"}, "spec": spec});
        let (group, faults) = read_value::<OperatorGroup>(group).expect("an OperatorGroup");
        assert_eq!(faults, []);
        assert_eq!(group.has_selector(), counts);
    }

    #[rstest]
    #[case::all_by_default(json!({}), json!([""]), Targets::All)]
    #[case::those_that_are_named(
        json!({"targetNamespaces": ["a", "b"]}),
        json!([]),
        Targets::These(["a", "b"].into())
    )]
    #[case::those_that_a_selector_selected(selector(), json!(["a"]), Targets::These(["a"].into()))]
    #[case::those_that_a_selector_will_select(selector(), json!([]), Targets::Selected)]
    #[case::all_that_a_selector_selected(selector(), json!([""]), Targets::All)]
    fn operator_group_selects_target_namespaces(
        #[case] spec: Value,
        #[case] status: Value,
        #[case] wanted: Targets<'_>,
    ) {
        let group = json!({
            "metadata": {"name": "g", "namespace": "n"},
            "spec": spec,
            "status": {"namespaces": status},
        });
        let (group, faults) = read_value::<OperatorGroup>(group).expect("an OperatorGroup");
        assert_eq!(faults, []);
        assert_eq!(group.targets(), wanted);
    }

    fn selector() -> Value {
        json!({"selector": {"matchLabels": {"team": "harbor"}}})
    }

    #[test]
    fn reads_target_namespaces_and_conditions() {
        let world = portolan_kit::world()
            .operator_group_for("g", &["a", "b"])
            .edit(|group| group["spec"]["serviceAccountName"] = json!("scoped"))
            .condition(
                "MultipleOperatorGroup",
                "True",
                "MultipleOperatorGroupsFound",
                "two",
            );
        let group = world.objects()[0].clone();
        let (group, faults) = read_value::<OperatorGroup>(group).expect("an OperatorGroup");
        assert_eq!(faults, []);
        assert_eq!(group.spec.target_namespaces, ["a", "b"]);
        assert_eq!(group.spec.service_account_name, "scoped");
        assert_eq!(group.status.namespaces, ["a", "b"]);
        assert_eq!(group.status.conditions[0].r#type, "MultipleOperatorGroup");
    }
}
