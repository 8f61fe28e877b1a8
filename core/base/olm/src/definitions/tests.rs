use kube_core::Resource as _;
use portolan_kit::world;
use rstest::rstest;

use super::*;
use crate::read_value;

#[test]
fn versions_are_read_without_their_schemas() {
    let name = "ferries.demo.example";
    let world = world().definition(name, "Ferry", &["v1alpha1", "v1"]);
    let object = world.objects()[0].clone();
    let (definition, faults) = read_value::<CustomResourceDefinition>(object).expect("a CRD");
    assert_eq!(faults, []);
    let version = |name: &str, storage| DefinedVersion {
        name: name.into(),
        served: true,
        storage,
    };
    let versions = vec![version("v1alpha1", false), version("v1", true)];
    assert_eq!(definition.spec, CustomResourceDefinitionSpec { versions });
    assert_eq!(definition.status.stored_versions, ["v1"]);
    let conditions = definition.status.conditions.iter();
    let said: Vec<_> = conditions
        .map(|said| (&*said.r#type, &*said.status))
        .collect();
    assert_eq!(said, [("NamesAccepted", "True"), ("Established", "True")]);
}

#[rstest]
#[case::available(true, "True")]
#[case::unavailable(false, "False")]
fn service_of_an_api_service_is_read(#[case] is_available: bool, #[case] status: &str) {
    let world = world().api_service("v1.tides.example", is_available);
    let object = world.objects()[0].clone();
    let (service, faults) = read_value::<ApiService>(object).expect("an APIService");
    assert_eq!(faults, []);
    let expected = ServiceRef {
        namespace: "default".into(),
        name: "api".into(),
    };
    assert_eq!(service.spec.service, Some(expected));
    assert_eq!(service.status.conditions[0].status, status);
    assert_eq!(ApiService::kind(&()), "APIService");
}
