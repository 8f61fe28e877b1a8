//! The record of a removal in the status. The controller writes it before it deletes the first
//! object.
//!
//! The values are part of the API and must not change. The phase is the name of the current stage.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::{RemovalRecord, RemovedObject, RemovedState};
use portolan_core_olm::ServedApi;

use super::case::RemovalCase;
use super::crds::remaining;
use super::disposition::Disposition;
use super::inventory::{Inventory, Item, Progress};
use super::stage::Stage;
use crate::desired::Target;

/// The phase of a complete removal.
const DONE: &str = "Done";

const API_SERVICE: (&str, &str) = ("apiregistration.k8s.io/v1", "APIService");

/// Returns true if an object was recorded for deletion.
pub(super) fn is_going(object: &RemovedObject) -> bool {
    match object.parsed_state() {
        Some(RemovedState::Pending | RemovedState::Deleting | RemovedState::Gone) => true,
        Some(RemovedState::Keep | RemovedState::ByOlm) | None => false,
    }
}

/// Returns true if the deletion of a recorded object has begun.
pub(crate) fn is_begun(object: &RemovedObject) -> bool {
    match object.parsed_state() {
        Some(RemovedState::Deleting | RemovedState::Gone) => true,
        Some(RemovedState::Keep | RemovedState::Pending | RemovedState::ByOlm) | None => false,
    }
}

/// Returns the record of the removal in its current state.
pub(super) fn record(removal: &RemovalCase<'_>, inventory: &Inventory) -> RemovalRecord {
    let started = removal.record().and_then(|record| record.started.clone());
    RemovalRecord {
        started: Some(started.unwrap_or(Time(removal.now))),
        ..plan(removal, inventory)
    }
}

/// Returns the record for a removal that has not begun, so without a start time.
pub(super) fn plan(removal: &RemovalCase<'_>, inventory: &Inventory) -> RemovalRecord {
    let objects = inventory.items.iter().map(recorded);
    let phase = inventory.stage().map_or(DONE, Stage::phase);
    RemovalRecord {
        objects: objects.chain(api_services(removal, inventory)).collect(),
        phase: Some(phase.to_owned()),
        remaining: remaining(removal, inventory),
        started: None,
    }
}

fn recorded(item: &Item) -> RemovedObject {
    let Target {
        api_version,
        kind,
        namespace,
        name,
        uid,
        resource_version: _,
    } = &item.target;
    let state = match (&item.disposition, item.progress) {
        (Disposition::Keep(_), _) => RemovedState::Keep,
        (Disposition::Delete, Progress::Present) => RemovedState::Pending,
        (Disposition::Delete, Progress::Terminating | Progress::Deleted) => RemovedState::Deleting,
        (Disposition::Delete, Progress::Gone) => RemovedState::Gone,
    };
    RemovedObject {
        api_version: (*api_version).to_owned(),
        kind: (*kind).to_owned(),
        name: name.clone(),
        namespace: namespace.clone(),
        state: Some(state.to_string()),
        uid: Some(uid.clone()).filter(|uid| !uid.is_empty()),
    }
}

/// Returns the APIServices of the existing ClusterServiceVersions, and the recorded APIServices.
/// OLM deletes the APIServices together with their ClusterServiceVersion. The controller never
/// deletes them.
fn api_services(removal: &RemovalCase<'_>, inventory: &Inventory) -> Vec<RemovedObject> {
    let before = removal
        .record()
        .into_iter()
        .flat_map(|record| &record.objects);
    let before = before
        .filter(|object| (object.api_version.as_str(), object.kind.as_str()) == API_SERVICE)
        .map(|object| (object.name.clone(), object.clone()));
    let mut all: BTreeMap<String, RemovedObject> = before.collect();
    for item in inventory.at(Stage::Csvs) {
        let state = match &item.disposition {
            Disposition::Delete => RemovedState::ByOlm,
            Disposition::Keep(_) => RemovedState::Keep,
        };
        for name in served(removal, item) {
            all.insert(name.clone(), api_service(name, state));
        }
    }
    all.into_values().collect()
}

/// Returns the names of the APIServices that a ClusterServiceVersion owns.
pub(super) fn served(removal: &RemovalCase<'_>, item: &Item) -> Vec<String> {
    let mut csvs = removal.csvs().iter();
    let csv = csvs.find(|csv| csv.metadata.uid.as_deref() == Some(item.target.uid.as_str()));
    let apis = csv.map(|csv| csv.spec.served.owned.as_slice());
    let mut names: Vec<_> = apis
        .unwrap_or_default()
        .iter()
        .map(ServedApi::api_service)
        .collect();
    names.sort();
    names.dedup();
    names
}

fn api_service(name: String, state: RemovedState) -> RemovedObject {
    let (api_version, kind) = API_SERVICE;
    RemovedObject {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
        name,
        state: Some(state.to_string()),
        ..RemovedObject::default()
    }
}
