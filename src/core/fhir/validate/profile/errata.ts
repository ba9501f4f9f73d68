/**
 * Corrections of expressions in profiles of the specification and of well-known guides that do not express their
 * intent. They also apply to profiles that inherit such an expression. ../invariants/errata.ts has those of the base types.
 */
import type { ProfileConstraint } from './element';

export interface ProfileErratum {
  /** The guide that publishes it; left out: the specification. */
  readonly guide?: string;
  readonly key: string;
  /** As published. */
  readonly expression: string;
  readonly replacement: string;
  /** The fault of the expression, and the reason for the replacement. */
  readonly reason: string;
}

export const PROFILE_ERRATA: readonly ProfileErratum[] = [
  {
    key: 'vs-1',
    expression: '($this as dateTime).toString().length() >= 8',
    replacement: '$this is dateTime implies $this.toString().length() >= 8',
    reason:
      'Empty, and so not true, for a Period, which vitalsigns allows: "if Observation.effective[x] is dateTime and has ' +
      'a value then that value shall be precise to the day". R5 begins the expression with "$this is dateTime implies".',
  },
  {
    key: 'inv-1',
    expression: 'substanceExposureRisk.exists() and code.empty()',
    replacement: '%resource.ofType(AllergyIntolerance).code.empty()',
    reason:
      'It is run on the extension substanceExposureRisk, which has neither element: "If the substanceExposureRisk ' +
      'extension element is present, the AllergyIntolerance.code element must be omitted".',
  },
  {
    guide: 'hl7.fhir.us.core 3 to 6',
    key: 'pd-1',
    expression: 'telecom or endpoint',
    replacement: 'telecom.exists() or endpoint.exists()',
    reason:
      '`or` takes one Boolean on each side, and a PractitionerRole may have several telecoms: "SHALL have contact ' +
      'information or a reference to an Endpoint".',
  },
];

/** Returns the constraint with the expression to evaluate. */
export function corrected(constraint: ProfileConstraint): ProfileConstraint {
  const erratum = PROFILE_ERRATA.find(
    ({ key, expression }) => key === constraint.key && expression === constraint.expression,
  );
  return erratum ? { ...constraint, expression: erratum.replacement } : constraint;
}
