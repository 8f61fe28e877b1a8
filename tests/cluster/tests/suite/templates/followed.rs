//! Tests templates that read ConfigMaps and objects of OLM, and templates that exceed a limit.

use portolan_kit::catalog;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::{INVALID, VALID, config_map};
use crate::approval::policy::policy;
use crate::operatorpolicy::stage::{message, stage};

/// The controller installs nothing while the ConfigMap is missing. Then it installs the version
/// that the ConfigMap allows. It installs the next version when the ConfigMap also allows this
/// version.
#[tokio::test]
async fn versions_follow_the_config_map() -> Result<(), Failure> {
    let offered = catalog("skiff: 1.0.0 -> 1.1.0").installable();
    let Some(stage) = stage("followed", &offered).await? else {
        return Ok(());
    };
    let here = stage.world.namespace().to_owned();
    let versions = format!(r#"{{{{ fromConfigMap "{here}" "allowed" "skiff" }}}}"#);
    let group = json!({"name": "own", "targetNamespaces": [here]});
    let skiff = stage.about(policy("skiff").allows(&[&versions]));
    stage.write(&skiff.with("operatorGroup", group)).await?;
    let status = stage.until_status("skiff", &[INVALID]).await?;
    let reported = message(&status, "ValidPolicySpec");
    let expected = format!(
        "spec.versions cannot be resolved: template: tmpl:1:6: executing \"tmpl\" at <fromConfigMap \
         \"{here}\" \"allowed\" \"skiff\">: error calling fromConfigMap: failed getting the ConfigMap allowed \
         from {here}: configmaps \"allowed\" not found"
    );
    assert!(reported.contains(&expected), "{reported}");
    assert_eq!(stage.olm_writes()?, Vec::<String>::new());

    config_map(&stage, "allowed", json!({"skiff": "skiff.v1.0.0"})).await?;
    let waiting = [
        VALID,
        "installed: skiff.v1.0.0",
        "next: skiff.v1.1.0",
        "InstallPlanCompliant True InstallPlanRequiresApproval",
    ];
    stage.until_status("skiff", &waiting).await?;

    let more = json!({"data": {"skiff": "skiff.v1.0.0, skiff.v1.1.0"}});
    stage.editor.patch(Kind::ConfigMap, "allowed", more).await?;
    let done = ["compliant: Compliant", "installed: skiff.v1.1.0"];
    stage.until_status("skiff", &done).await?;
    Ok(())
}

/// A policy looks up the ClusterServiceVersion of another policy, and is evaluated again when this
/// object is created. The controller stops and reports a template with too many steps, and a
/// template with too much output. Other policies are not affected.
#[tokio::test]
async fn templates_look_up_olm_objects_and_have_limits() -> Result<(), Failure> {
    let offered = catalog("lugger: 1.0.0; tender: 1.0.0; hulk: 1.0.0; raft: 1.0.0").installable();
    let Some(stage) = stage("looked-up", &offered).await? else {
        return Ok(());
    };
    let here = stage.world.namespace().to_owned();
    let cut = [
        (
            "hulk",
            "{{ range until 900000 }}{{ . }}{{ end }}",
            "it takes more than 1000000 steps",
        ),
        (
            "raft",
            r#"{{ repeat 10485760 "x" }}"#,
            "it makes more than 1048576 bytes of text",
        ),
    ];
    for (name, template, _) in cut {
        let endless = stage.about(policy(name).allows(&[template]).informs());
        stage.write(&endless).await?;
    }
    let version = format!(
        r#"{{{{ with lookup "operators.coreos.com/v1alpha1" "ClusterServiceVersion" "{here}" "lugger.v1.0.0" }}}}tender.v{{{{ .spec.version }}}}{{{{ else }}}}{{{{ fail "no lugger yet" }}}}{{{{ end }}}}"#
    );
    stage
        .write(&stage.about(policy("tender").allows(&[&version]).informs()))
        .await?;
    for (name, _, why) in cut {
        let status = stage.until_status(name, &[INVALID]).await?;
        let reported = message(&status, "ValidPolicySpec");
        assert!(reported.contains(why), "{reported}");
    }
    stage
        .mentions("tender", "ValidPolicySpec", "no lugger yet")
        .await?;

    let group = json!({"name": "own", "targetNamespaces": [here]});
    let lugger = stage.about(policy("lugger"));
    stage.write(&lugger.with("operatorGroup", group)).await?;
    stage
        .until_status("lugger", &["installed: lugger.v1.0.0"])
        .await?;
    stage.until_status("tender", &[VALID]).await?;
    Ok(())
}
