//! The preview of a change to Operators.

use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use jiff::Timestamp;
use portolan_api::operator::{CATALOG_NAMESPACES, Operator};
use portolan_api::policy::SubjectKind;
use portolan_core_console::view::{Preview, Seen, Step, UnsafeUpdate, Unseen};
use portolan_core_console::{Change, Wanted};
use portolan_core_generate::{Manager, PackageOwner};
use portolan_operators::{Acceptance, BundleManifests, CrdComparison, UpgradePath, compared_crds};
use portolan_proto::resolver::v1::generate_response::Change as Changed;
use portolan_proto::resolver::v1::preview_request::Change as Asked;
use portolan_proto::resolver::v1::{
    self as proto, BundleFault, CatalogScope, PreviewRequest, PreviewResponse, RenderBundleResponse,
};
use portolan_world::{View, World as _, read_inventory};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::windows::NextWindows;
use super::{Services, heard};

/// The time limit for all CRD comparisons of a page. After this time, the page is shown without
/// further comparisons.
const COMPARISON_TIMEOUT: Duration = Duration::from_secs(15);
/// The number of Operators whose CRDs one page compares at the same time.
const AT_ONCE: usize = 2;
/// The maximum number of bundles on an upgrade path. The CRDs of a longer path are not compared.
const LONGEST_PATH: usize = 50;
/// The limit for simultaneous comparisons of all visitors. A comparison may use much memory and CPU
/// time.
static COMPARISONS: Semaphore = Semaphore::const_new(4);

impl Services {
    /// Returns the preview of a change. Returns None if the visitor has not entered an operator.
    pub(super) async fn preview(&self, wanted: &Wanted) -> Option<Seen<Preview>> {
        let operator = wanted.operator.trim();
        if operator.is_empty() {
            return None;
        }
        Some(self.previewed(wanted).await)
    }

    async fn previewed(&self, wanted: &Wanted) -> Seen<Preview> {
        let Some(asked) = asked(wanted) else {
            return self.updates_preview(wanted).await;
        };
        let operators = self.all::<Operator>().await?;
        let told = self.outcome(asked, &operators).await?;
        let operators = &operators;
        let rehearsal = self.rehearsed(wanted, &told, operators).await;
        let deadline = Instant::now() + COMPARISON_TIMEOUT;
        let steps = told.changes.into_iter().map(|change| async move {
            let compared = self.compared(&change, operators, deadline).await;
            step(change, compared)
        });
        let windows = self.upgrade_policies().await;
        let mut windows = NextWindows::of_policies(&windows, Timestamp::now());
        let steps: Vec<_> = steps.collect();
        let mut steps: Vec<_> = stream::iter(steps).buffered(AT_ONCE).collect().await;
        for step in &mut steps {
            step.window = windows.of(&(SubjectKind::Operator, String::new(), step.name.clone()));
        }
        Ok(Preview {
            steps,
            errors: told.errors,
            warnings: told.warnings,
            notes: told.notes,
            text: None,
            rehearsal,
        })
    }

    /// Returns the changes to Operators. Returns None if the change is about automatic updates.
    pub(super) async fn changed(&self, wanted: &Wanted) -> Seen<Option<PreviewResponse>> {
        let Some(asked) = asked(wanted) else {
            return Ok(None);
        };
        let operators = self.all::<Operator>().await?;
        self.outcome(asked, &operators).await.map(Some)
    }

    async fn outcome(&self, asked: Asked, operators: &View<Operator>) -> Seen<PreviewResponse> {
        let operators = operators.objects.values();
        let operators = operators.map(|it| serde_json::to_string(&**it));
        let operators = operators.collect::<Result<_, _>>();
        let request = PreviewRequest {
            operators: operators.map_err(|error| Unseen(error.to_string()))?,
            change: Some(asked),
            kubernetes: self.world.kubernetes().await.unwrap_or_default(),
            scope: Some(CatalogScope {
                namespaces: CATALOG_NAMESPACES.split(',').map(str::to_owned).collect(),
            }),
            owners: self.owners().await,
        };
        heard(self.resolver().preview(request).await)
    }

    /// Returns the packages that other systems manage, with the objects that manage them.
    async fn owners(&self) -> Vec<proto::PackageOwner> {
        let inventory = read_inventory(&self.world, "").await;
        let owners = inventory.operators().iter().filter_map(PackageOwner::of);
        owners.map(|owner| encode_owner(&owner)).collect()
    }

    /// Returns the unsafe CRD changes on the upgrade path. The Operator would wait until a user
    /// accepts these changes.
    async fn compared(
        &self,
        change: &Changed,
        operators: &View<Operator>,
        deadline: Instant,
    ) -> CrdComparison {
        if change.version.is_empty() {
            return CrdComparison::default();
        }
        let Some(path) = change.path.clone() else {
            let why = "the resolver is too old to report the bundles; upgrade the resolver";
            return CrdComparison::not_compared(why);
        };
        let length = path.bundles.len();
        if length > LONGEST_PATH {
            return CrdComparison::not_compared(format!(
                "the path has {length} bundles, and at most {LONGEST_PATH} are compared"
            ));
        }
        let mut operators = operators.objects.values();
        let operator = operators.find(|it| it.metadata.name.as_deref() == Some(&change.name));
        let upgrade = UpgradePath {
            installed: Some(path.installed).filter(|it| !it.is_empty()),
            bundles: path.bundles,
            acceptance: operator.map_or_else(Acceptance::default, |it| Acceptance::of(it)),
        };
        let mut bundles = Bundles {
            services: self,
            catalog: path.catalog,
            package: path.package,
        };
        let comparing = async {
            // The time limit includes the wait for comparisons of other pages. The semaphore is
            // never closed, so the result is always a permit.
            let _permit = COMPARISONS.acquire().await;
            compared_crds(&upgrade, Some(&self.world), &mut bundles).await
        };
        let compared = timeout_at(deadline, comparing).await;
        compared.unwrap_or_else(|_| {
            let limit = COMPARISON_TIMEOUT.as_secs();
            CrdComparison::not_compared(format!("the comparison did not finish within {limit} s"))
        })
    }
}

/// Converts the object that manages a package to the message of the resolver API.
pub fn encode_owner(owner: &PackageOwner) -> proto::PackageOwner {
    let manager = match owner.manager {
        Manager::ClusterExtension => proto::package_owner::Manager::ClusterExtension,
        Manager::Olm | Manager::Operator | Manager::Install | Manager::Plan => {
            proto::package_owner::Manager::Olm
        }
    };
    proto::PackageOwner {
        package: owner.package.clone(),
        manager: manager.into(),
        object: owner.object.clone(),
        installed: owner.is_installed,
        remedy: String::new(),
    }
}

/// Reads the manifests of bundles of one package from the resolver.
struct Bundles<'s> {
    services: &'s Services,
    catalog: String,
    package: String,
}

impl BundleManifests for Bundles<'_> {
    async fn manifests(&mut self, bundle: &str) -> Result<Vec<Value>, String> {
        let rendered = self.services.rendered(&self.catalog, &self.package, bundle);
        let rendered = rendered.await.map_err(|Unseen(why)| why)?;
        // Parsing a large bundle takes some time. A blocking thread keeps other pages responsive.
        let parsed = tokio::task::spawn_blocking(move || {
            manifests(&rendered, |fault| fault.message.clone())
        });
        let parsed = parsed.await;
        parsed.unwrap_or_else(|_| Err("the console failed to parse the manifests".to_owned()))
    }
}

/// Returns the manifests of a rendered bundle. If the bundle cannot be installed, returns a message
/// about its first fault.
pub fn manifests(
    rendered: &RenderBundleResponse,
    describe: impl FnOnce(&BundleFault) -> String,
) -> Result<Vec<Value>, String> {
    if rendered.manifests.is_empty() {
        let fault = rendered.faults.first().map(describe);
        return Err(fault.unwrap_or_else(|| "it has no manifests".to_owned()));
    }
    let objects = rendered.manifests.iter();
    let objects = objects.map(|it| serde_json::from_str(&it.object));
    objects
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())
}

/// Returns the change as a request to the resolver. Returns None for automatic updates, because the
/// resolver does not know their configuration.
fn asked(wanted: &Wanted) -> Option<Asked> {
    let (name, version) = (wanted.operator.trim(), wanted.version.trim());
    let requirement = match version {
        "" => name.to_owned(),
        version => format!("{name}@{version}"),
    };
    match wanted.change {
        Change::Add => Some(Asked::Add(requirement)),
        Change::Upgrade => Some(Asked::Upgrade(requirement)),
        Change::Delete => Some(Asked::Delete(name.to_owned())),
        Change::Updates => None,
    }
}

fn step(change: Changed, compared: CrdComparison) -> Step {
    let command = command(&change);
    let Changed {
        name,
        version,
        previous,
        available: between,
        // The resolver reports the replaced range as a warning.
        replaced_range: _,
        path: _,
        owner,
    } = change;
    let CrdComparison {
        unsafe_updates,
        not_compared,
    } = compared;
    let updates = unsafe_updates.into_iter().map(|update| UnsafeUpdate {
        changes: update.lines(),
        remedy: update.remedy(&name),
        bundle: update.bundle,
    });
    Step {
        unsafe_updates: updates.collect(),
        not_compared: not_compared.unwrap_or_default(),
        name,
        version,
        previous,
        between,
        command,
        owner: owner.map_or_else(String::new, |it| it.object),
        window: String::new(),
    }
}

/// Returns the shell command for a change. Empty if a name or version would need quotes in a shell.
fn command(change: &Changed) -> String {
    let (name, version) = (&change.name, &change.version);
    if !is_word(name) || !is_word(version) || name.starts_with('-') || version.starts_with('-') {
        return String::new();
    }
    let is_new = change.previous.is_empty() && !version.is_empty();
    if let Some(owner) = change.owner.as_ref().filter(|_| is_new) {
        // The new Operator would have no effect, so show the command of the remedy instead.
        let remedy = Some(&owner.remedy).filter(|_| is_word(&owner.package));
        return remedy.cloned().unwrap_or_default();
    }
    match (change.previous.is_empty(), version.is_empty()) {
        (_, true) => format!("portolan delete {name}"),
        (true, false) => format!("portolan create {name}@{version}"),
        (false, false) => format!(
            "kubectl patch operators.operators.operatorframework.io/{name} --type=merge \
             -p '{{\"spec\":{{\"version\":\"{version}\"}}}}'"
        ),
    }
}

/// Returns true if the text needs no quotes in a shell.
pub(super) fn is_word(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.all(|it| it.is_ascii_alphanumeric() || b".-+".contains(&it))
}

#[cfg(test)]
mod tests {
    use portolan_kit::TempFolder;
    use portolan_proto::resolver::v1::generate_response::BundlePath;
    use portolan_shell::client;
    use portolan_world::{AnyWorld, Files};
    use rstest::rstest;
    use tonic::service::Routes;

    use super::*;
    use crate::Connections;

    /// Returns the reason why a path of this length is not compared.
    async fn reason(length: usize, deadline: Instant) -> Option<String> {
        let folder = TempFolder::empty();
        let silent = || client::local(Routes::default());
        let connections = Connections {
            resolver: silent(),
            health: silent(),
            approval: silent(),
            diagnosis: silent(),
        };
        let services = Services::new(connections, AnyWorld::Files(Files::at(&folder)));
        let path = BundlePath {
            bundles: vec!["ferry.v1.2.0".to_owned(); length],
            ..BundlePath::default()
        };
        let change = Changed {
            path: Some(path),
            ..change("ferry", "1.1.0", "1.2.0")
        };
        let view = View::default();
        let compared = services.compared(&change, &view, deadline);
        compared.await.not_compared
    }

    #[tokio::test]
    async fn long_path_is_not_compared() {
        let deadline = Instant::now() + COMPARISON_TIMEOUT;
        let why = reason(LONGEST_PATH + 1, deadline).await;
        let expected = "the path has 51 bundles, and at most 50 are compared";
        assert_eq!(why.as_deref(), Some(expected));
    }

    /// A slow bundle must not delay the whole page.
    #[tokio::test]
    async fn comparison_ends_at_the_deadline() {
        let past = Instant::now() - Duration::from_millis(1);
        let why = reason(1, past).await;
        let expected = "the comparison did not finish within 15 s";
        assert_eq!(why.as_deref(), Some(expected));
    }

    #[test]
    fn bundle_without_manifests_has_a_reason() {
        let rendered = RenderBundleResponse::default();
        let why = manifests(&rendered, |fault| fault.message.clone()).expect_err("a reason");
        assert_eq!(why, "it has no manifests");
    }

    fn change(name: &str, previous: &str, version: &str) -> Changed {
        Changed {
            name: name.to_owned(),
            version: version.to_owned(),
            previous: previous.to_owned(),
            ..Changed::default()
        }
    }

    #[rstest]
    #[case::of_olm("ferry", "portolan adopt ferry", "portolan adopt ferry")]
    #[case::of_olm_v1("ferry", "", "")]
    #[case::several_words("ferry; reboot", "portolan adopt ferry; reboot", "")]
    fn command_for_a_managed_package_is_the_remedy(
        #[case] package: &str,
        #[case] remedy: &str,
        #[case] typed: &str,
    ) {
        let owner = proto::PackageOwner {
            package: package.to_owned(),
            remedy: remedy.to_owned(),
            ..proto::PackageOwner::default()
        };
        let owned = Changed {
            owner: Some(owner),
            ..change("ferry", "", "1.2.0")
        };
        assert_eq!(command(&owned), typed);
    }

    #[rstest]
    #[case::new("ferry", "", "1.2.0", "portolan create ferry@1.2.0")]
    #[case::gone("ferry", "1.2.0", "", "portolan delete ferry")]
    #[case::moved(
        "ferry",
        "1.1.0",
        "1.2.0+build.1",
        "kubectl patch operators.operators.operatorframework.io/ferry --type=merge -p \
         '{\"spec\":{\"version\":\"1.2.0+build.1\"}}'"
    )]
    #[case::name_with_several_words("ferry; reboot", "", "1.2.0", "")]
    #[case::version_with_several_words("ferry", "", "1.2.0' || 'x", "")]
    #[case::name_that_looks_like_a_flag("--all", "", "", "")]
    fn command_of_a_change_is_shown_if_its_words_are_valid(
        #[case] name: &str,
        #[case] previous: &str,
        #[case] version: &str,
        #[case] typed: &str,
    ) {
        assert_eq!(command(&change(name, previous, version)), typed);
    }

    #[rstest]
    #[case::the_newest("", "ferry")]
    #[case::a_version("1.2.0", "ferry@1.2.0")]
    #[case::a_range(" >=1.0.0 <2.0.0 ", "ferry@>=1.0.0 <2.0.0")]
    #[case::above(">1.0.0", "ferry@>1.0.0")]
    #[case::below("<2.0.0", "ferry@<2.0.0")]
    fn requested_version_is_parsed_as_on_the_command_line(
        #[case] version: &str,
        #[case] requirement: &str,
    ) {
        let wanted = Wanted {
            change: Change::Upgrade,
            operator: " ferry ".to_owned(),
            version: version.to_owned(),
            channel: String::new(),
        };
        assert_eq!(asked(&wanted), Some(Asked::Upgrade(requirement.to_owned())));
    }
}
