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

/// Something that happened, with times in seconds.
#[derive(Debug, Clone)]
enum Lived {
    Saw(u64, Option<Record>),
    /// Sent, answered.
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
#[case::who_knows_nothing_looks(&[], 100, Act::Look)]
#[case::who_could_not_look_waits(&[Failed(100)], 101, Act::Wait(at(102)))]
#[case::who_could_not_look_looks_again(&[Failed(100)], 102, Act::Look)]
#[case::a_lease_that_is_not_there_is_made(&[Saw(100, None)], 100, Act::Acquire)]
#[case::a_free_lease_is_taken(&[Saw(100, lease("", "1"))], 100, Act::Acquire)]
#[case::another_ones_lease_is_looked_at_again(
    &[Saw(100, lease("they", "1"))], 101, Act::Wait(at(102))
)]
#[case::another_ones_lease_is_looked_at_when_it_is_time(
    &[Saw(100, lease("they", "1"))], 102, Act::Look
)]
#[case::expiry_counts_from_the_first_sight_of_a_version(
    &[Saw(100, lease("they", "1")), Saw(119, lease("they", "1"))], 119, Act::Wait(at(120))
)]
#[case::a_lease_that_never_changed_is_taken(
    &[Saw(100, lease("they", "1")), Saw(119, lease("they", "1"))], 120, Act::Acquire
)]
#[case::a_change_begins_the_count_anew(
    &[Saw(100, lease("they", "1")), Saw(119, lease("they", "2"))], 120, Act::Wait(at(121))
)]
#[case::a_lease_that_came_back_is_a_new_one(
    &[Saw(100, lease("they", "1")), Saw(110, None), Saw(119, lease("they", "1"))],
    120,
    Act::Wait(at(121))
)]
#[case::who_lost_a_race_looks(&[Saw(100, lease("", "1")), Outdated], 100, Act::Look)]
#[case::an_own_request_that_was_taken_for_lost_is_repeated(
    &[Saw(100, None), Failed(105), Saw(107, lease("we", "2"))], 107, Act::Acquire
)]
#[case::the_holder_waits_for_its_pace(&[Wrote(100, 101)], 101, Act::Wait(at(105)))]
#[case::the_holder_renews_five_seconds_after_it_asked(&[Wrote(100, 101)], 105, Act::Renew)]
#[case::a_renewal_that_failed_is_tried_again_soon(
    &[Wrote(100, 101), Failed(106)], 106, Act::Wait(at(108))
)]
#[case::a_renewal_that_failed_is_tried_again(&[Wrote(100, 101), Failed(106)], 108, Act::Renew)]
#[case::no_retry_is_waited_for_beyond_the_deadline(
    &[Wrote(100, 101), Failed(109)], 109, Act::Wait(at(110))
)]
#[case::a_holder_whose_lease_changed_looks(&[Wrote(100, 101), Outdated], 105, Act::Look)]
#[case::a_holder_whose_lease_somebody_annotated_goes_on(
    &[Wrote(100, 101), Outdated, Saw(105, lease("we", "3"))], 105, Act::Renew
)]
#[case::a_late_holder_has_lost(
    &[Wrote(100, 101)], 110, lose("it could not renew its Lease for 10 s")
)]
#[case::a_holder_that_slept_for_a_day_has_lost(
    &[Wrote(100, 101)], 86_500, lose("it could not renew its Lease for 10 s")
)]
#[case::a_holder_that_sees_another_one_has_lost(
    &[Wrote(100, 101), Outdated, Saw(105, lease("they", "3"))],
    105,
    lose("they holds the Lease")
)]
#[case::a_holder_that_somebody_released_has_lost(
    &[Wrote(100, 101), Outdated, Saw(105, lease("", "3"))],
    105,
    lose("its Lease was released by another client")
)]
#[case::a_holder_whose_lease_is_gone_has_lost(
    &[Wrote(100, 101), Outdated, Saw(105, None)], 105, lose("its Lease was deleted")
)]
fn claim_decides_the_next_act(#[case] lived: &[Lived], #[case] now: u64, #[case] expected: Act) {
    assert_eq!(claim(lived).next(at(now)), expected);
}

#[rstest]
#[case::who_holds_nothing_has_half_a_deadline(&[], 100, 5_000)]
#[case::who_renews_leaves_time_for_another_try(&[Wrote(100, 101)], 105, 2_500)]
#[case::the_last_try_has_a_second(&[Wrote(100, 101)], 109, 1_000)]
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
