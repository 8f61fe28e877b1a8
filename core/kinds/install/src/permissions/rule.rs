//! The rules of roles. Finds out which accesses a rule allows, and which rules are needed for
//! missing accesses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use portolan_api::plan::MissingRule;
use serde_json::{Map, Value};

use super::Access;
use crate::object::items;

/// A rule of a Role or ClusterRole.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    pub api_groups: BTreeSet<String>,
    pub resources: BTreeSet<String>,
    /// The object names. Empty for all names.
    pub resource_names: BTreeSet<String>,
    pub non_resource_urls: BTreeSet<String>,
    pub verbs: BTreeSet<String>,
}

/// A rule and the namespace in which it applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// The namespace. None for the whole cluster.
    pub namespace: Option<String>,
    pub rule: Rule,
}

fn one(text: &str) -> BTreeSet<String> {
    [text.to_owned()].into()
}

/// The wildcard that stands for all values.
const ALL: &str = "*";
/// The maximum number of rules with wildcards that are compared with other rules, to limit the
/// runtime.
const MOST_WIDE: usize = 100;

impl Rule {
    /// Reads a rule of a role.
    pub fn of(json: &Value) -> Self {
        let texts = |pointer: &str| {
            let texts = items(json, pointer).iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        Self {
            api_groups: texts("/apiGroups"),
            resources: texts("/resources"),
            resource_names: texts("/resourceNames"),
            non_resource_urls: texts("/nonResourceURLs"),
            verbs: texts("/verbs"),
        }
    }

    /// Returns the number of accesses that the rule allows. If two rules allow the same access, the
    /// sum of their counts contains it twice.
    pub fn count(&self) -> usize {
        let names = self.resource_names.len().max(1);
        let resources = self.api_groups.len().saturating_mul(self.resources.len());
        let on_resources = resources.saturating_mul(names);
        let things = on_resources.saturating_add(self.non_resource_urls.len());
        self.verbs.len().saturating_mul(things)
    }

    /// Returns each access that the rule allows.
    pub fn accesses(&self, namespace: Option<&str>) -> Vec<Access> {
        let mut names: Vec<_> = self.resource_names.iter().cloned().map(Some).collect();
        if names.is_empty() {
            names.push(None);
        }
        let mut accesses = Vec::new();
        for verb in &self.verbs {
            for path in &self.non_resource_urls {
                accesses.push(Access {
                    verb: verb.clone(),
                    path: Some(path.clone()),
                    ..Access::default()
                });
            }
            for group in &self.api_groups {
                for resource in &self.resources {
                    accesses.extend(names.iter().map(|name| Access {
                        verb: verb.clone(),
                        group: group.clone(),
                        resource: resource.clone(),
                        namespace: namespace.map(str::to_owned),
                        name: name.clone(),
                        path: None,
                    }));
                }
            }
        }
        accesses
    }

    /// Returns true if the rule allows the access. The namespace is ignored. If the access contains
    /// a wildcard, only the same wildcard in the rule allows it. The API server does the same in
    /// its escalation check.
    pub fn allows(&self, access: &Access) -> bool {
        let is_on = match &access.path {
            Some(path) => has_path(&self.non_resource_urls, path),
            None => {
                has(&self.api_groups, &access.group)
                    && has_resource(&self.resources, &access.resource)
                    && self.is_for_name(access.name.as_ref())
            }
        };
        is_on && has(&self.verbs, &access.verb)
    }

    /// Returns true if this rule allows everything that the other rule allows.
    pub fn covers(&self, other: &Self) -> bool {
        let Self {
            api_groups,
            resources,
            resource_names,
            non_resource_urls,
            verbs,
        } = other;
        let has_names = if resource_names.is_empty() {
            self.is_for_name(None)
        } else {
            resource_names.iter().all(|it| self.is_for_name(Some(it)))
        };
        let has_resources = resources.is_empty()
            || api_groups.is_empty()
            || has_names
                && api_groups.iter().all(|it| has(&self.api_groups, it))
                && resources.iter().all(|it| has_resource(&self.resources, it));
        let urls = &self.non_resource_urls;
        verbs.iter().all(|it| has(&self.verbs, it))
            && has_resources
            && non_resource_urls.iter().all(|it| has_path(urls, it))
    }

    fn is_for_name(&self, name: Option<&String>) -> bool {
        let names = &self.resource_names;
        names.is_empty() || name.is_some_and(|name| names.contains(name))
    }

    /// Returns the rule as JSON, in the form that roles use.
    pub fn to_json(&self) -> Value {
        let Self {
            api_groups,
            resources,
            resource_names,
            non_resource_urls,
            verbs,
        } = self;
        let lists = [
            ("apiGroups", api_groups),
            ("resources", resources),
            ("resourceNames", resource_names),
            ("nonResourceURLs", non_resource_urls),
            ("verbs", verbs),
        ];
        let given = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let fields = given.map(|(name, list)| {
            let list: Vec<_> = list.iter().map(String::as_str).collect();
            (name.to_owned(), Value::from(list))
        });
        Value::Object(fields.collect::<Map<_, _>>())
    }
}

/// Returns a shorter set with the same meaning. If the set contains the wildcard, the other values
/// are removed.
fn shortest(words: BTreeSet<String>) -> BTreeSet<String> {
    if words.contains(ALL) { one(ALL) } else { words }
}

/// Removes each rule that another rule with wildcards includes. The other rule applies to the same
/// namespace or to the whole cluster.
fn without_covered(mut grants: Vec<Grant>) -> Vec<Grant> {
    let is_wide = |grant: &&Grant| {
        let Rule {
            api_groups,
            resources,
            verbs,
            ..
        } = &grant.rule;
        [api_groups, resources, verbs]
            .iter()
            .any(|words| words.contains(ALL))
    };
    let wide: Vec<_> = grants
        .iter()
        .filter(is_wide)
        .take(MOST_WIDE)
        .cloned()
        .collect();
    for wide in wide {
        if !grants.contains(&wide) {
            continue;
        }
        grants.retain(|grant| {
            let is_there = wide.namespace.is_none() || wide.namespace == grant.namespace;
            *grant == wide || !is_there || !wide.rule.covers(&grant.rule)
        });
    }
    grants
}

fn has(all: &BTreeSet<String>, one: &str) -> bool {
    all.contains(ALL) || all.contains(one)
}

/// Returns true if the set contains the resource. A resource with a subresource is written as
/// `deployments/scale`.
fn has_resource(all: &BTreeSet<String>, one: &str) -> bool {
    let subresource = one.split_once('/').map(|(_, part)| format!("{ALL}/{part}"));
    has(all, one) || subresource.is_some_and(|it| all.contains(&it))
}

fn has_path(all: &BTreeSet<String>, one: &str) -> bool {
    let mut prefixes = all.iter().filter_map(|it| it.strip_suffix(ALL));
    all.contains(one) || prefixes.any(|prefix| one.starts_with(prefix))
}

impl Grant {
    /// Returns the rule in the form in which the status of a plan lists missing rules.
    pub fn missing_rule(&self) -> MissingRule {
        let Rule {
            api_groups,
            resources,
            resource_names,
            non_resource_urls,
            verbs,
        } = &self.rule;
        let listed = |texts: &BTreeSet<String>| texts.iter().cloned().collect();
        MissingRule {
            namespace: self.namespace.clone(),
            api_groups: listed(api_groups),
            resources: listed(resources),
            resource_names: listed(resource_names),
            non_resource_urls: listed(non_resource_urls),
            verbs: listed(verbs),
        }
    }

    /// Returns the smallest number of rules that allow these accesses. All resources of a group
    /// that need the same verbs share one rule.
    pub fn all(accesses: Vec<Access>) -> Vec<Self> {
        // First collects the verbs of each resource. Then merges the resources with the same verbs.
        let mut verbs: BTreeMap<Access, BTreeSet<String>> = BTreeMap::new();
        for access in accesses {
            let of = Access {
                verb: String::new(),
                ..access
            };
            verbs.entry(of).or_default().insert(access.verb);
        }
        let mut grants: BTreeMap<Self, [BTreeSet<String>; 3]> = BTreeMap::new();
        for (of, verbs) in verbs {
            let mut grant = Self {
                namespace: of.namespace,
                rule: Rule {
                    verbs: shortest(verbs),
                    ..Rule::default()
                },
            };
            let merged = if let Some(path) = of.path {
                [BTreeSet::new(), BTreeSet::new(), one(&path)]
            } else if let Some(name) = of.name {
                grant.rule.api_groups = one(&of.group);
                grant.rule.resources = one(&of.resource);
                [BTreeSet::new(), one(&name), BTreeSet::new()]
            } else {
                grant.rule.api_groups = one(&of.group);
                [one(&of.resource), BTreeSet::new(), BTreeSet::new()]
            };
            let all = grants.entry(grant).or_default();
            for (all, more) in all.iter_mut().zip(merged) {
                all.extend(more);
            }
        }
        let grants = grants
            .into_iter()
            .map(|(mut grant, [resources, names, paths])| {
                grant.rule.resources.extend(resources);
                grant.rule.resource_names = names;
                grant.rule.non_resource_urls = paths;
                grant
            });
        without_covered(grants.collect())
    }
}

/// Formats the scope of the rule, followed by the rule as JSON. JSON is also valid YAML.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = crate::manifest::canonical(&self.rule.to_json());
        let rule = String::from_utf8_lossy(&bytes);
        match &self.namespace {
            Some(namespace) => write!(f, "in namespace {namespace}: {rule}"),
            None => write!(f, "in the cluster: {rule}"),
        }
    }
}
