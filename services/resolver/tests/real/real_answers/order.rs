//! Tests that the order of documents and files does not affect the results.

use std::sync::Arc;

use portolan_core_catalog::{Catalog, Package, Reading};
use portolan_core_graph::{Destination, Finding, Graph, Installed, Query, findings};
use portolan_core_names::{CatalogName, ChannelName};
use portolan_kit::assert_same;
use rstest::rstest;

use crate::real_answers::real;

/// One of this many results is compared byte by byte as text. All results are compared as values.
const STRIDE: usize = 37;

#[rstest]
fn shuffled_documents_give_the_same_answers(
    #[values("community-v4.20", "operatorhub", "operatorhub-csv-edges")] name: &str,
) {
    let Some(files) = real::files(name) else {
        return;
    };
    let read = |files: &[(String, String)]| {
        let readings = files
            .iter()
            .map(|(name, text)| Reading::of(name, text.as_bytes()));
        Catalog::of(readings.collect::<Vec<_>>())
    };
    let (one, other) = (read(&files), read(&shuffled(&files)));
    assert_eq!(
        (one.digest, one.display_digest),
        (other.digest, other.display_digest)
    );
    let name = CatalogName::parse("real").expect("the name must parse");
    // Files and lines are removed, because they differ.
    let placeless = |finding: Finding| match finding {
        Finding::Document { .. } => None,
        Finding::Channel { package, fault, .. } => Some(format!("{package}: {fault:?}")),
        Finding::Requirement(unmet) => Some(format!("{unmet:?}")),
    };
    let found = |catalog| {
        let found = findings([(&name, catalog)]).into_iter();
        found.filter_map(placeless).collect::<Vec<_>>()
    };
    assert_same!(found(&one), found(&other));
    let mut count = 0;
    for (one, other) in one.packages.values().zip(other.packages.values()) {
        assert_answers(one, other, &mut count);
    }
}

fn assert_answers(one: &Arc<Package>, other: &Arc<Package>, count: &mut usize) {
    let (left, right) = (Graph::new(Arc::clone(one)), Graph::new(Arc::clone(other)));
    let channels = one.channels.values();
    let in_channels = channels.flat_map(|channel| {
        let entries = channel.entries.keys();
        entries.map(move |name| (Some(&channel.name), name))
    });
    for (channel, name) in in_channels.chain(one.bundles.keys().map(|name| (None, name))) {
        let installed = Installed {
            name: name.clone(),
            version: None,
        };
        let (answer, again) = (
            answers(&left, &installed, channel),
            answers(&right, &installed, channel),
        );
        assert!(answer == again, "{name} in {channel:?}");
        *count += 1;
        if count.is_multiple_of(STRIDE) {
            assert_same!(format!("{answer:?}"), format!("{again:?}"));
        }
    }
}

fn answers(
    graph: &Graph,
    installed: &Installed,
    channel: Option<&ChannelName>,
) -> impl PartialEq + std::fmt::Debug + use<> {
    let query = Query {
        channel: channel.cloned(),
        ..Query::new(installed.clone(), Destination::Head)
    };
    (
        graph.list_upgrades(installed, channel),
        graph.find_path(&query),
    )
}

/// Returns the documents in another order, distributed over other files.
fn shuffled(files: &[(String, String)]) -> Vec<(String, String)> {
    let documents = files.iter().flat_map(|(name, text)| {
        if name.ends_with(".yaml") {
            text.split("\n---\n")
                .map(|part| format!("{part}\n---\n"))
                .collect()
        } else {
            text.lines()
                .map(|line| format!("{line}\n"))
                .collect::<Vec<_>>()
        }
    });
    let documents: Vec<_> = documents.collect();
    // The number of documents is never a multiple of this step, so the loop visits each document
    // once.
    let step = 7919;
    assert!(!documents.len().is_multiple_of(step));
    let mut dealt = vec![String::new(); 11];
    for at in 0..documents.len() {
        let from = at * step % documents.len();
        dealt[at % 11] += &documents[from];
    }
    let names = (0..).map(|at| format!("{at}"));
    names.zip(dealt).collect()
}
