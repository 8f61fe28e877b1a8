//! The ways in which the operator can fail on purpose.

use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::ValueEnum;
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use serde_json::json;

use crate::{Flags, Health};

/// The exit code of a crash.
const CRASH: i32 = 42;
/// The number of bytes that a memory leak allocates at a time. With the pause between two
/// allocations, the operator leaks 10 MiB per second.
const STEP: usize = 1 << 20;
const PAUSE: Duration = Duration::from_millis(100);
/// The pause before the operator tries again to write its OperatorCondition.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trouble {
    None,
    /// Exits with code 42 right after its start.
    Crash,
    /// Never becomes ready.
    Unready,
    /// Answers no probe.
    Hang,
    /// Allocates more and more memory.
    Leak,
    /// Reports Upgradeable=False.
    NotUpgradeable,
}

impl Trouble {
    /// Starts to fail in this way. Returns the exit code when the process must end.
    pub(crate) async fn begin(self, health: &Health, client: &Client, flags: &Flags) -> i32 {
        match self {
            Self::None | Self::Unready => std::future::pending().await,
            Self::Crash => {
                eprintln!("fatal: the tide table of this port is unreadable");
                CRASH
            }
            Self::Hang => {
                health.hangs.store(true, Ordering::Relaxed);
                std::future::pending().await
            }
            Self::Leak => leak().await,
            Self::NotUpgradeable => {
                // OLM may grant the permission shortly after the operator starts, so the write is
                // repeated.
                while let Err(error) = report(client, flags).await {
                    eprintln!("cannot write the OperatorCondition: {error}");
                    tokio::time::sleep(RETRY).await;
                }
                std::future::pending().await
            }
        }
    }
}

async fn leak() -> i32 {
    let mut taken = Vec::new();
    loop {
        // The kernel does not allocate memory for pages of zeros, so another value is written.
        taken.push(vec![1_u8; STEP]);
        tokio::time::sleep(PAUSE).await;
    }
}

/// Writes the condition into the OperatorCondition in the namespace of the operator, as operators
/// of OLM do.
async fn report(client: &Client, flags: &Flags) -> Result<(), kube::Error> {
    let Some(name) = &flags.condition else {
        return Ok(());
    };
    let kind = GroupVersionKind::gvk("operators.coreos.com", "v2", "OperatorCondition");
    let resource = ApiResource::from_gvk(&kind);
    let conditions: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
    let condition = json!({
        "type": "Upgradeable", "status": "False", "reason": "FerriesAtSea",
        "message": "ferries are at sea", "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    let change = json!({"spec": {"conditions": [condition]}});
    let params = PatchParams::default();
    conditions
        .patch(name, &params, &Patch::Merge(change))
        .await?;
    Ok(())
}
