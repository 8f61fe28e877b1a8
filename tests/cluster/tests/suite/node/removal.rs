//! Tests the removal of Portolan with the commands of docs/operations.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use portolan_kit::blocks::blocks;
use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::deployed::Deployed;
use crate::kubectl::ROOT;

/// The cluster-scoped objects of a cluster.
pub(super) struct Census(BTreeSet<String>);

// === impl Census ===

impl Census {
    pub(super) async fn of(deployed: &Deployed) -> Result<Self, Failure> {
        let kinds = "api-resources --namespaced=false --verbs=list -o name";
        let line = format!("kubectl get -o name $(kubectl {kinds} | paste -sd,)");
        let all = deployed.types(&line).await?;
        // Omits Services and their addresses, which the operators of the test create.
        let lines = all.lines().filter(|line| !line.starts_with("ipaddress."));
        Ok(Self(lines.map(str::to_owned).collect()))
    }

    /// Removes Portolan. Checks that only these objects and the objects of the test are left.
    pub(super) async fn removed_as_documented(&self, deployed: &Deployed) -> Result<(), Failure> {
        for command in commands()? {
            deployed.types(&command).await?;
        }
        self.until_left(deployed, &[]).await
    }

    /// Waits until only these objects are left, and objects whose names contain one of these texts.
    pub(super) async fn until_left(
        &self,
        deployed: &Deployed,
        kept: &[&str],
    ) -> Result<(), Failure> {
        until("all objects to be gone", PATIENCE, async || {
            let now = Self::of(deployed).await?;
            let left: Vec<_> = now.0.difference(&self.0).collect();
            let left: Vec<_> = left
                .into_iter()
                .filter(|name| !kept.iter().chain(&OF_TEST).any(|part| name.contains(part)))
                .collect();
            Ok(if left.is_empty() {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{left:#?}"))
            })
        })
        .await
    }
}

/// Parts of the names of objects that the test or OLM has created, and that are not removed.
const OF_TEST: [&str; 6] = ["harbor", "yawl", "ferry", "ferries", "caller", "olm.og."];

/// Returns the commands of the section, in order.
pub(super) fn commands() -> Result<Vec<String>, Failure> {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/operations.md"));
    let page = page.map_err(Failure::touch("read a page"))?;
    let (_, section) = page.split_once("\n## Uninstall\n").expect("a section");
    let (section, _) = section.split_once("\n## ").unwrap_or((section, ""));
    let blocks = blocks(section);
    let lines = blocks.iter().filter(|block| block.language == "sh");
    let commands: Vec<_> = lines.map(|block| block.lines.join("\n")).collect();
    assert!(commands.len() > 1, "{commands:?}");
    Ok(commands)
}
