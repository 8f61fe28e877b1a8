//! `portolan installed`: lists the operators that watch a namespace.

use clap::Parser;
use portolan_core_installed::{
    COLUMNS, Filter, GROUP, Index, Installed, KIND, LabelSelector, RESOURCE, Snapshot,
    SubscriptionDetail, VERSION,
};
use serde::ser::{Error as _, SerializeMap as _};
use serde::{Serialize, Serializer};
use serde_json::Value;

use self::originals::Originals;
use self::others::note_of_others;
use crate::exit::{self, Exit};
use crate::facts::{IgnoredCatalogArgs, WorldArgs};
use crate::failure::Failure;
use crate::print::{self, Detail, Format, OutputArgs, Page, Remark, Render, Span, Table};
use crate::progress;
use crate::scope::NamespaceArgs;

mod originals;
mod others;

/// List the operators of OLM that watch a namespace, even if they are installed in another
/// namespace.
///
/// Operators of ClusterExtensions, Installs and InstallPlans are not listed, because these objects
/// do not name the watched namespaces. Use `health` to list these operators.
///
/// Each row shows an original ClusterServiceVersion, not a copy. TARGET_VERSION is the version to
/// which the Subscription upgrades, or the name of the bundle if the version is unknown.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  success";
        "portolan installed -n harbor",
        "portolan installed -A -o wide",
        "portolan installed --world ./dump -l operators.coreos.com/sub=ferry",
        "portolan installed -n harbor -o json"
    )
)]
pub(crate) struct InstalledArgs {
    #[command(flatten)]
    whose: NamespaceArgs,

    /// Selector (label query) to filter on, in the syntax of kubectl.
    #[arg(
        short = 'l',
        long,
        value_name = "SELECTOR",
        default_value = "",
        hide_default_value = true
    )]
    selector: LabelSelector,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: WorldArgs,

    #[command(flatten)]
    _aside: IgnoredCatalogArgs,
}

/// The requested Installed objects, in the form of a list from an API server.
#[derive(Debug)]
struct InstalledList {
    items: Vec<Installed>,
    version: String,
    /// The namespace that the operators watch. Empty for all namespaces.
    namespace: String,
    is_filtered: bool,
}

/// One item of the list. The item is serialized only when it is written, because the list may be
/// long.
struct InstalledItem<'a>(&'a Installed);

// === impl InstalledArgs ===

impl InstalledArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (world, doing) = self.facts.open().await?;
        let index = progress::show_while(&doing, Originals::of(&world, &self.whose.namespace))
            .await?
            .index();
        let filter = Filter {
            labels: self.selector,
            ..Filter::default()
        };
        let format = self.output.format;
        let exit = format.show(&InstalledList::of(&index, self.whose.namespace, &filter))?;
        if format.detail().is_some()
            && let Some(note) = note_of_others(&world).await
        {
            print::note(&note);
        }
        Ok(exit)
    }
}

fn nothing(namespace: &str, is_filtered: bool) -> String {
    let such = if is_filtered { "such " } else { "" };
    match namespace {
        "" => format!("No {such}operator watches any namespace."),
        namespace => format!("No {such}operator watches {namespace}."),
    }
}

// === impl InstalledList ===

impl InstalledList {
    fn of(index: &Index, namespace: String, filter: &Filter) -> Self {
        let snapshot: &Snapshot = index.snapshot();
        let wanted = |each: &&Installed| filter.matches(each);
        Self {
            items: if namespace.is_empty() {
                snapshot.all().filter(wanted).cloned().collect()
            } else {
                let here = snapshot.in_namespace(&namespace);
                here.filter(wanted).cloned().collect()
            },
            version: snapshot.version().to_string(),
            is_filtered: !filter.is_empty(),
            namespace,
        }
    }
}

impl Render for InstalledList {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        if self.items.is_empty() {
            return page;
        }
        let mut table = Table::of(&self.items, detail);
        if self.namespace.is_empty() {
            table = table.text("NAMESPACE", &|each| &each.namespace);
        }
        for (at, column) in COLUMNS.iter().enumerate() {
            let header = column.name.to_uppercase();
            let cell = |each: &Installed| Span::plain(each.cells()[at]);
            table = match column.priority {
                0 => table.column(&header, &cell),
                _ => table.wide(&header, &cell),
            };
        }
        page.table(table);
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        let names = self.items.iter().map(|each| &each.name);
        let names = names.map(|name| format!("{RESOURCE}.{GROUP}/{name}"));
        Some(names.collect())
    }

    fn remark(&self, _: Format) -> Option<Remark> {
        let nothing = || Remark::Note(nothing(&self.namespace, self.is_filtered));
        self.items.is_empty().then(nothing)
    }
}

impl Serialize for InstalledList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_map(Some(4))?;
        list.serialize_entry("apiVersion", &format!("{GROUP}/{VERSION}"))?;
        list.serialize_entry("kind", &format!("{KIND}List"))?;
        let version = [("resourceVersion", &self.version)];
        list.serialize_entry("metadata", &std::collections::BTreeMap::from(version))?;
        let items: Vec<_> = self.items.iter().map(InstalledItem).collect();
        list.serialize_entry("items", &items)?;
        list.end()
    }
}

impl Serialize for InstalledItem<'_> {
    /// Serializes all fields of the Subscription. No field is hidden, because the user could read
    /// the Subscription.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = self.0.to_json(SubscriptionDetail::Full);
        let written: Value = serde_json::from_str(&json).map_err(S::Error::custom)?;
        written.serialize(serializer)
    }
}
