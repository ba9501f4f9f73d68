/**
 * POST|GET {root}/Patient/{id}/$everything, {root}/Patient/$everything, {root}/Group/{id}/$everything and
 * {root}/Encounter/{id}/$everything
 *
 * In: start, end (not of an Encounter), _since, _type (repeated, or with commas), _count.
 * Result: a searchset Bundle with pages. Matches are the resources of the compartment, each once. Included are the
 * resources that they refer to and that no patient owns. Without _count, a page has the maximum size.
 * https://hl7.org/fhir/R4/patient-operation-everything.html, https://hl7.org/fhir/R4/group-operation-everything.html,
 * https://hl7.org/fhir/R4/encounter-operation-everything.html
 */
import type { SearchPage } from '../api/search';
import { fhirError } from '../errors';
import { dateRange, type DateRange } from '../../../packages/fhir-values/date';
import { type Definitions } from '../fhir/definitions';
import { stringifyJson } from '../fhir/json';
import { GROUP, PATIENT } from '../fhir/type-names';
import { MAX_COUNT } from '../search/requests/parse-search';
import { zoneOf } from '../search/values/space-zone';
import { type OperationEnvironment } from '../operation-types/environment';
import { type RequestedPage, type OperationInput, type PagedOperation } from '../operation-types/operation';
import { type InputParameters } from '../operation-types/parameters';

export const patientEverything: PagedOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything',
  runPage: everything,
};

export const groupEverything: PagedOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/Group-everything',
  runPage: everything,
};

export const encounterEverything: PagedOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/Encounter-everything',
  runPage: everything,
};

async function everything(
  environment: OperationEnvironment,
  { type, id, parameters }: OperationInput,
  { cursor }: RequestedPage,
): Promise<SearchPage> {
  if (type === undefined) throw fhirError('operationWrongLevel');
  const zone = zoneOf(environment.context.space);
  const from = rangeOf(parameters, 'start', (text) => dateRange(text, zone))?.low;
  const to = rangeOf(parameters, 'end', (text) => dateRange(text, zone))?.high;
  if (from !== undefined && to !== undefined && from >= to)
    refuse(parameters, 'end', 'it is before the start');
  return environment.readRecord({
    ...(type === GROUP ? { owner: { type: PATIENT }, group: id } : { owner: { type, id } }),
    from,
    to,
    since: rangeOf(parameters, '_since', (text) => dateRange(text))?.low,
    types: typesOf(parameters, environment.definitions),
    count: countOf(parameters),
    cursor,
    parameters: parameters.values.map(({ name, value }) => {
      return [name, typeof value === 'string' ? value : stringifyJson(value ?? null, true)] as const;
    }),
  });
}

function rangeOf(
  parameters: InputParameters,
  name: string,
  toRange: (text: string) => DateRange | undefined,
): DateRange | undefined {
  const text = parameters.text(name);
  if (text === undefined) return undefined;
  return toRange(text) ?? refuse(parameters, name, 'the day or time does not exist');
}

function typesOf(parameters: InputParameters, definitions: Definitions): readonly string[] | undefined {
  const texts = parameters.texts('_type');
  if (texts.length === 0) return undefined;
  const types = texts.flatMap((text) => text.split(','));
  const unknown = types.find((type) => !definitions.isResourceType(type));
  if (unknown !== undefined) refuse(parameters, '_type', `'${unknown.slice(0, 40)}' is not a resource type`);
  return [...new Set(types)].sort();
}

function countOf(parameters: InputParameters): number {
  const count = parameters.integer('_count');
  if (count !== undefined && count < 1) refuse(parameters, '_count', 'a page has at least one resource');
  return Math.min(count ?? MAX_COUNT, MAX_COUNT);
}

function refuse(parameters: InputParameters, name: string, fault: string): never {
  const reason = `The parameter '${name}' is wrong: ${fault}`;
  throw fhirError('operationInputInvalid', { reason }, parameters.first(name)?.expression);
}
