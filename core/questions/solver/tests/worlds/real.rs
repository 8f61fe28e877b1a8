//! Checks real catalogs. Each package is requested alone, from each of its channels.

mod alone;

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use portolan_core_catalog::{Catalog, Reading};
use portolan_core_names::{BundleName, ChannelName, PackageName};
use portolan_core_solver::{
    Freshness, Question, RequestedPackage, Resolution, Solution, Universe, resolve,
};
use portolan_kit::{assert_same, real_catalog};
use rstest::rstest;

use crate::real::alone::{Alone, Found};
use crate::world::{Offer, parsed, universe};

/// The number of requests with each result.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    solved: usize,
    /// The number of answers that install extras.
    with_extras: usize,
    refused: usize,
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test finds its catalogs by itself"
)]
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder must be readable");
    let paths = entries.map(|entry| entry.expect("the folder must be readable").path());
    let mut files: Vec<_> = paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect();
    files.sort();
    files
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test finds its catalogs by itself"
)]
fn reading(path: &Path) -> Reading {
    let mut bytes = std::fs::read(path).expect("the file must be readable");
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut plain = Vec::new();
        let mut decoder = MultiGzDecoder::new(bytes.as_slice());
        decoder
            .read_to_end(&mut plain)
            .expect("the file must be whole");
        bytes = plain;
    }
    Reading::of(&path.to_string_lossy(), &bytes)
}

fn offer(name: &str) -> Option<Offer> {
    let folder = real_catalog(name)?;
    Some(Offer {
        name: parsed("real"),
        priority: 0,
        freshness: Freshness::Serving,
        catalog: Catalog::of(files(&folder).iter().map(|path| reading(path))),
    })
}

fn answer(universe: &Universe, request: &RequestedPackage) -> Resolution {
    let question = Question {
        wishes: vec![request.clone()],
        ..Question::default()
    };
    resolve(universe, &question).expect("the solver must be sound")
}

/// The operators of a solution, and the channel of the requested operator.
type Chosen<'a> = (
    BTreeSet<(Option<&'a PackageName>, &'a BundleName)>,
    &'a ChannelName,
);

fn chosen(solution: &Solution) -> Chosen<'_> {
    let operators = solution.operators.iter();
    let names = operators.map(|one| (one.package.as_ref(), &one.bundle));
    let channel = solution.operators[0].channel.as_ref();
    (names.collect(), channel.expect("it comes from a channel"))
}

#[rstest]
#[case::of_openshift("community-v4.20", Counts { solved: 84, with_extras: 1, refused: 1 })]
#[case::of_operatorhub("operatorhub", Counts { solved: 650, with_extras: 14, refused: 4 })]
fn request_for_each_channel_head_matches_a_slow_search(
    #[case] name: &str,
    #[case] expected: Counts,
) {
    let Some(offer) = offer(name) else {
        return;
    };
    let offers = [offer];
    let (alone, universe) = (Alone::of(&offers[0]), universe(&offers));
    let mut counts = Counts::default();
    for package in offers[0].catalog.packages.values() {
        for channel in package.channels.keys() {
            let request = RequestedPackage {
                channel: Some(channel.clone()),
                ..RequestedPackage::of(package.name.clone())
            };
            match (
                alone.best(&package.name, channel),
                answer(&universe, &request),
            ) {
                (Found::Best(names), Resolution::Solved(solution)) => {
                    assert_eq!(chosen(&solution), (names, channel), "{request}");
                    counts.solved += 1;
                    counts.with_extras += usize::from(solution.operators.len() > 1);
                }
                (Found::Nothing, Resolution::Refused(conflict)) => {
                    assert!(
                        !conflict.causes.is_empty() && conflict.is_minimal,
                        "{request}"
                    );
                    assert!(
                        conflict.to_string().starts_with(package.name.as_str()),
                        "{conflict}"
                    );
                    counts.refused += 1;
                }
                (found, answer) => panic!("{request}: {found:?} but the answer is {answer:#?}"),
            }
        }
    }
    assert_same!(counts, expected);
}
