//! Tests `portolan up` with a cluster. The command only reports, or it enforces policies as the
//! controller does.

use std::fs::{self, File};
use std::process::Stdio;

use portolan_kit::{TempFolder, catalog};
use portolan_proto::health::v1::ListOperatorsRequest;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use tonic::Status;

use super::{holder, up};
use crate::approval::policy::design;
use crate::operatorpolicy::fleet::Fleet;
use crate::operatorpolicy::stage::{Stage, stage_of};
use crate::process::{connection, metrics};
use crate::program::Started;
use crate::world;

/// The command holds the Lease while it runs, and releases the Lease when it exits.
#[tokio::test]
async fn up_with_enforce_installs_and_exits_cleanly() -> Result<(), Failure> {
    let Some(stage) = harbor("up").await? else {
        return Ok(());
    };
    let here = stage.world.namespace();
    let folder = TempFolder::empty();
    let output = folder.join("said");
    let file = File::create(&output).map_err(Failure::touch("make a file"))?;
    let words = ["-n", here, "--enforce", &format!("--lease={here}/up")];
    let mut command = up(&stage.fleet.kubeconfig, &words).await?;
    let mut up = Started::by(command.stdout(Stdio::null()).stderr(file))?;
    stage
        .write(&stage.at_home(design("yawl", &["yawl.v1.0.0"])))
        .await?;
    let installed = ["compliant: Compliant", "installed: yawl.v1.0.0"];
    stage.until_status("yawl", &installed).await?;
    let lease = async || holder(stage.world.client(), here, "up").await;
    assert_ne!(lease().await?, "", "a writer holds the Lease");
    let output = fs::read_to_string(&output).unwrap_or_default();
    let operators = "Operators: off; its objects are cluster-scoped, but -n selects one";
    for line in ["OperatorPolicies: on\n", operators] {
        assert!(output.contains(line), "{output}");
    }
    // The controller calls the services inside of its process, and not through their port.
    let metrics = scraped(&output).await?;
    assert!(!metrics.contains("grpc_server_started"), "{metrics}");
    call(&output).await.expect("an answer");
    let metrics = scraped(&output).await?;
    for family in [
        "grpc_server_handled",
        "portolan_controller_is_leader 1",
        "cluster_policy_governance_info{",
    ] {
        assert!(metrics.contains(family), "{family} must be in {metrics}");
    }
    up.terminate()?;
    assert_eq!(up.ended("portolan").await?, Some(0));
    assert_eq!(lease().await?, "", "the Lease is released");
    Ok(())
}

/// Without --enforce, the command prints the changes, and prints that it does not make them.
#[tokio::test]
async fn up_without_enforce_changes_nothing() -> Result<(), Failure> {
    let Some(stage) = harbor("up-looks").await? else {
        return Ok(());
    };
    stage
        .write(&stage.at_home(design("yawl", &["yawl.v1.0.0"])))
        .await?;
    let onlooker = format!("looks-on-{}", stage.world.namespace());
    let kubeconfig = stage
        .world
        .cluster()
        .admit(&onlooker, Some("system:masters"))?;
    let folder = TempFolder::empty();
    let output = folder.join("said");
    let file = File::create(&output).map_err(Failure::touch("make a file"))?;
    let other = file.try_clone().map_err(Failure::touch("share a file"))?;
    let mut command = up(&kubeconfig, &["-n", stage.world.namespace()]).await?;
    let mut up = Started::by(command.stdout(file).stderr(other))?;
    let wanted = [
        "Would create Subscription ",
        "Nothing is written to the cluster without --enforce.",
    ];
    until("up to say what it would do", PATIENCE, async || {
        let reported = fs::read_to_string(&output).unwrap_or_default();
        Ok(if wanted.iter().all(|wanted| reported.contains(wanted)) {
            Seen::Yes(())
        } else {
            Seen::NotYet(reported)
        })
    })
    .await?;
    up.terminate()?;
    assert_eq!(up.ended("portolan").await?, Some(0));
    let audit = stage.world.cluster().audit()?.by(&onlooker);
    assert_ne!(audit.records(), [], "it looks");
    assert_eq!(audit.writes().records(), [], "and no more");
    Ok(())
}

/// Reads the metrics at the address in the output.
async fn scraped(output: &str) -> Result<String, Failure> {
    let address = between(output, "probes and metrics on ", ". Try:");
    let address = address.parse().expect("an address");
    metrics(address).await.map_err(Failure::touch("scrape"))
}

/// Calls the health service at the address in the output.
async fn call(said: &str) -> Result<(), Status> {
    let url = between(said, "  portolan diagnose --server ", "\n");
    let mut health = HealthClient::new(connection(url, PATIENCE));
    let request = ListOperatorsRequest::default();
    health.list_operators(request).await.map(drop)
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).expect("an address");
    rest.split_once(after).expect("an address").0
}

/// Returns a namespace with a catalog. No controller handles policies.
async fn harbor(name: &str) -> Result<Option<Stage>, Failure> {
    let Some(world) = world(name).await? else {
        return Ok(None);
    };
    let fleet = Fleet::idle(&world).await?;
    let offered = catalog("yawl: 1.0.0").installable();
    stage_of(world, fleet, &offered).await.map(Some)
}
