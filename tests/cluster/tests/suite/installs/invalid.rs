//! Tests invalid content.

use portolan_rig::Failure;

use super::stage::{HOME, yard};

const HALF: &str = "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {name: half}
spec:
  approval: Approved
  content:
  - type: Raw
    raw: |
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: half, namespace: harbor}
  - type: Raw
    raw: 'kind: Nothing'
";
const ANOTHER_TYPE: &str = "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {name: another}
spec: {content: [{type: Raww, raw: a}]}
";
#[tokio::test]
async fn invalid_content_is_reported_and_not_installed() -> Result<(), Failure> {
    let Some(yard) = yard().await? else {
        return Ok(());
    };
    yard.applies(HALF).await?;
    let install = yard
        .until_condition("half", "ContentImportError", "True RawInvalid")
        .await?;
    let conditions = install["status"]["conditions"].to_string();
    let sentence = "spec.content[1].raw, manifest 1: apiVersion is missing";
    assert!(conditions.contains(sentence), "{conditions}");
    yard.until_gone(&["-n=harbor", "configmap/half"]).await?;
    let plans = yard
        .run(&[
            "-n",
            HOME,
            "get",
            "installplans.plans.portolan.dev",
            "-o=name",
        ])
        .await?;
    assert_eq!(plans, "");

    // The API server rejects values that the CRD does not allow.
    let mapped = HALF.replace("spec:", "spec:\n  namespaces: [{from: default, to: quay}]");
    for (what, manifest, sentence) in [
        ("a type", ANOTHER_TYPE, "Unsupported value: \"Raww\""),
        ("a mapping", &mapped, "spec.namespaces is immutable"),
    ] {
        let file = portolan_kit::TempFolder::empty();
        let path = file.join("manifest.yaml");
        std::fs::write(&path, manifest).map_err(Failure::touch("write a manifest"))?;
        let path = path.display().to_string();
        let words = ["apply", "--server-side", "--dry-run=server", "-f", &path];
        let message = yard.try_run(&words).await?.expect_err(what);
        assert!(message.contains(sentence), "{what}: {message}");
    }
    yard.run(&[
        "delete",
        "install.operators.coreos.com/half",
        "--timeout=180s",
    ])
    .await?;
    Ok(())
}
