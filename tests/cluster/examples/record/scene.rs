//! Runs a scenario in a namespace, and records the objects of the namespace.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::api::DynamicObject;
use portolan_kit::TempFolder;
use portolan_rig::{Cluster, Failure, Kind, Seen, World, until};

/// The maximum wait for a state. It is longer than all timeouts of OLM.
const PATIENCE: Duration = Duration::from_secs(20 * 60);
/// The time in which OLM notices a change, if it notices the change at all.
const CALM: Duration = Duration::from_secs(40);

/// The namespaced kinds that a diagnosis reads.
const KINDS: &str = "catalogsources.operators.coreos.com,\
    clusterserviceversions.operators.coreos.com,installplans.operators.coreos.com,\
    operatorconditions.operators.coreos.com,operatorgroups.operators.coreos.com,\
    subscriptions.operators.coreos.com,serviceaccounts,deployments.apps,replicasets.apps,\
    jobs.batch,pods,events";

/// The namespace of a story. Its objects are recorded.
pub(crate) struct Scene {
    pub(crate) world: World,
    name: &'static str,
    fixtures: PathBuf,
}

/// A served catalog, and its content.
pub(crate) struct Served {
    pub(crate) catalog: portolan_rig::Catalog,
    offered: portolan_kit::Catalog,
    _folder: TempFolder,
}

impl Scene {
    pub(crate) async fn on(
        cluster: &Cluster,
        name: &'static str,
        fixtures: &Path,
    ) -> Result<Self, Failure> {
        Ok(Self {
            world: World::on(cluster.clone(), name).await?,
            name,
            fixtures: fixtures.to_owned(),
        })
    }

    /// Serves a catalog to the namespace.
    pub(crate) async fn serve(&self, offered: portolan_kit::Catalog) -> Result<Served, Failure> {
        let folder = offered.temp();
        Ok(Served {
            catalog: self.world.catalog("fleet", &folder).await?,
            offered,
            _folder: folder,
        })
    }

    /// Waits until `is_so` returns true for an object. The text `what` describes this state.
    pub(crate) async fn sees(
        &self,
        kind: Kind,
        name: &str,
        what: &str,
        is_so: impl Fn(&DynamicObject) -> bool,
    ) -> Result<(), Failure> {
        self.tell(&format!("waits for {what}"));
        let objects = kind.within(self.world.client(), self.world.namespace());
        until(what, PATIENCE, async || {
            Ok(match objects.get_opt(name).await? {
                Some(object) if is_so(&object) => Seen::Yes(()),
                Some(object) => Seen::NotYet(object.data["status"].to_string()),
                None => Seen::NotYet(format!("{name} does not exist")),
            })
        })
        .await
    }

    /// Waits until a ClusterServiceVersion has this phase and this reason.
    pub(crate) async fn judged(&self, csv: &str, phase: &str, reason: &str) -> Result<(), Failure> {
        let what = format!("{csv} to be {phase} {reason}");
        let kind = Kind::ClusterServiceVersion;
        self.sees(kind, csv, &what, |object| {
            let status = &object.data["status"];
            status["phase"] == phase && status["reason"] == reason
        })
        .await
    }

    /// Waits long enough for OLM to notice a change, if it notices the change at all.
    pub(crate) async fn calm(&self) {
        tokio::time::sleep(CALM).await;
    }

    /// Writes the objects of the namespace, these CRDs and the catalog to the folder `name`.
    pub(crate) async fn record(
        &self,
        name: &str,
        served: &Served,
        definitions: &[&str],
    ) -> Result<(), Failure> {
        let folder = self.fixtures.join(name);
        let absent = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
        match fs::remove_dir_all(&folder) {
            Err(error) if !absent(&error) => return Err(Failure::touch("clear a folder")(error)),
            Ok(()) | Err(_) => {}
        }
        let objects = folder.join("world");
        fs::create_dir_all(&objects).map_err(Failure::touch("make a folder"))?;
        served.offered.write(&folder.join("catalog"));
        let namespace = ["-n", self.world.namespace()];
        let all = [&["get", KINDS][..], &namespace].concat();
        self.kubectl(&all, &objects.join("objects.yaml")).await?;
        if !definitions.is_empty() {
            let all = [&["get", "customresourcedefinitions"], definitions].concat();
            self.kubectl(&all, &objects.join("definitions.yaml"))
                .await?;
        }
        self.tell(&format!("is recorded as {name}"));
        Ok(())
    }

    async fn kubectl(&self, words: &[&str], file: &Path) -> Result<(), Failure> {
        let cluster = self.world.cluster();
        let mut command = cluster.binaries().command("kubectl");
        command.arg(format!("--kubeconfig={}", cluster.kubeconfig().display()));
        command.args(words).args(["-o", "yaml"]);
        let got = tokio::task::spawn_blocking(move || command.output()).await;
        let got = got.map_err(Failure::read("what kubectl got"))?;
        let got = got.map_err(Failure::touch("run kubectl"))?;
        assert!(
            got.status.success(),
            "{}",
            String::from_utf8_lossy(&got.stderr)
        );
        fs::write(file, got.stdout).map_err(Failure::touch("write what kubectl got"))
    }

    fn tell(&self, what: &str) {
        eprintln!("record: {} {what}", self.name);
    }
}
