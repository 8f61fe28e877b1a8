//! Creates the Operator that replaces a Subscription of OLM.

use portolan_api::operator::{GROUP, name_for};
use portolan_core_olm::{CATALOG_NAME, Subscription, Targets};
use serde_json::{Value, json};

use crate::fleet::{Csv, Present};

/// Returns an Operator that adopts an operator installed by OLM. It has the channel, the catalog
/// and the approval mode of the Subscription.
pub fn adopting(
    present: &Present,
    csv: &Csv,
    subscription: Option<&Subscription>,
    targets: &Targets<'_>,
) -> Value {
    let installs = &present.installs;
    let mut spec = json!({
        "packageName": installs.package,
        "adopt": true,
        "namespace": csv.namespace,
    });
    if let Targets::These(names) = targets {
        spec["watchNamespaces"] = json!(names);
    }
    if let Some(Subscription { spec: wished, .. }) = subscription {
        spec["version"] = json!(format!(">={}", installs.version));
        if !wished.channel.is_empty() {
            spec["channels"] = json!([wished.channel]);
        }
        if !wished.source.is_empty() {
            spec["catalogSelector"] = json!({"matchLabels": {CATALOG_NAME: wished.source}});
        }
        if subscription.is_some_and(Subscription::is_manual) {
            spec["approval"] = json!("Manual");
        }
        if let Some(config) = wished.config.as_ref().filter(|config| !config.is_empty()) {
            spec["config"] = json!(config);
        }
    }
    json!({
        "apiVersion": format!("{GROUP}/v1alpha1"),
        "kind": "Operator",
        "metadata": {"name": name_for(&installs.package)},
        "spec": spec,
    })
}

#[cfg(test)]
mod tests {
    use portolan_core_olm::read_value;
    use similar_asserts::assert_eq;

    use super::*;
    use crate::fleet::Installer;
    use crate::question::Installation;

    #[test]
    fn adopting_operator_has_channel_catalog_and_approval_of_subscription() {
        let csv = Csv {
            namespace: "harbor".to_owned(),
            name: "ferry.v1.0.0".to_owned(),
            ..Csv::default()
        };
        let present = Present {
            object: String::new(),
            by: Installer::Olm,
            installs: Installation {
                package: "ferry.example".to_owned(),
                version: "1.0.0".to_owned(),
                ..Installation::default()
            },
            csv: None,
        };
        let subscription = json!({
            "metadata": {"name": "ferry", "namespace": "harbor"},
            "spec": {"name": "ferry.example", "channel": "stable", "source": "demo",
                "sourceNamespace": "olm", "installPlanApproval": "Manual",
                "config": {"env": [{"name": "A", "value": "1"}]}},
        });
        let (subscription, _) = read_value::<Subscription>(subscription).expect("a Subscription");
        let targets = Targets::These(["a", "b"].into());
        assert_eq!(
            adopting(&present, &csv, Some(&subscription), &targets),
            json!({
                "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
                "metadata": {"name": "ferry-example"},
                "spec": {
                    "packageName": "ferry.example", "adopt": true, "namespace": "harbor",
                    "version": ">=1.0.0", "channels": ["stable"], "approval": "Manual",
                    "catalogSelector": {"matchLabels": {CATALOG_NAME: "demo"}},
                    "watchNamespaces": ["a", "b"],
                    "config": {"env": [{"name": "A", "value": "1"}]},
                },
            })
        );
        let bare = adopting(&present, &csv, None, &Targets::All);
        assert_eq!(
            bare["spec"],
            json!({"packageName": "ferry.example", "adopt": true, "namespace": "harbor"})
        );
    }
}
