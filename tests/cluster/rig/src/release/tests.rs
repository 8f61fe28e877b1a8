use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use super::*;

/// A script that writes man pages and completions as `portolan` does.
const PROGRAM: &str = "#!/bin/sh
case $1 in
man) mkdir -p \"$2\"; echo page >\"$2/portolan-path.1\"; echo page >\"$2/portolan.1\" ;;
completion) echo \"completion of $2\" ;;
*) echo portolan ;;
esac
";

fn release(folder: &TempDir) -> Release {
    let program = folder.path().join("program");
    fs::write(&program, PROGRAM).expect("the folder takes a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
    Release {
        root: concat!(env!("CARGO_MANIFEST_DIR"), "/../../..").into(),
        version: "1.2.3".to_owned(),
        programs: PLATFORMS.map(|platform| (platform, program.clone())).into(),
        image: Some("registry.example/portolan".to_owned()),
        places: Some(Places {
            downloads: format!("file://{}", folder.path().join("files").display()),
            homepage: "https://portolan.example".to_owned(),
        }),
    }
}

/// A release whose files are written to the folder of its downloads.
struct Written {
    folder: TempDir,
    files: Vec<ReleaseFile>,
}

/// Returns a release that all tests read. No test changes it.
fn written() -> &'static Written {
    static WRITTEN: OnceLock<Written> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let files = release(&folder).files().expect("a release");
        let place = folder.path().join("files");
        fs::create_dir(&place).expect("a folder");
        for file in &files {
            fs::write(place.join(&file.name), &file.content).expect("a file");
        }
        Written { folder, files }
    })
}

fn content<'a>(files: &'a [ReleaseFile], name: &str) -> &'a [u8] {
    let mut found = files.iter().filter(|file| file.name == name);
    &found
        .next()
        .unwrap_or_else(|| panic!("no file {name}"))
        .content
}

fn shell(folder: &TempDir, line: &str) -> (bool, String) {
    let mut command = Command::new("sh");
    command
        .current_dir(folder.path())
        .env("HOME", folder.path());
    let output = command.args(["-c", line]).output().expect("sh runs");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn two_releases_are_the_same_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (release(&folder).files(), release(&folder).files());
    let names = |files: &[ReleaseFile]| -> Vec<_> {
        files
            .iter()
            .map(|file| (file.name.clone(), file.digest()))
            .collect()
    };
    let (first, second) = (first.expect("a release"), second.expect("a release"));
    assert_eq!(names(&first), names(&second));
    assert_eq!(first.len(), PLATFORMS.len() + 6);
}

#[test]
fn checksums_match_all_other_files() {
    let Written { folder, files } = written();
    let (is_good, text) = shell(folder, "cd files && sha256sum --check SHA256SUMS | wc -l");
    assert!(is_good, "{text}");
    assert_eq!(text.trim(), (files.len() - 1).to_string());
}

#[test]
fn archive_has_program_pages_and_completions() {
    let Written { folder, .. } = written();
    let (is_good, text) = shell(folder, "tar -tzf files/portolan-1.2.3-linux-arm64.tar.gz");
    assert!(is_good, "{text}");
    for path in [
        "portolan",
        "LICENSE",
        "man/man1/portolan-path.1",
        "completions/portolan.bash",
        "completions/_portolan",
    ] {
        let path = format!("portolan-1.2.3-linux-arm64/{path}\n");
        assert!(text.contains(&path), "{path} is missing in {text}");
    }
    let (_, windows) = shell(folder, "tar -tzf files/portolan-1.2.3-windows-amd64.tar.gz");
    assert!(windows.contains("/portolan.exe\n"), "{windows}");
}

#[test]
fn image_has_both_architectures() {
    let Written { folder, .. } = written();
    let index: Value = {
        let images = release(folder).images().expect("images");
        let (_, text) = shell(folder, "tar -xOf files/portolan-image-1.2.3.tar index.json");
        let entry: Value = serde_json::from_str(&text).expect("JSON");
        let digest = entry["manifests"][0]["digest"].as_str().unwrap_or_default();
        let path = format!("blobs/{}", digest.replace(':', "/"));
        let line = format!("tar -xOf files/portolan-image-1.2.3.tar {path}");
        let (_, text) = shell(folder, &line);
        assert_eq!(text.as_bytes(), images.manifest());
        serde_json::from_str(&text).expect("JSON")
    };
    let platforms = index["manifests"].as_array().expect("manifests").iter();
    let platforms: Vec<_> = platforms
        .map(|manifest| {
            manifest["platform"]["architecture"]
                .as_str()
                .unwrap_or_default()
        })
        .collect();
    assert_eq!(platforms, ["amd64", "arm64"]);
}

#[test]
fn chart_uses_the_image_of_the_release() {
    let Written { folder, .. } = written();
    let (_, values) = shell(
        folder,
        "tar -xzOf files/portolan-1.2.3.tgz portolan/values.yaml",
    );
    assert!(
        values.contains("  repository: registry.example/portolan\n"),
        "{values}"
    );
    let (_, names) = shell(folder, "tar -tzf files/portolan-1.2.3.tgz");
    assert!(names.contains("portolan/Chart.yaml\n"), "{names}");
    assert!(names.contains("portolan/templates/"), "{names}");
}

#[test]
fn bill_lists_each_crate_of_the_program_with_its_digest() {
    let Written { files, .. } = written();
    let bill: Value =
        serde_json::from_slice(content(files, "portolan-1.2.3.cdx.json")).expect("JSON");
    let components = bill["components"].as_array().expect("components");
    let named = |name: &str| {
        components
            .iter()
            .find(|component| component["name"] == name)
    };
    let tokio = named("tokio").expect("tokio is a part of the program");
    assert_eq!(tokio["hashes"][0]["alg"], "SHA-256");
    assert_eq!(tokio["licenses"][0]["expression"], "MIT");
    assert!(
        named("insta").is_none(),
        "a tool of tests is no part of the program"
    );
    let references: BTreeSet<_> = components
        .iter()
        .filter_map(|component| component["bom-ref"].as_str())
        .collect();
    let dependencies = bill["dependencies"].as_array().expect("dependencies");
    for dependency in dependencies
        .iter()
        .filter_map(|it| it["dependsOn"].as_array())
        .flatten()
    {
        let dependency = dependency.as_str().unwrap_or_default();
        assert!(
            references.contains(dependency),
            "{dependency} is no component"
        );
    }
    assert_eq!(dependencies.len(), components.len() + 1);
}

#[test]
fn krew_manifest_has_each_platform_with_its_digest() {
    let Written { files, .. } = written();
    let text = String::from_utf8_lossy(content(files, "portolan.yaml")).into_owned();
    let manifest: Value = serde_saphyr::from_str(&text).expect("YAML");
    let platforms = manifest["spec"]["platforms"].as_array().expect("platforms");
    assert_eq!(platforms.len(), PLATFORMS.len());
    assert_eq!(manifest["spec"]["version"], "v1.2.3");
    for (platform, entry) in PLATFORMS.iter().zip(platforms) {
        let name = format!("portolan-1.2.3-{platform}.tar.gz");
        assert_eq!(entry["selector"]["matchLabels"]["os"], platform.os);
        assert!(
            entry["uri"]
                .as_str()
                .is_some_and(|uri| uri.ends_with(&name))
        );
        let archive = files
            .iter()
            .find(|file| file.name == name)
            .expect("an archive");
        assert_eq!(entry["sha256"], archive.digest());
    }
}

#[test]
fn install_script_installs_the_verified_program() {
    let Written { folder, .. } = written();
    let (is_good, text) = shell(folder, "sh files/install.sh && .local/bin/portolan");
    assert!(is_good, "{text}");
    assert!(text.contains("portolan 1.2.3 is installed"), "{text}");
    let (is_good, text) = shell(
        folder,
        "sh files/install.sh --to \"$PWD/a b\" && 'a b/portolan'",
    );
    assert!(is_good, "{text}");
}

#[test]
fn install_script_rejects_a_modified_archive() {
    let Written { folder, .. } = written();
    let changed = "cp -r files changed && cd changed && export PORTOLAN_DOWNLOADS=file://$PWD";
    let line =
        format!("{changed}; for f in *.tar.gz; do echo x >>$f; done; sh install.sh --to new");
    let (is_good, text) = shell(folder, &line);
    assert!(!is_good, "{text}");
    assert!(text.contains("nothing is installed"), "{text}");
    assert!(!folder.path().join("changed/new/portolan").exists());
    let line =
        "cd changed && rm SHA256SUMS && PORTOLAN_DOWNLOADS=file://$PWD sh install.sh --to new";
    let (is_good, text) = shell(folder, line);
    assert!(!is_good && text.contains("cannot download"), "{text}");
}

#[test]
fn release_needs_the_program_of_this_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut release = release(&folder);
    release
        .programs
        .retain(|(platform, _)| !platform.is_of_this_machine());
    let error = release
        .files()
        .expect_err("a program is missing")
        .to_string();
    assert!(error.contains("platform of this machine"), "{error}");
}
