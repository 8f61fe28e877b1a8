use portolan_core_bundle::Limits;
use portolan_kit::TempFolder;
use portolan_resolver::Following;
use portolan_resolver::bundles::{Asker, BundleFlags, ImageFlags, read_bundle_folder};
use portolan_resolver::source::SourceFlags;
use portolan_world::Files;

use super::*;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/demo");

/// Returns a resolver that reads bundles only from this folder.
async fn over(world: &AnyWorld, bundles: &Path) -> Resolver {
    let flags = BundleFlags {
        bundles: Some(bundles.to_owned()),
    };
    let bundles = flags.open(&ImageFlags::default(), Asker::Server);
    let reach = SourceFlags::default().of(Asker::Server);
    let following = Following::of(world.clone(), Vec::new(), &reach).expect("catalogs");
    following.settled().await;
    Resolver::following(following).with_bundles(bundles.expect("a folder"))
}

fn demo() -> AnyWorld {
    AnyWorld::Files(Files::at(Path::new(DEMO)))
}

#[tokio::test]
async fn copied_bundles_are_read_byte_for_byte() {
    let (world, to) = (demo(), TempFolder::empty());
    let source = Path::new(DEMO).join("bundles");
    let copied = copy(&world, over(&world, &source).await, &to).await;
    let copied = copied.expect("a copy");
    assert_eq!(copied.missing, Vec::<String>::new());
    // ferry, lighthouse and tug have upgrades, so at least two bundles of each are copied. Each
    // other operator has one bundle.
    assert!(copied.count >= 8, "{copied:?}");

    // A resolver can read the copied bundles, so the copy can be the source of another copy.
    let again = TempFolder::empty();
    let second = copy(&world, over(&world, &to).await, &again).await;
    assert_eq!(second.expect("a copy").count, copied.count);
    for version in ["1.1.0", "1.3.0"] {
        let read = |root: &Path| {
            let place = place_in(root, "ferry", version);
            read_bundle_folder(&place, &Limits::default()).expect("a bundle")
        };
        assert_eq!(read(&to), read(&source));
        assert_eq!(read(&again), read(&source));
    }
}

#[tokio::test]
async fn reports_missing_bundle_by_name() {
    let (world, to, nothing) = (demo(), TempFolder::empty(), TempFolder::empty());
    let copied = copy(&world, over(&world, &nothing).await, &to).await;
    let copied = copied.expect("an answer");
    // The catalog contains only an excerpt of the ClusterServiceVersion. An excerpt is not a
    // complete bundle.
    assert_eq!(copied.count, 0, "{copied:?}");
    let missing = copied.missing.iter();
    let missing = missing.filter(|why| why.starts_with("bundle ferry.v1.3.0 was not saved: "));
    assert_eq!(missing.count(), 1, "{copied:?}");
}
