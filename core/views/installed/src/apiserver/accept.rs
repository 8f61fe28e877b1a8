//! Parses the response format that a client requests.

use crate::apiserver::query::QueryParameters;
use crate::apiserver::status::Status;

/// The format of Installed objects in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The response contains the complete objects.
    Whole,
    /// The response contains only the metadata of the objects (`PartialObjectMetadata`).
    Partial,
    /// The response contains the rows of a table.
    Table(IncludeObject),
}

/// The part of its object that a table row includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncludeObject {
    /// Each row includes the metadata of its object.
    Metadata,
    /// Each row includes its complete object.
    Object,
    /// Each row includes no part of its object.
    None,
}

/// A media range in the `Accept` header of a request.
#[derive(Debug, PartialEq)]
struct Range<'a> {
    media: &'a str,
    group: &'a str,
    version: &'a str,
    r#as: &'a str,
    quality: f32,
}

// === impl Form ===

impl Form {
    /// Returns the format that the client prefers among the formats that the server supports.
    ///
    /// # Errors
    /// Returns 406 if the server supports no accepted format, or 400 if the table options are
    /// invalid.
    pub fn of<'a>(
        accept: impl IntoIterator<Item = &'a str>,
        query: &QueryParameters,
    ) -> Result<Self, Status> {
        let ranges = ranges(accept);
        if ranges.is_empty() {
            return Ok(Self::Whole);
        }
        let mut forms = ranges.iter().filter_map(Range::form);
        let form = forms.next().ok_or_else(Status::not_acceptable)?;
        match form {
            Self::Table(_) => IncludeObject::of(query).map(Self::Table),
            Self::Whole | Self::Partial => Ok(form),
        }
    }
}

// === impl IncludeObject ===

impl IncludeObject {
    fn of(query: &QueryParameters) -> Result<Self, Status> {
        match query.first("includeObject") {
            None | Some("Metadata") => Ok(Self::Metadata),
            Some("Object") => Ok(Self::Object),
            Some("None") => Ok(Self::None),
            Some(other) => Err(Status::bad_request(format!(
                "unrecognized includeObject value {other:?}: it must be Metadata, Object or None"
            ))),
        }
    }
}

// === impl Range ===

impl Range<'_> {
    fn is_json(&self) -> bool {
        ["application/json", "application/*", "*/*"]
            .iter()
            .any(|it| self.media.eq_ignore_ascii_case(it))
    }

    fn form(&self) -> Option<Form> {
        if !self.is_json() {
            return None;
        }
        match (self.r#as, self.group, self.version) {
            ("", ..) => Some(Form::Whole),
            ("Table", "meta.k8s.io", "v1") => Some(Form::Table(IncludeObject::Metadata)),
            ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1") => {
                Some(Form::Partial)
            }
            _ => None,
        }
    }
}

/// Returns true if the client prefers aggregated discovery to the older format.
pub(crate) fn wants_aggregated<'a>(accept: impl IntoIterator<Item = &'a str>) -> bool {
    let ranges = ranges(accept);
    let mut known = ranges.iter().filter_map(|range| {
        let named = (range.r#as, range.group, range.version);
        match named {
            _ if !range.is_json() => None,
            ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") => Some(true),
            ("", ..) => Some(false),
            _ => None,
        }
    });
    known.next().unwrap_or_default()
}

/// Returns the media ranges that a client accepts, best first.
fn ranges<'a>(accept: impl IntoIterator<Item = &'a str>) -> Vec<Range<'a>> {
    let ranges = accept.into_iter().flat_map(|header| header.split(','));
    let ranges = ranges.map(|text| {
        let mut parts = text.split(';').map(str::trim);
        let mut range = Range {
            media: parts.next().unwrap_or_default(),
            group: "",
            version: "",
            r#as: "",
            quality: 1.0,
        };
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            match name.trim() {
                "g" => range.group = value,
                "v" => range.version = value,
                "as" => range.r#as = value,
                "q" => range.quality = value.parse().unwrap_or(0.0),
                _ => {}
            }
        }
        range
    });
    let ranges = ranges.filter(|range| !range.media.is_empty() && range.quality > 0.0);
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_by(|one, other| other.quality.total_cmp(&one.quality));
    ranges
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

    #[rstest]
    #[case::nothing(&[], Ok(Form::Whole))]
    #[case::anything(&["*/*"], Ok(Form::Whole))]
    #[case::header_of_kubectl(
        &[&*format!("{TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json")],
        Ok(Form::Table(IncludeObject::Metadata))
    )]
    #[case::header_of_the_garbage_collector(
        &["application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
          "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json"],
        Ok(Form::Partial)
    )]
    #[case::protobuf_first(&["application/vnd.kubernetes.protobuf,application/json"], Ok(Form::Whole))]
    #[case::format_with_the_higher_quality(&[&*format!("application/json;q=0.5,{TABLE};q=0.9")], Ok(Form::Table(IncludeObject::Metadata)))]
    #[case::format_with_quality_zero(&["application/json;q=0"], Ok(Form::Whole))]
    #[case::only_unsupported_formats(&["application/yaml"], Err(Status::not_acceptable()))]
    #[case::table_of_an_unsupported_group_version(&["application/json;as=Table;v=v2;g=meta.k8s.io"], Err(Status::not_acceptable()))]
    fn uses_the_first_supported_form(#[case] accept: &[&str], #[case] form: Result<Form, Status>) {
        assert_eq!(
            Form::of(accept.iter().copied(), &QueryParameters::default()),
            form
        );
    }

    #[rstest]
    #[case::metadata("", Some(IncludeObject::Metadata))]
    #[case::all("includeObject=Object", Some(IncludeObject::Object))]
    #[case::nothing("includeObject=None", Some(IncludeObject::None))]
    #[case::an_unknown_value("includeObject=Half", None)]
    fn rows_include_the_requested_part_of_objects(
        #[case] query: &str,
        #[case] included: Option<IncludeObject>,
    ) {
        let form = Form::of([TABLE], &QueryParameters::parse(query)).ok();
        assert_eq!(form, included.map(Form::Table));
    }
}
