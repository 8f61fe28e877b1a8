//! Writes the response to a list request, in pieces.

use std::vec;

use serde::Serialize;

use crate::apiserver::accept::Form;
use crate::apiserver::written::{Readable, columns, item};
use crate::{GROUP, Installed, KIND, Page, Piece, VERSION};

/// A list or a single object as pieces of JSON. Each piece is created when the caller requests it.
#[derive(Debug)]
pub struct Listing {
    head: Option<String>,
    items: vec::IntoIter<Installed>,
    form: Form,
    readable: Readable,
    is_first: bool,
    tail: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#continue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_item_count: Option<usize>,
    resource_version: String,
}

// === impl Listing ===

impl Listing {
    /// Returns the response with a page of a list at a version.
    pub fn of_page(page: Page, version: &str, form: Form, readable: Readable) -> Self {
        let metadata = Metadata {
            r#continue: page.next.map(|next| next.token()),
            remaining_item_count: page.remaining,
            resource_version: version.to_owned(),
        };
        let metadata = serde_json::to_string(&metadata).expect("texts must be JSON");
        let head = match form {
            Form::Whole => format!(
                r#"{{"kind":"{KIND}List","apiVersion":"{GROUP}/{VERSION}","metadata":{metadata},"items":["#
            ),
            Form::Partial => format!(
                r#"{{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{metadata},"items":["#
            ),
            Form::Table(_) => table(&metadata, true),
        };
        Self {
            head: Some(head),
            items: page.items.into_iter(),
            form,
            readable,
            is_first: true,
            tail: Some("]}"),
        }
    }

    /// Returns the response with a single object.
    pub fn of_one(installed: Installed, form: Form, readable: Readable) -> Self {
        let (head, tail) = match form {
            Form::Whole | Form::Partial => (None, None),
            Form::Table(_) => {
                let version = installed.version.to_string();
                let metadata = serde_json::json!({"resourceVersion": version}).to_string();
                (Some(table(&metadata, true)), Some("]}"))
            }
        };
        Self {
            head,
            items: vec![installed].into_iter(),
            form,
            readable,
            is_first: true,
            tail,
        }
    }

    /// Returns the complete JSON.
    pub fn into_text(self) -> String {
        let pieces: Vec<_> = self.flatten().collect();
        pieces.iter().map(Piece::as_str).collect()
    }
}

impl Iterator for Listing {
    type Item = Vec<Piece>;

    /// Returns the pieces of the next object, with the JSON around it.
    fn next(&mut self) -> Option<Vec<Piece>> {
        if let Some(head) = self.head.take() {
            return Some(vec![Piece::Own(head)]);
        }
        let Some(installed) = self.items.next() else {
            return self.tail.take().map(|tail| vec![Piece::Fixed(tail)]);
        };
        let mut pieces = Vec::new();
        if !std::mem::take(&mut self.is_first) {
            pieces.push(Piece::Fixed(","));
        }
        pieces.extend(item(&installed, self.form, &self.readable));
        Some(pieces)
    }
}

/// Returns the beginning of a table, up to its first row.
pub(crate) fn table(metadata: &str, has_columns: bool) -> String {
    let columns = if has_columns {
        columns()
    } else {
        "[]".to_owned()
    };
    format!(
        r#"{{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{metadata},"columnDefinitions":{columns},"rows":["#
    )
}
