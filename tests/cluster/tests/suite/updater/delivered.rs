//! Tests the updater as delivered: its permissions, the requests that the API server denies, and
//! the objects that are left after it is uninstalled.

use kube::Api;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{CONDITION, configure, flags, frozen, install, until_silent, updater, wanted};
use crate::objects::api;
use crate::operators::stage::{Harbor, version};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/overlays/updater");

/// The kinds of the objects in the overlay, and of the objects that are created for them.
const KINDS: [[&str; 2]; 12] = [
    ["v1", "ServiceAccount"],
    ["v1", "ConfigMap"],
    ["apps/v1", "Deployment"],
    ["coordination.k8s.io/v1", "Lease"],
    ["networking.k8s.io/v1", "NetworkPolicy"],
    ["rbac.authorization.k8s.io/v1", "ClusterRole"],
    ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
    ["rbac.authorization.k8s.io/v1", "Role"],
    ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    [
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicy",
    ],
    [
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
    ],
    ["v1", "Pod"],
];

#[tokio::test]
async fn updater_has_only_its_permissions_and_uninstalls_completely() -> Result<(), Failure> {
    let Some(harbor) = frozen("updater-delivered", &[version("ferry", "1.0.0")]).await? else {
        return Ok(());
    };
    let rendered = harbor.kubectl(&["kustomize", FOLDER]).await?;
    let home = format!("namespace: {}", harbor.home());
    let rendered = rendered.replace("namespace: portolan\n", &format!("{home}\n"));
    let rendered = rendered.replace("replicas: 1", "replicas: 0");
    harbor.apply(&rendered).await?;
    let user = format!("system:serviceaccount:{}:portolan-updater", harbor.home());
    let kubeconfig = harbor.world().cluster().admit(&user, None)?;
    let operators: Api<DynamicObject> = Api::all_with(
        harbor.world().cluster().client_of(&user)?,
        &harbor.operator_kind(),
    );
    until_guarded(&operators).await?;
    refuses(&operators).await?;

    configure(
        &harbor,
        &json!({"operators": install(&[("ferry", "latest")])}),
    )
    .await?;
    let (_, running) = updater(flags(&harbor, &kubeconfig)).await;
    harbor
        .until("ferry", [CONDITION, "True", "UpToDate"])
        .await?;
    harbor.publish(&["1.0.0", "1.1.0"].map(|it| version("ferry", it)))?;
    harbor.until_installed("ferry", "1.1.0").await?;
    harbor
        .until("ferry", [CONDITION, "True", "UpToDate"])
        .await?;
    // The updater is killed and cannot clean up, like a Pod whose permissions are already deleted.
    running.kill();

    let file = harbor.delete_all(&rendered).await?;
    assert!(file.contains("portolan-updater"), "{file}");
    until_silent(&harbor, "ferry").await?;
    assert_eq!(wanted(&harbor, "ferry").await?, "1.1.0");
    assert_eq!(left(&harbor).await?, [""; 0]);
    Ok(())
}

/// Waits until the admission policy takes effect.
async fn until_guarded(operators: &Api<DynamicObject>) -> Result<(), Failure> {
    until("the updater to be guarded", PATIENCE, async || {
        let labeled = json!({"metadata": {"labels": {"a": "b"}}});
        Ok(match change(operators, &labeled, false).await {
            Err(why) if why.contains("an updater cannot change the metadata") => Seen::Yes(()),
            other => Seen::NotYet(format!("{other:?}")),
        })
    })
    .await
}

/// Checks which changes of an Operator the API server denies or permits for the updater.
async fn refuses(operators: &Api<DynamicObject>) -> Result<(), Failure> {
    let condition = |type_: &str| {
        json!({
            "type": type_, "status": "True", "reason": "So", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        })
    };
    let current = operators.get("ferry").await?.data["status"]["conditions"].clone();
    let with = |type_: &str| {
        let mut all = current.as_array().cloned().unwrap_or_default();
        all.push(condition(type_));
        json!({"status": {"conditions": all}})
    };
    let of_spec = "an updater can change only the version in the spec";
    let of_metadata = "an updater cannot change the metadata";
    let of_status = "an updater can change only the condition AutomaticUpdates in the status";
    let rows = [
        (json!({"spec": {"adopt": true}}), false, Some(of_spec)),
        (
            json!({"spec": {"settleSeconds": null}}),
            false,
            Some(of_spec),
        ),
        (json!({"spec": {"settleSeconds": 7}}), false, Some(of_spec)),
        (
            json!({"metadata": {"annotations": {"a": "b"}}}),
            false,
            Some(of_metadata),
        ),
        (
            json!({"metadata": {"finalizers": null}}),
            false,
            Some(of_metadata),
        ),
        (
            json!({"status": {"versions": {"installed": "9.9.9"}}}),
            true,
            Some(of_status),
        ),
        (json!({"status": {"conditions": []}}), true, Some(of_status)),
        (with("Ready2"), true, Some(of_status)),
        (json!({"spec": {"version": "1.0.0"}}), false, None),
        (with(CONDITION), true, None),
    ];
    for (patch, is_status, refusal) in rows {
        let changed = change(operators, &patch, is_status).await;
        match (refusal, &changed) {
            (None, Ok(())) => {}
            (Some(refusal), Err(why)) if why.contains(refusal) => {}
            _ => panic!("{patch}: {changed:?}"),
        }
    }
    let new = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "rope"}, "spec": {"packageName": "rope"},
    });
    let new = serde_json::from_value(new).map_err(Failure::read("an Operator"))?;
    let refusals = [
        operators
            .create(&PostParams::default(), &new)
            .await
            .map(drop),
        operators
            .delete("ferry", &DeleteParams::default())
            .await
            .map(drop),
    ];
    for refused in refusals {
        let code = match refused {
            Err(kube::Error::Api(status)) => status.code,
            other => panic!("{other:?}"),
        };
        assert_eq!(code, 403);
    }
    Ok(())
}

/// Changes an Operator as a dry run.
async fn change(
    operators: &Api<DynamicObject>,
    patch: &Value,
    is_status: bool,
) -> Result<(), String> {
    let params = PatchParams {
        dry_run: true,
        ..PatchParams::default()
    };
    let patch = Patch::Merge(patch);
    let changed = if is_status {
        operators.patch_status("ferry", &params, &patch).await
    } else {
        operators.patch("ferry", &params, &patch).await
    };
    changed.map(drop).map_err(|error| error.to_string())
}

/// Returns the objects of the updater that are left, in its namespace and in the cluster.
async fn left(harbor: &Harbor) -> Result<Vec<String>, Failure> {
    let mut left = Vec::new();
    for [api_version, kind] in KINDS {
        let namespace = match kind {
            "ClusterRole"
            | "ClusterRoleBinding"
            | "ValidatingAdmissionPolicy"
            | "ValidatingAdmissionPolicyBinding" => "",
            _ => harbor.home(),
        };
        let objects = api(harbor.client(), [api_version, kind, namespace]);
        let all = objects.list(&ListParams::default()).await?.items;
        let names = all.into_iter().filter_map(|object| object.metadata.name);
        let own = names.filter(|name| name.starts_with("portolan-updater"));
        left.extend(own.map(|name| format!("{kind} {name}")));
    }
    Ok(left)
}
