//! Tests of the possible outcomes of a probe.

use std::time::Duration;

use portolan_core_health::Probe;
use portolan_health::probe::{Pace, Probed};
use portolan_kit::assert_same;
use portolan_world::registry::Address;
use rstest::rstest;
use tonic::Status;
use tonic_health::pb::health_check_response::ServingStatus;

use crate::door::{Behind, Door};
use crate::fake::{Asked, Fake, Names, broken_details};
use crate::{ONCE, first, probes};

/// Intervals with which a registry counts as silent only after some time. The earlier requests of
/// the test take less time.
const PATIENT: Pace = Pace {
    answer: Duration::from_secs(3),
    ..ONCE
};

fn failing(sentence: &str) -> Probe {
    Probe::Failing(sentence.to_owned())
}

fn closed() -> Probe {
    Probe::Unreachable("the connection was closed before Health/Check was answered".to_owned())
}

#[tokio::test]
async fn healthy_registry_reports_its_number_of_packages() {
    let running = Fake::of(3).run().await;
    let probed = first(&mut running.probes(ONCE), "a").await;
    let Probed {
        since, connected, ..
    } = probed;
    assert!(connected.is_some() && connected <= since, "{probed:?}");
    assert_same!(
        probed,
        Probed {
            probe: Probe::Answered { packages: 3 },
            address: running.door.address.to_string(),
            since,
            answered: since,
            connected,
        }
    );
    let once = Asked {
        checks: 1,
        lists: 1,
    };
    assert_eq!(running.asked(), once);
}

#[rstest]
#[case::no_health_service(None, Probe::Answered { packages: 2 })]
#[case::no_health_of_the_whole(
    Some(Err(Status::not_found("unknown service"))),
    Probe::Answered { packages: 2 }
)]
#[case::unknown(Some(Ok(ServingStatus::Unknown)), Probe::Answered { packages: 2 })]
#[case::unknown_service(Some(Ok(ServingStatus::ServiceUnknown)), Probe::Answered { packages: 2 })]
#[case::not_serving(Some(Ok(ServingStatus::NotServing)), Probe::NotServing)]
#[case::trouble(
    Some(Err(Status::internal("the cache\nis broken"))),
    failing("Health/Check: Internal: the cache is broken")
)]
#[tokio::test]
async fn health_service_status_takes_precedence_if_implemented(
    #[case] health: Option<Result<ServingStatus, Status>>,
    #[case] expected: Probe,
) {
    let running = Fake {
        health,
        ..Fake::of(2)
    };
    let running = running.run().await;
    let probed = first(&mut running.probes(ONCE), "a").await;
    assert_same!(probed.probe, expected);
}

#[rstest]
#[case::none(Names::Count(0), Probe::Answered { packages: 0 })]
#[case::most(Names::Count(100_000), Probe::Answered { packages: 100_000 })]
#[case::too_many(
    Names::Endless,
    failing(
        "Registry/ListPackages: more than 100000 packages were received, more than any \
     catalog has"
    )
)]
#[case::too_long(
    Names::Long(5 << 20),
    failing(
        "Registry/ListPackages: OutOfRange: Error, decoded message length too large: found \
         5242885 bytes, the limit is: 4194304 bytes"
    )
)]
#[case::trouble(
    Names::Refused(Status::unknown("no such table: package")),
    failing("Registry/ListPackages: Unknown: no such table: package")
)]
#[case::another_service(
    Names::Refused(Status::unimplemented("unknown service api.Registry")),
    failing("Registry/ListPackages: Unimplemented: unknown service api.Registry")
)]
#[case::broken_details(
    Names::Refused(broken_details()),
    failing("Registry/ListPackages: the response cannot be decoded")
)]
#[tokio::test]
async fn whole_package_list_is_counted_or_its_error_reported(
    #[case] names: Names,
    #[case] expected: Probe,
) {
    let running = Fake {
        names,
        ..Fake::of(0)
    };
    let running = running.run().await;
    let probed = first(&mut running.probes(ONCE), "a").await;
    assert_same!(probed.probe, expected);
}

#[tokio::test]
async fn endless_list_counts_as_no_response() {
    let running = Fake {
        names: Names::Unfinished,
        ..Fake::of(0)
    };
    let running = running.run().await;
    let probed = first(&mut running.probes(PATIENT), "a").await;
    let sentence = "Registry/ListPackages was not answered within 3s";
    assert_same!(probed.probe, Probe::Silent(sentence.to_owned()));
}

#[rstest]
#[case::silence(
    Behind::Silence,
    Probe::Silent("Health/Check was not answered within 3s".to_owned())
)]
#[case::closing(Behind::Closing, closed())]
#[case::another_protocol(
    Behind::Noise(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
    failing("Health/Check: the response is not HTTP/2")
)]
#[case::noise(
    Behind::Noise(&[0xff; 4096]),
    failing("Health/Check: the response is not HTTP/2")
)]
#[tokio::test]
async fn servers_other_than_registries_have_distinct_outcomes(
    #[case] behind: Behind,
    #[case] expected: Probe,
) {
    let door = Door::before(behind).await;
    let probed = first(&mut probes(PATIENT, &door.address), "a").await;
    assert_same!(
        probed,
        Probed {
            probe: expected,
            address: door.address.to_string(),
            since: probed.since,
            answered: None,
            connected: None,
        }
    );
}

#[tokio::test]
async fn closed_port_is_connection_refused() {
    let mut door = Door::before(Behind::Closing).await;
    door.shut().await;
    let probed = first(&mut probes(ONCE, &door.address), "a").await;
    let refused = Probe::Unreachable("connection refused".to_owned());
    assert_same!(probed.probe, refused);
}

#[tokio::test]
async fn unknown_host_name_has_its_own_outcome() {
    let address: Address = "no-such-name.invalid:50051".parse().expect("it must parse");
    let probed = first(&mut probes(ONCE, &address), "a").await;
    // The message differs between machines.
    let Probe::NameUnknown(why) = &probed.probe else {
        panic!("{probed:?}");
    };
    assert!(why.starts_with("failed to lookup address"), "{why}");
}
