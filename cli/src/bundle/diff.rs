//! `portolan bundle diff`: what an upgrade changes.

use std::collections::BTreeMap;

use clap::{Parser, ValueEnum};
use portolan_core_bundle::{Extent, Identity, Migration, Permission, Rule};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::diff_bundles_response as diff;
use portolan_resolver::bundles;
use serde::Serialize;

use super::place::{InCatalog, Place};
use super::render::sentence;
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{self, Page, Span};

/// Compare two bundles: what an upgrade breaks, what the operator may do besides, what comes and goes.
///
/// A break is a change of a CustomResourceDefinition that its users will feel, as OLM v1 checks it before
/// an upgrade. Permissions and objects are those of an installation for all namespaces, if both bundles
/// support that.
///
/// Two words are places with the files of bundles. Three are a package, and two bundles of it in a
/// catalog; their files are looked for in the folder of --bundles, in the catalog, and in the registries of
/// their images.
#[derive(Debug, Parser)]
#[command(
    // Generated, it would not say what goes with what.
    override_usage = "portolan bundle diff [OPTIONS] <OLD> <NEW>\n       \
                      portolan bundle diff [OPTIONS] <PACKAGE> <OLD> <NEW>",
    after_help = exit::after_help!(
        "0  nothing breaks",
        "1  something breaks";
        "portolan bundle diff ./ferry/1.0.0 ./ferry/1.1.0",
        "portolan bundle diff old.tar.gz new.tar.gz -o json",
        "portolan bundle diff ferry ferry.v1.0.0 ferry.v1.1.0 --catalog demo=./demo --bundles ./bundles"
    )
)]
pub(crate) struct Command {
    /// Places of the bundle that is installed and of the one that shall be, each a folder or a tar archive of one;
    /// or a package, and the names of the two.
    #[arg(value_name = "OLD NEW", num_args = 2..=3, required = true)]
    words: Vec<String>,

    /// Form of the answer.
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    output: Output,

    #[command(flatten)]
    catalogs: InCatalog,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// What changes, as it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    from: String,
    to: String,
    breaks: Vec<ToldBreak>,
    /// What would help each definition that drops a version which objects are stored in.
    migrations: BTreeMap<String, String>,
    permissions_grown: Vec<String>,
    objects_added: Vec<String>,
    objects_removed: Vec<String>,
    objects_changed: Vec<String>,
    images_added: Vec<String>,
    images_removed: Vec<String>,
    not_compared: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldBreak {
    file: String,
    definition: String,
    version: String,
    path: String,
    check: String,
    message: String,
}

/// Two bundles, and what a resolver says of them.
struct Compared {
    /// Where they are, or what they are called.
    places: [String; 2],
    names: [String; 2],
    answer: pb::DiffBundlesResponse,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let compared = match self.words.as_slice() {
            [package, old, new] => Some(self.ask([package, old, new]).await?),
            [old, new] => compared(&Place::given(old, "diff")?, &Place::given(new, "diff")?),
            _ => None,
        };
        let Some(told) = compared.and_then(Compared::told) else {
            return Ok(Exit::Unknown);
        };
        match self.output {
            Output::Text => print::table(page(&told), &[])?,
            Output::Json => print::json(&told)?,
        }
        Ok(Exit::no_if(!told.breaks.is_empty()))
    }

    /// Asks for bundles of a catalog.
    async fn ask(&self, [package, old, new]: [&String; 3]) -> Result<Compared, Failure> {
        let request = pb::DiffBundlesRequest {
            catalog: self.catalogs.catalog(),
            package: package.clone(),
            from: old.clone(),
            to: new.clone(),
            options: None,
        };
        let resolver = self.catalogs.connect().await?;
        let mut resolver = resolver.with_positional(&["package"]);
        let answer = resolver.ask(async |client| client.diff_bundles(request).await);
        Ok(Compared {
            places: [old.clone(), new.clone()],
            names: [old.clone(), new.clone()],
            answer: answer.await?,
        })
    }
}

/// The bundles of two places; None if there is none in one of them, told on standard error.
fn compared(old: &Place, new: &Place) -> Option<Compared> {
    // Both are read, so that all is told that is in the way.
    let (from, to) = (old.read_or_tell(), new.read_or_tell());
    let (from, to) = from.zip(to)?;
    Some(Compared {
        places: [old.to_string(), new.to_string()],
        names: [from.name().to_owned(), to.name().to_owned()],
        answer: bundles::diff(from, to),
    })
}

// === impl Compared ===

impl Compared {
    /// What changes; None if one of them cannot be installed, told on standard error.
    fn told(self) -> Option<Told> {
        let Self {
            places,
            names: [from, to],
            answer,
        } = self;
        let faults = [&answer.from_faults, &answer.to_faults];
        if faults.iter().all(|faults| faults.is_empty()) {
            return Some(Told::of_answer(from, to, answer));
        }
        for (place, faults) in places.iter().zip(faults) {
            for fault in faults {
                print::error(&format!("{place}: {}", sentence(fault)));
            }
        }
        None
    }
}

// === impl Told ===

impl Told {
    fn of_answer(from: String, to: String, answer: pb::DiffBundlesResponse) -> Self {
        let breaks = answer.breaks.into_iter().map(|it| ToldBreak {
            file: it.file,
            definition: it.definition,
            version: it.version,
            path: it.path,
            check: it.check,
            message: it.message,
        });
        let migrations = answer.migrations.into_iter().map(|it| {
            let migration = Migration {
                drops: it.drops,
                to: Some(it.to).filter(|to| !to.is_empty()),
            };
            (it.definition, migration.to_string())
        });
        let grown = answer
            .grown
            .into_iter()
            .map(|it| permission(it).to_string());
        let names = |objects: Vec<diff::Object>| {
            let objects = objects.into_iter().map(|it| Identity {
                group: it.group,
                kind: it.kind,
                namespace: it.namespace,
                name: it.name,
            });
            objects.map(|it| it.to_string()).collect()
        };
        Self {
            from,
            to,
            breaks: breaks.collect(),
            migrations: migrations.collect(),
            permissions_grown: grown.collect(),
            objects_added: names(answer.added),
            objects_removed: names(answer.removed),
            objects_changed: names(answer.changed),
            images_added: answer.images_added,
            images_removed: answer.images_removed,
            not_compared: answer.coarse,
        }
    }
}

fn permission(it: diff::Permission) -> Permission {
    Permission {
        extent: match it.namespace.as_str() {
            "" => Extent::Cluster,
            _ => Extent::Namespace(it.namespace),
        },
        rule: Rule {
            verbs: it.verbs.into_iter().collect(),
            api_groups: it.api_groups.into_iter().collect(),
            resources: it.resources.into_iter().collect(),
            resource_names: it.resource_names.into_iter().collect(),
            non_resource_urls: it.non_resource_urls.into_iter().collect(),
        },
    }
}

fn page(told: &Told) -> Page {
    let mut page = Page::default();
    page.line([
        Span::heading(&told.from),
        "->".into(),
        Span::heading(&told.to),
    ]);
    let nothing = page_of(told, &mut page);
    if nothing {
        page.part();
        page.line([Span::good("Nothing changes.")]);
    }
    page
}

/// Whether there is nothing to tell.
fn page_of(told: &Told, page: &mut Page) -> bool {
    let breaks = told.breaks.iter().map(|it| {
        let place = [&*it.version, &*it.path, &*it.check];
        let place: Vec<_> = place.into_iter().filter(|part| !part.is_empty()).collect();
        let (file, definition) = (&it.file, &it.definition);
        format!("{file}: {definition}: {}: {}", place.join(": "), it.message)
    });
    let migrations = told.migrations.iter();
    let migrations = migrations.map(|(name, how)| format!("{name}: {how}"));
    let sections: [(&str, Vec<String>); 9] = [
        ("Breaks:", breaks.collect()),
        ("What would help:", migrations.collect()),
        ("The operator may besides:", told.permissions_grown.clone()),
        ("Not compared one by one:", told.not_compared.clone()),
        ("Comes:", told.objects_added.clone()),
        ("Goes:", told.objects_removed.clone()),
        ("Changes:", told.objects_changed.clone()),
        ("Images that come:", told.images_added.clone()),
        ("Images that go:", told.images_removed.clone()),
    ];
    let is_empty = sections.iter().all(|(_, lines)| lines.is_empty());
    for (heading, lines) in sections {
        page.list(heading, lines);
    }
    is_empty
}
