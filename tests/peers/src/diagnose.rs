//! Measures `portolan diagnose` with a dump of hundreds of operators.
//!
//! Most operators are healthy. Some operators have problems, of every kind. Some operators are in
//! namespaces that OLM cannot resolve. No other tool diagnoses operators, so the measurement
//! compares two dumps of different size. Memory must not grow faster than the size of the dump.

pub(crate) mod dump;
mod report;
pub(crate) mod run;
mod served;
mod troubles;

use std::path::Path;

use self::dump::{Dump, Fleet};
use crate::failure::Failure;
use crate::table::Table;

/// The size of the dump for which the goal is defined.
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

/// The ratio of the numbers of operators in the larger and the smaller dump.
const SHARE: usize = 4;

/// Diagnoses both dumps on one CPU. Also measures a server with the larger dump.
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
