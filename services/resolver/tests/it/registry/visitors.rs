//! Tests with several users who read the same registries, like users of the console. Each user has
//! a world with only the objects that this user may read.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use portolan_kit::{TempFolder, world};
use portolan_resolver::snapshot::{CatalogState, Content, Snapshot};
use portolan_resolver::source::SourceAccess;
use portolan_resolver::{Following, Readings};
use portolan_world::registry::{Address, PortForward, ServicePort};
use portolan_world::{Area, Dialer, Files, Kind, Objects, World};
use tokio::io::{DuplexStream, copy_bidirectional, duplex};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::registry::fake::{Fake, row};

/// The timeout of a test. It is long for busy machines. The wait usually takes only a moment.
const SOON: Duration = Duration::from_secs(60);

/// The objects that a user may read in a cluster, and the dialer for the addresses in these
/// objects.
#[derive(Clone)]
struct Sight {
    objects: Files,
    dialer: Dialer,
    _folder: Arc<TempFolder>,
}

impl Sight {
    /// Creates a world with one CatalogSource. Creates an empty world if the user may not read the
    /// CatalogSource.
    fn of(catalog: Option<(&str, &str)>) -> Self {
        let (folder, mut seen) = (TempFolder::empty(), world().namespace("olm"));
        if let Some((name, address)) = catalog {
            seen = seen.catalog_source(name, address);
        }
        // An empty file with the kind List means that the world has no objects.
        let seen = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": seen.objects()});
        std::fs::write(folder.join("all.json"), seen.to_string()).expect("a file");
        Self {
            objects: Files::at(&*folder),
            dialer: Dialer::default(),
            _folder: Arc::new(folder),
        }
    }
}

impl World for Sight {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        self.objects.objects_in(area)
    }

    fn dialer(&self) -> Dialer {
        self.dialer.clone()
    }
}

/// A dialer that always connects to the same registry.
struct Tunnel(Address);

impl PortForward for Tunnel {
    fn open<'a>(
        &'a self,
        _: &'a ServicePort,
    ) -> BoxFuture<'a, Result<DuplexStream, tower::BoxError>> {
        let opening = async {
            let (near, mut far) = duplex(1 << 16);
            let mut registry = TcpStream::connect(self.0.to_string()).await?;
            tokio::spawn(async move { copy_bidirectional(&mut far, &mut registry).await });
            Ok(near)
        };
        opening.boxed()
    }
}

fn follow(readings: &Readings, sight: &Sight) -> Following {
    Following::sharing(readings, sight.clone(), Vec::new()).expect("nothing is given twice")
}

/// Waits until each catalog was read or has failed.
async fn settled(following: &Following) -> Arc<Snapshot> {
    timeout(SOON, following.wait_until_read())
        .await
        .expect("it must settle");
    following.watch().borrow().clone()
}

fn content<'a>(snapshot: &'a Snapshot, name: &str) -> &'a Arc<Content> {
    let state = &snapshot.offers[name].state;
    state.content().unwrap_or_else(|| panic!("{state:?}"))
}

#[tokio::test]
async fn registry_is_read_once_and_shown_only_to_permitted_users() {
    let fake = Fake::of([row("a", "1.0.0")]);
    let asked = Arc::clone(&fake.asked);
    let running = fake.run();
    let address = running.address.to_string();
    let readings = Readings::new(SourceAccess::default());
    let first = follow(&readings, &Sight::of(Some(("fleet", &address))));
    let seen = settled(&first).await;
    let held = Arc::clone(content(&seen, "olm/fleet"));

    let other = follow(&readings, &Sight::of(Some(("harbor", &address))));
    let stranger = follow(&readings, &Sight::of(None));
    assert!(Arc::ptr_eq(
        content(&*settled(&other).await, "olm/harbor"),
        &held
    ));
    assert_eq!(settled(&stranger).await.offers.len(), 0);

    // When the first user leaves, the task that reads the registry continues.
    drop((first, seen));
    let third = follow(&readings, &Sight::of(Some(("fleet", &address))));
    assert!(Arc::ptr_eq(
        content(&*settled(&third).await, "olm/fleet"),
        &held
    ));
    let lists = || asked.lock().expect("the lock must not be poisoned").lists;
    assert_eq!(lists(), 1);

    // The task that reads the registry ends when its last user leaves. The next user starts a new
    // task.
    drop((other, third, held));
    let next = follow(&readings, &Sight::of(Some(("fleet", &address))));
    settled(&next).await;
    assert_eq!(lists(), 2);
}

/// The API server forwards connections for users with permission. Content that was read over such a
/// connection belongs only to these users.
#[tokio::test]
async fn content_behind_a_private_dialer_is_not_shared() {
    let running = Fake::of([row("a", "1.0.0")]).run();
    // Only a cluster can resolve this host name.
    let sight = Sight::of(Some(("fleet", "fleet.olm.svc:50051")));
    let may = Sight {
        dialer: Dialer::with(Tunnel(running.address.clone())),
        ..sight.clone()
    };
    let readings = Readings::new(SourceAccess::default());
    let one = follow(&readings, &may);
    let of_one = settled(&one).await;
    let other = follow(&readings, &sight);
    let of_other = settled(&other).await;
    let state = &of_other.offers["olm/fleet"].state;
    assert!(matches!(state, CatalogState::Failed { .. }), "{state:?}");

    // Two users with permission each read the registry over their own connection, and share the
    // content in memory.
    let third = follow(&readings, &may);
    let of_third = settled(&third).await;
    let (one, third) = (
        content(&of_one, "olm/fleet"),
        content(&of_third, "olm/fleet"),
    );
    assert!(!Arc::ptr_eq(one, third), "each has a way of their own");
    assert!(std::ptr::eq(one.catalog(), third.catalog()));
}

#[tokio::test]
async fn configured_folder_is_read_once_for_all_users() {
    let folder = portolan_kit::catalog("a: 1 -> 2").temp();
    let readings = Readings::new(SourceAccess::default());
    let follow = || {
        let given = format!("olm/given={}", folder.display());
        let given = vec![given.parse().expect("a catalog")];
        Following::sharing(&readings, Sight::of(None), given).expect("it is there")
    };
    let (one, other) = (follow(), follow());
    let (of_one, of_other) = (settled(&one).await, settled(&other).await);
    assert!(Arc::ptr_eq(
        content(&of_one, "olm/given"),
        content(&of_other, "olm/given")
    ));
}
