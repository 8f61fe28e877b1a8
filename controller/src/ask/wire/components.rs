//! Converts the updates and the manifests of installed bundles, for Operators v2alpha1.

use std::collections::BTreeSet;

use portolan_components::{PermittedUpdate, Question, brought};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_proto::resolver::v1 as pb;
use serde_json::Value;
use tonic::Status;

pub(in crate::ask) fn encode_installed(question: &Question) -> pb::ListUpgradesRequest {
    pb::ListUpgradesRequest {
        catalog: question.catalog.clone(),
        package: question.package.clone(),
        channel: String::new(),
        installed: question.bundle.clone(),
        installed_version: question.version.clone(),
    }
}

/// Returns the highest next version that each channel permits.
pub(in crate::ask) fn decode_updates(
    answer: pb::ListUpgradesResponse,
) -> BTreeSet<PermittedUpdate> {
    let mut seen = BTreeSet::new();
    let mut updates = BTreeSet::new();
    // A version without a bundle in the catalog cannot be installed, so it is left out.
    let successors = answer.successors.into_iter();
    for successor in successors.filter(|it| !it.downgrade && !it.version.is_empty()) {
        for channel in successor.channels {
            if seen.insert(channel.clone()) {
                updates.insert(PermittedUpdate {
                    channel,
                    bundle: successor.name.clone(),
                    version: successor.version.clone(),
                });
            }
        }
    }
    updates
}

pub(in crate::ask) fn decode_brought(
    bundle: &pb::GetBundleResponse,
    namespace: &str,
) -> Result<Option<BTreeSet<ObjectRef<Gvk>>>, Status> {
    let manifests = bundle.objects.iter().map(|it| serde_json::from_str(it));
    let manifests: Result<Vec<Value>, _> = manifests.collect();
    let manifests = manifests.map_err(|error| {
        Status::internal(format!(
            "the resolver sent a manifest that is not JSON: {error}"
        ))
    })?;
    Ok(brought(&manifests, namespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn successor(version: &str, channels: &[&str]) -> pb::list_upgrades_response::Successor {
        pb::list_upgrades_response::Successor {
            name: format!("ferry.v{version}"),
            version: version.to_owned(),
            channels: channels.iter().map(|it| (*it).to_owned()).collect(),
            ..Default::default()
        }
    }

    #[test]
    fn each_channel_has_its_highest_update() {
        let mut down = successor("0.9.0", &["old"]);
        down.downgrade = true;
        let mut absent = successor("9.0.0", &["lost"]);
        absent.version.clear();
        let answer = pb::ListUpgradesResponse {
            successors: vec![
                absent,
                successor("2.0.0", &["beta"]),
                successor("1.1.0", &["beta", "stable"]),
                down,
            ],
            ..Default::default()
        };
        let updates = decode_updates(answer).into_iter();
        let updates: Vec<_> = updates.map(|it| (it.channel, it.version)).collect();
        let expected = [("beta", "2.0.0"), ("stable", "1.1.0")];
        assert_eq!(updates, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
