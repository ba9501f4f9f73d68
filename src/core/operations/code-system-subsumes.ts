/**
 * POST|GET {root}/CodeSystem/$subsumes and {root}/CodeSystem/{id}/$subsumes
 *
 * In: codeA and codeB with system at type level (and version), or codingA and codingB; tx-resource.
 * Result: outcome: equivalent, subsumes, subsumed-by or not-subsumed.
 * https://hl7.org/fhir/R4/codesystem-operation-subsumes.html
 */
import { fhirError } from '../errors';
import { type CodeSystem } from '../fhir/terminology/code-system';
import { withConcepts } from '../fhir/terminology/stored-code-system';
import { subsumption } from '../fhir/terminology/validation';
import { type OperationEnvironment } from '../operation-types/environment';
import { type ReadOperation, type OperationInput } from '../operation-types/operation';
import { withRequestResources } from './request-resources';
import { findCodeSystem, readById, requireContent, toCode } from './terminology';

export const codeSystemSubsumes: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/CodeSystem-subsumes',
  takesOthers: true,
  async run(given, input) {
    const environment = withRequestResources(given, input.parameters);
    const a = codeOf(input, 'A');
    const b = codeOf(input, 'B');
    const systems = new Set(
      [input.parameters.text('system'), a.system, b.system].filter((url) => url !== undefined),
    );
    const codeSystem = await findMeant(environment, input, systems);
    const outcome = await withConcepts(environment, () => {
      const found = subsumption(codeSystem, a.code, b.code);
      if (found !== undefined) return found;
      const code = codeSystem.find(a.code) === undefined ? a.code : b.code;
      const reason = `The code system ${codeSystem.url} has no code '${code}'`;
      throw fhirError('notFoundInTerminology', { reason });
    });
    return { parameters: [{ name: 'outcome', valueCode: outcome }] };
  },
};

function codeOf({ parameters }: OperationInput, side: 'A' | 'B'): { system?: string; code: string } {
  const code = parameters.text(`code${side}`);
  const coding = parameters.object(`coding${side}`);
  if ((code === undefined) === (coding === undefined)) {
    const reason = `Exactly one of the parameters code${side} and coding${side} is needed`;
    throw fhirError('operationInputInvalid', { reason }, 'Parameters.parameter');
  }
  if (coding !== undefined) return toCode(coding, parameters.first(`coding${side}`)?.expression);
  return { code: code ?? '' };
}

async function findMeant(
  environment: OperationEnvironment,
  input: OperationInput,
  systems: ReadonlySet<string>,
): Promise<CodeSystem> {
  const [system] = systems;
  if (systems.size > 1) {
    throw fhirError('notSupported', { reason: 'Codes of different code systems cannot be compared here' });
  }
  if (input.id !== undefined) {
    const codeSystem = await readById(environment, input.id);
    if (system !== undefined && system !== codeSystem.url) {
      const reason = `The system ${system} is not that of CodeSystem/${input.id}`;
      throw fhirError('operationInputInvalid', { reason }, 'Parameters.parameter');
    }
    requireContent(codeSystem);
    return codeSystem;
  }
  if (system === undefined) {
    const reason = 'A system is needed: as the parameter system, or in the codings';
    throw fhirError('operationInputInvalid', { reason }, 'Parameters.parameter');
  }
  return findCodeSystem(environment, system, input.parameters.text('version'));
}
