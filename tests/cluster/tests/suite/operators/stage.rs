//! Prepares clusters for the tests of Operators.

mod catalog;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use kube::Client;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use portolan_kit::TempFolder;
use portolan_rig::{Binaries, Failure, Kind, PATIENCE, Seen, World, until};
use serde_json::{Value, json};

use catalog::write;
pub(crate) use catalog::{Version, version};

use crate::approval::crds::create_crd;
use crate::firstuse::manifests::with;
use crate::objects::{api, kind, make};
use crate::operatorpolicy::fleet;
use crate::own_cluster;
use crate::process::{Running, alive, metrics, on_free_ports, on_free_probes, until_metric};
use crate::program::output;

/// A cluster without OLM, a folder with a catalog and bundles, a resolver that reads them, and a
/// controller for plans and Operators.
pub(crate) struct Harbor {
    world: World,
    /// The namespace of the plans.
    home: String,
    /// The host of the bundle images in the catalog.
    registry: String,
    folder: TempFolder,
    /// The running resolver. The flags and the address of the resolver are separate fields.
    running_resolver: Option<Running>,
    resolver_flags: Vec<String>,
    resolver: String,
    approval: Option<(Running, String)>,
    /// Additional flags of the controller.
    pub(crate) flags: Vec<String>,
    /// The address of the probes, and the running controller.
    controller: Option<(SocketAddr, Running)>,
}

/// Returns the spec of an Operator with this version and without a settle time.
pub(crate) fn spec_at(version: &str) -> Value {
    json!({"version": version, "settleSeconds": 0})
}

/// Creates a harbor whose catalog contains these versions. Each version has an edge from the
/// previous version. Returns `None` if tests with a cluster are skipped.
pub(crate) async fn harbor(
    test: &str,
    versions: &[Version<'_>],
) -> Result<Option<Harbor>, Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(None);
    };
    let world = World::on(cluster, test).await?;
    harbor_on(world, versions).await.map(Some)
}

/// Creates a harbor like [`harbor`] on an existing cluster.
pub(crate) async fn harbor_on(world: World, versions: &[Version<'_>]) -> Result<Harbor, Failure> {
    beside(world, versions, &[]).await
}

/// Creates a harbor on an existing cluster, with these additional flags for the resolver. So
/// catalogs and bundles can be in a registry. The controller also creates the certificates of
/// webhooks.
pub(crate) async fn harbor_of(world: World, flags: Vec<String>) -> Result<Harbor, Failure> {
    let own = [version("tug", "1.0.0")];
    let place = (TempFolder::empty(), "registry.test");
    let mut harbor = Harbor::opened(world, place, &own, flags).await?;
    harbor.flags.push("--certificates".to_owned());
    harbor.prepare().await?;
    harbor.start().await?;
    Ok(harbor)
}

/// Creates a harbor like [`harbor`]. The resolver also reads the CatalogSource of a tenant, which
/// has the versions `tenant`.
pub(crate) async fn harbor_beside_tenant(
    test: &str,
    versions: &[Version<'_>],
    tenant: &[Version<'_>],
) -> Result<Option<Harbor>, Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(None);
    };
    let world = World::on(cluster, test).await?;
    beside(world, versions, tenant).await.map(Some)
}

async fn beside(
    world: World,
    versions: &[Version<'_>],
    tenant: &[Version<'_>],
) -> Result<Harbor, Failure> {
    let folder = TempFolder::empty();
    let mut flags = vec![format!("--bundles={}", folder.join("bundles").display())];
    if !tenant.is_empty() {
        let own = folder.join("tenant");
        write((&own, "registry.test"), tenant).map_err(Failure::touch("write a catalog"))?;
        flags.push(format!(
            "--catalog=tenant/ships={}",
            own.join("catalog").display()
        ));
    }
    let mut harbor = Harbor::opened(world, (folder, "registry.test"), versions, flags).await?;
    harbor.prepare().await?;
    harbor.start().await?;
    Ok(harbor)
}

/// Creates a harbor like [`harbor`]. The cluster also has Policies, and an approval service that
/// evaluates them.
pub(crate) async fn harbor_with_policies(
    test: &str,
    versions: &[Version<'_>],
) -> Result<Option<Harbor>, Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(None);
    };
    let world = World::on(cluster, test).await?;
    let mut harbor = harbor_on(world, versions).await?;
    harbor.kill();
    for plural in ["upgradepolicies", "upgradepolicybindings"] {
        let name = format!("{plural}.operators.operatorframework.io");
        create_crd(harbor.world.client(), &name).await?;
    }
    harbor
        .start_approval("approval", Some("system:masters"))
        .await?;
    harbor.start().await?;
    Ok(Some(harbor))
}

/// Creates a harbor as delivered: with the base and both overlays, and with bundles from a
/// registry. The controller has only the permissions of the overlays.
pub(crate) async fn delivered(
    world: World,
    versions: &[Version<'_>],
    registry: &str,
) -> Result<Harbor, Failure> {
    let flags = ["--registries", "--plain-http"].map(|flag| format!("{flag}={registry}"));
    let folder = TempFolder::empty();
    let mut harbor = Harbor::opened(world, (folder, registry), versions, flags.to_vec()).await?;
    harbor.home = "portolan".to_owned();
    let manifests = with(&["plans", "operators"]).await?;
    harbor.apply(&manifests).await?;
    let user = "system:serviceaccount:portolan:portolan-approval";
    harbor.start_approval(user, None).await?;
    let user = "system:serviceaccount:portolan:portolan-controller";
    let kubeconfig = harbor.world.cluster().admit(user, None)?;
    harbor.start_at(&kubeconfig).await;
    Ok(harbor)
}

impl Harbor {
    /// Starts a resolver for the cluster, and no other components.
    async fn opened(
        world: World,
        (folder, registry): (TempFolder, &str),
        versions: &[Version<'_>],
        mut flags: Vec<String>,
    ) -> Result<Self, Failure> {
        write((&folder, registry), versions).map_err(Failure::touch("write a catalog"))?;
        flags.push(format!(
            "--catalog=demo={}",
            folder.join("catalog").display()
        ));
        let (running, resolver) = resolver_with(flags.clone()).await;
        Ok(Self {
            running_resolver: Some(running),
            resolver_flags: flags,
            folder,
            home: world.namespace().to_owned(),
            registry: registry.to_owned(),
            world,
            resolver,
            approval: None,
            flags: Vec::new(),
            controller: None,
        })
    }

    /// Applies manifests as an administrator.
    pub(crate) async fn apply(&self, manifests: &str) -> Result<(), Failure> {
        let file = self.folder.join("manifests.yaml");
        fs::write(&file, manifests).map_err(Failure::touch("write manifests"))?;
        let file = file.display().to_string();
        self.kubectl(&["apply", "--server-side", "-f", &file])
            .await?;
        Ok(())
    }

    /// Deletes the objects in these manifests as an administrator. Returns the output of kubectl.
    pub(crate) async fn delete_all(&self, manifests: &str) -> Result<String, Failure> {
        let file = self.folder.join("manifests.yaml");
        fs::write(&file, manifests).map_err(Failure::touch("write manifests"))?;
        let file = file.display().to_string();
        self.kubectl(&["delete", "-f", &file]).await
    }

    /// Runs the command at the end of a sentence.
    pub(crate) async fn run_command_of(&self, sentence: &str) -> Result<(), Failure> {
        let (_, command) = sentence.split_once("kubectl ").unwrap_or_default();
        let words = command.split_whitespace();
        let words: Vec<_> = words.map(|word| word.trim_matches('\'')).collect();
        assert!(!words.is_empty(), "{sentence}");
        self.kubectl(&words).await?;
        Ok(())
    }

    /// Runs a command as an administrator. Returns its output.
    pub(crate) async fn kubectl(&self, words: &[&str]) -> Result<String, Failure> {
        let mut kubectl = Binaries::ready()?.command("kubectl");
        let kubeconfig = self.world.cluster().kubeconfig();
        kubectl.arg("--kubeconfig").arg(kubeconfig).args(words);
        let typed = output(kubectl).await?;
        let complaint = String::from_utf8_lossy(&typed.stderr);
        assert!(typed.status.success(), "{words:?}: {complaint}");
        Ok(String::from_utf8_lossy(&typed.stdout).into_owned())
    }
}

// === impl Harbor ===

impl Harbor {
    /// Creates the objects that plans and Operators need: the CRDs, the label of the namespace, and
    /// the ServiceAccount with its permissions.
    async fn prepare(&self) -> Result<(), Failure> {
        let client = self.world.client();
        for plural in ["installplans", "resourcemanifests"] {
            create_crd(client, &format!("{plural}.plans.portolan.dev")).await?;
        }
        create_crd(client, "operators.operators.operatorframework.io").await?;
        let enabled = json!({"metadata": {"labels": {"plans.portolan.dev/enabled": "true"}}});
        let namespaces = Kind::Namespace.everywhere(client);
        let params = PatchParams::default();
        namespaces
            .patch(self.home(), &params, &Patch::Merge(enabled))
            .await?;
        let account = json!({"name": "portolan-installer", "namespace": self.home()});
        self.make(&json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": account,
        }))
        .await?;
        let subject = json!({
            "kind": "ServiceAccount", "name": "portolan-installer", "namespace": self.home(),
        });
        self.make(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "portolan-installer"}, "subjects": [subject],
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                "name": "cluster-admin",
            },
        }))
        .await
    }

    pub(crate) async fn start(&mut self) -> Result<(), Failure> {
        let cluster = self.world.cluster();
        let kubeconfig = cluster.admit("controller", Some("system:masters"))?;
        self.start_at(&kubeconfig).await;
        Ok(())
    }

    /// Starts the approval service as a user.
    pub(crate) async fn start_approval(
        &mut self,
        user: &str,
        group: Option<&str>,
    ) -> Result<(), Failure> {
        let kubeconfig = self.world.cluster().admit(user, group)?;
        let flags = [fleet::kubeconfig_flag(&kubeconfig)];
        let listening = portolan_approval::listen(on_free_ports("approval", flags)).await;
        let listening = listening.expect("no free ports");
        let address = format!("http://{}", listening.grpc_address());
        let running = Running::until_dropped(|stops| listening.run(stops));
        self.approval = Some((running, address));
        Ok(())
    }

    /// Kills the approval service. Its address no longer responds.
    pub(crate) fn kill_approval(&mut self) {
        if let Some((running, _)) = self.approval.take() {
            running.kill();
        }
    }

    /// Kills the resolver. Its address no longer responds.
    pub(crate) fn kill_resolver(&mut self) {
        if let Some(running) = self.running_resolver.take() {
            running.kill();
        }
    }

    /// Starts a resolver at the address of the previous resolver.
    pub(crate) async fn revive_resolver(&mut self) {
        let address = self.resolver.trim_start_matches("http://");
        let mut flags = self.resolver_flags.clone();
        flags.push(format!("--listen={address}"));
        let flags: portolan_resolver::Flags = on_free_probes("resolver", flags);
        let listening = portolan_resolver::listen(flags).await;
        let listening = listening.expect("its port must be free again");
        self.running_resolver = Some(Running::until_dropped(|stops| listening.run(stops)));
    }

    /// Returns the address of the approval service.
    pub(crate) fn approval(&self) -> Option<&str> {
        self.approval.as_ref().map(|(_, address)| address.as_str())
    }

    /// Starts the controller with another address for the resolver.
    pub(crate) async fn start_asking_at(&mut self, resolver: &str) -> Result<(), Failure> {
        resolver.clone_into(&mut self.resolver);
        self.start().await
    }

    /// Starts the controller with other addresses for the resolver and the approval service.
    pub(crate) async fn start_asking_both(
        &mut self,
        resolver: &str,
        approval: &str,
    ) -> Result<(), Failure> {
        resolver.clone_into(&mut self.resolver);
        self.start_asking(approval).await
    }

    /// Starts the controller with another address for the approval service.
    pub(crate) async fn start_asking(&mut self, approval: &str) -> Result<(), Failure> {
        if let Some((_, address)) = &mut self.approval {
            approval.clone_into(address);
        }
        self.start().await
    }

    /// Starts the controller with a kubeconfig.
    pub(crate) async fn start_at(&mut self, kubeconfig: &Path) {
        let approval = self
            .approval()
            .map(|address| format!("--approval={address}"));
        let flags = [
            fleet::kubeconfig_flag(kubeconfig),
            "--no-lease".to_owned(),
            "--plans".to_owned(),
            "--operators".to_owned(),
            format!("--operators-namespace={}", self.home()),
            format!("--resolver={}", self.resolver),
        ];
        let flags = flags.into_iter().chain(approval);
        let flags = flags.chain(self.flags.iter().cloned());
        self.controller = Some(fleet::probed_controller(flags).await);
    }

    pub(crate) fn kill(&mut self) {
        let controller = self.controller.take().into_iter();
        controller.for_each(|(_, running)| running.kill());
    }

    /// Waits until a line of the metrics of the controller begins with this text.
    pub(crate) async fn until_metric(&self, line: &str) -> Result<(), Failure> {
        let probes = self.controller.as_ref().map(|(probes, _)| *probes);
        until_metric(probes.expect("the controller runs"), line).await
    }

    /// Returns true if the liveness probe of the controller succeeds.
    pub(crate) async fn is_alive(&self) -> Result<bool, Failure> {
        let probes = self.controller.as_ref().map(|(probes, _)| *probes);
        let alive = alive(probes.expect("the controller runs")).await;
        alive.map_err(Failure::touch("read the liveness probe"))
    }

    /// Returns the lines of the controller's metrics that begin with this text.
    pub(crate) async fn metrics(&self, beginning: &str) -> Result<Vec<String>, Failure> {
        let probes = self.controller.as_ref().map(|(probes, _)| *probes);
        let all = metrics(probes.expect("the controller runs")).await;
        let all = all.map_err(Failure::touch("read metrics"))?;
        let lines = all.lines().filter(|line| line.starts_with(beginning));
        Ok(lines.map(str::to_owned).collect())
    }

    /// Returns the client of an administrator.
    pub(crate) fn client(&self) -> &Client {
        self.world.client()
    }

    /// Returns the namespace of the plans.
    pub(crate) fn home(&self) -> &str {
        &self.home
    }

    /// Returns the address of the resolver.
    pub(crate) fn resolver(&self) -> &str {
        &self.resolver
    }

    /// Writes these versions to the catalog and the folder of bundles, instead of the previous
    /// versions.
    pub(crate) fn publish(&self, versions: &[Version<'_>]) -> Result<(), Failure> {
        write((&self.folder, &self.registry), versions).map_err(Failure::touch("write a catalog"))
    }

    /// Returns the folder of a bundle.
    pub(crate) fn bundle(&self, package: &str, version: &str) -> PathBuf {
        self.folder.join("bundles").join(package).join(version)
    }

    /// Returns the folder of the catalog. OLM may serve this folder, too.
    pub(crate) fn catalog_folder(&self) -> PathBuf {
        self.folder.join("catalog")
    }

    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    fn api(&self, place: [&str; 3]) -> Api<DynamicObject> {
        api(self.world.client(), place)
    }

    pub(crate) async fn make(&self, manifest: &Value) -> Result<(), Failure> {
        make(self.world.client(), manifest).await
    }

    pub(crate) fn operators(&self) -> Api<DynamicObject> {
        Api::all_with(self.world.client().clone(), &self.operator_kind())
    }

    pub(crate) fn operator_kind(&self) -> ApiResource {
        kind(["operators.operatorframework.io/v1alpha1", "Operator"])
    }

    /// Grants a user the permissions of namespace admins in the namespace of the plans.
    pub(crate) async fn make_admin_of_home(&self, user: &str) -> Result<(), Failure> {
        self.make(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": {"name": "admin", "namespace": self.home()},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin",
            },
        }))
        .await
    }

    pub(crate) fn plans(&self) -> Api<DynamicObject> {
        self.api(["plans.portolan.dev/v1alpha1", "InstallPlan", self.home()])
    }

    /// Returns the names of the ResourceManifests of the plans.
    pub(crate) async fn manifests(&self) -> Result<Vec<String>, Failure> {
        let place = [
            "plans.portolan.dev/v1alpha1",
            "ResourceManifest",
            self.home(),
        ];
        let all = self.api(place).list(&ListParams::default()).await?;
        let names = all.items.into_iter().filter_map(|it| it.metadata.name);
        Ok(names.collect())
    }

    /// Returns the Deployment of a package.
    pub(crate) async fn deployment(&self, package: &str) -> Result<Option<Value>, Failure> {
        let deployments = self.api(["apps/v1", "Deployment", package]);
        let found = deployments.get_opt(package).await?;
        Ok(found.map(|deployment| json!(deployment)))
    }

    /// Returns the version that the Deployment of a package runs.
    pub(crate) async fn runs(&self, package: &str) -> Result<Option<String>, Failure> {
        let deployment = self.deployment(package).await?;
        let image = "/spec/template/spec/containers/0/image";
        let image = deployment.and_then(|it| it.pointer(image)?.as_str().map(str::to_owned));
        Ok(image.and_then(|image| Some(image.rsplit_once(':')?.1.to_owned())))
    }

    /// Creates or changes an Operator with the name of its package.
    pub(crate) async fn operator(&self, name: &str, spec: Value) -> Result<(), Failure> {
        let mut spec = spec;
        spec["packageName"] = json!(name);
        let operator = json!({
            "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
            "metadata": {"name": name}, "spec": spec,
        });
        let params = PatchParams::apply("a-person").force();
        let operator = Patch::Apply(operator);
        self.operators().patch(name, &params, &operator).await?;
        Ok(())
    }

    pub(crate) async fn delete(&self, name: &str) -> Result<(), Failure> {
        self.operators()
            .delete(name, &DeleteParams::default())
            .await?;
        Ok(())
    }

    /// Waits until a condition of an Operator has this status and reason. Returns its message.
    pub(crate) async fn until(&self, name: &str, wanted: [&str; 3]) -> Result<String, Failure> {
        let [type_, status, reason] = wanted;
        let operators = self.operators();
        until(format!("{name}: {wanted:?}"), PATIENCE, async || {
            let operator = operators.get(name).await?;
            let is_current = operator.data["status"]["observedGeneration"].as_i64()
                == operator.metadata.generation;
            let conditions = operator.data.pointer("/status/conditions");
            let mut conditions = conditions.and_then(Value::as_array).into_iter().flatten();
            let condition = conditions.find(|each| each["type"] == type_);
            let is_so = condition.filter(|it| it["status"] == status && it["reason"] == reason);
            Ok(match is_so.filter(|_| is_current) {
                Some(it) => Seen::Yes(it["message"].as_str().unwrap_or_default().to_owned()),
                None => Seen::NotYet(operator.data["status"].to_string()),
            })
        })
        .await
    }

    /// Waits until an Operator reports this version as installed, and is ready.
    pub(crate) async fn until_installed(&self, name: &str, version: &str) -> Result<(), Failure> {
        let operators = self.operators();
        until(format!("{name} to be at {version}"), PATIENCE, async || {
            let status = operators.get(name).await?.data["status"].clone();
            let conditions = status["conditions"].as_array().into_iter().flatten();
            let mut ready = conditions.filter(|it| it["type"] == "Ready" && it["status"] == "True");
            let is_there = status["versions"]["installed"] == version && ready.next().is_some();
            Ok(if is_there {
                Seen::Yes(())
            } else {
                Seen::NotYet(status.to_string())
            })
        })
        .await
    }

    pub(crate) async fn until_gone(&self, name: &str) -> Result<(), Failure> {
        let operators = self.operators();
        until(format!("{name} to be gone"), PATIENCE, async || {
            let operator = operators.get_opt(name).await?;
            Ok(operator.map_or(Seen::Yes(()), |operator| {
                Seen::NotYet(operator.data["status"].to_string())
            }))
        })
        .await
    }

    pub(crate) async fn status(&self, name: &str) -> Result<Value, Failure> {
        Ok(self.operators().get(name).await?.data["status"].clone())
    }

    /// Returns the names of the plans, each with true if it is suspended.
    pub(crate) async fn plan_names(&self) -> Result<Vec<(String, bool)>, Failure> {
        let plans = self.plans().list(&ListParams::default()).await?;
        let names = plans.items.into_iter().map(|plan| {
            let is_suspended = plan.data["spec"]["suspend"] == true;
            (plan.metadata.name.unwrap_or_default(), is_suspended)
        });
        Ok(names.collect())
    }
}

/// Starts a resolver. Returns the running resolver and its address.
async fn resolver_with(flags: Vec<String>) -> (Running, String) {
    let listening = portolan_resolver::listen(on_free_ports("resolver", flags)).await;
    let listening = listening.expect("no free ports");
    let address = format!("http://{}", listening.grpc_address());
    (
        Running::until_dropped(|stops| listening.run(stops)),
        address,
    )
}

/// A second resolver with other versions, and the folder that contains these versions.
pub(crate) struct Other {
    pub(crate) address: String,
    _running: Running,
    _folder: TempFolder,
}

impl Other {
    /// Starts a resolver with these versions. The function `change` first changes the text of the
    /// catalog.
    pub(crate) async fn knowing(
        versions: &[Version<'_>],
        change: impl Fn(String) -> String,
    ) -> Result<Self, Failure> {
        let folder = TempFolder::empty();
        let file = folder.join("catalog/catalog.yaml");
        let written = write((&folder, "registry.test"), versions)
            .and_then(|()| fs::read_to_string(&file))
            .and_then(|text| fs::write(&file, change(text)));
        written.map_err(Failure::touch("write a catalog"))?;
        let [catalog, bundles] = ["catalog", "bundles"].map(|part| folder.join(part));
        let flags = vec![
            format!("--catalog=demo={}", catalog.display()),
            format!("--bundles={}", bundles.display()),
        ];
        let (running, address) = resolver_with(flags).await;
        Ok(Self {
            address,
            _running: running,
            _folder: folder,
        })
    }
}
