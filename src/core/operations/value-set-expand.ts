/**
 * POST|GET {root}/ValueSet/$expand and {root}/ValueSet/{id}/$expand
 *
 * In: url (`url|version`) or valueSet (inline) at type level; valueSetVersion, filter, offset, count,
 * includeDesignations, designation, displayLanguage, activeOnly, includeDefinition, excludeNested, excludeNotForUI,
 * exclude-system, system-version, check-system-version, force-system-version, default-valueset-version,
 * useSupplement, property, tx-resource.
 * Result: the ValueSet with `expansion`, without `compose` unless includeDefinition is true.
 * https://hl7.org/fhir/R4/valueset-operation-expand.html
 */
import { createHash, randomUUID } from 'node:crypto';
import { turns } from '../concurrency/turns';
import { FhirError, fhirError } from '../errors';
import { type JsonObject } from '../fhir/json';
import { composeValueSet } from '../fhir/terminology/compose';
import { parseDesignationToken } from '../fhir/terminology/display';
import { expandValueSet } from '../fhir/terminology/expansion';
import { issueOfObstacle } from '../fhir/terminology/validation-of-versions';
import { type OperationEnvironment } from '../operation-types/environment';
import { type ReadOperation, type OperationAnswer, type OperationInput } from '../operation-types/operation';
import { type InputParameters } from '../operation-types/parameters';
import { TX_RESOURCE, withRequestResources } from './request-resources';
import {
  displayLanguageOf,
  findNamed,
  NAMES_OF_REQUEST,
  NO_CONTEXT,
  NO_PAST,
  refuseParameters,
  requireSupplements,
  toError,
  versionRules,
} from './terminology';
import { terminologyOf } from '../terminology/terminology-source';

export const VALUE_SET_EXPAND = 'http://hl7.org/fhir/OperationDefinition/ValueSet-expand';

export const valueSetExpand: ReadOperation = {
  definition: VALUE_SET_EXPAND,
  takesOthers: true,
  others: [
    { name: 'useSupplement', use: 'in', min: 0, max: Infinity, type: 'canonical', parts: [] },
    { name: 'property', use: 'in', min: 0, max: Infinity, type: 'string', parts: [] },
  ],
  run: expand,
};

const REFUSED = { ...NO_PAST, ...NO_CONTEXT };

/** Parameters of the definition that are not supported. */
export const EXPANSION_PARAMETERS_REFUSED: ReadonlySet<string> = new Set(Object.keys(REFUSED));

/** Parameters of HL7's terminology ecosystem that are supported though the definition lacks them. */
export const EXPANSION_PARAMETERS_MORE: readonly string[] = [
  ...['default-valueset-version', TX_RESOURCE, 'useSupplement'],
];

/**
 * Cost: one cache read when the same expansion was requested before and the space's terminology has not changed
 * since.
 */
async function expand(stored: OperationEnvironment, input: OperationInput): Promise<OperationAnswer> {
  refuseParameters(input, REFUSED);
  const version = await stored.terminologyVersion();
  const key = `expand ${digestOf(version, input)}`;
  const cached = await stored.cachedAnswer(key);
  if (cached !== undefined) return { cachedText: cached };
  const environment = withRequestResources(stored, input.parameters);
  const resource = await findNamed(environment, input, {
    type: 'ValueSet',
    inline: 'valueSet',
    version: 'valueSetVersion',
  });
  const expanded = await toExpanded(environment, resource, input);
  // Cached only if nothing changed meanwhile. An entry under the old version would be wrong if that version came
  // back, for example when a new program with its own base resources is rolled back.
  const answer = { resource: expanded, madeFrom: resource };
  if ((await environment.terminologyVersion()) !== version) return answer;
  return { ...answer, cacheText: (text) => environment.cacheAnswer(key, text) };
}

const DEFINITION: ReadonlySet<string> = new Set(['compose', 'contained']);

async function toExpanded(
  environment: OperationEnvironment,
  resource: JsonObject,
  input: OperationInput,
): Promise<JsonObject> {
  const { parameters } = input;
  const displayLanguage = displayLanguageOf(input, resource);
  const source = terminologyOf(environment);
  await requireSupplements(source, parameters, resource);
  const composed = await composeValueSet(resource, source, versionRules(parameters));
  const expansion = await expandValueSet(composed, {
    filter: parameters.text('filter'),
    offset: naturalNumber(parameters, 'offset'),
    count: naturalNumber(parameters, 'count'),
    includeDesignations: parameters.flag('includeDesignations'),
    designations: parameters.texts('designation').map(parseDesignationToken),
    properties: parameters.texts('property'),
    displayLanguage,
    activeOnly: parameters.flag('activeOnly'),
    excludeNested: parameters.flag('excludeNested'),
    excludeNotForUI: parameters.flag('excludeNotForUI'),
    maxCodes: environment.limits.maxExpansionCodes,
    identifier: `urn:uuid:${randomUUID()}`,
    timestamp: new Date().toISOString(),
    turns,
    storage: environment,
    parameters: repeatedParameters(parameters, displayLanguage),
  }).catch(async (error: unknown) => {
    if (!(error instanceof FhirError) || error.key !== 'notSupported') throw error;
    const issue = await issueOfObstacle(composed, error.message, source);
    throw issue === undefined ? error : toError('notSupported', issue);
  });
  const expanded: JsonObject = {};
  for (const [name, value] of Object.entries(resource)) {
    // The narrative describes the definition, not the expansion.
    if (name === 'text' || name === 'expansion') continue;
    // What the definition contains has no place without it.
    if (DEFINITION.has(name) && parameters.flag('includeDefinition') !== true) continue;
    expanded[name] = value;
  }
  expanded['expansion'] = expansion;
  return expanded;
}

function naturalNumber(parameters: InputParameters, name: string): number | undefined {
  const value = parameters.integer(name);
  if (value !== undefined && value < 0) {
    const reason = `The parameter '${name}' must not be negative`;
    throw fhirError('operationInputInvalid', { reason }, parameters.first(name)?.expression);
  }
  return value;
}

/** The expansion says by itself which properties it has. */
const NAMING: ReadonlySet<string> = new Set([
  ...['url', 'valueSet', 'valueSetVersion', 'property'],
  ...NAMES_OF_REQUEST,
]);

/** The types of `expansion.parameter.value`; texts of other types are repeated as strings. */
const REPEATED: ReadonlySet<string> = new Set([
  ...[
    'valueString',
    'valueBoolean',
    'valueInteger',
    'valueDecimal',
    'valueUri',
    'valueCode',
    'valueDateTime',
  ],
]);

/** Returns the parameters for `expansion.parameter`, and the languages of displays also where the request has no parameter for them. */
function repeatedParameters(
  parameters: InputParameters,
  displayLanguage: string | undefined,
): readonly JsonObject[] {
  const repeated = parameters.values.flatMap(({ name, member, value }): readonly JsonObject[] => {
    if (NAMING.has(name) || value === undefined) return [];
    if (member === 'valueCanonical') return [{ name, valueUri: value }];
    // An object has no place in an expansion.
    if (typeof value === 'object') return [];
    const isText = typeof value === 'string';
    if (isText && !REPEATED.has(member)) return [{ name, valueString: value }];
    const typed = isText || typeof value !== 'boolean' ? member : 'valueBoolean';
    return [{ name, [typed]: value }];
  });
  if (displayLanguage === undefined || parameters.first('displayLanguage') !== undefined) return repeated;
  return [{ name: 'displayLanguage', valueCode: displayLanguage }, ...repeated];
}

/**
 * Returns a digest that is equal for equivalent inputs at one terminology version, independent of the order of
 * different parameters.
 */
function digestOf(version: string, input: OperationInput): string {
  const values = input.parameters.values.flatMap(({ name, value }) =>
    NAMES_OF_REQUEST.has(name) ? [] : [[name, value] as const],
  );
  const sorted = values.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  const id = input.id ?? null;
  return createHash('sha256')
    .update(JSON.stringify([version, id, input.languages ?? null, sorted]))
    .digest('base64url');
}
