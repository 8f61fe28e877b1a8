//! Decides if OLM v1 can manage an operator that OLM v0 has installed.

use portolan_core_names::text::{cite, listed};
use portolan_core_olm::{
    ClusterServiceVersion, InstallModeType, Subscription as OlmSubscription, Targets,
};
use thiserror::Error;

/// The reasons for and against the transition of an operator from OLM v0 to OLM v1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transition {
    /// The reasons why OLM v1 cannot manage the operator.
    pub obstacles: Vec<TransitionObstacle>,
    /// The differences that a user should know.
    pub notes: Vec<TransitionNote>,
}

/// A reason why OLM v1 cannot manage an operator of OLM v0.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TransitionObstacle {
    /// The bundle does not support all namespaces.
    #[error("the bundle does not support the install mode AllNamespaces, which OLM v1 requires")]
    InstallMode,
    /// The operator watches only some namespaces.
    #[error(
        "the OperatorGroup selects {}, but OLM v1 installs operators for all namespaces",
        listed(.namespaces.iter().map(|it| cite(it)))
    )]
    TargetNamespaces {
        /// The namespaces.
        namespaces: Vec<String>,
    },
    /// The bundle has dependencies.
    #[error(
        "the bundle requires {}, and OLM v1 installs no bundles with dependencies",
        listed(.requirements.iter().map(|it| cite(it)))
    )]
    Dependencies {
        /// The packages and APIs.
        requirements: Vec<String>,
    },
    /// The bundle has APIServices.
    #[error("the bundle has APIServices, which OLM v1 rejects: {}", listed(.names.iter().map(|it| cite(it))))]
    ApiServices {
        /// The names.
        names: Vec<String>,
    },
    /// The Subscription configures the Deployments.
    #[error(
        "spec.config of the Subscription has no equivalent in OLM v1, and without it the Pods would \
         restart with other settings"
    )]
    Config,
}

/// A difference between OLM v0 and OLM v1.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TransitionNote {
    /// The bundle has webhooks.
    #[error(
        "the bundle has {count} webhooks: OLM v1 1.2 rejects the bundle, and later versions replace \
         the certificates, so the Pods restart"
    )]
    Webhooks {
        /// The number of webhooks.
        count: usize,
    },
    /// The operator reports in an OperatorCondition if it can be upgraded.
    #[error(
        "the operator writes its OperatorCondition: OLM v1 ignores OperatorConditions, so the \
         operator cannot delay an upgrade"
    )]
    OperatorCondition,
    /// A user approves each upgrade.
    #[error(
        "installPlanApproval is Manual: OLM v1 has no approvals, so request each version in \
         spec.source.catalog.version"
    )]
    ManualApproval,
}

// === impl TransitionObstacle ===

impl TransitionObstacle {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InstallMode => "InstallModeUnsupported",
            Self::TargetNamespaces { .. } => "NamespacesSelected",
            Self::Dependencies { .. } => "DependencyUnsupported",
            Self::ApiServices { .. } => "ApiServiceUnsupported",
            Self::Config => "ConfigUnsupported",
        }
    }
}

/// Decides if OLM v1 can manage an operator, from its ClusterServiceVersion, its Subscription and
/// the namespaces of its OperatorGroup. `has_condition` is true if the operator has written its
/// OperatorCondition.
pub fn transition(
    csv: &ClusterServiceVersion,
    subscription: &OlmSubscription,
    targets: &Targets<'_>,
    has_condition: bool,
) -> Transition {
    let mut obstacles = Vec::new();
    if !csv
        .supported_modes()
        .contains(&InstallModeType::AllNamespaces)
    {
        obstacles.push(TransitionObstacle::InstallMode);
    }
    match targets {
        Targets::All => {}
        Targets::These(names) => obstacles.push(TransitionObstacle::TargetNamespaces {
            namespaces: names.iter().map(|it| (*it).to_owned()).collect(),
        }),
        Targets::Selected => obstacles.push(TransitionObstacle::TargetNamespaces {
            namespaces: vec!["namespaces by their labels".to_owned()],
        }),
    }
    let packages = csv.required_packages().into_iter();
    let packages = packages.map(|(package, range)| format!("{package} {range}"));
    let apis = csv.required();
    let apis = apis.map(|api| format!("{}/{} {}", api.group, api.version, api.kind));
    let requirements: Vec<_> = packages.chain(apis).collect();
    if !requirements.is_empty() {
        obstacles.push(TransitionObstacle::Dependencies { requirements });
    }
    let served = csv.spec.served.owned.iter();
    let names: Vec<_> = served.map(|it| it.api_service()).collect();
    if !names.is_empty() {
        obstacles.push(TransitionObstacle::ApiServices { names });
    }
    let config = subscription.spec.config.as_ref();
    if config.is_some_and(|config| !config.is_empty()) {
        obstacles.push(TransitionObstacle::Config);
    }
    let mut notes = Vec::new();
    let count = csv.spec.webhooks.len();
    if count > 0 {
        notes.push(TransitionNote::Webhooks { count });
    }
    if has_condition {
        notes.push(TransitionNote::OperatorCondition);
    }
    if subscription.is_manual() {
        notes.push(TransitionNote::ManualApproval);
    }
    Transition { obstacles, notes }
}

#[cfg(test)]
mod tests {
    use portolan_core_olm::read_value;
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn decided(spec: Value, subscription: Value, targets: &Targets<'_>) -> Transition {
        let mut csv = json!({"installModes": [{"type": "AllNamespaces", "supported": true}]});
        for (key, value) in spec.as_object().into_iter().flatten() {
            csv[key] = value.clone();
        }
        let csv = json!({"metadata": {"name": "ferry.v1.0.0", "namespace": "harbor"}, "spec": csv});
        let subscription =
            json!({"metadata": {"name": "ferry", "namespace": "harbor"}, "spec": subscription});
        let (csv, _) = read_value::<ClusterServiceVersion>(csv).expect("a ClusterServiceVersion");
        let (subscription, _) =
            read_value::<OlmSubscription>(subscription).expect("a Subscription");
        transition(&csv, &subscription, targets, false)
    }

    #[test]
    fn operator_without_special_fields_has_no_obstacles() {
        let transition = decided(json!({}), json!({"name": "ferry"}), &Targets::All);
        assert_eq!(transition, Transition::default());
    }

    #[rstest]
    #[case::own_namespace_only(
        json!({"installModes": [{"type": "OwnNamespace", "supported": true}]}),
        json!({}), Targets::All, "InstallModeUnsupported"
    )]
    #[case::some_namespaces(
        json!({}), json!({}), Targets::These(["a", "b"].into()), "NamespacesSelected"
    )]
    #[case::selected_namespaces(json!({}), json!({}), Targets::Selected, "NamespacesSelected")]
    #[case::required_api(
        json!({"customresourcedefinitions": {"required": [
            {"name": "ropes.rope.example", "version": "v1", "kind": "Rope"},
        ]}}),
        json!({}), Targets::All, "DependencyUnsupported"
    )]
    #[case::aggregated_api(
        json!({"apiservicedefinitions": {"owned": [
            {"group": "tides.example", "version": "v1", "kind": "Tide"},
        ]}}),
        json!({}), Targets::All, "ApiServiceUnsupported"
    )]
    #[case::config(
        json!({}), json!({"config": {"env": [{"name": "A", "value": "1"}]}}), Targets::All,
        "ConfigUnsupported"
    )]
    fn reports_obstacle_to_migration(
        #[case] spec: Value,
        #[case] subscription: Value,
        #[case] targets: Targets<'_>,
        #[case] code: &str,
    ) {
        let transition = decided(spec, subscription, &targets);
        let codes: Vec<_> = transition
            .obstacles
            .iter()
            .map(TransitionObstacle::code)
            .collect();
        assert_eq!(codes, [code]);
    }

    #[test]
    fn reports_webhooks_and_manual_approval_as_notes() {
        let spec = json!({"webhookdefinitions": [{"type": "ValidatingAdmissionWebhook"}]});
        let subscription = json!({"installPlanApproval": "Manual"});
        let transition = decided(spec, subscription, &Targets::All);
        assert_eq!(transition.obstacles, []);
        let notes = [
            TransitionNote::Webhooks { count: 1 },
            TransitionNote::ManualApproval,
        ];
        assert_eq!(transition.notes, notes);
    }
}
