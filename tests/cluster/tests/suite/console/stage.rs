//! Runs a console as a process, and logs in.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use portolan_kit::TempFolder;
use portolan_rig::{Browser, Failure, PATIENCE, Seen, Tab, World, until};
use serde_json::{Value, json};

use crate::approval::crds::create_crd;
use crate::objects::api;
use crate::own_cluster;
use crate::program::{Started, portolan};

/// The folder with the sample world.
pub(super) const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/demo");

/// Additional objects for kinds that the sample world does not contain.
const OBJECTS: &str = include_str!("objects.yaml");

/// Copies the sample world to a folder, and adds objects so that each page has content.
pub(super) fn complete_world(to: &Path) -> Result<(), Failure> {
    copy(Path::new(DEMO), to)?;
    let file = to.join("objects.yaml");
    fs::write(file, OBJECTS).map_err(Failure::touch("write the objects"))
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to).map_err(Failure::touch("make a folder"))?;
    let read = |why| Failure::touch(format!("read {}", from.display()))(why);
    for entry in fs::read_dir(from).map_err(read)? {
        let entry = entry.map_err(read)?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to).map_err(Failure::touch("copy a file"))?;
        }
    }
    Ok(())
}

/// The catalog of the sample world, in the form that the controller for Operators reads.
pub(super) const INLAND: &str = concat!(
    "--catalog=olm/inland=",
    env!("CARGO_MANIFEST_DIR"),
    "/../../deploy/demo/catalogsources/olm/inland"
);

/// Returns a cluster with the CRDs that the console needs, and a browser. Returns None if tests
/// with a cluster or a browser are skipped.
pub(super) async fn stage(name: &str) -> Result<Option<(World, Browser)>, Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(None);
    };
    let Some(browser) = Browser::open().await? else {
        return Ok(None);
    };
    let world = World::on(cluster, name).await?;
    create_crds(&world).await?;
    Ok(Some((world, browser)))
}

/// A running console. Dropping this value stops it.
pub(crate) struct Console {
    process: Started,
    /// The folder with the output of the process.
    log: TempFolder,
}

impl Console {
    /// Starts a console with these flags.
    pub(super) async fn with(flags: &[&str]) -> Result<Self, Failure> {
        Self::by("console", flags).await
    }

    /// Starts a console with another command of the program, such as `up`.
    pub(super) async fn by(command: &str, flags: &[&str]) -> Result<Self, Failure> {
        let log = TempFolder::empty();
        let file = File::create(log.join("said")).map_err(Failure::touch("make a file"))?;
        let mut started = Command::new(portolan().await?);
        started.arg(command).args(flags);
        started.stdin(Stdio::null()).stdout(Stdio::null());
        let process = Started::by(started.stderr(file))?;
        Ok(Self { process, log })
    }

    /// Starts a console that uses a kubeconfig.
    pub(crate) async fn of(kubeconfig: &Path, flags: &[&str]) -> Result<Self, Failure> {
        let kubeconfig = format!("--kubeconfig={}", kubeconfig.display());
        let first = [kubeconfig.as_str()].into_iter();
        let flags: Vec<_> = first.chain(flags.iter().copied()).collect();
        Self::with(&flags).await
    }

    /// Returns the last address in the output. The address contains a secret for one login.
    pub(super) async fn address(&self) -> Result<String, Failure> {
        until("the console to print an address", PATIENCE, async || {
            let log = fs::read_to_string(self.log.join("said")).unwrap_or_default();
            let mut urls = log.lines().filter_map(|line| line.split_once("http://"));
            let url = urls.next_back().map(|(_, url)| format!("http://{url}"));
            Ok(match url {
                Some(url) if url.contains("secret=") => Seen::Yes(url),
                _ => Seen::NotYet(log),
            })
        })
        .await
    }

    /// Logs in with the last printed address. Returns the URL of the console.
    pub(crate) async fn enter(&self, tab: &Tab) -> Result<String, Failure> {
        let url = self.address().await?;
        tab.visit(&url).await?;
        let place = url.split_once("/enter").map(|(place, _)| place);
        Ok(place.unwrap_or_default().to_owned())
    }

    /// Returns the folder of the process in /proc.
    pub(super) fn folder(&self) -> String {
        format!("/proc/{}", self.process.id())
    }
}

/// Creates the CRDs of Portolan.
async fn create_crds(world: &World) -> Result<(), Failure> {
    create_crd(world.client(), "operators.operators.operatorframework.io").await?;
    for plural in ["installplans", "resourcemanifests"] {
        create_crd(world.client(), &format!("{plural}.plans.portolan.dev")).await?;
    }
    Ok(())
}

/// Returns the API for Operators in the cluster.
pub(super) fn operators(world: &World) -> Api<DynamicObject> {
    let kind = ["operators.operatorframework.io/v1alpha1", "Operator", ""];
    api(world.client(), kind)
}

/// Creates an Operator for the package with this name.
pub(super) async fn make_operator(world: &World, name: &str) -> Result<(), Failure> {
    let object = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": name}, "spec": {"packageName": name},
    });
    let object = serde_json::from_value(object).map_err(Failure::read("an Operator"))?;
    let operators = operators(world);
    operators.create(&PostParams::default(), &object).await?;
    Ok(())
}

/// Writes the Ready condition of an Operator.
pub(super) async fn say_ready(
    world: &World,
    name: &str,
    status: &str,
    why: &str,
) -> Result<(), Failure> {
    let reason = if status == "True" {
        "Installed"
    } else {
        "NotReady"
    };
    let condition = json!({
        "type": "Ready", "status": status, "reason": reason, "message": why,
        "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1,
    });
    let status = json!({"observedGeneration": 1, "conditions": [condition]});
    let patch = Patch::Merge(json!({"status": status}));
    let operators = operators(world);
    operators
        .patch_status(name, &PatchParams::default(), &patch)
        .await?;
    Ok(())
}

/// Returns the spec of an Operator, or null.
pub(super) async fn spec(world: &World, name: &str) -> Result<Value, Failure> {
    let operator = operators(world).get_opt(name).await?;
    Ok(operator.map_or(Value::Null, |it| it.data["spec"].clone()))
}
