//! Tests with ClusterExtensions. The content of catalogs and the Deployments explain their
//! problems.

use portolan_kit::{World, catalog};
use portolan_proto::diagnosis::v1::diagnose_request::Kind;
use portolan_proto::diagnosis::v1::{DiagnoseRequest, OperatorDiagnosis};
use portolan_resolver::source::SourceAccess;
use portolan_stage::Stage;
use portolan_world::{AnyWorld, Files};
use serde_json::{Value, json};

use super::{Asking, settled};
use crate::DiagnosisService;

fn extension(name: &str, version: &str, reason: &str, message: &str) -> Value {
    let said = json!({
        "type": "Progressing", "status": "True", "reason": reason, "message": message,
        "lastTransitionTime": "2026-01-01T06:00:00Z", "observedGeneration": 1,
    });
    json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension",
        "metadata": {"name": name, "generation": 1},
        "spec": {"namespace": name, "source": {"sourceType": "Catalog", "catalog": {
            "packageName": name, "version": version,
        }}},
        "status": {
            "conditions": [said],
            "install": {"bundle": {"name": format!("{name}.v1.0.0"), "version": "1.0.0"}},
        },
    })
}

async fn diagnosed(service: DiagnosisService, kind: Kind) -> Vec<OperatorDiagnosis> {
    settled(&service).await;
    let request = DiagnoseRequest {
        kind: kind.into(),
        ..DiagnoseRequest::default()
    };
    let mut asking = Asking::diagnosis(service, None);
    let mut stream = asking.send(request).await.expect("an answer");
    let mut all = Vec::new();
    while let Some(answer) = stream.message().await.expect("an answer") {
        all.extend(answer.diagnosis);
    }
    all
}

#[tokio::test]
async fn diagnosis_names_upgrade_path_from_catalog_content() {
    let missing = "no bundles found for package \"kelp\" matching version \"3.x\"";
    let charts = json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog",
        "metadata": {"name": "charts", "generation": 1},
        "status": {"conditions": [{"type": "Serving", "status": "True", "reason": "Available"}]},
    });
    let world = [extension("kelp", "3.x", "Retrying", missing), charts]
        .into_iter()
        .fold(portolan_kit::world(), World::object);
    let folder = world.temp();
    let content = folder.join("clustercatalogs").join("charts");
    std::fs::create_dir_all(&content).expect("a folder");
    catalog("kelp: 1.0.0 -> 2.0.0 -> 3.0.0").write(&content);
    let files = AnyWorld::Files(Files::at(&folder));
    let sources = (Vec::new(), SourceAccess::default());
    let service = DiagnosisService::of_own_objects_and_catalogs(files, None, sources);
    let all = diagnosed(service, Kind::ClusterExtension).await;
    let cause = all[0].cause.as_ref().expect("a cause");
    assert_eq!(cause.code, "NoUpgradePath");
    let way = "The shortest way to a requested version is 1.0.0 -> 2.0.0 -> 3.0.0.";
    assert!(cause.message.contains(way), "{}", cause.message);
}

/// The Deployment has the labels of OLM v1, and may be in any namespace.
#[tokio::test]
async fn stopped_deployment_of_an_extension_is_found_in_a_cluster_and_in_files() {
    let labels = json!({
        "olm.operatorframework.io/owner-kind": "ClusterExtension",
        "olm.operatorframework.io/owner-name": "kelp",
    });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": "kelp", "namespace": "elsewhere", "uid": "u", "labels": labels,
            "annotations": {"downscaler/original-replicas": "2"},
        },
        "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "kelp"}}},
    });
    let extension = extension("kelp", "", "Succeeded", "Desired state reached");
    let world = [extension, deployment]
        .into_iter()
        .fold(portolan_kit::world(), World::object);
    let stage = Stage::shared(&world);
    let live = DiagnosisService::of_own_objects(&stage, None);
    let live = diagnosed(live, Kind::ClusterExtension).await;
    let folder = world.temp();
    let files = DiagnosisService::of_own_objects(&Files::at(&folder), None);
    assert_eq!(live, diagnosed(files, Kind::ClusterExtension).await);
    let cause = live[0].cause.as_ref().expect("a cause");
    assert_eq!(cause.code, "ScaledToZero");
    let remedy = format!("{:?}", cause.remedy);
    let scale = "kubectl scale deployments.apps/kelp -n elsewhere --replicas=2";
    assert!(remedy.contains(scale), "{remedy}");
}

#[tokio::test]
async fn subscription_of_a_contested_policy_shows_the_other_writer() {
    let said = json!({
        "type": "SubscriptionCompliant", "status": "False", "reason": "Contested", "message": "it differs",
        "lastTransitionTime": "2026-01-01T06:00:00Z",
    });
    let related = json!({
        "object": {
            "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
            "metadata": {"namespace": "shore", "name": "kelp"},
        },
        "compliant": "NonCompliant", "reason": "a",
    });
    let policy = json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1", "kind": "OperatorPolicy",
        "metadata": {"name": "kelp", "namespace": "reefs"},
        "spec": {"remediationAction": "enforce", "subscription": {"name": "kelp", "channel": "new"}},
        "status": {"compliant": "NonCompliant", "conditions": [said], "relatedObjects": [related]},
    });
    let subscription = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
        "metadata": {
            "name": "kelp", "namespace": "shore",
            "annotations": {"argocd.argoproj.io/tracking-id": "coast:a/b:shore/kelp"},
        },
        "spec": {"name": "kelp", "channel": "old", "source": "a", "sourceNamespace": "b"},
    });
    let world = [policy, subscription]
        .into_iter()
        .fold(portolan_kit::world(), World::object);
    let stage = Stage::shared(&world);
    let service = DiagnosisService::of_own_objects(&stage, None);
    let all = diagnosed(service, Kind::OperatorPolicy).await;
    let cause = all[0].cause.as_ref().expect("a cause");
    assert_eq!(cause.code, "DriftContested");
    let both =
        "sets spec.channel to \"new\", and Argo CD Application coast sets it back to \"old\".";
    assert!(cause.message.contains(both), "{}", cause.message);
}
