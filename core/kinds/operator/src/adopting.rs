//! Creates the Operator that replaces a Subscription of OLM.

use portolan_api::operator::{GROUP, name_for};
use portolan_core_names::VersionRange;
use portolan_core_olm::{CATALOG_NAME, ClusterExtension, Subscription, Targets};
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
    operator(&installs.package, spec)
}

/// Returns an Operator that adopts an operator installed by OLM v1. It has the versions, the
/// channels and the catalogs of the ClusterExtension. OLM v1 and Portolan have different notations
/// for ranges. If Portolan does not accept the range, or the range does not contain the installed
/// version, the Operator stays at the installed version.
pub fn adopting_extension(present: &Present, extension: &ClusterExtension) -> Value {
    let installs = &present.installs;
    let requested = &extension.spec.source.catalog;
    let mut spec = json!({
        "packageName": installs.package,
        "adopt": true,
        "namespace": extension.spec.namespace,
    });
    match requested.version.trim() {
        "" => spec["version"] = json!(format!(">={}", installs.version)),
        range if allows(range, &installs.version) => spec["version"] = json!(range),
        _ => {}
    }
    if !requested.channels.is_empty() {
        spec["channels"] = json!(requested.channels);
    }
    let selector = json!(requested.selector);
    if selector
        .as_object()
        .is_some_and(|fields| !fields.is_empty())
    {
        spec["catalogSelector"] = selector;
    }
    operator(&installs.package, spec)
}

/// Returns true if a range is valid and contains a version.
fn allows(range: &str, version: &str) -> bool {
    let range = VersionRange::parse(range);
    range.is_ok_and(|range| VersionRange::may_match(range.as_str(), version))
}

fn operator(package: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1alpha1"),
        "kind": "Operator",
        "metadata": {"name": name_for(package)},
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
            extension: None,
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
    #[test]
    fn adopting_operator_has_versions_channels_and_catalogs_of_cluster_extension() {
        let present = Present {
            object: String::new(),
            by: Installer::ClusterExtension,
            installs: Installation {
                package: "ferry".to_owned(),
                version: "1.0.0".to_owned(),
                ..Installation::default()
            },
            csv: None,
            extension: None,
        };
        let adopting = |catalog: Value| {
            let extension = json!({
                "metadata": {"name": "boat"},
                "spec": {"namespace": "docks", "source": {"catalog": catalog}},
            });
            let (extension, _) =
                read_value::<ClusterExtension>(extension).expect("a ClusterExtension");
            adopting_extension(&present, &extension)["spec"].clone()
        };
        let spec = |more: Value| {
            let mut spec = json!({"packageName": "ferry", "adopt": true, "namespace": "docks"});
            for (key, value) in more.as_object().into_iter().flatten() {
                spec[key] = value.clone();
            }
            spec
        };
        let labels = json!({"matchLabels": {CATALOG_NAME: "harbor"}});
        assert_eq!(
            adopting(json!({"version": "1.x", "channels": ["stable"], "selector": labels})),
            spec(json!({"version": "1.x", "channels": ["stable"], "catalogSelector": labels}))
        );
        assert_eq!(adopting(json!({})), spec(json!({"version": ">=1.0.0"})));
        // Portolan has no such notation.
        assert_eq!(adopting(json!({"version": "~1.0"})), spec(json!({})));
        assert_eq!(adopting(json!({"version": ">=2.0.0"})), spec(json!({})));
    }
}
