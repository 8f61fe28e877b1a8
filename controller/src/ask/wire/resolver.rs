//! Converts the responses of the resolver about catalogs, packages, bundles and upgrades.

use std::collections::BTreeMap;

use portolan_core_operatorpolicy::{Bundle, Channel, Modes, Obstacle, Offer, ReachableBundles};
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::watch_catalogs_response;
use serde_json::Value;

use super::optional;
use crate::ask::followed::{Event, Message, StreamKey};
use crate::ask::status::sentence;
use crate::ask::streams::CatalogStatus;

/// The annotation of a ClusterServiceVersion with the namespace that its author suggests.
const SUGGESTED: &str = "operatorframework.io/suggested-namespace";

/// A package, with the data that later requests need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::ask) struct Packaged {
    pub(in crate::ask) offer: Offer,
    /// The bundle at the head of each channel.
    pub(in crate::ask) heads: BTreeMap<String, String>,
}

pub(in crate::ask) fn decode_catalogs(
    response: pb::WatchCatalogsResponse,
) -> Message<CatalogStatus> {
    let pb::WatchCatalogsResponse {
        epoch,
        revision: _,
        event,
    } = response;
    let event = match event {
        Some(watch_catalogs_response::Event::Changed(catalog)) => {
            let mark = decode_status(&catalog);
            Event::Is(catalog_key(catalog.name), mark)
        }
        Some(watch_catalogs_response::Event::Gone(gone)) => Event::Gone(catalog_key(gone.name)),
        Some(watch_catalogs_response::Event::Synced(_)) => Event::Synced,
        Some(watch_catalogs_response::Event::Reset(_)) => Event::Reset,
        Some(watch_catalogs_response::Event::Heartbeat(_)) | None => Event::Nothing,
    };
    Message { epoch, event }
}

/// Returns the stream key of a catalog. The resolver writes the name of a catalog as one text.
fn catalog_key(name: String) -> StreamKey {
    StreamKey {
        namespace: String::new(),
        kind: String::new(),
        name,
    }
}

fn decode_status(catalog: &pb::Catalog) -> CatalogStatus {
    let reason = catalog.reasons.first();
    CatalogStatus {
        state: catalog.state(),
        digest: catalog.digest.clone(),
        priority: catalog.priority,
        labels: catalog.labels.clone().into_iter().collect(),
        since: catalog.since.clone(),
        why: reason.map_or_else(String::new, |reason| sentence(&reason.message)),
    }
}

pub(in crate::ask) fn decode_package(answer: pb::GetPackageResponse) -> Packaged {
    let pb::GetPackageResponse {
        catalogs,
        default_channel,
        deprecation,
        channels,
        bundles,
        ..
    } = answer;
    let from = catalogs.into_iter().next().unwrap_or_default();
    let head = |channel: &pb::get_package_response::Channel| {
        let head = channel.heads.first()?;
        Some((channel.name.clone(), head.name.clone()))
    };
    let heads = channels.iter().filter_map(head).collect();
    let offer = Offer {
        catalog: from.name,
        digest: from.digest,
        default_channel,
        suggested_namespace: None,
        deprecation: optional(deprecation),
        channels: channels.into_iter().map(decode_channel).collect(),
        bundles: bundles.into_iter().map(decode_bundle).collect(),
    };
    Packaged { offer, heads }
}

fn decode_channel(channel: pb::get_package_response::Channel) -> Channel {
    Channel {
        name: channel.name,
        deprecation: optional(channel.deprecation),
    }
}

fn decode_bundle(bundle: pb::get_package_response::Bundle) -> Bundle {
    Bundle {
        name: bundle.name,
        version: bundle.version,
        channels: bundle.channels,
        deprecation: optional(bundle.deprecation),
    }
}

/// Decodes the install modes. A bundle without install modes cannot be installed, so an empty list
/// means that the install modes are unknown.
pub(in crate::ask) fn decode_modes(answer: pb::GetBundleResponse) -> Modes {
    let modes = answer.install_modes;
    let is_given = !modes.is_empty();
    let supported = modes.into_iter().filter(|mode| mode.supported);
    let supported = supported.map(|mode| mode.name).collect();
    Modes {
        bundle: answer.name,
        supported: is_given.then_some(supported),
    }
}

/// Decodes the namespace that the author of a bundle suggests. It is in the ClusterServiceVersion,
/// or in the metadata in the catalog.
pub(in crate::ask) fn decode_suggestion(answer: &pb::GetBundleResponse) -> Option<String> {
    let objects = answer.objects.iter();
    let mut objects = objects.filter_map(|text| serde_json::from_str::<Value>(text).ok());
    objects.find_map(|object| {
        let annotations = match object.get("kind").and_then(Value::as_str) {
            Some("ClusterServiceVersion") => object.pointer("/metadata/annotations"),
            Some(_) => None,
            None => object.get("annotations"),
        };
        let suggested = annotations?.get(SUGGESTED)?.as_str()?;
        optional(suggested.to_owned())
    })
}

/// Decodes all reachable bundles. Their details come from the offer.
pub(in crate::ask) fn decode_upgrades(
    answer: pb::ListUpgradesResponse,
    (channel, offer): (&str, &Offer),
) -> ReachableBundles {
    let pb::ListUpgradesResponse {
        catalogs,
        installed,
        reachable,
        ..
    } = answer;
    let decode = |reachable: pb::Reachable| {
        let mut offered = offer.bundles.iter();
        let offered = offered.find(|bundle| bundle.name == reachable.name);
        offered.cloned().unwrap_or_else(|| Bundle {
            name: reachable.name,
            version: reachable.version,
            ..Bundle::default()
        })
    };
    ReachableBundles {
        installed: installed.unwrap_or_default().name,
        channel: channel.to_owned(),
        digests: catalogs.into_iter().map(|each| each.digest).collect(),
        reachable: reachable.into_iter().map(decode).collect(),
        walk: Vec::new(),
        blocked: Vec::new(),
    }
}

/// Decodes the path. If the path is blocked, also decodes the reason and the last reachable
/// version.
pub(in crate::ask) fn decode_path(
    answer: Option<Answer>,
) -> (Vec<Bundle>, Vec<Obstacle>, Option<String>) {
    match answer {
        Some(Answer::Reached(path)) => {
            let hops = path.hops.into_iter().map(decode_hop).collect();
            (hops, Vec::new(), None)
        }
        Some(Answer::Blocked(blocked)) => {
            let furthest = blocked.furthest.filter(|furthest| furthest.hops > 0);
            let furthest = furthest.and_then(|furthest| optional(furthest.version));
            (Vec::new(), decode_obstacles(blocked.reasons), furthest)
        }
        Some(Answer::AlreadyThere(_)) | None => (Vec::new(), Vec::new(), None),
    }
}

fn decode_hop(hop: pb::Hop) -> Bundle {
    Bundle {
        name: hop.to,
        version: hop.version,
        channels: hop.channels,
        deprecation: optional(hop.deprecation),
    }
}

fn decode_obstacles(reasons: Vec<basis::Reason>) -> Vec<Obstacle> {
    let reasons = reasons.into_iter().map(|reason| Obstacle {
        reason: reason.code,
        message: sentence(&reason.message),
    });
    reasons.collect()
}
