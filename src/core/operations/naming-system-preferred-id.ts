/**
 * GET|POST {root}/NamingSystem/$preferred-id
 *
 * In: id (an identifier of a system: uri, OID or UUID, these two with or without `urn:oid:` and `urn:uuid:`), type (oid, uuid,
 * uri or other).
 * Result: result: the identifier of that type that a NamingSystem with the given one prefers; an OID or UUID without its prefix.
 * https://hl7.org/fhir/R4/namingsystem-operation-preferred-id.html
 */
import { escapeValue } from '../../../packages/fhir-values/search-value';
import { fhirError } from '../errors';
import { parseStoredObject, type JsonObject } from '../fhir/json';
import { booleanMember, objectsMember, stringMember } from '../fhir/terminology/members';
import { type OperationEnvironment } from '../operation-types/environment';
import { type ReadOperation } from '../operation-types/operation';

/** http://hl7.org/fhir/namingsystem-identifier-type */
const TYPES: readonly string[] = ['oid', 'uuid', 'uri', 'other'];

const PREFIX = /^urn:(oid|uuid):/i;

export const namingSystemPreferredId: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/NamingSystem-preferred-id',
  async run(environment, { parameters }) {
    const id = parameters.text('id') ?? '';
    const type = parameters.text('type')?.toLowerCase() ?? '';
    if (!TYPES.includes(type)) {
      const reason = `The parameter 'type' is one of ${TYPES.join(', ')}`;
      throw fhirError('operationInputInvalid', { reason }, parameters.first('type')?.expression);
    }
    const systems = await namingSystemsOf(environment, id);
    if (systems.length === 0) {
      const reason = `No NamingSystem has the identifier '${id.slice(0, 200)}'`;
      throw fhirError('notFoundInTerminology', { reason }, parameters.first('id')?.expression);
    }
    const preferred = new Set(systems.flatMap((system) => preferredOf(system, type) ?? []));
    const [result, other] = preferred;
    if (result === undefined) {
      const reason = `The NamingSystem with the identifier '${id.slice(0, 200)}' has none of the type ${type}`;
      throw fhirError('notFoundInTerminology', { reason });
    }
    if (other !== undefined) {
      const reason = `NamingSystems with the identifier '${id.slice(0, 200)}' prefer different ones: ${result}, ${other}`;
      throw fhirError('ruleViolated', { reason });
    }
    return { parameters: [{ name: 'result', valueString: result }] };
  },
};

/** Returns the NamingSystems with this identifier; those that are retired only if there are no others. Cost: one search. */
async function namingSystemsOf(
  environment: OperationEnvironment,
  id: string,
): Promise<readonly JsonObject[]> {
  const plain = id.replace(PREFIX, '');
  const forms = [...new Set([id, plain, `urn:oid:${plain}`, `urn:uuid:${plain}`])];
  const { matches } = await environment.search({
    type: 'NamingSystem',
    parameters: [['value:exact', forms.map(escapeValue).join(',')]],
    handling: 'strict',
  });
  const found = matches.map(({ text }) => parseStoredObject(text));
  const current = found.filter((system) => stringMember(system, 'status') !== 'retired');
  return current.length > 0 ? current : found;
}

function preferredOf(system: JsonObject, type: string): string | undefined {
  const ofType = objectsMember(system, 'uniqueId').filter((each) => stringMember(each, 'type') === type);
  const preferred = ofType.find((each) => booleanMember(each, 'preferred') === true) ?? ofType[0];
  const value = preferred && stringMember(preferred, 'value');
  return type === 'uri' ? value : value?.replace(PREFIX, '');
}
