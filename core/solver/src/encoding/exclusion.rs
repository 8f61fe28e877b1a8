//! At most one of many, of which more come later.

use crate::sat::{Lit, Sat};

/// At most one of the literals that were admitted holds.
///
/// A chain remembers whether one before holds, so that each new literal costs three clauses however
/// many there are:
///
/// ```text
/// literals   a       b       c
///            v       v       v
/// one of     a  ->  a|b -> a|b|c     and never b with a, nor c with a|b
/// ```
#[derive(Debug, Default)]
pub(super) struct Exclusion {
    one_before: Option<Lit>,
}

// === impl Exclusion ===

impl Exclusion {
    /// Admits a literal. With a guard, only those who assume it are held to the rule.
    pub(super) fn admit(&mut self, sat: &mut Sat, guard: Option<Lit>, lit: Lit) {
        let Some(before) = self.one_before else {
            self.one_before = Some(lit);
            return;
        };
        let one = sat.auxiliary();
        sat.add([!before, one]);
        sat.add([!lit, one]);
        sat.add([!before, !lit].into_iter().chain(guard.map(|guard| !guard)));
        self.one_before = Some(one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::Found;

    #[test]
    fn any_two_exclude_each_other() {
        let mut sat = Sat::new(1_000);
        let literals: Vec<_> = (0..5).map(|_| sat.literal()).collect();
        let mut exclusion = Exclusion::default();
        for lit in &literals {
            exclusion.admit(&mut sat, None, *lit);
        }
        for (at, one) in literals.iter().enumerate() {
            assert_eq!(sat.solve(&[*one]), Found::Model);
            for other in &literals[at + 1..] {
                assert_eq!(sat.solve(&[*one, *other]), Found::Core);
            }
        }
    }
}
