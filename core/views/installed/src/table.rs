//! Writes Installed objects as rows of a table, which `kubectl get` prints.

use serde::Serialize;

use crate::Installed;

/// The text of an empty cell.
const NOTHING: &str = "<none>";

/// The definition of a table column, as in `meta.k8s.io/v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Column {
    /// The name of the column, which kubectl prints in capitals.
    pub name: &'static str,
    /// The type of the cells.
    pub r#type: &'static str,
    /// The format of the cells. It is `name` for the column with the name of the object.
    pub format: &'static str,
    /// The description of the column.
    pub description: &'static str,
    /// The priority. kubectl prints columns with priority 0 by default, and other columns only with
    /// `-o wide`.
    pub priority: u8,
}

/// The columns of the table.
pub const COLUMNS: [Column; 9] = [
    Column {
        format: "name",
        ..column("Name", "The name of the ClusterServiceVersion")
    },
    column(
        "Installation_Namespace",
        "The namespace that the operator is installed in",
    ),
    column("Channel", "The channel that its Subscription follows"),
    column("Current_Version", "The version of the operator"),
    column(
        "Target_Version",
        "The version that the Subscription upgrades to, or the name of its bundle",
    ),
    column("Phase", "The phase of the ClusterServiceVersion"),
    wide("Package", "The package of its Subscription"),
    wide("Subscription", "The name of its Subscription"),
    wide("Message", "A message about the phase"),
];

/// The number of columns with priority 0. These columns come first.
pub const NARROW: usize = 6;

const fn column(name: &'static str, description: &'static str) -> Column {
    Column {
        name,
        r#type: "string",
        format: "",
        description,
        priority: 0,
    }
}

const fn wide(name: &'static str, description: &'static str) -> Column {
    Column {
        priority: 1,
        ..column(name, description)
    }
}

// === impl Installed ===

impl Installed {
    /// Returns the cells of the row, one for each of the [`COLUMNS`].
    pub fn cells(&self) -> [&str; COLUMNS.len()] {
        let operator = &self.operator;
        let subscription = operator.subscription.as_deref();
        let channel = subscription.map_or("", |it| &it.channel);
        let cells = [
            &*self.name,
            &operator.key().namespace,
            channel,
            &operator.csv.version,
            &operator.target,
            &operator.csv.phase,
            &operator.package,
            subscription.map_or("", |it| &it.key.name),
            &operator.csv.message,
        ];
        cells.map(|cell| if cell.is_empty() { NOTHING } else { cell })
    }
}
