/** Completes the name of a criterion: parameters with their modifiers, chains of references, and `_has`. */
import { referrersOf, type Capabilities, type TypeCapability } from '../fhir/capabilities';
import { modifiersOf, type SearchParameter } from '../fhir/search/search-parameters';

/** What can stand at a place of a path. */
export interface Option {
  readonly text: string;
  readonly details: string;
}

export interface CriteriaKnowledge {
  readonly types: Capabilities;
  /** The search parameters of the type that the path begins with. */
  readonly parameters: readonly SearchParameter[];
}

const RESULT_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['_sort', 'Order of the matches; - before a name for descending'],
  ['_count', 'Matches per page'],
  ['_include', 'What the matches refer to'],
  ['_revinclude', 'What refers to the matches'],
  ['_elements', 'Elements of the answer'],
  ['_summary', 'true, text, data, count or false'],
  ['_total', 'none, estimate or accurate'],
]);
const HAS = '_has';

/** A search parameter with the types that it may lead to. */
type Parameter = Pick<SearchParameter, 'code' | 'type' | 'targets'>;

const toOption = (text: string, details = ''): Option => ({ text, details });

/** The types that a parameter refers to, by what may be included with them. */
function targetsIn(types: Capabilities, type: string, code: string): readonly string[] {
  const pair = `${type}:${code}`;
  return [...types.values()].filter((each) => each.reverseIncludes.includes(pair)).map((each) => each.type);
}

function parametersOf(types: Capabilities, { type, parameters }: TypeCapability): readonly Parameter[] {
  return parameters.map((each) => ({
    ...each,
    targets: each.type === 'reference' ? targetsIn(types, type, each.code) : [],
  }));
}

/** The parameters with one code of several types once. */
function joined(lists: readonly (readonly Parameter[])[]): readonly Parameter[] {
  const byCode = new Map<string, Parameter>();
  for (const each of lists.flat()) {
    const known = byCode.get(each.code);
    const targets = known === undefined ? each.targets : [...new Set([...known.targets, ...each.targets])];
    byCode.set(each.code, { ...each, targets });
  }
  return [...byCode.values()];
}

/** Names behind `prefix`, of which `written` stands there. */
function namesOf(parameters: readonly Parameter[], written: string, prefix: string): readonly Option[] {
  const [code = '', ...rest] = written.split(':');
  const known = parameters.find((each) => each.code === code);
  const targets = known?.type === 'reference' ? known.targets : [];
  const chain = (name: string): Option => toOption(`${prefix}${name}.`, 'what it refers to');
  if (rest.length === 0)
    return [
      ...(targets.length > 0 ? [chain(code)] : []),
      ...parameters.map((each) => toOption(prefix + each.code, each.type)),
    ];
  if (known === undefined) return [];
  const [modifier = ''] = rest;
  return [
    ...(targets.includes(modifier) ? [chain(`${code}:${modifier}`)] : []),
    ...[...modifiersOf({ code, type: known.type }), ...targets].map((each) =>
      toOption(`${prefix}${code}:${each}`),
    ),
  ];
}

/** What may stand behind the last `.` of a chain such as `subject:Patient.organization.`. */
function chained(
  name: string,
  parameters: readonly Parameter[],
  { types }: CriteriaKnowledge,
): readonly Option[] {
  const dot = name.lastIndexOf('.');
  let known = parameters;
  for (const link of dot === -1 ? [] : name.slice(0, dot).split('.')) {
    const [code = '', type] = link.split(':');
    const targets = type === undefined ? (known.find((each) => each.code === code)?.targets ?? []) : [type];
    known = joined(
      targets.flatMap((target) => {
        const capability = types.get(target);
        return capability === undefined ? [] : [parametersOf(types, capability)];
      }),
    );
  }
  return namesOf(known, name.slice(dot + 1), name.slice(0, dot + 1));
}

/** By what refers to a record: `_has:Observation:subject:code`. */
function having(
  name: string,
  type: TypeCapability | undefined,
  knowledge: CriteriaKnowledge,
): readonly Option[] {
  const [, by, reference, ...rest] = name.split(':');
  const referrers = type === undefined ? new Map<string, readonly string[]>() : referrersOf(type);
  if (by === undefined || reference === undefined)
    return [...referrers.keys()].map((each) => toOption(`${HAS}:${each}:`, 'refers to it'));
  const head = `${HAS}:${by}:`;
  if (rest.length === 0)
    return (referrers.get(by) ?? []).map((each) => toOption(`${head}${each}:`, 'reference'));
  const capability = knowledge.types.get(by);
  if (capability === undefined) return [];
  const inner = rest.join(':');
  const found = inner.startsWith(`${HAS}:`)
    ? having(inner, capability, knowledge)
    : [
        ...chained(inner, parametersOf(knowledge.types, capability), knowledge),
        ...(inner.includes(':') ? [] : [toOption(`${HAS}:`, 'By what refers to it')]),
      ];
  return found.map(({ text, details }) => toOption(`${head}${reference}:${text}`, details));
}

/** The names that can stand in the place of one that begins with `name`. One that ends with `:` or `.` goes on. */
export function criteriaFor(
  name: string,
  type: TypeCapability | undefined,
  knowledge: CriteriaKnowledge,
): readonly Option[] {
  const [code = '', ...rest] = name.split(':');
  if (code === HAS && rest.length > 0) return having(name, type, knowledge);
  if (code === '_include' || code === '_revinclude') return [toOption(`${code}:iterate`)];
  const found = chained(name, knowledge.parameters, knowledge);
  if (name.includes('.') || rest.length > 0) return found;
  return [
    ...found,
    ...[...RESULT_PARAMETERS].map(([each, details]) => toOption(each, details)),
    toOption(`${HAS}:`, 'By what refers to it'),
  ];
}
