//! Runs kubectl as a user does.

use std::fs;
use std::path::{Path, PathBuf};

use kube::Client;
use portolan_kit::TempFolder;
use portolan_rig::{Cluster, Failure};
use serde_json::json;

use crate::objects::listed;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::program::output;

/// The working directory of commands: the root of the repository.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Writes all objects of these kinds into a file in a folder, as `kubectl get` prints them. The
/// kinds are separated by commas.
pub(crate) async fn kubectl_get(
    cluster: &Cluster,
    kinds: &str,
    folder: &Path,
) -> Result<(), Failure> {
    let kubectl = Kubectl::of(cluster);
    let got = kubectl.run(&["get", kinds, "-A", "-o", "yaml"]).await?;
    fs::write(folder.join("all.yaml"), got).map_err(Failure::touch("write what kubectl got"))
}

/// Writes all objects of these kinds in the format of `kubectl get -o json`. This function does not
/// run kubectl, so it is several times faster.
pub(crate) async fn list_into(
    client: &Client,
    kinds: &[[&str; 2]],
    folder: &Path,
) -> Result<(), Failure> {
    let mut items = Vec::new();
    for [api_version, kind] in kinds {
        items.extend(listed(client, [api_version, kind, ""]).await?);
    }
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    fs::write(folder.join("all.json"), list.to_string())
        .map_err(Failure::touch("write what was listed"))
}

/// Runs kubectl as the administrator.
pub(crate) struct Kubectl {
    kubeconfig: PathBuf,
    cluster: Cluster,
}

impl Kubectl {
    pub(crate) fn of(cluster: &Cluster) -> Self {
        Self {
            kubeconfig: cluster.kubeconfig(),
            cluster: cluster.clone(),
        }
    }

    /// Returns the output of kubectl. Panics if kubectl fails.
    pub(crate) async fn run(&self, words: &[&str]) -> Result<String, Failure> {
        let answer = self.try_run(words).await?;
        Ok(answer.unwrap_or_else(|message| panic!("kubectl {words:?}: {message}")))
    }

    /// Returns the output of kubectl, or its error. Uses an empty discovery cache, because a filled
    /// cache may lack a new kind.
    pub(crate) async fn try_run_uncached(
        &self,
        words: &[&str],
    ) -> Result<Result<String, String>, Failure> {
        let folder = TempFolder::empty();
        let cache = format!("--cache-dir={}", folder.display());
        self.try_run(&[&[&*cache], words].concat()).await
    }

    /// Returns the output of kubectl, or its error.
    pub(crate) async fn try_run(&self, words: &[&str]) -> Result<Result<String, String>, Failure> {
        let mut command = self.cluster.binaries().command("kubectl");
        command
            .arg(kubeconfig_flag(&self.kubeconfig))
            .args(words)
            .current_dir(ROOT);
        let output = output(command).await?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        Ok(if output.status.success() {
            Ok(text(&output.stdout))
        } else {
            Err(text(&output.stderr))
        })
    }
}
