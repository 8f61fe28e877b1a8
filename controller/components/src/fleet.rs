//! The Operators v2alpha1 that are installed from catalogs.

use std::collections::BTreeMap;

use portolan_api::installs::Install;
use portolan_core_components::{
    FleetOperator, Install as SeenInstall, OperatorFleet, Resident, ResidentFacts, Source, Stored,
    Subscription,
};
use portolan_core_olm::{Api, ClusterServiceVersion};
use portolan_runtime::MetadataWatch;
use portolan_world::{Area, Followed, Key, Notifier, World};
use serde_json::{Value, json};

/// The watched objects from which the fleet is computed. The fleet contains all Operators that are
/// installed from catalogs.
#[derive(Debug)]
pub(crate) struct FleetView {
    installs: Followed<Install>,
    csvs: Followed<ClusterServiceVersion>,
}

impl FleetView {
    pub(crate) fn of(world: &impl World, notifier: &Notifier) -> Self {
        Self {
            installs: Followed::of(world.objects_in(Area::everywhere()), notifier),
            csvs: Followed::of(world.objects_in(Area::everywhere()), notifier),
        }
    }

    pub(crate) fn is_heard(&self) -> bool {
        self.installs.is_heard() && self.csvs.is_heard()
    }

    /// Applies changes. Returns true if an object has changed.
    pub(crate) fn look(&mut self) -> bool {
        let [installs, csvs] = [
            self.installs.look().is_nothing(),
            self.csvs.look().is_nothing(),
        ];
        !installs || !csvs
    }

    /// Returns the current fleet.
    pub(crate) fn fleet<'s>(
        &self,
        operators: Option<&MetadataWatch>,
        subscriptions: impl Iterator<Item = &'s Subscription>,
    ) -> OperatorFleet {
        let operators = operators.map(MetadataWatch::now);
        let operators = operators.iter().flat_map(|it| it.objects.iter());
        let members = operators.filter_map(|(key, object)| {
            let member = self.member(key, &object.json)?;
            Some((key.name.to_string(), member))
        });
        let csvs = self.csvs.all().filter(|(_, csv)| !csv.is_copied());
        OperatorFleet {
            members: members.collect(),
            present: csvs.map(|(key, csv)| resident(key, csv)).collect(),
            subscribed: subscriptions.map(|it| it.package.clone()).collect(),
        }
    }

    /// Returns an Operator as a member of the fleet. Returns None if the Operator is not installed
    /// from a catalog.
    fn member(&self, key: &Key, json: &str) -> Option<FleetOperator> {
        // OLM has created most Operators, and these Operators request no package. This check avoids
        // parsing them.
        if !json.contains("catalogSource") {
            return None;
        }
        let object: Value = serde_json::from_str(json).ok()?;
        let stored = Stored::of(&object);
        let source = Source::of(stored.spec.as_ref())?.ok()?;
        let metadata = &object["metadata"];
        let install = self.installs.shared(&Key::new("", &key.name));
        let install = install.map(|it| SeenInstall::of(&json!(**it)));
        let uid = metadata["uid"].as_str().unwrap_or_default();
        let own = install.filter(|it| it.owners.contains(uid));
        Some(FleetOperator {
            source,
            is_deleting: !metadata["deletionTimestamp"].is_null(),
            held: own.map(|it| it.held),
        })
    }
}

/// Returns the installed operator that a ClusterServiceVersion represents.
fn resident(key: &Key, csv: &ClusterServiceVersion) -> Resident {
    Resident {
        package: csv.package().unwrap_or_default(),
        name: key.name.to_string(),
        version: csv.spec.version.clone(),
        facts: Some(ResidentFacts {
            provides: csv.owned().map(api).collect(),
            requires: csv.required().map(api).collect(),
            packages: csv.required_packages(),
        }),
    }
}

fn api(api: Api) -> [String; 3] {
    [api.group, api.version, api.kind].map(|it| it.to_string())
}

/// Returns the Operators that a change of the fleet affects. If the fleet has changed, these are
/// all Operators, because each Operator may affect every other Operator.
pub(crate) fn touched(before: &OperatorFleet, after: &OperatorFleet) -> Vec<Key> {
    let members: BTreeMap<_, _> = before.members.iter().chain(&after.members).collect();
    members.keys().map(|name| Key::new("", name)).collect()
}
