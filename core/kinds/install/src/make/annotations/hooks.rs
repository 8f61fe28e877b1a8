//! Reads which phase a hook of Helm or Argo CD belongs to.

use serde_json::Value;

use super::{ARGO_HOOK, HELM_HOOK, PRUNE_SAFE, Phase, annotation, words};
use crate::make::reading::Occasion;

/// Returns the phase of a hook. Returns None if the manifest is not a hook.
pub(super) fn hook(manifest: &Value, occasion: Occasion) -> Result<Option<Phase>, String> {
    let [helm, argo] =
        [HELM_HOOK, ARGO_HOOK].map(|key| annotation(manifest, key).map(|_| words(manifest, key)));
    match (helm, argo) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err(format!(
            "has the annotations {HELM_HOOK} and {ARGO_HOOK}; remove one of the two annotations"
        )),
        (Some(words), None) => of_helm(&words.collect::<Vec<_>>(), occasion).map(Some),
        (None, Some(words)) => of_argo(&words.collect::<Vec<_>>()).map(Some),
    }
}

fn of_argo(words: &[&str]) -> Result<Phase, String> {
    match words {
        ["PreSync"] => Ok(Phase::Before),
        ["Sync"] => Ok(Phase::Main),
        ["PostSync"] => Ok(Phase::After),
        _ => Err(inexpressible(
            ARGO_HOOK,
            words,
            "PreSync, Sync or PostSync alone",
        )),
    }
}

fn of_helm(words: &[&str], occasion: Occasion) -> Result<Phase, String> {
    let has = |word: &str| words.contains(&word);
    let phases = [
        (Phase::Before, "pre-install", "pre-upgrade"),
        (Phase::After, "post-install", "post-upgrade"),
    ];
    let found = phases.into_iter().find(|(_, install, upgrade)| {
        let is_known = |word: &&str| word == install || word == upgrade;
        !words.is_empty() && words.iter().all(is_known)
    });
    let Some((phase, install, upgrade)) = found else {
        let known = "pre-install and pre-upgrade, or post-install and post-upgrade";
        return Err(inexpressible(HELM_HOOK, words, known));
    };
    let without = |word, why| (!has(word)).then_some((word, why));
    let missing = match occasion {
        Occasion::Install => without(install, "replaces no other plan is an installation"),
        Occasion::Upgrade => without(upgrade, "replaces another plan is an upgrade"),
        Occasion::Either => without(install, PRUNE_SAFE).or(without(upgrade, PRUNE_SAFE)),
    };
    match missing {
        None => Ok(phase),
        Some((word, why)) => Err(format!(
            "has the annotation {HELM_HOOK}: {}, and a plan that {why}; leave the object out, or add \
             {word} to the annotation",
            words.join(",")
        )),
    }
}

fn inexpressible(key: &str, words: &[&str], known: &str) -> String {
    let said = words.join(",");
    format!(
        "has the annotation {key}: {said:?}, which a plan cannot represent; leave the object out, \
         or write {known}"
    )
}
