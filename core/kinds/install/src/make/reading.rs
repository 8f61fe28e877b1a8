//! Parses single manifests. The parser accepts the same manifests that the controller accepts in a
//! plan.

use std::collections::BTreeMap;

use portolan_api::plan::{InstallPlan, Intent};
use portolan_core_names::ObjectRef;
use serde_json::{Value, json};

use super::annotations::Ordered;
use super::kinds::{Brought, no_object, no_texts};
use super::{Flaw, Recipe, kapp};
use crate::manifest::{Contents, ManifestFault, Member, Members};

/// A parsed manifest, with its index in the input and its position in the plan.
pub(super) struct Read {
    pub(super) place: usize,
    pub(super) member: Member,
    pub(super) ordered: Ordered,
}

/// The occasion for which the plan is made, installation or upgrade. It determines which hooks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    Install,
    Upgrade,
    /// The plan is used for installations and upgrades.
    Either,
}

/// The settings with which manifests are read.
pub(super) struct Reading<'r> {
    pub(super) recipe: &'r Recipe,
    pub(super) brought: &'r Brought,
    pub(super) occasion: Occasion,
}

impl Reading<'_> {
    /// Reads all manifests, and sorts them by their position in the plan.
    pub(super) fn all(&self, manifests: &[Value], flaws: &mut Vec<Flaw>) -> Vec<Read> {
        let (mut all, mut places) = (Vec::new(), BTreeMap::<ObjectRef, usize>::new());
        for (place, manifest) in manifests.iter().enumerate() {
            let mut flaw = |sentence: String| {
                flaws.push(Flaw {
                    manifest: Some(place),
                    sentence,
                });
            };
            if let Some(sentence) = no_object(manifest) {
                flaw(sentence.to_owned());
                continue;
            }
            match self.one(manifest) {
                Ok((member, ordered)) => match places.insert(member.identity.clone(), place) {
                    Some(_) => flaw(format!(
                        "{} is already listed; remove one of the two manifests",
                        member.identity
                    )),
                    None => all.push(Read {
                        place,
                        member,
                        ordered,
                    }),
                },
                Err(sentences) => sentences.into_iter().for_each(&mut flaw),
            }
        }
        if self.recipe.heeds_annotations {
            flaws.extend(put_in_steps(&mut all));
        }
        let stage = |read: &Read| self.brought.stage(&read.member.identity.kind);
        all.sort_by_key(|read| {
            let Ordered {
                turn, is_hook_job, ..
            } = read.ordered;
            (turn, is_hook_job, stage(read), read.place)
        });
        all
    }

    fn one(&self, manifest: &Value) -> Result<(Member, Ordered), Vec<String>> {
        let manifest = self
            .brought
            .placed(manifest, self.recipe.namespace.as_deref());
        let member = read(&manifest)?;
        let usual = Ordered::by_kind(self.brought.stage(&member.identity.kind));
        let ordered = if self.recipe.heeds_annotations {
            Ordered::read(&member, self)
        } else {
            Ok(usual)
        };
        let (ordered, mut flaws) = match ordered {
            Ok(ordered) => (ordered, Vec::new()),
            Err(flaws) => (usual, flaws),
        };
        flaws.extend(self.brought.misplaced(&member));
        flaws.extend(self.brought.misnamed(&member));
        flaws.extend(no_texts(&member.manifest));
        if flaws.is_empty() {
            return Ok((member, ordered));
        }
        let identity = &member.identity;
        Err(flaws
            .iter()
            .map(|flaw| format!("{identity} {flaw}"))
            .collect())
    }
}

/// Moves manifests to the steps that kapp's rules define.
fn put_in_steps(all: &mut [Read]) -> Vec<Flaw> {
    let members: Vec<_> = all.iter().map(|read| &read.member).collect();
    let steps = match kapp::steps(&members) {
        Ok(steps) => steps,
        Err(flaws) => {
            let flaws = flaws.into_iter().map(|(at, sentence)| Flaw {
                manifest: Some(all[at].place),
                sentence: format!("{} {sentence}", all[at].member.identity),
            });
            return flaws.collect();
        }
    };
    let others = all.iter().find(|read| read.ordered.is_elsewhere());
    if let (true, Some(other)) = (steps.iter().any(|step| *step > 0), others) {
        let sentence = format!(
            "{} is ordered by annotations of Helm or Argo CD, but other manifests are ordered by \
             annotations of kapp; use the annotations of only one tool",
            other.member.identity
        );
        let manifest = Some(other.place);
        return vec![Flaw { manifest, sentence }];
    }
    for (read, step) in all.iter_mut().zip(steps) {
        read.ordered.comes_in(step);
    }
    Vec::new()
}

/// Reads one manifest in the same way as the controller reads it in a plan.
fn read(manifest: &Value) -> Result<Member, Vec<String>> {
    let stage = json!({"name": "all", "resources": [{"manifest": manifest}]});
    let spec = json!({"serviceAccountName": "none", "stages": [stage]});
    let plan = InstallPlan::new("none", spec.into());
    let intent = Intent::parse(&plan).map_err(|refusals| vec![refusals.to_string()])?;
    let members = Members::read(&intent, &ObjectRef::default(), &Contents::default());
    let members = members.map_err(|faults| faults.iter().map(sentence).collect::<Vec<_>>())?;
    Ok(members[0].clone())
}

fn sentence(fault: &ManifestFault) -> String {
    let sentence = &fault.sentence;
    match &fault.object {
        Some(object) => format!("{object} {sentence}"),
        None => format!("the manifest {sentence}"),
    }
}
