use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portolan_images::{Asker, ImageFlags};
use portolan_kit::TempFolder;
use portolan_kit::oci::{Door, Image, Registry, layer};
use portolan_world::{AnyWorld, Files};
use rstest::rstest;
use serde_json::json;

use super::super::{Follower, Location};
use super::*;
use crate::snapshot::{CatalogState, Rank, SourceObject};
use crate::source::{SourceAccess, SourceFlags};

/// The time after which a test fails if the expected event does not happen.
const PATIENCE: Duration = Duration::from_secs(20);

const CATALOG: &str = r#"{"schema": "olm.package", "name": "a", "defaultChannel": "stable"}"#;

/// Returns a registry with the image of a catalog.
async fn registry() -> (Registry, String) {
    let registry = Registry::start().await;
    let labels = json!({"operators.operatorframework.io.index.configs.v1": "/configs"});
    let layers = vec![layer(&[("configs/catalog.json", CATALOG)])];
    registry.serve("ferries/catalog", "v1", &Image::of_layers(layers, &labels));
    let image = format!("{}/ferries/catalog:v1", registry.host());
    (registry, image)
}

fn flags(registry: &Registry, pull_catalogs: Option<bool>) -> SourceFlags {
    SourceFlags {
        pull_catalogs,
        images: ImageFlags {
            registries: vec![registry.host()],
            plain_http: vec![registry.host().parse().expect("a host")],
            ..Default::default()
        },
        ..Default::default()
    }
}

/// Returns an image that is pulled with the default credentials.
fn plain(image: &str) -> NamedImage {
    NamedImage {
        name: image.to_owned(),
        puller: Puller::default(),
    }
}

/// Returns the state of a catalog with this image. Its registry has no address, or the address does
/// not respond.
async fn state(image: &str, flags: &SourceFlags, asker: Asker, is_there: bool) -> CatalogState {
    state_of(&plain(image), &flags.of(asker), is_there).await
}

/// Returns the state like [`state`], with these options for pulling images.
async fn state_of(image: &NamedImage, reach: &SourceAccess, is_there: bool) -> CatalogState {
    let name: CatalogName = "olm/fleet".parse().expect("a name");
    let catalogs = Catalogs::new();
    let observed = SourceObject::local("CatalogSource", "fleet".to_owned());
    catalogs.place(&name, observed, Rank::default());
    let follower = Follower::new(&catalogs, reach);
    let otherwise = follower.otherwise(image);
    let following = async {
        if is_there {
            // No server listens on this port.
            let dead: Location = "grpc://127.0.0.1:1".parse().expect("an address");
            let dead = (dead, String::new());
            follower.follow_or(dead, name.clone(), otherwise).await;
        } else {
            let why = SourceFailure {
                code: "NoAddress",
                message: "there is no service".to_owned(),
            };
            if let Some(pulling) = follower.lost(name.clone(), why, otherwise) {
                pulling.await;
            }
        }
        std::future::pending::<()>().await;
    };
    let mut snapshot = catalogs.watch();
    let settled = async {
        let settled = snapshot.wait_for(|snapshot| snapshot.is_settled()).await;
        settled.expect("catalogs").offers[&name].state.clone()
    };
    tokio::select! {
        () = following => unreachable!("it follows for ever"),
        state = tokio::time::timeout(PATIENCE, settled) => state.expect("it must be read"),
    }
}

#[tokio::test]
async fn catalog_without_a_service_is_read_from_its_image() {
    let (registry, image) = registry().await;
    for is_there in [true, false] {
        for (flag, asker) in [(Some(true), Asker::Server), (Some(true), Asker::Person)] {
            let state = state(&image, &flags(&registry, flag), asker, is_there).await;
            let content = state.content().unwrap_or_else(|| panic!("{state:?}"));
            assert!(content.catalog().packages.contains_key("a"));
        }
    }
    // For a command of a user, the default is to pull images.
    let by_default = Otherwise::of(
        &plain(&image),
        flags(&registry, None).of(Asker::Person).pulls_catalogs(),
    );
    assert!(matches!(by_default, Otherwise::Pull(..)), "{by_default:?}");
}

#[tokio::test]
async fn disabled_image_fallback_names_its_flag() {
    let (registry, image) = registry().await;
    for is_there in [true, false] {
        let state = state(&image, &flags(&registry, None), Asker::Server, is_there).await;
        let why = state.why().expect("a reason").to_string();
        let end = format!("; its image {image} is not read either (--pull-catalogs)");
        assert!(why.ends_with(&end), "{why}");
    }
    assert_eq!(registry.asked(), []);
}

#[tokio::test]
async fn unavailable_image_is_reported_with_the_registry_error() {
    let (registry, image) = registry().await;
    let gone = image.replace(":v1", ":v2");
    let pulling = flags(&registry, Some(true));
    let state = state(&gone, &pulling, Asker::Server, false).await;
    let why = state.why().expect("a reason").to_string();
    assert!(why.starts_with("there is no service; "), "{why}");
    assert!(why.contains(&gone), "{why}");
    // An image of an unlisted registry is not requested.
    let unlisted = SourceFlags {
        images: ImageFlags::default(),
        ..pulling
    };
    let asked = registry.asked().len();
    let state = self::state(&image, &unlisted, Asker::Server, false).await;
    assert!(state.content().is_none());
    assert_eq!(registry.asked().len(), asked);
}

/// An unusable image is not pulled again. In the meantime, the failure of the registry may change.
#[tokio::test]
async fn changed_registry_error_is_reported_for_the_same_image() {
    let (registry, _) = registry().await;
    let labels = json!({"operators.operatorframework.io.index.database.v1": "/index.db"});
    let unusable = Image::of_layers(Vec::new(), &labels);
    registry.serve("ferries/old", "v1", &unusable);
    let image = format!("{}/ferries/old@{}", registry.host(), unusable.digest());
    let name: CatalogName = "olm/fleet".parse().expect("a name");
    let catalogs = Catalogs::new();
    let observed = SourceObject::local("CatalogSource", "fleet".to_owned());
    catalogs.place(&name, observed, Rank::default());
    let follower = Follower::new(&catalogs, &flags(&registry, Some(true)).of(Asker::Server));
    let Otherwise::Pull(reference, puller) = follower.otherwise(&plain(&image)) else {
        panic!("it must be pulled");
    };
    let failure = |message: &str| {
        CatalogNews::Lost(SourceFailure {
            code: "Silent",
            message: message.to_owned(),
        })
    };
    let (heard, hearing) = watch::channel(failure("refused"));
    let images = Named::Image(reference, puller);
    let pulling = pull_while_lost(hearing, (follower.common(), &images), (&name, &catalogs));
    let telling = async {
        for reason in ["refused", "expired"] {
            heard.send_replace(failure(reason));
            let mut snapshot = catalogs.watch();
            let begins = format!("{reason}; ");
            let changed = snapshot.wait_for(|snapshot| {
                let why = snapshot.offers[&name].state.why();
                why.is_some_and(|why| why.to_string().starts_with(&begins))
            });
            let changed = tokio::time::timeout(PATIENCE, changed).await;
            changed.expect("the reason must change").expect("catalogs");
        }
    };
    tokio::select! {
        () = pulling => unreachable!("it is pulled for ever"),
        () = telling => {}
    }
    let blobs = registry.asked();
    let manifests = blobs.iter().filter(|it| it.path.contains("/manifests/"));
    assert_eq!(manifests.count(), 1);
}

/// Returns manifests with a Secret of this name that contains the login to a registry.
fn login(registry: &Registry, secret: &str) -> TempFolder {
    let folder = TempFolder::empty();
    let auth = STANDARD.encode("harbor:master");
    let config = json!({"auths": {registry.host(): {"auth": auth}}}).to_string();
    let objects = [
        json!({
            "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/dockerconfigjson",
            "metadata": {"name": secret, "namespace": "olm"},
            "data": {".dockerconfigjson": STANDARD.encode(config)},
        }),
        json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {"name": "fleet", "namespace": "olm"},
            "imagePullSecrets": [{"name": "of-account"}],
        }),
    ];
    for (at, object) in objects.iter().enumerate() {
        let file = folder.join(format!("{at}.json"));
        std::fs::write(file, object.to_string()).expect("a file");
    }
    folder
}

#[rstest]
#[case::that_the_catalog_names("of-catalog", true)]
#[case::of_its_account("of-account", true)]
#[case::without_a_puller("of-others", false)]
#[tokio::test]
async fn image_is_pulled_with_the_secrets_of_its_catalog(
    #[case] secret: &str,
    #[case] expected: bool,
) {
    let (registry, image) = registry().await;
    let basic = format!("Basic {}", STANDARD.encode("harbor:master"));
    registry.close(Door::Basic(basic));
    let manifests = login(&registry, secret);
    let world = AnyWorld::Files(Files::at(&*manifests));
    let named = NamedImage {
        name: image,
        puller: Puller {
            namespace: "olm".to_owned(),
            secrets: vec!["of-catalog".to_owned()],
            accounts: vec!["fleet".to_owned(), "default".to_owned()],
        },
    };
    let reach = flags(&registry, Some(true)).of(Asker::Server);
    let with = reach.clone().with_pull_secrets(&world);
    let state = state_of(&named, &with, false).await;
    assert_eq!(state.content().is_some(), expected, "{:?}", state.why());
    // Without the flag for reading Secrets, no Secret is read.
    let state = state_of(&named, &reach, false).await;
    assert!(state.content().is_none());
}
