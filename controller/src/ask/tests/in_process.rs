//! Tests with the controller and its services in one process, as in `portolan up`.

use std::fs;
use std::time::Duration;

use clap::{Args, Command};
use futures::stream;
use portolan_kit::TempFolder;
use portolan_proto::DESCRIPTORS;
use portolan_shell::{ServeFlags, Server};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tonic::Status;

use super::fakes::{FakeApproval, FakeHealth, FakeResolver};
use super::stage::{answers, catalog, catalogs_synced, in_process};
use crate::{Flags, beside};

/// The maximum time to wait for an expected event.
const PATIENCE: Duration = Duration::from_secs(30);

fn parsed<F: Args>(words: &[&str]) -> F {
    let command = F::augment_args(Command::new("test").no_binary_name(true));
    let matches = command.try_get_matches_from(words).expect("flags");
    F::from_arg_matches(&matches).expect("flags")
}

/// Returns a folder with one policy for package `ferry`.
fn world() -> TempFolder {
    let world = TempFolder::empty();
    let policy = json!({
        "apiVersion": "policy.open-cluster-management.io/v1beta1",
        "kind": "OperatorPolicy",
        "metadata": {"name": "ferry", "namespace": "policies", "uid": "p-1", "generation": 1},
        "spec": {
            "remediationAction": "inform",
            "complianceType": "musthave",
            "upgradeApproval": "None",
            "subscription": {"name": "ferry", "namespace": "harbor", "source": "shop",
                "sourceNamespace": "olm", "channel": "stable"},
        },
    });
    fs::write(world.join("policy.json"), policy.to_string()).expect("a file");
    world
}

async fn called(resolver: &FakeResolver, method: &str) {
    let called = async {
        while !resolver.calls().contains_key(method) {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, called).await.expect("a call");
}

/// The gRPC server has a port but never accepts a connection.
#[tokio::test]
async fn controller_uses_services_of_its_process_without_a_network() {
    let resolver = FakeResolver::new(answers());
    let health = FakeHealth::new(());
    let approval = FakeApproval::new(Err(Status::not_found("")));
    let connections = in_process((&resolver, &health, &approval));
    let world = world();
    let folder = world.display().to_string();
    let (config, _, _) = parsed::<Flags>(&["--read-only", "--world", &folder]).split();
    let listen = ["--listen=127.0.0.1:0", "--probes-listen=127.0.0.1:0"];
    let server = Server::new(parsed::<ServeFlags>(&listen), DESCRIPTORS);
    let mut server = server.bind().await.expect("free ports");
    let (process, _) = beside(config, connections, &mut server).expect("a process");
    let (stop, stopped) = oneshot::channel();
    let stops = stream::once(async { stopped.await.unwrap_or_default() });
    let running = tokio::spawn(process.run(stops));

    resolver.send(catalog("olm/shop", "sha256:1")).await;
    resolver.send(catalogs_synced()).await;
    called(&resolver, "GetPackage").await;

    // The service ends its stream of changes. The controller opens another stream.
    resolver.end();
    resolver.send(catalog("olm/shop", "sha256:2")).await;
    resolver.send(catalogs_synced()).await;
    called(&resolver, "GetPackage").await;

    stop.send(()).expect("a running process");
    let ended = timeout(PATIENCE, running).await.expect("an end in time");
    ended.expect("no panic").expect("an orderly end");
    let heard = [resolver.is_heard(), health.is_heard(), approval.is_heard()];
    assert_eq!(heard, [false; 3], "streams end with the controller");
}
