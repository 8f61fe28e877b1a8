//! Reads the schema of the OperatorPolicy CRD from the API server. The schema shows which fields
//! the CRD supports.

use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion, JSONSchemaProps,
};
use kube::{Api, Client};
use portolan_shell::with_causes;
use tokio::time::timeout;

use crate::observe::{POLICY_CRD, Schema, VERSION};
use crate::reconcile::Fetch;

/// The maximum time for a response of the API server.
const DEADLINE: Duration = Duration::from_secs(10);
/// The HTTP status code for missing permissions.
const FORBIDDEN: u16 = 403;
/// A field that only Portolan's OperatorPolicy CRD contains.
const OWN: &str = "allowedCSVs";

/// Returns a function that reads the OperatorPolicy CRD. Without a client, the CRD counts as
/// complete.
pub(crate) fn schema_of(client: Option<Client>) -> Fetch<Result<Schema, String>> {
    let crds = client.map(Api::<CustomResourceDefinition>::all);
    Box::new(move || {
        let crds = crds.clone();
        Box::pin(async move {
            let Some(crds) = crds else {
                return Ok(Schema::Whole);
            };
            match timeout(DEADLINE, crds.get_opt(POLICY_CRD)).await {
                Ok(Ok(Some(crd))) => Ok(schema(&crd)),
                Ok(Ok(None)) => Ok(Schema::Unread),
                Ok(Err(error)) => unread(&error),
                Err(_) => Err("the API server does not answer".to_owned()),
            }
        })
    })
}

/// Converts an error of a read. Missing permissions count as permanent. Other errors are temporary.
fn unread(error: &kube::Error) -> Result<Schema, String> {
    let why = with_causes(error);
    match error {
        kube::Error::Api(status) if status.code == FORBIDDEN => Ok(Schema::Unreadable(why)),
        _ => Err(why),
    }
}

fn schema(crd: &CustomResourceDefinition) -> Schema {
    let mut versions = crd.spec.versions.iter();
    let version = versions.find(|version| version.name == VERSION);
    let Some(root) = version.and_then(root) else {
        return Schema::Lacking;
    };
    let spec = field(root, "spec");
    let has_own = spec.is_some_and(|spec| is_open(spec) || field(spec, OWN).is_some());
    if has_own || is_open(root) {
        Schema::Whole
    } else {
        Schema::Lacking
    }
}

/// Returns the schema of objects in a version.
pub(crate) fn root(version: &CustomResourceDefinitionVersion) -> Option<&JSONSchemaProps> {
    version.schema.as_ref()?.open_api_v3_schema.as_ref()
}

/// Returns the schema of a field.
pub(crate) fn field<'a>(schema: &'a JSONSchemaProps, name: &str) -> Option<&'a JSONSchemaProps> {
    schema.properties.as_ref()?.get(name)
}

fn is_open(schema: &JSONSchemaProps) -> bool {
    schema.x_kubernetes_preserve_unknown_fields == Some(true)
}

#[cfg(test)]
mod tests {
    use kube::CustomResourceExt;
    use portolan_api::OperatorPolicy;
    use rstest::rstest;

    use super::*;

    fn edited(edit: impl FnOnce(&mut JSONSchemaProps)) -> CustomResourceDefinition {
        let mut crd = OperatorPolicy::crd();
        let schema = crd.spec.versions[0].schema.as_mut();
        let root = schema.and_then(|schema| schema.open_api_v3_schema.as_mut());
        let spec = root.and_then(|root| root.properties.as_mut()?.get_mut("spec"));
        edit(spec.expect("a spec"));
        crd
    }

    fn without_own(spec: &mut JSONSchemaProps) {
        let fields = spec.properties.as_mut().expect("fields");
        fields.remove(OWN).expect("our field");
    }

    #[rstest]
    #[case::forbidden(403, Ok(()))]
    #[case::too_much_at_once(429, Err(()))]
    #[case::server_error(500, Err(()))]
    fn crd_is_unreadable_only_if_forbidden(#[case] code: u16, #[case] expected: Result<(), ()>) {
        let status = kube::core::Status {
            code,
            message: "no".to_owned(),
            ..kube::core::Status::default()
        };
        let error = kube::Error::Api(Box::new(status));
        let why = with_causes(&error);
        let expected = expected.map(|()| Schema::Unreadable(why.clone()));
        assert_eq!(unread(&error), expected.map_err(|()| why));
    }

    #[rstest]
    #[case::ours(OperatorPolicy::crd(), Schema::Whole)]
    #[case::of_another_controller(edited(without_own), Schema::Lacking)]
    #[case::that_takes_anything(
        edited(|spec| {
            without_own(spec);
            spec.x_kubernetes_preserve_unknown_fields = Some(true);
        }),
        Schema::Whole
    )]
    fn crd_schema_decides_the_stored_fields(
        #[case] crd: CustomResourceDefinition,
        #[case] expected: Schema,
    ) {
        assert_eq!(schema(&crd), expected);
    }
}
