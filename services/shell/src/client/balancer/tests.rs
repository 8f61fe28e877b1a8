//! Connections are names here: whom to ask does not depend on what they are.

use super::*;

const A: SocketAddr = address(1);
const B: SocketAddr = address(2);
const C: SocketAddr = address(3);

const fn address(host: u8) -> SocketAddr {
    let host = std::net::Ipv4Addr::new(10, 0, 0, host);
    SocketAddr::new(std::net::IpAddr::V4(host), 50051)
}

fn fleet(states: &[(SocketAddr, State<&'static str>)]) -> Fleet<&'static str> {
    let mut fleet = Fleet::default();
    for (address, state) in states {
        fleet.join(*address);
        fleet.set(*address, state.clone());
    }
    fleet
}

/// Whom the fleet would ask, or in a word why nobody.
fn said(choice: Choice<&'static str>) -> String {
    match choice {
        Choice::Ask(chosen) => chosen.line.to_owned(),
        Choice::Wait => "wait".to_owned(),
        Choice::Lost(lost) => lost.to_string(),
        Choice::Spent => "spent".to_owned(),
    }
}

fn turns(fleet: &Fleet<&'static str>, tried: &[SocketAddr]) -> Vec<String> {
    let asked = |turn| said(fleet.choose(tried, turn));
    (0..4).map(asked).collect()
}

#[test]
fn idle_replicas_take_turns() {
    let fleet = fleet(&[
        (A, State::Serving("a")),
        (B, State::Serving("b")),
        (C, State::Serving("c")),
    ]);
    assert_eq!(turns(&fleet, &[]), ["a", "b", "c", "a"]);
    assert_eq!(turns(&fleet, &[B]), ["a", "c", "a", "c"]);
}

#[test]
fn who_has_fewer_calls_is_asked_first() {
    let fleet = fleet(&[(A, State::Serving("a")), (B, State::Serving("b"))]);
    let Choice::Ask(busy) = fleet.choose(&[], 0) else {
        panic!("a serving replica must be asked");
    };
    assert_eq!(busy.line, "a");
    assert_eq!(turns(&fleet, &[]), ["b"; 4]);
    drop(busy);
    assert_eq!(turns(&fleet, &[]), ["a", "b", "a", "b"]);
}

#[test]
fn who_does_not_serve_is_passed_over() {
    let fleet = fleet(&[
        (A, State::Unready("a")),
        (B, State::Serving("b")),
        (C, State::Coming),
    ]);
    assert_eq!(turns(&fleet, &[]), ["b"; 4]);
}

#[test]
fn who_is_coming_is_waited_for_before_an_unready_one_is_asked() {
    let mut fleet = fleet(&[(A, State::Unready("a")), (B, State::Coming)]);
    assert_eq!(said(fleet.choose(&[], 0)), "wait");
    fleet.set(B, State::Down(Lost::Closed(B)));
    assert_eq!(said(fleet.choose(&[], 0)), "a");
    assert_eq!(
        said(fleet.choose(&[A], 0)),
        "10.0.0.2:50051 closed the connection"
    );
}

#[test]
fn who_is_down_is_coming_once_woken() {
    let mut fleet = fleet(&[(A, State::Down(Lost::Closed(A))), (B, State::Serving("b"))]);
    fleet.wake();
    assert_eq!(said(fleet.choose(&[B], 0)), "wait");
    assert_eq!(said(fleet.choose(&[], 0)), "b");
}

#[test]
fn nobody_is_asked_twice() {
    let fleet = fleet(&[(A, State::Serving("a")), (B, State::Unready("b"))]);
    assert_eq!(said(fleet.choose(&[A, B], 0)), "spent");
}

#[test]
fn a_failed_lookup_counts_only_where_nobody_is_known() {
    let mut fleet = Fleet::default();
    assert_eq!(said(fleet.choose(&[], 0)), "wait");
    fleet.fail(Lost::LookUp(Arc::new(std::io::Error::other("no answer"))));
    assert_eq!(
        said(fleet.choose(&[], 0)),
        "look up the address of the server"
    );
    fleet.join(A);
    fleet.set(A, State::Serving("a"));
    assert_eq!(said(fleet.choose(&[], 0)), "a");
}

#[test]
fn who_has_left_stays_gone() {
    let mut fleet = fleet(&[(A, State::Serving("a")), (B, State::Serving("b"))]);
    fleet.leave(A);
    fleet.set(A, State::Serving("a"));
    assert_eq!(turns(&fleet, &[]), ["b"; 4]);
}
