//! Clusters with OLM that the tests of one binary share.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kube::Client;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::catalog::Catalog;
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::namespace::Namespace;
use crate::once::Once;
use crate::operator::Operator;
use crate::pods::Pods;
use crate::unpacking::Unpacking;

/// The maximum number of tests that share a cluster at the same time. OLM resolves only one
/// namespace at a time, so additional tests would only wait.
const PLACES: usize = 3;

/// A few clusters that tests share. The pool starts a cluster when the first test needs it. It does
/// not retry a failed start: all tests that wait for the cluster get the same error.
///
/// ```no_run
/// use std::sync::LazyLock;
/// use portolan_rig::{Failure, Pool};
///
/// static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::of(2, "target/debug/portolan-rig"));
///
/// # async fn example() -> Result<(), Failure> {
/// let world = POOL.world("pins-a-version").await?;
/// println!("a namespace of my own: {}", world.namespace());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Pool {
    supervisor: PathBuf,
    clusters: Vec<Once<Cluster>>,
    /// For each cluster, the number of tests that use it.
    taken: Mutex<Vec<usize>>,
    places: Semaphore,
}

/// The environment of one test: its own namespace on a cluster, and a client.
pub struct World {
    cluster: Cluster,
    client: Client,
    namespace: Namespace,
    /// The reserved place on a shared cluster. `None` on a separate cluster.
    _place: Option<Place>,
}

#[derive(Debug)]
struct Place {
    pool: &'static Pool,
    at: usize,
    _permit: SemaphorePermit<'static>,
}

impl Pool {
    /// Creates a pool of at most `clusters` clusters. `supervisor` is the path of the program
    /// `portolan-rig`, see [`Cluster::start`].
    pub fn of(clusters: usize, supervisor: impl Into<PathBuf>) -> Self {
        Self {
            supervisor: supervisor.into(),
            clusters: (0..clusters).map(|_| Once::default()).collect(),
            taken: Mutex::new(vec![0; clusters]),
            places: Semaphore::new(clusters * PLACES),
        }
    }

    /// Waits until a cluster has a free place, and returns a new environment on the cluster. The
    /// first test on a cluster also waits until the cluster has started.
    /// # Errors
    /// The cluster fails to start, or rejects a namespace with the name of the `test`.
    pub async fn world(&'static self, test: &str) -> Result<World, Failure> {
        let place = self.place().await?;
        let cluster = self.clusters[place.at]
            .outcome(|| Cluster::with_olm(&self.supervisor))
            .await?;
        World::at(cluster.clone(), test, Some(place)).await
    }

    async fn place(&'static self) -> Result<Place, Failure> {
        let permit = self.places.acquire().await;
        let permit = permit.map_err(Failure::read("the places of a closed pool"))?;
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        // Uses the first cluster with a free place, because sharing a cluster is cheaper than
        // starting another cluster.
        let at = taken.iter().position(|&taken| taken < PLACES).unwrap_or(0);
        taken[at] += 1;
        Ok(Place {
            pool: self,
            at,
            _permit: permit,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let taken = self.pool.taken.lock();
        taken.unwrap_or_else(PoisonError::into_inner)[self.at] -= 1;
    }
}

impl fmt::Debug for World {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("World")
            .field("cluster", &self.cluster.folder())
            .field("namespace", &self.namespace())
            .finish_non_exhaustive()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.cluster.assert_no_foreign_deletes();
    }
}

impl World {
    /// Returns an environment on a separate cluster, which no other test uses.
    /// # Errors
    /// The cluster rejects a namespace with the name of the `test`.
    pub async fn on(cluster: Cluster, test: &str) -> Result<Self, Failure> {
        Self::at(cluster, test, None).await
    }

    async fn at(cluster: Cluster, test: &str, place: Option<Place>) -> Result<Self, Failure> {
        Ok(Self {
            client: cluster.client()?,
            namespace: cluster.namespace(test).await?,
            cluster,
            _place: place,
        })
    }

    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns a client with the permissions of the administrator.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the namespace of this test.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Serves a catalog to this namespace. See [`Cluster::catalog`].
    ///
    /// # Errors
    /// See [`Cluster::catalog`].
    pub async fn catalog(&self, name: &str, folder: &Path) -> Result<Catalog, Failure> {
        self.cluster.catalog(&self.namespace, name, folder).await
    }

    /// Unpacks the bundles of the catalogs in this namespace, instead of the Pods of OLM. Reads the
    /// content of images from the folder `images`, which has a subfolder with the name of each
    /// image. See [`Unpacking`].
    pub fn unpacking(&self, images: &Path) -> Unpacking {
        Unpacking::from(&self.cluster, &self.client, &self.namespace, images)
    }

    /// Returns an operator in this namespace, which is not installed yet.
    pub fn operator(&self, package: &str) -> Operator {
        Operator::of(&self.client, &self.namespace, package)
    }

    /// Returns the Pods of this namespace.
    pub fn pods(&self) -> Pods {
        Pods::of(&self.client, &self.namespace)
    }
}
