//! Reads the installed operators from manifests of OLM objects.

use std::collections::BTreeMap;
use std::path::Path;

use portolan_controller::encode_api;
use portolan_core_olm::{Operator, PackageRequirement, Property, Requirements, Subscription};
use portolan_proto::resolver::v1::installed_operator::Property as WireProperty;
use portolan_proto::resolver::v1::requirements::Package;
use portolan_proto::resolver::v1::{self as pb, InstalledOperator};
use portolan_world::{Key, Manifests, View};

use super::{NotInstalled, WAY_OUT};
use crate::failure::Failure;
use crate::operators::olm_objects::OlmObjects;

/// Parses the operators in the output of kubectl. Lists each operator once.
pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Vec<InstalledOperator>, Failure> {
    let manifests = Manifests::read(Path::new(file), bytes);
    let told = OlmObjects::read(file, &manifests, WAY_OUT)?;
    let refused = |place: &str, why: &str| {
        let place = place.to_owned();
        let why = why.to_owned();
        Failure::refused(NotInstalled { place, why })
    };
    let kinds = manifests.kinds();
    let has_csvs = !told.csvs.objects.is_empty() || !told.copies.objects.is_empty();
    if !has_csvs && told.subscriptions.objects.is_empty() && !kinds.is_empty() {
        let kinds: Vec<_> = kinds.into_iter().collect();
        let why = format!(
            "the file contains {}, but no ClusterServiceVersion",
            kinds.join(", ")
        );
        return Err(refused(file, &why));
    }
    let mut installing = told.subscriptions.objects.iter();
    if !has_csvs
        && let Some((key, of)) = installing.find(|(_, of)| !of.status.installed_csv.is_empty())
    {
        let installed = &of.status.installed_csv;
        let why = format!(
            "the Subscription has installed {installed}, but the file does not contain this ClusterServiceVersion"
        );
        return Err(refused(&format!("{file}: {key}"), &why));
    }
    operators(&told).map_err(|(key, why)| refused(&format!("{file}: {key}"), &why))
}

/// Returns the operators of the ClusterServiceVersions. Lists each operator once. The error
/// contains the unreadable object and the reason.
pub(in crate::operators) fn operators(
    told: &OlmObjects,
) -> Result<Vec<InstalledOperator>, (Key, String)> {
    let mut operators = BTreeMap::new();
    let csvs = told.csvs.objects.iter();
    for (key, csv) in csvs.filter(|(_, csv)| !csv.is_copied()) {
        let operator = csv.operator();
        let operator = operator.map_err(|fault| (key.clone(), fault.to_string()))?;
        let package = package(key, &operator, &told.subscriptions);
        operators
            .entry(operator.name.clone())
            .or_insert_with(|| installed_operator(operator, package));
    }
    Ok(operators.into_values().collect())
}

/// Returns the package of the operator's bundle. If the bundle does not specify its package,
/// returns the package of the Subscription.
fn package(key: &Key, operator: &Operator, subscriptions: &View<Subscription>) -> String {
    if !operator.package.is_empty() {
        return operator.package.clone();
    }
    let mut subscriptions = subscriptions.objects.iter();
    let found = subscriptions.find(|(of, subscription)| {
        of.namespace == key.namespace && *subscription.status.installed_csv == *key.name
    });
    found
        .map(|(_, subscription)| subscription.spec.package.clone())
        .unwrap_or_default()
}

fn installed_operator(operator: Operator, package: String) -> InstalledOperator {
    let Operator {
        name,
        version,
        package: _,
        provides,
        requires,
        properties,
    } = operator;
    let Requirements {
        apis,
        packages,
        constraints,
    } = requires;
    InstalledOperator {
        name,
        version,
        package,
        described: true,
        provides: provides.into_iter().map(encode_api).collect(),
        requires: Some(pb::Requirements {
            apis: apis.into_iter().map(encode_api).collect(),
            packages: packages.iter().map(package_requirement).collect(),
            constraints: constraints
                .iter()
                .map(|constraint| constraint.text().to_owned())
                .collect(),
        }),
        properties: properties.into_iter().map(property).collect(),
    }
}

fn package_requirement(required: &PackageRequirement) -> Package {
    Package {
        name: required.package.to_string(),
        range: required.text.to_string(),
    }
}

fn property(property: Property) -> WireProperty {
    let Property { kind, value } = property;
    WireProperty {
        r#type: kind.to_string(),
        value: value.into(),
    }
}

#[cfg(test)]
mod tests {
    use portolan_kit::world;
    use rstest::rstest;
    use serde_json::json;

    use super::super::parse;

    fn read_names(text: &str) -> Vec<String> {
        match parse("dump.yaml", text.as_bytes()) {
            Ok(operators) => operators
                .iter()
                .map(|operator| format!("{} of {}", operator.name, operator.package))
                .collect(),
            Err(refusal) => vec![refusal.message().to_owned()],
        }
    }

    #[test]
    fn reads_operators_with_packages_of_subscriptions() {
        let dump = world()
            .namespace("olm")
            .catalog_source("shop", "a:1")
            .namespace("harbor")
            .subscription("ferry-line", "stable")
            .installed("ferry.v1.0.0")
            .csv("ferry.v1.0.0", "Succeeded")
            .csv("rope.v1.0.0", "Failed")
            .namespace("tenant")
            .csv("ferry.v1.0.0", "Succeeded")
            .edit(|csv| csv["status"]["reason"] = json!("Copied"))
            .csv("rope.v1.0.0", "Succeeded")
            .copied_csv("winch.v1.0.0", "harbor");
        assert_eq!(
            read_names(&dump.to_yaml()),
            ["ferry.v1.0.0 of ferry-line", "rope.v1.0.0 of "]
        );
        let list = json!({"apiVersion": "v1", "kind": "List", "items": dump.objects()});
        assert_eq!(read_names(&list.to_string()), read_names(&dump.to_yaml()));
    }

    #[test]
    fn accepts_cluster_without_operators() {
        assert_eq!(
            read_names("apiVersion: v1\nitems: []\nkind: List\n"),
            [""; 0]
        );
    }

    #[test]
    fn ignores_copied_csvs() {
        let dump = world()
            .namespace("tenant")
            .copied_csv("ferry.v1.0.0", "harbor");
        assert_eq!(read_names(&dump.to_yaml()), [""; 0]);
    }

    #[test]
    fn rejects_installed_subscription_without_csv() {
        let dump = world().namespace("harbor").subscription("ferry", "stable");
        assert_eq!(read_names(&dump.clone().to_yaml()), [""; 0]);
        let message = read_names(&dump.installed("ferry.v1.0.0").to_yaml()).remove(0);
        let start = "dump.yaml: harbor/ferry: the Subscription has installed ferry.v1.0.0, but the file does not contain this ClusterServiceVersion (--installed); use the output of";
        assert!(message.starts_with(start), "{message}");
    }

    #[rstest]
    #[case::broken("kind: [\n", "dump.yaml:")]
    #[case::no_object(
        "a: 1\n",
        "dump.yaml:1: it has no apiVersion and kind, which every object must have ("
    )]
    #[case::other_objects(
        "apiVersion: v1\nkind: ConfigMap\n",
        "dump.yaml: the file contains ConfigMap, but no ClusterServiceVersion (--installed); "
    )]
    #[case::field(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
         metadata: {name: a.v1, namespace: b}\nspec: {version: [1]}\n",
        "dump.yaml:1: b/a.v1: spec.version: invalid type"
    )]
    #[case::properties(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
         metadata: {name: a.v1, namespace: b, \
         annotations: {operatorframework.io/properties: '{'}}\n",
        "dump.yaml: b/a.v1: metadata.annotations[operatorframework.io/properties]: EOF"
    )]
    fn rejects_objects_without_installed_operators(#[case] text: &str, #[case] expected: &str) {
        let message = read_names(text).remove(0);
        assert!(message.starts_with(expected), "{message}");
    }
}
