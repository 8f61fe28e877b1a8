use std::time::Duration;

use rstest::rstest;

use super::*;

fn write(before: Option<&str>, after: Expected) -> PendingWrite {
    PendingWrite {
        kind: "Subscription".to_owned(),
        namespace: Some("harbor".to_owned()),
        name: "ferry".to_owned(),
        before: before.map(str::to_owned),
        after,
    }
}

fn changed() -> PendingWrite {
    write(Some("1"), Expected::Version("2".to_owned()))
}

fn made() -> PendingWrite {
    write(None, Expected::Version("2".to_owned()))
}

fn deleted() -> PendingWrite {
    write(Some("1"), Expected::Gone("u".to_owned()))
}

fn cached(version: &str) -> Option<Cached> {
    Some(Cached {
        uid: Some("u".to_owned()),
        version: Some(version.to_owned()),
        is_terminating: false,
    })
}

fn leaving() -> Option<Cached> {
    cached("2").map(|cached| Cached {
        is_terminating: true,
        ..cached
    })
}

fn another() -> Option<Cached> {
    cached("3").map(|cached| Cached {
        uid: Some("v".to_owned()),
        ..cached
    })
}

#[rstest]
#[case::a_change_that_is_shown(changed(), cached("2"), true)]
#[case::a_change_behind_another(changed(), cached("3"), true)]
#[case::a_change_that_is_not_shown(changed(), cached("1"), false)]
#[case::a_change_of_what_is_gone(changed(), None, true)]
#[case::something_new(made(), cached("2"), true)]
#[case::something_new_that_was_changed(made(), cached("3"), true)]
#[case::something_new_that_is_not_shown(made(), None, false)]
#[case::what_is_gone(deleted(), None, true)]
#[case::what_is_going(deleted(), leaving(), true)]
#[case::what_is_gone_and_came_again(deleted(), another(), true)]
#[case::what_is_still_there(deleted(), cached("2"), false)]
fn pending_write_ends_when_the_change_is_visible(
    #[case] write: PendingWrite,
    #[case] cached: Option<Cached>,
    #[case] is_so: bool,
) {
    assert_eq!(is_cached(&write, cached), is_so);
}

#[test]
fn policy_waits_until_its_writes_are_cached_or_timeout() {
    let begin = Instant::now();
    let until = begin + Duration::from_secs(10);
    let (a, b) = (Key::new("west", "a"), Key::new("west", "b"));
    let mut pending = PendingWrites::default();
    pending.expect(&a, vec![changed(), deleted()], until);
    pending.expect(&b, vec![made()], until);
    let settled = |key: &Key, unseen: Vec<PendingWrite>| Settled {
        key: key.clone(),
        unseen,
    };
    let seen = pending.settle(begin, |_| cached("2"));
    assert_eq!(seen, [settled(&b, Vec::new())]);
    assert_eq!(pending.settle(begin, |_| cached("1")), []);
    let late = pending.settle(until, |_| cached("1"));
    assert_eq!(late, [settled(&a, vec![deleted()])]);
    assert!(pending.waiting.is_empty());
}
