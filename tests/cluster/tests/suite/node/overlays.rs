//! Tests the base and all components of `deploy`, applied as docs/operations.md describes.

use std::fs;

use kube::api::DynamicObject;
use portolan_kit::{TempFolder, catalog};
use portolan_rig::{Catalog, Failure, Kind, PATIENCE, Seen, until, until_object};
use serde_json::{Value, json};

use super::caller::Caller;
use super::deployed::{Deployed, NAMESPACE, REPLICAS, container};
use super::releases::publish_bundles;
use super::{disruptions, memory, removal};
use crate::approval::policy::design;
use crate::editor::Editor;
use crate::objects::{api, make};
use crate::program::portolan;

/// A namespace with an operator of OLM. Clients of the services run in it.
pub(super) const HARBOR: &str = "harbor";

/// This test uses one cluster for all checks, because the installation takes longer than each
/// check.
#[tokio::test]
#[ignore = "all components as Pods, restarts and a drain: just soak"]
async fn all_components_work_survive_disruptions_and_are_removed() -> Result<(), Failure> {
    let Some(deployed) = Deployed::prepare().await? else {
        return Ok(());
    };
    let before = removal::Census::of(&deployed).await?;
    deployed.apply().await?;
    let served = (ferries(&deployed).await?, harbor(&deployed).await?);
    deployed.until_ready(&REPLICAS).await?;

    policy_is_enforced(&deployed).await?;
    operator_is_installed(&deployed).await?;
    aggregated_api_and_conversion_answer(&deployed).await?;
    webhook_rejects_an_invalid_object(&deployed).await?;
    webhook_seals_an_approval(&deployed).await?;
    services_answer_a_user_of_one_namespace(&deployed).await?;
    console_serves_tls(&deployed).await?;

    let caller = Caller::start(&deployed, HARBOR).await?;
    disruptions::leader_is_replaced(&deployed).await?;
    disruptions::restart_fails_no_call(&deployed, &caller).await?;
    disruptions::drain_waits_for_the_budgets(&deployed, &caller).await?;

    no_container_restarted(&deployed).await?;
    memory::all_are_below_half_their_limit(&deployed).await?;
    drop(served);
    before.removed_as_documented(&deployed).await
}

/// Serves the catalog of the test operator.
pub(super) async fn ferries(deployed: &Deployed) -> Result<Catalog, Failure> {
    let folder = TempFolder::empty();
    let content = publish_bundles(&deployed.cluster).await?;
    fs::write(folder.join("catalog.yaml"), content).map_err(Failure::touch("write a catalog"))?;
    deployed.cluster.catalog("olm", "ferries", &folder).await
}

/// Creates a namespace with a catalog of OLM, and with the certificate authority for clients.
pub(super) async fn harbor(deployed: &Deployed) -> Result<Catalog, Failure> {
    let label = json!({"portolan.dev/client": "true"});
    let namespace = json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HARBOR, "labels": label},
    });
    make(&deployed.client, &namespace).await?;
    let authority = deployed.cluster.identity("resolver")?.authority;
    deployed.trust(HARBOR, &authority).await?;
    let offered = catalog("yawl: 1.0.0 -> 1.1.0").installable().temp();
    deployed.cluster.catalog(HARBOR, "fleet", &offered).await
}

/// The controller calls all services over TLS with its token. OLM installs the bundle that the
/// controller approves.
async fn policy_is_enforced(deployed: &Deployed) -> Result<(), Failure> {
    let policy = design("yawl", &["yawl.v1.0.0"])
        .asks("channel", "stable".into())
        .asks("source", "fleet".into())
        .asks("sourceNamespace", HARBOR.into());
    let group = json!({"name": "own", "target": {"namespaces": [HARBOR]}});
    let policy = policy.with("operatorGroup", group);
    let editor = Editor::of(&deployed.client, HARBOR);
    let kind = Kind::OperatorPolicy;
    editor.create(kind, "yawl", policy.body(HARBOR)).await?;
    let subscriptions = Kind::Subscription.within(&deployed.client, HARBOR);
    until("the policy to install yawl", PATIENCE, async || {
        let found = subscriptions.get_opt("yawl").await?;
        let status = found.map(|found| found.data["status"]["installedCSV"].clone());
        if status == Some(json!("yawl.v1.0.0")) {
            return Ok(Seen::Yes(()));
        }
        let policy = editor.objects(kind).get("yawl").await?;
        Ok(Seen::NotYet(format!(
            "{status:?} {:#}",
            policy.data["status"]
        )))
    })
    .await
}

/// The operator runs as a Pod. The controller has issued the certificate of its webhook.
async fn operator_is_installed(deployed: &Deployed) -> Result<(), Failure> {
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "ferry"},
        "spec": {"packageName": "ferry", "version": "1.0.0", "settleSeconds": 0},
    });
    let open = "kubectl create namespace ferry\n\
        kubectl -n ferry create rolebinding portolan-certificates \
        --clusterrole=portolan-certificates-namespace --serviceaccount=portolan:portolan-controller";
    deployed.types(open).await?;
    make(&deployed.client, &operator).await?;
    let kind = ["operators.operatorframework.io/v1alpha1", "Operator", ""];
    let operators = api(&deployed.client, kind);
    let is_installed = |it: &DynamicObject| {
        let status = &it.data["status"];
        let conditions = status["conditions"].as_array().into_iter().flatten();
        let mut ready = conditions.filter(|it| it["type"] == "Ready" && it["status"] == "True");
        status["versions"]["installed"] == "1.0.0" && ready.next().is_some()
    };
    let installed = until_object(&operators, "ferry", "installed", is_installed).await;
    installed.map(drop)
}

/// The API server calls the aggregated API and the conversion webhook through their Services.
async fn aggregated_api_and_conversion_answer(deployed: &Deployed) -> Result<(), Failure> {
    let listed = [
        ("installed", "-n harbor", "yawl.v1.0.0"),
        ("operators.v2alpha1.operators.coreos.com", "", "yawl.harbor"),
    ];
    for (kind, scope, wanted) in listed {
        until(format!("{kind} {wanted}"), PATIENCE, async || {
            let words = ["get", kind, "-o", "name"].into_iter();
            let words: Vec<_> = words.chain(scope.split_whitespace()).collect();
            let answer = deployed.kubectl.try_run_uncached(&words).await?;
            Ok(match answer {
                Ok(listed) if listed.contains(wanted) => Seen::Yes(()),
                other => Seen::NotYet(format!("{other:?}")),
            })
        })
        .await?;
    }
    Ok(())
}

/// The CRD permits this object, so the API server calls the validating webhook, which rejects it.
async fn webhook_rejects_an_invalid_object(deployed: &Deployed) -> Result<(), Failure> {
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": "wrong"},
        "spec": {"packageName": "wrong", "version": ">=2.0.0 <1.0.0"},
    });
    let created = make(&deployed.client, &operator).await;
    let rejected = format!("{:?}", created.expect_err("the webhook must reject it"));
    assert!(rejected.contains("spec.version"), "{rejected}");
    Ok(())
}

/// The API server calls the mutating webhook, and the controller accepts the stamp of the webhook.
async fn webhook_seals_an_approval(deployed: &Deployed) -> Result<(), Failure> {
    let kind = ["operators.coreos.com/v2alpha1", "Install", ""];
    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "timetable", "namespace": HARBOR}, "data": {"monday": "10:00"},
    });
    let install = json!({
        "apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "timetable"},
        "spec": {"content": [{"type": "Raw", "raw": map}]},
    });
    make(&deployed.client, &install).await?;
    let installs = api(&deployed.client, kind);
    let digest = |it: &DynamicObject| it.data["status"]["pending"]["digest"].clone();
    let pending = until_object(&installs, "timetable", "pending", |it| {
        digest(it).is_string()
    });
    let digest = digest(&pending.await?);
    let change = json!({
        "metadata": {"annotations": {"operators.portolan.dev/approves": digest}},
        "spec": {"approval": "Approved"},
    });
    let patch = format!("--patch={change}");
    let name = "installs.operators.coreos.com/timetable";
    let words = ["patch", name, "--type=merge", &patch];
    deployed.kubectl.run(&words).await?;
    let maps = Kind::ConfigMap.within(&deployed.client, HARBOR);
    until_object(&maps, "timetable", "installed", |_| true).await?;
    Ok(())
}

/// A service checks the token of a caller and the permissions of the caller.
async fn services_answer_a_user_of_one_namespace(deployed: &Deployed) -> Result<(), Failure> {
    let user = "kubectl -n harbor create serviceaccount viewer\n\
        kubectl -n harbor create rolebinding viewer --clusterrole=portolan-view \
        --serviceaccount=harbor:viewer\n\
        kubectl -n harbor create token viewer --audience portolan.dev";
    let token = deployed.types(user).await?;
    let token = token.lines().last().unwrap_or_default();
    until("the health of yawl", PATIENCE, async || {
        let health = ask(deployed, "health", &["health", "-n", HARBOR], token).await?;
        Ok(if health.contains("yawl.v1.0.0") {
            Seen::Yes(())
        } else {
            Seen::NotYet(health)
        })
    })
    .await?;
    let refused = ask(deployed, "diagnosis", &["diagnose"], token).await?;
    let everywhere = "cannot get diagnoses of the API group portolan.dev in all namespaces";
    assert!(refused.contains(everywhere), "{refused}");
    Ok(())
}

/// Runs a command in the network of the node. It calls a Pod of a service. Returns its output.
async fn ask(
    deployed: &Deployed,
    service: &str,
    words: &[&str],
    token: &str,
) -> Result<String, Failure> {
    let pods = deployed.pods(service).await?;
    let address = pods.first().map(|pod| &pod.data["status"]["podIP"]);
    let address = address.and_then(Value::as_str).unwrap_or_default();
    let folder = deployed.cluster.folder();
    let file = folder.join("viewer-token");
    fs::write(&file, token).map_err(Failure::touch("write a token"))?;
    let flags = [
        format!("--server=https://{address}:50051"),
        format!("--server-name=portolan-{service}.{NAMESPACE}.svc"),
        format!("--ca={}", folder.join("pki/ca.crt").display()),
        format!("--token-file={}", file.display()),
    ];
    let words = words.iter().map(|word| (*word).to_owned());
    let words: Vec<_> = words.chain(flags).collect();
    let program = portolan().await?;
    let asking = deployed
        .cluster
        .guest(&format!("ask-{service}"), &program, words)?;
    asking.ends().await?;
    asking.output()
}

/// The API server forwards the request to the console over TLS. The console rejects the host name
/// of this request.
async fn console_serves_tls(deployed: &Deployed) -> Result<(), Failure> {
    let path = "/api/v1/namespaces/portolan/services/https:portolan-console:443/proxy/";
    let answer = deployed.kubectl.try_run(&["get", "--raw", path]).await?;
    let message = answer.expect_err("it is another host");
    assert!(message.contains("status code 421"), "{message}");
    Ok(())
}

async fn no_container_restarted(deployed: &Deployed) -> Result<(), Failure> {
    for (component, _) in REPLICAS {
        for pod in deployed.pods(component).await? {
            let container = container(&pod);
            assert_eq!(container["restartCount"], 0, "{component}: {container}");
        }
    }
    Ok(())
}
