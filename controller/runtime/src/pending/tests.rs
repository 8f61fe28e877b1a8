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
#[case::change_in_the_cache(changed(), cached("2"), true)]
#[case::change_after_another_change(changed(), cached("3"), true)]
#[case::change_not_in_the_cache(changed(), cached("1"), false)]
#[case::change_of_a_deleted_object(changed(), None, true)]
#[case::something_new(made(), cached("2"), true)]
#[case::new_object_with_a_later_change(made(), cached("3"), true)]
#[case::new_object_not_in_the_cache(made(), None, false)]
#[case::deleted_object(deleted(), None, true)]
#[case::object_in_deletion(deleted(), leaving(), true)]
#[case::recreated_object(deleted(), another(), true)]
#[case::object_that_still_exists(deleted(), cached("2"), false)]
fn pending_write_ends_when_the_change_is_visible(
    #[case] write: PendingWrite,
    #[case] cached: Option<Cached>,
    #[case] is_so: bool,
) {
    assert_eq!(is_cached(&write, cached), is_so);
}

#[test]
fn object_waits_until_its_writes_are_cached_or_timeout() {
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
