/** HL7's cases of FHIRPath Patch; over HTTP: test/rest/fhirpath-patch-cases.test.ts. */
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { applyFhirPathPatch, dropGeneratedNarrative } from '../../../src/core/fhir/patch';
import { limits, toParameters } from '../../support/fhirpath-patch';
import { fhirPathPatchCases } from '../../support/fhirpath-patch-cases';
import { refusalOf } from './refusal';
import { TESTED_RELEASES } from '../../support/releases';

describe.each(TESTED_RELEASES)('under %s', (release) => {
  test.each(fhirPathPatchCases)(
    "a FHIRPath Patch does what HL7's case says: %s",
    (_name, before, steps, after) => {
      const current = { value: { resourceType: 'Patient', ...before }, marked: false };
      const run = (): unknown => {
        const patched = applyFhirPathPatch(current, toParameters(...steps), loadDefinitions(release), limits);
        return dropGeneratedNarrative(current, patched).value;
      };
      if (after === undefined) {
        expect(refusalOf(run)).toMatchObject({
          key: 'patchNotApplicable',
          expression: 'Parameters.parameter[0].part[1].value',
        });
      } else expect(run()).toEqual({ resourceType: 'Patient', ...after });
    },
  );
});
