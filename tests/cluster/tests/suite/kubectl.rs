//! What people see of a cluster.

use std::path::Path;

use portolan_rig::{Cluster, Failure};

/// Writes all objects of these kinds, whose names have commas between them, into one file of a
/// folder, as kubectl gets them.
pub(crate) async fn kubectl_get(
    cluster: &Cluster,
    kinds: &str,
    folder: &Path,
) -> Result<(), Failure> {
    let mut command = cluster.binaries().command("kubectl");
    command
        .arg(format!("--kubeconfig={}", cluster.kubeconfig().display()))
        .args(["get", kinds, "-A", "-o", "yaml"]);
    let path = folder.join("all.yaml");
    let got = tokio::task::spawn_blocking(move || {
        let got = command.output().map_err(Failure::touch("run kubectl"))?;
        let said = String::from_utf8_lossy(&got.stderr);
        assert!(got.status.success(), "{said}");
        std::fs::write(path, got.stdout).map_err(Failure::touch("write what kubectl got"))
    });
    got.await.map_err(Failure::read("what kubectl got"))?
}
