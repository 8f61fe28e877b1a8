//! `portolan copies`: the copies that OLM makes of ClusterServiceVersions, and their cost.

use std::collections::BTreeMap;

use clap::Parser;
use portolan_core_olm::{ClusterServiceVersion, CopiedCsv, OperatorGroup, Targets};
use portolan_world::{AnyWorld, Area, Dump, Key, RawWorld as _, State, World as _};
use serde::Serialize;

use crate::exit::{self, Exit};
use crate::facts::{WorldArgs, another_place, left_out, read_view};
use crate::failure::Failure;
use crate::print::{self, Detail, Format, OutputArgs, Page, Remark, Render, Span, Table, words};
use crate::progress;

/// The command that disables the copies for operators that watch all namespaces.
const SWITCH: &str = r#"kubectl patch olmconfig cluster --type merge -p '{"spec":{"features":{"disableCopiedCSVs":true}}}'"#;

/// Count the copies that OLM makes of ClusterServiceVersions, show their size, and explain how to
/// remove the copies.
///
/// OLM copies the ClusterServiceVersion of an operator into each namespace that the operator
/// watches. The command `installed` shows the same information without copies. The size of a copy is
/// the size of the original as JSON, in bytes.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  success, even if no copies exist";
        "portolan copies",
        "portolan copies --world ./dump -o json"
    )
)]
pub(crate) struct CopiesArgs {
    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: WorldArgs,
}

/// The total number and size of the copies in a cluster.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tally {
    operators: Vec<CopiedOperator>,
    copies: usize,
    bytes: usize,
    /// The number of copies that OLM removes if its option `disableCopiedCSVs` is set.
    retirable_copies: usize,
    retirable_bytes: usize,
}

/// An operator whose ClusterServiceVersion OLM copies into other namespaces.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct CopiedOperator {
    namespace: String,
    name: String,
    copies: usize,
    /// The size of one copy in bytes. None if the original does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_each: Option<usize>,
    bytes: usize,
    /// True if the operator watches all namespaces. OLM can disable copies only for these
    /// operators.
    watches_all: bool,
}

/// The objects that are needed to count the copies.
#[derive(Debug, Default)]
struct CopyFacts {
    /// The size of each original, in bytes.
    originals: BTreeMap<Key, usize>,
    /// The number of copies of each original.
    copies: BTreeMap<Key, usize>,
    /// For each namespace with OperatorGroups: true if an OperatorGroup targets all namespaces.
    watches_all: BTreeMap<String, bool>,
}

// === impl CopiesArgs ===

impl CopiesArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (world, doing) = self.facts.open().await?;
        let facts = progress::show_while(&doing, CopyFacts::of(&world)).await?;
        let folder = world.folder();
        let dump = folder.map(Dump::of).transpose().map_err(Failure::refused)?;
        if dump.flatten().is_some() && !facts.copies.is_empty() {
            print::warn(
                "a dump does not contain icons and descriptions, so copies in the cluster are larger than shown here",
            );
        }
        self.output.format.show(&Tally::of(&facts))
    }
}

// === impl CopyFacts ===

impl CopyFacts {
    async fn of(world: &AnyWorld) -> Result<Self, Failure> {
        let has_no_originals = left_out::<ClusterServiceVersion>(world).await.is_some();
        if has_no_originals && left_out::<CopiedCsv>(world).await.is_some() {
            return Err(another_place("ClusterServiceVersion"));
        }
        let everywhere = Area::everywhere();
        let copies = read_view::<CopiedCsv>(world, &everywhere).await?;
        let groups = read_view::<OperatorGroup>(world, &everywhere).await?;
        let mut originals = world.raw_of::<ClusterServiceVersion>(everywhere);
        let originals = originals.until(|view| view.state != State::Pending).await;
        let originals = originals.unwrap_or_default();
        if let Some((trouble, _)) = originals.state.trouble() {
            return Err(Failure::failed_to(
                "cannot read ClusterServiceVersions",
                trouble,
            ));
        }
        let mut facts = Self::default();
        for (key, original) in originals.objects.iter() {
            facts.originals.insert(key.clone(), original.json.len());
        }
        for (key, copy) in copies.objects.iter() {
            let original = Key::new(copy.copied_from().unwrap_or_default(), &key.name);
            *facts.copies.entry(original).or_default() += 1;
        }
        for (key, group) in groups.objects.iter() {
            let is_alone = !facts.watches_all.contains_key(&*key.namespace);
            let watches_all = is_alone && group.targets() == Targets::All;
            let namespace = key.namespace.to_string();
            facts.watches_all.insert(namespace, watches_all);
        }
        Ok(facts)
    }
}

// === impl Tally ===

impl Tally {
    fn of(facts: &CopyFacts) -> Self {
        let operators = facts.copies.iter().map(|(key, copies)| {
            let bytes_each = facts.originals.get(key).copied();
            let watches_all = facts.watches_all.get(&*key.namespace);
            CopiedOperator {
                namespace: key.namespace.to_string(),
                name: key.name.to_string(),
                copies: *copies,
                bytes_each,
                bytes: copies * bytes_each.unwrap_or_default(),
                watches_all: bytes_each.is_some() && watches_all == Some(&true),
            }
        });
        let operators: Vec<_> = operators.collect();
        let sum = |of: fn(&CopiedOperator) -> usize, of_all: bool| {
            let summed = operators.iter().filter(|each| of_all || each.watches_all);
            summed.map(of).sum()
        };
        Self {
            copies: sum(|each| each.copies, true),
            bytes: sum(|each| each.bytes, true),
            retirable_copies: sum(|each| each.copies, false),
            retirable_bytes: sum(|each| each.bytes, false),
            operators,
        }
    }

    fn advise(&self, page: &mut Page) {
        if self.retirable_copies > 0 {
            page.part();
            page.text_line(format!(
                "{} copies ({}) can be removed, because OLM can stop copying the ClusterServiceVersions of operators that watch all namespaces:",
                self.retirable_copies,
                size(self.retirable_bytes)
            ));
            page.below([Span::plain(SWITCH)]);
            page.text_line(
                "After that, `kubectl get csv -n NAMESPACE` no longer lists these operators. Use `portolan installed` to list them.",
            );
        }
        if self.retirable_copies < self.copies {
            page.part();
            page.text_line(
                "Copies of an operator that watches selected namespaces cannot be disabled. To remove a copy, remove its namespace from the OperatorGroup of the operator.",
            );
        }
        page.part();
        page.text_line("Do not delete copies manually: OLM creates them again.");
    }
}

impl Render for Tally {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        if self.operators.is_empty() {
            return page;
        }
        page.table(
            Table::of(&self.operators, detail)
                .text("INSTALLED IN", &|each| &each.namespace)
                .text("NAME", &|each| &each.name)
                .column("COPIES", &|each| each.copies.to_string().into())
                .column("SIZE", &|each| {
                    each.bytes_each.map_or("-".into(), size).into()
                })
                .column("TOTAL SIZE", &|each| {
                    each.bytes_each
                        .map_or("-".into(), |_| size(each.bytes))
                        .into()
                })
                .column("REMOVED BY", &|each| each.retired_by().into()),
        );
        page.part();
        let copies = match self.copies {
            1 => "1 copy".to_owned(),
            many => format!("{many} copies"),
        };
        page.text_line(format!(
            "{copies} of {}, {} in total.",
            words::count(self.operators.len(), "operator"),
            size(self.bytes),
        ));
        self.advise(&mut page);
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        let names = self.operators.iter().map(|each| &each.name);
        let names = names.map(|name| print::names::of_kind("ClusterServiceVersion", name));
        Some(names.collect())
    }

    fn remark(&self, _: Format) -> Option<Remark> {
        let nothing = || Remark::Note("No copies found.".to_owned());
        self.operators.is_empty().then(nothing)
    }
}

// === impl CopiedOperator ===

impl CopiedOperator {
    fn retired_by(&self) -> &'static str {
        match (self.bytes_each, self.watches_all) {
            (None, _) => "OLM (the original was deleted)",
            (Some(_), true) => "disableCopiedCSVs",
            (Some(_), false) => "its OperatorGroup",
        }
    }
}

/// Returns a number of bytes in a readable unit.
fn size(bytes: usize) -> String {
    let tenths = |unit: usize| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} kB", tenths(1000)),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(1_000_000)),
        _ => format!("{} GB", tenths(1_000_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(999, "999 B")]
    #[case(28_460, "28.4 kB")]
    #[case(54_000_000, "54.0 MB")]
    #[case(1_990_000_000, "1.9 GB")]
    fn formats_sizes_in_bytes_and_units(#[case] bytes: usize, #[case] expected: &str) {
        assert_eq!(size(bytes), expected);
    }

    #[test]
    fn sums_copies() {
        let key = |namespace: &str| Key::new(namespace, "ferry.v1.0.0");
        let facts = CopyFacts {
            originals: [(key("all"), 100), (key("some"), 10)].into(),
            copies: [(key("all"), 7), (key("some"), 2), (key("gone"), 1)].into(),
            watches_all: [("all", true), ("some", false), ("gone", true)]
                .map(|(namespace, all)| (namespace.to_owned(), all))
                .into(),
        };
        let tally = Tally::of(&facts);
        let retired = tally.operators.iter().map(CopiedOperator::retired_by);
        assert_eq!(
            retired.collect::<Vec<_>>(),
            [
                "disableCopiedCSVs",
                "OLM (the original was deleted)",
                "its OperatorGroup"
            ]
        );
        let Tally {
            operators: _,
            copies,
            bytes,
            retirable_copies,
            retirable_bytes,
        } = tally;
        assert_eq!(
            [copies, bytes, retirable_copies, retirable_bytes],
            [10, 720, 7, 700]
        );
    }
}
