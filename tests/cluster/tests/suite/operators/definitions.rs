//! Definitions that lose something from one version to the next.

use std::fs;

use kube::api::{ListParams, Patch, PatchParams};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::stage::{Harbor, harbor, version, wish};
use crate::objects::api;

/// A definition with these versions, the first of which is stored.
fn definition(versions: &[&str]) -> String {
    let mut text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
        metadata: {name: ships.ferry.example}\nspec:\n  group: ferry.example\n  \
        scope: Namespaced\n  names: {kind: Ship, listKind: ShipList, plural: ships, singular: ship}\n  \
        versions:\n"
        .to_owned();
    for (place, version) in versions.iter().enumerate() {
        text += &format!(
            "  - name: {version}\n    served: true\n    storage: {}\n    \
             schema: {{openAPIV3Schema: {{type: object, \
             x-kubernetes-preserve-unknown-fields: true}}}}\n",
            place == 0
        );
    }
    text
}

/// Gives a bundle a definition with these versions.
fn define(harbor: &Harbor, bundle: &str, versions: &[&str]) -> std::io::Result<()> {
    let manifests = harbor.bundle("ferry", bundle).join("manifests");
    fs::write(manifests.join("crd.yaml"), definition(versions))?;
    let csv = manifests.join("csv.yaml");
    let mut text = fs::read_to_string(&csv)?;
    text += "  customresourcedefinitions:\n    owned:\n";
    for version in versions {
        text += &format!("    - {{name: ships.ferry.example, version: {version}, kind: Ship}}\n");
    }
    fs::write(csv, text)?;
    // Catalogs tell what their bundles provide.
    let catalog = harbor.catalog_folder().join("catalog.yaml");
    let mut told = format!("value: {{packageName: ferry, version: {bundle}}}\n");
    let text = fs::read_to_string(&catalog)?;
    let place = text.find(&told).expect("the bundle must be in the catalog") + told.len();
    told.clear();
    for version in versions {
        told += &format!(
            "- type: olm.gvk\n  value: {{group: ferry.example, version: {version}, kind: Ship}}\n"
        );
    }
    fs::write(
        catalog,
        format!("{}{told}{}", &text[..place], &text[place..]),
    )
}

#[tokio::test]
async fn a_definition_that_loses_a_stored_version_is_refused() -> Result<(), Failure> {
    let both = ["1.0.0", "1.1.0"].map(|it| version("ferry", it));
    let Some(harbor) = harbor("operators-definitions", &both).await? else {
        return Ok(());
    };
    for (bundle, versions) in [("1.0.0", &["v1alpha1"][..]), ("1.1.0", &["v1"][..])] {
        define(&harbor, bundle, versions).map_err(Failure::touch("write a bundle"))?;
    }
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    harbor.operator("ferry", wish("1.1.0")).await?;
    let unsafe_ = ["Installing", "False", "DefinitionUnsafe"];
    let said = harbor.until("ferry", unsafe_).await?;
    assert!(said.contains("ships.ferry.example: "), "{said}");
    assert!(
        said.ends_with("operators.portolan.dev/accept-breaks=ferry.v1.1.0"),
        "{said}"
    );
    let plans = harbor.plan_names().await?;
    assert_eq!(plans, [("ferry-1".to_owned(), false)]);
    // The API server keeps a version that is stored, so that the plan says it cannot be applied.
    harbor.type_from(&said).await?;
    let invalid = ["Installing", "False", "PlanInvalid"];
    harbor.until("ferry", invalid).await?;
    goes_and_tells_what_stays(&harbor).await
}

/// What is stored of a kind stays with its definition, and is counted.
async fn goes_and_tells_what_stays(harbor: &Harbor) -> Result<(), Failure> {
    let ships = api(
        harbor.client(),
        ["ferry.example/v1alpha1", "Ship", harbor.home()],
    );
    for name in ["ann", "bo"] {
        harbor
            .make(&json!({
                "apiVersion": "ferry.example/v1alpha1", "kind": "Ship",
                "metadata": {"name": name, "namespace": harbor.home()},
            }))
            .await?;
    }
    // Somebody holds the last plan, so that it can be read what is said meanwhile.
    let hold = |finalizers| Patch::Merge(json!({"metadata": {"finalizers": finalizers}}));
    let plans = harbor.plans();
    let own = plans.get("ferry-1").await?.metadata.finalizers;
    let mut held = own.clone().unwrap_or_default();
    held.push("story.test/held".to_owned());
    let as_told = PatchParams::default();
    plans.patch("ferry-1", &as_told, &hold(held)).await?;
    harbor.delete("ferry").await?;
    let going = ["Installing", "False", "Deleting"];
    let home = harbor.home();
    let stay =
        format!("2 ships.ferry.example ({home}/ann, {home}/bo) stay, and nobody looks after them");
    until("what stays to be told", PATIENCE, async || {
        let said = harbor.until("ferry", going).await?;
        Ok(if said.ends_with(&stay) {
            Seen::Yes(())
        } else {
            Seen::NotYet(said)
        })
    })
    .await?;
    let left = plans.get("ferry-1").await?.metadata.finalizers;
    let mut left = left.unwrap_or_default();
    left.retain(|it| it != "story.test/held");
    plans.patch("ferry-1", &as_told, &hold(left)).await?;
    harbor.until_gone("ferry").await?;
    let ships = ships.list(&ListParams::default()).await?;
    assert_eq!(ships.items.len(), 2);
    Ok(())
}
