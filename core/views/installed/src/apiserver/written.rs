//! Writes a single Installed as JSON.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use crate::apiserver::accept::{Form, IncludeObject};
use crate::{COLUMNS, Installed, Piece, SubscriptionDetail};

/// The namespaces whose Subscriptions the user may get. Installed objects contain these
/// Subscriptions in full.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Readable {
    /// The user may get the Subscriptions of all namespaces.
    All,
    /// The user may get no Subscriptions.
    #[default]
    None,
    /// The user may get the Subscriptions of these namespaces.
    In(BTreeSet<Arc<str>>),
}

// === impl Readable ===

impl Readable {
    /// Returns the namespaces for which the permission to get Subscriptions matters. In these
    /// namespaces, Subscriptions of the response have fields that only some users may see.
    pub fn asked<'a>(
        installed: impl IntoIterator<Item = &'a Installed>,
        form: Form,
    ) -> BTreeSet<Arc<str>> {
        match form {
            Form::Whole | Form::Table(IncludeObject::Object) => {}
            Form::Partial | Form::Table(IncludeObject::Metadata | IncludeObject::None) => {
                return BTreeSet::new();
            }
        }
        let subscriptions = installed.into_iter();
        let subscriptions = subscriptions.filter_map(|each| each.operator.subscription.as_ref());
        let hiding = subscriptions.filter(|each| each.body != each.limited_body);
        hiding.map(|each| each.key.namespace.clone()).collect()
    }

    fn detail(&self, installed: &Installed) -> SubscriptionDetail {
        let subscription = installed.operator.subscription.as_ref();
        let is_shown = match self {
            Self::All => true,
            Self::None => false,
            Self::In(namespaces) => {
                subscription.is_some_and(|it| namespaces.contains(&it.key.namespace))
            }
        };
        if is_shown {
            SubscriptionDetail::Full
        } else {
            SubscriptionDetail::Limited
        }
    }
}

/// Returns the pieces of an object or of a table row, depending on the format.
pub(crate) fn item(installed: &Installed, form: Form, readable: &Readable) -> Vec<Piece> {
    match form {
        Form::Whole => installed.pieces(readable.detail(installed)),
        Form::Partial => vec![Piece::Own(installed.to_partial())],
        Form::Table(included) => row(installed, included, readable),
    }
}

fn row(installed: &Installed, included: IncludeObject, readable: &Readable) -> Vec<Piece> {
    let cells = json!(installed.cells());
    let head = |rest| Piece::Own(format!(r#"{{"cells":{cells}{rest}"#));
    let mut pieces = match included {
        IncludeObject::None => vec![head("")],
        IncludeObject::Metadata => vec![head(r#","object":"#), Piece::Own(installed.to_partial())],
        IncludeObject::Object => {
            let mut pieces = vec![head(r#","object":"#)];
            pieces.extend(installed.pieces(readable.detail(installed)));
            pieces
        }
    };
    pieces.push(Piece::Fixed("}"));
    pieces
}

/// Returns the column definitions of a table as JSON.
pub(crate) fn columns() -> String {
    serde_json::to_string(&COLUMNS).expect("columns must be JSON")
}
