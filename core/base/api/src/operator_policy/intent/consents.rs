//! Parses the list of bundles that a policy allows.

use portolan_core_names::consent::Flaw;
use portolan_core_names::{Consent, PackageName};

use super::{Form, Subscription};
use crate::place::ManifestPlace;
use crate::refusal::{Refusal, quoted};

/// The error message for an empty list.
const NOTHING: &str = "contains no bundle; list the allowed bundles, or \"*\" for any";

/// Returns the path of the field with the allowed bundles, by the form of the policy.
pub(crate) fn field(form: Form) -> &'static str {
    match form {
        Form::Design => "spec.allowedCSVs",
        Form::Established => "spec.versions",
    }
}

/// Returns the name of the field with the allowed bundles in the spec.
pub(super) fn field_name(form: Form) -> &'static str {
    match form {
        Form::Design => "allowedCSVs",
        Form::Established => "versions",
    }
}

/// Parses `spec.allowedCSVs` or `spec.versions`.
pub(super) fn parse(
    place: &ManifestPlace<'_>,
    form: Form,
    subscription: Option<&Subscription>,
    refused: &mut Vec<Refusal>,
) -> Vec<Consent> {
    place.refuse_templates(refused);
    let package = subscription.map(|subscription| &subscription.package);
    let texts = place.texts(refused);
    match form {
        Form::Design => {
            if place.is_empty_list() {
                place.refuse_value(NOTHING, refused);
            }
            let consents = texts.into_iter();
            let consents = consents.filter_map(|(at, text)| one(&at, text, form, package, refused));
            consents.collect()
        }
        Form::Established => {
            let mut consents = Vec::new();
            for (at, text) in &texts {
                let parts = text.split(',').map(str::trim);
                let parts = parts.filter(|part| !part.is_empty());
                consents.extend(parts.filter_map(|part| one(at, part, form, package, refused)));
            }
            completed(consents, subscription)
        }
    }
}

/// Returns the complete list. An empty list allows any bundle. The starting bundle is always
/// allowed, so it is added if it is missing.
fn completed(mut consents: Vec<Consent>, subscription: Option<&Subscription>) -> Vec<Consent> {
    if consents.is_empty() {
        return vec![Consent::Any];
    }
    let starting = subscription.and_then(|subscription| subscription.starting_csv.clone());
    let starting = starting.map(Consent::Bundle);
    consents.extend(starting.filter(|starting| !consents.contains(starting)));
    consents
}

fn one(
    place: &ManifestPlace<'_>,
    text: &str,
    form: Form,
    package: Option<&PackageName>,
    refused: &mut Vec<Refusal>,
) -> Option<Consent> {
    let sentence = match Consent::parse(text) {
        Err(refusal) => unparsed(refusal.flaw(), text),
        Ok(Consent::Any) if form == Form::Established => format!(
            "is {}, which is not the name of a bundle; leave {} empty to allow any",
            quoted(text),
            field(form)
        ),
        Ok(Consent::Range(of, _)) if package.is_some_and(|package| *package != of) => format!(
            "is {}, a range of the package {}; a policy can allow only versions of the package in \
             spec.subscription.name",
            quoted(text),
            quoted(of.as_str())
        ),
        Ok(consent) => return Some(consent),
    };
    place.refuse_value(sentence, refused);
    None
}

/// Returns the error message for a string that is not a consent. There are three kinds of consents,
/// and the message is about the kind that is most similar to the string.
fn unparsed(flaw: &Flaw, text: &str) -> String {
    match flaw {
        Flaw::Bundle(refusal) => refusal.to_string(),
        Flaw::Package(refusal) => format!("is {}, where {refusal}", quoted(text)),
        Flaw::Range(refusal) => format!("is {}, where {refusal}", quoted(text)),
        never @ Flaw::Never { .. } => format!("is {}, where {never}", quoted(text)),
    }
}
