//! Tests that our JSON output equals the output of common tools.

use std::path::Path;
use std::process::{Command, Stdio};

use futures::stream;
use portolan_proto::resolver::v1::ListUpgradesRequest;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::Resolver;
use portolan_resolver::source::{self, CatalogAt, SourceAccess};
use portolan_rig::{Binaries, Failure};
use portolan_shell::{Readiness, ServeFlags, Server, client};
use tokio::sync::oneshot;

use crate::begin;

const FERRY: &str = concat!(
    "demo=",
    env!("CARGO_MANIFEST_DIR"),
    "/../fixtures/catalogs/ferry/catalog.yaml"
);

const README: &str = include_str!("../../../../../README.md");

/// The flags of a server on free ports, as on a command line.
#[derive(Debug, clap::Parser)]
struct Flags {
    #[command(flatten)]
    serve: ServeFlags,
}

#[tokio::test]
async fn answer_json_equals_grpcurl_output_with_defaults() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let grpcurl = Binaries::ready()?.program("grpcurl");
    let folder: CatalogAt = FERRY.parse().expect("the fixture must be a catalog");
    let snapshot = source::read(&[folder], &SourceAccess::default()).await;
    let snapshot = snapshot.expect("the fixture must be readable");
    let service = Resolver::over(snapshot).into_service();

    let ready = Readiness::pending();
    ready.set_ready();
    let flags = <Flags as clap::Parser>::parse_from([
        "flags",
        "--listen=127.0.0.1:0",
        "--probes-listen=127.0.0.1:0",
    ]);
    let server = Server::new(flags.serve, portolan_proto::DESCRIPTORS)
        .host(service.clone(), ready)
        .bind()
        .await
        .expect("no free ports");
    let address = server.grpc_address().to_string();
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = stream::once(async { stopped.await.unwrap_or_default() });
    let served = tokio::spawn(server.run(stopped));

    // Queries the upgrades of three bundles: one has updates and reasons, one has no updates, and
    // one is unknown.
    for installed in [
        "ferry.v1.0.0",
        "ferry.v1.2.0",
        "ferry.v2.0.0",
        "ferry.v0.1.0",
    ] {
        let request = ListUpgradesRequest {
            package: "ferry".to_owned(),
            installed: installed.to_owned(),
            ..ListUpgradesRequest::default()
        };
        let question = serde_json::to_string(&request).expect("a request must have a JSON form");
        let printed = printed_by(&grpcurl, &address, "ListUpgrades", &question).await?;
        let answer = ResolverClient::new(client::local(service.clone()))
            .list_upgrades(request)
            .await;
        let answer = answer
            .expect("the fixture must have an answer")
            .into_inner();
        let ours = serde_json::to_string_pretty(&answer).expect("an answer must have a JSON form");
        portolan_kit::assert_same!(printed.trim_end(), ours.as_str());
    }
    let (question, shown) = readme_call();
    let printed = printed_by(&grpcurl, &address, "FindPath", question).await?;
    portolan_kit::assert_same!(printed.trim_end(), shown);
    drop(stop);
    served
        .await
        .expect("the server must end")
        .expect("the server must end well");
    Ok(())
}

/// Returns the request in the README, and the response in the README.
fn readme_call() -> (&'static str, &'static str) {
    let (_, call) = README
        .split_once("\n$ grpcurl -plaintext -emit-defaults -d '")
        .expect("the README must show a call");
    let (question, call) = call.split_once("' ").expect("a request");
    let (_, answer) = call.split_once('\n').expect("an answer");
    let (answer, _) = answer.split_once("\n```").expect("the end of the answer");
    (question, answer)
}

async fn printed_by(
    grpcurl: &Path,
    address: &str,
    method: &str,
    question: &str,
) -> Result<String, Failure> {
    let mut asked = Command::new(grpcurl);
    asked.args(["-plaintext", "-emit-defaults", "-d", question, address]);
    asked.arg(format!("portolan.resolver.v1.Resolver/{method}"));
    let asked = tokio::task::spawn_blocking(move || asked.stderr(Stdio::inherit()).output());
    let printed = asked.await.expect("grpcurl must be awaited");
    let printed = printed.map_err(Failure::touch("run grpcurl"))?;
    Ok(String::from_utf8_lossy(&printed.stdout).into_owned())
}
