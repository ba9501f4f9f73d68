/** Completes the path of a FHIR request, by what the server says that it can. */
import type { ListedOperation, TypeCapability } from '../fhir/capabilities';
import { modifiersOf, type SearchParameter } from '../fhir/search-parameters';

export interface PathKnowledge {
  readonly types: ReadonlyMap<string, TypeCapability>;
  readonly systemOperations: readonly ListedOperation[];
  /** The search parameters of the type that the path begins with. */
  readonly parameters: readonly SearchParameter[];
}

export interface Proposal {
  /** The whole path with the proposal. */
  readonly path: string;
  readonly label: string;
  readonly details: string;
}

interface Option {
  readonly text: string;
  readonly details: string;
}

const MOST = 50;
const RESULT_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['_sort', 'Order of the matches; - before a name for descending'],
  ['_count', 'Matches per page'],
  ['_include', 'What the matches refer to'],
  ['_revinclude', 'What refers to the matches'],
  ['_elements', 'Elements of the answer'],
  ['_summary', 'true, text, data, count or false'],
  ['_total', 'none, estimate or accurate'],
  ['_has', 'By what refers to it: _has:Observation:subject:code'],
]);
const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['_summary', ['true', 'text', 'data', 'count', 'false']],
  ['_total', ['none', 'estimate', 'accurate']],
]);

/** The type of a path; undefined: none that the server has. */
export function typeIn(path: string, types: PathKnowledge['types']): TypeCapability | undefined {
  const [first = ''] = path.replace(/^\//, '').split(/[/?]/);
  return types.get(first);
}

const toOption = (text: string, details = ''): Option => ({ text, details });
const toOperation = ({ name }: ListedOperation): Option => toOption(`$${name}`, 'operation');
const operationsOf = (operations: readonly ListedOperation[]): readonly Option[] =>
  operations.map(toOperation);

/** What can stand in the segment after these. */
function segmentsAfter(
  before: readonly string[],
  { types, systemOperations }: PathKnowledge,
): readonly Option[] {
  const [type, id, third] = before;
  if (type === undefined)
    return [
      ...[...types.keys()].map((name) => toOption(name)),
      ...['metadata', '_history', '_search'].map((name) => toOption(name)),
      ...operationsOf(systemOperations),
    ];
  const capability = types.get(type);
  if (capability === undefined) return [];
  const operations = operationsOf(capability.operations);
  if (id === undefined) return [...['_search', '_history'].map((name) => toOption(name)), ...operations];
  if (id.startsWith('_') || id.startsWith('$') || third !== undefined) return [];
  return [toOption('_history'), ...operations];
}

/** What can stand behind the last `?` or `&`. */
function criteriaFor(name: string, type: TypeCapability | undefined, parameters: readonly SearchParameter[]) {
  const [code = '', ...rest] = name.split(':');
  if (rest.length === 0)
    return [
      ...parameters.map((each) => toOption(each.code, each.type)),
      ...[...RESULT_PARAMETERS].map(([each, details]) => toOption(each, details)),
    ];
  if (code === '_include' || code === '_revinclude') return [toOption(`${code}:iterate`)];
  const parameter = parameters.find((each) => each.code === code);
  if (parameter === undefined || type === undefined) return [];
  const targets = parameter.type === 'reference' ? parameter.targets : [];
  return [...modifiersOf(parameter), ...targets].map((each) => toOption(`${code}:${each}`));
}

function valuesFor(
  name: string,
  type: TypeCapability | undefined,
  knowledge: PathKnowledge,
): readonly Option[] {
  const [code = '', modifier] = name.split(':');
  const listed = VALUES.get(code);
  if (listed !== undefined) return listed.map((each) => toOption(each));
  if (modifier === 'missing') return ['true', 'false'].map((each) => toOption(each));
  if (code === '_include') return (type?.includes ?? []).map((each) => toOption(each));
  if (code === '_revinclude') return (type?.reverseIncludes ?? []).map((each) => toOption(each));
  if (code === '_sort') return knowledge.parameters.map((each) => toOption(each.code, each.type));
  return [];
}

/** Options that fit what is written: those that begin with it come before those that only have it. */
function fitting(options: readonly Option[], written: string): readonly Option[] {
  const wanted = written.toLowerCase();
  const placeOf = ({ text }: Option): number => text.toLowerCase().indexOf(wanted);
  return options
    .filter((option) => placeOf(option) !== -1 && option.text !== written)
    .toSorted((one, other) => Number(placeOf(one) > 0) - Number(placeOf(other) > 0))
    .slice(0, MOST);
}

/** Proposals for the end of a path, at most 50. */
export function completePath(path: string, knowledge: PathKnowledge): readonly Proposal[] {
  const mark = path.indexOf('?');
  if (mark === -1) {
    const start = path.lastIndexOf('/') + 1;
    const before = path.slice(0, start).split('/').filter(Boolean);
    const found = fitting(segmentsAfter(before, knowledge), path.slice(start));
    return found.map(({ text, details }) => ({ path: path.slice(0, start) + text, label: text, details }));
  }
  const type = typeIn(path, knowledge.types);
  const start = Math.max(mark, path.lastIndexOf('&')) + 1;
  const pair = path.slice(start);
  const equals = pair.indexOf('=');
  if (equals === -1) {
    const found = fitting(criteriaFor(pair, type, knowledge.parameters), pair);
    return found.map(({ text, details }) => ({
      // A modifier is chosen before the value.
      path: `${path.slice(0, start)}${text}=`,
      label: text,
      details,
    }));
  }
  const written = pair.slice(equals + 1);
  const item = written.slice(written.lastIndexOf(',') + 1).replace(/^-/, '');
  const found = fitting(valuesFor(pair.slice(0, equals), type, knowledge), item);
  const head = path.slice(0, path.length - item.length);
  return found.map(({ text, details }) => ({ path: head + text, label: text, details }));
}
