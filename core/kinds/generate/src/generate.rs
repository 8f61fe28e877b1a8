//! Generates the objects for a request.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::additions::Search;
use crate::change::Change;
use crate::input::{Format, Inputs};
use crate::knowledge::{Ask, Knowledge, Stop};
use crate::manifest;
use crate::members::{Members, OperatorMember};
use crate::newest;
use crate::output::Output;
use crate::owner;
use crate::request::{Autoremove, Request};
use crate::sweep::Needs;
use crate::{RequestedOperator, Target};

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The caller must first answer these queries about catalogs.
    Asks(Vec<Ask>),
    Done(Box<Generated>),
}

/// The generated objects, with the changes and messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Generated {
    /// The catalogs, followed by the Operators. Empty if there are errors.
    pub objects: Vec<Value>,
    pub changes: Vec<Change>,
    /// The format of the input, in which the caller prints the output.
    pub format: Format,
    pub diagnostics: Diagnostics,
}

/// The messages for the user. Each message is a sentence. Lines with a tree of reasons may follow
/// it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
    /// The changes that were not requested, but that the request requires.
    pub notes: Vec<String>,
}

/// Generates the Operators for a request. If facts about catalogs are missing, returns the queries
/// that must be answered first.
pub fn generate(request: &Request, knowledge: &Knowledge) -> Outcome {
    let mut told = Diagnostics::default();
    match run(request, knowledge, &mut told) {
        Ok(generated) => Outcome::Done(Box::new(Generated {
            diagnostics: told,
            ..generated
        })),
        Err(Stop::Asks(asks)) => Outcome::Asks(asks),
        Err(Stop::Errors(errors)) => Outcome::Done(Box::new(Generated {
            diagnostics: Diagnostics { errors, ..told },
            ..Generated::default()
        })),
    }
}

fn run(
    request: &Request,
    knowledge: &Knowledge,
    told: &mut Diagnostics,
) -> Result<Generated, Stop> {
    refuse_nothing(request)?;
    let inputs = Inputs::read(request).map_err(Stop::Errors)?;
    told.warnings.extend(inputs.warnings.clone());
    told.notes.extend(inputs.unsafe_changes());
    let wishes = wishes(request)?;
    let mut members = Members::of(&inputs, &wishes)?;
    let deleted = deleted(request, &mut members, told)?;
    let search = Search {
        inputs: &inputs,
        knowledge,
        kubernetes: request.kubernetes.as_ref(),
        deleted: &deleted.keys().cloned().collect(),
        is_whole: request.manifest.is_some(),
    };
    if is_change(request) {
        let before = search.prepare(&mut members, deleted.clone(), told)?;
        search.refuse_cut_off(&members)?;
        search.add(&mut members, told)?;
        search.verify(&mut members, told)?;
        search.refuse_what_does_not_run(&members)?;
        search.take_away(&mut members, &deleted, &before, told)?;
        if request.autoremove != Autoremove::No {
            search.autoremove(&mut members, request.autoremove, told)?;
        }
    }
    let output = Output::of(&inputs, &members, knowledge)?;
    told.notes.extend(output.deprecations(&members));
    let mut changes = output.changes(&members);
    owner::add(&mut changes, &members, &request.owners);
    let owned = changes.iter().filter_map(|change| {
        let owner = change.owner.as_ref()?;
        Some(owner.warning(&change.name))
    });
    told.warnings.extend(owned);
    Ok(Generated {
        objects: output.objects(&members, told),
        changes,
        format: inputs.format,
        diagnostics: Diagnostics::default(),
    })
}

/// Returns true if the request changes operators.
fn is_change(request: &Request) -> bool {
    !request.wishes.is_empty()
        || !request.deletes.is_empty()
        || request.manifest.is_some()
        || request.autoremove != Autoremove::No
}

fn refuse_nothing(request: &Request) -> Result<(), Stop> {
    let has_input = request.documents.is_some();
    let sentence = match (has_input, request.deletes.is_empty(), request.autoremove) {
        (true, ..) => return Ok(()),
        (false, false, _) => "--delete removes an operator from the input of -f; add -f",
        (false, true, Autoremove::Tell | Autoremove::Remove) => {
            "--autoremove removes operators from the input of -f; add -f"
        }
        (false, true, Autoremove::No) if is_change(request) => return Ok(()),
        (false, true, Autoremove::No) => {
            "nothing is requested; name an operator, or give a manifest with -d or the current \
             configuration with -f"
        }
    };
    Err(Stop::error(sentence))
}

/// Returns the requested operators of the manifest, followed by the other requested operators,
/// without duplicates.
fn wishes(request: &Request) -> Result<Vec<RequestedOperator>, Stop> {
    let mut wishes: Vec<RequestedOperator> = Vec::new();
    let mut errors = Vec::new();
    if let Some(document) = &request.manifest {
        for wish in manifest::wishes(document).map_err(Stop::Errors)? {
            let twin = wishes.iter().find(|other| other.name == wish.name);
            match twin {
                Some(other) if other.target != wish.target => errors.push(twice(other, &wish)),
                Some(_) => {}
                None => wishes.push(wish),
            }
        }
    }
    let of_manifest = wishes.len();
    for wish in &request.wishes {
        let at = wishes.iter().position(|other| other.name == wish.name);
        match at {
            None => wishes.push(wish.clone()),
            Some(at) if wishes[at].target == wish.target => {}
            // The request names no version, so the version in the manifest applies.
            Some(at) if at < of_manifest && wish.target == Target::Latest => {}
            Some(at) if at < of_manifest && wishes[at].target == Target::Latest => {
                wishes[at] = wish.clone();
            }
            Some(at) => errors.push(twice(&wishes[at], wish)),
        }
    }
    if errors.is_empty() {
        Ok(wishes)
    } else {
        Err(Stop::Errors(errors))
    }
}

fn twice(one: &RequestedOperator, other: &RequestedOperator) -> String {
    format!(
        "{one} and {other} are both requested; request one version of {}",
        one.name
    )
}

/// Removes the operators that the request deletes from the members, and returns them. If an
/// operator does not exist, a warning is added.
fn deleted(
    request: &Request,
    members: &mut Members,
    told: &mut Diagnostics,
) -> Result<BTreeMap<String, OperatorMember>, Stop> {
    let mut deleted = BTreeMap::new();
    let mut unknown = BTreeSet::new();
    for name in &request.deletes {
        let Some(package) = members.find(name).map_err(Stop::error)? else {
            unknown.insert(name);
            continue;
        };
        if members.named.contains(&package) {
            return Err(Stop::error(format!(
                "{name} is both requested and deleted; choose one"
            )));
        }
        if let Some(member) = members.all.remove(&package) {
            deleted.insert(package, member);
        }
    }
    let unknown = unknown.into_iter().filter(|name| {
        let mut gone = deleted.values();
        !gone.any(|one| one.name == **name || one.package == **name)
    });
    told.warnings.extend(unknown.map(|name| {
        format!("--delete {name}: the input has no such Operator, so there is nothing to delete")
    }));
    Ok(deleted)
}

impl Search<'_> {
    /// Finds the catalogs and the goals of all operators. If operators are deleted, returns the
    /// current dependencies between the operators.
    fn prepare(
        &self,
        members: &mut Members,
        deleted: BTreeMap<String, OperatorMember>,
        told: &mut Diagnostics,
    ) -> Result<Needs, Stop> {
        members.find_catalogs(self.inputs, self.knowledge)?;
        newest::aim(members, self.knowledge, self.kubernetes, told)?;
        if deleted.is_empty() {
            return Ok(Needs::default());
        }
        let mut all = members.clone();
        all.all.extend(deleted);
        all.find_catalogs(self.inputs, self.knowledge)?;
        Needs::of(&all.all, |member| member.current().cloned(), self.knowledge)
    }

    /// Removes the operators that only deleted operators needed. If there is a manifest, removes
    /// all operators that it does not need.
    ///
    /// # Errors
    ///
    /// Returns an error if a remaining operator needs a deleted operator.
    fn take_away(
        &self,
        members: &mut Members,
        deleted: &BTreeMap<String, OperatorMember>,
        before: &Needs,
        told: &mut Diagnostics,
    ) -> Result<(), Stop> {
        if !deleted.is_empty() {
            let mut with_catalogs = Members {
                all: deleted.clone(),
                named: Vec::new(),
            };
            with_catalogs.find_catalogs(self.inputs, self.knowledge)?;
            self.refuse_deletions(members, &with_catalogs.all)?;
            self.sweep_after(members, before, told)?;
        }
        if self.is_whole {
            self.sweep_to_whole(members, told)?;
        }
        Ok(())
    }
}
