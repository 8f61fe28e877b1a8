//! Measures `portolan controller --plans` beside `kubectl apply --server-side`, `helm install` and
//! `kapp deploy`, over the same objects.
//!
//! The API server, etcd and the controller manager are real. Each tool has its own namespace and
//! its own user with all permissions. For Portolan, the time starts with the command `portolan plan
//! make` and ends when the plan is Ready. For the other tools, the time starts and ends with their
//! command. The memory and the requests of our controller and our commands are added up. The
//! controller also continues to watch, which the other tools do not do.

mod cargo;
mod drift;
mod sides;

use std::path::{Path, PathBuf};

use portolan_rig::{Binaries, Cluster, HELM, KAPP, OwnProgram};

use self::cargo::Cargo;
use self::sides::{Ours, Spent, Theirs};
use crate::failure::Failure;
use crate::figure::count;
use crate::plane::{define, patient};
use crate::table::{Better, Row, Table, megabytes, milliseconds, percentile};
use crate::writer::Writer;

/// The CRDs of plans.
const DEFINITIONS: [&str; 2] = [
    include_str!("../../../deploy/crds/installplans.plans.portolan.dev.yaml"),
    include_str!("../../../deploy/crds/resourcemanifests.plans.portolan.dev.yaml"),
];

/// The size of the measurement.
#[derive(Debug, Clone, Copy)]
struct Extent {
    objects: usize,
    /// The number of changes by another client. The program makes them one after the other.
    drifts: usize,
    /// The number of changes that the other tools revert. For each change, their command must run
    /// once.
    runs: usize,
}

const FULL: Extent = Extent {
    objects: 1_000,
    drifts: 20,
    runs: 5,
};

const QUICK: Extent = Extent {
    objects: 6,
    drifts: 2,
    runs: 1,
};

/// Installs the same objects with all four tools. Then installs them again without a change. Then
/// changes some of the objects.
pub(crate) async fn measure(
    portolan: &Path,
    is_quick: bool,
    table: &mut Table,
) -> Result<(), Failure> {
    let extent = if is_quick { QUICK } else { FULL };
    let (helm, kapp) = (built(&HELM).await?, built(&KAPP).await?);
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
    let mut peers = [
        Theirs::kubectl(&kubectl, &cluster, &writer, &cargo).await?,
        Theirs::helm(&helm, &cluster, &writer, &cargo).await?,
        Theirs::kapp(&kapp, &cluster, &writer, &cargo).await?,
    ];
    let objects = extent.objects;
    for what in ["installed", "applied again, unchanged"] {
        let spent = ours.install().await?;
        for peer in &mut peers {
            let theirs = peer.install().await?;
            table.comparison(format!("{objects} objects, {what}"), peer.called());
            compare(spent, theirs, table);
        }
    }

    let title = format!("One of {objects} objects changed by somebody else, until it is put right");
    table.section(
        title,
        ["", "p50", "p95", "changes"].map(str::to_owned).to_vec(),
    );
    let took = drift::measure_reverts(&ours, &writer.client, &cargo, extent.drifts).await?;
    report_reverts("ours".to_owned(), &took, table);
    for peer in &mut peers {
        let took = drift::revert_by(peer, &writer.client, &cargo, extent.runs).await?;
        report_reverts(format!("{} of all", peer.called()), &took, table);
    }
    Ok(())
}

async fn built(program: &'static OwnProgram) -> Result<PathBuf, Failure> {
    let built = tokio::task::spawn_blocking(|| program.program()).await;
    let built =
        built.map_err(|error| Failure::Expect(format!("build {}: {error}", program.name)))?;
    Ok(built?)
}

fn report_reverts(by: String, took: &[f64], table: &mut Table) {
    let [p50, p95] = [0.5, 0.95].map(|share| milliseconds(percentile(took, share)));
    table.line(vec![by, p50, p95, took.len().to_string()]);
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
