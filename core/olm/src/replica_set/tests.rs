use portolan_kit::world;

use super::*;
use crate::read_value;

#[test]
fn an_edition_knows_its_number_and_its_deployment() {
    let world = world()
        .deployment("ferry", 1, 1)
        .stamped("d-1", "7")
        .replica_set("ferry-6f", 4, 2)
        .condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota");
    let object = world.objects()[1].clone();
    let (edition, faults) = read_value::<ReplicaSet>(object).expect("a ReplicaSet");
    assert_eq!(faults, []);
    assert_eq!(edition.revision(), Some(4));
    assert_eq!(edition.owner_uid(), Some("d-1"));
    assert_eq!(edition.spec.replicas, Some(2));
    assert_eq!(edition.status.conditions[0].reason, "FailedCreate");
    assert_eq!(ReplicaSet::default().revision(), None);
    assert_eq!(ReplicaSet::default().owner_uid(), None);
}
