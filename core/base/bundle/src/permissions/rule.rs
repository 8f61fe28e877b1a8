//! Rules of roles, and comparisons between them.

use std::collections::BTreeSet;
use std::fmt;

use portolan_core_names::text::{Instead, cut, harmless};
use serde_json::Value as Json;

use crate::object::text;

/// A rule of a role: verbs that are allowed on resources or URLs.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    pub verbs: BTreeSet<String>,
    pub api_groups: BTreeSet<String>,
    pub resources: BTreeSet<String>,
    /// The names of the allowed objects. Empty if all names are allowed.
    pub resource_names: BTreeSet<String>,
    pub non_resource_urls: BTreeSet<String>,
}

/// The maximum number of texts in each list of a rule in a message. Also the maximum length of a
/// text.
const LISTED: usize = 40;
const LONGEST: usize = 253;

/// Returns a set with one text.
pub(super) fn one(text: &str) -> BTreeSet<String> {
    [text.to_owned()].into()
}

impl Rule {
    pub(super) fn of(json: &Json) -> Self {
        let texts = |key: &str| {
            let list = json[key].as_array().into_iter().flatten();
            list.map(|item| text(item).to_owned()).collect()
        };
        Self {
            verbs: texts("verbs"),
            api_groups: texts("apiGroups"),
            resources: texts("resources"),
            resource_names: texts("resourceNames"),
            non_resource_urls: texts("nonResourceURLs"),
        }
    }

    /// Returns the number of single rules that together equal this rule. A single rule has one verb
    /// and one resource or URL.
    pub(super) fn size(&self) -> usize {
        let names = self.resource_names.len().max(1);
        let resources = self.api_groups.len().saturating_mul(self.resources.len());
        let below = resources.saturating_mul(names);
        let verb = below.saturating_add(self.non_resource_urls.len());
        self.verbs.len().saturating_mul(verb)
    }

    /// Returns the single rules that together equal this rule. [`size`](Self::size) is their
    /// number.
    pub(super) fn parts(&self) -> Vec<Self> {
        let mut parts = Vec::new();
        for verb in &self.verbs {
            let urls = self.non_resource_urls.iter().map(|url| Self {
                verbs: one(verb),
                non_resource_urls: one(url),
                ..Self::default()
            });
            parts.extend(urls);
            for group in &self.api_groups {
                for resource in &self.resources {
                    let whole = Self {
                        verbs: one(verb),
                        api_groups: one(group),
                        resources: one(resource),
                        ..Self::default()
                    };
                    let named = self.resource_names.iter().map(|name| Self {
                        resource_names: one(name),
                        ..whole.clone()
                    });
                    parts.extend(named);
                    if self.resource_names.is_empty() {
                        parts.push(whole);
                    }
                }
            }
        }
        parts
    }

    /// Returns true if this rule allows everything that the other rule allows.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let has = |all: &BTreeSet<String>, some: &BTreeSet<String>| {
            all.contains("*") || some.is_subset(all)
        };
        let names = || {
            self.resource_names.is_empty()
                || !other.resource_names.is_empty()
                    && other.resource_names.is_subset(&self.resource_names)
        };
        let mut urls = other.non_resource_urls.iter();
        let mut resources = other.resources.iter();
        has(&self.verbs, &other.verbs)
            && urls.all(|wanted| self.has_url(wanted))
            && (other.resources.is_empty()
                || has(&self.api_groups, &other.api_groups)
                    && resources.all(|wanted| self.has_resource(wanted))
                    && names())
    }

    /// Returns true if the rule allows a resource. `*` allows all resources, and `*/scale` allows
    /// the subresource `scale` of all resources.
    fn has_resource(&self, wanted: &str) -> bool {
        let held = &self.resources;
        let of_all = |(_, below)| held.contains(&format!("*/{below}"));
        held.contains("*") || held.contains(wanted) || wanted.split_once('/').is_some_and(of_all)
    }

    /// Returns true if the rule allows a URL. A `*` at the end of a path matches any text.
    fn has_url(&self, wanted: &str) -> bool {
        let held = &self.non_resource_urls;
        let mut starts = held.iter().filter_map(|held| held.strip_suffix('*'));
        held.contains(wanted) || starts.any(|start| wanted.starts_with(start))
    }
}

/// Formats the rule as a phrase, such as `get, list pods of apps`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |texts: &BTreeSet<String>| {
            let safe = |text: &String| harmless(&cut(text, LONGEST), Instead::Escape);
            let mut told: Vec<_> = texts.iter().take(LISTED).map(safe).collect();
            if texts.len() > LISTED {
                told.push(format!("{} more", texts.len() - LISTED));
            }
            told.join(", ")
        };
        write!(f, "{} ", list(&self.verbs))?;
        if self.resources.is_empty() {
            return f.write_str(&list(&self.non_resource_urls));
        }
        f.write_str(&list(&self.resources))?;
        let mut groups = self.api_groups.clone();
        groups.remove("");
        if !groups.is_empty() {
            write!(f, " of {}", list(&groups))?;
        }
        if !self.resource_names.is_empty() {
            write!(f, " named {}", list(&self.resource_names))?;
        }
        Ok(())
    }
}
