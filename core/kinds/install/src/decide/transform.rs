//! Transformations. A transformation deletes existing objects that members of the plan replace.
//!
//! ```text
//! selected -> recorded with their uids -> deleted -> gone
//! Before: the first stage with a target in `to` begins only after that
//! After:  the last such stage ends only after that
//! ```

use std::collections::BTreeSet;

use portolan_api::plan::{
    LINEAGE, MemberState, MemberStatus, Moment, Reason, Selection, Taken, Target, Transformation,
    Transformed,
};
use portolan_core_names::object::split_api_version;
use portolan_core_names::text::{counted, listed, plain};
use portolan_core_names::{GroupKind, ObjectRef};

use super::case::{PlanContext, unanswered};
use super::decision::{Ask, Step};
use super::observation::{ObjectRead, SelectableObject, Selected};
use super::report::UndatedCondition;
use super::{Halt, invalid};
use crate::manifest::{Member, Members};
use crate::object::{held_by, holding, is_terminating, text};

/// The progress of the transformations of a plan.
pub(super) struct Transformations {
    /// The transformations that have begun.
    pub(super) all: Vec<Transformed>,
    pub(super) steps: Vec<Step>,
    /// The status of each object that must still be deleted.
    pub(super) members: Vec<MemberStatus>,
    /// The condition that reports why a transformation cannot begin. None if there is no such
    /// reason.
    pub(super) wrong: Option<UndatedCondition>,
}

impl Transformations {
    pub(super) fn new(all: Vec<Transformed>) -> Self {
        Self {
            all,
            steps: Vec::new(),
            members: Vec::new(),
            wrong: None,
        }
    }

    /// Continues the transformations that run before or after this stage. Returns true if all their
    /// objects are gone.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the facts to look up first.
    pub(super) fn run(
        &mut self,
        case: &PlanContext<'_>,
        (stage, moment): (usize, Moment),
        is_resting: bool,
    ) -> Result<bool, Halt> {
        let mut is_done = true;
        let all = case.intent.transformations.iter().enumerate();
        for (index, transformation) in all {
            let is_now = transformation.order == moment
                && self::stage(case.members, transformation) == Some(stage);
            if is_now {
                is_done &= self.one(case, (index, transformation), is_resting)?;
            }
        }
        Ok(is_done)
    }

    fn one(
        &mut self,
        case: &PlanContext<'_>,
        (index, transformation): (usize, &Transformation),
        is_resting: bool,
    ) -> Result<bool, Halt> {
        let at = u32::try_from(index).unwrap_or(u32::MAX);
        let Some(known) = self.all.iter().position(|known| known.index == at) else {
            if is_resting {
                return Ok(false);
            }
            return self.begin(case, (index, transformation), at);
        };
        if self.all[known].is_done {
            return Ok(true);
        }
        let mut is_done = true;
        for taken in self.all[known].objects.clone() {
            if let Some((state, sentence, step)) = standing(case, &taken)? {
                is_done = false;
                self.steps.extend(step.filter(|_| !is_resting));
                self.members.push(object_status(
                    case,
                    transformation,
                    &taken,
                    (state, &sentence),
                ));
            }
        }
        self.all[known].is_done = is_done;
        Ok(is_done)
    }

    /// Records the objects that a transformation selects. If it selects too many objects, none is
    /// recorded, so none is deleted.
    fn begin(
        &mut self,
        case: &PlanContext<'_>,
        (index, transformation): (usize, &Transformation),
        at: u32,
    ) -> Result<bool, Halt> {
        let mut taken = BTreeSet::new();
        let mut asks = BTreeSet::new();
        for selection in &transformation.from {
            let place = (
                kind(&selection.api_version, &selection.kind),
                selection.namespace.clone(),
            );
            match case.observed.selected.get(&place) {
                None => drop(asks.insert(Ask::Selected(place.0, place.1))),
                Some(Selected::Unreadable(sentence)) => {
                    let kind = &place.0;
                    let sentence =
                        format!("spec.transformations[{index}]: cannot list {kind}: {sentence}");
                    self.wrong = Some(UndatedCondition::no(Reason::WriteRejected, sentence));
                    return Ok(false);
                }
                Some(Selected::All(objects)) => {
                    let objects = objects
                        .iter()
                        .filter(|object| is_taken(case, selection, object));
                    taken.extend(
                        objects.map(|object| (object.identity.clone(), object.uid.clone())),
                    );
                }
            }
        }
        if !asks.is_empty() {
            return Err(Halt::Ask(asks));
        }
        let most = transformation.max as usize;
        if taken.len() > most {
            let objects = counted(taken.len() as i64, "object");
            let sentence = format!(
                "spec.transformations[{index}] selects {objects}, but max is {most}; nothing is \
                 deleted until fewer objects are selected: {}",
                listed(taken.iter().take(most.max(3)).map(|(identity, _)| identity))
            );
            self.wrong = Some(UndatedCondition::no(Reason::SelectionTooLarge, sentence));
            return Ok(false);
        }
        let objects = taken.into_iter().map(|(identity, uid)| Taken {
            group: identity.kind.group,
            kind: identity.kind.kind,
            namespace: identity.namespace,
            name: identity.name,
            uid,
        });
        self.all.push(Transformed {
            index: at,
            objects: objects.collect(),
            is_done: false,
        });
        Ok(false)
    }
}

/// Returns true if the transformation deletes this object: the selection matches it, and no
/// existing plan contains it.
fn is_taken(case: &PlanContext<'_>, selection: &Selection, object: &SelectableObject) -> bool {
    let lineage = object.labels.get(LINEAGE.name());
    let is_of_plan = lineage.is_some_and(|lineage| !case.observed.living.is_gone(lineage));
    // The cheap checks come first, so that the search through the members is needed only for few
    // objects.
    selection.by.matches(&object.identity.name, &object.labels)
        && !is_of_plan
        && case.members.get(&object.identity).is_none()
}

/// Returns the state of a recorded object, with a message and the step that deletes it. Returns
/// None if the object is gone.
fn standing(
    case: &PlanContext<'_>,
    taken: &Taken,
) -> Result<Option<(MemberState, String, Option<Step>)>, Halt> {
    let identity = identity(taken);
    let object = match case.observed.objects.get(&identity) {
        None => return Err(Ask::Object(identity).into()),
        Some(ObjectRead::Absent) => return Ok(None),
        Some(ObjectRead::Unreadable(sentence)) => {
            let sentence = format!("cannot be read: {sentence}");
            return Ok(Some((MemberState::Held, sentence, None)));
        }
        Some(ObjectRead::Unanswered(sentence)) => {
            return Ok(Some((MemberState::Held, unanswered(sentence), None)));
        }
        Some(ObjectRead::Present(object)) if text(object, "/metadata/uid") == taken.uid => object,
        Some(ObjectRead::Present(_)) => return Ok(None),
    };
    if is_terminating(object) {
        let sentence = format!("is being deleted{}", held_by(object, ", "));
        return Ok(Some((MemberState::Terminating, sentence, None)));
    }
    let step = Step::Delete {
        object: identity,
        uid: taken.uid.clone(),
    };
    Ok(Some((
        MemberState::Remaining,
        "will be deleted".to_owned(),
        Some(step),
    )))
}

fn object_status(
    case: &PlanContext<'_>,
    transformation: &Transformation,
    taken: &Taken,
    (state, sentence): (MemberState, &str),
) -> MemberStatus {
    let stage = stage(case.members, transformation).unwrap_or_default();
    let identity = identity(taken);
    let finalizers = match case.observed.objects.get(&identity) {
        Some(ObjectRead::Present(object)) => holding(object),
        Some(ObjectRead::Absent | ObjectRead::Unreadable(_) | ObjectRead::Unanswered(_)) | None => {
            Vec::new()
        }
    };
    MemberStatus {
        finalizers,
        ..MemberStatus::new(
            (&case.intent.stages[stage].name, 0),
            identity.to_string(),
            state,
            plain(sentence),
        )
    }
}

pub(super) fn identity(taken: &Taken) -> ObjectRef {
    ObjectRef {
        kind: GroupKind::new(&taken.group, &taken.kind),
        namespace: taken.namespace.clone(),
        name: taken.name.clone(),
    }
}

fn kind(api_version: &str, kind: &str) -> GroupKind {
    GroupKind::new(split_api_version(api_version).0, kind)
}

/// Returns the kinds that the transformations select from, each with its namespace. None means all
/// namespaces.
pub(super) fn places(transformations: &[Transformation]) -> BTreeSet<(GroupKind, Option<String>)> {
    let selections = transformations.iter().flat_map(|one| &one.from);
    let places = selections.map(|selection| {
        (
            kind(&selection.api_version, &selection.kind),
            selection.namespace.clone(),
        )
    });
    places.collect()
}

/// Returns the stage before or after which the transformation runs.
fn stage(members: &Members, transformation: &Transformation) -> Option<usize> {
    let stages = transformation.to.iter();
    let stages = stages.filter_map(|target| Some(member(members, target)?.place.stage));
    match transformation.order {
        Moment::Before => stages.min(),
        Moment::After => stages.max(),
    }
}

fn member<'m>(members: &'m Members, target: &Target) -> Option<&'m Member> {
    let wanted = ObjectRef {
        kind: kind(&target.api_version, &target.kind),
        namespace: target.namespace.clone(),
        name: target.name.clone(),
    };
    members.get(&wanted)
}

/// Checks the transformations of a plan. They must refer to members of this plan, and must not
/// select kinds that contain data of other users.
pub(super) fn form(case: &PlanContext<'_>) -> Result<(), Halt> {
    let mut wrong = Vec::new();
    for (index, one) in case.intent.transformations.iter().enumerate() {
        for (at, selection) in one.from.iter().enumerate() {
            let kind = kind(&selection.api_version, &selection.kind);
            if kind.is_precious() {
                wrong.push(format!(
                    "spec.transformations[{index}].from[{at}] is a {kind}, which contains data of \
                     other users; delete this object by hand"
                ));
            }
        }
        for (at, target) in one.to.iter().enumerate() {
            if member(case.members, target).is_none() {
                wrong.push(format!(
                    "spec.transformations[{index}].to[{at}] is not an object of the plan; name an \
                     object of the plan"
                ));
            }
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(invalid(UndatedCondition::no(
        Reason::SpecInvalid,
        wrong.join(". "),
    )))
}
