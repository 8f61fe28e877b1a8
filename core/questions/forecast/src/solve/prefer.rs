//! The search for what is preferred.
//!
//! Choices wait in a line. The first is taken, its next candidate is guessed, and the choices that
//! come with the candidate go to the end of the line. A guess that is hopeless at once is taken
//! back, and the choice comes to the head of the line with its next candidate. A choice whose
//! candidates have all failed is passed over, and stays so while earlier guesses change, unless
//! one of these brought it: then it is tried again. This is the search of OLM, oddities included.

use std::collections::{BTreeSet, VecDeque};

use super::trail::Trail;
use super::{GaveUp, Var, refute};

/// One of the candidates has to be there.
#[derive(Debug, Clone)]
struct Choice {
    /// The next candidate to guess.
    next: usize,
    candidates: Vec<Var>,
}

#[derive(Debug)]
struct Guess {
    choice: Choice,
    /// None if the choice is made already, or if all candidates failed.
    guessed: Option<Var>,
    /// The mark of what was known before.
    mark: usize,
    /// The number of choices that it brought.
    brought: usize,
}

#[derive(Debug)]
struct Search<'t, 'f> {
    trail: &'t mut Trail<'f>,
    line: VecDeque<Choice>,
    guesses: Vec<Guess>,
    guessed: BTreeSet<Var>,
}

/// Makes the choices that OLM makes where there is a solution.
pub(super) fn choose(trail: &mut Trail<'_>) -> Result<BTreeSet<Var>, GaveUp> {
    // There is a solution, so nothing contradicts itself.
    let _ = trail.start()?;
    let anchors = trail.formula.anchors().into_iter();
    let line = anchors.map(|anchor| Choice {
        next: 0,
        candidates: vec![anchor],
    });
    let mut search = Search {
        line: line.collect(),
        trail,
        guesses: Vec::new(),
        guessed: BTreeSet::new(),
    };
    let model = search.run()?;
    let guessed = search.guessed;
    without_extras(trail, guessed, &model)
}

// === impl Search ===

impl Search<'_, '_> {
    fn run(&mut self) -> Result<Vec<Var>, GaveUp> {
        let mut is_hopeless = false;
        loop {
            if self.line.is_empty() && !is_hopeless {
                match refute::complete(self.trail)? {
                    Ok(model) => return Ok(model),
                    Err(_) => is_hopeless = true,
                }
            }
            if is_hopeless {
                // What is passed over changes nothing, so going on from there would not help.
                is_hopeless = !self.take_back();
            } else {
                is_hopeless = self.guess()?;
            }
        }
    }

    /// Makes the first choice of the line. Whether that is hopeless at once.
    fn guess(&mut self) -> Result<bool, GaveUp> {
        let Some(choice) = self.line.pop_front() else {
            return Ok(false);
        };
        let is_made = choice
            .candidates
            .iter()
            .any(|var| self.guessed.contains(var));
        let candidate = choice.candidates.get(choice.next).copied();
        let guessed = candidate.filter(|_| !is_made);
        let mut guess = Guess {
            choice,
            guessed,
            mark: self.trail.mark(),
            brought: 0,
        };
        let mut is_hopeless = false;
        if let Some(var) = guessed {
            for candidates in self.trail.formula.choices(var) {
                if !candidates.is_empty() {
                    guess.brought += 1;
                    let candidates = candidates.to_vec();
                    self.line.push_back(Choice {
                        next: 0,
                        candidates,
                    });
                }
            }
            self.guessed.insert(var);
            is_hopeless = self.trail.assume(var, true)?.is_err();
        }
        self.guesses.push(guess);
        Ok(is_hopeless)
    }

    /// Takes back the last guess. Whether something was guessed there.
    fn take_back(&mut self) -> bool {
        let Some(guess) = self.guesses.pop() else {
            return true;
        };
        let Guess {
            mut choice,
            guessed,
            mark,
            brought,
        } = guess;
        if let Some(var) = guessed {
            self.guessed.remove(&var);
            self.trail.back(mark);
            choice.next += 1;
        }
        self.line.truncate(self.line.len() - brought);
        self.line.push_front(choice);
        guessed.is_some()
    }
}

/// A solution with all that was guessed, and of the rest of the model no more than it takes.
///
/// There is a rest only where a choice was passed over, and there OLM takes what it happens on.
fn without_extras(
    trail: &mut Trail<'_>,
    mut kept: BTreeSet<Var>,
    model: &[Var],
) -> Result<BTreeSet<Var>, GaveUp> {
    let mut extras: BTreeSet<Var> = model
        .iter()
        .copied()
        .filter(|var| !kept.contains(var))
        .collect();
    for extra in extras.clone().into_iter().rev() {
        let _ = trail.start()?;
        let may_be = |var: &Var| *var != extra && (kept.contains(var) || extras.contains(var));
        let mut is_enough = true;
        for var in 0..trail.formula.vars {
            is_enough &= trail.assume(var, may_be(&var))?.is_ok();
        }
        if is_enough {
            extras.remove(&extra);
        }
    }
    kept.append(&mut extras);
    Ok(kept)
}
