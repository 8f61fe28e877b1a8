//! Tests of the locations of bundles. The output of each command is the same for a folder, an
//! archive, an image in a registry, and an image in an OCI layout.

use std::fs;
use std::path::Path;
use std::process::Command;

use portolan_kit::oci::{Image, Registry, digest};
use portolan_kit::{TempFolder, files};
use rstest::rstest;

use crate::program::{command, portolan, transcript};

const FERRY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/fixtures/bundles/ferry"
);

/// Returns an image with a fixture bundle. Each folder is one layer.
fn image(version: &str) -> Image {
    let files = files(&Path::new(FERRY).join(version));
    let texts: Vec<_> = files
        .iter()
        .map(|(path, bytes)| (path.as_str(), std::str::from_utf8(bytes).expect("a text")))
        .collect();
    let (manifests, metadata): (Vec<_>, Vec<_>) = texts
        .into_iter()
        .partition(|(path, _)| path.starts_with("manifests/"));
    Image::of(&[&manifests, &metadata])
}

/// Writes an OCI layout with these images, in the form in which skopeo writes it.
fn layout(images: &[(&str, &Image)]) -> TempFolder {
    let folder = TempFolder::empty();
    let blobs = folder.join("blobs/sha256");
    fs::create_dir_all(&blobs).expect("a folder");
    let write = |digest: &str, bytes: &[u8]| {
        let name = digest.trim_start_matches("sha256:");
        fs::write(blobs.join(name), bytes).expect("a blob");
    };
    let mut manifests = Vec::new();
    for (name, image) in images {
        let of = digest(&image.manifest);
        write(&of, &image.manifest);
        image
            .blobs
            .iter()
            .for_each(|(digest, bytes)| write(digest, bytes));
        manifests.push(serde_json::json!({
            "digest": of,
            "annotations": {"org.opencontainers.image.ref.name": name},
        }));
    }
    let index = serde_json::json!({"schemaVersion": 2, "manifests": manifests});
    fs::write(folder.join("index.json"), index.to_string()).expect("an index");
    let mark = r#"{"imageLayoutVersion": "1.0.0"}"#;
    fs::write(folder.join("oci-layout"), mark).expect("a mark");
    folder
}

fn tar(version: &str, to: &Path) {
    let mut packing = command("tar");
    packing
        .arg("-czf")
        .arg(to)
        .arg("-C")
        .arg(Path::new(FERRY).join(version));
    let packed = packing.args(["manifests", "metadata"]).status();
    assert!(packed.expect("tar runs").success());
}

/// Returns the output of a command line. The words OLD and NEW stand for the locations.
fn output(line: &str, [old, new]: [&str; 2]) -> String {
    let mut asked = portolan(&line.replace("OLD", old).replace("NEW", new));
    transcript(&mut asked)
        .replace(old, "OLD")
        .replace(new, "NEW")
}

#[rstest]
#[case::show("bundle show OLD")]
#[case::show_for_programs("bundle show OLD -o json")]
#[case::check("bundle check OLD NEW")]
#[case::check_as_tests("bundle check OLD -o junit")]
#[case::render("bundle render OLD")]
#[case::diff("bundle diff OLD NEW")]
#[tokio::test(flavor = "multi_thread")]
async fn prints_same_output_for_each_location(#[case] line: &str) {
    let versions = ["1.0.0", "1.1.0"];
    let folders = versions.map(|version| format!("{FERRY}/{version}"));
    let expected = output(line, [&folders[0], &folders[1]]);
    assert!(
        !expected.ends_with("[exit 2]") && !expected.ends_with("[exit 3]"),
        "{expected}"
    );

    let archives = TempFolder::empty();
    let tars = versions.map(|version| {
        let to = archives.join(version).with_extension("tar.gz");
        tar(version, &to);
        to.display().to_string()
    });
    assert_eq!(output(line, [&tars[0], &tars[1]]), expected, "archives");

    let images = versions.map(image);
    let both = layout(&[("v1.0", &images[0]), ("v1.1", &images[1])]);
    let of = |name: &str| format!("oci:{}:{name}", both.display());
    assert_eq!(
        output(line, [&of("v1.0"), &of("v1.1")]),
        expected,
        "images of a layout"
    );
    let alone = [
        layout(&[("one", &images[0])]),
        layout(&[("one", &images[1])]),
    ];
    let alone = alone.each_ref().map(|folder| folder.display().to_string());
    assert_eq!(
        output(line, [&alone[0], &alone[1]]),
        expected,
        "layouts of one image"
    );

    let registry = Registry::start().await;
    for (version, image) in versions.iter().zip(&images) {
        registry.serve("ferry/bundle", version, image);
    }
    let host = registry.host();
    let places = versions.map(|version| format!("oci://{host}/ferry/bundle:{version}"));
    let line = format!("{line} --plain-http {host}");
    assert_eq!(
        output(&line, [&places[0], &places[1]]),
        expected,
        "images of a registry"
    );
}

fn refused(mut asked: Command) -> String {
    transcript(&mut asked)
}

#[test]
fn reports_unavailable_and_ambiguous_images() {
    let line = "bundle show oci://127.0.0.1:1/ferry:1 --plain-http 127.0.0.1:1";
    let output = refused(portolan(line));
    let start = "[stderr]\nerror: cannot read oci://127.0.0.1:1/ferry:1: 127.0.0.1:1/ferry:1 cannot be pulled: ";
    assert!(output.starts_with(start), "{output}");
    assert!(output.ends_with("[exit 3]"), "{output}");
    let images = ["1.0.0", "1.1.0"].map(image);
    let both = layout(&[("v1.0", &images[0]), ("v1.1", &images[1])]);
    let output = refused(portolan(&format!("bundle check {}", both.display())));
    let end = "index.json has 2 images that match; append one of these names to the folder: v1.0, v1.1\n[exit 3]";
    assert!(output.ends_with(end), "{output}");
}
