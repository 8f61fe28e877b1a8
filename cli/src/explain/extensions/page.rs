//! Renders the explanation of ClusterExtensions as text.

use portolan_core_names::text::{cite, listed};
use portolan_resolver::extensions::ExtensionState;

use super::govern::PolicyDecision;
use super::{ExplainedExtension, Newer, Step};
use crate::print::{Detail, Page, Span, Table};

/// The number of newer bundles that are explained. There is no limit if the user requests all
/// bundles.
const EXPLAINED: usize = 3;

/// Renders one row for each ClusterExtension, followed by the reasons.
pub(in crate::explain) fn render(extensions: &[ExplainedExtension], detail: Detail) -> Page {
    let mut page = Page::default();
    if extensions.is_empty() {
        return page;
    }
    let table = Table::of(extensions, detail)
        .text("EXTENSION", &|it| &it.name)
        .text("PACKAGE", &|it| &it.package)
        .column("STATE", &|it| it.colored())
        .text("INSTALLED", &|it| {
            it.installed.as_deref().unwrap_or_default()
        })
        .text("NEXT", &|it| {
            it.path.first().map_or("", |step| &step.bundle)
        })
        .text("TARGET", &|it| {
            it.path.last().map_or("", |step| &step.bundle)
        });
    page.table(table);
    for extension in extensions {
        if detail == Detail::Whole || extension.needs_words() {
            block(&mut page, extension, detail);
        }
    }
    page
}

fn block(page: &mut Page, extension: &ExplainedExtension, detail: Detail) {
    page.part();
    page.line([Span::heading(extension.place() + ":"), extension.colored()]);
    for (label, text) in extension.lines(detail) {
        page.below([label, text.into()]);
    }
}

// === impl ExplainedExtension ===

impl ExplainedExtension {
    /// Returns the lines of the explanation. Each line has a label.
    pub(in crate::explain) fn lines(&self, detail: Detail) -> Vec<(Span, String)> {
        let mut lines = vec![(Span::heading("Next:"), self.sentence())];
        lines.push((Span::heading("Allows:"), self.allows()));
        let catalogs = self.catalogs.iter();
        lines.extend(catalogs.map(|it| (Span::heading("Catalog:"), it.text.clone())));
        if !self.path.is_empty() {
            lines.push((Span::heading("Path:"), self.way().join(" -> ")));
        }
        lines.extend(self.path.iter().filter_map(deprecated));
        if let Some(stop) = self.stop.as_ref().filter(|_| !self.path.is_empty()) {
            let text = format!("{} - {}", stop.code, stop.message);
            lines.push((Span::error("Then stops:"), text));
        }
        let updates = self.crds.unsafe_updates.iter();
        let changes = updates.flat_map(|update| {
            let lines = update.lines().into_iter();
            lines.map(|line| format!("{}: {line}", update.bundle))
        });
        lines.extend(changes.map(|it| (Span::warning("CRD:"), it)));
        let uses = self.crd_uses.iter();
        lines.extend(uses.map(|it| (Span::warning("Affected:"), it.line())));
        let missing = self.missing_permissions.iter();
        lines.extend(missing.map(|it| (Span::warning("Permission missing:"), it.clone())));
        let images = self.new_images.iter();
        lines.extend(images.map(|it| (Span::heading("New image:"), cite(it))));
        lines.extend(self.policies.iter().map(governed));
        let pin = self.pin.iter();
        lines.extend(pin.map(|it| (Span::heading("Hold:"), it.line())));
        self.list_newer(&mut lines, detail);
        let unknown = self.unknown.iter();
        lines.extend(unknown.map(|it| (Span::warning("Unknown:"), it.clone())));
        lines
    }

    /// Adds the newer bundles that OLM v1 will not install, with the reasons. Omits bundles without
    /// a reason, because the error that stops OLM v1 already explains them.
    fn list_newer(&self, lines: &mut Vec<(Span, String)>, detail: Detail) {
        let newer: Vec<&Newer> = self
            .newer
            .iter()
            .filter(|it| !it.reasons.is_empty())
            .collect();
        let shown = match detail {
            // If only one bundle were omitted, the line about the omission would need the same
            // space.
            Detail::Usual if newer.len() > EXPLAINED + 1 => EXPLAINED,
            Detail::Usual | Detail::Whole => newer.len(),
        };
        let (shown, omitted) = newer.split_at(shown);
        lines.extend(shown.iter().map(|it| {
            let text = format!("{} - {}", it.bundle, it.reasons.join("; "));
            (Span::heading("Not reached:"), text)
        }));
        if !omitted.is_empty() {
            let text = format!("... {} more (-o wide shows all)", omitted.len());
            lines.push((Span::heading("Not reached:"), text));
        }
    }

    fn sentence(&self) -> String {
        let stop = self.stop.as_ref();
        let stop = stop.map(|stop| format!("{} - {}", stop.code, stop.message));
        let stop = stop.unwrap_or_default();
        let installed = self.installed.as_deref();
        let (from, next) = (installed.unwrap_or_default(), self.path.first());
        let to = next.map(|it| format!("{} from ClusterCatalog {}", it.bundle, it.catalog));
        let to = to.unwrap_or_default();
        match self.action {
            ExtensionState::Install => format!("OLM v1 installs {to}"),
            ExtensionState::Upgrade => format!("OLM v1 upgrades {from} to {to}"),
            ExtensionState::Downgrade => format!("OLM v1 replaces {from} by the older {to}"),
            ExtensionState::UpToDate => {
                format!("OLM v1 changes nothing: {from} is the newest bundle")
            }
            ExtensionState::Held => {
                format!("OLM v1 changes nothing: no newer bundle than {from} is allowed")
            }
            ExtensionState::Blocked => match installed {
                Some(from) => format!("OLM v1 does not upgrade {from}: {stop}"),
                None => format!("OLM v1 installs nothing: {stop}"),
            },
            ExtensionState::Unknown if stop.is_empty() => "unknown".to_owned(),
            ExtensionState::Unknown => format!("unknown: {stop}"),
        }
    }

    fn allows(&self) -> String {
        let allowed = &self.allowed;
        let versions = match allowed.versions.as_str() {
            "" => "all versions".to_owned(),
            versions => format!("versions \"{versions}\""),
        };
        let channels = match allowed.channels.as_slice() {
            [] => "all channels".to_owned(),
            [one] => format!("channel {one}"),
            several => format!("channels {}", listed(several)),
        };
        let upgrades = if allowed.any_upgrade {
            "any upgrade or downgrade (SelfCertified)"
        } else {
            "only direct upgrades of the catalogs (CatalogProvided)"
        };
        format!("{versions}, {channels}, {upgrades}")
    }

    fn colored(&self) -> Span {
        match self.action {
            ExtensionState::UpToDate => Span::good(self.state),
            ExtensionState::Held => Span::plain(self.state),
            ExtensionState::Install
            | ExtensionState::Upgrade
            | ExtensionState::Downgrade
            | ExtensionState::Unknown => Span::warning(self.state),
            ExtensionState::Blocked => Span::error(self.state),
        }
    }
}

fn governed(decision: &PolicyDecision) -> (Span, String) {
    let label = if decision.is_allowed() {
        Span::heading("Policies allow:")
    } else {
        Span::warning("Policies deny:")
    };
    (label, decision.line())
}

fn deprecated(step: &Step) -> Option<(Span, String)> {
    let message = step.deprecation.as_ref()?;
    Some((
        Span::warning("Deprecated:"),
        format!("{} - {message}", step.bundle),
    ))
}
