//! The streams of the three services. Only the needed fields of their messages are kept.

use std::collections::BTreeMap;

use futures::{StreamExt, TryStreamExt};
use portolan_core_operatorpolicy::{Catalog, Operator, PlanReview};
use portolan_proto::approval::v1 as approval;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::health::v1 as health;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::resolver::v1 as resolver;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::Connection;

use super::changes::Topic;
use super::follow::{Begun, Source};
use super::followed::{StreamKey, Value};
use super::wire;

pub(super) const RESOLVER: &str = "resolver";
pub(super) const HEALTH: &str = "health";
pub(super) const APPROVAL: &str = "approval";

/// An object in the stream of the health service.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum HealthItem {
    /// An operator, of a package.
    Operator {
        /// The package of the operator. Empty if it is unknown.
        package: String,
        operator: Operator,
    },
    Catalog(Catalog),
}

/// A catalog in the stream of the resolver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CatalogStatus {
    pub(super) state: resolver::catalog::State,
    pub(super) digest: String,
    pub(super) priority: i32,
    pub(super) labels: BTreeMap<String, String>,
    /// The time at which this state began, in RFC 3339 format.
    pub(super) since: String,
    /// The reason why the catalog is not serving. Empty if the catalog is serving.
    pub(super) why: String,
}

// === impl Value ===

impl Value for HealthItem {
    const SERVICE: &'static str = HEALTH;

    fn topic(key: &StreamKey) -> Topic {
        if key.kind == wire::CATALOG_SOURCE {
            Topic::Catalog(format!("{}/{}", key.namespace, key.name))
        } else {
            Topic::Namespace(key.namespace.clone())
        }
    }
}

impl Value for PlanReview {
    const SERVICE: &'static str = APPROVAL;

    fn topic(key: &StreamKey) -> Topic {
        Topic::Namespace(key.namespace.clone())
    }
}

impl Value for CatalogStatus {
    const SERVICE: &'static str = RESOLVER;

    fn topic(key: &StreamKey) -> Topic {
        Topic::Catalog(key.name.clone())
    }
}

// === impl Source ===

impl Source for HealthClient<Connection> {
    type Value = HealthItem;

    async fn begin(&mut self) -> Begun<HealthItem> {
        let begun = self.watch(health::WatchRequest::default()).await?;
        Ok(begun.into_inner().map_ok(wire::decode_health).boxed())
    }
}

impl Source for ApprovalClient<Connection> {
    type Value = PlanReview;

    async fn begin(&mut self) -> Begun<PlanReview> {
        let begun = self.watch(approval::WatchRequest::default()).await?;
        Ok(begun.into_inner().map_ok(wire::decode_approval).boxed())
    }
}

impl Source for ResolverClient<Connection> {
    type Value = CatalogStatus;

    async fn begin(&mut self) -> Begun<CatalogStatus> {
        let request = resolver::WatchCatalogsRequest::default();
        let begun = self.watch_catalogs(request).await?;
        Ok(begun.into_inner().map_ok(wire::decode_catalogs).boxed())
    }
}
