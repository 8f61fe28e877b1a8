//! Tests a second SIGTERM. This test has its own binary, because a signal affects the whole
//! process.

use std::io::ErrorKind;

use portolan_contract::{Fake, ask, flags, run_until, within};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_shell::{Readiness, Server, signals};
use rustix::process::{Signal, getpid, kill_process};
use tokio::net::TcpStream;
use tonic::Code;

#[tokio::test]
async fn second_signal_cancels_running_calls() {
    let stops = signals::stop().expect("signal handlers must be settable");
    let fake = Fake::default();
    let ready = Readiness::pending();
    let server =
        Server::new(flags(), DESCRIPTORS).host(ResolverServer::new(fake.clone()), ready.clone());
    let running = run_until(server, ready, stops).await;
    let mut client = running.resolver();
    let slow = tokio::spawn(async move { client.list_upgrades(ask("slow")).await });
    fake.begun().await;

    kill_process(getpid(), Signal::TERM).expect("a process must reach itself");
    // Waits until the process has handled the first signal. Otherwise both signals would count as
    // one signal.
    let refused = Err(ErrorKind::ConnectionRefused);
    let connect = async || {
        let connected = TcpStream::connect(running.grpc).await;
        connected.map(drop).map_err(|error| error.kind())
    };
    within(async { while connect().await != refused {} }).await;
    assert!(!slow.is_finished());
    kill_process(getpid(), Signal::INT).expect("a process must reach itself");

    running.wait_for_end().await;
    let answer = within(slow).await.expect("the call must not panic");
    let cut = answer.expect_err("the call must be cut");
    assert_eq!(cut.code(), Code::Unavailable);
}
