//! A running control plane, as a test holds it.

mod start;
mod template;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kube::config::AuthInfo;
use kube::{Client, Config};
use serde_json::Value;

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
use crate::{folder, kubeconfig, token};

/// The user that [`Cluster::client`] and [`Cluster::kubeconfig`] speak as: a cluster administrator.
pub const ADMIN: &str = "admin";

/// The time that a client of ours waits for a byte; kube's own would wait for ever. A quiet watch
/// is reopened after this time, which a watcher does by itself.
const CLIENT_PATIENCE: Duration = Duration::from_secs(30);

/// A handle on a control plane of its own. When the last clone is dropped, every process ends and
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
    /// Whether somebody tries things on it, who may delete what they like by plans.
    is_free: AtomicBool,
}

impl Rig {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn takes_nothing(&self) {
        if self.is_free.load(Ordering::Relaxed) {
            return;
        }
        let taken = self.taken().look(&self.site.audit_log());
        // One failure of a test is enough.
        if !std::thread::panicking() {
            assert!(
                matches!(&taken, Ok(taken) if taken.is_empty()),
                "no plan deletes what no plan made: {taken:?}"
            );
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.takes_nothing();
    }
}

impl Cluster {
    /// etcd, API server, controller manager, scheduler, and one node without a kubelet; up in four
    /// seconds. `supervisor` is the binary `portolan-rig`; the tests of its package have it as
    /// `env!("CARGO_BIN_EXE_portolan-rig")`.
    ///
    /// # Errors
    /// The programs cannot be built, or one of them does not come up.
    pub async fn start(supervisor: impl AsRef<Path>) -> Result<Self, Failure> {
        start::everything(supervisor.as_ref(), false, None).await
    }

    /// The same with OLM; up in ten seconds.
    ///
    /// # Errors
    /// As [`Cluster::start`].
    pub async fn with_olm(supervisor: impl AsRef<Path>) -> Result<Self, Failure> {
        start::everything(supervisor.as_ref(), true, None).await
    }

    // --- who asks ---

    /// A new client of the administrator. It belongs to the runtime it is made on: every test makes
    /// its own.
    ///
    /// # Errors
    /// The certificates cannot be read.
    pub fn client(&self) -> Result<Client, Failure> {
        self.client_of(ADMIN)
    }

    /// A new client of a user whom [`Cluster::admit`] let in.
    ///
    /// # Errors
    /// The user's certificate cannot be read.
    pub fn client_of(&self, user: &str) -> Result<Client, Failure> {
        Ok(Client::try_from(self.config(user)?)?)
    }

    /// Returns the configuration of a client of this user, which the caller may change: another
    /// timeout, the address of a proxy in between.
    ///
    /// # Errors
    /// The address of the API server is no address.
    pub fn config(&self, user: &str) -> Result<Config, Failure> {
        // Only the first call in a process installs it, and any provider will do.
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

    /// Makes a user with a client certificate, who may do what RBAC says of them or of their group;
    /// returns their kubeconfig.
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

    /// Returns the certificate of this user with its key and its authority, for a proxy that acts
    /// in their name.
    ///
    /// # Errors
    /// Nobody admitted that user.
    pub fn identity(&self, user: &str) -> Result<Identity, Failure> {
        Identity::read(&self.rig.site.pki(), user)
    }

    /// A new certificate of a server of the test's own, such as a webhook, under these host names
    /// or addresses.
    ///
    /// # Errors
    /// The files cannot be written.
    pub fn server_identity(&self, name: &str, hosts: &[&str]) -> Result<Identity, Failure> {
        let pki = self.rig.site.pki();
        self.rig.authority.serve_as(&pki, name, hosts)?;
        Identity::read(&pki, name)
    }

    /// The token of whomever these claims name, as the API server signs its own: for tokens that it
    /// would not make, such as one of yesterday.
    ///
    /// # Errors
    /// The key of the API server cannot be read.
    pub fn token(&self, claims: &Value) -> Result<String, Failure> {
        token::signed(&self.rig.site, claims)
    }

    // --- what is there ---

    /// A new namespace whose name begins with `story`. It is deleted when the handle is dropped, if
    /// anybody is there to hear it.
    ///
    /// # Errors
    /// The API server refuses it.
    pub async fn namespace(&self, story: &str) -> Result<Namespace, Failure> {
        Namespace::create(self, story).await
    }

    /// The pods of a namespace, to be made ill and well.
    ///
    /// # Errors
    /// As [`Cluster::client`].
    pub fn pods(&self, namespace: &str) -> Result<Pods, Failure> {
        Ok(Pods::of(&self.client()?, namespace))
    }

    /// Serves the file-based catalog in `folder` with `opm`, makes a CatalogSource of it, and waits
    /// until OLM finds it READY.
    ///
    /// # Errors
    /// `opm` does not take the folder, or OLM does not take the catalog.
    pub async fn catalog(
        &self,
        namespace: &str,
        name: &str,
        folder: &Path,
    ) -> Result<Catalog, Failure> {
        Catalog::create(self, namespace, name, folder).await
    }

    /// Unpacks the bundles of the catalogs of a namespace from a folder of images, one at its name;
    /// see [`Unpacking`].
    ///
    /// # Errors
    /// As [`Cluster::client`].
    pub fn unpacking(&self, namespace: &str, images: &Path) -> Result<Unpacking, Failure> {
        Ok(Unpacking::from(self, &self.client()?, namespace, images))
    }

    /// Runs a program of the test's own, which sees nothing of the person's surroundings either.
    ///
    /// # Errors
    /// It does not start, or a process of this name runs already.
    pub fn guest(&self, name: &str, program: &Path, args: Vec<String>) -> Result<Guest, Failure> {
        Guest::start(self, name, program, args)
    }

    /// Returns the requests to the API server until now, and the users that made them.
    ///
    /// # Errors
    /// The audit log cannot be read.
    pub fn audit(&self) -> Result<Audit, Failure> {
        let audit = &self.rig.audit;
        let mut audit = audit.lock().unwrap_or_else(PoisonError::into_inner);
        audit.look(&self.rig.site.audit_log())
    }

    /// Plans of this namespace take what others made, as they say themselves: no story may see that but one that
    /// is about it.
    pub fn lets_take(&self, namespace: &str) {
        self.rig.taken().allow(namespace);
    }

    /// All plans may take what others made: nobody tests anything here.
    pub(crate) fn lets_all_take(&self) {
        self.rig.is_free.store(true, Ordering::Relaxed);
    }

    /// Fails the test that ends here if a plan has deleted what no plan made.
    pub(crate) fn takes_nothing(&self) {
        self.rig.takes_nothing();
    }

    // --- what can happen to it ---

    /// Kills a component as `kill -9` does.
    ///
    /// # Errors
    /// It is not running.
    pub fn kill(&self, component: Component) -> Result<(), Failure> {
        self.rig.supervisor.kill(component.name())
    }

    /// Starts a component that was killed. Only for the API server does this wait until it answers.
    ///
    /// # Errors
    /// It runs already, or does not come up.
    pub async fn revive(&self, component: Component) -> Result<(), Failure> {
        self.run(component.process(&self.rig.site))?;
        match component {
            Component::ApiServer => start::until_it_answers(self).await,
            _ => Ok(()),
        }
    }

    /// Kills and revives a component.
    ///
    /// # Errors
    /// As [`Cluster::kill`] and [`Cluster::revive`].
    pub async fn restart(&self, component: Component) -> Result<(), Failure> {
        self.kill(component)?;
        self.revive(component).await
    }

    /// Stops a component in its tracks: connections stay open, nobody answers.
    ///
    /// # Errors
    /// It is not running.
    pub fn freeze(&self, component: Component) -> Result<(), Failure> {
        self.rig.supervisor.freeze(component.name())
    }

    /// Lets a frozen component go on.
    ///
    /// # Errors
    /// It is not running.
    pub fn thaw(&self, component: Component) -> Result<(), Failure> {
        self.rig.supervisor.thaw(component.name())
    }

    // --- where it is ---

    /// The folder that holds everything of this rig and goes with it.
    pub fn folder(&self) -> &Path {
        self.rig.site.folder()
    }

    /// `https://127.0.0.1:<port>`.
    pub fn address(&self) -> String {
        self.rig.site.api_server()
    }

    /// The programs it runs, and `kubectl`, `opm` and `grpcurl`.
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

    /// Ends what keeps objects, with all that they are written in.
    fn stop_api_server(&self) -> Result<(), Failure> {
        self.kill(Component::ApiServer)?;
        self.kill(Component::Etcd)
    }

    pub(crate) fn supervisor(&self) -> &Supervisor {
        &self.rig.supervisor
    }

    /// Fails if some process ended by itself.
    pub(crate) fn look(&self) -> Result<(), Failure> {
        self.rig.supervisor.look()
    }

    /// A port on which nobody listens, of those that are kept for this cluster.
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
