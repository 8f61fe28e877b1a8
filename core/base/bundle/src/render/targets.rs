//! Determines the namespaces that an operator watches, and checks that the operator supports them.

use super::{Options, RenderRefusal, Targets};
use crate::bundle::{ALL_NAMESPACES, Bundle, MULTI_NAMESPACE, OWN_NAMESPACE, SINGLE_NAMESPACE};

/// Returns the watched namespaces, sorted. A single empty string stands for all namespaces.
pub(super) fn resolve(
    bundle: &Bundle,
    options: &Options,
    refusals: &mut Vec<RenderRefusal>,
) -> Vec<String> {
    let own = &options.namespace;
    if let Some(flaw) = no_label(own) {
        let sentence = format!("{own:?} is not a valid name of a namespace: {flaw}");
        refusals.push(RenderRefusal::Option {
            option: "namespace",
            sentence,
        });
    }
    let targets = match &options.targets {
        Targets::Default | Targets::All => vec![String::new()],
        Targets::Of(targets) => targets.iter().cloned().collect(),
    };
    if let Some(sentence) = refused(bundle, own, &options.targets, &targets) {
        refusals.push(RenderRefusal::Option {
            option: "targets",
            sentence,
        });
    }
    targets
}

fn refused(bundle: &Bundle, own: &str, asked: &Targets, targets: &[String]) -> Option<String> {
    let modes = bundle.install_modes().join(", ");
    let modes = match modes.as_str() {
        "" => "none",
        modes => modes,
    };
    if let Targets::Of(_) = asked {
        for target in targets {
            if let Some(flaw) = no_label(target) {
                return Some(format!(
                    "{target:?} is not a valid name of a namespace: {flaw}"
                ));
            }
        }
    }
    if targets.is_empty() {
        return Some("no namespace is given; give one, or request all".to_owned());
    }
    let lacking: Vec<_> = needed(own, targets)
        .into_iter()
        .filter(|mode| !bundle.csv.supports(mode))
        .collect();
    if lacking.is_empty() {
        return None;
    }
    let way_out = match asked {
        Targets::Default => "; give the namespaces that it watches",
        Targets::All | Targets::Of(_) => "",
    };
    Some(format!(
        "the bundle does not support {}; it supports {modes}{way_out}",
        lacking.join(" and ")
    ))
}

/// Returns the install modes that are required to watch these namespaces.
fn needed(own: &str, targets: &[String]) -> Vec<&'static str> {
    match targets {
        [all] if all.is_empty() => vec![ALL_NAMESPACES],
        [one] if one == own => vec![OWN_NAMESPACE],
        [_] => vec![SINGLE_NAMESPACE],
        several if several.iter().any(|target| target == own) => {
            vec![MULTI_NAMESPACE, OWN_NAMESPACE]
        }
        _ => vec![MULTI_NAMESPACE],
    }
}

/// Returns the reason why a text is not a DNS label. Returns None if it is valid.
fn no_label(text: &str) -> Option<&'static str> {
    const LONGEST: usize = 63;
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if text.is_empty() || text.len() > LONGEST {
        Some("it has 1 to 63 characters")
    } else if !text.chars().all(|c| is_letter(c) || c == '-') {
        Some("it can contain only lower-case letters, digits and hyphens")
    } else if !text.starts_with(is_letter) || !text.ends_with(is_letter) {
        Some("a letter or digit comes first and last")
    } else {
        None
    }
}
