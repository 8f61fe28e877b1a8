//! The upgrade paths of an operator: the possible updates, and the chosen path.

use portolan_api::operator::HopStatus;
use portolan_core_console::drawing::Graph;
use portolan_core_console::view::{
    BlockedVersion, Follower, Operator, RouteHop, Seen, Unseen, Versions,
};
use portolan_proto::basis::v1::Reason;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::{
    Destination, FindPathRequest, ListUpgradesRequest, ListUpgradesResponse, destination, walk,
};

use super::{Services, heard};

impl Services {
    pub(super) async fn upgrades(&self, operator: &Operator) -> Seen<ListUpgradesResponse> {
        if operator.bundle.is_empty() || operator.package.is_empty() {
            return Err(Unseen("Nothing is installed.".to_owned()));
        }
        let request = ListUpgradesRequest {
            catalog: operator.catalog.clone(),
            package: operator.package.clone(),
            channel: operator.channel.clone(),
            installed: operator.bundle.clone(),
            installed_version: operator.version.clone(),
        };
        heard(self.resolver().list_upgrades(request).await)
    }

    /// Returns the path that OLM takes to the head of the channel without manual steps.
    pub(super) async fn way_of_olm(&self, operator: &Operator) -> Seen<Vec<RouteHop>> {
        if operator.bundle.is_empty() || operator.package.is_empty() {
            return Err(Unseen("Nothing is installed.".to_owned()));
        }
        let head = destination::To::Kind(destination::Kind::Head.into());
        let request = FindPathRequest {
            catalog: operator.catalog.clone(),
            package: operator.package.clone(),
            channel: operator.channel.clone(),
            installed: operator.bundle.clone(),
            installed_version: operator.version.clone(),
            destination: Some(Destination { to: Some(head) }),
            walk: walk::Kind::OlmV0.into(),
            ..FindPathRequest::default()
        };
        match heard(self.resolver().find_path(request).await)?.answer {
            Some(Answer::Reached(path)) => {
                let hops = path.hops.into_iter().map(|it| RouteHop {
                    bundle: it.to,
                    version: it.version,
                    notes: (!it.deprecation.is_empty())
                        .then(|| format!("deprecated: {}", it.deprecation))
                        .into_iter()
                        .collect(),
                });
                Ok(hops.collect())
            }
            Some(Answer::AlreadyThere(_)) | None => Ok(Vec::new()),
            Some(Answer::Blocked(blockage)) => Err(Unseen(blockage.text)),
        }
    }

    /// Returns the graph of the package, with the upgrade path of the operator.
    pub(super) async fn graph_with(
        &self,
        operator: &Operator,
        way: &Seen<Vec<RouteHop>>,
    ) -> Seen<Graph> {
        if operator.package.is_empty() {
            return Err(Unseen("Its package is unknown.".to_owned()));
        }
        let graph = self.graph(&operator.catalog, &operator.package, "").await?;
        let installed = (!operator.bundle.is_empty()).then(|| operator.bundle.clone());
        let hops = way.iter().flatten().map(|hop| hop.bundle.clone());
        Ok(Graph {
            path: installed.into_iter().chain(hops).collect(),
            ..graph
        })
    }
}

/// Converts a step of the upgrade path in the status of an Operator.
pub(super) fn hop(it: HopStatus) -> RouteHop {
    let with = (!it.with.is_empty()).then(|| format!("together with {}", it.with.join(", ")));
    RouteHop {
        bundle: it.bundle,
        version: it.version,
        notes: with.into_iter().chain(it.waits_for).collect(),
    }
}

/// Converts the possible next versions, and the reasons why the operator cannot reach other
/// versions.
pub(super) fn versions(it: &ListUpgradesResponse) -> Versions {
    let next = it.successors.iter().map(|next| Follower {
        name: next.name.clone(),
        version: next.version.clone(),
        channels: next.channels.clone(),
        deprecation: next.deprecation.clone(),
    });
    let blocked = it.newer_unreachable.iter().map(|blocked| BlockedVersion {
        name: blocked.name.clone(),
        version: blocked.version.clone(),
        why: blocked
            .blockage
            .as_ref()
            .map_or_else(String::new, |blockage| blockage.text.clone()),
    });
    let reasons = it
        .reasons
        .iter()
        .map(|Reason { message, .. }| message.clone());
    Versions {
        recommended: it.recommended.clone(),
        next: next.collect(),
        blocked: blocked.collect(),
        reasons: reasons.collect(),
    }
}
