//! Tests of many ways to write files, and of the content that a reader receives.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use portolan_kit::TempFolder;
use tokio::time::timeout;

use super::*;

const QUIET: Duration = Duration::from_millis(40);
/// A time that is longer than any test, so that only a notification can cause a read.
const NEVER: Duration = Duration::from_secs(3600);
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns each file with its text, as in `a=1 b/c=2`. Returns `-` if there are no files.
async fn shown(settled: &mut Settled) -> String {
    let root = settled.root().to_owned();
    let read = settled.read(move |stamps| text(&root, stamps));
    timeout(PATIENCE, read)
        .await
        .expect("a change must be seen")
}

fn text(root: &Path, stamps: &Stamps) -> String {
    if !stamps.exists() {
        return "-".to_owned();
    }
    let files = stamps.files().map(|(path, _)| {
        let inside = path.strip_prefix(root).expect("a file lies below the root");
        let text = fs::read_to_string(path).unwrap_or_default();
        format!("{}={text}", inside.display())
    });
    files.collect::<Vec<_>>().join(" ")
}

async fn is_silent(settled: &mut Settled) -> bool {
    timeout(10 * QUIET, shown(settled)).await.is_err()
}

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(parent(&path)).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn notified(root: impl AsRef<Path>) -> Settled {
    let pace = Pace {
        quiet: QUIET,
        look: NEVER,
    };
    Settled::at(root, pace)
}

#[tokio::test]
async fn each_file_change_is_read_once() {
    let root = TempFolder::empty();
    write(&root, "a", "1");
    let mut settled = notified(&root);
    assert_eq!(shown(&mut settled).await, "a=1");
    assert!(is_silent(&mut settled).await, "nothing has changed");

    write(&root, "b/c", "2");
    assert_eq!(shown(&mut settled).await, "a=1 b/c=2");
    write(&root, "b/c", "3");
    assert_eq!(shown(&mut settled).await, "a=1 b/c=3");
    fs::remove_file(root.join("a")).expect("a file to delete");
    assert_eq!(shown(&mut settled).await, "b/c=3");
    fs::rename(root.join("b"), root.join("d")).expect("a folder to rename");
    assert_eq!(shown(&mut settled).await, "d/c=3");
    assert!(is_silent(&mut settled).await, "nothing has changed");
}

#[tokio::test]
async fn long_unchanged_folder_is_read_at_once() {
    let root = TempFolder::empty();
    write(&root, "a", "1");
    tokio::time::sleep(2 * QUIET).await;
    let mut settled = notified(&root);
    assert!(settled.look().await.is_quiet_for(QUIET));
    assert!(!settled.look().await.is_quiet_for(PATIENCE));
    assert_eq!(shown(&mut settled).await, "a=1");
}

#[tokio::test]
async fn read_waits_until_a_writer_has_finished() {
    let root = TempFolder::empty();
    write(&root, "a", "1");
    let mut settled = notified(&root);
    assert_eq!(shown(&mut settled).await, "a=1");

    let folder = root.to_owned();
    let writer = tokio::spawn(async move {
        for text in ["2", "2 and", "2 and more"] {
            write(&folder, "a", text);
            tokio::time::sleep(QUIET / 4).await;
        }
    });
    assert_eq!(shown(&mut settled).await, "a=2 and more");
    writer.await.expect("the writer");
}

#[tokio::test]
async fn folder_changed_during_a_read_is_read_again() {
    let root = TempFolder::empty();
    write(&root, "a", "1");
    let mut settled = notified(&root);
    let (readings, folder) = (Arc::new(AtomicUsize::new(0)), root.to_owned());
    let counted = readings.clone();
    let read = settled.read(move |stamps| {
        if counted.fetch_add(1, Ordering::Relaxed) == 0 {
            write(&folder, "b", "2");
        }
        text(&folder, stamps)
    });
    let read = timeout(PATIENCE, read).await;
    assert_eq!(read.expect("it must be read"), "a=1 b=2");
    assert_eq!(readings.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn folder_is_followed_after_deletion_and_recreation() {
    let outer = TempFolder::empty();
    let root = outer.join("root");
    let mut settled = notified(&root);
    assert_eq!(shown(&mut settled).await, "-");
    write(&root, "a", "1");
    assert_eq!(shown(&mut settled).await, "a=1");
    fs::remove_dir_all(&root).expect("a folder to delete");
    assert_eq!(shown(&mut settled).await, "-");
    write(&root, "a", "2");
    assert_eq!(shown(&mut settled).await, "a=2");
    write(&root, "a", "3");
    assert_eq!(shown(&mut settled).await, "a=3");
}

#[tokio::test]
async fn replaced_deleted_and_recreated_file_is_read() {
    let outer = TempFolder::empty();
    write(&outer, "a", "1");
    let mut settled = notified(outer.join("a"));
    assert_eq!(shown(&mut settled).await, "=1");
    write(&outer, "new", "2");
    assert!(is_silent(&mut settled).await, "its neighbors do not matter");
    fs::rename(outer.join("new"), outer.join("a")).expect("a file to rename");
    assert_eq!(shown(&mut settled).await, "=2");
    fs::remove_file(outer.join("a")).expect("a file to delete");
    assert_eq!(shown(&mut settled).await, "-");
    write(&outer, "a", "3");
    assert_eq!(shown(&mut settled).await, "=3");
}

/// Writes `data` as a kubelet does. The files are links through `..data`. `..data` is a link to a
/// folder whose name contains the time. Renaming a new link replaces `..data`.
fn publish(volume: &Path, time: &str, text: &str) {
    write(volume, &format!("..{time}/a"), text);
    write(volume, &format!("..{time}/sub/b"), text);
    let temporary = volume.join("..data_tmp");
    symlink(format!("..{time}"), &temporary).expect("a link");
    fs::rename(temporary, volume.join("..data")).expect("a link to swap");
    for shown in ["a", "sub"] {
        let _ = symlink(format!("..data/{shown}"), volume.join(shown));
    }
}

#[tokio::test]
async fn swapped_kubernetes_volume_is_read() {
    let volume = TempFolder::empty();
    publish(&volume, "2026_1", "1");
    let mut folder = notified(&volume);
    let mut file = notified(volume.join("a"));
    assert_eq!(shown(&mut folder).await, "a=1 sub/b=1");
    assert_eq!(shown(&mut file).await, "=1");

    publish(&volume, "2026_2", "2");
    assert_eq!(shown(&mut folder).await, "a=2 sub/b=2");
    assert_eq!(shown(&mut file).await, "=2");
}

#[tokio::test]
async fn change_without_a_notification_is_found_by_polling() {
    let (root, elsewhere) = (TempFolder::empty(), TempFolder::empty());
    write(&elsewhere, "a", "1");
    symlink(elsewhere.join("a"), root.join("a")).expect("a link");
    let pace = Pace {
        quiet: QUIET,
        look: 2 * QUIET,
    };
    let mut settled = Settled::at(&root, pace);
    assert_eq!(shown(&mut settled).await, "a=1");
    write(&elsewhere, "a", "2");
    assert_eq!(shown(&mut settled).await, "a=2");
}

#[tokio::test]
async fn dangling_and_cyclic_links_are_reported_as_closed() {
    let root = TempFolder::empty();
    symlink("nowhere", root.join("a")).expect("a link");
    symlink(".", root.join("loop")).expect("a link");
    write(&root, "b", "1");
    let stamps = Stamps::of(&root);
    let closed: Vec<_> = stamps.closed().collect();
    assert_eq!(closed, [root.join("a"), root.join("loop")]);
    assert_eq!(text(&root, &stamps), "b=1");
}

#[test]
fn bundle_folders_are_skipped() {
    let root = TempFolder::empty();
    for (folder, file) in [
        ("bundles/ferry/1.0.0/manifests", "csv.yaml"),
        ("bundles/ferry/1.0.0/metadata", "annotations.yaml"),
        // The folder has the name of a bundle's folder, but its manifests do not belong to a
        // bundle.
        ("ferry/manifests", "csv.yaml"),
    ] {
        write(&root.join(folder), file, "1");
    }
    let reported = |root: &Path| text(root, &Stamps::of(root));
    assert_eq!(reported(&root), "ferry/manifests/csv.yaml=1");
    // A caller whose root is the folder of a bundle must get the files of this bundle.
    let bundle = root.join("bundles/ferry/1.0.0");
    assert_eq!(
        reported(&bundle),
        "manifests/csv.yaml=1 metadata/annotations.yaml=1"
    );
}

#[tokio::test]
async fn cancelled_read_is_repeated_later() {
    let root = TempFolder::empty();
    write(&root, "a", "1");
    let mut settled = notified(&root);
    let dropped = timeout(QUIET / 4, settled.read(|_| ())).await;
    assert!(dropped.is_err(), "it was written a moment ago");
    assert_eq!(shown(&mut settled).await, "a=1");
    settled.forget();
    assert_eq!(shown(&mut settled).await, "a=1");
}
