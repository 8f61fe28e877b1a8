//! Tests with Deployments that have no Pods, or whose content was changed.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::{Component, Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::diagnoses::root;
use super::stage::{Dumped, Stage, own_stage, stage};
use crate::kubectl::Kubectl;

const COOT: &str = "Deployment coot";
const DELETE_PODS: &str = "kubectl -n $NS delete pods -l operator=coot --wait=false";

#[tokio::test]
async fn fixes_scaled_down_and_failing_deployments() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-deploy").await? else {
        return Ok(());
    };
    let _fleet = stage
        .serve("fleet", &catalog("coot: 1.0.0").installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("coot").await?;
    stage.well("coot").await?;

    stage
        .types("kubectl -n $NS scale deployments.apps coot --replicas=0")
        .await?;
    stage.heals(root("coot", Code::ScaledToZero, COOT)).await?;

    stage
        .types("kubectl -n $NS rollout pause deployments.apps coot")
        .await?;
    stage.heals(root("coot", Code::RolloutPaused, COOT)).await?;

    stage
        .types("kubectl -n $NS create quota tight --hard=pods=0")
        .await?;
    stage.types(DELETE_PODS).await?;
    stage
        .heals(root("coot", Code::QuotaExceeded, "ResourceQuota tight"))
        .await?;
    stage
        .types("kubectl -n $NS delete resourcequotas tight")
        .await?;

    // The quota is not exhausted. But it requires limits, and the container sets no limits.
    stage
        .types("kubectl -n $NS create quota limited --hard=limits.cpu=10,requests.memory=10Gi")
        .await?;
    stage.types(DELETE_PODS).await?;
    stage
        .heals(root("coot", Code::PodRejected, "ResourceQuota limited"))
        .await?;
    stage
        .types("kubectl -n $NS delete resourcequotas,limitranges --all")
        .await?;

    let refusal = Refusal::of(&stage, "", "pods", "pods of coots are not welcome");
    refusal.create(&stage).await?;
    stage.types(DELETE_PODS).await?;
    stage
        .external(root("coot", Code::PodRejected, COOT), Dumped::Alike)
        .await?;
    refusal.delete(&stage).await?;
    // Kubernetes increases its backoff after each attempt, so the test triggers a new attempt.
    stage
        .types("kubectl -n $NS annotate deployments.apps coot welcome=now")
        .await?;
    stage.well("coot").await
}

/// The node is down, and its Pod uses a volume. While kwok, which replaces the kubelets, is frozen,
/// no kubelet confirms that the Pod has ended. With the printed taint, Kubernetes removes the Pod.
#[tokio::test]
async fn volume_on_a_lost_node_is_fixed() -> Result<(), Failure> {
    let Some(mut stage) = own_stage("dx-lost").await? else {
        return Ok(());
    };
    let _fleet = stage
        .serve("fleet", &catalog("auk: 1.0.0").installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("auk").await?;
    stage.well("auk").await?;
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "lost"}});
    stage
        .types(&format!(
            "others=$(kubectl get nodes -o jsonpath='{{.items[*].metadata.name}}')\n\
             kubectl cordon $others\n\
             echo '{node}' | kubectl create -f -\n\
             kubectl wait nodes/lost --for=condition=Ready --timeout=180s\n\
             kubectl -n $NS delete pods -l operator=auk\n\
             kubectl -n $NS wait pods -l operator=auk --for=create --timeout=180s\n\
             kubectl -n $NS wait pods -l operator=auk --for=condition=Ready --timeout=180s\n\
             kubectl cordon lost\n\
             kubectl uncordon $others"
        ))
        .await?;
    let cluster = stage.world.cluster().clone();
    cluster.freeze(Component::Kwok)?;
    stage.types(LOST).await?;
    let held = root("auk", Code::VolumeNotAttached, "Pod auk-");
    stage
        .does_by(held, "Mark node lost as out of service")
        .await?;
    let gone = "kubectl -n $NS wait pods -l operator=auk --field-selector=spec.nodeName=lost \
                --for=delete --timeout=180s";
    stage.types(gone).await?;
    cluster.thaw(Component::Kwok)?;
    stage.well("auk").await
}

/// A script that moves the Pod to another node. That node cannot attach the volume.
const LOST: &str = r#"
    here="--field-selector=spec.nodeName!=lost"
    there="--field-selector=spec.nodeName=lost"
    kubectl patch nodes/lost --subresource=status -p '{"status": {"conditions": [
        {"type": "Ready", "status": "False", "reason": "KubeletNotReady"}]}}'
    kubectl -n $NS delete pods -l operator=auk --wait=false
    kubectl -n $NS wait pods -l operator=auk $here --for=create --timeout=180s
    kubectl -n $NS wait pods -l operator=auk $here --for=condition=PodScheduled --timeout=180s
    old=$(kubectl -n $NS get pods -l operator=auk $there -o name)
    kubectl -n $NS patch $old --subresource=status -p '{"status": {"conditions": [
        {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager"}]}}'
    new=$(kubectl -n $NS get pods -l operator=auk $here -o name)
    container=$(kubectl -n $NS get $new -o jsonpath='{.spec.containers[0].name}')
    kubectl -n $NS patch $new --subresource=status -p '{"status": {"phase": "Pending", "containerStatuses": [
        {"name": "'$container'", "image": "a", "imageID": "", "ready": false, "restartCount": 0,
         "state": {"waiting": {"reason": "ContainerCreating"}}}]}}'
    uid=$(kubectl -n $NS get $new -o jsonpath='{.metadata.uid}')
    kubectl create -f - <<EOF
{"apiVersion": "v1", "kind": "Event", "metadata": {"name": "held", "namespace": "$NS"},
 "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "$NS", "name": "${new#pod/}", "uid": "$uid"},
 "type": "Warning", "reason": "FailedAttachVolume", "message": "Multi-Attach error for volume \"logs\"",
 "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z", "count": 1}
EOF
"#;

#[tokio::test]
async fn diagnoses_unschedulable_pods() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-nodes").await? else {
        return Ok(());
    };
    let offered = catalog("rail: 1.0.0").installable();
    let offered = offered.with_deployment("1.0.0", |deployment| {
        deployment["template"]["spec"]["nodeSelector"] = json!({"reeds": "tall"});
        deployment["progressDeadlineSeconds"] = json!(10);
    });
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("rail").await?;
    let lost = root("rail", Code::Unschedulable, "Deployment rail");
    stage.external(lost, Dumped::Alike).await
}

/// The kubelet starts the containers, but they never become ready. There is no message.
#[tokio::test]
async fn pods_that_never_start_are_diagnosed() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-start").await? else {
        return Ok(());
    };
    let offered = catalog("dipper: 1.0.0").installable();
    let offered = offered.with_pod_state("1.0.0", "pending");
    let offered = offered.with_deployment("1.0.0", |deployment| {
        deployment["progressDeadlineSeconds"] = json!(5);
    });
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("dipper").await?;
    let late = root("dipper", Code::RolloutFailing, "Deployment dipper");
    stage.external(late, Dumped::Alike).await?;
    stage.world.pods().ready("operator=dipper").await?;
    stage.well("dipper").await?;
    Ok(())
}

/// The Deployment that the second operator must create already exists.
#[tokio::test]
async fn diagnoses_deployment_of_another_operator() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-taken").await? else {
        return Ok(());
    };
    let mut offered = catalog("crake: 1.0.0; rallus: 1.0.0").installable();
    for package in &mut offered.packages {
        for bundle in &mut package.bundles {
            bundle.objects[0]["spec"]["install"]["spec"]["deployments"][0]["name"] = "nest".into();
        }
    }
    let _fleet = stage.serve("fleet", &offered).await?;
    stage.editor.group("group").await?;
    stage.subscribe("crake").await?;
    stage.well("crake").await?;
    stage.subscribe("rallus").await?;
    let taken = root("rallus", Code::DeploymentOwnedByOther, "Deployment nest");
    stage.external(taken, Dumped::Alike).await
}

/// A policy of the cluster that denies the creation of a kind in the namespace of the test.
pub(super) struct Refusal {
    name: String,
    manifest: Value,
    why: String,
    /// The kubectl arguments that create an object of the kind.
    one: &'static [&'static str],
}

impl Refusal {
    pub(super) fn of(stage: &Stage, group: &str, resource: &str, why: &str) -> Self {
        let namespace = stage.world.namespace();
        let name = format!("{namespace}-{resource}");
        let rule = json!({
            "apiGroups": [group],
            "apiVersions": ["v1"],
            "operations": ["CREATE"],
            "resources": [resource],
        });
        let of_kind = |kind: &str, spec: Value| {
            json!({
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": kind,
                "metadata": {"name": name},
                "spec": spec,
            })
        };
        let policy = json!({
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": "false", "message": why}],
        });
        let selector = json!({"matchLabels": {"kubernetes.io/metadata.name": namespace}});
        let binding = json!({
            "policyName": name,
            "validationActions": ["Deny"],
            "matchResources": {"namespaceSelector": selector},
        });
        let manifest = json!({"apiVersion": "v1", "kind": "List", "items": [
            of_kind("ValidatingAdmissionPolicy", policy),
            of_kind("ValidatingAdmissionPolicyBinding", binding),
        ]});
        let one: &[_] = match resource {
            "pods" => &["run", "one", "--image=registry.example/operator:v1"],
            "deployments" => &[
                "create",
                "deployment",
                "one",
                "--image=registry.example/operator:v1",
            ],
            "serviceaccounts" => &["create", "serviceaccount", "one"],
            other => panic!("how {other} are made is not known"),
        };
        Self {
            name,
            manifest,
            why: why.to_owned(),
            one,
        }
    }

    pub(super) async fn create(&self, stage: &Stage) -> Result<(), Failure> {
        let manifest = &self.manifest;
        stage
            .types(&format!("echo '{manifest}' | kubectl apply -f -"))
            .await?;
        self.until_policy_applies(stage, true).await
    }

    pub(super) async fn delete(&self, stage: &Stage) -> Result<(), Failure> {
        let name = &self.name;
        stage
            .types(&format!(
                "kubectl delete validatingadmissionpolicybindings,validatingadmissionpolicies {name}"
            ))
            .await?;
        self.until_policy_applies(stage, false).await
    }

    /// Waits until the policy denies or permits the creation. The API server applies a change of
    /// the policy after a short time.
    async fn until_policy_applies(&self, stage: &Stage, wanted: bool) -> Result<(), Failure> {
        let kubectl = Kubectl::of(stage.world.cluster());
        let here = ["-n", stage.world.namespace(), "--dry-run=server"];
        let words = [self.one, &here].concat();
        until(format!("{words:?}: {wanted}"), PATIENCE, async || {
            Ok(match kubectl.try_run(&words).await? {
                Err(output) if wanted && output.contains(&self.why) => Seen::Yes(()),
                Ok(_) if !wanted => Seen::Yes(()),
                Ok(output) | Err(output) => Seen::NotYet(output),
            })
        })
        .await
    }
}
