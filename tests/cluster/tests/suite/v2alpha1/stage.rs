//! Prepares clusters for the tests of Operators v2alpha1.

use std::fs;
use std::path::Path;

use portolan_kit::{TempFolder, catalog};
use portolan_rig::{Catalog, Cluster, Failure, PATIENCE, Seen, World, until};
use portolan_webhook::Terms;
use serde_json::Value;

use crate::firstuse::manifests::with;
use crate::kubectl::Kubectl;
use crate::objects::{api, until_whole};
use crate::operatorpolicy::fleet::{controller, kubeconfig_flag};
use crate::operatorpolicy::service::{Part, Service};
use crate::own_world;
use crate::process::{Running, on_free_ports};

const WEBHOOK: &str = "system:serviceaccount:portolan:portolan-webhook";
pub(super) const CONTROLLER: &str = "system:serviceaccount:portolan:portolan-controller";
pub(super) const V1: &str = "operators.v1.operators.coreos.com";
pub(super) const V2: &str = "operators.v2alpha1.operators.coreos.com";
pub(super) const DEFINITION: &str = "customresourcedefinition/operators.operators.coreos.com";
/// A catalog. Its channel `beta` contains an update of `plumbus`.
const OFFERED: &str = "plumbus: 1.0.0
                       plumbus/beta: 1.0.0 -> 2.0.0";

/// A cluster with OLM, a resolver, a controller, and a webhook. The webhook runs in this process
/// and converts Operators for the API server.
pub(super) struct Quay {
    pub(super) world: World,
    pub(super) catalog: Catalog,
    kubectl: Kubectl,
    folder: TempFolder,
    resolver: Service,
    webhook: Option<Running>,
    controller: Option<Running>,
    /// The port of the webhook.
    port: u16,
    /// The CRD of Operators as OLM installed it.
    pub(super) of_olm: Value,
}

/// Starts a cluster, and all services of a quay. Returns `None` if tests with a cluster are
/// skipped.
pub(super) async fn quay() -> Result<Option<Quay>, Failure> {
    let Some(world) = own_world("v2alpha1").await? else {
        return Ok(None);
    };
    let offered = catalog(OFFERED).installable().temp();
    let admitted = world.cluster().admit("resolver", Some("system:masters"))?;
    let mut quay = Quay {
        catalog: world.catalog("community", &offered).await?,
        kubectl: Kubectl::of(world.cluster()),
        folder: TempFolder::empty(),
        resolver: Service::start(Part::Resolver, kubeconfig_flag(&admitted)).await,
        webhook: None,
        controller: None,
        port: 0,
        of_olm: Value::Null,
        world,
    };
    let manifests = with(&["webhook", "v2alpha1"]).await?;
    // The services run in this process, so no Deployments are needed.
    let manifests = manifests.split("\n---\n");
    let manifests = manifests.filter(|it| !it.contains("\nkind: Deployment\n"));
    let manifests: Vec<_> = manifests.collect();
    quay.applies(&manifests.join("\n---\n")).await?;
    quay.of_olm = quay.json(&["get", DEFINITION]).await?;
    quay.starts_webhook().await?;
    quay.starts_controller(&["--enable-v2alpha1"]).await;
    quay.until_served().await?;
    Ok(Some(quay))
}

// === impl Quay ===

impl Quay {
    pub(super) fn cluster(&self) -> &Cluster {
        self.world.cluster()
    }

    pub(super) fn namespace(&self) -> &str {
        self.world.namespace()
    }

    /// Starts the webhook in this process, and changes its Service to route to it. No Pods run on
    /// this cluster.
    pub(super) async fn starts_webhook(&mut self) -> Result<(), Failure> {
        let kubeconfig = self.cluster().admit(WEBHOOK, None)?;
        let listen = match self.port {
            0 => Vec::new(),
            port => vec![format!("--listen=127.0.0.1:{port}")],
        };
        let own = [kubeconfig_flag(&kubeconfig), "--enable-v2alpha1".to_owned()];
        let flags = if listen.is_empty() {
            on_free_ports("webhook", own)
        } else {
            crate::process::on_free_probes("webhook", listen.into_iter().chain(own))
        };
        let listening = portolan_webhook::listen(flags, Terms::default()).await;
        let listening = listening.expect("free ports must exist");
        self.port = listening.address().expect("it listens").port();
        self.webhook = Some(Running::until_dropped(|stops| listening.run(stops)));
        let service = format!(
            "{{\"spec\": {{\"type\": \"ExternalName\", \"externalName\": \"localhost\", \
             \"clusterIP\": null, \"clusterIPs\": null, \"selector\": null, \
             \"ports\": [{{\"name\": \"https\", \"port\": {}}}]}}}}",
            self.port
        );
        let name = ["-n=portolan", "patch", "service", "portolan-webhook"];
        let patch = ["--type=merge", "-p", &service];
        self.run(&[&name[..], &patch].concat()).await?;
        Ok(())
    }

    pub(super) fn kills_webhook(&mut self) {
        self.webhook.take().into_iter().for_each(Running::kill);
    }

    /// Starts a controller with these flags. It replaces the running controller.
    pub(super) async fn starts_controller(&mut self, flags: &[&str]) {
        let resolver = format!("--resolver={}", self.resolver.url());
        self.starts_controller_of(flags, &resolver).await;
    }

    /// Starts a controller with another resolver. It replaces the running controller.
    pub(super) async fn starts_controller_of(&mut self, flags: &[&str], resolver: &str) {
        let kubeconfig = self.cluster().admit(CONTROLLER, None);
        let kubeconfig = kubeconfig.expect("a user must be admitted");
        self.starts_controller_at(&kubeconfig, flags, resolver)
            .await;
    }

    /// Starts a controller with a kubeconfig. It replaces the running controller.
    pub(super) async fn starts_controller_at(
        &mut self,
        kubeconfig: &Path,
        flags: &[&str],
        resolver: &str,
    ) {
        self.controller = None;
        let own = [
            kubeconfig_flag(kubeconfig),
            "--no-lease".to_owned(),
            resolver.to_owned(),
            format!(
                "--conversion-service=portolan/portolan-webhook:{}",
                self.port
            ),
        ];
        let flags = flags.iter().map(|it| (*it).to_owned());
        self.controller = Some(controller(own.into_iter().chain(flags)).await);
    }

    pub(super) fn kills_controller(&mut self) {
        self.controller.take().into_iter().for_each(Running::kill);
    }

    /// Waits until the API server serves v2alpha1 and converts objects.
    pub(super) async fn until_served(&self) -> Result<(), Failure> {
        // The API server converts a new object for the storage, even in a dry run. So this request
        // needs the webhook.
        let probe = "
apiVersion: operators.coreos.com/v2alpha1
kind: Operator
metadata: {name: probe}
";
        until("an Operator that is converted", PATIENCE, async || {
            let file = self.written(probe)?;
            let made = ["create", "--dry-run=server", "-f", &file];
            Ok(match self.kubectl.try_run_uncached(&made).await? {
                Ok(_) => Seen::Yes(()),
                Err(output) => Seen::NotYet(output),
            })
        })
        .await
    }

    /// Runs kubectl as an administrator. Returns its output.
    pub(super) async fn run(&self, words: &[&str]) -> Result<String, Failure> {
        self.kubectl.run(words).await
    }

    /// Runs kubectl as an administrator. Returns its output, or its errors.
    pub(super) async fn try_run(&self, words: &[&str]) -> Result<Result<String, String>, Failure> {
        self.kubectl.try_run_uncached(words).await
    }

    /// Runs kubectl with this manifest. Returns its output, or its errors.
    pub(super) async fn try_run_with_file(
        &self,
        manifest: &str,
        words: &[&str],
    ) -> Result<Result<String, String>, Failure> {
        let file = self.written(manifest)?;
        self.try_run(&[words, &["-f", &file]].concat()).await
    }

    /// Runs kubectl, and returns the object that it prints.
    pub(super) async fn json(&self, words: &[&str]) -> Result<Value, Failure> {
        let output = self.run(&[words, &["-o=json"]].concat()).await?;
        Ok(serde_json::from_str(&output).expect("JSON"))
    }

    pub(super) async fn applies(&self, manifests: &str) -> Result<(), Failure> {
        let file = self.written(manifests)?;
        let words = ["apply", "--server-side", "--force-conflicts", "-f", &file];
        self.run(&words).await?;
        Ok(())
    }

    fn written(&self, manifests: &str) -> Result<String, Failure> {
        let file = self.folder.join("manifests.yaml");
        fs::write(&file, manifests).map_err(Failure::touch("write manifests"))?;
        Ok(file.display().to_string())
    }

    /// Waits until an Operator in v2alpha1 satisfies a condition. Returns the Operator.
    pub(super) async fn until_operator(
        &self,
        operator: &str,
        what: &str,
        is_so: impl Fn(&Value) -> bool,
    ) -> Result<Value, Failure> {
        let operators = ["operators.coreos.com/v2alpha1", "Operator", ""];
        let operators = api(self.world.client(), operators);
        until_whole(&operators, operator, what, is_so).await
    }

    /// Waits until the output or the errors of kubectl contain this text.
    pub(super) async fn until_output(&self, words: &[&str], wanted: &str) -> Result<(), Failure> {
        until(
            format!("{words:?} to print {wanted:?}"),
            PATIENCE,
            async || {
                Ok(match self.kubectl.try_run(words).await? {
                    Ok(output) | Err(output) if output.contains(wanted) => Seen::Yes(()),
                    output => Seen::NotYet(format!("{output:?}")),
                })
            },
        )
        .await
    }

    /// Returns the CRD of Operators from the chart of OLM.
    pub(super) fn chart(&self) -> Result<String, Failure> {
        let file = "crds/0000_50_olm_00-operators.crd.yaml";
        let file = self.cluster().binaries().folder().join(file);
        fs::read_to_string(file).map_err(Failure::touch("read the definition of OLM"))
    }

    /// Asserts that no request was denied, except requests for Secrets. An administrator grants
    /// access to Secrets separately.
    pub(super) fn assert_no_forbidden_requests(&self) -> Result<(), Failure> {
        for user in [WEBHOOK, CONTROLLER] {
            let asked = self.cluster().audit()?.by(user);
            assert!(!asked.is_empty());
            let forbidden = asked.only(|record| record.code == 403 && record.resource != "secrets");
            assert!(forbidden.is_empty(), "{:#?}", forbidden.records());
        }
        Ok(())
    }
}

/// Returns the components in the status of an Operator, as `Kind name`.
pub(super) fn components(operator: &Value) -> Vec<String> {
    let refs = operator["status"]["components"]["refs"].as_array();
    let refs = refs.into_iter().flatten();
    let names = refs.map(|it| {
        let text = |field: &str| it[field].as_str().unwrap_or_default();
        format!("{} {}", text("kind"), text("name"))
    });
    names.collect()
}

/// Returns the status and the reason of a condition, or an empty string if it is missing.
pub(super) fn condition(operator: &Value, about: &str) -> String {
    let conditions = operator["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    let found = conditions.find(|it| it["type"] == about);
    found.map_or_else(String::new, |it| {
        let text = |field: &str| it[field].as_str().unwrap_or_default();
        format!("{} {}", text("status"), text("reason"))
    })
}
