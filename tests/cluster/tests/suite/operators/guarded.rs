//! Tests requests that the admission policies of the API server deny.

use std::process::Command;

use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams};
use kube::{Api, Client};
use portolan_rig::{Binaries, Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Harbor, harbor, version};
use crate::program::output;

pub(super) const PLANS: [&str; 2] = [
    "validating-admission-policy-plans.yaml",
    "validating-admission-policy-plans-binding.yaml",
];
const PAGE: &str = include_str!("../../../../../docs/operator.md");
const PRUNER: &str = "system:serviceaccount:tools:pruner";
const POLICIES: [&str; 2] = [
    "validating-admission-policy.yaml",
    "validating-admission-policy-binding.yaml",
];

/// The policy of the overlay denies the deletion of an operator that other operators require. The
/// error contains these operators and the remedy.
#[tokio::test]
async fn required_operator_is_not_deleted() -> Result<(), Failure> {
    let versions = [
        version("ferry", "1.0.0").requiring("rope", ">=1.0.0"),
        version("rope", "1.0.0"),
        version("tug", "1.0.0").requiring("rope", ">=1.0.0"),
    ];
    let Some(harbor) = harbor("operators-guarded", &versions).await? else {
        return Ok(());
    };
    apply(&harbor, POLICIES).await?;
    for name in ["rope", "ferry"] {
        harbor.operator(name, json!({"settleSeconds": 0})).await?;
    }
    harbor.until_installed("ferry", "1.0.0").await?;
    let operators = harbor.operators();
    until("rope to be used", PATIENCE, async || {
        let status = harbor.status("rope").await?;
        let is_used = status["usedBy"][0]["name"] == "ferry";
        Ok(if is_used {
            Seen::Yes(())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await?;
    let dry_run = DeleteParams {
        dry_run: true,
        ..DeleteParams::default()
    };
    let refusal = until("rope to be guarded", PATIENCE, async || {
        Ok(match operators.delete("rope", &dry_run).await {
            Err(kube::Error::Api(status)) if status.code == 403 => {
                Seen::Yes(status.message.clone())
            }
            deleted => Seen::NotYet(format!("{:?}", deleted.map(|_| ()))),
        })
    })
    .await?;
    let way_out = "needed by ferry; first delete the operators that need it, or: kubectl annotate \
                   operators.operators.operatorframework.io rope \
                   operators.portolan.dev/force-deletion=true";
    assert!(refusal.contains(way_out), "{refusal}");
    operators.delete("ferry", &dry_run).await?;
    // A tool that prunes objects may delete operators in any order.
    let pruner: Api<DynamicObject> = Api::all_with(pruner(&harbor).await?, &harbor.operator_kind());
    until("the tool to be permitted", PATIENCE, async || {
        let deleted = pruner.delete("rope", &dry_run).await;
        Ok(match deleted {
            Ok(_) => Seen::Yes(()),
            Err(error) => Seen::NotYet(error.to_string()),
        })
    })
    .await?;
    // In the foreground, the garbage collector would delete the plans of `rope` immediately.
    let foreground = DeleteParams::foreground().dry_run();
    match pruner.delete("rope", &foreground).await {
        Err(kube::Error::Api(status)) if status.code == 403 => {
            let message = &status.message;
            assert!(
                message.contains("delete with propagation policy Background"),
                "{message}"
            );
        }
        deleted => panic!("deleted in the foreground: {:?}", deleted.map(|_| ())),
    }

    is_deleted_by_mistake(&harbor, &pruner).await?;
    harbor.run_command_of(&refusal).await?;
    harbor.delete("rope").await?;
    harbor.until_gone("rope").await
}

/// The tool deletes a required operator by mistake. The finalizer delays the deletion. The commands
/// of the docs page recreate the Operator while the workload keeps running.
async fn is_deleted_by_mistake(
    harbor: &Harbor,
    pruner: &Api<DynamicObject>,
) -> Result<(), Failure> {
    pruner.delete("rope", &DeleteParams::default()).await?;
    let blocked = ["Installing", "False", "DeletionBlocked"];
    harbor.until("rope", blocked).await?;
    harbor.operator("tug", json!({"settleSeconds": 0})).await?;
    let waits = ["Installing", "False", "WaitingForDependencies"];
    let message = harbor.until("tug", waits).await?;
    let begins = "tug.v1.0.0 requires rope >=1.0.0, but Operator rope, which installs rope >=1.0.0, is being deleted";
    assert!(message.starts_with(begins), "{message}");
    assert_eq!(harbor.runs("tug").await?, None);

    let before = uid_of_deployment(harbor).await?;
    let begin = "kubectl -n portolan annotate pplan -l operators.portolan.dev/operator=ferry ";
    let commands = PAGE.lines().skip_while(|line| !line.starts_with(begin));
    let commands: Vec<_> = commands.take_while(|line| *line != "```").collect();
    let [keep, force, wait, create] = commands.as_slice() else {
        panic!("the page has other commands: {commands:?}");
    };
    assert_eq!(*create, "kubectl apply -f ferry.yaml");
    for command in [keep, force, wait] {
        let command = command.replace("ferry", "rope");
        let home = format!("-n {} ", harbor.home());
        harbor
            .run_command_of(&command.replace("-n portolan ", &home))
            .await?;
    }
    harbor.operator("rope", json!({"settleSeconds": 0})).await?;
    harbor.until_installed("rope", "1.0.0").await?;
    harbor.until_installed("tug", "1.0.0").await?;
    assert_eq!(uid_of_deployment(harbor).await?, before);
    harbor.delete("tug").await?;
    harbor.until_gone("tug").await?;
    until("rope to be used again", PATIENCE, async || {
        let used_by = harbor.status("rope").await?["usedBy"].clone();
        let is_used = used_by[0]["name"] == "ferry" && used_by[1].is_null();
        Ok(if is_used {
            Seen::Yes(())
        } else {
            Seen::NotYet(used_by.to_string())
        })
    })
    .await
}

async fn uid_of_deployment(harbor: &Harbor) -> Result<Option<Value>, Failure> {
    let deployment = harbor.deployment("rope").await?;
    Ok(deployment.map(|it| it["metadata"]["uid"].clone()))
}

/// Returns a client of a tool that has all permissions.
async fn pruner(harbor: &Harbor) -> Result<Client, Failure> {
    let cluster = harbor.world().cluster();
    cluster.admit(PRUNER, Some("system:serviceaccounts"))?;
    harbor
        .make(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "pruner"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": PRUNER}],
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin",
            },
        }))
        .await?;
    cluster.client_of(PRUNER)
}

/// A user may delete one of two operators that require each other. The controller keeps this
/// operator until the user deletes the other one too.
#[tokio::test]
async fn mutually_required_operators_are_deleted_in_turn() -> Result<(), Failure> {
    let versions = [
        version("buoy", "1.0.0").requiring("dock", ">=1.0.0"),
        version("dock", "1.0.0").requiring("buoy", ">=1.0.0"),
    ];
    let Some(harbor) = harbor("operators-mutual", &versions).await? else {
        return Ok(());
    };
    apply(&harbor, POLICIES).await?;
    for name in ["dock", "buoy"] {
        harbor.operator(name, json!({"settleSeconds": 0})).await?;
    }
    for name in ["dock", "buoy"] {
        harbor.until_installed(name, "1.0.0").await?;
    }
    until("both to be used", PATIENCE, async || {
        let mut used = Vec::new();
        for name in ["dock", "buoy"] {
            used.push(harbor.status(name).await?["usedBy"][0]["mutual"].clone());
        }
        Ok(if used == [true, true] {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{used:?}"))
        })
    })
    .await?;
    harbor.delete("dock").await?;
    let blocked = ["Installing", "False", "DeletionBlocked"];
    harbor.until("dock", blocked).await?;
    assert_eq!(harbor.runs("dock").await?.as_deref(), Some("1.0.0"));
    harbor.delete("buoy").await?;
    harbor.until_gone("buoy").await?;
    harbor.until_gone("dock").await
}

/// The overlay grants only the controller permissions for Operators.
#[tokio::test]
async fn only_authorized_users_write_operators() -> Result<(), Failure> {
    let Some(harbor) = harbor("operators-rights", &[version("ferry", "1.0.0")]).await? else {
        return Ok(());
    };
    let cluster = harbor.world().cluster();
    cluster.admit("tenant", None)?;
    let client = cluster.client_of("tenant")?;
    harbor.make_admin_of_home("tenant").await?;
    let kind = harbor.operator_kind();
    let operators: Api<DynamicObject> = Api::all_with(client, &kind);
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "ferry"}, "spec": {"packageName": "ferry"},
    });
    let as_tenant = PatchParams::apply("a-tenant");
    let written = operators
        .patch("ferry", &as_tenant, &Patch::Apply(operator))
        .await;
    match written {
        Err(kube::Error::Api(status)) => assert_eq!(status.code, 403, "{status}"),
        other => panic!("{other:?}"),
    }
    Ok(())
}

pub(super) async fn apply(harbor: &Harbor, policies: [&str; 2]) -> Result<(), Failure> {
    let kubeconfig = harbor
        .world()
        .cluster()
        .admit("admin-of-policies", Some("system:masters"))?;
    for policy in policies {
        let mut kubectl: Command = Binaries::ready()?.command("kubectl");
        kubectl
            .arg("--kubeconfig")
            .arg(&kubeconfig)
            .args(["apply", "-f"])
            .arg(format!(
                "{}/../../deploy/overlays/operators/{policy}",
                env!("CARGO_MANIFEST_DIR")
            ));
        let applied = output(kubectl).await?;
        let complaint = String::from_utf8_lossy(&applied.stderr);
        assert!(applied.status.success(), "{complaint}");
    }
    Ok(())
}
