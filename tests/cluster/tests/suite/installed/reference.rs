//! Computes the expected Installed objects, from all objects that kubectl returns.

use std::collections::BTreeMap;
use std::fs;

use portolan_kit::TempFolder;
use portolan_rig::Failure;
use serde_json::Value;

use super::stage::Berth;
use crate::program::{output, portolan};

/// The kinds from which Installed objects are computed.
const KINDS: &str = "namespaces,clusterserviceversions.operators.coreos.com,\
                     subscriptions.operators.coreos.com,operatorgroups.operators.coreos.com";
/// The additional kinds, if Portolan installs operators without OLM.
const OWN_KINDS: &str =
    ",operators.operators.operatorframework.io,resourcemanifests.plans.portolan.dev";

/// Installed objects by namespace and name.
pub(super) type Installed = BTreeMap<String, Value>;

// === impl Berth ===

impl Berth {
    /// Returns the Installed objects that `portolan installed` computes from files.
    pub(super) async fn reference(&self) -> Result<Installed, Failure> {
        let reported = self.try_reference().await?;
        Ok(reported.unwrap_or_else(|message| panic!("kubectl get: {message}")))
    }

    /// Returns the reference, or the error of kubectl.
    pub(super) async fn try_reference(&self) -> Result<Result<Installed, String>, Failure> {
        let folder = TempFolder::empty();
        let own = if self.has_own_kinds { OWN_KINDS } else { "" };
        let kinds = format!("{KINDS}{own}");
        let got = match self.try_run(&["get", &kinds, "-A", "-o=yaml"]).await? {
            Ok(got) => got,
            Err(message) => return Ok(Err(message)),
        };
        fs::write(folder.join("all.yaml"), got).map_err(Failure::touch("write objects"))?;
        let mut command = std::process::Command::new(portolan().await?);
        command.args(["installed", "-A", "-o=json", "--world"]);
        let reported = output({
            command.arg(&*folder);
            command
        })
        .await?;
        let message = String::from_utf8_lossy(&reported.stderr).into_owned();
        assert!(reported.status.success(), "{message}");
        list(&reported.stdout).map(Ok)
    }

    /// Returns the Installed objects that the server lists.
    pub(super) async fn served(&self) -> Result<Installed, Failure> {
        let got = self.run(&["get", "installed", "-A", "-o=json"]).await?;
        list(got.as_bytes())
    }
}

fn list(json: &[u8]) -> Result<Installed, Failure> {
    let list: Value = serde_json::from_slice(json).map_err(Failure::read("a list"))?;
    let items = list["items"].as_array().cloned().unwrap_or_default();
    Ok(by_name(items))
}

/// Returns the objects by name. Removes resource versions, because objects from files have no
/// resource version.
pub(super) fn by_name(items: Vec<Value>) -> Installed {
    let items = items.into_iter().map(|mut item| {
        let metadata = item["metadata"].as_object_mut().expect("metadata");
        metadata.remove("resourceVersion").expect("a version");
        let text = |name: &str| metadata[name].as_str().unwrap_or_default().to_owned();
        (format!("{}/{}", text("namespace"), text("name")), item)
    });
    items.collect()
}

/// Describes the differences in a few lines. Returns None if there are no differences.
pub(super) fn difference(found: &Installed, wanted: &Installed) -> Option<String> {
    let keys = found.keys().chain(wanted.keys());
    let mut other = keys.filter(|key| found.get(*key) != wanted.get(*key));
    let first = other.next()?;
    let reported = |of: &Installed| of.get(first).map_or("nothing".to_owned(), Value::to_string);
    Some(format!(
        "{first}\n  is     {}\n  wanted {}\nand {} more",
        reported(found),
        reported(wanted),
        other.count()
    ))
}
