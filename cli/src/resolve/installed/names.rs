//! Names of bundles, a line each.

use portolan_core_names::BundleName;
use portolan_proto::resolver::v1::InstalledOperator;

use super::{NotInstalled, is_skipped};

/// What `kubectl` calls the resource, in full or in short.
const RESOURCES: [&str; 4] = [
    "clusterserviceversion.operators.coreos.com",
    "clusterserviceversions.operators.coreos.com",
    "clusterserviceversion",
    "csv",
];

/// Reads `clusterserviceversion.operators.coreos.com/quay.v3.9.2`, or the name alone.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<InstalledOperator>, NotInstalled> {
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
        Some((resource, _)) => return Err(format!("{resource:?} is no ClusterServiceVersion")),
        None => line,
    };
    if name.contains(char::is_whitespace) {
        return Err(format!("{line:?} is more than a name"));
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

    use super::super::parse;

    fn told(text: &str) -> Vec<String> {
        match parse("names", text.as_bytes()) {
            Ok(operators) => operators
                .into_iter()
                .map(|operator| operator.name)
                .collect(),
            Err(refusal) => vec![refusal.to_string()],
        }
    }

    #[test]
    fn names_are_read_as_kubectl_prints_them_or_bare() {
        let text = "# of the harbor\n\
                    clusterserviceversion.operators.coreos.com/quay.v3.9.2\n\n  \
                    csv/rope.v1.0.0\nferry.v1.0.0\n";
        assert_eq!(told(text), ["quay.v3.9.2", "rope.v1.0.0", "ferry.v1.0.0"]);
        assert_eq!(told(""), [""; 0]);
    }

    #[rstest]
    #[case::table(
        "NAME          DISPLAY   VERSION   PHASE\n",
        "names:1: \"NAME          DISPLAY   VERSION   PHASE\" is more than a name (--installed); "
    )]
    #[case::other_resource(
        "csv/quay.v3.9.2\nsubscription.operators.coreos.com/quay\n",
        "names:2: \"subscription.operators.coreos.com\" is no ClusterServiceVersion (--installed)"
    )]
    fn what_is_no_name_is_told_with_its_line(#[case] text: &str, #[case] said: &str) {
        let told = told(text).remove(0);
        assert!(told.starts_with(said), "{told}");
        assert!(
            told.ends_with("the names that `kubectl get csv -o name` prints"),
            "{told}"
        );
    }
}
