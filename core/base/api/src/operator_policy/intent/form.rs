//! The two forms of a policy, and the fields that exist in only one form.

use super::SPEC_FIELDS;
use crate::place::ManifestPlace;
use crate::refusal::{Flaw, Refusal};

/// The form of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The form with the field `allowedCSVs`.
    Design,
    /// The form with the fields `complianceType` and `upgradeApproval`.
    Established,
}

/// The field that determines the form. Only the design form has it.
const ALLOWED: &str = "allowedCSVs";

/// The fields of the spec that only the established form has, each with a remedy.
pub(crate) const ESTABLISHED_ONLY: &[(&str, &str)] = &[
    (
        "complianceType",
        "remove this field: with spec.allowedCSVs, the operator must be installed, and is removed \
         when the policy is deleted",
    ),
    ("versions", "list the versions in spec.allowedCSVs"),
    (
        "upgradeApproval",
        "remove this field: upgrades to versions in spec.allowedCSVs are approved",
    ),
    ("complianceConfig", "use spec.statusConfig"),
];

/// The fields of the spec that only the design form has, each with a remedy.
pub(crate) const DESIGN_ONLY: &[(&str, &str)] = &[("statusConfig", "use spec.complianceConfig")];

/// The required fields of the established form, each with a remedy.
pub(crate) const ESTABLISHED_REQUIRED: &[(&str, &str)] = &[
    (
        "complianceType",
        "write musthave or mustnothave, or list the allowed versions in spec.allowedCSVs",
    ),
    (
        "upgradeApproval",
        "write Automatic or None, or list the allowed versions in spec.allowedCSVs",
    ),
];

impl Form {
    /// Returns the form. A policy with the field `allowedCSVs` has the design form, whether its
    /// value is valid or not. A misspelled `allowedCSVs` also counts, so that error messages fit
    /// the intended form.
    pub(crate) fn of(spec: &ManifestPlace<'_>) -> Self {
        let is_design = spec.field(ALLOWED).is_given() || spec.misspells(ALLOWED, SPEC_FIELDS);
        if is_design {
            Self::Design
        } else {
            Self::Established
        }
    }

    /// Returns true if dependencies may be installed without a policy of their own.
    pub(crate) fn allows_dependencies(self) -> bool {
        match self {
            Self::Design => false,
            Self::Established => true,
        }
    }

    pub(crate) fn refuse_fields_of_the_other(
        self,
        spec: &ManifestPlace<'_>,
        refused: &mut Vec<Refusal>,
    ) {
        let foreign = match self {
            Self::Design => ESTABLISHED_ONLY,
            Self::Established => DESIGN_ONLY,
        };
        for (name, instead) in foreign {
            self.refuse_given(&spec.field(name), instead, refused);
        }
    }

    /// Adds an error if a field of the other form is set.
    pub(crate) fn refuse_given(
        self,
        place: &ManifestPlace<'_>,
        instead: &'static str,
        refused: &mut Vec<Refusal>,
    ) {
        if place.is_given() {
            let form = self;
            place.refuse(Flaw::OtherForm { form, instead }, refused);
        }
    }

    pub(crate) fn require_fields(self, spec: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) {
        let required: &[_] = match self {
            Self::Design => &[],
            Self::Established => ESTABLISHED_REQUIRED,
        };
        for (name, way_out) in required {
            spec.field(name).require(way_out, refused);
        }
    }
}
