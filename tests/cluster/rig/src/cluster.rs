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

/// The time that our clients wait for data. By default, kube would wait forever. After this time, a
/// watcher reopens a quiet watch.
const CLIENT_PATIENCE: Duration = Duration::from_secs(30);

/// A handle for a separate control plane. When the last clone is dropped, every process ends and
/// the folder is removed.
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
    /// True if users experiment on the cluster, and plans may delete any object.
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
        // A failing test needs no second failure.
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
    /// kubelet, in about four seconds. `supervisor` is the binary `portolan-rig`. The tests of its
    /// package get its path from `env!("CARGO_BIN_EXE_portolan-rig")`.
    ///
    /// # Errors
    /// A program cannot be built, or does not start.
    pub async fn start(supervisor: impl AsRef<Path>) -> Result<Self, Failure> {
        start::everything(supervisor.as_ref(), Parts::default(), None).await
    }

    /// Like [`Cluster::start`], with OLM. Takes about ten seconds.
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

    /// Starts these parts in addition to Kubernetes. With a node, this takes at most 25 seconds.
    ///
    /// # Errors
    /// See [`Cluster::start`]. A node cannot run on this machine.
    pub async fn with(parts: Parts, supervisor: impl AsRef<Path>) -> Result<Self, Failure> {
        start::everything(supervisor.as_ref(), parts, None).await
    }

    // --- users ---

    /// Creates a client with the permissions of the administrator. It belongs to the runtime that
    /// creates it, so every test must create its own client.
    /// # Errors
    /// The certificates cannot be read.
    pub fn client(&self) -> Result<Client, Failure> {
        self.client_of(ADMIN)
    }

    /// Creates a client of a user that [`Cluster::admit`] has created.
    ///
    /// # Errors
    /// The user's certificate cannot be read.
    pub fn client_of(&self, user: &str) -> Result<Client, Failure> {
        Ok(Client::try_from(self.config(user)?)?)
    }

    /// Returns the client configuration of this user. The caller may change it, for example to use
    /// another timeout or the address of a proxy.
    /// # Errors
    /// The address of the API server is invalid.
    pub fn config(&self, user: &str) -> Result<Config, Failure> {
        // Only the first call in a process has an effect, and any provider is sufficient.
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

    /// The kubeconfig of the administrator.
    pub fn kubeconfig(&self) -> PathBuf {
        self.rig.site.kubeconfig(ADMIN)
    }

    /// Creates a user with a client certificate, with the permissions that RBAC grants to the user
    /// or the group. Returns the kubeconfig.
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

    /// Returns the certificate and key of this user and the CA certificate, for a proxy that acts
    /// as this user.
    /// # Errors
    /// The user does not exist.
    pub fn identity(&self, user: &str) -> Result<Identity, Failure> {
        Identity::read(&self.rig.site.pki(), user)
    }

    /// A new certificate for a server of the test, such as a webhook, with these host names or
    /// addresses.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn server_identity(&self, name: &str, hosts: &[&str]) -> Result<Identity, Failure> {
        let pki = self.rig.site.pki();
        self.rig.authority.serve_as(&pki, name, hosts)?;
        Identity::read(&pki, name)
    }

    /// Returns a token with these claims, signed with the key of the API server. Use it for tokens
    /// that the API server would not issue, such as an expired token.
    ///
    /// # Errors
    /// The key of the API server cannot be read.
    pub fn token(&self, claims: &Value) -> Result<String, Failure> {
        token::signed(&self.rig.site, claims)
    }

    // --- contents ---

    /// Creates a namespace whose name begins with `test`. It is deleted when the handle is
    /// dropped, if the API server still runs.
    /// # Errors
    /// The API server rejects it.
    pub async fn namespace(&self, test: &str) -> Result<Namespace, Failure> {
        Namespace::create(self, test).await
    }

    /// The pods of a namespace, whose health the test sets.
    /// # Errors
    /// See [`Cluster::client`].
    pub fn pods(&self, namespace: &str) -> Result<Pods, Failure> {
        Ok(Pods::of(&self.client()?, namespace))
    }

    /// Serves the file-based catalog in `folder` with `opm`, creates a CatalogSource for it, and
    /// waits until OLM reports it as READY.
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

    /// Unpacks the bundles of the catalogs in a namespace. Instead of images it reads the folder
    /// `images`, which has a subfolder with the name of each image, see [`Unpacking`].
    /// # Errors
    /// See [`Cluster::client`].
    pub fn unpacking(&self, namespace: &str, images: &Path) -> Result<Unpacking, Failure> {
        Ok(Unpacking::from(self, &self.client()?, namespace, images))
    }

    /// Runs a program of the test, isolated from the environment of the user.
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

    /// Permits plans in this namespace to delete objects of other owners when the plans request it.
    /// Only tests of this feature may use it.
    pub fn allow_foreign_deletes(&self, namespace: &str) {
        self.rig.taken().allow(namespace);
    }

    /// Permits such deletions for all plans, because no test runs on this cluster.
    pub(crate) fn allow_all_foreign_deletes(&self) {
        self.rig.is_free.store(true, Ordering::Relaxed);
    }

    /// Fails the test that is about to end if a plan has deleted objects of other owners.
    pub(crate) fn assert_no_foreign_deletes(&self) {
        self.rig.assert_no_foreign_deletes();
    }

    // --- faults ---

    /// Kills a component as `kill -9` does.
    ///
    /// # Errors
    /// The component is not running.
    pub fn kill(&self, component: Component) -> Result<(), Failure> {
        self.rig.supervisor.kill(component.name())
    }

    /// Starts a component that was killed. Waits only until the API server responds.
    /// # Errors
    /// The component is running, or fails to start.
    pub async fn revive(&self, component: Component) -> Result<(), Failure> {
        self.run(component.process(&self.rig.site))?;
        match component {
            Component::ApiServer => start::until_ready(self).await,
            _ => Ok(()),
        }
    }

    /// Kills and revives a component.
    ///
    /// # Errors
    /// See [`Cluster::kill`] and [`Cluster::revive`].
    pub async fn restart(&self, component: Component) -> Result<(), Failure> {
        self.kill(component)?;
        self.revive(component).await
    }

    /// Freezes a component: its connections stay open, but it does not respond to requests.
    /// # Errors
    /// The component is not running.
    pub fn freeze(&self, component: Component) -> Result<(), Failure> {
        self.rig.supervisor.freeze(component.name())
    }

    /// Resumes a frozen component.
    /// # Errors
    /// The component is not running.
    pub fn thaw(&self, component: Component) -> Result<(), Failure> {
        self.rig.supervisor.thaw(component.name())
    }

    // --- addresses and paths ---

    /// The folder with all files of this rig. It is removed when the rig ends.
    pub fn folder(&self) -> &Path {
        self.rig.site.folder()
    }

    /// `https://127.0.0.1:<port>`.
    pub fn address(&self) -> String {
        self.rig.site.api_server()
    }

    /// Returns `https://127.0.0.1:<port>`.
    pub fn binaries(&self) -> &Binaries {
        &self.rig.site.binaries
    }

    /// The programs of the cluster, and `kubectl`, `opm` and `grpcurl`.
    pub fn log(&self, component: Component) -> PathBuf {
        folder::log(self.folder(), component.name())
    }

    pub(crate) fn run(&self, process: Process) -> Result<(), Failure> {
        self.rig.supervisor.start(process)
    }

    pub(crate) fn stop(&self, process: &str) -> Result<(), Failure> {
        self.rig.supervisor.kill(process)
    }

    /// Stops the API server and etcd after they have written all their data.
    fn stop_api_server(&self) -> Result<(), Failure> {
        self.kill(Component::ApiServer)?;
        self.kill(Component::Etcd)
    }

    pub(crate) fn supervisor(&self) -> &Supervisor {
        &self.rig.supervisor
    }

    /// Fails if a process exited without a stop order.
    pub(crate) fn look(&self) -> Result<(), Failure> {
        self.rig.supervisor.look()
    }

    /// Repeats a check until its condition is true. Fails at once if a process of the cluster exits
    /// without a stop order.
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

    /// Waits until a program listens at an address.
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

    /// Returns an unused port from the ports that are reserved for this cluster.
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
