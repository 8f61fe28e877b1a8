//! The changes that each hop of an upgrade makes.

use clap::Args;
use portolan_proto::resolver::v1 as pb;
use portolan_resolver::bundles::BundleFlags;
use serde::Serialize;

use crate::bundle::{Changes, sentence};
use crate::facts::ResolverConnection;
use crate::failure::Failure;
use crate::print::{Detail, Page, Span, words};
use crate::program_name::ProgramName;
use crate::scope::WatchArgs;

/// The flags that request the changes of hops, and the places of bundles.
#[derive(Debug, Args)]
pub(crate) struct HopArgs {
    /// Also show what each upgrade changes: permissions, CRDs, objects and images.
    ///
    /// The files of both bundles are read from the folder of --bundles, the catalog, or the
    /// registries of their images. The exit code is 3 if a bundle cannot be read.
    #[arg(long)]
    changes: bool,

    #[command(flatten, next_help_heading = "Bundles")]
    bundles: BundleFlags,
}

/// A hop from one bundle of a package to another bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BundlePair {
    /// The name of the catalog. An empty name selects the best catalog with the package.
    pub(crate) catalog: String,
    pub(crate) package: String,
    pub(crate) from: String,
    pub(crate) to: String,
}

/// The changes of one hop, or the reason why they are unknown.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum HopChanges {
    Compared(Box<Changes>),
    #[serde(rename_all = "camelCase")]
    NotObserved {
        from: String,
        to: String,
        not_looked_at: String,
    },
}

/// The answer of a command, with the changes of its hops if the user requested the changes.
#[derive(Debug, Serialize)]
pub(crate) struct WithChanges<T> {
    #[serde(flatten)]
    pub(crate) answer: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<Vec<HopChanges>>,
}

/// The maximum number of printed lines for each kind of change. There is no limit if the user
/// requests all lines.
const MOST: usize = 3;

/// The kinds of RBAC objects. Their names are hashes, so only their number is printed. Their
/// permissions are printed separately.
const ROLES: [&str; 4] = ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"];

// === impl HopArgs ===

impl HopArgs {
    /// Returns the flags about bundles, or None if the user did not request the changes. Returns an
    /// error if the user specified these flags without `--changes`.
    pub(crate) fn bundles(&self) -> Result<Option<&BundleFlags>, Failure> {
        if self.changes {
            return Ok(Some(&self.bundles));
        }
        if self.bundles == BundleFlags::default() {
            return Ok(None);
        }
        Err(Failure::usage("--bundles requires --changes"))
    }

    /// Returns an error for `--watch`, because the command would read the bundles again and again.
    pub(crate) fn refuse_watch(&self, watched: &WatchArgs) -> Result<(), Failure> {
        if self.changes && watched.watch {
            return Err(Failure::usage(
                "--changes and --watch cannot be combined, because --watch would read the bundles every two seconds; omit one of the two options",
            ));
        }
        Ok(())
    }

    /// Returns the changes of the hops. Returns None if the user did not request the changes.
    pub(crate) async fn ask(
        &self,
        resolver: &mut ResolverConnection,
        hops: Vec<BundlePair>,
    ) -> Option<Vec<HopChanges>> {
        if !self.changes {
            return None;
        }
        let mut looked = Vec::new();
        for hop in hops {
            looked.push(hop.ask(resolver).await);
        }
        Some(looked)
    }
}

// === impl BundlePair ===

impl BundlePair {
    async fn ask(self, resolver: &mut ResolverConnection) -> HopChanges {
        let Self {
            catalog,
            package,
            from,
            to,
        } = self;
        let request = pb::DiffBundlesRequest {
            catalog,
            package,
            from: from.clone(),
            to: to.clone(),
            options: None,
        };
        let not_looked_at = match resolver.try_query(request).await {
            // An error is not a failure of the command: the path is valid even if the changes are
            // unknown.
            Err(status) => status.message().to_owned(),
            Ok(answer) => match unusable(&answer) {
                None => return HopChanges::Compared(Changes::of_answer(from, to, answer).into()),
                Some(why) => why,
            },
        };
        HopChanges::NotObserved {
            from,
            to,
            not_looked_at,
        }
    }
}

/// Returns the reason why the bundles cannot be compared. Returns None if both bundles can be
/// installed.
fn unusable(answer: &pb::DiffBundlesResponse) -> Option<String> {
    let mut faults = answer.from_faults.iter().chain(&answer.to_faults);
    let first = sentence(faults.next()?);
    Some(match faults.count() {
        0 => format!("the bundle cannot be installed: {first}"),
        others => format!("the bundle cannot be installed: {first}, and {others} more errors"),
    })
}

/// Returns the name of the only catalog in a response. Returns an empty text if there is not
/// exactly one catalog.
pub(crate) fn catalog(catalogs: &[pb::CatalogRef]) -> String {
    match catalogs {
        [one] => one.name.clone(),
        _ => String::new(),
    }
}

/// Returns true if the changes of at least one hop are unknown.
pub(crate) fn are_in_doubt(changes: Option<&[HopChanges]>) -> bool {
    let mut looked = changes.unwrap_or_default().iter();
    looked.any(|it| matches!(it, HopChanges::NotObserved { .. }))
}

/// Prints a section for each hop: its changes, and the command that shows the details.
pub(crate) fn list<'a>(
    page: &mut Page,
    looked: impl IntoIterator<Item = &'a HopChanges>,
    detail: Detail,
) {
    let mut is_any_compared = false;
    for looked in looked {
        is_any_compared |= matches!(looked, HopChanges::Compared(_));
        match looked {
            HopChanges::Compared(changes) => list_changes(page, changes, detail),
            HopChanges::NotObserved {
                from,
                to,
                not_looked_at,
            } => {
                page.section(format!("{from} -> {to}:"));
                let what = Span::warning("not compared:");
                page.below([what, Span::plain(not_looked_at)]);
            }
        }
    }
    if is_any_compared {
        let program = ProgramName::now().typed();
        page.part();
        page.text_line(format!(
            "`{program} bundle diff PACKAGE OLD NEW` shows details."
        ));
    }
}

fn list_changes(page: &mut Page, changes: &Changes, detail: Detail) {
    page.section(format!("{} -> {}:", changes.from, changes.to));
    let lines = lines(changes, detail);
    if lines.is_empty() {
        page.below([Span::good("nothing changes")]);
    }
    for line in lines {
        page.below(line);
    }
}

/// Returns the changes as short lines. The most important changes come first.
fn lines(changes: &Changes, detail: Detail) -> Vec<[Span; 2]> {
    let mut lines: Vec<[Span; 2]> = Vec::new();
    let breaks = changes.breaks.iter();
    let breaks = breaks.map(|it| format!("{} {}", it.definition, it.what()));
    several(
        &mut lines,
        Span::error("breaking:"),
        breaks.collect(),
        detail,
    );
    let migrations = changes.migrations.iter();
    let migrations = migrations.map(|(name, how)| format!("{name}: {how}"));
    several(
        &mut lines,
        "suggestion:".into(),
        migrations.collect(),
        detail,
    );
    let versions = changes.versions.iter();
    let versions = versions.map(|(name, what)| format!("{name}: {what}"));
    several(&mut lines, "versions:".into(), versions.collect(), detail);
    let grown = changes.permissions_grown.clone();
    several(&mut lines, Span::warning("new permissions:"), grown, detail);
    let coarse = changes.not_compared.clone();
    several(&mut lines, Span::warning("not compared:"), coarse, detail);
    let [come, go, change] = [
        &changes.objects_added,
        &changes.objects_removed,
        &changes.objects_changed,
    ]
    .map(|objects| Sorted::of(objects, detail));
    let rows = [
        ("CRDs added:", come.definitions),
        ("CRDs removed:", go.definitions),
        ("CRDs changed:", change.definitions),
        ("added:", come.others),
        ("removed:", go.others),
        ("changed:", change.others),
        ("images added:", changes.images_added.clone()),
        ("images removed:", changes.images_removed.clone()),
    ];
    let rows = rows.into_iter().filter(|(_, names)| !names.is_empty());
    lines.extend(rows.map(|(label, names)| [label.into(), words::names(&names, detail).into()]));
    lines
}

/// Adds a line for each text up to a limit. Then adds a line with the number of omitted texts.
fn several(lines: &mut Vec<[Span; 2]>, label: Span, texts: Vec<String>, detail: Detail) {
    let shown = match detail {
        // If only one text were omitted, the line about the omission would need the same space.
        Detail::Usual if texts.len() > MOST + 1 => MOST,
        Detail::Usual | Detail::Whole => texts.len(),
    };
    let left_out = texts.len() - shown;
    let texts = texts.into_iter().take(shown);
    lines.extend(texts.map(|text| [label.clone(), text.into()]));
    if left_out > 0 {
        lines.push([
            label,
            format!("... {left_out} more (-o wide shows all)").into(),
        ]);
    }
}

/// The added or removed objects, with CRDs separate from other objects.
#[derive(Debug, Default)]
struct Sorted {
    /// The names of CRDs.
    definitions: Vec<String>,
    others: Vec<String>,
}

// === impl Sorted ===

impl Sorted {
    /// Sorts the objects. RBAC objects are only counted, unless the user requests all details.
    fn of(objects: &[String], detail: Detail) -> Self {
        let (mut sorted, mut roles) = (Self::default(), 0);
        for object in objects {
            match object.split_once(' ') {
                Some(("CustomResourceDefinition", name)) => {
                    sorted.definitions.push(name.to_owned())
                }
                Some((kind, _)) if ROLES.contains(&kind) && detail == Detail::Usual => roles += 1,
                Some(_) | None => sorted.others.push(object.clone()),
            }
        }
        if roles > 0 {
            let roles = words::count(roles, "RBAC object");
            sorted.others.insert(0, roles);
        }
        sorted
    }
}
