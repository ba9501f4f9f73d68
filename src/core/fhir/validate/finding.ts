/** The findings of a validation. Source: https://hl7.org/fhir/R4/validation.html */

/**
 * The rules that a resource can break. A body that breaks a rule of status 400 is not FHIR; one that breaks a rule of
 * status 422 is FHIR, but not allowed. See docs/reference/behaviour.md, Status codes.
 */
export const FINDING_RULES = {
  /** A member that the type does not have. */
  unknownElement: { status: 400, code: 'structure' },
  /** An object for a primitive, an array for a single element, null without a companion, something empty … */
  wrongShape: { status: 400, code: 'structure' },
  /** Fewer or more values than the type allows; two types of one choice. */
  cardinality: { status: 400, code: 'structure' },
  requiredMissing: { status: 400, code: 'required' },
  /** A primitive that is not what its type allows. */
  malformedPrimitive: { status: 400, code: 'value' },
  /** A code that the bound value set does not have. */
  binding: { status: 422, code: 'code-invalid' },
  /** A FHIRPath constraint of the specification or of a profile. */
  invariant: { status: 422, code: 'invariant' },
  /** Any other requirement of a profile. */
  profile: { status: 422, code: 'structure' },
  /** A requirement of the Questionnaire on its responses. */
  questionnaire: { status: 422, code: 'business-rule' },
  /** A profile, value set or code system that could not be found. */
  unresolved: { status: 422, code: 'not-found' },
  /** A reference to a type that the element does not allow. */
  reference: { status: 422, code: 'structure' },
  /** Narrative that is not the XHTML that FHIR allows. */
  narrative: { status: 422, code: 'invalid' },
  /** A rule that only the text of the specification states. */
  business: { status: 422, code: 'business-rule' },
  /** A limit ended the validation early. */
  tooCostly: { status: 422, code: 'too-costly' },
} as const satisfies Record<string, { readonly status: 400 | 422; readonly code: string }>;

export type FindingRule = keyof typeof FINDING_RULES;

export type FindingSeverity = 'error' | 'warning' | 'information';

/** One fault. */
export interface Finding {
  readonly rule: FindingRule;
  readonly severity: FindingSeverity;
  /** A sentence that a person can act on: what was found, what is allowed. */
  readonly diagnostics: string;
  /** FHIRPath: `Patient.contact[0].relationship[1].coding[0].code`, `Observation.value.ofType(Quantity)`. */
  readonly expression: string;
}
