//! Prepares a namespace and a controller for tests of plans.

use std::net::SocketAddr;
use std::path::Path;

use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::{Api, Client};
use portolan_rig::{Audit, Cluster, Failure, Kind, PATIENCE, Pods, Seen, World, until};
use serde_json::{Value, json};

use crate::approval::crds::create_crd;
use crate::objects::{api, api_of, make};
use crate::operatorpolicy::fleet;
use crate::process::Running;
use crate::{own_cluster, world};

/// The ServiceAccount that the plans use.
pub(super) const INSTALLER: &str = "installer";

/// The condition of a plan without drift.
pub(super) const NOT_DRIFTED: [&str; 3] = ["Drifted", "False", "NotDrifted"];

/// A namespace that is enabled for plans, and a controller for only this namespace.
pub(super) struct Engine {
    world: World,
    user: String,
    controller: Option<(SocketAddr, Running)>,
}

/// Returns a running engine, or `None` if tests with a cluster are skipped.
pub(super) async fn engine(test: &str) -> Result<Option<Engine>, Failure> {
    let Some(world) = world(test).await? else {
        return Ok(None);
    };
    let mut engine = Engine::of(world).await?;
    engine.start().await?;
    Ok(Some(engine))
}

/// Returns an engine on a separate cluster without OLM, for tests that affect all namespaces.
pub(super) async fn own_engine(test: &str) -> Result<Option<Engine>, Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(None);
    };
    let mut engine = Engine::of(World::on(cluster, test).await?).await?;
    engine.start().await?;
    Ok(Some(engine))
}

// === impl Engine ===

impl Engine {
    /// Returns an engine without a running controller. The ServiceAccount has no permissions.
    async fn of(world: World) -> Result<Self, Failure> {
        define(world.client()).await?;
        let engine = Self {
            user: format!("plans-of-{}", world.namespace()),
            world,
            controller: None,
        };
        let enabled = json!({"metadata": {"labels": {"plans.portolan.dev/enabled": "true"}}});
        let namespaces = Kind::Namespace.everywhere(engine.client());
        let params = PatchParams::default();
        namespaces
            .patch(engine.namespace(), &params, &Patch::Merge(enabled))
            .await?;
        engine.make(&engine.account(INSTALLER)).await?;
        Ok(engine)
    }

    pub(super) async fn start(&mut self) -> Result<(), Failure> {
        let cluster = self.world.cluster();
        let kubeconfig = cluster.admit(&self.user, Some("system:masters"))?;
        self.start_at(&kubeconfig).await;
        Ok(())
    }

    /// Starts the controller. It uses this kubeconfig.
    pub(super) async fn start_at(&mut self, kubeconfig: &Path) {
        let flags = [
            fleet::kubeconfig_flag(kubeconfig),
            "--no-lease".to_owned(),
            "--plans".to_owned(),
            format!("--only-namespace={}", self.namespace()),
        ];
        self.controller = Some(fleet::probed_controller(flags).await);
    }

    pub(super) fn stop(&mut self) {
        if let Some((_, controller)) = self.controller.take() {
            controller.kill();
        }
    }

    /// Returns the address at which the running controller serves its probes.
    pub(super) fn probes(&self) -> SocketAddr {
        self.controller.as_ref().expect("a controller").0
    }

    pub(super) fn namespace(&self) -> &str {
        self.world.namespace()
    }

    pub(super) fn client(&self) -> &Client {
        self.world.client()
    }

    pub(super) fn cluster(&self) -> &Cluster {
        self.world.cluster()
    }

    pub(super) fn pods(&self) -> Pods {
        self.world.pods()
    }

    /// Returns the requests of the controller, including requests that impersonate other users.
    pub(super) fn asked(&self) -> Result<Audit, Failure> {
        Ok(self.cluster().audit()?.by(&self.user))
    }

    /// Returns the user name of the ServiceAccount, as the API server sees it.
    pub(super) fn installer(&self) -> String {
        format!("system:serviceaccount:{}:{INSTALLER}", self.namespace())
    }

    // --- objects ---

    fn account(&self, name: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {
            "name": name, "namespace": self.namespace(),
        }})
    }

    /// Creates an object in the namespace of the test, or in the namespace of the manifest if it
    /// has one.
    pub(super) async fn make(&self, manifest: &Value) -> Result<(), Failure> {
        make(self.client(), manifest).await
    }

    /// Returns the API for objects with the kind and namespace of a manifest.
    pub(super) fn api(&self, manifest: &Value) -> Api<DynamicObject> {
        api_of(self.client(), manifest)
    }

    /// Returns the current object, or `None` if it does not exist.
    pub(super) async fn object(&self, manifest: &Value) -> Result<Option<DynamicObject>, Failure> {
        let name = manifest["metadata"]["name"].as_str().expect("a name");
        Ok(self.api(manifest).get_opt(name).await?)
    }

    pub(super) async fn delete(&self, manifest: &Value) -> Result<(), Failure> {
        let name = manifest["metadata"]["name"].as_str().expect("a name");
        let background = DeleteParams::background();
        self.api(manifest).delete(name, &background).await?;
        Ok(())
    }

    /// Grants the ServiceAccount all permissions in the namespace.
    pub(super) async fn allow_all(&self) -> Result<(), Failure> {
        let rules = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
        self.allow("all", rules).await
    }

    /// Grants the ServiceAccount all permissions everywhere.
    pub(super) async fn allow_everywhere(&self) -> Result<(), Failure> {
        let name = format!("{}-all", self.namespace());
        self.make(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin",
            },
            "subjects": [{
                "kind": "ServiceAccount", "name": INSTALLER, "namespace": self.namespace(),
            }],
        }))
        .await
    }

    /// Grants these rules to the ServiceAccount.
    pub(super) async fn allow(&self, name: &str, rules: Value) -> Result<(), Failure> {
        let metadata = json!({"name": name, "namespace": self.namespace()});
        self.make(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role",
            "metadata": metadata,
            "rules": rules,
        }))
        .await?;
        self.make(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": INSTALLER}],
        }))
        .await
    }

    // --- plans ---

    pub(super) fn plans(&self) -> Api<DynamicObject> {
        let plans = [
            "plans.portolan.dev/v1alpha1",
            "InstallPlan",
            self.namespace(),
        ];
        api(self.client(), plans)
    }

    /// Creates a plan with these stages.
    pub(super) async fn plan(&self, name: &str, stages: Value) -> Result<(), Failure> {
        let spec = json!({"serviceAccountName": INSTALLER, "stages": stages});
        self.plan_of(name, spec).await
    }

    pub(super) async fn plan_of(&self, name: &str, spec: Value) -> Result<(), Failure> {
        self.make(&json!({
            "apiVersion": "plans.portolan.dev/v1alpha1",
            "kind": "InstallPlan",
            "metadata": {"name": name, "namespace": self.namespace()},
            "spec": spec,
        }))
        .await
    }

    /// Deletes a plan, and waits until it no longer exists.
    pub(super) async fn delete_plan(&self, name: &str) -> Result<(), Failure> {
        self.plans().delete(name, &DeleteParams::default()).await?;
        Ok(())
    }

    /// Waits until a plan no longer exists.
    pub(super) async fn until_gone(&self, name: &str) -> Result<(), Failure> {
        let plans = self.plans();
        until(format!("{name} to be gone"), PATIENCE, async || {
            let plan = plans.get_opt(name).await?;
            Ok(plan.map_or(Seen::Yes(()), |plan| {
                Seen::NotYet(plan.data["status"].to_string())
            }))
        })
        .await
    }

    /// Applies a change to an object.
    pub(super) async fn patch(&self, manifest: &Value, change: Value) -> Result<(), Failure> {
        let name = manifest["metadata"]["name"].as_str().expect("a name");
        let (params, change) = (PatchParams::default(), Patch::Merge(change));
        self.api(manifest).patch(name, &params, &change).await?;
        Ok(())
    }

    /// Applies a change to a plan.
    pub(super) async fn change(&self, name: &str, change: Value) -> Result<(), Failure> {
        let params = PatchParams::default();
        let change = Patch::Merge(json!({"spec": change}));
        self.plans().patch(name, &params, &change).await?;
        Ok(())
    }

    /// Makes a plan retry failed steps.
    pub(super) async fn retry(&self, name: &str) -> Result<(), Failure> {
        let again = json!({"metadata": {"annotations": {"plans.portolan.dev/retry": "1"}}});
        let (params, again) = (PatchParams::default(), Patch::Merge(again));
        self.plans().patch(name, &params, &again).await?;
        Ok(())
    }

    /// Waits until a condition of a plan has this status and reason. Returns its message.
    pub(super) async fn until(&self, name: &str, wanted: [&str; 3]) -> Result<String, Failure> {
        let [type_, status, reason] = wanted;
        let plans = self.plans();
        until(format!("{name}: {wanted:?}"), PATIENCE, async || {
            let plan = plans.get(name).await?;
            let conditions = plan.data.pointer("/status/conditions");
            let mut conditions = conditions.and_then(Value::as_array).into_iter().flatten();
            let condition = conditions.find(|each| each["type"] == type_);
            let is_so = condition.filter(|it| it["status"] == status && it["reason"] == reason);
            Ok(match is_so {
                Some(it) => Seen::Yes(it["message"].as_str().unwrap_or_default().to_owned()),
                None => Seen::NotYet(plan.data["status"].to_string()),
            })
        })
        .await
    }

    pub(super) async fn until_ready(&self, name: &str) -> Result<(), Failure> {
        self.until(name, ["Ready", "True", "AllReady"]).await?;
        Ok(())
    }

    /// Waits until a plan is ready and has no drift.
    pub(super) async fn until_at_rest(&self, name: &str) -> Result<(), Failure> {
        self.until_ready(name).await?;
        self.until(name, NOT_DRIFTED).await?;
        Ok(())
    }

    /// Returns the reasons of the events of a plan. The events are sorted by name.
    pub(super) async fn events(&self, name: &str) -> Result<Vec<String>, Failure> {
        let events = self.api(&manifest("v1", "Event", [self.namespace(), ""]));
        let of = format!("involvedObject.kind=InstallPlan,involvedObject.name={name}");
        let all = events.list(&ListParams::default().fields(&of)).await?;
        let reasons = all.items.iter().map(|event| event.data["reason"].as_str());
        let mut reasons: Vec<_> = reasons.flatten().map(str::to_owned).collect();
        reasons.sort();
        Ok(reasons)
    }

    /// Waits until an event of a plan has this reason. The controller creates events shortly after
    /// it writes the status.
    pub(super) async fn until_event(&self, name: &str, reason: &str) -> Result<(), Failure> {
        until(format!("{name}: event {reason}"), PATIENCE, async || {
            let reasons = self.events(name).await?;
            Ok(if reasons.iter().any(|it| it == reason) {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{reasons:?}"))
            })
        })
        .await
    }

    /// Returns the status of a plan.
    pub(super) async fn status(&self, name: &str) -> Result<Value, Failure> {
        let plan = self.plans().get(name).await?;
        Ok(plan.data["status"].clone())
    }
}

/// Returns a manifest of this kind, without content.
pub(super) fn manifest(api_version: &str, kind: &str, [namespace, name]: [&str; 2]) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "metadata": {
        "name": name, "namespace": namespace,
    }})
}

/// Returns a ConfigMap with one value.
pub(super) fn config_map(at: [&str; 2], value: &str) -> Value {
    let mut manifest = manifest("v1", "ConfigMap", at);
    manifest["data"] = json!({"value": value});
    manifest
}

/// Returns a Deployment with one Pod. The Pod has this label.
pub(super) fn deployment(at: [&str; 2], label: &str) -> Value {
    let mut deployment = manifest("apps/v1", "Deployment", at);
    let labels = json!({"app": label});
    deployment["spec"] = json!({
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "main", "image": "ferry.test/ferry:1"}]},
        },
    });
    deployment
}

/// Returns a stage with these manifests, in this order.
pub(super) fn stage(name: &str, manifests: &[Value]) -> Value {
    let resources = manifests
        .iter()
        .map(|manifest| json!({"manifest": manifest}));
    json!({"name": name, "resources": resources.collect::<Vec<_>>()})
}

/// Installs the CRDs of plans.
async fn define(client: &Client) -> Result<(), Failure> {
    for plural in ["installplans", "resourcemanifests"] {
        create_crd(client, &format!("{plural}.plans.portolan.dev")).await?;
    }
    Ok(())
}
