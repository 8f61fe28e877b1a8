//! Looks up the objects to which an object refers. The author of the object waits for the result.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::{Api, Client};

use crate::admission::{Absent, Kind, Reference};

/// The maximum number of references that are looked up for one object. The remaining references are
/// not checked.
const MOST: usize = 16;
/// The maximum time for a lookup. The lookups for one object run at the same time.
const PATIENCE: Duration = Duration::from_millis(500);

/// Returns the references to objects that do not exist. A reference is not included if its lookup
/// is denied or takes too long.
pub(crate) async fn absent(client: &Client, references: BTreeSet<Reference>) -> Absent {
    let looks = references.into_iter().take(MOST).map(async |reference| {
        let api = api(client, &reference);
        let found = api.get_metadata_opt(&reference.name);
        let found = tokio::time::timeout(PATIENCE, found).await;
        matches!(found, Ok(Ok(None))).then_some(reference)
    });
    Absent(join_all(looks).await.into_iter().flatten().collect())
}

fn api(client: &Client, reference: &Reference) -> Api<DynamicObject> {
    let kind = reference.kind;
    let version = match kind {
        Kind::OperatorPolicy => "v1beta1",
        Kind::Install => "v2alpha1",
        Kind::Operator | Kind::Policy | Kind::PolicyBinding | Kind::InstallPlan => "v1alpha1",
    };
    let gvk = GroupVersionKind::gvk(kind.group(), version, kind.as_str());
    let resource = ApiResource::from_gvk_with_plural(&gvk, kind.plural());
    match reference.namespace.as_str() {
        "" => Api::all_with(client.clone(), &resource),
        namespace => Api::namespaced_with(client.clone(), namespace, &resource),
    }
}
