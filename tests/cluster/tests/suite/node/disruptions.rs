//! Tests Pods of Portolan that are deleted, restarted and evicted.

use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams};
use portolan_rig::{Failure, Guest, Kind, PATIENCE, Seen, until, until_object};
use serde_json::{Value, json};

use super::caller::Caller;
use super::deployed::{Deployed, NAMESPACE, REPLICAS, container};
use crate::objects::api;

/// A finalizer that keeps a Pod after its containers have ended, so that a test can read their
/// status.
const HELD: &str = "rig.test/held";
const LEASE: [&str; 3] = ["coordination.k8s.io/v1", "Lease", NAMESPACE];

/// Another replica becomes the leader when the Pod of the leader is deleted. The deleted Pod ends
/// with exit code 0.
pub(super) async fn leader_is_replaced(deployed: &Deployed) -> Result<(), Failure> {
    let leases = api(&deployed.client, LEASE);
    let holder = |lease: &DynamicObject| {
        let holder = lease.data["spec"]["holderIdentity"].as_str();
        // The identity in the Lease begins with the name of the Pod.
        let name = holder.and_then(|holder| holder.split('_').next());
        name.unwrap_or_default().to_owned()
    };
    let leader = holder(&leases.get("portolan-controller").await?);
    let held = Held::pod(deployed, &leader).await?;
    let pods = Kind::Pod.within(&deployed.client, NAMESPACE);
    pods.delete(&leader, &DeleteParams::default()).await?;
    let is_other = |lease: &DynamicObject| {
        let now = holder(lease);
        !now.is_empty() && now != leader
    };
    until_object(&leases, "portolan-controller", "another leader", is_other).await?;
    held.ended_well(deployed).await?;
    deployed.until_ready(&[("controller", 2)]).await
}

/// While all Pods of the resolver are replaced, no call fails. Each Pod of Portolan ends with exit
/// code 0.
pub(super) async fn restart_fails_no_call(
    deployed: &Deployed,
    caller: &Caller<'_>,
) -> Result<(), Failure> {
    let mut held = Vec::new();
    for (component, _) in REPLICAS.iter().filter(|(name, _)| *name != "apiserver") {
        for pod in deployed.pods(component).await? {
            let name = pod.metadata.name.unwrap_or_default();
            held.push(Held::pod(deployed, &name).await?);
        }
    }
    let restart = "kubectl -n portolan rollout restart $(kubectl -n portolan get deployment -o name |\
        grep -v apiserver)";
    deployed.types(restart).await?;
    for pod in held {
        pod.ended_well(deployed).await?;
    }
    deployed.until_ready(&REPLICAS).await?;
    caller.answers_more(100).await.map(drop)
}

/// While no node accepts Pods, one replica of each component with a PodDisruptionBudget keeps
/// running.
pub(super) async fn drain_waits_for_the_budgets(
    deployed: &Deployed,
    caller: &Caller<'_>,
) -> Result<(), Failure> {
    let kubeconfig = format!("--kubeconfig={}", deployed.cluster.kubeconfig().display());
    let evicted = "app.kubernetes.io/component in (controller, resolver, webhook, health)";
    let words = [
        "drain",
        "node-1",
        &format!("--pod-selector={evicted}"),
        "--ignore-daemonsets",
        "--delete-emptydir-data",
        &kubeconfig,
    ];
    let words = words.map(str::to_owned).to_vec();
    let kubectl = deployed.cluster.binaries().program("kubectl");
    let drain = deployed.cluster.guest("drain", &kubectl, words)?;
    until("one replica to be left", PATIENCE, async || {
        let refused = drain.output()?.contains("Cannot evict pod");
        let mut counts = Vec::new();
        for component in ["controller", "resolver", "webhook"] {
            counts.push((component, replicas(deployed, component).await?));
        }
        let is_reached = counts.iter().all(|(_, count)| *count == (1, 1));
        Ok(if refused && is_reached {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{counts:?} {}", drain.output()?))
        })
    })
    .await?;
    caller.answers_more(100).await?;

    deployed.kubectl.run(&["uncordon", "node-1"]).await?;
    let end = drain.ends().await?;
    assert_eq!(end, "exit status: 0", "{}", drain.output()?);
    deployed.until_ready(&REPLICAS).await?;
    caller.answers_more(100).await.map(drop)
}

/// Returns the number of running Pods, and the number of Pods that wait for a node. Omits Pods that
/// are being deleted.
async fn replicas(deployed: &Deployed, component: &str) -> Result<(usize, usize), Failure> {
    let pods = deployed.pods(component).await?;
    let kept = pods.iter();
    let kept = kept.filter(|pod| pod.metadata.deletion_timestamp.is_none());
    let (mut run, mut wait) = (0, 0);
    for pod in kept {
        match pod.data["spec"]["nodeName"] {
            Value::String(_) => run += 1,
            _ => wait += 1,
        }
    }
    Ok((run, wait))
}

/// A Pod that is kept after its end, and its log. Without the finalizer, the log would be deleted
/// with the container.
struct Held {
    pod: String,
    log: Guest,
}

// === impl Held ===

impl Held {
    async fn pod(deployed: &Deployed, pod: &str) -> Result<Self, Failure> {
        finalizers(deployed, pod, json!([HELD])).await?;
        let kubeconfig = format!("--kubeconfig={}", deployed.cluster.kubeconfig().display());
        let words = ["logs", "--follow", "-n", NAMESPACE, pod, &kubeconfig];
        let words = words.map(str::to_owned).to_vec();
        let kubectl = deployed.cluster.binaries().program("kubectl");
        let log = deployed
            .cluster
            .guest(&format!("log-{pod}"), &kubectl, words)?;
        let pod = pod.to_owned();
        Ok(Self { pod, log })
    }

    /// Waits until the container has ended, checks its exit code, and removes the finalizer. On a
    /// very busy machine, a process can lose its Lease while it ends, and then reports this.
    async fn ended_well(self, deployed: &Deployed) -> Result<(), Failure> {
        let pods = Kind::Pod.within(&deployed.client, NAMESPACE);
        let end = |pod: &DynamicObject| container(pod)["state"]["terminated"]["exitCode"].clone();
        let ended = until_object(&pods, &self.pod, "ended", |pod| !end(pod).is_null());
        let code = end(&ended.await?);
        let log = self.log.output()?;
        let has_lost = code == 3 && log.contains("leadership is lost");
        assert!(code == 0 || has_lost, "{}: {code}\n{log}", self.pod);
        finalizers(deployed, &self.pod, json!(null)).await
    }
}

async fn finalizers(deployed: &Deployed, pod: &str, wanted: Value) -> Result<(), Failure> {
    let pods = Kind::Pod.within(&deployed.client, NAMESPACE);
    let change = json!({"metadata": {"finalizers": wanted}});
    pods.patch(pod, &PatchParams::default(), &Patch::Merge(change))
        .await?;
    Ok(())
}
