//! Prepares clusters for tests on a node.

use std::path::PathBuf;
use std::process::Command;

use portolan_rig::image::{CERTIFICATES, Image, Program, Start};
use portolan_rig::{Cluster, Failure, PATIENCE, Parts, Seen, World, is_node_left_out, until};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::program::{output, portolan};
use crate::{SUPERVISOR, begin};

/// Returns a namespace on a separate cluster with a node. Returns `None` if these tests are
/// skipped.
pub(super) async fn node_world(test: &str) -> Result<Option<World>, Failure> {
    let Some(cluster) = node_cluster().await? else {
        return Ok(None);
    };
    World::on(cluster, test).await.map(Some)
}

/// Returns a namespace on a separate cluster with a node and OLM. The programs of OLM run as
/// processes.
pub(super) async fn olm_node_world(test: &str) -> Result<Option<World>, Failure> {
    let Some(cluster) = cluster_with(with_olm(true)).await? else {
        return Ok(None);
    };
    World::on(cluster, test).await.map(Some)
}

/// Returns a separate cluster with a node. Returns `None` if these tests are skipped.
pub(super) async fn node_cluster() -> Result<Option<Cluster>, Failure> {
    cluster_with(with_olm(false)).await
}

fn with_olm(olm: bool) -> Parts {
    Parts {
        olm,
        node: true,
        ..Parts::default()
    }
}

/// Returns a cluster with these parts, or `None` if tests on a node are skipped.
pub(super) async fn cluster_with(parts: Parts) -> Result<Option<Cluster>, Failure> {
    if is_node_left_out() || !begin() {
        return Ok(None);
    }
    Cluster::with(parts, SUPERVISOR).await.map(Some)
}

/// Returns an image of the test operator with these environment variables.
pub(super) async fn operator_image(env: &[(&str, &str)]) -> Result<Image, Failure> {
    static PROGRAM: OnceCell<Program> = OnceCell::const_new();
    let program = PROGRAM
        .get_or_try_init(|| program("ferry-operator"))
        .await?;
    program.image(start(env))
}

/// Returns the image of `portolan` from this build.
pub(super) async fn portolan_image() -> Result<Image, Failure> {
    program("portolan").await?.image(start(&[]))
}

fn start(env: &[(&str, &str)]) -> Start {
    let env = env.iter();
    Start {
        env: env
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        ..Start::default()
    }
}

async fn program(name: &'static str) -> Result<Program, Failure> {
    let read = tokio::task::spawn_blocking(move || {
        let built = if name == "portolan" {
            portolan_kit::portolan()
        } else {
            portolan_kit::built(name)
        };
        let path: PathBuf = built.map_err(Failure::touch(format!("build {name}")))?;
        let program = Program::with_libraries(&path)?.stripped()?;
        Ok(program.with_certificates(CERTIFICATES.as_ref()))
    });
    read.await.map_err(Failure::read("the end of a build"))?
}

/// Returns the security context of a container that the restricted Pod Security Standard requires.
pub(super) fn restricted() -> Value {
    json!({
        "runAsNonRoot": true,
        "readOnlyRootFilesystem": true,
        "allowPrivilegeEscalation": false,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    })
}

/// Returns a probe for this path that is checked every second.
pub(super) fn probe(path: &str, port: u16) -> Value {
    json!({"httpGet": {"path": path, "port": port}, "periodSeconds": 1})
}

/// Runs a command of Portolan with the cluster, until its output contains all these texts.
pub(super) async fn until_printed(
    world: &World,
    words: &[&str],
    texts: &[&str],
) -> Result<String, Failure> {
    let program = portolan().await?;
    let kubeconfig = world.cluster().kubeconfig();
    until(
        format!("{words:?} to print {texts:?}"),
        PATIENCE,
        async || {
            let mut command = Command::new(&program);
            command.args(words).arg("--kubeconfig").arg(&kubeconfig);
            command.env_remove("PORTOLAN_SERVER");
            let printed = output(command).await?;
            let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
            let mut missing = texts.iter().filter(|text| !printed.contains(**text));
            Ok(match missing.next() {
                None => Seen::Yes(printed),
                Some(text) => Seen::NotYet(format!("no {text:?} in {printed}")),
            })
        },
    )
    .await
}
