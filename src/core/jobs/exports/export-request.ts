/** The parameters of an export (docs/use/bulk-data.md, Parameters). */
import type { ExportKickOff, ExportLevel } from '../../api/bulk-export';
import { fhirError } from '../../errors';
import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import type { Definitions } from '../../fhir/definitions';
import { isJsonObject, type JsonLimits, type JsonObject, type JsonValue } from '../../fhir/json';
import { PATIENT } from '../../fhir/type-names';
import { dateRange } from '../../../../packages/fhir-values/date';
import { toDocument } from '../../preparation/resource-input';

/** A parsed request for an export, as it is stored. */
export interface ExportRequest {
  readonly level: ExportLevel;
  readonly group: string | undefined;
  readonly url: string;
  /** Undefined: all types. */
  readonly types: readonly string[] | undefined;
  /** Milliseconds since 1970: versions are later than `since`, and earlier than `until`. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** Versions have a greater version-sequence. */
  readonly sinceSequence: number | undefined;
  readonly filters: readonly TypeFilter[];
  /** Elements as `_elements` of a search has them. */
  readonly elements: readonly string[];
  /** Ids of the Patients to whom the export is limited; undefined: all of the level. */
  readonly patients: readonly string[] | undefined;
  readonly associated: readonly Associated[];
  /** What was ignored, in sentences. */
  readonly ignored: readonly string[];
}

/** A search that resources of the type must meet, unless they meet another one of the type. */
export interface TypeFilter {
  readonly type: string;
  readonly query: string;
}

export const ASSOCIATED = ['LatestProvenanceResources', 'RelevantProvenanceResources'] as const;
export type Associated = (typeof ASSOCIATED)[number];

const FORMATS: readonly string[] = ['application/fhir+ndjson', 'application/ndjson', 'ndjson'];
/** Parameters of every request. */
const GENERAL: readonly string[] = ['_format', '_pretty', '_'];
/** Parameters of the guide that this server does not have. */
const NOT_SUPPORTED: readonly string[] = [
  'organizeOutputBy',
  'allowPartialManifests',
  '_minimumFileSize',
  '_maximumFileSize',
];
const SUPPORTED = [
  '_outputFormat',
  '_since',
  '_until',
  '_since-version',
  '_type',
  '_typeFilter',
  '_elements',
  'patient',
  'includeAssociatedData',
] as const;
type Supported = (typeof SUPPORTED)[number];

const INSTANT = /T.*(?:Z|[+-]\d\d:\d\d)$/;
/** Editions before the third have several searches in one `_typeFilter`, with commas between them. */
const BETWEEN_FILTERS = /,(?=[A-Z][A-Za-z]*\?)/;
const SEQUENCE = /^(?:0|[1-9]\d{0,15})$/;
const MOST_VALUES = 10_000;
/** Each is one more statement for each thousand resources of its type. */
const MOST_FILTERS = 100;

/**
 * Parses the parameters of an export. Throws `operationInputInvalid` for a value that cannot be meant, and `parameterUnsupported` for
 * a parameter that is not supported, unless the request is lenient.
 */
export function parseExport(
  definitions: Definitions,
  { level, group, url, query, input, isLenient }: ExportKickOff,
  limits: JsonLimits,
): ExportRequest {
  const ignored: string[] = [];
  const values = new Map<Supported, string[]>(SUPPORTED.map((name) => [name, []]));
  const given = [...query, ...(input === undefined ? [] : parametersOf(toDocument(input, limits).value))];
  if (given.length > MOST_VALUES) throw invalid(`There are more than ${MOST_VALUES} parameters`);
  for (const [name, value] of given) {
    if (GENERAL.includes(name) || value === '') continue;
    const known = SUPPORTED.find((each) => each === name);
    const isHere = known !== 'patient' || (level !== 'system' && input !== undefined);
    if (known !== undefined && isHere) values.get(known)?.push(value);
    else if (isLenient) ignored.push(`The parameter '${name.slice(0, 60)}' is not supported and was ignored`);
    else throw unsupported(name, known !== undefined);
  }
  const all = (name: Supported): readonly string[] => values.get(name) ?? [];
  const listed = (name: Supported): readonly string[] => all(name).flatMap((value) => value.split(','));
  for (const format of all('_outputFormat'))
    if (!FORMATS.includes(format))
      throw invalid(`'${format.slice(0, 60)}' is not a format of exports: ${FORMATS.join(', ')}`);
  const types = [...new Set(listed('_type'))].sort();
  for (const type of types) requireType(definitions, '_type', type);
  const filters = [...new Set(all('_typeFilter').flatMap((value) => value.split(BETWEEN_FILTERS)))];
  if (filters.length > MOST_FILTERS)
    throw invalid(`There are more than ${MOST_FILTERS} searches in _typeFilter: send several exports`);
  return {
    ...{ level, group, url, ignored: [...new Set(ignored)] },
    types: types.length === 0 ? undefined : types,
    since: floorOf(instantOf('_since', all('_since'))),
    until: ceilOf(instantOf('_until', all('_until'))),
    sinceSequence: sequenceOf(all('_since-version')),
    filters: filters.map((filter) => filterOf(definitions, filter, types)),
    elements: listed('_elements').map((element) => element.trim()),
    patients: all('patient').length === 0 ? undefined : [...new Set(all('patient').map(patientOf))],
    associated: listed('includeAssociatedData').map(associatedOf),
  };
}

function invalid(reason: string): Error {
  return fhirError('operationInputInvalid', { reason });
}

function unsupported(parameter: string, isOfOtherLevel: boolean): Error {
  const explanation = isOfOtherLevel
    ? ': it limits the exports of Patients and Groups, and is sent by POST'
    : NOT_SUPPORTED.includes(parameter)
      ? ''
      : didYouMean(parameter, SUPPORTED);
  return fhirError('parameterUnsupported', { parameter: parameter.slice(0, 60), explanation });
}

/** The names and values of a Parameters resource. */
function parametersOf(value: JsonValue): (readonly [string, string])[] {
  if (!isJsonObject(value) || value['resourceType'] !== 'Parameters')
    throw invalid('The body must be a Parameters resource');
  const list = value['parameter'] ?? [];
  if (!Array.isArray(list)) throw invalid('Parameters.parameter must be a list');
  return list.map((one) => {
    const name = isJsonObject(one) ? one['name'] : undefined;
    if (!isJsonObject(one) || typeof name !== 'string') throw invalid('Each parameter must have a name');
    const text = valueOf(one);
    if (text === undefined)
      throw invalid(`The parameter '${name.slice(0, 60)}' has no value that can be used here`);
    return [name, text] as const;
  });
}

/** The value as a text: that of a primitive, the code of a Coding, or the reference of a Reference. */
function valueOf(parameter: JsonObject): string | undefined {
  const member = Object.keys(parameter).find((name) => name.startsWith('value'));
  const value = member === undefined ? undefined : parameter[member];
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!isJsonObject(value)) return undefined;
  const inner = value['reference'] ?? value['code'];
  return typeof inner === 'string' ? inner : undefined;
}

function requireType(definitions: Definitions, parameter: string, type: string): void {
  if (definitions.isResourceType(type)) return;
  const hint = didYouMean(type, definitions.resourceTypes);
  throw invalid(
    `The parameter '${parameter}' names '${type.slice(0, 60)}', which is not a resource type${hint}`,
  );
}

/** Milliseconds since 1970, with their fraction. */
function instantOf(name: string, values: readonly string[]): number | undefined {
  const [text, ...others] = values;
  if (text === undefined) return undefined;
  if (others.length > 0) throw invalid(`The parameter '${name}' is repeated`);
  const range = INSTANT.test(text) ? dateRange(text) : undefined;
  if (range === undefined)
    throw invalid(
      `'${text.slice(0, 60)}' is not an instant: the parameter '${name}' needs a date, a time and a time zone`,
    );
  return range.low;
}

function floorOf(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.floor(value);
}

function ceilOf(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.ceil(value);
}

function sequenceOf([text, ...others]: readonly string[]): number | undefined {
  if (text === undefined) return undefined;
  const sequence = SEQUENCE.test(text) ? Number(text) : Infinity;
  if (others.length > 0 || !Number.isSafeInteger(sequence))
    throw invalid("The parameter '_since-version' needs one version-sequence");
  return sequence;
}

function filterOf(definitions: Definitions, filter: string, types: readonly string[]): TypeFilter {
  const [type = '', ...rest] = filter.split('?');
  if (rest.length === 0) throw invalid(`'${filter.slice(0, 60)}' is no _typeFilter: write Type?search`);
  requireType(definitions, '_typeFilter', type);
  if (types.length > 0 && !types.includes(type))
    throw invalid(`The parameter '_typeFilter' is about ${type}, which is not among the types of '_type'`);
  return { type, query: rest.join('?') };
}

function patientOf(reference: string): string {
  const [type, id, ...rest] = reference.split('/').slice(-2);
  if (type !== PATIENT || id === undefined || rest.length > 0)
    throw invalid(`'${reference.slice(0, 60)}' is not a reference to a Patient: write Patient/id`);
  return id;
}

function associatedOf(value: string): Associated {
  const known = ASSOCIATED.find((each) => each === value.trim());
  if (known === undefined)
    throw invalid(
      `'${value.slice(0, 60)}' is not a value of includeAssociatedData: ${ASSOCIATED.join(', ')}`,
    );
  return known;
}
