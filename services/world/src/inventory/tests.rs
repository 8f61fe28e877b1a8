use std::fs;

use portolan_api::inventory::{Gap, InstalledOperator, Manager};
use portolan_kit::TempFolder;

use super::*;
use crate::Files;

const OBJECTS: &str = r#"
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {namespace: harbor, name: ferry.v1.0.0}
spec: {version: 1.0.0}
status: {phase: Succeeded}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {namespace: harbor, name: ferry}
spec: {name: ferry}
status: {installedCSV: ferry.v1.0.0, currentCSV: ferry.v1.0.0}
---
apiVersion: operators.operatorframework.io/v1alpha1
kind: Operator
metadata: {name: crane}
spec: {packageName: crane}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: tug}
spec: {namespace: tugs, source: {catalog: {packageName: tug}}}
---
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {name: fleet}
spec: {}
---
apiVersion: plans.portolan.dev/v1alpha1
kind: InstallPlan
metadata: {namespace: site, name: site-1}
spec: {}
"#;

fn managers<'i>(operators: impl Iterator<Item = &'i InstalledOperator>) -> Vec<Manager> {
    operators.map(|it| it.manager).collect()
}

#[tokio::test]
async fn reads_operators_of_every_installer() {
    let folder = TempFolder::empty();
    fs::write(folder.join("objects.yaml"), OBJECTS).expect("a file");
    let world = Files::at(&folder);
    let inventory = read_inventory(&world, "").await;
    assert_eq!(managers(inventory.operators().iter()), Manager::ALL);
    assert!(inventory.gaps().is_empty(), "{:?}", inventory.gaps());
    let harbor = read_inventory(&world, "harbor").await;
    assert_eq!(managers(harbor.within("harbor")), [Manager::Olm]);
}

#[tokio::test]
async fn names_unreadable_objects() {
    let folder = TempFolder::empty();
    let missing = read_inventory(&Files::at(folder.join("missing")), "").await;
    let kinds = missing.gaps().iter().filter_map(|gap| gap.kind.as_ref());
    let kinds: Vec<_> = kinds.map(|kind| &*kind.kind).collect();
    let expected = [
        "ClusterExtension",
        "ClusterServiceVersion",
        "Install",
        "Subscription",
        "Operator",
        "InstallPlan",
        "OperatorPolicy",
    ];
    assert_eq!(kinds.len(), expected.len(), "{kinds:?}");
    assert!(
        expected.iter().all(|kind| kinds.contains(kind)),
        "{kinds:?}"
    );
    fs::write(folder.join("broken.yaml"), "a: [").expect("a file");
    let broken = read_inventory(&Files::at(&folder), "").await;
    let gaps: Vec<_> = broken.gaps().iter().map(Gap::to_string).collect();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert!(gaps[0].contains("broken.yaml:1"), "{gaps:?}");
}
