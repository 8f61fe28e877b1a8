//! Starts OLM as Pods of the node, with images of its programs.

use std::path::Path;

use kube::Client;
use kube::api::DynamicObject;

use super::{apply_all, is_true};
use crate::binaries::{Binaries, built};
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::image::{Entry, Image, Program, Start};
use crate::kind::Kind;
use crate::program::OLM_IMAGES;
use crate::wait::{until_field, until_object};

const MANIFESTS: &str = include_str!("../../../config/olm.yaml");
/// The folder for programs in the images. OLM expects its programs in this folder.
const FOLDER: &str = "bin";
/// The namespace in which OLM runs.
const HOME: &str = "olm";

/// Pushes the images of OLM and creates its objects. Returns when OLM reconciles and its
/// packageserver responds.
pub(super) async fn start(cluster: &Cluster) -> Result<(), Failure> {
    let binaries = cluster.binaries().clone();
    let made = tokio::task::spawn_blocking(move || images(&binaries));
    let [olm, opm] = made
        .await
        .map_err(Failure::read("the end of the images"))??;
    let olm = cluster.push(olm, "olm:rig").await?;
    let opm = cluster.push(opm, "opm:rig").await?;
    let text = MANIFESTS.replace("{olm}", &olm).replace("{opm}", &opm);
    let client = cluster.client()?;
    apply_all(&client, &text).await?;
    until_ready(&client).await
}

async fn until_ready(client: &Client) -> Result<(), Failure> {
    let deployments = Kind::Deployment.within(client, HOME);
    for name in ["olm-operator", "catalog-operator"] {
        let is_available = |deployment: &DynamicObject| is_true(deployment, "Available");
        until_object(&deployments, name, "available", is_available).await?;
    }
    let versions = Kind::ClusterServiceVersion.within(client, HOME);
    until_field(&versions, "packageserver", "/status/phase", "Succeeded")
        .await
        .map(drop)
}

/// Returns the two images of an OLM release: one with all programs of OLM, and one with `opm`.
fn images(binaries: &Binaries) -> Result<[Image; 2], Failure> {
    let own = built(&OLM_IMAGES)?;
    let layer = |program: &Path| Program::fixed(program)?.files(FOLDER);
    // OLM copies programs into Pods with `cp`.
    let mut tools = Program::with_libraries(Path::new("/bin/cp"))?.files(FOLDER)?;
    for name in ["cpb", "copy-content"] {
        tools.extend(layer(&own.join(name))?);
    }
    let olm = [
        tools,
        layer(&binaries.program("olm"))?,
        layer(&binaries.program("catalog"))?,
        layer(&own.join("package-server"))?,
    ];
    let opm = [
        layer(&binaries.program("opm"))?,
        layer(&own.join("grpc_health_probe"))?,
    ];
    Ok([image(&olm, "olm"), image(&opm, "opm")])
}

fn image(layers: &[Vec<Entry>], program: &str) -> Image {
    let start = Start {
        program: format!("/{FOLDER}/{program}"),
        ..Start::default()
    };
    Image::of(layers, &start)
}
