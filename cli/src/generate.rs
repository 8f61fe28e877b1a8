//! `portolan generate`: generates Operators from manifests, catalogs and requirements.

mod crds;
mod live;
mod manifest;
mod output;
mod wire;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Parser;
use portolan_core_generate::{
    Autoremove, Diagnostics, Document, Format, Generated, Knowledge, Outcome, Request,
    RequestedOperator, generate,
};
use portolan_core_names::{Version, kubernetes};
use portolan_resolver::bundles::BundleFlags;

use self::live::Live;
use self::output::Output;
use crate::exit::Exit;
use crate::facts::CatalogArgs;
use crate::failure::Failure;
use crate::print;
use crate::requirement::VersionArgs;
use crate::sources::{STDIN, Source, Sources};

/// Generate manifests of Operators with all their dependencies, for a Git repository or kubectl
/// apply.
///
/// NAME is an Operator or a package. Without -f, the output contains the requested operators and
/// their dependencies. With -f, the output contains all Operators, CatalogSources and
/// ClusterCatalogs of the input, including unchanged objects. In an existing Operator, only
/// spec.version and two annotations change.
///
/// Each selected version exists in a catalog, and has an upgrade path from the installed version.
/// The installed version is status.versions.installed, or else spec.version if this field is a
/// single version. If one request cannot be met, nothing is printed.
///
/// With --diff and --changed, the command compares the CRDs of the new versions with the CRDs of
/// the cluster or dump. If these CRDs are unknown, the command uses the CRDs of the installed
/// bundle. The command prints a warning for each CRD change that makes the Operator wait.
///
/// The command prints a warning if OLM (v0 or v1) already manages a package on the cluster or in
/// the dump. In this case, the Operator does nothing while the ClusterServiceVersion or
/// ClusterExtension exists. `adopt` takes over an installation of OLM v0.
///
/// The command applies nothing. `kubectl apply` does not delete objects. If you delete an Operator
/// with --delete, also delete the Operator from the cluster.
#[derive(Debug, Parser)]
#[command(after_help = "\
Exit codes:
  0  the Operators are printed
  1  the Operators are printed, with warnings
  2  errors occurred, and nothing is printed

Examples:
  portolan generate prometheus > prometheus.yaml
  portolan generate prometheus@1.2.3 redis@4.5.6 --catalog demo=./demo
  kubectl get operators.operators.operatorframework.io,catsrc -A -o yaml |
      portolan generate prometheus@latest-patch -f - | kubectl apply -f -
  portolan generate 'redis@>=1.5.0' -f ./cluster --diff
  portolan generate --delete redis prometheus@1.2.4 -f ./cluster
  portolan generate -d manifest.yaml -f ./cluster -o json")]
pub(crate) struct GenerateArgs {
    /// Operator to install or upgrade. The latest version: NAME or NAME@latest. One version:
    /// NAME@1.2.3. The newest version of a range: 'NAME@>=1.2.0 <1.3.0'. NAME@latest-patch keeps
    /// the minor version, and NAME@latest-minor keeps the major version.
    #[arg(value_name = "NAME[@RANGE]")]
    names: Vec<RequestedOperator>,

    /// Same as the argument NAME.
    #[arg(short, long, value_name = "NAME[@RANGE]")]
    add: Vec<RequestedOperator>,

    #[command(flatten)]
    version: VersionArgs,

    /// Remove this operator, and the dependencies that no other operator needs.
    #[arg(long, value_name = "NAME")]
    delete: Vec<String>,

    /// List dependencies that no operator needs. With --yes, remove these dependencies.
    #[arg(long)]
    autoremove: bool,

    /// Remove the dependencies that --autoremove lists.
    #[arg(long, requires = "autoremove")]
    yes: bool,

    /// Current configuration: files and folders of manifests in YAML or JSON. Use - for standard
    /// input. Subfolders are read only with -R.
    #[arg(short, long, value_name = "FILE|DIR|-")]
    filename: Vec<PathBuf>,

    /// Also read subfolders.
    #[arg(short = 'R', long, requires = "filename")]
    recursive: bool,

    /// Manifest that lists all required operators in operators.install, with name and version. All
    /// other operators are removed, except dependencies. The manifest may be in a ConfigMap. Use -
    /// for standard input.
    #[arg(short, long, value_name = "FILE|-")]
    destination: Option<PathBuf>,

    /// Kubernetes version of the target cluster. Operator versions that require a newer Kubernetes
    /// version are skipped. Default: the version of the cluster or dump.
    #[arg(long, value_name = "VERSION", value_parser = kubernetes)]
    kubernetes: Option<Version>,

    /// Output format. Default: the format of the input, or JSON if the input has both formats.
    #[arg(short, long, value_name = "FORM")]
    output: Option<Output>,

    /// Print the changes instead of the Operators. The changes include CRD changes that make an
    /// Operator wait, and how to accept these CRD changes.
    #[arg(long)]
    diff: bool,

    /// Print only the Operators that change, for kubectl apply --server-side. For an existing
    /// Operator, only the name and spec.version are printed. If no Operator changes, the output is
    /// empty.
    #[arg(long, conflicts_with_all = ["diff", "delete"])]
    changed: bool,

    /// Exit with 0 even if there are warnings.
    #[arg(long)]
    allow_warnings: bool,

    #[command(flatten, next_help_heading = "Bundles")]
    bundles: BundleFlags,

    #[command(flatten)]
    facts: CatalogArgs,
}

// === impl GenerateArgs ===

impl GenerateArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let ran = self.generated().await;
        // All errors of this command have the same exit code.
        let (generated, existing) = ran.map_err(Failure::into_bad_input)?;
        print_diagnostics(&generated.diagnostics);
        if !generated.diagnostics.errors.is_empty() {
            return Ok(Exit::BadInput);
        }
        crds::print_unsafe_updates(&generated.changes, self.diff);
        let text = if self.diff {
            output::changes(&generated, self.output)
        } else if self.changed {
            output::render_changed(&generated, &existing, self.output)
        } else {
            output::objects(&generated, self.output)
        };
        let text = text.map_err(Failure::into_bad_input)?;
        print::text(&text).map_err(Failure::into_bad_input)?;
        Ok(Exit::no_if(print::has_warned() && !self.allow_warnings))
    }

    /// Generates the Operators. Also returns the names of the Operators in the input.
    async fn generated(&self) -> Result<(Generated, BTreeSet<String>), Failure> {
        self.refuse_nonsense()?;
        let mut request = self.request()?;
        let documents = request.documents.iter().flatten();
        let existing = documents.filter_map(|it| output::operator(&it.object));
        let existing = existing.map(str::to_owned).collect();
        // Reads catalogs only if the request cannot be answered without them.
        if let Outcome::Done(generated) = generate(&request, &Knowledge::default()) {
            return Ok((*generated, existing));
        }
        let mut resolver = if self.is_preview() {
            self.facts.connect_with_bundles(&self.bundles).await?
        } else {
            self.facts.connect().await?
        };
        let Live {
            world,
            operators,
            owners,
            kubernetes,
        } = Live::of(&self.facts).await;
        request.live = operators.filter(|_| request.documents.is_some());
        request.owners = owners;
        request.kubernetes = request.kubernetes.or(kubernetes);
        let question = wire::encode(&request);
        let answer = resolver
            .ask(async |client| client.generate(question).await)
            .await?;
        let mut generated = wire::decode(answer)?;
        if self.is_preview() {
            crds::compare(&mut generated, &mut resolver, world.as_ref()).await;
        }
        Ok((generated, existing))
    }

    /// Returns true if the user only previews the changes, and does not store the output.
    fn is_preview(&self) -> bool {
        self.diff || self.changed
    }

    /// Returns an error for flags that cannot be combined.
    fn refuse_nonsense(&self) -> Result<(), Failure> {
        if self.output == Some(Output::Table) && !self.diff {
            return Err(output::no_table());
        }
        let readers = self.filename.iter().chain(&self.destination);
        if readers.filter(|path| *path == Path::new(STDIN)).count() > 1 {
            return Err(Failure::usage(
                "standard input (-) is given twice, but can be read only once; use a file instead of one -",
            ));
        }
        Ok(())
    }

    fn request(&self) -> Result<Request, Failure> {
        let mut requested: Vec<_> = self.names.iter().chain(&self.add).cloned().collect();
        self.version
            .add_to(requested.iter_mut().map(|it| &mut it.target))?;
        let (documents, unread) = self.configuration()?;
        let manifest = match &self.destination {
            Some(path) => Some(manifest::read(path)?),
            None => None,
        };
        Ok(Request {
            documents,
            unread,
            manifest,
            wishes: requested,
            deletes: self.delete.clone(),
            autoremove: match (self.autoremove, self.yes) {
                (false, _) => Autoremove::No,
                (true, false) => Autoremove::Tell,
                (true, true) => Autoremove::Remove,
            },
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kubernetes: self.kubernetes.clone(),
            live: None,
            owners: Vec::new(),
        })
    }

    /// Returns the documents of the input, if there is an input, and the errors in the input.
    fn configuration(&self) -> Result<(Option<Vec<Document>>, Vec<String>), Failure> {
        if self.filename.is_empty() {
            return Ok((None, Vec::new()));
        }
        let Sources {
            all,
            faults: mut unread,
            is_silent,
        } = Sources::read(&self.filename, self.recursive)?;
        if is_silent {
            let why =
                "standard input is empty; check that the previous command of the pipe succeeds";
            unread.push(why.to_owned());
        }
        Ok((Some(all.into_iter().map(document).collect()), unread))
    }
}

/// Parses a version of Kubernetes, as users write it or as clusters report it.
fn kubernetes(text: &str) -> Result<Version, String> {
    let version = kubernetes::release(text);
    version.ok_or_else(|| "invalid Kubernetes version; use a form such as 1.34.1".to_owned())
}

fn print_diagnostics(diagnostics: &Diagnostics) {
    let Diagnostics {
        errors,
        warnings,
        notes,
    } = diagnostics;
    warnings
        .iter()
        .for_each(|warning| print::tree(print::warn, warning));
    errors
        .iter()
        .for_each(|error| print::tree(print::error, error));
    if errors.is_empty() {
        notes.iter().for_each(|note| print::note(note));
    }
}

fn document(source: Source) -> Document {
    Document {
        place: source.place.to_string(),
        object: source.manifest,
        format: if source.is_json {
            Format::Json
        } else {
            Format::Yaml
        },
    }
}
