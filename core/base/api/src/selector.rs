//! Parses label selectors.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube_core::SelectorExt as _;

use crate::place::ManifestPlace;
use crate::refusal::Refusal;
use crate::words::SELECTOR_OPERATORS;

const SELECTOR_FIELDS: &[&str] = &["matchExpressions", "matchLabels"];
const EXPRESSION_FIELDS: &[&str] = &["key", "operator", "values"];

/// Returns true if the selector has no requirements.
pub(crate) fn is_empty_selector(selector: &LabelSelector) -> bool {
    let LabelSelector {
        match_labels,
        match_expressions,
    } = selector;
    match_labels.is_none() && match_expressions.is_none()
}

/// Returns true if the selector selects an object with these labels.
pub(crate) fn is_match(selector: &LabelSelector, labels: &BTreeMap<String, String>) -> bool {
    let selector = kube_core::Selector::try_from(selector.clone());
    selector.is_ok_and(|selector| selector.matches(labels))
}

/// Parses a label selector. Returns None if there is no selector.
pub(crate) fn parse_selector(
    place: &ManifestPlace<'_>,
    refused: &mut Vec<Refusal>,
) -> Option<LabelSelector> {
    place.only(SELECTOR_FIELDS, refused)?;
    let labels = labels(&place.field("matchLabels"), refused);
    let items = place.field("matchExpressions").list(refused);
    let expressions: Vec<_> = items
        .into_iter()
        .flatten()
        .filter_map(|item| expression(&item, refused))
        .collect();
    Some(LabelSelector {
        match_labels: Some(labels).filter(|labels| !labels.is_empty()),
        match_expressions: Some(expressions).filter(|expressions| !expressions.is_empty()),
    })
}

fn labels(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> BTreeMap<String, String> {
    let names = place.object(refused).into_iter().flatten();
    let labels = names.filter_map(|(name, _)| {
        let value = place.field(name).text(refused)?;
        Some((name.clone(), value.to_owned()))
    });
    labels.collect()
}

fn expression(
    place: &ManifestPlace<'_>,
    refused: &mut Vec<Refusal>,
) -> Option<LabelSelectorRequirement> {
    place.only(EXPRESSION_FIELDS, refused)?;
    let (key, operator, values) = (
        place.field("key"),
        place.field("operator"),
        place.field("values"),
    );
    key.require("write the key of a label", refused);
    operator.require("write In, NotIn, Exists or DoesNotExist", refused);
    let has_values = operator.word(SELECTOR_OPERATORS, refused)?;
    let texts = values.texts(refused);
    if has_values && (values.is_empty_list() || !values.is_given()) {
        values.refuse_value("is empty; In and NotIn require values", refused);
    }
    if !has_values && !texts.is_empty() {
        values.refuse_value(
            "is not allowed; Exists and DoesNotExist have no values",
            refused,
        );
    }
    let texts: Vec<_> = texts.iter().map(|(_, text)| (*text).to_owned()).collect();
    Some(LabelSelectorRequirement {
        key: key.text(refused)?.to_owned(),
        operator: operator.text(refused)?.to_owned(),
        values: Some(texts).filter(|texts| !texts.is_empty()),
    })
}
