//! Encodes verdicts on catalogs.

use std::sync::Arc;

use jiff::Timestamp;
use portolan_core_health::{Catalog, Probe};
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::probe::Outcome;

use super::verdicts::{encode_facts, encode_object, encode_verdict};
use super::{decode_name, decode_namespace};
use crate::probe::Probed;
use crate::question::{GetCatalog, ListCatalogs, RequestError};
use crate::snapshot::Asked;

pub(crate) fn decode_get_catalog(
    request: &pb::GetCatalogRequest,
) -> Result<GetCatalog, RequestError> {
    let pb::GetCatalogRequest { namespace, name } = request;
    Ok(GetCatalog {
        namespace: decode_namespace(namespace)?,
        name: decode_name("name", name)?,
    })
}

pub(crate) fn encode_get_catalog(answer: &Asked) -> pb::GetCatalogResponse {
    pb::GetCatalogResponse {
        catalog: Some(encode_catalog(answer)),
    }
}

pub(crate) fn decode_list_catalogs(
    request: &pb::ListCatalogsRequest,
) -> Result<ListCatalogs, RequestError> {
    let pb::ListCatalogsRequest { namespace } = request;
    Ok(ListCatalogs {
        namespace: decode_namespace(namespace)?,
    })
}

pub(crate) fn encode_list_catalogs(answer: &[&Arc<Asked>]) -> pb::ListCatalogsResponse {
    pb::ListCatalogsResponse {
        catalogs: answer.iter().map(|asked| encode_catalog(asked)).collect(),
    }
}

pub(super) fn encode_catalog(asked: &Asked) -> pb::Catalog {
    let Asked { catalog, probed } = asked;
    let Catalog {
        subject,
        connection,
        facts,
        verdict,
    } = catalog;
    pb::Catalog {
        subject: Some(encode_object(subject)),
        connection_state: connection.clone(),
        probe: Some(encode_probe(probed)),
        verdict: Some(encode_verdict(verdict)),
        facts: encode_facts(facts),
    }
}

fn encode_probe(probed: &Probed) -> pb::Probe {
    let Probed {
        probe,
        address,
        since,
        answered,
        connected,
    } = probed;
    let time = |time: &Option<Timestamp>| time.map(encode_time).unwrap_or_default();
    let (outcome, packages) = match probe {
        Probe::NotProbed => (Outcome::NotProbed, 0),
        Probe::Pending => (Outcome::Pending, 0),
        Probe::Answered { packages } => (Outcome::Answered, *packages),
        Probe::NameUnknown(_)
        | Probe::Unreachable(_)
        | Probe::NotServing
        | Probe::Silent(_)
        | Probe::Failing(_) => (Outcome::Failed, 0),
    };
    pb::Probe {
        address: address.clone(),
        outcome: outcome.into(),
        since: time(since),
        answered: time(answered),
        connected: time(connected),
        packages,
    }
}

/// Encodes a time in whole seconds, as Kubernetes writes times.
fn encode_time(time: Timestamp) -> String {
    format!("{time:.0}")
}
