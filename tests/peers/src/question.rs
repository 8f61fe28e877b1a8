//! What both sides are asked about the same entry of a catalog.

use bytes::Bytes;
use portolan_proto::resolver::v1 as pb;
use prost::Message as _;

/// An entry of a channel, as opm lists it: of its bundle, the fields that name it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, prost::Message)]
pub(crate) struct Entry {
    #[prost(string, tag = "2")]
    pub(crate) package: String,
    #[prost(string, tag = "3")]
    pub(crate) channel: String,
    #[prost(string, tag = "1")]
    pub(crate) bundle: String,
}

/// opm's question for one bundle.
#[derive(Clone, PartialEq, prost::Message)]
struct GetBundleRequest {
    #[prost(string, tag = "1")]
    package: String,
    #[prost(string, tag = "2")]
    channel: String,
    #[prost(string, tag = "3")]
    bundle: String,
}

/// opm's question for everything, which has no fields.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(crate) struct ListBundlesRequest {}

/// A call that can be made again and again.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) method: &'static str,
    pub(crate) message: Bytes,
}

pub(crate) const LIST_BUNDLES: &str = "/api.Registry/ListBundles";
const CHECK_HEALTH: &str = "/grpc.health.v1.Health/Check";
const GET_BUNDLE: &str = "/api.Registry/GetBundle";
const LIST_UPGRADES: &str = "/portolan.resolver.v1.Resolver/ListUpgrades";

// === impl Question ===

impl Question {
    /// Does the server serve at all?
    pub(crate) fn health() -> Self {
        Self {
            method: CHECK_HEALTH,
            message: Bytes::new(),
        }
    }
}

// === impl Entry ===

impl Entry {
    /// What can this entry be updated to?
    pub(crate) fn upgrades(&self) -> Question {
        Question {
            method: LIST_UPGRADES,
            message: self.upgrades_request().encode_to_vec().into(),
        }
    }

    pub(crate) fn upgrades_request(&self) -> pb::ListUpgradesRequest {
        pb::ListUpgradesRequest {
            package: self.package.clone(),
            channel: self.channel.clone(),
            installed: self.bundle.clone(),
            ..pb::ListUpgradesRequest::default()
        }
    }

    /// What is the bundle of this entry?
    pub(crate) fn bundle(&self) -> Question {
        let request = GetBundleRequest {
            package: self.package.clone(),
            channel: self.channel.clone(),
            bundle: self.bundle.clone(),
        };
        Question {
            method: GET_BUNDLE,
            message: request.encode_to_vec().into(),
        }
    }
}
