//! `portolan controller --plans` beside `kubectl apply --server-side` and `helm install`, over the same objects.
//!
//! The API server, etcd and the controller manager are real. Each side has a namespace, a user and all
//! rights of its own. Ours begins where a person types `portolan plan make`, and ends where the plan is
//! Ready; the others begin and end with their command. What our controller and commands hold and ask
//! for counts together: it goes on to watch, which the others do not.

mod cargo;
mod drift;
mod sides;

use std::path::Path;

use portolan_rig::{Binaries, Cluster, HELM};

use self::cargo::Cargo;
use self::sides::{Ours, Spent, Theirs};
use crate::failure::Failure;
use crate::figure::{begin, count, figure};
use crate::plane::{define, patient};
use crate::table::{Better, Row, Table, megabytes, milliseconds, percentile};
use crate::writer::Writer;

/// What people install plans with.
const DEFINITIONS: [&str; 2] = [
    include_str!("../../../deploy/crds/installplans.plans.portolan.dev.yaml"),
    include_str!("../../../deploy/crds/resourcemanifests.plans.portolan.dev.yaml"),
];

/// How much of everything.
#[derive(Debug, Clone, Copy)]
struct Extent {
    objects: usize,
    /// Changes by somebody else, one after the other.
    drifts: usize,
}

const FULL: Extent = Extent {
    objects: 1_000,
    drifts: 20,
};

const QUICK: Extent = Extent {
    objects: 6,
    drifts: 2,
};

/// Installs the same by all three, then again where nothing has changed, and then changes some of it.
pub(crate) async fn measure(
    portolan: &Path,
    is_quick: bool,
    table: &mut Table,
) -> Result<(), Failure> {
    let extent = if is_quick { QUICK } else { FULL };
    let helm = tokio::task::spawn_blocking(|| HELM.program()).await;
    let helm = helm.map_err(|error| Failure::Expect(format!("build helm: {error}")))??;
    let kubectl = Binaries::ready()?.program("kubectl");
    let own = std::env::current_exe().map_err(|source| Failure::Touch {
        act: "find this program".to_owned(),
        source,
    })?;
    let cluster = Cluster::start(own).await?;
    let writer = Writer::of(patient(&cluster)?);
    for definition in DEFINITIONS {
        define(&writer, definition).await?;
    }

    let cargo = Cargo::of(extent.objects)?;
    let mut ours = Ours::begin(portolan, &kubectl, &cluster, &writer, &cargo).await?;
    let mut by_kubectl = Theirs::kubectl(&kubectl, &cluster, &writer, &cargo).await?;
    let mut by_helm = Theirs::helm(&helm, &cluster, &writer, &cargo).await?;
    let mut turns = Vec::new();
    for _ in 0..2 {
        turns.push([
            ours.install().await?,
            by_kubectl.install().await?,
            by_helm.install().await?,
        ]);
    }
    let objects = extent.objects;
    for (what, [ours, kubectl, helm]) in ["installed", "applied again, unchanged"].iter().zip(turns)
    {
        for (peer, theirs) in [("kubectl apply", kubectl), ("helm", helm)] {
            table.comparison(format!("{objects} objects, {what}"), peer);
            compare(ours, theirs, table);
        }
    }

    let took = drift::put_right(&ours, &writer.client, &cargo, extent.drifts).await?;
    let again = by_kubectl.install().await?;
    begin(
        format!(
            "One of {objects} objects changed by somebody else, {} times in a row",
            extent.drifts
        ),
        table,
    );
    figure(
        "until it is put right, p50",
        percentile(&took, 0.5),
        milliseconds,
    )
    .tell(table);
    figure(
        "until it is put right, p95",
        percentile(&took, 0.95),
        milliseconds,
    )
    .tell(table);
    figure("kubectl apply of all", again.time, milliseconds).tell(table);
    Ok(())
}

fn compare(ours: Spent, theirs: Spent, table: &mut Table) {
    let requests = |spent: Spent| spent.requests as f64;
    for (what, ours, theirs, shown) in [
        (
            "time",
            ours.time,
            theirs.time,
            milliseconds as fn(f64) -> String,
        ),
        ("requests", requests(ours), requests(theirs), count),
        ("peak memory", ours.peak, theirs.peak, megabytes),
    ] {
        table.row(Row {
            what: what.to_owned(),
            ours,
            theirs,
            shown,
            better: Better::Less,
            goal: None,
        });
    }
}
