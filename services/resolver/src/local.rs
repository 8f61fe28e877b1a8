//! Responses about bundles that the caller supplies, in the format of the service.

use portolan_core_bundle::Bundle;
use portolan_proto::resolver::v1 as pb;
use tonic::Status;

use crate::question::{both_installed, changes, installed};
use crate::wire;

/// Renders the manifests that install a bundle. The response is the same as the service's response
/// for a bundle of a catalog.
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

/// Returns the changes between two bundles. The response is the same as the service's response for
/// bundles of a catalog.
pub fn diff(from: Bundle, to: Bundle) -> pb::DiffBundlesResponse {
    let [from, to] = both_installed(Ok(from), Ok(to), None);
    let changes = changes(&from, &to);
    wire::encode_changes([&from, &to], changes)
}
