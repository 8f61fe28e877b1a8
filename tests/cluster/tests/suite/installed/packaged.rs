//! Tests OLM's own packageserver, which serves another version of the same API group.

use portolan_kit::catalog;
use portolan_rig::{Failure, Guest, OwnProgram, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{Berth, berth};

const PACKAGESERVER: OwnProgram = OwnProgram {
    name: "packageserver",
    package: ".",
    files: &[
        (
            "go.mod",
            include_str!("../../../programs/packageserver/go.mod"),
        ),
        (
            "go.sum",
            include_str!("../../../programs/packageserver/go.sum"),
        ),
        (
            "main.go",
            include_str!("../../../programs/packageserver/main.go"),
        ),
    ],
};

/// The objects that OLM creates for the packageserver. All versions of an API group have the same
/// priority, and OLM's version is preferred.
const DELIVERED: &str = "
apiVersion: v1
kind: Service
metadata: {name: packageserver-service, namespace: olm}
spec: {type: ExternalName, externalName: localhost, ports: [{name: https, port: PORT}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.packages.operators.coreos.com}
spec:
  group: packages.operators.coreos.com
  version: v1
  groupPriorityMinimum: 2000
  versionPriority: 15
  insecureSkipTLSVerify: true
  service: {name: packageserver-service, namespace: olm, port: PORT}
---
";

const GROUP: &str = "/apis/packages.operators.coreos.com";
const INSTALLED: [&str; 4] = ["get", "installed", "-n=harbor", "-o=name"];
const PACKAGES: [&str; 4] = ["get", "packagemanifests", "-n=harbor", "-o=name"];
const FERRY: &str = "installed.packages.operators.coreos.com/ferry.v1.0.0";
const TUG: &str = "packagemanifest.packages.operators.coreos.com/tug";

#[tokio::test]
async fn api_server_serves_its_group_beside_the_packageserver() -> Result<(), Failure> {
    let Some(mut berth) = berth().await? else {
        return Ok(());
    };
    let offered = catalog("tug: 1.0.0").installable().temp();
    let _catalog = berth.cluster().catalog("olm", "tugs", &offered).await?;
    let port = berth.cluster().free_port();
    let packageserver = started(&berth, port).await?;
    berth
        .applies(&DELIVERED.replace("PORT", &port.to_string()))
        .await?;
    both_answer(&berth).await?;
    discovery_is_whole(&berth).await?;

    drop(packageserver);
    until_available(&berth, "v1", "False").await?;
    assert_eq!(berth.lines(&INSTALLED).await?, [FERRY]);
    berth
        .try_run(&PACKAGES)
        .await?
        .expect_err("it must have no endpoint");
    let packageserver = started(&berth, port).await?;
    both_answer(&berth).await?;
    discovery_is_whole(&berth).await?;

    berth.kill();
    until_available(&berth, "v2alpha1", "False").await?;
    assert_eq!(berth.lines(&PACKAGES).await?, [TUG]);
    berth
        .try_run(&INSTALLED)
        .await?
        .expect_err("it must have no endpoint");
    berth.start().await?;
    both_answer(&berth).await?;
    discovery_is_whole(&berth).await?;
    drop(packageserver);
    berth.assert_no_forbidden_requests()
}

async fn started(berth: &Berth, port: u16) -> Result<Guest, Failure> {
    let built = tokio::task::spawn_blocking(|| PACKAGESERVER.program()).await;
    let program = built.map_err(Failure::read("the end of a build"))??;
    let args = [
        format!("--kubeconfig={}", berth.cluster().kubeconfig().display()),
        "--global-namespace=olm".to_owned(),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        format!("--cert-dir={}", berth.file("packageserver").display()),
    ];
    berth
        .cluster()
        .guest("packageserver", &program, args.to_vec())
}

async fn both_answer(berth: &Berth) -> Result<(), Failure> {
    for version in ["v1", "v2alpha1"] {
        until_available(berth, version, "True").await?;
    }
    berth.until_called().await?;
    berth.until_line(&INSTALLED, FERRY).await?;
    // OLM queries the registry when it marks the catalog as ready.
    until("packages of the catalog", PATIENCE, async || {
        Ok(match berth.try_run(&PACKAGES).await? {
            Ok(reported) if reported.trim() == TUG => Seen::Yes(()),
            Ok(output) | Err(output) => Seen::NotYet(output),
        })
    })
    .await
}

async fn until_available(berth: &Berth, version: &str, expected: &str) -> Result<(), Failure> {
    let name = format!("{version}.packages.operators.coreos.com");
    let status = "-o=jsonpath={.status.conditions[?(@.type=='Available')].status}";
    berth
        .until_line(&["get", "apiservice", &name, status], expected)
        .await
}

/// Checks that discovery contains both versions, both resources and their schemas. The older
/// version must be the preferred version.
async fn discovery_is_whole(berth: &Berth) -> Result<(), Failure> {
    let raw = async |path: &str| {
        let reported = berth.run(&["get", "--raw", path]).await?;
        serde_json::from_str::<Value>(&reported).map_err(Failure::read("the discovery document"))
    };
    let group = raw(GROUP).await?;
    assert_eq!(group["preferredVersion"]["version"], "v1");
    let versions = group["versions"].as_array().cloned().unwrap_or_default();
    let versions: Vec<_> = versions.iter().map(|it| &it["version"]).collect();
    assert_eq!(versions, [&json!("v1"), &json!("v2alpha1")]);
    for (version, resource) in [("v1", "packagemanifests"), ("v2alpha1", "installed")] {
        let reported = raw(&format!("{GROUP}/{version}")).await?;
        let resources = reported["resources"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        assert!(
            resources.iter().any(|it| it["name"] == resource),
            "{reported}"
        );
        let schemas = format!("/openapi/v3{GROUP}/{version}");
        // The API server reads the schemas of another server shortly after the discovery, so the
        // test waits.
        let schemas = until(format!("{schemas} to be served"), PATIENCE, async || {
            Ok(match berth.try_run(&["get", "--raw", &schemas]).await? {
                Ok(reported) => Seen::Yes(reported),
                Err(output) => Seen::NotYet(output),
            })
        });
        let schemas: Value =
            serde_json::from_str(&schemas.await?).map_err(Failure::read("the schemas"))?;
        assert!(schemas["components"]["schemas"].is_object(), "{schemas}");
    }
    let of_group = "--api-group=packages.operators.coreos.com";
    let names = [
        "api-resources",
        of_group,
        "--no-headers",
        "-o=name",
        "--cached=false",
    ];
    let mut names = berth.lines(&names).await?;
    names.sort();
    let expected = ["installed", "packagemanifests"];
    let expected = expected.map(|name| format!("{name}.packages.operators.coreos.com"));
    assert_eq!(names, expected);
    Ok(())
}
