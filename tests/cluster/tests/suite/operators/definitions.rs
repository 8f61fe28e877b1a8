//! Definitions that lose something from one version to the next.

use std::fs;

use portolan_rig::Failure;

use super::stage::{Harbor, harbor, version, wish};

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
fn define(harbor: &Harbor, version: &str, versions: &[&str]) -> std::io::Result<()> {
    let manifests = harbor.bundle("ferry", version).join("manifests");
    fs::write(manifests.join("crd.yaml"), definition(versions))?;
    let csv = manifests.join("csv.yaml");
    let mut text = fs::read_to_string(&csv)?;
    text += "  customresourcedefinitions:\n    owned:\n";
    for version in versions {
        text += &format!("    - {{name: ships.ferry.example, version: {version}, kind: Ship}}\n");
    }
    fs::write(csv, text)
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
    harbor.until("ferry", invalid).await.map(drop)
}
