//! Tests replicas that start and stop.

use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::stage::{Berth, berth};

#[tokio::test]
async fn namespace_deletion_waits_for_the_api_service() -> Result<(), Failure> {
    let Some(mut berth) = berth().await? else {
        return Ok(());
    };
    another_replica_continues_the_watch(&mut berth).await?;
    made(&berth, "quay").await?;
    berth
        .run(&["delete", "namespace", "quay", "--timeout=180s"])
        .await?;

    berth.kill();
    until_available(&berth, "False").await?;
    made(&berth, "pier").await?;
    let delete = ["delete", "namespace", "pier", "--timeout=5s"];
    berth.try_run(&delete).await?.expect_err("it must wait");
    until_discovery_failure_is_reported(&berth).await?;

    berth.start().await?;
    berth.until_called().await?;
    let gone = ["wait", "namespace/pier", "--for=delete", "--timeout=180s"];
    berth.run(&gone).await?;
    berth.assert_no_forbidden_requests()
}

async fn until_discovery_failure_is_reported(berth: &Berth) -> Result<(), Failure> {
    until("the reason why the namespace stays", PATIENCE, async || {
        let why = "-o=jsonpath={.status.conditions[?(@.status=='True')].reason}";
        let why = berth.run(&["get", "namespace", "pier", why]).await?;
        Ok(if why.contains("DiscoveryFailed") {
            Seen::Yes(())
        } else {
            Seen::NotYet(why)
        })
    })
    .await
}

/// A client that has listed objects from one replica can continue with a watch on another replica.
async fn another_replica_continues_the_watch(berth: &mut Berth) -> Result<(), Failure> {
    let list = "/apis/packages.operators.coreos.com/v2alpha1/namespaces/harbor/installed";
    let listed = berth.run(&["get", "--raw", list]).await?;
    let version = version(&listed);
    let (port, _, _other) = berth.replica().await?;
    berth.leads_to(port).await?;
    berth.until_called().await?;
    let here = berth.run(&["get", "--raw", list]).await?;
    let uid = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        value["items"][0]["metadata"]["uid"].clone()
    };
    assert_eq!(uid(&here), uid(&listed), "it must be the same for ever");
    let watch = format!("{list}?watch=1&timeoutSeconds=1&resourceVersion={version}");
    let watched = berth.try_run(&["get", "--raw", &watch]).await?;
    // The resource version comes from the first replica, and is older than the state of the second
    // replica. Then the second replica must report this.
    if let Err(output) = watched {
        assert!(output.contains("(Expired)"), "{output}");
    }
    berth.kill();
    let now = version_of(berth, list).await?;
    let watch = format!("{list}?watch=1&timeoutSeconds=1&resourceVersion={now}");
    berth.run(&["get", "--raw", &watch]).await?;
    berth.start().await?;
    berth.until_called().await
}

async fn version_of(berth: &Berth, list: &str) -> Result<String, Failure> {
    Ok(version(&berth.run(&["get", "--raw", list]).await?))
}

fn version(list: &str) -> String {
    let list: serde_json::Value = serde_json::from_str(list).expect("JSON");
    let version = list["metadata"]["resourceVersion"].as_str();
    version.expect("a version").to_owned()
}

async fn made(berth: &Berth, name: &str) -> Result<(), Failure> {
    berth.run(&["create", "namespace", name]).await?;
    Ok(())
}

async fn until_available(berth: &Berth, expected: &str) -> Result<(), Failure> {
    until("the APIService to be noticed", PATIENCE, async || {
        let status = "-o=jsonpath={.status.conditions[?(@.type=='Available')].status}";
        let name = "v2alpha1.packages.operators.coreos.com";
        let reported = berth.run(&["get", "apiservice", name, status]).await?;
        Ok(if reported == expected {
            Seen::Yes(())
        } else {
            Seen::NotYet(reported)
        })
    })
    .await
}
