use portolan_kit::world;

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
