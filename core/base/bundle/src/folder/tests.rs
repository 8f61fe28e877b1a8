use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use rstest::rstest;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;

fn layer(entries: &[(&str, Content)]) -> Layer {
    let entries = entries.iter().map(|(path, content)| Entry {
        path: (*path).to_owned(),
        content: content.clone(),
    });
    Layer {
        entries: entries.collect(),
    }
}

fn file(text: &str) -> Content {
    Content::File(text.as_bytes().to_vec())
}

fn image(layers: &[Layer]) -> Result<Vec<(String, String)>, Vec<String>> {
    let folder = Folder::of_layers(layers.iter().cloned(), &Limits::default());
    let folder =
        folder.map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let files = folder.files().map(|(path, bytes)| {
        let text = String::from_utf8(bytes.to_vec()).expect("a text");
        (path.to_string(), text)
    });
    Ok(files.collect())
}

const A: &str = "manifests/a";
const B: &str = "manifests/b";

#[rstest]
#[case::a_later_file_takes_the_place(
    &[layer(&[(A, file("1"))]), layer(&[(A, file("2"))])],
    &[(A, "2")]
)]
#[case::a_whiteout_deletes(
    &[layer(&[(A, file("1")), (B, file("2"))]), layer(&[("manifests/.wh.a", file(""))])],
    &[(B, "2")]
)]
#[case::a_whiteout_deletes_a_folder(
    &[layer(&[(A, file("1")), ("metadata/c", file("2"))]), layer(&[(".wh.manifests", file(""))])],
    &[("metadata/c", "2")]
)]
#[case::a_whiteout_spares_its_own_layer(
    &[layer(&[(A, file("1"))]), layer(&[(A, file("2")), ("manifests/.wh.a", file(""))])],
    &[(A, "2")]
)]
#[case::an_opaque_folder_loses_its_earlier_files(
    &[layer(&[(A, file("1"))]), layer(&[(B, file("2")), ("manifests/.wh..wh..opq", file(""))])],
    &[(B, "2")]
)]
#[case::paths_are_cleaned(
    &[layer(&[("./manifests//a", file("1")), ("/manifests/x/../b", file("2"))])],
    &[(A, "1"), (B, "2")]
)]
#[case::files_outside_of_the_bundle_are_omitted(
    &[layer(&[(A, file("1")), ("tests/c", Content::Link("/etc/passwd".to_owned()))])],
    &[(A, "1")]
)]
#[case::a_file_takes_the_place_of_a_link(
    &[layer(&[(A, Content::Link("b".to_owned()))]), layer(&[(A, file("1"))])],
    &[(A, "1")]
)]
fn image_layers_give_the_expected_files(
    #[case] layers: &[Layer],
    #[case] expected: &[(&str, &str)],
) {
    let expected = expected
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    assert_eq!(image(layers), Ok(expected.collect()));
}

#[rstest]
#[case::path_outside_the_image(
    &[layer(&[("manifests/../../etc/passwd", file("1"))])],
    "manifests/../../etc/passwd: the path leads out of the bundle"
)]
#[case::a_link(
    &[layer(&[(A, Content::Link("/etc/passwd".to_owned()))])],
    "manifests/a: a link to \"/etc/passwd\"; links in bundles are not followed"
)]
#[case::a_device(
    &[layer(&[(A, Content::Special)])],
    "manifests/a: a device or a pipe, and no file"
)]
fn rejects_invalid_image(#[case] layers: &[Layer], #[case] expected: &str) {
    assert_eq!(image(layers), Err(vec![expected.to_owned()]));
}

#[rstest]
#[case::of_files(Limits { files: 1, ..Limits::default() }, "the bundle: more than 1 files")]
#[case::of_bytes(Limits { bytes: 3, ..Limits::default() }, "the bundle: more than 3 bytes in \
 total")]
fn image_above_the_limits_is_refused(#[case] limits: Limits, #[case] expected: &str) {
    let layer = layer(&[(A, file("12")), (B, file("34"))]);
    let refused = Folder::of_layers([layer], &limits).expect_err("too much");
    let told: Vec<_> = refused.iter().map(ToString::to_string).collect();
    assert_eq!(told, [expected]);
}

/// Returns an archive entry: a header followed by its content.
fn tar_entry(path: &str, kind: u8, link: &str, content: &[u8]) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..path.len()].copy_from_slice(path.as_bytes());
    block[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    block[156] = kind;
    block[157..157 + link.len()].copy_from_slice(link.as_bytes());
    block[257..263].copy_from_slice(b"ustar\0");
    block.extend(content);
    block.resize(block.len().div_ceil(512) * 512, 0);
    block
}

fn pax(record: &str) -> Vec<u8> {
    // The length of a pax record includes the digits of the length itself.
    let length = (0..).find(|length| format!("{length} {record}\n").len() == *length);
    let record = format!("{} {record}\n", length.expect("a length"));
    tar_entry("pax", b'x', "", record.as_bytes())
}

fn archive(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut tar = entries.concat();
    tar.resize(tar.len() + 1024, 0);
    tar
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

#[rstest]
#[case::uncompressed(|tar: &[u8]| tar.to_vec())]
#[case::zipped(gzip)]
#[case::zipped_with_zstd(zstd)]
#[case::in_two_frames_and_one_that_is_passed_over(|tar: &[u8]| {
    let (first, second) = tar.split_at(700);
    [&zstd(first)[..], b"\x50\x2a\x4d\x18\x03\0\0\0abc", &zstd(second)].concat()
})]
#[case::without_its_end(|tar: &[u8]| tar[..tar.len() - 1024].to_vec())]
fn archive_formats_are_supported(#[case] written: fn(&[u8]) -> Vec<u8>) {
    let long = format!("manifests/{}", "a".repeat(120));
    let tar = archive(&[
        tar_entry("manifests/", b'5', "", b""),
        tar_entry(A, b'0', "", b"one"),
        tar_entry(B, b'2', "a", b""),
        pax(&format!("path={long}")),
        tar_entry("short", b'0', "", b"two"),
        tar_entry("long", b'L', "", long.as_bytes()),
        tar_entry("short", 0, "", b""),
    ]);
    let read = Layer::of_archive("layer 1", &written(&tar), &Limits::default());
    let expected = layer(&[
        ("manifests/", Content::Folder),
        (A, file("one")),
        (B, Content::Link("a".to_owned())),
        (&long, file("two")),
        (&long, file("")),
    ]);
    assert_eq!(read, Ok(expected));
}

#[rstest]
#[case::no_archive(b"kind: ConfigMap".to_vec(), "layer 1: not a tar archive, or a truncated one")]
#[case::an_invalid_length(
    [&tar_entry(A, b'0', "", b"")[..124], b"99999999999", &[0; 377]].concat(),
    "layer 1: no tar archive"
)]
#[case::cut_off(
    tar_entry(A, b'0', "", &[b'a'; 600])[..600].to_vec(),
    "layer 1: not a tar archive, or a truncated one"
)]
#[case::xz(
    b"\xfd7zXZ\0....".to_vec(),
    "layer 1: compressed with xz, which is not supported; use gzip, zstd or an uncompressed tar \
     archive"
)]
#[case::zstd_that_is_cut_off(
    zstd(&[b'a'; 600])[..9].to_vec(),
    "layer 1: cannot be decompressed: Failed to parse block header: Error while reading bytes for \
     RLE: failed to fill whole buffer"
)]
#[case::zstd_that_unzips_to_too_much(zstd(&[0; 70_000]), "layer 1: has more than 65536 bytes when \
 decompressed")]
#[case::an_unknown_type(
    archive(&[tar_entry(A, b'V', "", b"")]),
    "layer 1: \"manifests/a\" has the type 'V', which is not supported"
)]
#[case::is_too_much(vec![0; 70_000], "layer 1: has more than 65536 bytes when decompressed")]
#[case::unzips_to_too_much(gzip(&[0; 70_000]), "layer 1: has more than 65536 bytes when \
 decompressed")]
fn rejects_invalid_archive(#[case] bytes: Vec<u8>, #[case] expected: &str) {
    let limits = Limits {
        bytes: 65_536,
        ..Limits::default()
    };
    let refused = Layer::of_archive("layer 1", &bytes, &limits).expect_err("no layer");
    assert_eq!(refused.to_string(), expected);
}

#[rstest]
#[case::at_its_root(&["manifests/a", "metadata/b"], Ok(vec!["manifests/a", "metadata/b"]))]
#[case::in_a_folder(&["./ferry/manifests/a", "ferry/metadata/b", "ferry/README"], Ok(vec!["manifests/a", "metadata/b"]))]
#[case::beside_others(&["manifests/a", "tests/manifests/b"], Ok(vec!["manifests/a"]))]
#[case::two(
    &["1.0.0/manifests/a", "1.1.0/manifests/a"],
    Err("a.tar: has several bundles, in 1.0.0 and in 1.1.0; create one archive for each bundle")
)]
fn archive_without_exactly_one_bundle_is_rejected(
    #[case] paths: &[&str],
    #[case] wanted: Result<Vec<&str>, &str>,
) {
    let entries: Vec<_> = paths
        .iter()
        .map(|path| tar_entry(path, b'0', "", b"x"))
        .collect();
    let limits = Limits::default();
    let read = Layer::of_bundle("a.tar", &archive(&entries), &limits);
    let read = read.map_err(|fault| fault.to_string()).map(|layer| {
        let folder = Folder::of_layers([layer], &limits).expect("a folder");
        folder
            .files()
            .map(|(path, _)| path.to_string())
            .collect::<Vec<_>>()
    });
    let wanted = wanted.map(|paths| paths.into_iter().map(str::to_owned).collect());
    assert_eq!(read, wanted.map_err(str::to_owned));
}

/// An archive of a bundle must have an end marker. A layer needs no end marker, because its digest
/// is verified.
#[test]
fn archive_truncated_between_two_entries_is_rejected() {
    let entry = tar_entry(A, b'0', "", b"x");
    let limits = Limits::default();
    assert!(Layer::of_archive("a layer", &entry, &limits).is_ok());
    let refused = Layer::of_bundle("a.tar", &entry, &limits).expect_err("no layer");
    assert_eq!(
        refused.to_string(),
        "a.tar: is truncated: its end is missing"
    );
}
