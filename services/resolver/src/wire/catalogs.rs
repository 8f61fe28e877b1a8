//! Encodes catalogs and their faults.

use portolan_core_catalog::{Fault, Package, Severity};
use portolan_core_graph::Finding;
use portolan_core_names::CatalogName;
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;

use super::faults::{encode_fault, encode_first, encode_placed_fault, encode_unmet};
use super::{
    count, decode_optional, decode_page, encode_object, encode_optional, encode_reason,
    encode_refs, encode_token,
};
use crate::question::{CheckCatalogs, Checked, ListCatalogs, RequestError};
use crate::snapshot::{CatalogState, Content, Offer, SourceFailure, SourceObject};

pub(crate) fn decode_list_catalogs(
    request: &pb::ListCatalogsRequest,
) -> Result<ListCatalogs, RequestError> {
    let pb::ListCatalogsRequest { catalog } = request;
    Ok(ListCatalogs {
        catalog: decode_optional("catalog", catalog)?,
    })
}

pub(crate) fn encode_list_catalogs(answer: &[(&CatalogName, &Offer)]) -> pb::ListCatalogsResponse {
    pb::ListCatalogsResponse {
        catalogs: answer
            .iter()
            .map(|(name, offer)| encode_catalog(name, offer))
            .collect(),
    }
}

pub(crate) fn encode_catalog(name: &CatalogName, offer: &Offer) -> pb::Catalog {
    let Offer {
        observed,
        rank,
        state,
    } = offer;
    let content = offer.content();
    let catalog = content.map(|content| content.catalog());
    let total = |of: fn(&Package) -> usize| {
        let packages = catalog
            .into_iter()
            .flat_map(|catalog| catalog.packages.values());
        count(packages.map(|package| of(package)).sum())
    };
    let reasons = state.why().into_iter();
    // The first faults must include the faults for which opm rejects the catalog.
    let is_error = |fault: &&Fault| fault.severity() == Severity::Error;
    let faults = catalog.into_iter().flat_map(|catalog| &catalog.faults);
    let errors = faults.clone().filter(is_error);
    let others = faults.filter(|fault| !is_error(fault));
    pb::Catalog {
        name: name.to_string(),
        source: Some(encode_observed(observed, content.map(|content| &**content))),
        priority: rank.priority,
        state: encode_state(state).into(),
        since: encode_optional(state.since()),
        reasons: reasons.map(|why| encode_failure(why, name)).collect(),
        digest: encode_optional(catalog.map(|catalog| catalog.digest)),
        display_digest: encode_optional(catalog.map(|catalog| catalog.display_digest)),
        packages: total(|_| 1),
        channels: total(|package| package.channels.len()),
        bundles: total(|package| package.bundles.len()),
        fault_count: count(catalog.map_or(0, |catalog| catalog.faults.len())),
        faults: encode_first(name, errors.chain(others)),
        labels: rank.labels_with_name(name).into_iter().collect(),
    }
}

fn encode_state(state: &CatalogState) -> pb::catalog::State {
    match state {
        CatalogState::Pending => pb::catalog::State::Pending,
        CatalogState::Serving { .. } => pb::catalog::State::Serving,
        CatalogState::Stale { .. } => pb::catalog::State::Stale,
        CatalogState::Failed { .. } => pb::catalog::State::Failed,
    }
}

fn encode_observed(observed: &SourceObject, content: Option<&Content>) -> basis::Observed {
    let SourceObject {
        kind,
        namespace,
        name,
        uid,
        resource_version,
    } = observed;
    basis::Observed {
        object: Some(basis::ObjectRef {
            kind: (*kind).to_owned(),
            namespace: encode_optional(namespace.as_ref()),
            name: name.clone(),
        }),
        uid: encode_optional(uid.as_ref()),
        resource_version: encode_optional(resource_version.as_ref()),
        digest: encode_optional(content.map(|content| content.catalog().digest)),
    }
}

pub(super) fn encode_failure(why: &SourceFailure, name: &CatalogName) -> basis::Reason {
    encode_reason(
        why.code,
        why.message.clone(),
        encode_object("Catalog", name),
    )
}

pub(crate) fn decode_check_catalogs(
    request: &pb::CheckCatalogsRequest,
) -> Result<CheckCatalogs, RequestError> {
    let pb::CheckCatalogsRequest {
        catalog,
        page_size,
        page_token,
    } = request;
    Ok(CheckCatalogs {
        catalog: decode_optional("catalog", catalog)?,
        page: decode_page(*page_size, page_token)?,
    })
}

pub(crate) fn encode_check_catalogs(answer: &Checked<'_>) -> pb::CheckCatalogsResponse {
    let Checked {
        catalogs,
        findings,
        errors,
        warnings,
        notes,
    } = answer;
    pb::CheckCatalogsResponse {
        catalogs: encode_refs(catalogs),
        faults: findings.items.iter().map(encode_finding).collect(),
        errors: count(*errors),
        warnings: count(*warnings),
        notes: count(*notes),
        next_page_token: encode_token(findings),
    }
}

fn encode_finding(finding: &Finding) -> pb::Fault {
    match finding {
        Finding::Document { catalog, fault } => encode_fault(catalog, fault),
        Finding::Channel {
            catalog,
            package,
            place,
            fault,
        } => encode_placed_fault((catalog, place), package, fault),
        Finding::Requirement(unmet) => encode_unmet(unmet),
    }
}
