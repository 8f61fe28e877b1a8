//! Prepares a cluster for tests of Installs.

use std::fs;
use std::path::Path;
use std::process::Command;

use kube::Client;
use portolan_kit::TempFolder;
use portolan_rig::{Cluster, Failure, PATIENCE, Seen, until};
use portolan_webhook::Terms;
use serde_json::Value;

use crate::firstuse::manifests::with;
use crate::kubectl::Kubectl;
use crate::objects::{api, until_whole};
use crate::operatorpolicy::fleet::{controller, kubeconfig_flag};
use crate::own_cluster;
use crate::process::{Running, on_free_ports};
use crate::program::{output, portolan};

const WEBHOOK: &str = "system:serviceaccount:portolan:portolan-webhook";
const CONTROLLER: &str = "system:serviceaccount:portolan:portolan-controller";
pub(super) const HOME: &str = "portolan-installs";

/// A cluster without OLM, and a controller for plans and Installs.
pub(crate) struct Yard {
    cluster: Cluster,
    client: Client,
    kubectl: Kubectl,
    folder: TempFolder,
    controller: Option<Running>,
    /// The additional flags of the controller.
    flags: Vec<String>,
    webhook: Option<Running>,
    resolver: Option<(Running, String)>,
}

/// Creates a yard with all its processes. Returns `None` if tests with a cluster are skipped.
pub(crate) async fn yard() -> Result<Option<Yard>, Failure> {
    yard_of(&["plans", "webhook", "v2alpha1", "installs"], &[]).await
}

/// Returns a yard with the webhook that checks approvals of Installs.
pub(super) async fn yard_of_approvals() -> Result<Option<Yard>, Failure> {
    let components = ["plans", "webhook", "v2alpha1", "installs", "approvals"];
    let yard = yard_of(&components, &["--approvals=portolan/portolan-approvals"]).await?;
    let Some(mut yard) = yard else {
        return Ok(None);
    };
    yard.starts_webhook().await?;
    Ok(Some(yard))
}

async fn yard_of(components: &[&str], flags: &[&str]) -> Result<Option<Yard>, Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(None);
    };
    let mut yard = Yard {
        kubectl: Kubectl::of(&cluster),
        client: cluster.client()?,
        cluster,
        folder: TempFolder::empty(),
        controller: None,
        flags: flags.iter().map(|it| (*it).to_owned()).collect(),
        webhook: None,
        resolver: None,
    };
    let manifests = with(components).await?;
    // Omits the Deployments and the webhook configurations: the controller runs in this process,
    // and no webhook checks requests.
    let manifests = manifests.split("\n---\n").filter(|it| {
        !it.contains("\nkind: Deployment\n")
            && !it.contains("\nkind: ValidatingWebhookConfiguration\n")
    });
    let manifests: Vec<_> = manifests.collect();
    yard.applies(&manifests.join("\n---\n")).await?;
    for namespace in ["harbor", "quay"] {
        yard.run(&["create", "namespace", namespace]).await?;
    }
    yard.starts().await?;
    Ok(Some(yard))
}

// === impl Yard ===

impl Yard {
    /// Stops the controller, and starts a new controller with the permissions of the overlays.
    pub(super) async fn starts(&mut self) -> Result<(), Failure> {
        let kubeconfig = self.cluster.admit(CONTROLLER, None)?;
        self.starts_at(&kubeconfig).await;
        Ok(())
    }

    /// Stops the controller, and starts a new controller with this kubeconfig.
    pub(super) async fn starts_at(&mut self, kubeconfig: &Path) {
        self.controller = None;
        let flags = ["--no-lease", "--plans", "--enable-v2alpha1", "--installs"];
        let flags = flags.map(str::to_owned).into_iter();
        let resolver = self.resolver.as_ref();
        let resolver = resolver.map(|(_, url)| format!("--resolver={url}"));
        let flags = flags.chain([kubeconfig_flag(kubeconfig)]).chain(resolver);
        let flags = flags.chain(self.flags.iter().cloned());
        self.controller = Some(controller(flags).await);
    }

    /// Starts a resolver that may contact these registries. Restarts the controller, so that it
    /// uses this resolver.
    pub(super) async fn asks(&mut self, registries: &[&str]) -> Result<(), Failure> {
        let catalog = self.folder.join("catalog");
        fs::create_dir_all(&catalog).map_err(Failure::touch("make a folder"))?;
        let text = "{schema: olm.package, name: none}\n---\n{schema: olm.channel, package: none, name: a, \
                    entries: []}\n";
        fs::write(catalog.join("catalog.yaml"), text).map_err(Failure::touch("write a catalog"))?;
        let flags = ["--registries", "--plain-http"].into_iter();
        let flags = flags.flat_map(|flag| registries.iter().map(move |it| format!("{flag}={it}")));
        let flags = flags.chain([format!("--catalog=demo={}", catalog.display())]);
        let listening = portolan_resolver::listen(on_free_ports("resolver", flags)).await;
        let listening = listening.expect("no free ports");
        let url = format!("http://{}", listening.grpc_address());
        let running = Running::until_dropped(|stops| listening.run(stops));
        self.resolver = Some((running, url));
        self.starts().await
    }

    /// Starts the webhook, and routes its Service to its port, because this cluster runs no Pods.
    pub(super) async fn starts_webhook(&mut self) -> Result<(), Failure> {
        let kubeconfig = self.cluster.admit(WEBHOOK, None)?;
        let flags = [
            kubeconfig_flag(&kubeconfig),
            "--approvals=portolan/portolan-approvals".to_owned(),
        ];
        let flags = on_free_ports("webhook", flags);
        let listening = portolan_webhook::listen(flags, Terms::default()).await;
        let listening = listening.expect("no free ports");
        let port = listening.address().expect("a listening address").port();
        self.webhook = Some(Running::until_dropped(|stops| listening.run(stops)));
        let service = format!(
            "{{\"spec\": {{\"type\": \"ExternalName\", \"externalName\": \"localhost\", \
             \"clusterIP\": null, \"clusterIPs\": null, \"selector\": null, \
             \"ports\": [{{\"name\": \"https\", \"port\": {port}}}]}}}}"
        );
        let patch = [
            "-n=portolan",
            "patch",
            "service/portolan-webhook",
            "--type=merge",
            "-p",
        ];
        self.run(&[&patch[..], &[&service]].concat()).await?;
        let port = format!(
            "[{{\"op\": \"replace\", \"path\": \"/webhooks/0/clientConfig/service/port\", \
             \"value\": {port}}}]"
        );
        let configuration = "mutatingwebhookconfiguration/portolan-approvals";
        self.run(&["patch", configuration, "--type=json", "-p", &port])
            .await?;
        let trusted = "-o=jsonpath={.webhooks[0].clientConfig.caBundle}";
        self.until_output(&["get", configuration, trusted], |message| {
            !message.is_empty()
        })
        .await
    }

    pub(super) fn kills_webhook(&mut self) {
        self.webhook.take().into_iter().for_each(Running::kill);
    }

    pub(super) fn kills(&mut self) {
        self.controller.take().into_iter().for_each(Running::kill);
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns the output of kubectl as an administrator. Fails if kubectl fails.
    pub(super) async fn run(&self, words: &[&str]) -> Result<String, Failure> {
        self.kubectl.run(words).await
    }

    /// Returns the output of kubectl, or its error.
    pub(super) async fn try_run(&self, words: &[&str]) -> Result<Result<String, String>, Failure> {
        self.kubectl.try_run_uncached(words).await
    }

    pub(crate) async fn applies(&self, manifests: &str) -> Result<(), Failure> {
        let file = self.folder.join("manifests.yaml");
        fs::write(&file, manifests).map_err(Failure::touch("write manifests"))?;
        let file = file.display().to_string();
        let words = ["apply", "--server-side", "--force-conflicts", "-f", &file];
        self.run(&words).await?;
        Ok(())
    }

    /// Returns the digest of the content that waits for approval.
    pub(super) async fn digest(&self, install: &str) -> Result<String, Failure> {
        let install = format!("installs.operators.coreos.com/{install}");
        self.run(&["get", &install, "-o=jsonpath={.status.pending.digest}"])
            .await
    }

    /// Sets the approval of the current content of an Install, as a user. Returns true on success,
    /// and the output.
    pub(super) async fn approves(
        &self,
        user: &str,
        install: &str,
    ) -> Result<(bool, String), Failure> {
        let digest = format!("--digest={}", self.digest(install).await?);
        let install = format!("install/{install}");
        self.types_approve(user, &[&install, &digest]).await
    }

    /// Runs `portolan approve` as a user. Returns true on success, and the output.
    pub(super) async fn types_approve(
        &self,
        user: &str,
        words: &[&str],
    ) -> Result<(bool, String), Failure> {
        let kubeconfig = self.cluster.admit(user, None)?;
        let mut command = Command::new(portolan().await?);
        command.arg("approve").args(words);
        command.arg(kubeconfig_flag(&kubeconfig));
        let output = output(command).await?;
        let message = [&output.stdout[..], &output.stderr[..]].concat();
        let message = String::from_utf8_lossy(&message).into_owned();
        Ok((output.status.success(), message))
    }

    /// Waits until an Install satisfies a condition. Returns the Install.
    pub(super) async fn until_install(
        &self,
        name: &str,
        what: &str,
        is_so: impl Fn(&Value) -> bool,
    ) -> Result<Value, Failure> {
        let installs = ["operators.coreos.com/v2alpha1", "Install", ""];
        let installs = api(&self.client, installs);
        until_whole(&installs, name, what, is_so).await
    }

    /// Waits until a condition of an Install has this status and reason.
    pub(super) async fn until_condition(
        &self,
        name: &str,
        about: &str,
        wanted: &str,
    ) -> Result<Value, Failure> {
        let is_so = |it: &Value| condition(it, about) == wanted;
        self.until_install(name, &format!("{about} {wanted}"), is_so)
            .await
    }

    /// Waits until the output of kubectl satisfies a condition.
    pub(super) async fn until_output(
        &self,
        words: &[&str],
        is_so: impl Fn(&str) -> bool,
    ) -> Result<(), Failure> {
        until(format!("the output of {words:?}"), PATIENCE, async || {
            let message = self.run(words).await?;
            Ok(if is_so(&message) {
                Seen::Yes(())
            } else {
                Seen::NotYet(message)
            })
        })
        .await
    }

    /// Waits until a user may set the approval of an Install.
    pub(super) async fn until_approved_by(&self, user: &str, name: &str) -> Result<(), Failure> {
        let approved = approval(&self.digest(name).await?);
        let install = format!("installs.operators.coreos.com/{name}");
        let patch = [
            "patch",
            &install,
            "--type=merge",
            "-p",
            &approved,
            "--as",
            user,
        ];
        until("an approval to be written", PATIENCE, async || {
            Ok(match self.try_run(&patch).await? {
                Ok(_) => Seen::Yes(()),
                Err(message) => Seen::NotYet(message),
            })
        })
        .await
    }

    /// Waits until kubectl finds no objects.
    pub(super) async fn until_gone(&self, words: &[&str]) -> Result<(), Failure> {
        until(format!("{words:?} to be gone"), PATIENCE, async || {
            let words = [&["get", "--ignore-not-found", "-o=name"], words].concat();
            let message = self.run(&words).await?;
            Ok(if message.is_empty() {
                Seen::Yes(())
            } else {
                Seen::NotYet(message)
            })
        })
        .await
    }

    /// Checks that the requests of the controller are permitted by the overlays. Watches that
    /// impersonate a ServiceAccount may be denied.
    pub(super) fn assert_no_forbidden_requests(&self) -> Result<(), Failure> {
        let asked = self.cluster.audit()?.by(CONTROLLER);
        assert!(!asked.is_empty());
        let forbidden = asked.only(|record| {
            record.code == 403 && record.acting_as.is_empty() && record.resource != "secrets"
        });
        assert!(forbidden.is_empty(), "{:#?}", forbidden.records());
        Ok(())
    }
}

/// The users of the tests. All three may read and change Installs. The second also has the
/// permissions for settings that the content needs. The third has all permissions in the namespace.
pub(super) const USERS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: installs}
rules: [{apiGroups: [operators.coreos.com], resources: [installs], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: installs}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: installs}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: none}
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: some}
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: all}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: some, namespace: harbor}
rules:
- {apiGroups: [''], resources: [configmaps], verbs: ['*']}
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles, rolebindings], verbs: [create, get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: some, namespace: harbor}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: some}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: some}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: all, namespace: harbor}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: all}]
";

/// A user with all permissions.
pub(super) const APPROVER: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: approver}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: approver}]
";

/// Returns the patch that approves the content with this digest.
pub(super) fn approval(digest: &str) -> String {
    format!(
        r#"{{"metadata": {{"annotations": {{"operators.portolan.dev/approves": "{digest}"}}}},
            "spec": {{"approval": "Approved"}}}}"#
    )
}

/// Returns true if a controller has observed the current generation of an Install.
pub(super) fn is_observed(install: &Value) -> bool {
    install["status"]["observedGeneration"] == install["metadata"]["generation"]
}

/// Returns the status and the reason of a condition.
pub(super) fn condition(install: &Value, about: &str) -> String {
    let conditions = install["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    let found = conditions.find(|it| it["type"] == about);
    found.map_or_else(String::new, |it| {
        let text = |field: &str| it[field].as_str().unwrap_or_default();
        format!("{} {}", text("status"), text("reason"))
    })
}
