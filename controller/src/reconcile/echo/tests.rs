use std::time::Duration;

use rstest::rstest;

use super::*;

fn echo(before: Option<&str>, after: EchoAfter) -> Echo {
    Echo {
        kind: "Subscription".to_owned(),
        namespace: Some("harbor".to_owned()),
        name: "ferry".to_owned(),
        before: before.map(str::to_owned),
        after,
    }
}

fn changed() -> Echo {
    echo(Some("1"), EchoAfter::Version("2".to_owned()))
}

fn made() -> Echo {
    echo(None, EchoAfter::Version("2".to_owned()))
}

fn deleted() -> Echo {
    echo(Some("1"), EchoAfter::Gone("u".to_owned()))
}

fn shown(version: &str) -> Option<Shown> {
    Some(Shown {
        uid: Some("u".to_owned()),
        version: Some(version.to_owned()),
        is_leaving: false,
    })
}

fn leaving() -> Option<Shown> {
    shown("2").map(|shown| Shown {
        is_leaving: true,
        ..shown
    })
}

fn another() -> Option<Shown> {
    shown("3").map(|shown| Shown {
        uid: Some("v".to_owned()),
        ..shown
    })
}

#[rstest]
#[case::a_change_that_is_shown(changed(), shown("2"), true)]
#[case::a_change_behind_another(changed(), shown("3"), true)]
#[case::a_change_that_is_not_shown(changed(), shown("1"), false)]
#[case::a_change_of_what_is_gone(changed(), None, true)]
#[case::something_new(made(), shown("2"), true)]
#[case::something_new_that_was_changed(made(), shown("3"), true)]
#[case::something_new_that_is_not_shown(made(), None, false)]
#[case::what_is_gone(deleted(), None, true)]
#[case::what_is_going(deleted(), leaving(), true)]
#[case::what_is_gone_and_came_again(deleted(), another(), true)]
#[case::what_is_still_there(deleted(), shown("2"), false)]
fn a_write_is_heard(#[case] echo: Echo, #[case] shown: Option<Shown>, #[case] is_so: bool) {
    assert_eq!(is_heard(&echo, shown), is_so);
}

#[test]
fn a_policy_waits_for_everything_that_was_written_and_no_longer_than_that() {
    let begin = Instant::now();
    let until = begin + Duration::from_secs(10);
    let (a, b) = (Key::new("west", "a"), Key::new("west", "b"));
    let mut echoes = Echoes::default();
    echoes.expect(&a, vec![changed(), deleted()], until);
    echoes.expect(&b, vec![made()], until);
    assert_eq!(echoes.settle(begin, |_| shown("2")), [b]);
    assert_eq!(echoes.settle(begin, |_| shown("1")), []);
    assert_eq!(echoes.settle(until, |_| shown("1")), [a]);
    assert!(echoes.waiting.is_empty());
}
