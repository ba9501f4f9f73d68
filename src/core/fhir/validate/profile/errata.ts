/**
 * Expressions in profiles of the specification that do not say what they mean, wherever a profile has inherited them.
 * Those of the base types stand in ../invariants/errata.ts.
 */
import type { ProfileConstraint } from './element';

export interface ProfileErratum {
  readonly key: string;
  /** As published. */
  readonly expression: string;
  readonly replacement: string;
  /** What goes wrong, and what justifies the replacement. */
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
];

/** The constraint with the expression that is run for it. */
export function corrected(constraint: ProfileConstraint): ProfileConstraint {
  const erratum = PROFILE_ERRATA.find(
    ({ key, expression }) => key === constraint.key && expression === constraint.expression,
  );
  return erratum ? { ...constraint, expression: erratum.replacement } : constraint;
}
