//! Prepares a cluster for tests of Installed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::{fs, iter};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use kube::api::{Api, ApiResource, DynamicObject, ListParams};
use kube::core::GroupVersionKind;
use kube::{Client, Config};
use portolan_apiserver::{Terms, listen};
use portolan_kit::{Authority, TempFolder};
use portolan_rig::{Cluster, Failure, PATIENCE, Seen, World, until};

use crate::firstuse::manifests::with;
use crate::kubectl::Kubectl;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::own_world;
use crate::process::{Running, on_free_ports};

pub(super) const USER: &str = "system:serviceaccount:portolan:portolan-apiserver";
/// The host name with which the API server calls our server.
const SERVER: &str = "portolan-apiserver.portolan.svc";
const API_SERVICE: &str = "apiservice/v2alpha1.packages.operators.coreos.com";

/// An operator that watches all namespaces, and its Subscription. OLM finds no catalog with this
/// name, so it changes nothing.
const FERRY: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: fleet}
---
apiVersion: v1
kind: Namespace
metadata: {name: harbor}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: all, namespace: fleet}
spec: {}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: ferry, namespace: fleet}
spec:
  name: ferry
  channel: stable
  source: nowhere
  sourceNamespace: fleet
  startingCSV: ferry.v1.0.0
  config: {env: [{name: TOKEN, value: secret}]}
---
";

/// A cluster whose API server gets Installed objects from this process.
pub(crate) struct Berth {
    world: World,
    kubectl: Kubectl,
    folder: TempFolder,
    /// The folder with the certificate. None if the server creates its own certificate.
    tls: Option<TempFolder>,
    replica: Option<Running>,
    /// True if the cluster also serves the kinds with which operators are installed without OLM.
    pub(super) has_own_kinds: bool,
    /// The port on which the server listens.
    pub(super) port: u16,
}

pub(super) fn kind() -> ApiResource {
    let kind = GroupVersionKind::gvk("packages.operators.coreos.com", "v2alpha1", "Installed");
    ApiResource::from_gvk_with_plural(&kind, "installed")
}

/// Returns an operator with one Deployment.
pub(super) fn csv(namespace: &str, name: &str, version: &str) -> String {
    let app = name.replace('.', "-");
    format!(
        "
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: {name}
  namespace: {namespace}
  labels: {{ships: 'yes'}}
spec:
  displayName: Ferry
  version: {version}
  icon: [{{base64data: aWNvbg==, mediatype: image/svg+xml}}]
  installModes:
  - {{type: AllNamespaces, supported: true}}
  - {{type: OwnNamespace, supported: true}}
  - {{type: SingleNamespace, supported: true}}
  - {{type: MultiNamespace, supported: true}}
  install:
    strategy: deployment
    spec:
      deployments:
      - name: {app}
        spec:
          replicas: 1
          selector: {{matchLabels: {{app: {app}}}}}
          template:
            metadata: {{labels: {{app: {app}}}}}
            spec:
              containers: [{{name: main, image: example.com/{app}}}]
---
"
    )
}

/// Returns a cluster with an operator, or `None` if tests with a cluster are skipped.
pub(crate) async fn berth() -> Result<Option<Berth>, Failure> {
    berth_with(&["apiserver"], None).await
}

/// Returns a cluster with these components. If a certificate is given, the server uses it.
pub(super) async fn berth_with(
    components: &[&str],
    certificate: Option<&Authority>,
) -> Result<Option<Berth>, Failure> {
    let Some(world) = own_world("installed").await? else {
        return Ok(None);
    };
    let mut berth = Berth {
        kubectl: Kubectl::of(world.cluster()),
        folder: TempFolder::empty(),
        tls: None,
        replica: None,
        has_own_kinds: false,
        port: 0,
        world,
    };
    let manifests = with(components).await?;
    // Omits the Deployment, because this process replaces the Pod, and the objects of cert-manager,
    // whose CRDs are missing.
    let manifests = manifests.split("\n---\n");
    let manifests = manifests.filter(|it| {
        !it.contains("\nkind: Deployment\n") && !it.contains("apiVersion: cert-manager.io/")
    });
    let manifests: Vec<_> = manifests.collect();
    berth.applies(&manifests.join("\n---\n")).await?;
    if let Some(authority) = certificate {
        berth.tls = Some(TempFolder::empty());
        berth.vouched(authority).await?;
    }
    berth.start().await?;
    berth.until_called().await?;
    let ferry = FERRY.to_owned() + &csv("fleet", "ferry.v1.0.0", "1.0.0");
    berth.applies(&ferry).await?;
    let succeeded = "--for=jsonpath={.status.phase}=Succeeded";
    let ferry = [
        "wait",
        "csv/ferry.v1.0.0",
        "-n=fleet",
        succeeded,
        "--timeout=180s",
    ];
    berth.run(&ferry).await?;
    Ok(Some(berth))
}

// === impl Berth ===

impl Berth {
    pub(crate) fn cluster(&self) -> &Cluster {
        self.world.cluster()
    }

    /// Starts a replica in this process, and routes the Service to it, because this cluster runs no
    /// Pods.
    pub(super) async fn start(&mut self) -> Result<(), Failure> {
        let (port, _, replica) = self.replica().await?;
        self.replica = Some(replica);
        self.port = port;
        self.leads_to(port).await
    }

    /// Creates a certificate that the API server trusts, as cert-manager does.
    pub(super) async fn vouched(&self, authority: &Authority) -> Result<(), Failure> {
        let tls = self
            .tls
            .as_ref()
            .expect("the certificate must come from elsewhere");
        authority.vouch(SERVER).write(tls);
        let bundle = STANDARD.encode(authority.pem());
        let bundle = format!("{{\"spec\": {{\"caBundle\": \"{bundle}\"}}}}");
        let words = ["patch", API_SERVICE, "--type=merge", "-p", &bundle];
        self.run(&words).await?;
        Ok(())
    }

    /// Routes the Service to a port.
    pub(super) async fn leads_to(&self, port: u16) -> Result<(), Failure> {
        let service = format!(
            "{{\"spec\": {{\"type\": \"ExternalName\", \"externalName\": \"localhost\", \
             \"clusterIP\": null, \"clusterIPs\": null, \"selector\": null, \
             \"ports\": [{{\"name\": \"https\", \"port\": {port}}}]}}}}"
        );
        let name = "service/portolan-apiserver";
        let merge = "--type=merge";
        self.run(&["-n=portolan", "patch", name, merge, "-p", &service])
            .await?;
        let port = format!("{{\"spec\": {{\"service\": {{\"port\": {port}}}}}}}");
        self.run(&["patch", API_SERVICE, merge, "-p", &port])
            .await?;
        Ok(())
    }

    /// Starts another replica, and returns its port and its probe address.
    pub(super) async fn replica(&self) -> Result<(u16, SocketAddr, Running), Failure> {
        let kubeconfig = self.cluster().admit(USER, None)?;
        let tls = self.tls.iter();
        let tls = tls.map(|folder| format!("--tls={}", folder.display()));
        let flags = iter::once(kubeconfig_flag(&kubeconfig)).chain(tls);
        let flags = on_free_ports("apiserver", flags);
        let listening = listen(flags, Terms::default()).await;
        let listening = listening.expect("free ports must exist");
        let port = listening.address().expect("it listens").port();
        let probes = listening.probes_address().expect("it listens");
        let running = Running::until_dropped(|stops| listening.run(stops));
        Ok((port, probes, running))
    }

    /// Stops the replica without a shutdown.
    pub(super) fn kill(&mut self) {
        self.replica.take().into_iter().for_each(Running::kill);
    }

    /// Waits until the API server trusts and calls the replica, and until the replica has read all
    /// objects.
    pub(super) async fn until_called(&self) -> Result<(), Failure> {
        until("an answer about Installed", PATIENCE, async || {
            let got = ["get", "installed", "-A", "-o=name"];
            Ok(match self.kubectl.try_run_uncached(&got).await? {
                Ok(_) => Seen::Yes(()),
                Err(output) => Seen::NotYet(output),
            })
        })
        .await
    }

    /// Returns the output of kubectl as an administrator. Fails if kubectl fails.
    pub(super) async fn run(&self, words: &[&str]) -> Result<String, Failure> {
        self.kubectl.run(words).await
    }

    /// Returns the lines of the output of kubectl. Replaces several spaces by one.
    pub(super) async fn lines(&self, words: &[&str]) -> Result<Vec<String>, Failure> {
        let output = self.run(words).await?;
        let words = output.lines().map(|line| line.split_whitespace().collect());
        Ok(words.map(|words: Vec<&str>| words.join(" ")).collect())
    }

    /// Returns the output of kubectl, or its error.
    pub(super) async fn try_run(&self, words: &[&str]) -> Result<Result<String, String>, Failure> {
        self.kubectl.try_run(words).await
    }

    pub(super) async fn applies(&self, manifests: &str) -> Result<(), Failure> {
        let file = self.written(manifests)?.display().to_string();
        self.run(&["apply", "--server-side", "-f", &file]).await?;
        Ok(())
    }

    /// Writes manifests into a file, and returns its path.
    pub(super) fn written(&self, manifests: &str) -> Result<PathBuf, Failure> {
        let file = self.folder.join("manifests.yaml");
        fs::write(&file, manifests).map_err(Failure::touch("write manifests"))?;
        Ok(file)
    }

    /// Returns the path of a file for output.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Waits until the output of kubectl contains this line.
    pub(super) async fn until_line(&self, words: &[&str], line: &str) -> Result<(), Failure> {
        until(format!("the line {line:?}"), PATIENCE, async || {
            let lines = self.lines(words).await?;
            Ok(if lines.iter().any(|each| each == line) {
                Seen::Yes(())
            } else {
                Seen::NotYet(lines.join("\n"))
            })
        })
        .await
    }

    /// Returns a client that calls a replica as the API server does. The client accepts any
    /// certificate authority.
    pub(super) fn replica_at(&self, port: u16) -> Result<Api<DynamicObject>, Failure> {
        self.replica_of(port, |config| config.accept_invalid_certs = true)
    }

    /// Returns a client that accepts only certificates of this authority.
    pub(super) fn replica_by(&self, authority: &Authority) -> Result<Api<DynamicObject>, Failure> {
        let file = self.file("ca.crt");
        fs::write(&file, authority.pem()).map_err(Failure::touch("write an authority"))?;
        self.replica_of(self.port, |config| {
            config.root_cert_file = Some(file);
            config.tls_server_name = Some(SERVER.to_owned());
        })
    }

    fn replica_of(
        &self,
        port: u16,
        trust: impl FnOnce(&mut Config),
    ) -> Result<Api<DynamicObject>, Failure> {
        let mut config = self.cluster().config("front-proxy-client")?;
        let address = format!("https://127.0.0.1:{port}");
        config.cluster_url = address.parse().map_err(Failure::read(address))?;
        trust(&mut config);
        for (name, value) in [
            ("x-remote-user", "captain"),
            ("x-remote-group", "system:masters"),
        ] {
            let header = (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
            config.headers.push(header);
        }
        Ok(Api::all_with(Client::try_from(config)?, &kind()))
    }

    /// Waits until a replica has read all objects.
    pub(super) async fn until_ready(&self, port: u16) -> Result<(), Failure> {
        let installed = self.replica_at(port)?;
        until("a list of the replica", PATIENCE, async || {
            Ok(match installed.list(&ListParams::default()).await {
                Ok(_) => Seen::Yes(()),
                Err(error) => Seen::NotYet(error.to_string()),
            })
        })
        .await
    }

    /// Checks that no request of the server was denied.
    pub(super) fn assert_no_forbidden_requests(&self) -> Result<(), Failure> {
        let asked = self.cluster().audit()?.by(USER);
        assert!(!asked.is_empty());
        let forbidden = asked.only(|record| record.code == 403);
        assert!(forbidden.is_empty(), "{:#?}", forbidden.records());
        Ok(())
    }
}
