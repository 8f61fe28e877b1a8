//! Tests the memory of Pods under load.

use kube::api::ListParams;
use portolan_kit::real_catalog;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};

use super::caller::Caller;
use super::deployed::{Deployed, REPLICAS};
use super::memory::all_are_below_half_their_limit;
use super::overlays::{HARBOR, ferries, harbor};
use crate::approval::policy::policy;
use crate::editor::Editor;

const POLICIES: usize = 200;

/// The load is one of the largest catalogs, 200 policies, and a client that sends requests without
/// a pause.
#[tokio::test]
#[ignore = "a real catalog and 200 policies: just soak"]
async fn pods_under_load_need_less_than_half_of_their_memory() -> Result<(), Failure> {
    let Some(real) = real_catalog("community-v4.20") else {
        return Ok(());
    };
    let Some(deployed) = Deployed::prepare().await? else {
        return Ok(());
    };
    deployed.apply().await?;
    let _served = (ferries(&deployed).await?, harbor(&deployed).await?);
    let _real = deployed.cluster.catalog("olm", "community", &real).await?;
    deployed.until_ready(&REPLICAS).await?;
    let caller = Caller::start(&deployed, HARBOR).await?;
    let editor = Editor::of(&deployed.client, HARBOR);
    for at in 0..POLICIES {
        let name = format!("policy-{at}");
        let policy = policy(&name).informs().allows(&[]);
        let body = policy.body(HARBOR);
        editor.create(Kind::OperatorPolicy, &name, body).await?;
    }
    let policies = editor.objects(Kind::OperatorPolicy);
    until("all policies to be observed", PATIENCE, async || {
        let all = policies.list(&ListParams::default()).await?.items;
        let is_observed = |status: &serde_json::Value| status["compliant"].is_string();
        let observed = all.iter().filter(|it| is_observed(&it.data["status"]));
        Ok(match observed.count() {
            POLICIES => Seen::Yes(()),
            count => Seen::NotYet(format!("{count} are")),
        })
    })
    .await?;
    caller.answers_more(5_000).await?;
    all_are_below_half_their_limit(&deployed).await
}
