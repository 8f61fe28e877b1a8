//! What the resolver says of upgrades.

use portolan_core_operatorpolicy::{Bundle, Obstacle, Offer, Route};
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::find_path_response::Answer;

use super::optional;
use crate::ask::status::sentence;

/// Everything that can be reached. What the offer knows of it besides is taken from there.
pub(in crate::ask) fn decode_upgrades(
    answer: pb::ListUpgradesResponse,
    (channel, offer): (&str, &Offer),
) -> Route {
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
    Route {
        installed: installed.unwrap_or_default().name,
        channel: channel.to_owned(),
        digests: catalogs.into_iter().map(|each| each.digest).collect(),
        reachable: reachable.into_iter().map(decode).collect(),
        walk: Vec::new(),
        blocked: Vec::new(),
    }
}

/// The way, what blocks it, and the version up to which it can be gone although it is blocked.
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
