/**
 * POST {root}/StructureDefinition/$snapshot and {root}/StructureDefinition/{id}/$snapshot
 *
 * In: definition (inline) or url (`url|version`) at type level.
 * Result: the StructureDefinition with a snapshot made from its differential; unchanged without a differential.
 * https://hl7.org/fhir/R4/structuredefinition-operation-snapshot.html
 */
import { FhirError, type Issue } from '../errors';
import { type JsonObject, parseStoredObject } from '../fhir/json';
import { parseCanonical } from '../fhir/terminology/source';
import { FINDING_RULES } from '../fhir/validate/finding';
import { generateSnapshot, type StructureSource } from '../fhir/validate/profile/snapshot';
import { type OperationEnvironment } from '../operation-types/environment';
import { type ReadOperation } from '../operation-types/operation';
import { findNamed } from './terminology';

const ROOT = 'StructureDefinition';

export const structureDefinitionSnapshot: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/StructureDefinition-snapshot',
  async run(environment, input) {
    const structure = await findNamed(environment, input, { type: ROOT, inline: 'definition' });
    const { elements, findings } = await generateSnapshot(structure, structuresOf(environment));
    const place = input.parameters.first('definition')?.expression ?? ROOT;
    const issues = findings
      .filter(({ severity }) => severity === 'error')
      .map(({ rule, severity, diagnostics, expression }): Issue => {
        const { code } = FINDING_RULES[rule];
        return { severity, code, diagnostics, expression: place + expression.slice(ROOT.length) };
      });
    if (elements === undefined || issues.length > 0) throw new FhirError('snapshotImpossible', issues);
    return { resource: withSnapshot(structure, elements), madeFrom: structure };
  },
};

/** Finds StructureDefinitions of the tenant, then of the release. */
function structuresOf(environment: OperationEnvironment): StructureSource {
  return async (canonical) => {
    const { url, version } = parseCanonical(canonical);
    const found = await environment.findCanonical(ROOT, url, version);
    return found === undefined ? undefined : parseStoredObject(found.text);
  };
}

/** The snapshot precedes the differential, as in the definition of the type. */
function withSnapshot(structure: JsonObject, elements: readonly JsonObject[]): JsonObject {
  const { snapshot: _old, differential, ...rest } = structure;
  const snapshot = { element: [...elements] };
  return differential === undefined ? { ...rest, snapshot } : { ...rest, snapshot, differential };
}
