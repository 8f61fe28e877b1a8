//! Measures `portolan diagnose` over a dump of hundreds of operators.
//!
//! Most operators are healthy, some have problems of every kind, and some are in namespaces that
//! OLM cannot resolve. No other tool diagnoses operators, so the only peer is a smaller dump:
//! memory must grow no faster than the dump.

mod dump;
mod report;
mod run;
mod served;
mod troubles;

use std::path::Path;

use self::dump::{Dump, Fleet};
use crate::failure::Failure;
use crate::table::Table;

/// The size that the goal is about.
const FULL: Fleet = Fleet {
    operators: 500,
    namespaces: 200,
    packages: 300,
};

const QUICK: Fleet = Fleet {
    operators: 90,
    namespaces: 36,
    packages: 30,
};

/// The larger dump has this many times as many operators as the smaller dump.
const SHARE: usize = 4;

/// Diagnoses both dumps on one processor. A server also diagnoses the larger dump.
pub(crate) async fn measure(
    portolan: &Path,
    (is_quick, turns): (bool, usize),
    table: &mut Table,
) -> Result<(), Failure> {
    let fleet = if is_quick { QUICK } else { FULL };
    let smaller = Fleet {
        operators: fleet.operators / SHARE,
        namespaces: fleet.namespaces / SHARE,
        ..fleet
    };
    let (dump, small) = (Dump::of(fleet)?, Dump::of(smaller)?);
    let whole = run::median_of(portolan, &dump, turns)?;
    report::whole(fleet, &dump, &whole, table);
    let alone = served::measure(portolan, &dump, turns).await?;
    report::alone(&alone, table);
    let part = run::median_of(portolan, &small, turns)?;
    report::growth((&dump, &whole), (&small, &part), table);
    Ok(())
}
