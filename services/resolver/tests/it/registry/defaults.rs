//! Tests that the defaults from a catalog are the same for each catalog format.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portolan_kit::catalogd::Catalogd;
use portolan_kit::{TempFolder, assert_same};
use portolan_proto::registry;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::Resolver;
use portolan_resolver::source::registry::Dialer;
use portolan_resolver::source::{self, CatalogAt, Location, SourceAccess};
use portolan_shell::client::{self, Connection};
use rstest::rstest;
use serde_json::{Value, json};

use crate::registry::fake::{self, Fake, row};

const WAYS: [&str; 4] = ["folder", "catalogd", "registry", "copy"];
const BUNDLE: &str = "a.v1.0.0";
const IMAGE: &str = "registry.example/a:1";

/// A bundle in the format of catalog files, and in the format of opm.
struct Case {
    image: &'static str,
    /// The properties in the document of the bundle, except its version.
    properties: Vec<Value>,
    /// The ClusterServiceVersion that opm returns. opm finds it among the manifests, or builds it
    /// from the metadata.
    csv: Value,
    /// The manifests of the bundle, as opm returns them.
    manifests: Vec<Value>,
    /// The expected objects in the response.
    objects: Vec<Value>,
}

/// Returns a bundle in the format of current catalogs.
fn metadata() -> Case {
    Case {
        image: IMAGE,
        properties: vec![property("olm.csv.metadata", &written())],
        csv: made(),
        manifests: Vec::new(),
        objects: vec![display_json()],
    }
}

/// Returns a bundle in the format of old catalogs.
fn manifests() -> Case {
    let manifests = vec![csv(), definition()];
    Case {
        image: "",
        properties: manifests.iter().map(object).collect(),
        csv: csv(),
        manifests: manifests.clone(),
        objects: manifests,
    }
}

/// Returns a bundle whose ClusterServiceVersion is only in its image.
fn both() -> Case {
    Case {
        image: IMAGE,
        properties: vec![
            object(&definition()),
            property("olm.csv.metadata", &written()),
        ],
        csv: made(),
        manifests: vec![definition()],
        objects: vec![definition(), display_json()],
    }
}

#[rstest]
#[case::of_metadata(metadata())]
#[case::of_manifests(manifests())]
#[case::of_manifests_and_metadata(both())]
#[tokio::test]
async fn every_catalog_format_gives_the_same_defaults(#[case] case: Case) {
    let (mut resolver, _served) = case.serve().await;
    for way in WAYS {
        let package = resolver.get_package(pb::GetPackageRequest {
            catalog: way.to_owned(),
            package: "a".to_owned(),
            icon: false,
        });
        let package = package.await.expect("the package").into_inner();
        let head = package.channels.iter().flat_map(|channel| &channel.heads);
        let heads: Vec<_> = head.map(|head| (&*head.channel, &*head.name)).collect();
        assert_eq!(package.default_channel, "s", "{way}");
        assert_eq!(heads, [("s", BUNDLE)], "{way}");
    }
    let expected = case.bundle(&mut resolver, WAYS[0]).await;
    let modes = expected.install_modes.iter().filter(|it| it.supported);
    let modes: Vec<_> = modes.map(|it| it.name.as_str()).collect();
    assert_eq!(modes, ["OwnNamespace"]);
    assert_eq!(expected.not_given, [""; 0]);
    let objects = expected.objects.iter().map(|it| serde_json::from_str(it));
    let objects: Vec<Value> = objects.collect::<Result<_, _>>().expect("JSON");
    assert_same!(json: objects, case.objects);
    for way in &WAYS[1..] {
        let case = case.bundle(&mut resolver, way).await;
        assert_same!((way, case), (way, expected.clone()));
    }
}

impl Case {
    /// Starts a resolver that reads the same catalog from every kind of source. Each source has a
    /// separate catalog name.
    async fn serve(&self) -> (ResolverClient<Connection>, impl Sized) {
        let (files, copy) = (TempFolder::empty(), TempFolder::empty());
        let lines = self.lines();
        std::fs::write(files.join("a.json"), &lines).expect("the folder must be writable");
        let catalogd = Catalogd::of("a", lines).await;
        let registry = self.registry().run();
        let location = Location::Registry(registry.address.clone());
        let packages = BTreeSet::from(["a".parse().expect("a name")]);
        let (reach, dialer) = (SourceAccess::default(), Dialer::default());
        let copied = location.copy((&reach, &dialer), packages, &copy);
        copied.await.expect("a copy");
        let places = [
            Location::Folder(files.to_path_buf()),
            Location::Catalogd(catalogd.url()),
            location,
            Location::Listing(copy.to_path_buf()),
        ];
        let given = WAYS.iter().zip(places).map(|(way, location)| CatalogAt {
            name: way.parse().expect("a name"),
            location,
        });
        let given: Vec<_> = given.collect();
        let snapshot = source::read(&given, &reach).await;
        let service = Resolver::over(snapshot.expect("all must be readable")).into_service();
        let resolver = ResolverClient::new(client::local(service));
        (resolver, (files, copy, catalogd, registry))
    }

    /// Returns the documents of the catalog.
    fn lines(&self) -> String {
        let mut properties = vec![property("olm.package", &identity())];
        properties.extend(self.properties.clone());
        let documents = [
            json!({"schema": "olm.package", "name": "a", "defaultChannel": "s"}),
            json!({"schema": "olm.channel", "package": "a", "name": "s",
                "entries": [{"name": BUNDLE}]}),
            json!({"schema": "olm.bundle", "package": "a", "name": BUNDLE, "image": self.image,
                "properties": properties, "relatedImages": [engine()]}),
        ];
        documents.map(|document| format!("{document}\n")).concat()
    }

    /// Returns a registry like opm. Its list contains manifests only for bundles without an image.
    /// The manifests of other bundles must be requested separately.
    fn registry(&self) -> Fake {
        let csv = self.csv.to_string();
        let objects = self.manifests.iter().map(|it| it.to_string().into());
        let mut fake = Fake::of([registry::Bundle {
            image: self.image.to_owned(),
            csv_json: match self.image {
                "" => csv.clone().into(),
                _ => Vec::new().into(),
            },
            objects: objects.collect(),
            properties: vec![fake::property("olm.package", &identity().to_string())],
            ..row("a", "1.0.0")
        }]);
        let channel = registry::Channel {
            name: "s".to_owned(),
            ..Default::default()
        };
        for package in fake.packages.values_mut().flatten() {
            package.channels.push(channel.clone());
        }
        fake.csvs.insert(BUNDLE.to_owned(), csv);
        fake
    }

    /// Returns the response about the bundle of this catalog, without the name of the catalog.
    async fn bundle(
        &self,
        resolver: &mut ResolverClient<Connection>,
        catalog: &str,
    ) -> pb::GetBundleResponse {
        let case = resolver.get_bundle(pb::GetBundleRequest {
            catalog: catalog.to_owned(),
            package: "a".to_owned(),
            bundle: BUNDLE.to_owned(),
            objects: true,
        });
        let case = case.await.expect("the bundle").into_inner();
        pb::GetBundleResponse {
            catalogs: Vec::new(),
            ..case
        }
    }
}

/// Returns the metadata as an author writes it, with null and omitted values.
fn written() -> Value {
    let mut metadata = display_json();
    metadata["links"] = json!([]);
    metadata
}

/// The display values of the operator.
fn display_json() -> Value {
    json!({
        "annotations": {"operatorframework.io/suggested-namespace": "harbor"},
        "crdDescriptions": {"owned": [{"kind": "A", "name": "as.a.test", "version": "v1"}]},
        "description": "It is <b>bold</b>.",
        "displayName": "The A",
        "installModes": [
            {"supported": true, "type": "OwnNamespace"},
            {"supported": false, "type": "AllNamespaces"},
        ],
        "keywords": ["a"],
        "maturity": "alpha",
        "minKubeVersion": "1.30.0",
        "nativeAPIs": [{"group": "", "kind": "Pod", "version": "v1"}],
        "provider": {"name": "the authors"},
    })
}

/// Returns the CSV that opm creates from the metadata. It cannot be installed.
fn made() -> Value {
    let seen = display_json();
    json!({
        "kind": "ClusterServiceVersion",
        "apiVersion": "operators.coreos.com/v1alpha1",
        "metadata": {"name": BUNDLE, "annotations": seen["annotations"]},
        "spec": {
            "install": {"spec": {"deployments": null}, "strategy": "deployment"},
            "version": "1.0.0",
            "customresourcedefinitions": seen["crdDescriptions"],
            "apiservicedefinitions": {},
            "description": seen["description"],
            "displayName": seen["displayName"],
            "installModes": seen["installModes"],
            "keywords": seen["keywords"],
            "maturity": seen["maturity"],
            "minKubeVersion": seen["minKubeVersion"],
            "nativeAPIs": seen["nativeAPIs"],
            "provider": seen["provider"],
            "relatedImages": [engine()],
        },
        "status": {"cleanup": {}},
    })
}

/// Returns a CSV that can be installed.
fn csv() -> Value {
    let mut csv = made();
    csv["spec"]["install"]["spec"]["deployments"] = json!([{"name": "a"}]);
    csv
}

fn definition() -> Value {
    json!({"kind": "CustomResourceDefinition", "metadata": {"name": "as.a.test"}})
}

fn identity() -> Value {
    json!({"packageName": "a", "version": "1.0.0"})
}

fn engine() -> Value {
    json!({"name": "engine", "image": "registry.example/engine:1"})
}

fn property(kind: &str, value: &Value) -> Value {
    json!({"type": kind, "value": value})
}

fn object(manifest: &Value) -> Value {
    let data = STANDARD.encode(manifest.to_string());
    property("olm.bundle.object", &json!({"data": data}))
}
