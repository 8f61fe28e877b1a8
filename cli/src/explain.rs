//! `portolan explain`: shows the changes that policies and Operators would cause, without making
//! the changes. Also shows the next changes of OLM v1.

pub(crate) mod answer;
pub(crate) mod extensions;
mod junit;
mod markdown;
pub(crate) mod operators;
pub(crate) mod proposals;
mod subscriptions;
pub(crate) mod table;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Parser;
use portolan_controller::{OperatorRehearsal, Rehearsed, Terms};
use portolan_world::Key;

use self::answer::{Explained, Explanation, Removal};
use self::operators::ExplainedOperator;
use self::proposals::Proposals;
use crate::exit::{self, Exit};
use crate::facts::{
    LocalServices, OperatorArgs, PolicyArgs, UpgradeTermArgs, decide_operators, decide_policies,
};
use crate::failure::Failure;
use crate::named::{self, Kind, Named};
use crate::print::{self, Detail, Format, Page, Render, names, words};
use crate::scope::NamespaceArgs;

/// The formats of an explanation.
const FORMATS: [(Format, &str); 7] = [
    (
        Format::Table,
        "One row for each object, and details of what would change",
    ),
    (Format::Wide, "Like table, with all conditions"),
    (
        Format::Json,
        "One object with the lists `policies`, `operators`, `extensions` and `subscriptions`, for programs",
    ),
    (Format::Yaml, "Like json, but in YAML format"),
    (Format::Name, "Only the names"),
    (
        Format::Markdown,
        "Markdown, for pull requests and web pages",
    ),
    (
        Format::Junit,
        "JUnit XML with one test case for each object, for test reports",
    ),
];

/// Show what policies and Operators would change, without changing anything.
///
/// Shows the status that the controller would write for each policy, and the next changes as diffs.
/// The command runs the code of the controller, but does not write. If a change depends on an
/// earlier change, the command shows only the earlier change. Make this change, and run the command
/// again to see the next one.
///
/// Each FILE contains policies and Operators to apply, as for `kubectl apply -f`. Objects that
/// already exist keep their status. NAME is an existing policy, and operator/NAME is an existing
/// Operator of operators.operatorframework.io. Without arguments the command explains all policies,
/// Operators and ClusterExtensions. -n selects the policies of one namespace.
///
/// With extension/NAME, the command predicts what OLM v1 does for an existing ClusterExtension. The
/// command shows the next bundle, the catalogs, the path to the newest allowed version, and what
/// blocks an upgrade. As OLM v1 does, the command also reports incompatible CRD changes, and
/// objects that another program owns.
///
/// With sub/NAME, the command shows whether a Subscription of OLM v0 could become a
/// ClusterExtension of OLM v1, and which rules of OLM v1 prevent this. -n selects the namespace of
/// the Subscription.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  every policy is compliant, every Operator is up to date, and nothing would change",
        "1  a policy is not compliant, an Operator is not up to date, an object would change, the \
         controller would not write, or OLM v1 reports an error";
        "portolan explain",
        "portolan explain ferry -o wide",
        "portolan explain operator/crane",
        "portolan explain extension/harbor",
        "portolan explain sub/ferry -n harbor",
        "portolan explain -f operators.yaml --world dump",
        "portolan explain policies/*.yaml --world dump --catalog olm/ships=./ships",
        "kustomize build overlays/production | portolan explain - --context production",
        "portolan explain --at 2026-12-24T12:00:00Z",
        "portolan explain policies -o markdown > comment.md",
        "portolan explain --delete policies/ferry"
    )
)]
pub(crate) struct ExplainArgs {
    /// Files or folders of policies and Operators to apply. Use - for standard input. An argument
    /// that is not a file is an existing policy (NAME, NAMESPACE/NAME or operatorpolicy/NAME),
    /// Operator (operator/NAME), ClusterExtension (extension/NAME) or Subscription (sub/NAME).
    #[arg(value_name = "FILE|[NAMESPACE/]NAME")]
    policies: Vec<PathBuf>,

    /// File or folder of policies and Operators to apply, as for `kubectl apply -f`. Use - for
    /// standard input. Can be given more than once.
    #[arg(
        short = 'f',
        long = "filename",
        value_name = "FILE|-",
        conflicts_with = "delete"
    )]
    files: Vec<PathBuf>,

    /// Show what deleting this policy would remove, instead of the next changes.
    #[arg(long, value_name = "[NAMESPACE/]NAME", conflicts_with = "policies")]
    delete: Option<String>,

    #[command(flatten)]
    whose: NamespaceArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = Format::among(FORMATS))]
    output: Format,

    /// Show the changes that a controller with --take-over would make, even if another controller
    /// writes the statuses of policies.
    #[arg(long)]
    take_over: bool,

    /// Namespace for operators whose policy and bundle do not specify a namespace.
    #[arg(long, value_name = "NAME")]
    default_namespace: Option<String>,

    /// Rejected: no server answers this query.
    #[arg(long, value_name = "URL", hide = true)]
    server: Option<String>,

    #[command(flatten)]
    upgrades: UpgradeTermArgs,

    #[command(flatten)]
    operators: OperatorArgs,

    #[command(flatten)]
    facts: PolicyArgs,
}

// === impl ExplainArgs ===

impl ExplainArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (namespace, output) = (self.whose.namespace, self.output);
        let (mut files, names) = split_files_and_names(self.policies);
        files.extend(self.files);
        let is_all = files.is_empty() && names.is_empty();
        let (mut operators, names) = split_kind_and_names(Kind::Operator, names)?;
        let (extensions, names) = split_kind_and_names(Kind::Extension, names)?;
        if let Some(url) = &self.server {
            return Err(Failure::usage(no_server(url, !extensions.is_empty())));
        }
        let (subscriptions, names) = split_kind_and_names(Kind::Subscription, names)?;
        let proposals = Proposals::read(&files, &namespace).await?;
        operators.extend(proposals.names_of_operators);
        let are_policies_meant = is_all || !proposals.keys.is_empty() || !names.is_empty();
        let terms = Terms {
            takes_over: self.take_over,
            default_namespace: self.default_namespace,
            only_namespace: Some(namespace.clone()).filter(|name| !name.is_empty()),
        };
        let services = self
            .facts
            .open(
                proposals.policies,
                proposals.operators,
                self.upgrades.options(),
            )
            .await?;
        let mut all = if are_policies_meant {
            self.facts.settle(&services).await?;
            decide_policies(&mut services.rehearse(&terms)).await?
        } else {
            self.facts.settle_without_policies(&services).await?;
            Vec::new()
        };
        if let Some(name) = self.delete {
            let policy = one(&all, &namespace, &name)?;
            let unread = services.unread().await;
            let doubts = unread.iter().chain(&policy.unknown);
            doubts.for_each(|what| print::warn(what));
            let exit = removal(policy, output)?;
            return Ok(if unread.is_empty() {
                exit
            } else {
                Exit::Unknown
            });
        }
        let mut meant = proposals.keys;
        for name in &names {
            meant.insert(key(one(&all, &namespace, name)?));
        }
        all.retain(|each| is_meant(each, &namespace, &meant));
        let mut answer = answer(&services, all).await;
        // Operators and ClusterExtensions are in no namespace.
        let is_whole_cluster = is_all && namespace.is_empty();
        if !extensions.is_empty() || is_whole_cluster {
            let bundles = self.operators.bundles(&self.facts)?;
            let resolver = services.resolver_connection(bundles);
            let terms = extensions::PolicyTerms {
                at: self.upgrades.time(),
                terms: self.upgrades.terms(),
            };
            let services = (&services, terms);
            if is_whole_cluster {
                extensions::explain_all(services, resolver, &mut answer).await;
            } else {
                answer.extensions = extensions::explain(&extensions, services, resolver).await?;
            }
            if !are_policies_meant && operators.is_empty() {
                // Only ClusterExtensions are explained. Their prediction does not depend on the
                // unknown kinds.
                answer.unknown.clear();
            }
        }
        if !subscriptions.is_empty() {
            answer.subscriptions =
                subscriptions::explain(&subscriptions, &namespace, &services).await?;
            if !are_policies_meant && operators.is_empty() {
                answer.unknown.clear();
            }
        }
        if !operators.is_empty() || is_whole_cluster {
            let mut rehearsal = self.operators.rehearse(&self.facts, &services)?;
            let all = explain_operators(&mut rehearsal, &mut answer).await?;
            answer.operators = if is_all {
                all
            } else {
                operators::chosen(all, &operators)?
            };
        }
        answer.doubts().for_each(|what| print::warn(what));
        if answer.is_empty() {
            return Err(Failure::usage(format!(
                "no OperatorPolicy found{}{}",
                words::within(&namespace),
                match &*namespace {
                    "" => "",
                    _ => "; -n must be the namespace of the policies, not of the operators",
                }
            )));
        }
        output.show(&answer)
    }
}

/// Returns the reason why a server cannot answer.
fn no_server(url: &str, is_about_extensions: bool) -> String {
    let why = if is_about_extensions {
        "a server does not know the CRDs, custom resources and permissions that a prediction of \
         OLM v1 needs"
    } else {
        "a server cannot evaluate policies that are not applied yet"
    };
    format!("--server {url}: {why}; use --context or --world instead")
}

/// Splits names into those of a kind, without the kind, and others.
fn split_kind_and_names(
    kind: Kind,
    words: Vec<String>,
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let (mut names, mut others) = (Vec::new(), Vec::new());
    for word in words {
        let named = word.parse::<Named>().map_err(Failure::refused)?;
        if named.kind == Some(kind) {
            names.push(named.name);
        } else {
            others.push(word);
        }
    }
    Ok((names, others))
}

/// Separates files from policy names. An argument that looks like a path is a file, so that a typo
/// in a path is reported as a missing file.
fn split_files_and_names(words: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<String>) {
    let mut names = Vec::new();
    let mut files = Vec::new();
    for word in words {
        match word.to_str() {
            Some(name) if reads_like_a_name(name) && !word.exists() => names.push(name.to_owned()),
            _ => files.push(word),
        }
    }
    (files, names)
}

fn reads_like_a_name(word: &str) -> bool {
    let is_part = |part: &str| {
        let is_of_names =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        part.starts_with(|c: char| c.is_ascii_alphanumeric()) && part.chars().all(is_of_names)
    };
    let (namespace, name) = word.split_once('/').unwrap_or(("default", word));
    let ends_as_files_do = [".yaml", ".yml", ".json"]
        .iter()
        .any(|end| word.ends_with(end));
    is_part(namespace) && is_part(name) && !ends_as_files_do
}

fn key(policy: &Rehearsed) -> Key {
    Key::new(&policy.namespace, &policy.name)
}

fn is_meant(policy: &Rehearsed, namespace: &str, meant: &BTreeSet<Key>) -> bool {
    let is_there = namespace.is_empty() || policy.namespace == namespace;
    is_there && (meant.is_empty() || meant.contains(&key(policy)))
}

/// Returns the explanation of policies. Reads the current state of each object that would change.
pub(crate) async fn answer(services: &LocalServices, all: Vec<Rehearsed>) -> Explanation {
    let changes = all.iter().flat_map(|policy| &policy.changes);
    let objects: BTreeSet<_> = changes.filter_map(|change| change.object.clone()).collect();
    let before = services.read_objects(objects.into_iter().collect()).await;
    let policies = all.into_iter().map(|policy| Explained::of(policy, &before));
    Explanation {
        policies: policies.collect(),
        operators: Vec::new(),
        extensions: Vec::new(),
        subscriptions: Vec::new(),
        unknown: services.left_out().await,
        unread: services.unread().await,
    }
}

/// Returns the explanations of Operators. Returns an error if the Operators cannot be read.
pub(crate) async fn explain_operators(
    rehearsal: &mut OperatorRehearsal,
    answer: &mut Explanation,
) -> Result<Vec<ExplainedOperator>, Failure> {
    let all = decide_operators(rehearsal).await?;
    answer.unknown.extend(rehearsal.unseen());
    Ok(all.into_iter().map(ExplainedOperator::of).collect())
}

impl Render for Explanation {
    fn page(&self, detail: Detail) -> Page {
        table::whole(self, detail)
    }

    fn names(&self) -> Option<Vec<String>> {
        let policies = self.policies.iter();
        let policies = policies.map(|each| names::of_kind("OperatorPolicy", &each.name));
        let kind = format!("operator.{}", portolan_api::operator::GROUP);
        let operators = self.operators.iter();
        let operators = operators.map(|each| names::of_kind(&kind, &each.name));
        let kind = "ClusterExtension.olm.operatorframework.io";
        let extensions = self.extensions.iter();
        let extensions = extensions.map(|each| names::of_kind(kind, &each.name));
        let kind = "Subscription.operators.coreos.com";
        let subscriptions = self.subscriptions.iter();
        let subscriptions = subscriptions.map(|each| names::of_kind(kind, &each.name));
        let all = policies.chain(operators).chain(extensions);
        Some(all.chain(subscriptions).collect())
    }

    fn text(&self, format: Format) -> Result<String, Failure> {
        match format {
            Format::Markdown => Ok(markdown::render(self)),
            Format::Junit => Ok(junit::render(self)),
            other => Err(other.unsupported()),
        }
    }

    fn exit(&self) -> Exit {
        self.exit_code()
    }
}

impl Render for Removal<'_> {
    fn page(&self, _: Detail) -> Page {
        table::removal(self.policy, self.preview)
    }

    fn text(&self, _: Format) -> Result<String, Failure> {
        Ok(markdown::removal(self.policy, self.preview))
    }

    fn exit(&self) -> Exit {
        let mut objects = self.preview.objects.iter();
        Exit::no_if(objects.any(|told| answer::is_removed(&told.object)))
    }
}

/// Returns the only policy with this name. Returns an error if there is no policy or more than one
/// policy with the name.
fn one<'a>(all: &'a [Rehearsed], namespace: &str, word: &str) -> Result<&'a Rehearsed, Failure> {
    let named = word.parse::<Named>().map_err(Failure::refused)?;
    let named = named.among(&[Kind::Policy])?;
    let namespace = named::namespace(Some(&named), namespace)?;
    let name = named.name;
    let names: Vec<_> = all.iter().map(|each| each.name.clone()).collect();
    let is_it = |each: &Rehearsed| {
        each.name == name && (namespace.is_empty() || each.namespace == namespace)
    };
    let mut found = all.iter().filter(|each| is_it(each));
    match (found.next(), found.next()) {
        (Some(policy), None) => Ok(policy),
        (None, _) => {
            let near = portolan_core_names::nearest(&name, names.iter());
            let near = all.iter().find(|each| Some(&each.name) == near);
            let near = near.map(|each| words::located(&each.namespace, &each.name));
            let near = words::did_you_mean(near);
            let place = match &*namespace {
                "" => "any namespace".to_owned(),
                namespace => format!("namespace {namespace}"),
            };
            Err(Failure::usage(format!(
                "OperatorPolicy {name} not found in {place}{near}"
            )))
        }
        (Some(first), Some(second)) => Err(Failure::usage(format!(
            "OperatorPolicy {name} exists in namespaces {} and {}; select the namespace with -n",
            first.namespace, second.namespace
        ))),
    }
}

fn removal(policy: &Rehearsed, output: Format) -> Result<Exit, Failure> {
    let Some(removal) = &policy.removal else {
        let why = policy.refusals.join("; ");
        let place = format!("{}/{}", policy.namespace, policy.name);
        return Err(Failure::usage(format!("policy {place} is invalid: {why}")));
    };
    if matches!(output, Format::Junit | Format::Name) {
        let why = "--delete does not support -o junit and -o name; use another output format";
        return Err(Failure::usage(why));
    }
    output.show(&Removal::of(policy, removal))
}
