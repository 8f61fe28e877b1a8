//! Catalogs.

use portolan_core_health::{CatalogSource, Kind};

use super::observed;

pub(crate) fn catalog_source(source: &portolan_core_olm::CatalogSource) -> CatalogSource {
    let portolan_core_olm::CatalogSource {
        metadata,
        spec: _,
        status,
    } = source;
    let connection = status.connection.as_ref();
    CatalogSource {
        observed: observed(Kind::CatalogSource, source.identity()),
        address: source.address().map_err(|why| why.to_string()),
        connection: connection
            .map(|connection| connection.state.to_string())
            .unwrap_or_default(),
        reason: status.reason.clone(),
        message: status.message.clone(),
        is_deleting: metadata.deletion_timestamp.is_some(),
    }
}
