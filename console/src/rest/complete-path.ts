/** Completes the path of a FHIR request, by what the server says that it can. */
import type { ListedOperation, TypeCapability } from '../fhir/capabilities';
import type { SearchParameter } from '../fhir/search/search-parameters';
import { criteriaFor, type Option } from './complete-criteria';

export interface PathKnowledge {
  readonly types: ReadonlyMap<string, TypeCapability>;
  readonly systemOperations: readonly ListedOperation[];
  /** The search parameters of the type that the path begins with. */
  readonly parameters: readonly SearchParameter[];
}

export interface Proposal {
  /** The whole path with the proposal. */
  readonly path: string;
  /** Where one goes on to write. */
  readonly caret: number;
  readonly label: string;
  readonly details: string;
}

const MOST = 50;
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

function valuesFor(
  name: string,
  type: TypeCapability | undefined,
  knowledge: PathKnowledge,
): readonly Option[] {
  const [code = '', modifier] = name.slice(name.lastIndexOf('.') + 1).split(':');
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

/** How much of a text stands before one of these signs. */
function lengthBefore(text: string, signs: RegExp): number {
  const found = text.search(signs);
  return found === -1 ? text.length : found;
}

/** Proposals for the part of a path in which the caret stands, at most 50. What stands around it stays. */
export function completePath(
  path: string,
  knowledge: PathKnowledge,
  caret = path.length,
): readonly Proposal[] {
  const [written, behind] = [path.slice(0, caret), path.slice(caret)];
  const propose = (start: number, signs: RegExp, options: readonly Option[], end = ''): Proposal[] => {
    const rest = behind.slice(lengthBefore(behind, signs));
    return fitting(options, written.slice(start)).map(({ text, details }) => {
      // A name that goes on has no value yet, and a value that is there stays.
      const mark = /[:.]$/.test(text) || rest.startsWith(end) ? '' : end;
      const head = written.slice(0, start) + text + mark;
      return { path: head + rest, caret: head.length, label: text, details };
    });
  };
  const query = written.indexOf('?');
  if (query === -1) {
    const start = written.lastIndexOf('/') + 1;
    const before = written.slice(0, start).split('/').filter(Boolean);
    return propose(start, /[/?]/, segmentsAfter(before, knowledge));
  }
  const type = typeIn(path, knowledge.types);
  const start = Math.max(query, written.lastIndexOf('&')) + 1;
  const pair = written.slice(start);
  const equals = pair.indexOf('=');
  if (equals === -1) return propose(start, /[=&]/, criteriaFor(pair, type, knowledge), '=');
  const value = pair.slice(equals + 1);
  const item = value.slice(value.lastIndexOf(',') + 1).replace(/^-/, '');
  return propose(written.length - item.length, /[,&]/, valuesFor(pair.slice(0, equals), type, knowledge));
}
