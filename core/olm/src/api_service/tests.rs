use kube_core::Resource as _;
use portolan_kit::world;
use rstest::rstest;

use super::*;
use crate::read_value;

#[rstest]
#[case::available(true, "True")]
#[case::unavailable(false, "False")]
fn an_api_server_of_its_own_is_known_by_its_service(
    #[case] is_available: bool,
    #[case] status: &str,
) {
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
