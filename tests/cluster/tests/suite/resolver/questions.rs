//! Sends the same requests about the packages of a catalog to two resolvers, and compares the
//! responses.

use std::path::Path;

use portolan_core_catalog::{Catalog, Package};
use portolan_core_names::{BundleName, ChannelName};
use portolan_kit::assert_same;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::snapshot::{ContentOrigin, SourceObject};
use portolan_resolver::source::read_folder;
use portolan_resolver::{Catalogs, Resolver};
use portolan_shell::client::{Connection, local};
use tonic::{Response, Status};

/// A client of the tested resolver.
pub(crate) type Client = ResolverClient<Connection>;

/// Requests about all packages of a catalog, for every `stride`-th entry of their channels.
pub(crate) struct Questions {
    catalog: Catalog,
    stride: usize,
}

/// The responses about one package, in the order of the requests.
#[derive(Debug, Default, PartialEq)]
struct Answers {
    graphs: Vec<pb::GetGraphResponse>,
    upgrades: Vec<pb::ListUpgradesResponse>,
    paths: Vec<pb::FindPathResponse>,
}

/// Starts a resolver that reads a folder once, and serves it as a catalog with this name. Returns a
/// client.
pub(crate) fn of_files(name: &str, folder: &Path) -> Client {
    let catalogs = Catalogs::new();
    let name = name.parse().expect("the name of a catalog");
    let read = read_folder(folder).expect("the folder must be readable");
    catalogs.place(
        &name,
        SourceObject::local("Folder", name.to_string()),
        0.into(),
    );
    catalogs.read(&name, read, ContentOrigin::folder(folder.to_owned()));
    let resolver = Resolver::new(catalogs.watch());
    Client::new(local(resolver.into_service()))
}

// === impl Questions ===

impl Questions {
    /// Returns the requests about the catalog in a folder.
    pub(crate) fn about(folder: &Path) -> Self {
        let catalog = read_folder(folder).expect("the folder must be readable");
        Self { catalog, stride: 1 }
    }

    /// Limits the requests to every `stride`-th entry. The requests still include every package.
    pub(crate) fn thinned(self, stride: usize) -> Self {
        Self { stride, ..self }
    }

    /// Asserts that both clients receive the same responses about each package.
    pub(crate) async fn same(&self, catalog: &str, one: &mut Client, other: &mut Client) {
        let mut asked = 0;
        for package in self.catalog.packages.values() {
            let answers = self.answers(catalog, package, one).await;
            let expected = self.answers(catalog, package, other).await;
            asked += answers.upgrades.len();
            if answers != expected {
                assert_same!(answers, expected);
            }
        }
        assert!(asked > 0, "a catalog without entries proves nothing");
    }

    /// Asserts that both clients receive the same bundles with all fields.
    pub(crate) async fn same_bundles(&self, catalog: &str, one: &mut Client, other: &mut Client) {
        for (package, bundle) in self.bundles() {
            let question = bundle_of(catalog, package, bundle);
            let answer = described(one, question.clone()).await;
            assert_same!(answer, described(other, question).await);
        }
    }

    /// Asserts that both clients receive the same bundles, except for the fields that `one` reports
    /// as not given. These fields must be in `at_most`, and `one` must return them empty.
    pub(crate) async fn same_bundles_but(
        &self,
        at_most: &[&str],
        catalog: &str,
        one: &mut Client,
        other: &mut Client,
    ) {
        for (package, bundle) in self.bundles() {
            let question = bundle_of(catalog, package, bundle);
            let answer = described(one, question.clone()).await;
            let mut expected = described(other, question).await;
            for field in &answer.not_given {
                assert!(at_most.contains(&field.as_str()), "{field} of {bundle}");
                empty(&mut expected, field);
            }
            expected.not_given.clone_from(&answer.not_given);
            assert_same!(answer, expected);
        }
    }

    fn bundles(&self) -> impl Iterator<Item = (&Package, &BundleName)> {
        let packages = self.catalog.packages.values();
        let bundles =
            packages.flat_map(|package| package.bundles.keys().map(move |name| (&**package, name)));
        bundles.step_by(self.stride)
    }

    async fn answers(&self, catalog: &str, package: &Package, client: &mut Client) -> Answers {
        let mut answers = Answers::default();
        let channels = package.channels.keys().map(ChannelName::to_string);
        for channel in channels.chain([String::new()]) {
            let asked = client.get_graph(pb::GetGraphRequest {
                catalog: catalog.to_owned(),
                package: package.name.to_string(),
                channel,
            });
            answers.graphs.push(answered(asked.await));
        }
        let channels = package.channels.iter();
        let entries =
            channels.flat_map(|(channel, it)| it.entries.keys().map(move |e| (channel, e)));
        for (channel, installed) in entries.step_by(self.stride) {
            for question in upgrades(catalog, package, channel, installed) {
                let asked = client.list_upgrades(question).await;
                answers.upgrades.push(answered(asked));
            }
            for question in paths(catalog, package, channel, installed) {
                answers
                    .paths
                    .push(answered(client.find_path(question).await));
            }
        }
        answers
    }
}

/// Returns requests for the upgrades of a bundle: from all channels, from one channel, and for an
/// unknown bundle with the same version.
fn upgrades(
    catalog: &str,
    package: &Package,
    channel: &ChannelName,
    installed: &BundleName,
) -> [pb::ListUpgradesRequest; 3] {
    let whole = pb::ListUpgradesRequest {
        catalog: catalog.to_owned(),
        package: package.name.to_string(),
        installed: installed.to_string(),
        ..Default::default()
    };
    let within = pb::ListUpgradesRequest {
        channel: channel.to_string(),
        ..whole.clone()
    };
    let version = package
        .bundles
        .get(installed)
        .map(|it| it.version.to_string());
    let unknown = pb::ListUpgradesRequest {
        installed: "nobody-knows.v0".to_owned(),
        installed_version: version.unwrap_or_default(),
        ..within.clone()
    };
    [whole, within, unknown]
}

/// Returns requests for paths: to the head of the channel with both kinds of walks, and to the best
/// bundle.
fn paths(
    catalog: &str,
    package: &Package,
    channel: &ChannelName,
    installed: &BundleName,
) -> [pb::FindPathRequest; 3] {
    let head = pb::FindPathRequest {
        catalog: catalog.to_owned(),
        package: package.name.to_string(),
        channel: channel.to_string(),
        installed: installed.to_string(),
        ..Default::default()
    };
    let as_olm = pb::FindPathRequest {
        walk: pb::walk::Kind::OlmV0.into(),
        ..head.clone()
    };
    let any = pb::destination::To::Range(">=0.0.0".to_owned());
    let best = pb::FindPathRequest {
        channel: String::new(),
        destination: Some(pb::Destination { to: Some(any) }),
        ..head.clone()
    };
    [head, as_olm, best]
}

fn bundle_of(catalog: &str, package: &Package, bundle: &BundleName) -> pb::GetBundleRequest {
    pb::GetBundleRequest {
        catalog: catalog.to_owned(),
        package: package.name.to_string(),
        bundle: bundle.to_string(),
        objects: true,
    }
}

async fn described(client: &mut Client, question: pb::GetBundleRequest) -> pb::GetBundleResponse {
    answered(client.get_bundle(question).await)
}

fn answered<T>(answer: Result<Response<T>, Status>) -> T {
    answer.expect("no answer").into_inner()
}

fn empty(described: &mut pb::GetBundleResponse, field: &str) {
    match field {
        "display_name" => described.display_name.clear(),
        "related_images" => described.related_images.clear(),
        "install_modes" => described.install_modes.clear(),
        "min_kube_version" => described.min_kube_version.clear(),
        "properties" => described.properties.clear(),
        "objects" => described.objects.clear(),
        other => panic!("{other} is no field that a source may lack"),
    }
}
