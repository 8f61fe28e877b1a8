//! Prepares clusters for the tests of the webhook.

use std::fs;

use portolan_kit::TempFolder;
use portolan_rig::{Cluster, Failure, PATIENCE, Seen, until};
use portolan_webhook::{Terms, listen};

use crate::approval::crds::create_policy_crd;
use crate::firstuse::manifests::with;
use crate::kubectl::Kubectl;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::own_cluster;
use crate::process::{Running, on_free_ports};

const USER: &str = "system:serviceaccount:portolan:portolan-webhook";
pub(super) const CONFIGURATION: &str = "validatingwebhookconfiguration/portolan-webhook";

/// A cluster without OLM, with all CRDs of Portolan, and a webhook.
pub(super) struct Pier {
    cluster: Cluster,
    kubectl: Kubectl,
    folder: TempFolder,
    webhook: Option<Running>,
}

/// Starts a cluster with a running webhook. Returns `None` if tests with a cluster are skipped.
pub(super) async fn pier(terms: Terms) -> Result<Option<Pier>, Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(None);
    };
    let mut pier = Pier {
        kubectl: Kubectl::of(&cluster),
        folder: TempFolder::empty(),
        webhook: None,
        cluster,
    };
    create_policy_crd(&pier.cluster.client()?).await?;
    let manifests = with(&["plans", "operators", "webhook"]).await?;
    // The webhook runs in this process, so no Deployments are needed.
    let manifests = manifests.split("\n---\n");
    let manifests = manifests.filter(|it| !it.contains("\nkind: Deployment\n"));
    let manifests: Vec<_> = manifests.collect();
    pier.server_side(&manifests.join("\n---\n")).await?;
    pier.start(terms).await?;
    pier.until_called().await?;
    Ok(Some(pier))
}

// === impl Pier ===

impl Pier {
    pub(super) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Starts the webhook in this process, and changes its Service to route to it. No Pods run on
    /// this cluster.
    pub(super) async fn start(&mut self, terms: Terms) -> Result<(), Failure> {
        let (port, running) = self.replica(terms).await?;
        self.webhook = Some(running);
        let service = format!(
            "{{\"spec\": {{\"type\": \"ExternalName\", \"externalName\": \"localhost\", \
             \"clusterIP\": null, \"clusterIPs\": null, \"selector\": null, \
             \"ports\": [{{\"name\": \"https\", \"port\": {port}}}]}}}}"
        );
        self.types(&[
            "-n=portolan",
            "patch",
            "service",
            "portolan-webhook",
            "--type=merge",
            "-p",
            &service,
        ])
        .await?;
        let port = format!(
            "[{{\"op\": \"replace\", \"path\": \"/webhooks/0/clientConfig/service/port\", \
             \"value\": {port}}}]"
        );
        self.types(&["patch", CONFIGURATION, "--type=json", "-p", &port])
            .await?;
        Ok(())
    }

    /// Starts a webhook. Returns its port, and the running webhook.
    pub(super) async fn replica(&self, terms: Terms) -> Result<(u16, Running), Failure> {
        let kubeconfig = self.cluster.admit(USER, None)?;
        let flags = on_free_ports("webhook", [kubeconfig_flag(&kubeconfig)]);
        let listening = listen(flags, terms).await;
        let listening = listening.expect("free ports must exist");
        let port = listening.address().expect("it listens").port();
        let running = Running::until_dropped(|stops| listening.run(stops));
        Ok((port, running))
    }

    pub(super) fn kill(&mut self) {
        self.webhook.take().into_iter().for_each(Running::kill);
    }

    /// Waits until the API server calls and trusts the webhook.
    pub(super) async fn until_called(&self) -> Result<(), Failure> {
        until("a rejection by the webhook", PATIENCE, async || {
            let file = self.written(super::refusals::WRONG_OPERATOR)?;
            let made = ["create", "--dry-run=server", "-f", &file];
            Ok(match self.kubectl.try_run_uncached(&made).await? {
                Err(output) if output.contains("which contains no version") => Seen::Yes(()),
                other => Seen::NotYet(format!("{other:?}")),
            })
        })
        .await
    }

    /// Runs kubectl as an administrator. Returns its output.
    pub(super) async fn types(&self, words: &[&str]) -> Result<String, Failure> {
        self.kubectl.run(words).await
    }

    /// Runs `kubectl apply` as an administrator. Returns its output, or its errors.
    pub(super) async fn applies(&self, manifests: &str) -> Result<Result<String, String>, Failure> {
        let file = self.written(manifests)?;
        let output = self.kubectl.try_run(&["apply", "-f", &file]).await?;
        let own = |text: String| text.replace(&file, "FILE");
        Ok(output.map(own).map_err(own))
    }

    /// Runs `kubectl apply` with warnings as errors, and returns these errors. The objects are
    /// written nevertheless.
    pub(super) async fn warns(&self, manifests: &str) -> Result<String, Failure> {
        let file = self.written(manifests)?;
        let words = ["apply", "--warnings-as-errors", "-f", &file];
        let output = self.kubectl.try_run(&words).await?;
        Ok(output.expect_err("a warning"))
    }

    /// Checks that no request of the webhook was denied.
    pub(super) fn assert_no_forbidden_requests(&self) -> Result<(), Failure> {
        let asked = self.cluster.audit()?.by(USER);
        assert!(!asked.is_empty());
        let forbidden = asked.only(|record| record.code == 403);
        assert!(forbidden.is_empty(), "{:#?}", forbidden.records());
        Ok(())
    }

    pub(super) async fn server_side(&self, manifests: &str) -> Result<(), Failure> {
        let file = self.written(manifests)?;
        self.types(&["apply", "--server-side", "-f", &file]).await?;
        Ok(())
    }

    fn written(&self, manifests: &str) -> Result<String, Failure> {
        let file = self.folder.join("manifests.yaml");
        fs::write(&file, manifests).map_err(Failure::touch("write manifests"))?;
        Ok(file.display().to_string())
    }
}
