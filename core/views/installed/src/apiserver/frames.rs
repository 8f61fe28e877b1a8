//! Writes the response to a watch, one frame after the other.

use serde_json::{Value, json};

use crate::apiserver::accept::{Form, IncludeObject};
use crate::apiserver::listing::table;
use crate::apiserver::status::Status;
use crate::apiserver::written::{Readable, item};
use crate::{COLUMNS, EventType, GROUP, Installed, KIND, Piece, ResourceVersion, VERSION};

/// The annotation of the bookmark after the initial events.
const END: &str = "k8s.io/initial-events-end";

/// Writes the frames of one watch.
#[derive(Debug)]
pub struct Frames {
    form: Form,
    /// True until the first table is written. Only the first table contains the column definitions.
    has_columns: bool,
}

// === impl Frames ===

impl Frames {
    /// Creates the writer for a watch in this format.
    pub fn new(form: Form) -> Self {
        Self {
            form,
            has_columns: true,
        }
    }

    /// Returns the frame for an event about an Installed.
    pub fn event(
        &mut self,
        event: EventType,
        installed: &Installed,
        readable: &Readable,
    ) -> Vec<Piece> {
        let mut pieces = vec![Piece::Own(format!(
            r#"{{"type":"{}","object":"#,
            event.as_str()
        ))];
        let object = item(installed, self.form, readable);
        match self.form {
            Form::Whole | Form::Partial => pieces.extend(object),
            Form::Table(_) => {
                let metadata = json!({"resourceVersion": installed.version.to_string()});
                pieces.push(Piece::Own(self.table(&metadata)));
                pieces.extend(object);
                pieces.push(Piece::Fixed("]}"));
            }
        }
        pieces.push(Piece::Fixed("}\n"));
        pieces
    }

    /// Returns the frame for a bookmark with the version that the watch has reached. If
    /// `ends_those_there` is true, the bookmark is annotated as the end of the initial events.
    pub fn bookmark(&mut self, version: &ResourceVersion, ends_those_there: bool) -> String {
        let mut metadata = json!({"resourceVersion": version.to_string()});
        if ends_those_there {
            metadata["annotations"] = json!({END: "true"});
        }
        let of_ours = json!({
            "kind": KIND, "apiVersion": format!("{GROUP}/{VERSION}"), "metadata": metadata,
        });
        let of_any = json!({
            "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
        });
        let object = match self.form {
            Form::Whole => of_ours.to_string(),
            Form::Partial => of_any.to_string(),
            Form::Table(included) => {
                let cells = [""; COLUMNS.len()];
                let mut row = json!({"cells": cells});
                match included {
                    IncludeObject::None => {}
                    IncludeObject::Metadata => row["object"] = of_any,
                    IncludeObject::Object => row["object"] = of_ours,
                }
                format!("{}{row}]}}", self.table(&metadata))
            }
        };
        format!("{{\"type\":\"BOOKMARK\",\"object\":{object}}}\n")
    }

    /// Returns the frame with the error that ends the watch.
    pub fn error(status: &Status) -> String {
        format!("{{\"type\":\"ERROR\",\"object\":{}}}\n", status.to_json())
    }

    fn table(&mut self, metadata: &Value) -> String {
        let has_columns = std::mem::take(&mut self.has_columns);
        table(&metadata.to_string(), has_columns)
    }
}
