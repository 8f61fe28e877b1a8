//! The expected Installed objects, computed at once from all objects that kubectl returns.

use std::collections::BTreeMap;
use std::fs;

use portolan_kit::TempFolder;
use portolan_rig::Failure;
use serde_json::Value;

use super::stage::Berth;
use crate::program::{output, portolan};

/// The kinds that Installed are computed from.
const KINDS: &str = "namespaces,clusterserviceversions.operators.coreos.com,\
                     subscriptions.operators.coreos.com,operatorgroups.operators.coreos.com";
/// The additional kinds, if Portolan installs operators without OLM.
const OWN_KINDS: &str =
    ",operators.operators.operatorframework.io,resourcemanifests.plans.portolan.dev";

/// The Installed, by namespace and name.
pub(super) type Installed = BTreeMap<String, Value>;

// === impl Berth ===

impl Berth {
    /// Returns all Installed that `portolan installed` computes from files.
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

    /// Returns all Installed that the server lists.
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

/// Removes the resource versions, which objects from files do not have.
pub(super) fn by_name(items: Vec<Value>) -> Installed {
    let items = items.into_iter().map(|mut item| {
        let metadata = item["metadata"].as_object_mut().expect("metadata");
        metadata.remove("resourceVersion").expect("a version");
        let text = |name: &str| metadata[name].as_str().unwrap_or_default().to_owned();
        (format!("{}/{}", text("namespace"), text("name")), item)
    });
    items.collect()
}

/// Returns the differences in a few lines, or None.
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
