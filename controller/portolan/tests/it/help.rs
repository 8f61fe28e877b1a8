//! What `--help` says, as it is read. After a change of flags: `cargo insta review`.

use rstest::rstest;

use crate::program::{portolan, said};

#[rstest]
#[case::portolan("--help")]
#[case::health("health --help")]
#[case::diagnose("diagnose --help")]
#[case::review("review --help")]
#[case::upgrades("upgrades --help")]
#[case::upgrades_in_short("upgrades -h")]
#[case::path("path --help")]
#[case::resolve("resolve --help")]
#[case::graph("graph --help")]
#[case::packages("packages --help")]
#[case::bundle("bundle --help")]
#[case::catalog("catalog --help")]
#[case::catalog_list("catalog list --help")]
#[case::catalog_check("catalog check --help")]
#[case::dump("dump --help")]
#[case::explain("explain --help")]
#[case::up("up --help")]
#[case::completion("completion --help")]
#[case::resolver("resolver --help")]
#[case::health_server("health-server --help")]
#[case::diagnose_server("diagnose-server --help")]
#[case::approval("approval --help")]
#[case::controller("controller --help")]
#[case::release_finalizers("controller release-finalizers --help")]
fn help(#[case] line: &str) {
    let name = line.replace(" -", "_").replace(['-', ' '], "");
    insta::assert_snapshot!(name, said(&mut portolan(line)));
}

#[test]
fn help_reads_nothing_from_the_environment() {
    let mut asked = portolan("resolver --help");
    asked.env("PORTOLAN_LISTEN", "nonsense");
    assert!(said(&mut asked).ends_with("[exit 0]"));
}
