/**
 * POST|GET {root}/CodeSystem/$lookup
 *
 * In: code with system (and version), or coding; displayLanguage, property (repeated: only these),
 * useSupplement, tx-resource.
 * Result: name, version, display, designation, property, as the code system has them; used-supplement; issues: properties that it
 * does not have.
 * https://hl7.org/fhir/R4/codesystem-operation-lookup.html
 */
import { fhirError } from '../errors';
import { lookUp, unknownProperties } from '../fhir/terminology/lookup';
import { withConcepts } from '../fhir/terminology/stored-code-system';
import { withSupplements } from '../fhir/terminology/supplements';
import { type ReadOperation } from '../operation-types/operation';
import { withRequestResources } from './request-resources';
import {
  codeToLookUp,
  displayLanguageOf,
  findCodeSystem,
  NO_PAST,
  refuseParameters,
  requireSupplements,
} from './terminology';
import { terminologyOf } from '../terminology/terminology-source';

export const codeSystemLookup: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/CodeSystem-lookup',
  takesOthers: true,
  async run(given, input) {
    const environment = withRequestResources(given, input.parameters);
    const { parameters } = input;
    refuseParameters(input, NO_PAST);
    const { system, version, code } = codeToLookUp(parameters);
    const supplements = await requireSupplements(terminologyOf(environment), parameters);
    const codeSystem = withSupplements(await findCodeSystem(environment, system, version), supplements);
    const displayLanguage = displayLanguageOf(input);
    return withConcepts(environment, () => {
      const concept = codeSystem.find(code);
      if (concept === undefined) {
        const reason = `The code system ${system} has no code '${code}'`;
        throw fhirError('notFoundInTerminology', { reason }, parameters.first('code')?.expression);
      }
      const properties = parameters.texts('property');
      const unknown = unknownProperties(codeSystem, concept, properties).map((property) => ({
        severity: 'warning',
        code: 'not-found',
        diagnostics: `The code system ${system} has no property '${property.slice(0, 80)}'`,
      }));
      return {
        parameters: [
          ...lookUp(codeSystem, concept, { properties, displayLanguage }),
          ...(codeSystem.supplements ?? []).map((canonical) => ({
            name: 'used-supplement',
            valueCanonical: canonical,
          })),
          ...(unknown.length === 0
            ? []
            : [{ name: 'issues', resource: { resourceType: 'OperationOutcome', issue: unknown } }]),
        ],
      };
    });
  },
};
