//! The requests about the upgrade route of an operator: the reachable bundles, and the path that
//! OLM takes.

use portolan_core_operatorpolicy::{Offer, ReachableBundles};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::Connection;
use tonic::{Response, Status};

use super::{BundleId, Made};
use crate::ask::wire;

/// The installed bundle from which a route starts, and its channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RouteStart {
    pub(super) from: BundleId,
    pub(super) version: String,
    pub(super) channel: String,
}

// === impl RouteStart ===

impl RouteStart {
    /// Returns the bundles that OLM can reach from this start, and the path that OLM takes.
    pub(super) async fn explore(
        self,
        mut client: ResolverClient<Connection>,
        offer: &Offer,
    ) -> Result<Made<ReachableBundles>, Status> {
        let upgrades = client.list_upgrades(self.upgrades()).await?.into_inner();
        let mut made = upgrades.catalogs.clone();
        let mut route = wire::decode_upgrades(upgrades, (&self.channel, offer));
        let found = inner(client.find_path(self.path(None)).await)?;
        made.extend(found.catalogs);
        let (walk, blocked, furthest) = wire::decode_path(found.answer);
        (route.walk, route.blocked) = (walk, blocked);
        // If no path leads to the head, OLM can still upgrade to the last version that it can
        // reach.
        if let Some(version) = furthest {
            let found = inner(client.find_path(self.path(Some(version))).await)?;
            made.extend(found.catalogs);
            (route.walk, _, _) = wire::decode_path(found.answer);
        }
        Ok((route, made))
    }

    fn upgrades(&self) -> pb::ListUpgradesRequest {
        let Self {
            from,
            version,
            channel,
        } = self.clone();
        pb::ListUpgradesRequest {
            catalog: from.catalog,
            package: from.package,
            channel,
            installed: from.bundle,
            installed_version: version,
        }
    }

    /// Returns the request for the path that OLM takes, to the head of the channel or to a version.
    fn path(&self, to: Option<String>) -> pb::FindPathRequest {
        let Self {
            from,
            version,
            channel,
        } = self.clone();
        let to = match to {
            Some(version) => pb::destination::To::Version(version),
            None => pb::destination::To::Kind(pb::destination::Kind::Head.into()),
        };
        pb::FindPathRequest {
            catalog: from.catalog,
            package: from.package,
            channel,
            installed: from.bundle,
            installed_version: version,
            destination: Some(pb::Destination { to: Some(to) }),
            walk: pb::walk::Kind::OlmV0.into(),
            allow_downgrade: false,
            allow_unconnected: false,
        }
    }
}

fn inner<T>(answered: Result<Response<T>, Status>) -> Result<T, Status> {
    answered.map(Response::into_inner)
}
