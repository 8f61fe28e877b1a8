//! Tests an operator that is uninstalled and installed again, and plans that a user deletes.

use kube::Api;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams};
use portolan_rig::{Binaries, Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::guarded;
use super::stage::{Harbor, harbor, spec_at, version};
use crate::objects::api;
use crate::program::output;

const CONTROLLER: &str = "system:serviceaccount:portolan:portolan-controller";

/// The CRD of a deleted Operator is kept, with all custom resources. A newer version takes over the
/// CRD. An older version needs the confirmation of a user first.
#[tokio::test]
async fn operator_is_installed_again_over_its_own_crd() -> Result<(), Failure> {
    let versions = [
        version("ferry", "1.0.0").with_fields(&["a"]),
        version("ferry", "1.1.0").with_fields(&["a", "b"]),
    ];
    let Some(harbor) = harbor("operators-again", &versions).await? else {
        return Ok(());
    };
    for version in ["1.0.0", "1.0.0", "1.1.0"] {
        installs(&harbor, version).await?;
        if version == "1.1.0" {
            ship(&harbor).await?;
        }
        harbor.delete("ferry").await?;
        harbor.until_gone("ferry").await?;
    }

    harbor.operator("ferry", spec_at("1.0.0")).await?;
    let unsafe_ = ["Installing", "False", "CrdUpgradeUnsafe"];
    let message = harbor.until("ferry", unsafe_).await?;
    let lost = "ships.ferry.example: v1: .spec.b: existingFieldRemoval: the field is gone (type string -> none)";
    assert!(message.contains(lost), "{message}");
    assert_eq!(harbor.plan_names().await?, []);
    assert_eq!(ships(&harbor).get("ann").await?.data["spec"], fields());

    harbor.run_command_of(&message).await?;
    harbor.until_installed("ferry", "1.0.0").await
}

async fn installs(harbor: &Harbor, version: &str) -> Result<(), Failure> {
    harbor.operator("ferry", spec_at(version)).await?;
    harbor.until_installed("ferry", version).await
}

fn fields() -> Value {
    json!({"a": "1", "b": "2"})
}

fn ships(harbor: &Harbor) -> Api<DynamicObject> {
    api(harbor.client(), ["ferry.example/v1", "Ship", harbor.home()])
}

async fn ship(harbor: &Harbor) -> Result<(), Failure> {
    harbor
        .make(&json!({
            "apiVersion": "ferry.example/v1", "kind": "Ship",
            "metadata": {"name": "ann", "namespace": harbor.home()}, "spec": fields(),
        }))
        .await
}

/// An upgrade compares the new CRD with the CRD on the cluster. So the installed bundle may be
/// missing from the catalog.
#[tokio::test]
async fn upgrade_from_removed_bundle_needs_no_confirmation() -> Result<(), Failure> {
    let version = |text| version("ferry", text).with_fields(&["a"]);
    let first = [version("1.0.0"), version("1.1.0")];
    let Some(harbor) = harbor("operators-pruned", &first).await? else {
        return Ok(());
    };
    installs(&harbor, "1.1.0").await?;
    harbor.publish(&[version("1.0.0"), version("1.2.0").skipping("1.1.0")])?;
    harbor.operator("ferry", spec_at(">=1.0.0")).await?;
    harbor.until_installed("ferry", "1.2.0").await
}

/// OLM keeps the CRDs and their roles when it uninstalls an operator. The Operator takes over a CRD
/// of another owner when a user runs a command.
#[tokio::test]
async fn crd_of_another_owner_is_taken_over_with_its_custom_resources() -> Result<(), Failure> {
    let fields = &["a", "b"];
    let versions = [
        version("ferry", "1.0.0").with_fields(fields),
        version("tug", "1.0.0").with_fields(fields),
    ];
    let Some(harbor) = harbor("operators-left", &versions).await? else {
        return Ok(());
    };
    harbor
        .make(&left("ferry", json!({"olm.managed": "true"})))
        .await?;
    harbor.make(&left_role("ferry")).await?;
    harbor.make(&left("tug", json!({}))).await?;
    let mut ann = json!({
        "apiVersion": "ferry.example/v1", "kind": "Ship",
        "metadata": {"name": "ann", "namespace": harbor.home()}, "spec": {"a": "1"},
    });
    until("ships to be served", PATIENCE, async || {
        Ok(match harbor.make(&ann).await {
            Ok(()) => Seen::Yes(()),
            Err(failure) => Seen::NotYet(failure.to_string()),
        })
    })
    .await?;
    installs(&harbor, "1.0.0").await?;
    ann = ships(&harbor).get("ann").await?.data;
    assert_eq!(ann["spec"], json!({"a": "1"}));

    harbor.operator("tug", spec_at("1.0.0")).await?;
    let message = until("tug to report the remedy", PATIENCE, async || {
        let status = harbor.status("tug").await?;
        let conditions = status["conditions"].as_array().into_iter().flatten();
        let mut message = conditions.filter_map(|it| it["message"].as_str());
        let helps = message.find(|it| it.contains("patch installplans"));
        Ok(match helps {
            Some(message) => Seen::Yes(message.to_owned()),
            None => Seen::NotYet(status.to_string()),
        })
    })
    .await?;
    assert!(!message.contains("remove it"), "{message}");
    harbor.run_command_of(&message).await?;
    harbor.until_installed("tug", "1.0.0").await
}

/// Returns the role for viewers of the custom resources, as OLM creates it.
fn left_role(package: &str) -> Value {
    let crd = format!("ships.{package}.example");
    let owner = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "customresourcedefinition", "name": crd,
        "uid": "00000000-0000-4000-8000-000000000001",
        "blockOwnerDeletion": false, "controller": false,
    });
    let labels = json!({
        "olm.managed": "true", "rbac.authorization.k8s.io/aggregate-to-view": "true",
    });
    let rule = json!({
        "apiGroups": [format!("{package}.example")], "resources": ["ships"],
        "verbs": ["get", "list", "watch"],
    });
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {
            "name": format!("{crd}-v1-view"), "labels": labels, "ownerReferences": [owner],
        },
        "rules": [rule],
    })
}

/// Returns a CRD of another owner, with a single field.
fn left(package: &str, labels: Value) -> Value {
    let spec = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let group = format!("{package}.example");
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("ships.{group}"), "labels": labels},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"kind": "Ship", "listKind": "ShipList", "plural": "ships", "singular": "ship"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

/// A deleted plan is restored with the same version, and the previous version never runs. The
/// policy of the overlay is not installed yet.
#[tokio::test]
async fn deleted_plan_is_restored_in_the_same_version() -> Result<(), Failure> {
    let versions = ["1.0.0", "1.1.0", "1.2.0"].map(|it| version("ferry", it));
    let Some(mut harbor) = harbor("operators-restored", &versions).await? else {
        return Ok(());
    };
    for version in ["1.0.0", "1.1.0"] {
        installs(&harbor, version).await?;
    }
    harbor.operator("ferry", json!({})).await?;
    until_suspended(&harbor, "ferry-1").await?;
    harbor
        .until("ferry", ["Installing", "False", "Frozen"])
        .await?;
    edit_plan(&harbor, "ferry-2").await?;
    let uid = delete_plan(&harbor, "ferry-2").await?;
    until_restored(&harbor, "ferry-2", &uid).await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.1.0"));

    // All plans are deleted while the controller is stopped. The version range would also permit
    // 1.2.0.
    harbor.kill();
    let spec = json!({"version": ">=1.0.0", "settleSeconds": 3600});
    harbor.operator("ferry", spec).await?;
    for name in ["ferry-1", "ferry-2"] {
        strip_finalizers(&harbor, name).await?;
        delete_plan(&harbor, name).await?;
    }
    harbor.start().await?;
    harbor
        .until("ferry", ["Installing", "False", "Settling"])
        .await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.1.0"));

    // With the policy of the overlay, only the controller may delete plans.
    harbor.kill();
    let admitted = harbor
        .world()
        .cluster()
        .admit(CONTROLLER, Some("system:masters"))?;
    harbor.start_at(&admitted).await;
    guarded::apply(&harbor, guarded::PLANS).await?;
    until_refused(&harbor, "ferry-2").await?;
    harbor.delete("ferry").await?;
    harbor.until_gone("ferry").await
}

async fn until_suspended(harbor: &Harbor, plan: &str) -> Result<(), Failure> {
    until(format!("{plan} to be suspended"), PATIENCE, async || {
        let plans = harbor.plan_names().await?;
        let is_suspended = plans.contains(&(plan.to_owned(), true));
        Ok(if is_suspended {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{plans:?}"))
        })
    })
    .await
}

/// Changes the fields of a plan that make it revert drift. Waits until the controller restores
/// them.
async fn edit_plan(harbor: &Harbor, name: &str) -> Result<(), Failure> {
    let plans = harbor.plans();
    let edit = json!({"spec": {"suspend": true, "lifecycle": {"onDrift": "Report"}}});
    let params = PatchParams::default();
    plans.patch(name, &params, &Patch::Merge(edit)).await?;
    until(format!("{name} to be restored"), PATIENCE, async || {
        let spec = plans.get(name).await?.data["spec"].clone();
        let is_restored = spec["suspend"] == false && spec["lifecycle"]["onDrift"] == "Revert";
        Ok(if is_restored {
            Seen::Yes(())
        } else {
            Seen::NotYet(spec.to_string())
        })
    })
    .await
}

/// Deletes a plan. Returns its uid.
async fn delete_plan(harbor: &Harbor, name: &str) -> Result<String, Failure> {
    let plans = harbor.plans();
    let uid = plans.get(name).await?.metadata.uid.unwrap_or_default();
    plans.delete(name, &DeleteParams::default()).await?;
    Ok(uid)
}

async fn until_restored(harbor: &Harbor, name: &str, uid: &str) -> Result<(), Failure> {
    let plans = harbor.plans();
    until(
        format!("{name} to be created again"),
        PATIENCE,
        async || {
            let plan = plans.get_opt(name).await?;
            let known = plan.and_then(|plan| plan.metadata.uid);
            Ok(match known {
                Some(known) if known != uid => Seen::Yes(()),
                known => Seen::NotYet(format!("{known:?}")),
            })
        },
    )
    .await
}

async fn strip_finalizers(harbor: &Harbor, name: &str) -> Result<(), Failure> {
    let mut kubectl = Binaries::ready()?.command("kubectl");
    kubectl
        .arg("--kubeconfig")
        .arg(harbor.world().cluster().kubeconfig())
        .args(["-n", harbor.home(), "patch", "pplan", name, "--type=merge"])
        .arg("--patch={\"metadata\":{\"finalizers\":null}}");
    let patched = output(kubectl).await?;
    assert!(
        patched.status.success(),
        "{}",
        String::from_utf8_lossy(&patched.stderr)
    );
    Ok(())
}

async fn until_refused(harbor: &Harbor, name: &str) -> Result<(), Failure> {
    let plans = harbor.plans();
    let dry_run = DeleteParams {
        dry_run: true,
        ..DeleteParams::default()
    };
    let refusal = until(format!("{name} to be guarded"), PATIENCE, async || {
        Ok(match plans.delete(name, &dry_run).await {
            Err(kube::Error::Api(status)) if status.code == 403 => Seen::Yes(status.message),
            deleted => Seen::NotYet(format!("{:?}", deleted.map(|_| ()))),
        })
    })
    .await?;
    assert!(
        refusal.contains("Operator ferry owns InstallPlan ferry-2"),
        "{refusal}"
    );
    Ok(())
}
