//! What makes kinds known.

use std::collections::BTreeSet;

use portolan_core_health::{Definition, Kind, ServedApi};
use portolan_core_olm::{ApiService, CustomResourceDefinition, DefinedVersion};

use super::{conditions, observed};

pub(crate) fn definition(definition: &CustomResourceDefinition) -> Definition {
    let CustomResourceDefinition {
        metadata,
        spec,
        status,
    } = definition;
    let names = |is_wanted: fn(&DefinedVersion) -> bool| -> BTreeSet<String> {
        let versions = spec.versions.iter().filter(|version| is_wanted(version));
        versions.map(|version| version.name.clone()).collect()
    };
    Definition {
        observed: observed(Kind::CustomResourceDefinition, definition.identity()),
        served: names(|version| version.served),
        versions: names(|_| true),
        stored: status.stored_versions.iter().cloned().collect(),
        conditions: conditions(&status.conditions),
        is_deleting: metadata.deletion_timestamp.is_some(),
    }
}

pub(crate) fn served_api(service: &ApiService) -> ServedApi {
    let ApiService {
        metadata,
        spec: _,
        status,
    } = service;
    ServedApi {
        observed: observed(Kind::ApiService, service.identity()),
        conditions: conditions(&status.conditions),
        is_deleting: metadata.deletion_timestamp.is_some(),
    }
}
