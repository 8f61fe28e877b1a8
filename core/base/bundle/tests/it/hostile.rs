//! Tests of damaged bundles. Each bundle must give a result or an error, and all texts must be
//! printable.

use std::ops::Range;
use std::sync::LazyLock;

use portolan_core_bundle::{
    Bundle, Certificates, Folder, Limits, Manifest, Options, Release, Targets, Title, difference,
    render, validate,
};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::kit::{self, CRD, CSV, ferry};

/// Texts with a hidden effect on terminals or parsers.
const NASTY: [&str; 16] = [
    "null",
    "~",
    "n",
    "0x",
    "1e999",
    ".inf",
    "-0",
    "[]",
    "{}",
    "''",
    "&a",
    "*a",
    "|",
    "- -",
    "\u{202e}",
    "2147483648",
];

/// Changes a text once: removes, duplicates or swaps lines, replaces a value, or changes bytes.
fn mutate(text: &str, random: &mut fastrand::Rng) -> Vec<u8> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = random.usize(..lines.len());
    match random.u8(..8) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => lines.swap(at, random.usize(..text.lines().count())),
        3 => lines.truncate(at),
        4 => lines[at].insert_str(0, ["  ", "\t", "- "][random.usize(..3)]),
        5 | 6 => {
            let key = lines[at].split_once(": ").map(|(key, _)| key.to_owned());
            let nasty = NASTY[random.usize(..NASTY.len())];
            lines[at] = format!("{}: {nasty}", key.unwrap_or_else(|| lines[at].clone()));
        }
        _ => {
            let mut bytes = text.as_bytes().to_vec();
            let at = random.usize(..bytes.len());
            bytes[at] = random.u8(..);
            return bytes;
        }
    }
    lines.join("\n").into_bytes()
}

/// Asserts that a sentence has only one line and a limited length.
#[track_caller]
fn assert_readable(sentence: &str) {
    assert!(!sentence.is_empty() && sentence.len() < 1000, "{sentence}");
    assert!(!sentence.chars().any(char::is_control), "{sentence:?}");
}

fn check_damaged(files: Vec<(String, Vec<u8>)>) {
    let limits = Limits::default();
    let read = Folder::of_files(files, &limits).and_then(|folder| Bundle::read(folder, &limits));
    let bundle = match read {
        Ok(bundle) => bundle,
        Err(faults) => {
            assert!(!faults.is_empty());
            return faults
                .iter()
                .for_each(|fault| assert_readable(&fault.to_string()));
        }
    };
    for fault in bundle.warnings().iter().chain(&validate(&bundle)) {
        assert_readable(&fault.to_string());
    }
    for options in [
        Options::new("ns"),
        Options::of_olm_v1("ns"),
        Options {
            targets: Targets::Of(["a".to_owned(), "b".to_owned()].into()),
            certificates: Certificates::None,
            ..Options::new("ns")
        },
    ] {
        match render(&bundle, &options) {
            Ok(manifests) => {
                assert!(manifests.len() < 100);
                write_upgrade(&bundle, &manifests);
            }
            Err(refusals) => {
                refusals
                    .iter()
                    .for_each(|refusal| assert_readable(&refusal.to_string()));
            }
        }
    }
}

/// Writes the differences of an upgrade from the valid bundle to this bundle, and of the reverse
/// upgrade.
fn write_upgrade(bundle: &Bundle, manifests: &[Manifest]) {
    static SOUND: LazyLock<(Bundle, Vec<Manifest>)> = LazyLock::new(|| {
        let bundle = ferry().read();
        let manifests = render(&bundle, &Options::new("ns")).expect("manifests");
        (bundle, manifests)
    });
    let (sound, sound_manifests) = &*SOUND;
    let sound = Release {
        bundle: sound,
        manifests: sound_manifests,
    };
    let this = Release { bundle, manifests };
    for found in [difference(sound, this), difference(this, sound)] {
        for sentence in found.breaks.values().flatten() {
            assert_readable(&sentence.to_string());
        }
        for permission in &found.grown {
            assert_readable(&permission.to_string());
        }
    }
}

#[test]
fn control_characters_are_not_printed() {
    let escape = "\"\\e[2J\"";
    let secret = format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: {escape}}}\n");
    let rule = format!("resources: [ships, {escape}]");
    let with = ferry()
        .with(
            CRD,
            "berths:",
            &format!("{escape}: {{type: string}}\n              berths:"),
        )
        .with(CSV, "resources: [ships]", &rule)
        .plus("manifests/extra.yaml", &secret)
        .read();
    let manifests = render(&with, &Options::new("ns")).expect("manifests");
    for manifest in &manifests {
        assert_readable(&Title(&manifest.identity()).to_string());
    }
    write_upgrade(&with, &manifests);
}

#[test]
fn schema_of_maximum_depth_does_not_overflow_the_stack() {
    // The maximum nesting depth that the limits allow.
    let depth = 42;
    let open = "{type: object, properties: {a: ".repeat(depth);
    let schema = format!("{open}{{type: string}}{}", "}}".repeat(depth));
    let files = ferry().with(
        CRD,
        "berths:\n                type: integer",
        &format!("berths: {schema}"),
    );
    assert_eq!(files.read().warnings(), []);
}

/// Returns an archive of a bundle that was changed at random.
fn mutant(random: &mut fastrand::Rng) -> Vec<u8> {
    let files = ferry()
        .webhooks(include_str!("ferry/webhooks.yaml"))
        .plus("manifests/extra.yaml", include_str!("ferry/extra.yaml"))
        .plus(
            "metadata/properties.yaml",
            "properties:\n- type: a\n  value: {b: 1}\n",
        )
        .texts();
    let at = random.usize(..files.len());
    let mut entries: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.clone(), b'0', text.clone().into_bytes()))
        .collect();
    entries[at].2 = mutate(&files[at].1, random);
    let (path, kind, bytes) = &mut entries[at];
    match random.u8(..24) {
        0 => *path = format!("../{path}"),
        1 => *path = path.replace('/', "/../../"),
        2 => *kind = [b'1', b'2', b'3', b'5', b'6', b'V'][random.usize(..6)],
        3 => bytes.extend(b"a: ".iter().chain([b'['; 5000].iter())),
        4 => bytes
            .splice(..0, b"kind: Secret\n".iter().copied())
            .for_each(drop),
        5 => bytes.extend([0xff, 0xfe, b'\n']),
        6 => bytes.truncate(random.usize(..=bytes.len())),
        7 => bytes.extend_from_slice(LAUGHS.as_bytes()),
        8 => {
            let number = [10, 10_000][random.usize(..2)];
            entries.extend((0..number).map(|at| (format!("manifests/{at}"), b'0', Vec::new())));
        }
        9 if random.u8(..8) == 0 => return BOMBS[random.usize(..2)].clone(),
        _ => {}
    }
    let tar = kit::tar(&entries);
    let mut archive = match random.u8(..3) {
        0 => tar,
        1 => kit::gzip(&tar),
        _ => compress_to_vec(&tar[..], CompressionLevel::Fastest),
    };
    for _ in 0..random.usize(..12).saturating_sub(8) {
        let at = random.usize(..archive.len());
        archive[at] = random.u8(..);
    }
    if random.u8(..16) == 0 {
        archive.truncate(random.usize(..archive.len()));
    }
    archive
}

/// Aliases that refer to aliases. Each line makes the result ten times larger.
static LAUGHS: LazyLock<String> = LazyLock::new(|| {
    let lines = (1..9).map(|line| {
        let alias = format!("*x{}, ", line - 1).repeat(10);
        format!("x{line}: &x{line} [{alias}]\n")
    });
    format!("x0: &x0 [ha]\n{}", lines.collect::<String>())
});

/// Archives of a few bytes whose decompressed content exceeds the limit.
static BOMBS: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let zeros = vec![0; Limits::default().bytes + 1];
    let zipped = compress_to_vec(&zeros[..], CompressionLevel::Fastest);
    [kit::gzip(&zeros), zipped]
});

/// Prints the number of the mutant if the test fails.
struct Mutant(u64);

impl Drop for Mutant {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "it was mutant {0}: PORTOLAN_MUTANTS={0}..{1}",
                self.0,
                self.0 + 1
            );
        }
    }
}

/// Returns the numbers of the mutants to test: the range in `PORTOLAN_MUTANTS`, such as `0..20000`,
/// or else the first 500.
#[expect(clippy::disallowed_methods, reason = "a soak asks for more of them")]
fn mutants() -> Range<u64> {
    let Ok(asked) = std::env::var("PORTOLAN_MUTANTS") else {
        return 0..500;
    };
    let (from, to) = asked.split_once("..").expect("numbers, such as 0..20000");
    from.parse().expect("a number")..to.parse().expect("a number")
}

#[test]
fn damaged_bundles_and_layers_give_results_or_faults() {
    let limits = Limits::default();
    let mut read = 0;
    for number in mutants() {
        let mutant = Mutant(number);
        let archive = self::mutant(&mut fastrand::Rng::with_seed(mutant.0));
        match Folder::of_archives([("layer 1", &archive[..])], &limits) {
            Ok(folder) => {
                let files = folder.files();
                let files = files.map(|(path, bytes)| (path.to_string(), bytes.to_vec()));
                check_damaged(files.collect());
                read += 1;
            }
            Err(faults) => {
                assert!(!faults.is_empty());
                for fault in faults {
                    assert_readable(&fault.to_string());
                }
            }
        }
    }
    // Most archives must be readable, so that the test covers more than archives.
    assert!(read * 2 > mutants().count(), "{read}");
    assert!(kit::peak_megabytes() < 3000, "{}", kit::peak_megabytes());
}
