//! Converts between the messages of services, the responses for decisions, and objects.

mod approval;
mod components;
mod consent;
mod contents;
mod health;
mod operators;
mod predict;
mod resolver;

use std::collections::BTreeSet;
use std::str::FromStr;

use portolan_core_operatorpolicy::Why;
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;

pub(super) use self::approval::{decode_approval, decode_review};
pub(super) use self::components::{decode_brought, decode_updates, encode_installed};
pub(super) use self::consent::{decode_consent, decode_ground, encode_consent, seen_ground};
pub(super) use self::contents::{
    decode_first_steps, decode_named, decode_resolved, encode_resolve, encode_travelers,
};
pub(super) use self::health::{CATALOG_SOURCE, decode_health};
pub(super) use self::operators::{
    decode_bundle, decode_facts, decode_image, decode_routes, encode_image, encode_question,
    encode_render,
};
pub(super) use self::predict::{decode_prediction, encode_state};
pub use self::predict::{encode_api, encode_namespace};
pub(super) use self::resolver::{
    Packaged, decode_catalogs, decode_modes, decode_package, decode_path, decode_suggestion,
    decode_upgrades,
};
use super::followed::StreamKey;
use super::status::sentence;

fn decode_key(object: Option<basis::ObjectRef>) -> StreamKey {
    let basis::ObjectRef {
        kind,
        namespace,
        name,
    } = object.unwrap_or_default();
    StreamKey {
        namespace,
        kind,
        name,
    }
}

/// Encodes the required packages, each with the accepted versions.
fn encode_packages(packages: &BTreeSet<(String, String)>) -> Vec<pb::requirements::Package> {
    let packages = packages.iter();
    let packages = packages.map(|(name, range)| pb::requirements::Package {
        name: name.clone(),
        range: range.clone(),
    });
    packages.collect()
}

/// Returns true if an operator is blocked only because other operators are missing, which a user
/// could install.
fn is_lacking(blocked: &pb::route::Blocked) -> bool {
    blocked.causes.iter().any(|cause| cause.code == "Lacking")
}

fn decode_reasons<C: FromStr>(reasons: Vec<basis::Reason>) -> Vec<Why<C>> {
    let reasons = reasons.into_iter().map(|reason| Why {
        code: reason.code.as_str().into(),
        message: sentence(&reason.message),
    });
    reasons.collect()
}

/// Returns None for an empty text.
fn optional(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
