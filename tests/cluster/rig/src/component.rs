//! The components of the control plane, and the commands that start them.

pub(crate) mod node;

use std::fmt;

use crate::olm_v1;
use crate::site::Site;
use crate::supervisor::Process;

/// A process of a rig. A test can kill, freeze and restart it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    Etcd,
    ApiServer,
    ControllerManager,
    Scheduler,
    /// Replaces the kubelet on all nodes except the node that runs containers.
    Kwok,
    /// The operator of OLM that resolves Subscriptions and executes InstallPlans.
    OlmCatalog,
    /// The operator of OLM that installs ClusterServiceVersions.
    Olm,
    /// Runs the containers of Pods on a node.
    Containerd,
    Kubelet,
    /// Routes connections from the addresses of Services to Pods.
    KubeProxy,
    /// CoreDNS, which is the cluster DNS.
    Dns,
    /// The image registry, in a rig with a node or with OLM v1.
    Registry,
    /// The component of OLM v1 that serves the content of ClusterCatalogs.
    Catalogd,
    /// The component of OLM v1 that installs ClusterExtensions.
    OperatorController,
}

impl Component {
    /// Returns the name of the component's program, which is also the name of its log and of its
    /// user.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Etcd => "etcd",
            Self::ApiServer => "kube-apiserver",
            Self::ControllerManager => "kube-controller-manager",
            Self::Scheduler => "kube-scheduler",
            Self::Kwok => "kwok",
            Self::OlmCatalog => "catalog",
            Self::Olm => "olm",
            Self::Containerd => "containerd",
            Self::Kubelet => "kubelet",
            Self::KubeProxy => "kube-proxy",
            Self::Dns => "coredns",
            Self::Registry => "registry",
            Self::Catalogd => "catalogd",
            Self::OperatorController => "operator-controller",
        }
    }

    /// The components that use the API server, each as a separate user.
    pub(crate) const CLIENTS: [Self; 5] = [
        Self::ControllerManager,
        Self::Scheduler,
        Self::Kwok,
        Self::OlmCatalog,
        Self::Olm,
    ];

    /// The components of a node that use the API server.
    pub(crate) const CLIENTS_OF_NODE: [Self; 3] = [Self::Kubelet, Self::KubeProxy, Self::Dns];

    /// The components of OLM v1 that use the API server.
    pub(crate) const CLIENTS_OF_OLM_V1: [Self; 2] = [Self::Catalogd, Self::OperatorController];

    /// Returns true for the components of OLM v1.
    pub(crate) const fn is_of_olm_v1(self) -> bool {
        matches!(self, Self::Catalogd | Self::OperatorController)
    }

    /// Returns true for the components that only a rig with a node has.
    pub(crate) const fn is_of_node(self) -> bool {
        match self {
            Self::Containerd | Self::Kubelet | Self::KubeProxy | Self::Dns => true,
            Self::Etcd
            | Self::ApiServer
            | Self::ControllerManager
            | Self::Scheduler
            | Self::Kwok
            | Self::OlmCatalog
            | Self::Olm
            | Self::Registry
            | Self::Catalogd
            | Self::OperatorController => false,
        }
    }

    pub(crate) fn process(self, site: &Site) -> Process {
        let kubeconfig = site.kubeconfig(self.name()).display().to_string();
        let (mut program, mut args) = (site.program(self), self.flags(site, &kubeconfig));
        if self == Self::Catalogd {
            (program, args) = olm_v1::with_token(site, &program, args);
        }
        Process {
            name: self.name().to_owned(),
            program,
            args,
            // OLM can only be configured with this environment variable. Other components also have
            // a flag.
            env: vec![("KUBECONFIG".to_owned(), kubeconfig)],
        }
    }

    fn flags(self, site: &Site, kubeconfig: &str) -> Vec<String> {
        let as_client = format!("--kubeconfig={kubeconfig}");
        match self {
            Self::Etcd => etcd(site),
            Self::ApiServer => api_server(site),
            Self::ControllerManager => controller_manager(site, as_client),
            Self::Scheduler => alone(as_client),
            Self::Kwok => kwok(site, as_client),
            Self::OlmCatalog => words(&["--namespace=olm", "--writeStatusName=", &as_client]),
            Self::Olm => words(&[
                "--namespace=olm",
                "--writeStatusName=",
                "--writePackageServerStatusName=",
            ]),
            Self::Containerd => node::containerd(site),
            Self::Kubelet => node::kubelet(site, as_client),
            Self::KubeProxy => node::proxy(as_client),
            Self::Dns => node::dns(site),
            Self::Registry => node::registry(site),
            Self::Catalogd => olm_v1::catalogd(site),
            Self::OperatorController => olm_v1::operator_controller(site),
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Returns the arguments of etcd. Its data is not needed after the rig ends, so etcd does not wait
/// until data is written to disk.
fn etcd(site: &Site) -> Vec<String> {
    let (clients, peers) = (site.etcd(), site.etcd_peer());
    vec![
        format!("--data-dir={}", site.file("etcd").display()),
        "--unsafe-no-fsync".to_owned(),
        "--log-level=error".to_owned(),
        format!("--listen-client-urls={clients}"),
        format!("--advertise-client-urls={clients}"),
        format!("--listen-peer-urls={peers}"),
        format!("--initial-advertise-peer-urls={peers}"),
        format!("--initial-cluster=default={peers}"),
    ]
}

fn api_server(site: &Site) -> Vec<String> {
    let mut flags = vec![
        format!("--etcd-servers={}", site.etcd()),
        format!("--secure-port={}", site.api_server_port()),
        format!("--audit-log-path={}", site.audit_log().display()),
        format!("--audit-policy-file={}", site.file("audit.yaml").display()),
    ];
    flags.extend(node::addresses(site));
    flags.extend(words(&[
        // A rotation of the log would remove its first records. The limit of one tebibyte is never
        // reached.
        "--audit-log-maxsize=1048576",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        // The aggregator passes the user to extension servers in these headers.
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    ]));
    let files = [
        ("tls-cert-file", "apiserver.crt"),
        ("tls-private-key-file", "apiserver.key"),
        ("client-ca-file", "ca.crt"),
        ("service-account-key-file", "sa.pub"),
        ("service-account-signing-key-file", "sa.key"),
        ("requestheader-client-ca-file", "front-proxy-ca.crt"),
        ("proxy-client-cert-file", "front-proxy-client.crt"),
        ("proxy-client-key-file", "front-proxy-client.key"),
    ];
    flags.extend(files.map(|(flag, file)| format!("--{flag}={}", site.pki().join(file).display())));
    flags
}

fn controller_manager(site: &Site, as_client: String) -> Vec<String> {
    let mut flags = alone(as_client);
    let pki = site.pki();
    flags.push(format!(
        "--service-account-private-key-file={}",
        pki.join("sa.key").display()
    ));
    flags.push(format!("--root-ca-file={}", pki.join("ca.crt").display()));
    flags
}

fn kwok(site: &Site, as_client: String) -> Vec<String> {
    let mut flags = node::of_kwok(site);
    flags.extend(words(&[
        // kwok must renew the Lease of its node. The controller manager treats a node as ready only
        // while its Lease is renewed.
        "--node-lease-duration-seconds=40",
        "--cidr=10.244.0.0/16",
    ]));
    flags.push(as_client);
    flags.push(format!("--config={}", site.file("stages.yaml").display()));
    flags
}

/// Returns the flags of a component that runs only once. It needs no leader election and serves no
/// requests.
fn alone(as_client: String) -> Vec<String> {
    vec![
        as_client,
        "--leader-elect=false".to_owned(),
        "--secure-port=0".to_owned(),
    ]
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
