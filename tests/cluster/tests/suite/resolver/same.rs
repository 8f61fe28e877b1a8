//! Tests that a resolver gives the same responses for a catalog from each kind of source. The
//! digests must also be equal.

use std::path::Path;

use portolan_kit::catalogd::{Catalogd, json_lines};
use portolan_kit::real_catalog;
use portolan_proto::resolver::v1::GetBundleRequest;
use portolan_rig::{Failure, World};

use super::questions::{Client, Questions, of_files};
use super::registry::written;
use super::serving::{Serving, cluster, folder, given};
use super::world::{cluster_catalog, define_cluster_catalogs};
use crate::objects::make;
use crate::{own_cluster, world};

/// The fields that a registry does not return for a bundle without descriptive metadata.
const NO_CSV: &[&str] = &[
    "display_name",
    "related_images",
    "install_modes",
    "min_kube_version",
    "objects",
];

/// A resolver that reads the same catalog from four sources. A file, `opm` and catalogd are given
/// as flags, and a CatalogSource is on the cluster.
struct Ways {
    serving: Serving,
    of_cluster: String,
    _catalogd: Catalogd,
    _opm: portolan_rig::Catalog,
}

impl Ways {
    async fn to(path: &Path, world: &World) -> Result<Self, Failure> {
        let opm = world.catalog("all", path).await?;
        let address = opm.address().expect("opm must run");
        let catalogd = Catalogd::of("all", json_lines(path)).await;
        let user = format!("reader-of-{}", world.namespace());
        let serving = Serving::under([
            folder("file", path),
            given("opm", format_args!("grpc://{address}")),
            given("catalogd", catalogd.url()),
            cluster(world.cluster(), &user)?,
        ])
        .await;
        let of_cluster = format!("{}/all", world.namespace());
        for name in ["file", "opm", "catalogd", &of_cluster] {
            serving.serves(name).await;
        }
        Ok(Self {
            serving,
            of_cluster,
            _catalogd: catalogd,
            _opm: opm,
        })
    }

    /// Compares the responses for each source with the responses for the files. Registries may lack
    /// the fields `lacking`.
    async fn give_the_same_answers(&self, path: &Path, questions: &Questions, lacking: &[&str]) {
        let mut client = self.serving.client();
        for name in ["file", "opm", "catalogd", &self.of_cluster] {
            let mut files = of_files(name, path);
            questions.same(name, &mut client, &mut files).await;
            match name {
                "file" | "catalogd" => questions.same_bundles(name, &mut client, &mut files).await,
                _ => {
                    let lacks = questions.same_bundles_but(lacking, name, &mut client, &mut files);
                    lacks.await;
                }
            }
        }
    }
}

#[tokio::test]
async fn every_source_gives_the_same_answers() -> Result<(), Failure> {
    let Some(world) = world("ways").await? else {
        return Ok(());
    };
    let path = written();
    let ways = Ways::to(&path, &world).await?;
    let questions = Questions::about(&path);
    ways.give_the_same_answers(&path, &questions, NO_CSV).await;

    let mut client = ways.serving.client();
    for (package, bundle, lacking) in [
        ("a", "a.v1.1.0", NO_CSV),
        ("r", "r.v1.1.0-1", &[]),
        ("inline", "inline.v1.1.0", &[]),
    ] {
        let question = GetBundleRequest {
            catalog: ways.of_cluster.clone(),
            package: package.to_owned(),
            bundle: bundle.to_owned(),
            objects: true,
        };
        let answer = client.get_bundle(question).await;
        let answer = answer.expect("no answer").into_inner();
        assert_eq!(answer.not_given, lacking, "{bundle}");
    }
    Ok(())
}

#[tokio::test]
async fn every_source_gives_the_same_answers_about_real_catalog() -> Result<(), Failure> {
    let Some(path) = real_catalog("community-v4.20") else {
        return Ok(());
    };
    let Some(world) = world("real-ways").await? else {
        return Ok(());
    };
    let ways = Ways::to(&path, &world).await?;
    let questions = Questions::about(&path).thinned(STRIDE);
    ways.give_the_same_answers(&path, &questions, &[]).await;
    Ok(())
}

#[tokio::test]
async fn cluster_catalog_gives_the_answers_of_its_files() -> Result<(), Failure> {
    let real = real_catalog("community-v4.20");
    let Some(own) = own_cluster().await? else {
        return Ok(());
    };
    let client = own.client()?;
    define_cluster_catalogs(&client).await?;
    let serving = Serving::under([cluster(&own, "reader")?]).await;
    let path = written();
    let small = Questions::about(&path);
    let real = real.as_deref();
    let real = real.map(|path| ("real", path, Questions::about(path).thinned(STRIDE)));
    let catalogs = [("small", &*path, small)].into_iter().chain(real);
    for (name, path, questions) in catalogs {
        let catalogd = Catalogd::of(name, json_lines(path)).await;
        let mut manifest = cluster_catalog(name, 0);
        manifest["status"]["urls"]["base"] = catalogd.url().into();
        make(&client, &manifest).await?;
        serving.serves(name).await;
        let (mut asked, mut files): (Client, Client) = (serving.client(), of_files(name, path));
        questions.same(name, &mut asked, &mut files).await;
        questions.same_bundles(name, &mut asked, &mut files).await;
    }
    Ok(())
}

/// The requests about a real catalog are only about every `STRIDE`-th entry. Channels seldom have a
/// multiple of this number of entries. So the requests also include old entries, not only channel
/// heads.
const STRIDE: usize = 7;
