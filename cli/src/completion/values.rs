//! Completes words with values: contexts, namespaces, operators, packages and their bundles.
//!
//! The values come from a cluster, a folder or catalogs. The shell waits for the values, so there
//! is a time limit. Warnings are suppressed, because they would corrupt the incomplete command
//! line.

use std::env;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

use clap::{Arg, Args as _, Command, FromArgMatches as _, ValueHint};
use clap_complete::CompletionCandidate;
use clap_complete::engine::{ArgValueCompleter, PathCompleter, ValueCompleter as _};
use portolan_api::operator::Operator;
use portolan_core_names::requirement::Target;
use portolan_core_olm::Namespace;
use portolan_proto::resolver::v1::{GetPackageRequest, GetPackageResponse};
use portolan_world::World as _;
use tokio::time::timeout;

use super::objects::{self, NamedObjects};
use crate::facts::CatalogArgs;
use crate::leading_options::Split;
use crate::print;

/// The maximum time that the user waits for values after pressing Tab.
const PATIENCE: Duration = Duration::from_secs(2);

/// The kinds of values that can be completed.
#[derive(Debug, Clone, Copy)]
enum Value {
    Context,
    Namespace,
    Package,
    Bundle,
    /// The destination of a path: a bundle or a keyword, such as `latest`.
    Destination,
    /// A channel of the package on the command line.
    Channel,
    /// An object, as NAME, NAMESPACE/NAME or KIND/NAME.
    Object(NamedObjects),
    /// An Operator of Portolan, not of OLM.
    OwnOperator,
    /// A CRD of Portolan.
    Crd,
}

/// The arguments whose values are completed, by the id of the argument. These arguments are the
/// same in all commands.
const OFFERED: [(&str, Value); 12] = [
    ("context", Value::Context),
    ("namespace", Value::Namespace),
    ("watch_namespaces", Value::Namespace),
    ("channels", Value::Channel),
    ("package", Value::Package),
    ("requirements", Value::Package),
    ("names", Value::Package),
    ("name", Value::Package),
    ("from", Value::Bundle),
    ("bundle", Value::Bundle),
    ("to", Value::Destination),
    ("crds", Value::Crd),
];

/// The commands that read catalogs. In other commands, the same argument ids have another meaning.
const OF_CATALOGS: [&str; 9] = [
    "upgrades", "path", "route", "resolve", "generate", "create", "graph", "packages", "show",
];

/// The commands whose positional argument is an Operator of Portolan.
const OF_OWN_OPERATORS: [&str; 2] = ["update", "delete"];

/// The keywords for destinations.
const DESTINATIONS: [&str; 3] = Target::KEYWORDS;

/// The flags that select the source of the values, such as a cluster or a folder.
const FACTS: [&str; 5] = [
    "--catalog",
    "--world",
    "--server",
    "--kubeconfig",
    "--context",
];

/// Adds completers for the values of arguments to a command.
pub(crate) fn with_completers(program: Command) -> Command {
    // Options before the command have the same values for all commands.
    let program = program.mut_args(|arg| match arg.get_id().as_str() {
        "context" => offering(arg, Value::Context),
        "namespace" => offering(arg, Value::Namespace),
        _ => arg,
    });
    program.mut_subcommands(|command| {
        let is_of_catalogs = OF_CATALOGS.contains(&command.get_name());
        let is_of_own_operators = OF_OWN_OPERATORS.contains(&command.get_name());
        let name = command.get_name().to_owned();
        with_completers(command).mut_args(|arg| {
            if let Some(objects) = objects::of_argument(&name, arg.get_id().as_str()) {
                return offering(arg, Value::Object(objects));
            }
            let value = OFFERED.iter().find(|(id, _)| arg.get_id() == id);
            match value {
                Some((
                    _,
                    value @ (Value::Context | Value::Namespace | Value::Channel | Value::Crd),
                )) => offering(arg, *value),
                Some((_, value)) if is_of_catalogs => offering(arg, *value),
                Some(("name", _)) if is_of_own_operators => offering(arg, Value::OwnOperator),
                Some(_) | None => arg,
            }
        })
    })
}

fn offering(arg: Arg, value: Value) -> Arg {
    let takes_paths = arg.get_value_hint() == ValueHint::AnyPath;
    arg.add(ArgValueCompleter::new(move |begun: &OsStr| {
        print::be_silent();
        let line = CommandLine::typed(env::args_os());
        let mut words = line.values(value, &begun.to_string_lossy());
        words.retain(|word| word.starts_with(&*begun.to_string_lossy()));
        let words = words.into_iter().map(CompletionCandidate::new);
        let paths = takes_paths.then(|| PathCompleter::any().complete(begun));
        words.chain(paths.into_iter().flatten()).collect()
    }))
}

/// The words of the incomplete command line.
#[derive(Debug, Default, PartialEq, Eq)]
struct CommandLine {
    /// The flags that select the source of the values, with the values of these flags.
    facts: Vec<String>,
    /// The positional words of the command.
    words: Vec<String>,
}

// === impl CommandLine ===

impl CommandLine {
    /// Parses the words of the command line. A completion script passes the words after `--`.
    /// kubectl passes the words without `--`.
    fn typed(asked: impl Iterator<Item = OsString>) -> Self {
        let asked: Vec<_> = asked.collect();
        let start = asked
            .iter()
            .position(|word| word == "--")
            .map_or(0, |at| at + 1);
        let program = crate::cli::program();
        let asked = Split::of(&program, asked.into_iter().skip(start)).all_moved();
        let words = asked.iter().map(|word| word.to_string_lossy().into_owned());
        let mut words = words.skip(1).peekable();
        let mut command = &program;
        while let Some(below) = words.peek().and_then(|it| command.find_subcommand(it)) {
            command = below;
            words.next();
        }
        let takes_value = |flag: &str| {
            let mut args = command.get_arguments();
            args.any(|arg| is_flag(arg, flag) && arg.get_action().takes_values())
        };
        let mut line = Self::default();
        while let Some(word) = words.next() {
            if !word.starts_with('-') || word == "-" {
                line.words.push(word);
                continue;
            }
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) => (flag.to_owned(), Some(value.to_owned())),
                None if takes_value(&word) => (word, words.next()),
                None => (word, None),
            };
            if FACTS.contains(&flag.as_str()) {
                line.facts
                    .extend(value.map(|value| format!("{flag}={value}")));
            }
        }
        line
    }

    /// Returns the possible values. Returns no values if the time limit is exceeded.
    fn values(&self, value: Value, begun: &str) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else {
            return Vec::new();
        };
        let found = runtime.block_on(async {
            let found = async {
                match value {
                    Value::Context => self.facts().map(|facts| facts.contexts()),
                    Value::Namespace => self.namespaces().await,
                    Value::Package => self.packages().await,
                    Value::Bundle => self.bundles().await,
                    Value::Destination => Some(self.destinations().await),
                    Value::Channel => self.channels().await,
                    Value::OwnOperator => self.own_operators().await,
                    Value::Object(objects) => {
                        let world = self.facts()?.open().await.ok()?;
                        Some(objects.words(&world, begun).await)
                    }
                    Value::Crd => Some(portolan_api::crds().into_keys().collect()),
                }
            };
            timeout(PATIENCE, found).await.ok().flatten()
        });
        // Does not wait for reads that exceeded the time limit.
        runtime.shutdown_background();
        found.unwrap_or_default()
    }

    fn facts(&self) -> Option<CatalogArgs> {
        let command = CatalogArgs::augment_args(Command::new("facts").no_binary_name(true));
        let facts = command.try_get_matches_from(&self.facts).ok()?;
        CatalogArgs::from_arg_matches(&facts).ok()
    }

    async fn packages(&self) -> Option<Vec<String>> {
        let mut resolver = self.facts()?.connect().await.ok()?;
        let answer = resolver.packages("").await.ok()?;
        Some(
            answer
                .packages
                .into_iter()
                .map(|package| package.name)
                .collect(),
        )
    }

    async fn bundles(&self) -> Option<Vec<String>> {
        let bundles = self.package().await?.bundles.into_iter();
        Some(bundles.map(|bundle| bundle.name).collect())
    }

    async fn channels(&self) -> Option<Vec<String>> {
        let channels = self.package().await?.channels.into_iter();
        Some(channels.map(|channel| channel.name).collect())
    }

    /// Returns the package whose name is the first word.
    async fn package(&self) -> Option<GetPackageResponse> {
        let word = self.words.first()?.split(['@', '=']).next()?;
        let request = GetPackageRequest {
            package: word.strip_prefix("package/").unwrap_or(word).to_owned(),
            ..GetPackageRequest::default()
        };
        let facts = self.facts()?;
        facts.query(&[], request).await.ok()
    }

    async fn destinations(&self) -> Vec<String> {
        let words = DESTINATIONS.iter().map(|word| (*word).to_owned());
        let bundles = self.bundles().await.unwrap_or_default();
        words.chain(bundles).collect()
    }

    async fn own_operators(&self) -> Option<Vec<String>> {
        let world = self.facts()?.open().await.ok()?;
        let mut operators = world.objects::<Operator>();
        let view = operators.known().await.ok()?;
        let names = view.objects.keys().map(|key| key.name.to_string());
        Some(names.collect())
    }

    async fn namespaces(&self) -> Option<Vec<String>> {
        let world = self.facts()?.open().await.ok()?;
        let mut namespaces = world.objects::<Namespace>();
        let view = namespaces.known().await.ok()?;
        Some(
            view.objects
                .keys()
                .map(|key| key.name.to_string())
                .collect(),
        )
    }
}

fn is_flag(arg: &Arg, flag: &str) -> bool {
    let long = flag.strip_prefix("--");
    let short = flag.strip_prefix('-').filter(|short| short.len() == 1);
    (long.is_some() && arg.get_long() == long)
        || (short.is_some() && arg.get_short().map(String::from).as_deref() == short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separates_positional_arguments_from_flags() {
        let line = "portolan -- portolan path --world=w -n harbor ferry --catalog a=b -A --from f";
        let line_with_leading_options = "portolan -- portolan -n harbor --context=k path ferry";
        let typed = CommandLine::typed(line_with_leading_options.split(' ').map(OsString::from));
        assert_eq!(
            (typed.facts, typed.words),
            (vec!["--context=k".to_owned()], vec!["ferry".to_owned()])
        );
        let typed = CommandLine::typed(line.split(' ').map(OsString::from));
        let expected = CommandLine {
            facts: vec!["--world=w".to_owned(), "--catalog=a=b".to_owned()],
            words: vec!["ferry".to_owned()],
        };
        assert_eq!(typed, expected);
    }
}
