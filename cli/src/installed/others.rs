//! Finds operators that the API of Installed does not list.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_api::installs::Install;
use portolan_api::inventory::{Inventory, InventoryObjects, Manager};
use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use portolan_core_names::Key;
use portolan_core_names::text::listed;
use portolan_core_olm::ClusterExtension;
use portolan_world::{AnyWorld, Kind, World as _};

use crate::print::words;
use crate::program_name::ProgramName;

/// Returns a note about operators that are not listed, because the namespaces that they watch are
/// unknown. Ignores kinds that cannot be read.
pub(super) async fn note_of_others(world: &AnyWorld) -> Option<String> {
    let (operators, plans, extensions, installs) = tokio::join!(
        known::<Operator>(world),
        known::<InstallPlan>(world),
        known::<ClusterExtension>(world),
        known::<Install>(world),
    );
    note(&Inventory::of(&InventoryObjects {
        operators: all(&operators),
        plans: all(&plans),
        extensions: all(&extensions),
        installs: all(&installs),
        ..InventoryObjects::default()
    }))
}

type Known<K> = Arc<BTreeMap<Key, Arc<K>>>;

async fn known<K: Kind>(world: &AnyWorld) -> Known<K> {
    let mut objects = world.objects::<K>();
    let view = objects.known().await;
    view.map(|view| view.objects).unwrap_or_default()
}

fn all<K>(known: &Known<K>) -> Vec<&K> {
    known.values().map(|object| &**object).collect()
}

fn note(inventory: &Inventory) -> Option<String> {
    let installed = inventory.operators().iter().filter(|it| it.is_installed);
    let count = |manager: Manager| {
        let count = installed.clone().filter(|it| it.manager == manager).count();
        (count > 0).then(|| words::count(count, manager.as_str()))
    };
    let others = [Manager::ClusterExtension, Manager::Install, Manager::Plan];
    let counts: Vec<_> = others.into_iter().filter_map(count).collect();
    let program = ProgramName::now().typed();
    (!counts.is_empty()).then(|| {
        format!(
            "Not listed: the operators of {}, because their watched namespaces are unknown. `{program} health` lists the operators of all installers.",
            listed(&counts)
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn note_counts_operators_of_other_installers() {
        assert_eq!(note(&Inventory::default()), None);
        let extension = |name: &str, installed: bool| {
            let bundle = json!({"name": "ferry.v1.0.0", "version": "1.0.0"});
            let status = if installed {
                json!({"install": {"bundle": bundle}})
            } else {
                json!({})
            };
            serde_json::from_value::<ClusterExtension>(json!({
                "metadata": {"name": name}, "status": status,
            }))
        };
        let extensions = [("a", true), ("b", true), ("c", false)];
        let extensions = extensions.map(|(name, installed)| extension(name, installed));
        let extensions: Vec<_> = extensions
            .into_iter()
            .collect::<Result<_, _>>()
            .expect("JSON");
        let inventory = Inventory::of(&InventoryObjects {
            extensions: extensions.iter().collect(),
            ..InventoryObjects::default()
        });
        let note = note(&inventory).expect("a note");
        assert!(
            note.starts_with("Not listed: the operators of 2 ClusterExtensions, "),
            "{note}"
        );
    }
}
