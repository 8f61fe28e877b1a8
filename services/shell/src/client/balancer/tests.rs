//! Tests of the choice of a replica. Names represent connections, because the choice does not
//! depend on the type of connections.

use super::*;

const A: SocketAddr = address(1);
const B: SocketAddr = address(2);
const C: SocketAddr = address(3);

const fn address(host: u8) -> SocketAddr {
    let host = std::net::Ipv4Addr::new(10, 0, 0, host);
    SocketAddr::new(std::net::IpAddr::V4(host), 50051)
}

fn balancer(states: &[(SocketAddr, State<&'static str>)]) -> Balancer<&'static str> {
    let mut balancer = Balancer::default();
    for (address, state) in states {
        balancer.join(*address);
        balancer.set(*address, state.clone());
    }
    balancer
}

/// Returns the address of the chosen replica, or one word for the reason why no replica is chosen.
fn outcome(choice: Choice<&'static str>) -> String {
    match choice {
        Choice::Ask(chosen) => chosen.line.to_owned(),
        Choice::Wait => "wait".to_owned(),
        Choice::Lost(lost) => lost.to_string(),
        Choice::Spent => "spent".to_owned(),
    }
}

fn turns(balancer: &Balancer<&'static str>, tried: &[SocketAddr]) -> Vec<String> {
    let asked = |turn| outcome(balancer.choose(tried, turn));
    (0..4).map(asked).collect()
}

#[test]
fn idle_replicas_take_turns() {
    let balancer = balancer(&[
        (A, State::Serving("a")),
        (B, State::Serving("b")),
        (C, State::Serving("c")),
    ]);
    assert_eq!(turns(&balancer, &[]), ["a", "b", "c", "a"]);
    assert_eq!(turns(&balancer, &[B]), ["a", "c", "a", "c"]);
}

#[test]
fn replica_with_fewer_calls_is_chosen_first() {
    let balancer = balancer(&[(A, State::Serving("a")), (B, State::Serving("b"))]);
    let Choice::Ask(busy) = balancer.choose(&[], 0) else {
        panic!("a serving replica must be asked");
    };
    assert_eq!(busy.line, "a");
    assert_eq!(turns(&balancer, &[]), ["b"; 4]);
    drop(busy);
    assert_eq!(turns(&balancer, &[]), ["a", "b", "a", "b"]);
}

#[test]
fn replica_that_is_not_serving_is_skipped() {
    let balancer = balancer(&[
        (A, State::Unready("a")),
        (B, State::Serving("b")),
        (C, State::Coming),
    ]);
    assert_eq!(turns(&balancer, &[]), ["b"; 4]);
}

#[test]
fn connecting_replica_is_awaited_before_an_unready_one() {
    let mut balancer = balancer(&[(A, State::Unready("a")), (B, State::Coming)]);
    assert_eq!(outcome(balancer.choose(&[], 0)), "wait");
    balancer.set(B, State::Down(TransportFailure::Closed(B)));
    assert_eq!(outcome(balancer.choose(&[], 0)), "a");
    assert_eq!(
        outcome(balancer.choose(&[A], 0)),
        "10.0.0.2:50051 closed the connection"
    );
}

#[test]
fn failed_replica_reconnects_after_a_wake() {
    let mut balancer = balancer(&[
        (A, State::Down(TransportFailure::Closed(A))),
        (B, State::Serving("b")),
    ]);
    balancer.wake();
    assert_eq!(outcome(balancer.choose(&[B], 0)), "wait");
    assert_eq!(outcome(balancer.choose(&[], 0)), "b");
}

#[test]
fn replica_is_tried_only_once_per_call() {
    let balancer = balancer(&[(A, State::Serving("a")), (B, State::Unready("b"))]);
    assert_eq!(outcome(balancer.choose(&[A, B], 0)), "spent");
}

#[test]
fn lookup_failure_is_reported_only_without_known_replicas() {
    let mut balancer = Balancer::default();
    assert_eq!(outcome(balancer.choose(&[], 0)), "wait");
    balancer.fail(TransportFailure::LookUp(Arc::new(std::io::Error::other(
        "no answer",
    ))));
    assert_eq!(
        outcome(balancer.choose(&[], 0)),
        "cannot look up the address of the server"
    );
    balancer.join(A);
    balancer.set(A, State::Serving("a"));
    assert_eq!(outcome(balancer.choose(&[], 0)), "a");
}

#[test]
fn removed_replica_is_not_used_again() {
    let mut balancer = balancer(&[(A, State::Serving("a")), (B, State::Serving("b"))]);
    balancer.leave(A);
    balancer.set(A, State::Serving("a"));
    assert_eq!(turns(&balancer, &[]), ["b"; 4]);
}
