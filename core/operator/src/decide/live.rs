//! The definitions and the custom resources that the cluster has, which a bundle cannot know.

use std::collections::BTreeSet;

use portolan_api::operator::Reason;
use portolan_core_names::text::listed;
use serde_json::Value;

use super::{Ask, Case, Halt, Observation, ResourceQuery};
use crate::adoption::{LiveQuery, ObjectId};
use crate::answer::{Answer, CustomResources};
use crate::fleet::Member;

/// The definitions of a bundle that would lose a version in which the cluster stores objects, a sentence
/// each.
///
/// The bundle that is installed says which version is stored now; what was stored once and never
/// migrated, the cluster alone knows, and so it does of a definition that was there before.
pub(super) fn dropped_versions(case: Case<'_>, manifests: &[Value]) -> Result<Vec<String>, Halt> {
    let is_definition = |it: &&Value| it["kind"] == "CustomResourceDefinition";
    let definitions: Vec<_> = manifests.iter().filter(is_definition).collect();
    if definitions.is_empty() {
        return Ok(Vec::new());
    }
    let query = LiveQuery {
        account: case.account(),
        objects: definitions.iter().map(|it| ObjectId::of(it)).collect(),
        owner: None,
    };
    let there = match case.observed.live.get(&query) {
        None => return Err(Halt::Ask([Ask::Live(Box::new(query))].into())),
        Some(Answer::Known(there)) => there,
        Some(Answer::Refused(sentence)) => {
            let sentence = format!("the definitions that are there may not be seen: {sentence}");
            return Err(Halt::no(Reason::PermissionMissing, sentence));
        }
        Some(Answer::Unavailable(sentence)) => {
            let sentence = format!("it cannot be told which versions are stored: {sentence}");
            return Err(Halt::no(Reason::DefinitionUnsafe, sentence));
        }
    };
    let of = |new: &Value| {
        let name = &new["metadata"]["name"];
        there.iter().find(|old| old["metadata"]["name"] == *name)
    };
    let pairs = definitions.iter().filter_map(|new| Some((of(new)?, *new)));
    Ok(pairs.flat_map(|(old, new)| dropped(old, new)).collect())
}

fn dropped(old: &Value, new: &Value) -> Vec<String> {
    let versions = new["spec"]["versions"].as_array().into_iter().flatten();
    let kept: BTreeSet<_> = versions
        .filter_map(|version| version["name"].as_str())
        .collect();
    let stored = old["status"]["storedVersions"].as_array();
    let stored = stored.into_iter().flatten().filter_map(Value::as_str);
    let name = new["metadata"]["name"].as_str().unwrap_or_default();
    let lost = stored.filter(|version| !kept.contains(version));
    lost.map(|version| {
        format!(
            "{name}: its status.storedVersions has {version}, which is dropped; migrate its objects, \
             and take {version} out of status.storedVersions"
        )
    })
    .collect()
}

/// The custom resources that stay when an Operator goes, as its definitions do; None if there are
/// none, or if they are not known.
///
/// # Errors
/// The questions that are to be asked first.
pub(super) fn left_behind(
    observed: &Observation,
    member: &Member,
) -> Result<Option<String>, BTreeSet<Ask>> {
    let Some(hop) = member.current() else {
        return Ok(None);
    };
    let query = ResourceQuery {
        account: hop.account(),
        apis: hop.facts.installs.provides.clone(),
    };
    if query.apis.is_empty() {
        return Ok(None);
    }
    let all = match observed.resources.get(&query) {
        None => return Err([Ask::Resources(Box::new(query))].into()),
        Some(Answer::Known(all)) => all,
        // Whether it goes does not hang on it.
        Some(Answer::Refused(_) | Answer::Unavailable(_)) => return Ok(None),
    };
    let all: Vec<_> = all.iter().filter(|it| it.count > 0).map(counted).collect();
    Ok((!all.is_empty()).then(|| format!("{} stay, and nobody looks after them", listed(&all))))
}

/// `3 ferries.ferry.example (harbor/a, harbor/b and 1 more)`
fn counted(resources: &CustomResources) -> String {
    let CustomResources {
        definition,
        count,
        first,
    } = resources;
    let more = match count.saturating_sub(first.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{count} {definition} ({}{more})", first.join(", "))
}
