//! Records states of a cluster that OLM reaches only after its timeouts. Tests use the recorded
//! states, because the timeouts are too long for a test. The timeout of OLM is five minutes for an
//! install and ten minutes for a bundle. OLM retries after fifteen minutes.
//!
//! ```text
//! cargo run -p portolan-cluster --example record
//! cargo run -p portolan-cluster --example record -- deadline unpacking
//! ```
//!
//! A story is a scenario in one namespace of a cluster with OLM. The program writes its states to
//! folders in `tests/fixtures/worlds/recorded`. Each folder contains the output of `kubectl get`
//! and the served catalog. All stories together take a quarter of an hour.

mod scene;
mod stories;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use futures::future::try_join_all;
use portolan_rig::{Cluster, Failure};

use crate::scene::Scene;

/// Records the troubles that OLM reports when its own timeouts expire.
#[derive(Debug, Parser)]
struct Flags {
    /// The stories to record; all by default.
    #[arg(value_name = "STORY")]
    stories: Vec<Story>,
}

/// Records the states that OLM reaches when its own timeouts expire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Story {
    /// A Deployment that becomes ready only after the timeout.
    Deadline,
    /// A bundle whose image cannot be pulled.
    Unpacking,
    /// A CRD that an operator requires, and that is deleted.
    Requirement,
}

fn main() -> ExitCode {
    // The supervisor of the cluster is a separate process that runs this program, too.
    if env::args().nth(1).is_some_and(|word| word == "supervise") {
        return portolan_rig::main();
    }
    let flags = Flags::parse();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime must start");
    match runtime.block_on(record(flags)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("record: {failure:?}");
            ExitCode::FAILURE
        }
    }
}

async fn record(flags: Flags) -> Result<(), Failure> {
    let supervisor = env::current_exe().map_err(Failure::touch("find this program"))?;
    let cluster = Cluster::with_olm(supervisor).await?;
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/worlds/recorded");
    let stories: Vec<Story> = match flags.stories.as_slice() {
        [] => Story::value_variants().to_vec(),
        named => named.to_vec(),
    };
    let mut played = Vec::new();
    for story in stories {
        // The namespaces are created one after the other, because their names depend on the order.
        // The stories run at the same time.
        let scene = Scene::on(&cluster, story.name(), &fixtures).await?;
        played.push(async move { story.play(&scene).await });
    }
    try_join_all(played).await.map(drop)
}

// === impl Story ===

impl Story {
    fn name(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Unpacking => "unpacking",
            Self::Requirement => "requirement",
        }
    }

    async fn play(self, scene: &Scene) -> Result<(), Failure> {
        match self {
            Self::Deadline => stories::deadline(scene).await,
            Self::Unpacking => stories::unpacking(scene).await,
            Self::Requirement => stories::requirement(scene).await,
        }
    }
}
