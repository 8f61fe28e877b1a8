//! Answers about bundles that the caller provides, in the form that the service uses.

use portolan_core_bundle::Bundle;
use portolan_proto::resolver::v1 as pb;
use tonic::Status;

use crate::question::{both_installed, changes, installed};
use crate::wire;

/// Renders the manifests that install a bundle. The service does the same for a bundle of a
/// catalog.
///
/// # Errors
/// Returns an error if an option is invalid.
pub fn render(
    bundle: Bundle,
    options: &pb::InstallOptions,
) -> Result<pb::RenderBundleResponse, Status> {
    let installing = wire::decode_options(options)?;
    let outcome = installed(bundle, &installing);
    Ok(wire::encode_outcome(&outcome))
}

/// Returns the changes from one bundle to another. The service does the same for bundles of
/// catalogs.
pub fn diff(from: Bundle, to: Bundle) -> pb::DiffBundlesResponse {
    let [from, to] = both_installed(Ok(from), Ok(to), None);
    let changes = changes(&from, &to);
    wire::encode_changes([&from, &to], changes)
}
