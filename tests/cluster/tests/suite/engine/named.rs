//! Two kinds have the name InstallPlan. On a cluster with OLM, kubectl resolves the short name to
//! the kind of OLM.

use std::fs;

use portolan_kit::TempFolder;
use portolan_rig::{Cluster, Failure, PATIENCE, Seen, until};

use super::ground::define;
use crate::kubectl::Kubectl;
use crate::own_cluster;

const OLM: &str = "operators.coreos.com/v1alpha1";
const OURS: &str = "plans.portolan.dev/v1alpha1";
const OLMS: &str = "crd/installplans.operators.coreos.com";
const CRDS: [&str; 3] = [
    OLMS,
    "crd/installplans.plans.portolan.dev",
    "crd/resourcemanifests.plans.portolan.dev",
];

const PLAN_OF_OLM: &str = "\
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {name: olm, namespace: default}
spec: {approval: Automatic, approved: true, clusterServiceVersionNames: []}
";
const PLAN_OF_OURS: &str = "\
apiVersion: plans.portolan.dev/v1alpha1
kind: InstallPlan
metadata: {name: ours, namespace: default}
spec: {serviceAccountName: a, stages: [{name: a, resources: [{ref: {name: a}}]}]}
";

#[tokio::test]
async fn short_name_resolves_to_kind_of_olm_in_both_orders() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let user = User::of(&cluster);
    user.defines_olm().await?;
    user.writes(PLAN_OF_OLM).await?;
    user.gets("installplan", OLM).await?;
    // On some API servers, another kind has this short name, even without OLM.
    let ip = user
        .got("ip")
        .await?
        .unwrap_or_else(|output| panic!("{output}"));
    println!("with OLM alone, ip means {ip}");

    define(&user.kubectl).await?;
    user.writes(PLAN_OF_OURS).await?;
    user.means_olm(&ip).await?;

    let [olms, ours, manifests] = CRDS;
    user.kubectl.run(&["delete", olms, ours, manifests]).await?;
    define(&user.kubectl).await?;
    user.writes(PLAN_OF_OURS).await?;
    user.gets("installplan", OURS).await?;
    user.defines_olm().await?;
    user.writes(PLAN_OF_OLM).await?;
    user.means_olm(&ip).await
}

/// A user who types names of kinds. kubectl has no cache, so it always finds the current kinds.
struct User {
    kubectl: Kubectl,
    /// The name of OLM's CRD.
    olm: String,
}

impl User {
    fn of(cluster: &Cluster) -> Self {
        let folder = cluster.binaries().folder().join("crds");
        let files = fs::read_dir(folder).expect("the CRDs of OLM");
        let mut files = files.flatten().map(|file| file.path());
        let olm = files.find(|file| {
            let text = fs::read_to_string(file).expect("a CRD");
            text.contains("\n  name: installplans.operators.coreos.com\n")
        });
        Self {
            kubectl: Kubectl::of(cluster),
            olm: olm.expect("the CRD of InstallPlans").display().to_string(),
        }
    }

    async fn defines_olm(&self) -> Result<(), Failure> {
        let apply = ["apply", "--server-side", "-f", &self.olm];
        self.kubectl.run(&apply).await?;
        let established = "--for=condition=Established";
        let wait = ["wait", established, OLMS, "--timeout=180s"];
        self.kubectl.run(&wait).await?;
        Ok(())
    }

    /// Applies a manifest. Repeats this, because a kind may be established shortly before kubectl
    /// can find it.
    async fn writes(&self, manifest: &str) -> Result<(), Failure> {
        let folder = TempFolder::empty();
        let file = folder.join("plan.yaml");
        fs::write(&file, manifest).map_err(Failure::touch("write a manifest"))?;
        let file = file.display().to_string();
        until("a plan to be written", PATIENCE, async || {
            Ok(
                match self
                    .kubectl
                    .try_run_uncached(&["create", "-f", &file])
                    .await?
                {
                    Ok(_) => Seen::Yes(()),
                    Err(output) => Seen::NotYet(output),
                },
            )
        })
        .await
    }

    async fn means_olm(&self, ip: &str) -> Result<(), Failure> {
        for (word, version) in [
            ("pplan", OURS),
            ("installplan.plans.portolan.dev", OURS),
            ("installplans.plans.portolan.dev", OURS),
            ("installplan", OLM),
            ("installplans", OLM),
            ("InstallPlan", OLM),
            ("installplan.operators.coreos.com", OLM),
            ("ip", ip),
        ] {
            self.gets(word, version).await?;
        }
        Ok(())
    }

    /// Waits until kubectl resolves a word for a kind to objects of this API version.
    async fn gets(&self, word: &str, version: &str) -> Result<(), Failure> {
        until(format!("{word} to be of {version}"), PATIENCE, async || {
            Ok(match self.got(word).await? {
                Ok(got) if got == version => Seen::Yes(()),
                Ok(output) | Err(output) => Seen::NotYet(output),
            })
        })
        .await
    }

    /// Returns the API version of the first object in the output of kubectl.
    async fn got(&self, word: &str) -> Result<Result<String, String>, Failure> {
        let version = "jsonpath={.items[0].apiVersion}";
        self.kubectl
            .try_run_uncached(&["get", word, "-A", "-o", version])
            .await
    }
}
