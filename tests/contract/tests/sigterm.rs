//! Tests the stop by SIGTERM, which a kubelet sends. This test has its own binary, because a signal
//! affects the whole process.

use std::io::ErrorKind;

use portolan_contract::{Fake, Running, ask, flags, list_response, run_until, within};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_shell::{Readiness, Server, signals};
use rustix::process::{Signal, getpid, kill_process};
use tokio::net::TcpStream;

#[tokio::test]
async fn server_completes_running_calls_after_sigterm_and_accepts_no_new_calls() {
    let stop = signals::stop().expect("signal handlers must be settable");
    let fake = Fake::default();
    let ready = Readiness::pending();
    let server =
        Server::new(flags(), DESCRIPTORS).host(ResolverServer::new(fake.clone()), ready.clone());
    let running = run_until(server, ready, stop).await;
    let mut client = running.resolver();
    let slow = tokio::spawn(async move { client.list_upgrades(ask("slow")).await });
    fake.begun().await;

    kill_process(getpid(), Signal::TERM).expect("a process must reach itself");

    // The process handles the signal after a short time. Connections that it has not accepted by
    // then are reset.
    within(async { while connect(&running).await != Err(ErrorKind::ConnectionRefused) {} }).await;
    assert!(!slow.is_finished());
    fake.permit();
    let answer = within(slow).await.expect("the call must not panic");
    assert_eq!(
        answer.expect("the call must be answered").into_inner(),
        list_response("slow")
    );
    running.wait_for_end().await;
}

async fn connect(running: &Running) -> Result<(), ErrorKind> {
    let connected = TcpStream::connect(running.grpc).await;
    connected.map(drop).map_err(|error| error.kind())
}
