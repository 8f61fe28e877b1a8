//! Tests of reading the files of a folder as a catalog.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use portolan_core_catalog::Catalog;
use portolan_kit::{TempFolder, assert_same, catalog};
use portolan_resolver::source;

fn read(path: &Path) -> Catalog {
    source::read_folder(path).expect("the folder must be readable")
}

fn write(folder: &Path, file: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().expect("a file must be in a folder"))
        .expect("the temporary folder must be writable");
    fs::write(path, content).expect("the temporary folder must be writable");
}

fn zipped(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(text.as_bytes())
        .expect("memory must be writable");
    encoder.finish().expect("memory must be writable")
}

/// Returns the packages and the faults. Faults name files by their path relative to the folder.
fn content_lines(folder: &Path) -> Vec<String> {
    let catalog = read(folder);
    let faults = catalog.faults.iter().map(ToString::to_string);
    let packages = catalog.packages.keys().map(ToString::to_string);
    packages.chain(faults).collect()
}

#[test]
fn digests_do_not_depend_on_the_format_of_the_files() {
    let shop = catalog("a: 1.0.0 -> 1.1.0\nb[stable, fast]: 1.0.0 requires a >=1.0.0");
    let yaml = shop.temp();
    let expected = read(&yaml);
    assert_same!(expected.faults, []);

    let others: [(&str, Vec<u8>); 5] = [
        ("one.yml", shop.to_yaml().into()),
        ("one.yaml.gz", zipped(&shop.to_yaml())),
        ("one.jsonl", shop.to_json_lines().into()),
        ("deep/er/one.json", shop.to_json_lines().into()),
        ("one.json.gz", zipped(&shop.to_json_lines())),
    ];
    for (file, content) in others {
        let folder = TempFolder::empty();
        write(&folder, file, content);
        let read = read(&folder);
        let digests = |catalog: &Catalog| (catalog.digest, catalog.display_digest);
        assert_eq!(digests(&read), digests(&expected), "{file}");
        assert_same!(read.faults, []);
    }
}

#[test]
fn files_that_indexignore_matches_are_not_read() {
    let folder = TempFolder::empty();
    let package = |name: &str| catalog(&format!("{name}: 1.0.0")).to_yaml();
    write(
        &folder,
        ".indexignore",
        "/drafts/\n*.test.yaml\n!kept.test.yaml\n",
    );
    write(&folder, "a.yaml", package("a"));
    write(&folder, "drafts/b.yaml", package("b"));
    write(&folder, "c.test.yaml", package("c"));
    write(&folder, "kept.test.yaml", package("d"));
    write(&folder, "sub/drafts/e.yaml", package("e"));
    write(&folder, "sub/.indexignore", "f.yaml\n");
    write(&folder, "sub/f.yaml", package("f"));
    write(&folder, "f.yaml", package("g"));
    assert_same!(content_lines(&folder), ["a", "d", "e", "g"]);
}

#[test]
fn gitignore_files_are_not_applied() {
    let folder = TempFolder::empty();
    fs::create_dir(folder.join(".git")).unwrap();
    write(&folder, ".gitignore", "*.yaml\n");
    write(&folder, "a.yaml", catalog("a: 1.0.0").to_yaml());
    assert_same!(content_lines(&folder), ["a"]);
}

#[test]
fn only_files_that_can_be_catalogs_are_read() {
    let folder = TempFolder::empty();
    write(&folder, "a.yaml", catalog("a: 1.0.0").to_yaml());
    write(&folder, "README.md", "{ not a catalog");
    write(&folder, "icon.png", [0x89, b'P', b'N', b'G']);
    write(&folder, "yaml", "{");
    assert_same!(content_lines(&folder), ["a"]);
}

#[test]
fn unreadable_file_is_a_fault_and_other_files_are_read() {
    let folder = TempFolder::empty();
    write(&folder, "a.yaml", catalog("a: 1.0.0").to_yaml());
    std::os::unix::fs::symlink("nowhere.yaml", folder.join("b.yaml")).unwrap();
    assert_same!(
        content_lines(&folder),
        [
            "a",
            "b.yaml:1: the rest of the file cannot be read: No such file or directory (os error 2)"
        ]
    );
}

#[test]
fn truncated_gzip_file_keeps_its_complete_documents() {
    let folder = TempFolder::empty();
    // Random text compresses badly, so the content is cut between the packages.
    let noise: String = (0..20_000_u32)
        .map(|n| format!("# {:x}\n", n.wrapping_mul(2_654_435_761)))
        .collect();
    let text = catalog("a: 1.0.0").to_yaml() + "---\n" + &noise + &catalog("b: 1.0.0").to_yaml();
    let bytes = zipped(&text);
    write(&folder, "a.yaml.gz", &bytes[..bytes.len() / 2]);
    let lines = content_lines(&folder);
    assert_eq!(lines[0], "a");
    let start = "a.yaml.gz:1: the rest of the file cannot be read: ";
    assert!(lines.len() == 2 && lines[1].starts_with(start), "{lines:?}");
}

#[test]
fn files_of_a_mounted_volume_are_read_once() {
    let folder = TempFolder::empty();
    write(
        &folder,
        "..2026_08_22/a.yaml",
        catalog("a: 1.0.0").to_yaml(),
    );
    std::os::unix::fs::symlink("..2026_08_22", folder.join("..data")).unwrap();
    std::os::unix::fs::symlink("..data/a.yaml", folder.join("a.yaml")).unwrap();
    assert_same!(content_lines(&folder), ["a"]);
}

#[test]
fn missing_folder_is_an_error() {
    let missing = TempFolder::empty().join("missing");
    let error = source::read_folder(&missing).expect_err("there is nothing");
    assert_eq!(
        error.to_string(),
        format!("cannot read {}", missing.display())
    );
}

#[test]
fn bundle_can_be_read_again_from_its_location() {
    let shop = catalog("a: 1.0.0 -> 1.1.0");
    let folder = shop.temp();
    let read = read(&folder);
    let place = &read.packages["a"].bundles["a.v1.1.0"].place;
    let bytes = fs::read(folder.join(&*place.file)).unwrap();
    let range = place.offset as usize..(place.offset + place.length) as usize;
    let document = String::from_utf8(bytes[range].to_vec()).unwrap();
    assert!(document.contains("name: a.v1.1.0"), "{document}");
    assert_eq!(document.matches("schema:").count(), 1, "{document}");
}
