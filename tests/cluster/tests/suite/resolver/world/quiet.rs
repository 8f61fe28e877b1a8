//! Tests that an idle world sends no requests.

use std::time::Duration;

use portolan_core_olm::{CatalogSource, ClusterCatalog};
use portolan_rig::{Audit, Failure, PATIENCE, Seen};
use portolan_world::{self as observed, Pace, State, World as _};

use super::{patient, until};
use crate::world;

const WHILE: Duration = Duration::from_secs(6);

#[tokio::test]
async fn idle_world_sends_no_requests() -> Result<(), Failure> {
    let Some(world) = world("idle").await? else {
        return Ok(());
    };
    let user = format!("idler-of-{}", world.namespace());
    world.cluster().admit(&user, Some("system:masters"))?;
    let asked = || Ok::<_, Failure>(world.cluster().audit()?.by(&user));
    let cluster = observed::Cluster::of(patient(world.cluster(), &user)?, Pace::default());
    let mut sources = cluster.objects::<CatalogSource>();
    let _same = cluster.objects::<CatalogSource>();
    // This kind is missing. Its watch must cause no additional requests.
    let mut catalogs = cluster.objects::<ClusterCatalog>();
    until(&mut sources, |view| view.state == State::Synced).await;
    until(&mut catalogs, |view| view.state == State::NotServed).await;

    // The world lists and watches one existing kind and one missing kind.
    let began = |audit: &Audit| {
        let verbs = ["list", "watch"].map(|verb| audit.clone().verb(verb).len());
        verbs == [2, 2]
    };
    seen("two lists and two watches", asked, began).await?;
    tokio::time::sleep(WHILE).await;
    let all = asked()?;
    assert_eq!(all.len(), 4, "{all:?}");
    Ok(())
}

async fn seen(
    what: &str,
    asked: impl Fn() -> Result<Audit, Failure>,
    is_wanted: impl Fn(&Audit) -> bool,
) -> Result<(), Failure> {
    portolan_rig::until(what, PATIENCE, async || {
        let audit = asked()?;
        Ok(if is_wanted(&audit) {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{audit:?}"))
        })
    })
    .await
}
