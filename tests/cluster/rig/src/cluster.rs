//! A running control plane for tests.

mod node;
mod start;
mod template;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kube::config::AuthInfo;
use kube::{Client, Config};
use serde_json::Value;
use tokio::net::{TcpStream, ToSocketAddrs};

pub use self::node::Parts;
pub use self::template::Template;
use crate::audit::{Audit, AuditLog};
use crate::binaries::Binaries;
use crate::catalog::Catalog;
use crate::component::Component;
use crate::failure::Failure;
use crate::guest::Guest;
use crate::namespace::Namespace;
use crate::pki::{Authority, Identity};
use crate::pods::Pods;
use crate::site::Site;
use crate::supervisor::{Process, Supervisor};
use crate::taken::Taken;
use crate::unpacking::Unpacking;
use crate::wait::{PATIENCE, Seen, until};
use crate::{folder, kubeconfig, token};

/// The user of [`Cluster::client`] and [`Cluster::kubeconfig`]: a cluster administrator.
pub const ADMIN: &str = "admin";

/// The maximum time that a client waits for data. By default, kube would wait forever. After this
/// time, a watcher reopens a watch without events.
const CLIENT_PATIENCE: Duration = Duration::from_secs(30);

/// A handle for a running control plane. When the last clone is dropped, all processes end and the
/// folder is removed.
#[derive(Clone, Debug)]
pub struct Cluster {
    rig: Arc<Rig>,
}

#[derive(Debug)]
struct Rig {
    supervisor: Supervisor,
    site: Site,
    authority: Arc<Authority>,
    catalogs: AtomicU16,
    taken: Mutex<Taken>,
    audit: Mutex<AuditLog>,
    /// True if users experiment on the cluster. InstallPlans may then delete any object.
    is_free: AtomicBool,
}

impl Rig {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn assert_no_foreign_deletes(&self) {
        if self.is_free.load(Ordering::Relaxed) {
            return;
        }
        let taken = self.taken().look(&self.site.audit_log());
        // A test that is already failing needs no second failure.
        if !std::thread::panicking() {
            assert!(
                matches!(&taken, Ok(taken) if taken.is_empty()),
                "a plan deleted objects of others: {taken:?}"
            );
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.assert_no_foreign_deletes();
    }
}

impl Cluster {
    /// Starts etcd, the API server, the controller manager, the scheduler, and one node without a
    /// kubelet. This takes about four seconds.
    ///
    /// `supervisor` is the path of the program `portolan-rig`. The tests of its package get this
    /// path from `env!("CARGO_BIN_EXE_portolan-rig")`.
    ///
    /// # Errors
    /// A program cannot be built, or does not start.
    pub async fn start(supervisor: impl AsRef<Path>) -> Result<Self, Failure> {
        start::everything(supervisor.as_ref(), Parts::default(), None).await
    }

    /// Starts the same components as [`Cluster::start`], and OLM. This takes about ten seconds.
    ///
    /// # Errors
    /// See [`Cluster::start`].
    pub async fn with_olm(supervisor: impl AsRef<Path>) -> Result<Self, Failure> {
        let parts = Parts {
            olm: true,
            ..Parts::default()
        };
        start::everything(supervisor.as_ref(), parts, None).await
    }

    /// Starts Kubernetes and these parts. With a node, this takes at most 25 seconds.
    ///
    /// # Errors
    /// See [`Cluster::start`]. A node cannot run on this machine.
    pub async fn with(parts: Parts, supervisor: impl AsRef<Path>) -> Result<Self, Failure> {
        start::everything(supervisor.as_ref(), parts, None).await
    }

    // --- users ---

    /// Creates a client with the permissions of the administrator. The client belongs to the
    /// runtime that creates it, so each test must create its own client.
    /// # Errors
    /// The certificates cannot be read.
    pub fn client(&self) -> Result<Client, Failure> {
        self.client_of(ADMIN)
    }

    /// Creates a client for a user that [`Cluster::admit`] has created.
    ///
    /// # Errors
    /// The user's certificate cannot be read.
    pub fn client_of(&self, user: &str) -> Result<Client, Failure> {
        Ok(Client::try_from(self.config(user)?)?)
    }

    /// Returns the client configuration of a user. The caller can change the configuration, for
    /// example to set another timeout or the address of a proxy.
    /// # Errors
    /// The address of the API server is invalid.
    pub fn config(&self, user: &str) -> Result<Config, Failure> {
        // Ignores an error: the process may already have a provider, and any provider is
        // sufficient.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let site = &self.rig.site;
        let address = site.api_server();
        let mut config = Config::new(address.parse().map_err(Failure::read(address))?);
        let file = |name: String| Some(site.pki().join(name).display().to_string());
        config.root_cert_file = Some(site.pki().join("ca.crt"));
        config.auth_info = AuthInfo {
            client_certificate: file(format!("{user}.crt")),
            client_key: file(format!("{user}.key")),
            ..AuthInfo::default()
        };
        config.connect_timeout = Some(Duration::from_secs(5));
        config.write_timeout = Some(CLIENT_PATIENCE);
        config.read_timeout = Some(CLIENT_PATIENCE);
        config.reset_reader_on_write = true;
        Ok(config)
    }

    /// Returns the path of the administrator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.rig.site.kubeconfig(ADMIN)
    }

    /// Creates a user with a client certificate, and returns the path of the user's kubeconfig. The
    /// user has the permissions that RBAC grants to the user or to the group.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn admit(&self, user: &str, group: Option<&str>) -> Result<PathBuf, Failure> {
        let Rig {
            site, authority, ..
        } = &*self.rig;
        authority.admit(&site.pki(), user, user, group)?;
        kubeconfig::write(site, user)
    }

    /// Returns the certificate and the key of a user, and the CA certificate. A proxy uses them to
    /// send requests as this user.
    /// # Errors
    /// The user does not exist.
    pub fn identity(&self, user: &str) -> Result<Identity, Failure> {
        Identity::read(&self.rig.site.pki(), user)
    }

    /// Creates a certificate for a server of the test, such as a webhook. The certificate is valid
    /// for these host names or addresses.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn server_identity(&self, name: &str, hosts: &[&str]) -> Result<Identity, Failure> {
        let pki = self.rig.site.pki();
        self.rig.authority.serve_as(&pki, name, hosts)?;
        Identity::read(&pki, name)
    }

    /// Returns a token with these claims, signed with the key of the API server. Use it for a token
    /// that the API server would not issue, such as an expired token.
    ///
    /// # Errors
    /// The key of the API server cannot be read.
    pub fn token(&self, claims: &Value) -> Result<String, Failure> {
        token::signed(&self.rig.site, claims)
    }

    // --- contents ---

    /// Creates a namespace whose name begins with `test`. When the handle is dropped, some of its
    /// objects are deleted if the API server is still running, see [`Namespace`].
    /// # Errors
    /// The API server rejects it.
    pub async fn namespace(&self, test: &str) -> Result<Namespace, Failure> {
        Namespace::create(self, test).await
    }

    /// Returns the Pods of a namespace. A test can set their health.
    /// # Errors
    /// See [`Cluster::client`].
    pub fn pods(&self, namespace: &str) -> Result<Pods, Failure> {
        Ok(Pods::of(&self.client()?, namespace))
    }

    /// Serves the file-based catalog in `folder` with `opm`, and creates a CatalogSource for it.
    /// Waits until OLM reports the CatalogSource as READY.
    /// # Errors
    /// `opm` rejects the folder, or OLM rejects the catalog.
    pub async fn catalog(
        &self,
        namespace: &str,
        name: &str,
        folder: &Path,
    ) -> Result<Catalog, Failure> {
        Catalog::create(self, namespace, name, folder).await
    }

    /// Unpacks the bundles of the catalogs in a namespace, instead of the Pods of OLM. Reads the
    /// content of images from the folder `images`, which has a subfolder with the name of each
    /// image. See [`Unpacking`].
    /// # Errors
    /// See [`Cluster::client`].
    pub fn unpacking(&self, namespace: &str, images: &Path) -> Result<Unpacking, Failure> {
        Ok(Unpacking::from(self, &self.client()?, namespace, images))
    }

    /// Runs a program of the test. The program does not inherit the environment of the user.
    /// # Errors
    /// The program fails to start, or a process of this name is running.
    pub fn guest(&self, name: &str, program: &Path, args: Vec<String>) -> Result<Guest, Failure> {
        Guest::start(self, name, program, args)
    }

    /// Returns the requests to the API server so far, and the users that sent them.
    ///
    /// # Errors
    /// The audit log cannot be read.
    pub fn audit(&self) -> Result<Audit, Failure> {
        let audit = &self.rig.audit;
        let mut audit = audit.lock().unwrap_or_else(PoisonError::into_inner);
        audit.look(&self.rig.site.audit_log())
    }

    /// Permits InstallPlans in this namespace to delete objects of other owners, if the plans
    /// request this. Only tests of this feature may use this function.
    pub fn allow_foreign_deletes(&self, namespace: &str) {
        self.rig.taken().allow(namespace);
    }

    /// Permits all InstallPlans to delete objects of other owners, because no test runs on this
    /// cluster.
    pub(crate) fn allow_all_foreign_deletes(&self) {
        self.rig.is_free.store(true, Ordering::Relaxed);
    }

    /// Panics if an InstallPlan has deleted objects of other owners. Called at the end of a test.
    pub(crate) fn assert_no_foreign_deletes(&self) {
        self.rig.assert_no_foreign_deletes();
    }

    // --- faults ---

    /// Kills a component, like `kill -9`.
    ///
    /// # Errors
    /// The component is not running.
    pub fn kill(&self, component: Component) -> Result<(), Failure> {
        self.rig.supervisor.kill(component.name())
    }

    /// Starts a component that was killed. Waits until the API server responds, but not for other
    /// components.
    /// # Errors
    /// The component is running, or fails to start.
    pub async fn revive(&self, component: Component) -> Result<(), Failure> {
        self.run(component.process(&self.rig.site))?;
        match component {
            Component::ApiServer => start::until_ready(self).await,
            _ => Ok(()),
        }
    }

    /// Kills a component and starts it again.
    ///
    /// # Errors
    /// See [`Cluster::kill`] and [`Cluster::revive`].
    pub async fn restart(&self, component: Component) -> Result<(), Failure> {
        self.kill(component)?;
        self.revive(component).await
    }

    /// Freezes a component. Its connections stay open, but it does not respond to requests.
    /// # Errors
    /// The component is not running.
    pub fn freeze(&self, component: Component) -> Result<(), Failure> {
        self.rig.supervisor.freeze(component.name())
    }

    /// Continues a frozen component.
    /// # Errors
    /// The component is not running.
    pub fn thaw(&self, component: Component) -> Result<(), Failure> {
        self.rig.supervisor.thaw(component.name())
    }

    // --- addresses and paths ---

    /// Returns the folder with all files of this rig. The folder is removed when the rig ends.
    pub fn folder(&self) -> &Path {
        self.rig.site.folder()
    }

    /// Returns the URL of the API server.
    pub fn address(&self) -> String {
        self.rig.site.api_server()
    }

    /// Returns the programs of the cluster, and the programs `kubectl`, `opm` and `grpcurl`.
    pub fn binaries(&self) -> &Binaries {
        &self.rig.site.binaries
    }

    /// Returns the path of the log of a component.
    pub fn log(&self, component: Component) -> PathBuf {
        folder::log(self.folder(), component.name())
    }

    pub(crate) fn run(&self, process: Process) -> Result<(), Failure> {
        self.rig.supervisor.start(process)
    }

    pub(crate) fn stop(&self, process: &str) -> Result<(), Failure> {
        self.rig.supervisor.kill(process)
    }

    /// Kills the API server, and then etcd.
    fn stop_api_server(&self) -> Result<(), Failure> {
        self.kill(Component::ApiServer)?;
        self.kill(Component::Etcd)
    }

    pub(crate) fn supervisor(&self) -> &Supervisor {
        &self.rig.supervisor
    }

    /// Returns an error if a process has exited that the test did not kill.
    pub(crate) fn look(&self) -> Result<(), Failure> {
        self.rig.supervisor.look()
    }

    /// Repeats a check until its condition is true. Returns an error immediately if a process of
    /// the cluster has exited that the test did not kill.
    pub(crate) async fn until<T>(
        &self,
        what: impl Into<String>,
        mut check: impl AsyncFnMut() -> Result<Seen<T>, Failure>,
    ) -> Result<T, Failure> {
        until(what, PATIENCE, async || {
            self.look()?;
            check().await
        })
        .await
    }

    /// Waits until a program accepts connections at this address.
    pub(crate) async fn until_listens(
        &self,
        what: impl Into<String>,
        address: impl ToSocketAddrs,
    ) -> Result<(), Failure> {
        self.until(what, async || {
            Ok(match TcpStream::connect(&address).await {
                Ok(_) => Seen::Yes(()),
                Err(error) => Seen::NotYet(error.to_string()),
            })
        })
        .await
    }

    /// Returns an unused port. It is one of the ports that are reserved for this cluster.
    pub fn free_port(&self) -> u16 {
        loop {
            let port = self
                .rig
                .site
                .catalog_port(self.rig.catalogs.fetch_add(1, Ordering::Relaxed));
            if folder::is_free(port) {
                return port;
            }
        }
    }
}
