//! The requests that both servers get. They are about the same entry of a catalog.

use bytes::Bytes;
use portolan_proto::registry::GetBundleRequest;
use portolan_proto::resolver::v1 as pb;
use prost::Message as _;

/// An entry of a channel: the names of the package, the channel and the bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) package: String,
    pub(crate) channel: String,
    pub(crate) bundle: String,
}

/// A request that can be sent again and again.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) method: &'static str,
    pub(crate) message: Bytes,
}

const CHECK_HEALTH: &str = "/grpc.health.v1.Health/Check";
const GET_BUNDLE: &str = "/api.Registry/GetBundle";
const BATCH_LIST_UPGRADES: &str = "/portolan.resolver.v1.Resolver/BatchListUpgrades";
const LIST_UPGRADES: &str = "/portolan.resolver.v1.Resolver/ListUpgrades";

// === impl Question ===

impl Question {
    /// Returns a request for the health of the server.
    pub(crate) fn health() -> Self {
        Self {
            method: CHECK_HEALTH,
            message: Bytes::new(),
        }
    }
}

// === impl Entry ===

impl Entry {
    /// Returns a request for the updates of this entry.
    pub(crate) fn upgrades(&self) -> Question {
        Question {
            method: LIST_UPGRADES,
            message: self.upgrades_request().encode_to_vec().into(),
        }
    }

    /// Returns the request for the updates of this entry, as an item of a batch.
    pub(crate) fn upgrades_in_batch(&self) -> Question {
        let request = pb::BatchListUpgradesRequest {
            question: Some(self.upgrades_request()),
        };
        Question {
            method: BATCH_LIST_UPGRADES,
            message: request.encode_to_vec().into(),
        }
    }

    fn upgrades_request(&self) -> pb::ListUpgradesRequest {
        pb::ListUpgradesRequest {
            package: self.package.clone(),
            channel: self.channel.clone(),
            installed: self.bundle.clone(),
            ..pb::ListUpgradesRequest::default()
        }
    }

    /// Returns a request for the bundle of this entry.
    pub(crate) fn bundle(&self) -> Question {
        let request = GetBundleRequest {
            package_name: self.package.clone(),
            channel_name: self.channel.clone(),
            bundle_name: self.bundle.clone(),
        };
        Question {
            method: GET_BUNDLE,
            message: request.encode_to_vec().into(),
        }
    }
}
