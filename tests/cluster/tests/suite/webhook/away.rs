//! Tests a webhook that is unavailable for some time. Meanwhile the API server admits every
//! request, and the controller reports the outage.

use std::net::SocketAddr;
use std::process::Command;

use portolan_rig::{Failure, PATIENCE, Seen, until};
use portolan_webhook::Terms;

use super::stage::{Pier, pier};
use crate::operatorpolicy::fleet;
use crate::process::{Running, until_metric};
use crate::program::{output, portolan};

const CONTROLLER: &str = "system:serviceaccount:portolan:portolan-controller";
/// An Operator with an invalid version range. A finalizer blocks its deletion.
const WRONG: &str = "
apiVersion: operators.operatorframework.io/v1alpha1
kind: Operator
metadata: {name: rope, finalizers: [rig.test/hold]}
spec: {packageName: rope, version: '>=2.0.0 <1.0.0'}
";
/// An EndpointSlice that contains a ready Pod for the Service of the webhook.
const SLICE: &str = "
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: portolan-webhook-1
  namespace: portolan
  labels: {kubernetes.io/service-name: portolan-webhook}
addressType: IPv4
ports: [{name: https, port: 8443}]
endpoints: [{addresses: [10.1.2.3], conditions: {ready: true}}]
";
const AWAY: &str = "objects are written without validation by the webhook, and only the \
 conditions of the objects show errors: Service portolan/portolan-webhook has no ready endpoint; \
 check its Pods: kubectl -n portolan get pods -l app.kubernetes.io/component=webhook";
const OPERATOR: &str = "operators.operators.operatorframework.io/rope";

#[tokio::test]
async fn unavailable_webhook_admits_everything_and_is_reported() -> Result<(), Failure> {
    let Some(mut pier) = pier(Terms::default()).await? else {
        return Ok(());
    };
    pier.server_side(SLICE).await?;
    let (probes, _controller) = controller(&pier).await?;
    let gauge =
        |value| format!("portolan_webhook_available{{configuration=\"portolan-webhook\"}} {value}");
    until_metric(probes, &gauge(1)).await?;

    pier.kill();
    pier.types(&[
        "-n=portolan",
        "delete",
        "endpointslice",
        "portolan-webhook-1",
    ])
    .await?;
    until_metric(probes, &gauge(0)).await?;
    let made = pier.applies(WRONG).await?;
    let created = "operator.operators.operatorframework.io/rope created";
    assert_eq!(made.as_deref(), Ok(created));
    assert_eq!(until_event(&pier, "WebhookAway").await?, AWAY);
    assert!(
        diagnosed(&pier)
            .await?
            .contains(&format!("warning: {AWAY}\n"))
    );

    pier.start(Terms::default()).await?;
    pier.until_called().await?;
    pier.server_side(SLICE).await?;
    until_metric(probes, &gauge(1)).await?;
    until_event(&pier, "WebhookBack").await?;
    let message = diagnosed(&pier).await?;
    assert!(!message.contains("webhook"), "{message}");
    admitted_object_accepts_unrelated_changes(&pier).await?;
    pier.assert_no_forbidden_requests()
}

/// Starts a controller with exactly the permissions of the overlays.
async fn controller(pier: &Pier) -> Result<(SocketAddr, Running), Failure> {
    let kubeconfig = pier.cluster().admit(CONTROLLER, None)?;
    let flags = [
        fleet::kubeconfig_flag(&kubeconfig),
        "--no-lease".to_owned(),
        "--webhook=portolan-webhook".to_owned(),
    ];
    Ok(fleet::probed_controller(flags).await)
}

/// Runs `portolan diagnose` as an administrator. Returns its warnings.
async fn diagnosed(pier: &Pier) -> Result<String, Failure> {
    let mut diagnose = Command::new(portolan().await?);
    diagnose.args([
        "diagnose",
        &fleet::kubeconfig_flag(&pier.cluster().kubeconfig()),
    ]);
    let message = output(diagnose).await?;
    Ok(String::from_utf8_lossy(&message.stderr).into_owned())
}

/// Waits for an event about the webhook configuration with this reason. Returns its message.
async fn until_event(pier: &Pier, reason: &str) -> Result<String, Failure> {
    let about = format!("--field-selector=involvedObject.name=portolan-webhook,reason={reason}");
    let message = "-o=jsonpath={.items[*].message}";
    until(format!("an event {reason}"), PATIENCE, async || {
        let reported = pier.types(&["get", "events", &about, message]).await?;
        Ok(if reported.is_empty() {
            Seen::NotYet("no such event".to_owned())
        } else {
            Seen::Yes(reported)
        })
    })
    .await
}

/// Changes an invalid object that was admitted. The labels and finalizers can be changed, and the
/// object can be deleted. A new spec is rejected, unless the object is being deleted.
async fn admitted_object_accepts_unrelated_changes(pier: &Pier) -> Result<(), Failure> {
    pier.types(&["label", OPERATOR, "a=b"]).await?;
    let still_wrong = WRONG.replace(">=2.0.0", ">=3.0.0");
    let message = pier.applies(&still_wrong).await?.expect_err("a rejection");
    assert!(message.contains("which contains no version"), "{message}");

    pier.types(&["delete", OPERATOR, "--wait=false"]).await?;
    let none = "{\"metadata\": {\"finalizers\": null}}";
    let changed = "{\"spec\": {\"version\": \">=4.0.0 <1.0.0\"}}";
    for patch in [changed, none] {
        pier.types(&["patch", OPERATOR, "--type=merge", "-p", patch])
            .await?;
    }
    let gone = ["wait", "--for=delete", OPERATOR, "--timeout=180s"];
    pier.types(&gone).await?;
    Ok(())
}
