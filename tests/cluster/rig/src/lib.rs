//! A real Kubernetes for tests. It starts in seconds, and has no containers unless a test requests
//! a node.
//!
//! The rig starts etcd, kube-apiserver, kube-controller-manager and kube-scheduler. kwok replaces
//! the kubelet. If requested, the rig also starts both operators of OLM, and `opm` for catalogs.
//! These are the real programs, and they run as processes of this machine. The rig builds them from
//! the Go modules that are pinned in `go/`. Pods are scheduled and get their conditions, but have
//! no containers; a test sets the health of its Pods. The first start needs Go and builds the
//! programs, which takes minutes. Each later start takes four seconds, or ten seconds with OLM.
//!
//! ```no_run
//! use portolan_rig::{Cluster, Component, Failure, Kind, until_field};
//!
//! # async fn example(folder: &std::path::Path) -> Result<(), Failure> {
//! let cluster = Cluster::with_olm("target/debug/portolan-rig").await?;
//! let namespace = cluster.namespace("test").await?;
//! let mut catalog = cluster.catalog(&namespace, "fleet", folder).await?;
//! // ... a Subscription, and some time later:
//! let client = cluster.client()?;
//! let versions = Kind::ClusterServiceVersion.within(&client, &namespace);
//! until_field(&versions, "a.v1.0.0", "/status/phase", "Succeeded").await?;
//!
//! cluster.pods(&namespace)?.crash_looping("app=a").await?;
//! until_field(&versions, "a.v1.0.0", "/status/phase", "Failed").await?;
//!
//! catalog.stop()?;
//! catalog.until_state("TRANSIENT_FAILURE").await?;
//! cluster.restart(Component::ApiServer).await?;
//! assert!(!cluster.audit()?.by("olm").writes().is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! Rigs are independent: each rig has its own folder and its own block of ports. So any number of
//! rigs can run at the same time. When a test ends, its rig removes all processes and files, even
//! if the test is killed (see `supervisor.rs`). Tests that cause no faults share a few clusters in
//! a [`Pool`]. All other tests start a separate cluster from a [`Template`].
//!
//! | Variable                  | Meaning                                                        |
//! |---------------------------|----------------------------------------------------------------|
//! | `PORTOLAN_CACHE`          | the folder of built programs; by default `~/.cache/portolan`   |
//! | `PORTOLAN_SKIP_CLUSTER=1` | skip the tests that need a cluster, and print a line           |
//! | `PORTOLAN_KEEP_LOGS=DIR`  | copy the logs and audit logs of all rigs to `DIR` (absolute)   |
//!
//! The rig only handles Kubernetes, OLM and processes. It contains no code for Portolan: it creates
//! the environment in which Portolan is tested. The crate `portolan-kit` writes the catalogs.
//!
//! The control plane listens only on loopback. `opm` and OLM listen on all addresses of the
//! machine. This cannot be changed. The metrics of OLM use port 8080. If another OLM already uses
//! this port, OLM continues without metrics.
//!
//! If a build is killed, `go` is killed too. Its compilers are also killed if this user may create
//! a PID namespace. Otherwise the compilers end by themselves shortly afterwards. The next build
//! removes the unfinished folder.
//!
//! Tests of web pages use a [`Browser`], which runs the Chromium of the machine. Without Chromium,
//! these tests are skipped with a warning.
//!
//! Without a node, containers have no logs and no shell, Services route to no Pods, and there is no
//! cluster DNS.
//!
//! A rig with a node ([`Parts::node`]) also has a kubelet, containerd, kube-proxy, CoreDNS and a
//! registry. They run in a separate network namespace and mount namespace. The node needs root, and
//! runc, iptables and the CNI plugins of the machine; [`is_node_left_out`] prints a line if a
//! requirement is missing. In such a rig, kwok manages only `node-0`, which has a taint. All
//! servers listen on the address of the node ([`Cluster::host`]), which only this machine can
//! reach. The kubelet changes no kernel settings of the machine (see `supervisor/enclosure.rs`).
//!
//! On a node, OLM runs either as two processes, as in other rigs, or as Pods ([`Parts::olm_pods`]).
//! If OLM runs as Pods, its catalogs, its unpack Jobs and its packageserver are also Pods (see
//! `cluster/start/olm_pods.rs`).
//!
//! A rig can also have OLM v1 ([`Parts::olm_v1`]): catalogd, operator-controller, and a registry of
//! images. All three are processes. [`Cluster::push`] pushes the images of catalogs and bundles.
//!
//! [`image`] builds images of programs, without a container runtime.

mod audit;
mod binaries;
mod browser;
mod cache;
mod catalog;
mod chart;
mod cli;
mod cluster;
mod component;
mod failure;
mod folder;
mod go;
mod guest;
pub mod image;
mod kind;
mod kubeconfig;
mod namespace;
mod node;
mod olm_v1;
mod once;
mod operator;
mod own;
mod parent;
mod pki;
mod pods;
mod pool;
mod program;
pub mod release;
mod site;
mod supervisor;
mod taken;
mod token;
mod unpacking;
mod wait;

use std::env;
use std::sync::Once;

pub use audit::{Audit, Record};
pub use binaries::Binaries;
pub use browser::{Browser, Finding, Look, Tab};
pub use catalog::{Catalog, opm_serve};
pub use chart::{CHOICES, PROFILES, opening, overlay, profile, templates};
pub use cli::main;
pub use cluster::{ADMIN, Cluster, Parts, Template};
pub use component::Component;
pub use failure::Failure;
pub use guest::Guest;
pub use kind::Kind;
pub use namespace::Namespace;
pub use node::is_node_left_out;
pub use operator::Operator;
pub use own::{CRANE, DISTRIBUTION, HELM, KAPP, OwnModule, OwnProgram};
pub use pki::Identity;
pub use pods::{POD_STATE, PodState, Pods};
pub use pool::{Pool, World};
pub use unpacking::Unpacking;
pub use wait::{PATIENCE, Seen, until, until_field, until_gone, until_object};

/// Prints a line to the terminal, even if test output is captured.
macro_rules! say {
    ($($word:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "rig: {}", format_args!($($word)*));
    }};
}
use say;

/// Returns true if the user has set `PORTOLAN_SKIP_CLUSTER=1` to skip the tests that need a
/// cluster. Prints a message about this once per process, even if test output is captured.
pub fn is_left_out() -> bool {
    static REPORTED: Once = Once::new();
    let is_asked = env::var_os("PORTOLAN_SKIP_CLUSTER").is_some_and(|value| value == "1");
    if is_asked {
        REPORTED.call_once(|| {
            say!("PORTOLAN_SKIP_CLUSTER=1: the tests that need a cluster are NOT run");
        });
    }
    is_asked
}
