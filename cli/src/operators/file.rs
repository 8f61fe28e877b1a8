//! Reads the installed operators from a file with the output of `kubectl`.

mod manifests;

use std::fs;
use std::io::{self, Read};

use portolan_core_names::BundleName;
use portolan_proto::resolver::v1::InstalledOperator;
use thiserror::Error;

pub(super) use self::manifests::operators;
use crate::failure::Failure;

/// The name of standard input in error messages.
const STDIN: &str = "standard input";

/// The remedy for invalid input.
const WAY_OUT: &str =
    "use the output of `kubectl get csv,sub -o yaml` or `kubectl get csv -o name`";

/// The resource names of ClusterServiceVersions in `kubectl`.
const RESOURCES: [&str; 4] = [
    "clusterserviceversion.operators.coreos.com",
    "clusterserviceversions.operators.coreos.com",
    "clusterserviceversion",
    "csv",
];

/// The reason why a file does not contain a list of operators.
#[derive(Debug, Error)]
#[error("{place}: {why} (--installed); {WAY_OUT}")]
struct NotInstalled {
    /// The file, with the line number of the error if it is known.
    place: String,
    why: String,
}

/// Returns the operators that a file lists. The name `-` selects standard input.
pub(super) fn read(file: &str) -> Result<Vec<InstalledOperator>, Failure> {
    let (name, bytes) = read_bytes(file, "--installed")?;
    parse(name, &bytes)
}

/// Returns the content of the file that a flag specifies. `-` selects standard input. Also returns
/// the name of the file for error messages.
pub(crate) fn read_bytes<'f>(file: &'f str, flag: &str) -> Result<(&'f str, Vec<u8>), Failure> {
    let (name, read) = match file {
        "-" => (STDIN, stdin()),
        file => (file, fs::read(file)),
    };
    match read {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => {
            let act = format!("cannot read {name} ({flag})");
            Err(Failure::refused_to(act, &error))
        }
    }
}

fn stdin() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn parse(file: &str, bytes: &[u8]) -> Result<Vec<InstalledOperator>, Failure> {
    match str::from_utf8(bytes) {
        Ok(text) if !is_manifests(text) => names(file, text).map_err(Failure::refused),
        _ => manifests::parse(file, bytes),
    }
}

/// Returns true if the text is YAML or JSON, and false if it is a list of names. In YAML or JSON,
/// the first line with content contains a colon, or begins a list or a map.
fn is_manifests(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !is_skipped(line));
    first.is_some_and(|line| line.contains(':') || line.starts_with(['{', '[', '-', '%']))
}

/// Returns true for blank lines and comments.
fn is_skipped(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}

/// Reads names such as `clusterserviceversion.operators.coreos.com/quay.v3.9.2`, or `quay.v3.9.2`
/// alone.
fn names(file: &str, text: &str) -> Result<Vec<InstalledOperator>, NotInstalled> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !is_skipped(line));
    let names = lines.map(|(number, line)| {
        name(line).map_err(|why| NotInstalled {
            place: format!("{file}:{number}"),
            why,
        })
    });
    names.collect()
}

fn name(line: &str) -> Result<InstalledOperator, String> {
    let name = match line.split_once('/') {
        Some((resource, name)) if RESOURCES.contains(&resource) => name,
        Some((resource, _)) => return Err(format!("{resource:?} is not a ClusterServiceVersion")),
        None => line,
    };
    if name.contains(char::is_whitespace) {
        return Err(format!(
            "{line:?} contains blanks, but each line must be one name"
        ));
    }
    BundleName::parse(name).map_err(|refusal| refusal.to_string())?;
    Ok(InstalledOperator {
        name: name.to_owned(),
        ..InstalledOperator::default()
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn read_names(text: &str) -> Vec<String> {
        match parse("names", text.as_bytes()) {
            Ok(operators) => operators
                .into_iter()
                .map(|operator| operator.name)
                .collect(),
            Err(refusal) => vec![refusal.message().to_owned()],
        }
    }

    #[test]
    fn reads_names_with_and_without_kind() {
        let text = "# of the harbor\n\
                    clusterserviceversion.operators.coreos.com/quay.v3.9.2\n\n  \
                    csv/rope.v1.0.0\nferry.v1.0.0\n";
        assert_eq!(
            read_names(text),
            ["quay.v3.9.2", "rope.v1.0.0", "ferry.v1.0.0"]
        );
        assert_eq!(read_names(""), [""; 0]);
    }

    #[rstest]
    #[case::table(
        "NAME          DISPLAY   VERSION   PHASE\n",
        "names:1: \"NAME          DISPLAY   VERSION   PHASE\" contains blanks, but each line must be one name (--installed); "
    )]
    #[case::other_resource(
        "csv/quay.v3.9.2\nsubscription.operators.coreos.com/quay\n",
        "names:2: \"subscription.operators.coreos.com\" is not a ClusterServiceVersion (--installed)"
    )]
    fn reports_invalid_names_with_their_line(#[case] text: &str, #[case] expected: &str) {
        let message = read_names(text).remove(0);
        assert!(message.starts_with(expected), "{message}");
        assert!(
            message.ends_with("or `kubectl get csv -o name`"),
            "{message}"
        );
    }
}
