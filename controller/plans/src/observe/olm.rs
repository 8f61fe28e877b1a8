//! Reads which CRDs OLM manages.

use std::collections::BTreeSet;

use kube::api::ListParams;
use portolan_core_install::OlmDefinitions;
use portolan_runtime::{ResourceRef, WriteFailure, page_after};
use serde_json::Value;

use super::Looker;

/// The maximum number of ClusterServiceVersions in one page. The number is small, because a
/// ClusterServiceVersion may have hundreds of kilobytes.
const PAGE: u32 = 50;
/// The label selector of the ClusterServiceVersions that are not copies.
const ORIGINALS: &str = "!olm.copiedFrom";

impl Looker<'_> {
    /// Returns the names of the CRDs that ClusterServiceVersions own. Uses the permissions of the
    /// controller.
    pub(super) async fn olm_definitions(&self) -> Result<OlmDefinitions, WriteFailure> {
        let version = "operators.coreos.com/v1alpha1";
        let all = ResourceRef::new(version, "ClusterServiceVersion", None, "");
        let mut page = ListParams::default().limit(PAGE).labels(ORIGINALS);
        let mut owned = BTreeSet::new();
        loop {
            let listed = match self.own.page(&all, &page).await {
                Ok(listed) => listed,
                Err(WriteFailure::Refused(_)) => return Ok(OlmDefinitions::Unknown),
                // If the kind is not served, the cluster has no OLM.
                Err(WriteFailure::Conflict(_)) if page.continue_token.is_none() => {
                    return Ok(OlmDefinitions::Owned(owned));
                }
                Err(WriteFailure::Conflict(conflict)) => {
                    return Err(WriteFailure::Lost(conflict.to_string()));
                }
                Err(failure) => return Err(failure),
            };
            let versions = listed.items.iter();
            owned.extend(versions.flat_map(|version| definitions(&version.data)));
            match page_after(&page, &listed.metadata) {
                Some(next) => page = next,
                None => return Ok(OlmDefinitions::Owned(owned)),
            }
        }
    }
}

/// Returns the names of the CRDs that a ClusterServiceVersion owns.
fn definitions(version: &Value) -> impl Iterator<Item = String> {
    let owned = version.pointer("/spec/customresourcedefinitions/owned");
    let owned = owned.and_then(Value::as_array).into_iter().flatten();
    owned.filter_map(|one| Some(one["name"].as_str()?.to_owned()))
}
