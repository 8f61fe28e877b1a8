//! The filter and the order of a list.

use super::{FirstRow, Unknown};
use crate::markup::Href;
use crate::view::{Origin, State};

/// The filter and the order of a list. Only the list of operators uses all fields. Other lists use
/// only the search words and the state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The search words. A row must contain each word. Empty for all rows.
    pub text: String,
    /// The state of the selected rows. None for all states.
    pub state: Option<State>,
    /// The namespace of the selected rows. Empty for all namespaces.
    pub namespace: String,
    /// The catalog of the selected rows. Empty for all catalogs.
    pub catalog: String,
    /// The system that installs the operators, such as OLM v0. None for all systems.
    pub manager: Option<Origin>,
    /// The order of the rows.
    pub sort: Sort,
    /// The first row of the page, among the rows that match.
    pub first: FirstRow,
}

/// The order of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sort {
    /// The column that determines the order.
    pub column: Column,
    /// True if the order is descending.
    pub is_descending: bool,
}

/// A column by which the list of operators can be sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Column {
    /// The state, the worst first.
    #[default]
    State,
    /// The name of the operator.
    Operator,
    /// The namespace.
    Namespace,
    /// The package.
    Package,
    /// The system that installs the operator.
    Manager,
    /// The installed version.
    Installed,
}

/// Removes a parameter from the query and returns its value.
pub(super) type Take<'a> = dyn FnMut(&str) -> Option<String> + 'a;

// === impl Filter ===

impl Filter {
    /// The filter that matches every row.
    pub const NONE: Self = Self {
        text: String::new(),
        state: None,
        namespace: String::new(),
        catalog: String::new(),
        manager: None,
        sort: Sort {
            column: Column::State,
            is_descending: false,
        },
        first: FirstRow::TOP,
    };

    /// Returns the filter for the page that begins at another row.
    #[must_use]
    pub(crate) fn beginning_at(&self, first: FirstRow) -> Self {
        Self {
            first,
            ..self.clone()
        }
    }

    /// Returns a filter for a state.
    pub(crate) fn of(state: State) -> Self {
        Self {
            state: Some(state),
            ..Self::NONE
        }
    }

    /// Parses the parameters that all lists have: the search words and the state.
    pub(super) fn parse(take: &mut Take<'_>) -> Result<Self, Unknown> {
        Ok(Self {
            text: take("q").unwrap_or_default(),
            state: chosen(take, "state", &State::ALL, State::as_str)?,
            first: FirstRow::parse(take)?,
            ..Self::NONE
        })
    }

    /// Parses the parameters of the list of operators, including the order.
    pub(super) fn of_operators(take: &mut Take<'_>) -> Result<Self, Unknown> {
        Ok(Self {
            namespace: take("namespace").unwrap_or_default(),
            catalog: take("catalog").unwrap_or_default(),
            manager: chosen(take, "manager", &Origin::ALL, Origin::word)?,
            sort: chosen(take, "sort", &Sort::ALL, Sort::as_str)?.unwrap_or_default(),
            ..Self::parse(take)?
        })
    }

    /// Returns the link to the list at `path` with this filter.
    pub(super) fn link(&self, path: &'static str) -> Href {
        let Self {
            text,
            state,
            namespace,
            catalog,
            manager,
            sort,
            first,
        } = self;
        let sort = if *sort == Sort::default() {
            ""
        } else {
            sort.as_str()
        };
        let place = Href::to(path)
            .with_some("q", text)
            .with_some("state", state.map_or("", State::as_str))
            .with_some("namespace", namespace)
            .with_some("catalog", catalog)
            .with_some("manager", manager.map_or("", Origin::word))
            .with_some("sort", sort);
        first.add_to(place)
    }

    /// Returns true if a row has the selected state, and each search word occurs in one of its
    /// texts. The search ignores the case.
    pub(crate) fn matches(&self, state: State, texts: &[&str]) -> bool {
        let mut words = self.text.split_whitespace().map(str::to_lowercase);
        let has = |word: &str| texts.iter().any(|it| it.to_lowercase().contains(word));
        self.state.is_none_or(|it| it == state) && words.all(|word| has(&word))
    }
}

/// Takes a parameter whose value must be one of a fixed set. Returns None if the parameter is
/// missing or empty.
pub(super) fn chosen<T: Copy>(
    take: &mut Take<'_>,
    name: &str,
    all: &[T],
    word: impl Fn(T) -> &'static str,
) -> Result<Option<T>, Unknown> {
    let Some(given) = take(name).filter(|given| !given.is_empty()) else {
        return Ok(None);
    };
    let found = all.iter().copied().find(|it| word(*it) == given);
    found.map(Some).ok_or_else(|| {
        let words: Vec<_> = all.iter().map(|it| word(*it)).collect();
        Unknown {
            what: format!("the parameter {name} is one of {}", words.join(", ")),
        }
    })
}

// === impl Sort ===

impl Sort {
    /// Each column in both directions.
    pub(crate) const ALL: [Self; 12] = [
        Self::up(Column::State),
        Self::down(Column::State),
        Self::up(Column::Operator),
        Self::down(Column::Operator),
        Self::up(Column::Namespace),
        Self::down(Column::Namespace),
        Self::up(Column::Package),
        Self::down(Column::Package),
        Self::up(Column::Manager),
        Self::down(Column::Manager),
        Self::up(Column::Installed),
        Self::down(Column::Installed),
    ];

    pub(crate) const fn up(column: Column) -> Self {
        Self {
            column,
            is_descending: false,
        }
    }

    const fn down(column: Column) -> Self {
        Self {
            column,
            is_descending: true,
        }
    }

    /// Returns the value of the URL parameter.
    pub(crate) fn as_str(self) -> &'static str {
        match (self.column, self.is_descending) {
            (Column::State, false) => "state",
            (Column::State, true) => "-state",
            (Column::Operator, false) => "operator",
            (Column::Operator, true) => "-operator",
            (Column::Namespace, false) => "namespace",
            (Column::Namespace, true) => "-namespace",
            (Column::Package, false) => "package",
            (Column::Package, true) => "-package",
            (Column::Manager, false) => "manager",
            (Column::Manager, true) => "-manager",
            (Column::Installed, false) => "installed",
            (Column::Installed, true) => "-installed",
        }
    }

    /// Returns the text that is shown to users.
    pub(crate) fn title(self) -> &'static str {
        match (self.column, self.is_descending) {
            (Column::State, false) => "worst first",
            (Column::State, true) => "worst last",
            (Column::Operator, false) => "operator, A to Z",
            (Column::Operator, true) => "operator, Z to A",
            (Column::Namespace, false) => "namespace, A to Z",
            (Column::Namespace, true) => "namespace, Z to A",
            (Column::Package, false) => "package, A to Z",
            (Column::Package, true) => "package, Z to A",
            (Column::Manager, false) => "manager, A to Z",
            (Column::Manager, true) => "manager, Z to A",
            (Column::Installed, false) => "lowest version first",
            (Column::Installed, true) => "highest version first",
        }
    }
}
