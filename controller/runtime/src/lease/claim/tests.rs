use std::time::Duration;

use rstest::rstest;

use super::{Act, LeaseClaim, Record, Terms};
use crate::lease::clock::Moment;

fn at(seconds: u64) -> Moment {
    Moment::of(Duration::from_secs(seconds))
}

/// Returns a Lease with a duration of twenty seconds.
fn lease(holder: &str, version: &str) -> Option<Record> {
    Some(Record {
        holder: (!holder.is_empty()).then(|| holder.to_owned()),
        duration: Some(Duration::from_secs(20)),
        version: version.to_owned(),
    })
}

/// An event in a sequence of events, with times in seconds.
#[derive(Debug, Clone)]
enum Lived {
    Saw(u64, Option<Record>),
    /// The process has written the Lease. The first time is the time of the request, and the second
    /// time is the time of the response.
    Wrote(u64, u64),
    Outdated,
    Failed(u64),
}

use Lived::{Failed, Outdated, Saw, Wrote};

fn claim(lived: &[Lived]) -> LeaseClaim {
    let mut claim = LeaseClaim::new("we", Terms::default());
    for lived in lived {
        match lived.clone() {
            Saw(now, record) => claim.saw(record, at(now)),
            Wrote(sent, now) => {
                let record = lease("we", &format!("at {now}"));
                claim.wrote(record.expect("a Lease"), at(sent), at(now));
            }
            Outdated => claim.outdated(),
            Failed(now) => claim.failed(at(now)),
        }
    }
    claim
}

fn lose(why: &str) -> Act {
    Act::Lose(why.to_owned())
}

#[rstest]
#[case::process_without_data_reads_the_lease(&[], 100, Act::Look)]
#[case::process_waits_after_a_failed_read(&[Failed(100)], 101, Act::Wait(at(102)))]
#[case::process_reads_again_after_a_failed_read(&[Failed(100)], 102, Act::Look)]
#[case::missing_lease_is_created(&[Saw(100, None)], 100, Act::Acquire)]
#[case::free_lease_is_acquired(&[Saw(100, lease("", "1"))], 100, Act::Acquire)]
#[case::lease_of_another_process_is_read_again(
    &[Saw(100, lease("they", "1"))], 101, Act::Wait(at(102))
)]
#[case::lease_of_another_process_is_read_again_in_time(
    &[Saw(100, lease("they", "1"))], 102, Act::Look
)]
#[case::expiry_counts_from_the_first_read_of_a_version(
    &[Saw(100, lease("they", "1")), Saw(119, lease("they", "1"))], 119, Act::Wait(at(120))
)]
#[case::unchanged_lease_is_acquired(
    &[Saw(100, lease("they", "1")), Saw(119, lease("they", "1"))], 120, Act::Acquire
)]
#[case::change_restarts_the_expiry(
    &[Saw(100, lease("they", "1")), Saw(119, lease("they", "2"))], 120, Act::Wait(at(121))
)]
#[case::recreated_lease_is_a_new_lease(
    &[Saw(100, lease("they", "1")), Saw(110, None), Saw(119, lease("they", "1"))],
    120,
    Act::Wait(at(121))
)]
#[case::process_reads_after_a_lost_race(&[Saw(100, lease("", "1")), Outdated], 100, Act::Look)]
#[case::own_request_with_a_lost_response_is_repeated(
    &[Saw(100, None), Failed(105), Saw(107, lease("we", "2"))], 107, Act::Acquire
)]
#[case::the_holder_waits_for_its_pace(&[Wrote(100, 101)], 101, Act::Wait(at(105)))]
#[case::holder_renews_five_seconds_after_the_last_request(&[Wrote(100, 101)], 105, Act::Renew)]
#[case::failed_renewal_is_retried_soon(
    &[Wrote(100, 101), Failed(106)], 106, Act::Wait(at(108))
)]
#[case::failed_renewal_is_retried(&[Wrote(100, 101), Failed(106)], 108, Act::Renew)]
#[case::no_retry_is_waited_for_beyond_the_deadline(
    &[Wrote(100, 101), Failed(109)], 109, Act::Wait(at(110))
)]
#[case::holder_of_a_changed_lease_reads_it(&[Wrote(100, 101), Outdated], 105, Act::Look)]
#[case::holder_of_an_annotated_lease_continues(
    &[Wrote(100, 101), Outdated, Saw(105, lease("we", "3"))], 105, Act::Renew
)]
#[case::late_holder_has_lost_the_lease(
    &[Wrote(100, 101)], 110, lose("it could not renew its Lease for 10 s")
)]
#[case::holder_that_slept_for_a_day_has_lost_the_lease(
    &[Wrote(100, 101)], 86_500, lose("it could not renew its Lease for 10 s")
)]
#[case::holder_that_reads_another_holder_has_lost_the_lease(
    &[Wrote(100, 101), Outdated, Saw(105, lease("they", "3"))],
    105,
    lose("they holds the Lease")
)]
#[case::holder_of_a_released_lease_has_lost_it(
    &[Wrote(100, 101), Outdated, Saw(105, lease("", "3"))],
    105,
    lose("its Lease was released by another client")
)]
#[case::holder_of_a_deleted_lease_has_lost_it(
    &[Wrote(100, 101), Outdated, Saw(105, None)], 105, lose("its Lease was deleted")
)]
fn claim_decides_the_next_act(#[case] lived: &[Lived], #[case] now: u64, #[case] expected: Act) {
    assert_eq!(claim(lived).next(at(now)), expected);
}

#[rstest]
#[case::process_without_the_lease_has_half_a_deadline(&[], 100, 5_000)]
#[case::renewal_leaves_time_for_another_attempt(&[Wrote(100, 101)], 105, 2_500)]
#[case::last_attempt_has_one_second(&[Wrote(100, 101)], 109, 1_000)]
fn request_timeout_depends_on_the_lease(
    #[case] lived: &[Lived],
    #[case] now: u64,
    #[case] millis: u64,
) {
    assert_eq!(
        claim(lived).patience(at(now)),
        Duration::from_millis(millis)
    );
}

#[test]
fn write_permission_counts_from_the_time_the_renewal_was_sent() {
    assert_eq!(claim(&[Wrote(100, 104)]).until(), Some(at(110)));
}
