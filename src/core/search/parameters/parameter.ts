/**
 * Decides from the definitions alone which rows answer each search parameter of a type. Many parameters repeat others:
 * `patient` is `subject` where that is a Patient; `combo-code` is `code` together with `component-code`. They have no
 * rows of their own; a search uses the rows of the others.
 */
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import { inspectPath } from '../../fhir/path';
import { rowTypesOf } from '../rows/row-types';
import { isStorable, type ComponentKind } from '../rows/composite';
import { bindingSystemsOf, valueTypesOf } from './value-types';

/** Rows under `number`; with `targetType`, only the reference rows with that target type count. */
export interface RowSource {
  readonly number: number;
  readonly targetType?: string;
}

export interface StoredParameter {
  readonly parameter: SearchParameterDefinition;
  /**
   * - `own`: rows under its own number
   * - `shared`: in the rows of one other parameter or of several together
   * - `none`: no rows: the server computes it (`_id`, `_text` …), or it is a composite that cannot be stored
   */
  readonly storage: 'own' | 'shared' | 'none';
  /** Sources of its rows: itself, other parameters or none. A resource matches when it has a matching row in any. */
  readonly rowsOf: readonly RowSource[];
  /** FHIR types that its values can have, sorted; empty for composites and for computed parameters. */
  readonly valueTypes: readonly string[];
  /** For a token parameter: the systems that bindings give to its values of type `code`, sorted. */
  readonly bindingSystems: readonly string[];
}

/** Parameters answered from the head of a resource: they have an expression but no rows. */
const HEAD_PARAMETERS: ReadonlySet<string> = new Set(['_id', '_lastUpdated']);

/** Keyed by the parameters of a type: one object for all tenants without parameters of their own for that type. */
const cachedParameters = new WeakMap<
  ReadonlyMap<string, SearchParameterDefinition>,
  ReadonlyMap<string, StoredParameter>
>();

/**
 * Returns the stored parameters of a resource type by code, in the order of their ordinals; the same object each time.
 * Cost: about 1 ms the first time for a type, then two lookups.
 */
export function storedParameters(
  definitions: Definitions,
  type: string,
): ReadonlyMap<string, StoredParameter> {
  const ofType = definitions.searchParameters(type);
  let parameters = cachedParameters.get(ofType);
  if (parameters === undefined) {
    const all = [...ofType.values()];
    const builtIn = decide(
      definitions,
      all.filter(({ isForeign }) => isForeign !== true),
    );
    const foreign = all.filter(({ isForeign }) => isForeign === true);
    const own = foreign.map((parameter) => [parameter.code, decideForeign(definitions, parameter)] as const);
    cachedParameters.set(ofType, (parameters = own.length === 0 ? builtIn : new Map([...builtIn, ...own])));
  }
  return parameters;
}

/** Rows that answer a parameter, and the parameter that they are made for. */
export interface RowOwner {
  readonly source: RowSource;
  readonly owner: StoredParameter;
}

/**
 * Returns the owners of the rows of a parameter; undefined: it has no rows, or some are made for a parameter of another
 * kind.
 */
export function rowOwnersOf(
  definitions: Definitions,
  type: string,
  code: string,
): readonly RowOwner[] | undefined {
  const all = storedParameters(definitions, type);
  const stored = all.get(code);
  if (stored === undefined || stored.rowsOf.length === 0) return undefined;
  const owners: RowOwner[] = [];
  for (const source of stored.rowsOf) {
    const owner = [...all.values()].find(({ parameter }) => parameter.number === source.number);
    if (owner?.parameter.kind !== stored.parameter.kind || owner.parameter.expression === undefined)
      return undefined;
    owners.push({ source, owner });
  }
  return owners;
}

/**
 * Returns the numbers of a type's parameters with rows of References. Parameters that have only canonicals or whole
 * resources, and those of tenants, do not count.
 */
export function referringParameters(definitions: Definitions, type: string): readonly number[] {
  return [...storedParameters(definitions, type).values()]
    .filter(
      ({ storage, parameter: { kind, isForeign }, valueTypes }) =>
        storage === 'own' &&
        kind === 'reference' &&
        isForeign !== true &&
        (valueTypes.includes('Reference') || valueTypes.includes('CodeableReference')),
    )
    .map(({ parameter }) => parameter.number);
}

/** True where the values are resources inside the searched one: `Bundle.composition` is the first resource. */
export function isEmbedded(definitions: Definitions, { valueTypes }: StoredParameter): boolean {
  return valueTypes.length > 0 && valueTypes.every((type) => definitions.isResourceType(type));
}

/** A tenant's parameter never shares rows: rows of others may be complete while its own are not. */
function decideForeign(definitions: Definitions, parameter: SearchParameterDefinition): StoredParameter {
  const { kind, expression, type } = parameter;
  const types =
    kind === 'composite' || expression === undefined
      ? []
      : inspectPath(expression, { definitions, rootType: type, isFromClient: true }).types;
  return {
    parameter,
    ...toStorage(parameter, undefined),
    // An extension can have any type of value.
    valueTypes:
      types === undefined || types.includes('Extension') ? rowTypesOf(definitions, kind) : [...types].sort(),
    bindingSystems: kind === 'token' ? bindingSystemsOf(definitions, toCandidate(parameter).branches) : [],
  };
}

/** True when two parameters of a type match the same resources for the same values. */
export function areEquivalent(one: SearchParameterDefinition, other: SearchParameterDefinition): boolean {
  const [first, second] = [toCandidate(one), toCandidate(other)];
  return keyOf(first) === keyOf(second) && first.targetType === second.targetType;
}

/** Returns the branches of a parameter's expression in the normal form that value-types.ts reads. */
export function branchesOf(parameter: SearchParameterDefinition): ReadonlySet<string> {
  return toCandidate(parameter).branches;
}

/** A parameter with the branches of its expression in a normal form. */
interface Candidate {
  readonly parameter: SearchParameterDefinition;
  readonly branches: ReadonlySet<string>;
  /** Set when every branch ends in `.where(resolve() is T)`, which `branches` then omit. */
  readonly targetType?: string;
}

function decide(
  definitions: Definitions,
  parameters: readonly SearchParameterDefinition[],
): ReadonlyMap<string, StoredParameter> {
  const sources = new Map<SearchParameterDefinition, readonly RowSource[]>();
  const candidates = parameters.filter(hasRows).map(toCandidate);
  const owners = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const key = keyOf(candidate);
    if (candidate.targetType === undefined && !owners.has(key)) owners.set(key, candidate);
  }
  for (const candidate of candidates) {
    const owner = owners.get(keyOf(candidate));
    if (owner === undefined || owner === candidate) continue;
    const { targetType } = candidate;
    sources.set(candidate.parameter, [
      { number: owner.parameter.number, ...(targetType === undefined ? {} : { targetType }) },
    ]);
  }
  // From few branches to many, so that the members of a union are decided before it.
  const left = [...owners.values()].sort((one, other) => one.branches.size - other.branches.size);
  for (const candidate of left) {
    const members = left.filter((member) => member !== candidate && isPartOf(member, candidate));
    const covered = new Set(members.flatMap((member) => [...member.branches]));
    if (covered.size < candidate.branches.size) continue;
    const rowsOf = members.flatMap(
      (member) => sources.get(member.parameter) ?? [{ number: member.parameter.number }],
    );
    sources.set(candidate.parameter, [...new Map(rowsOf.map((source) => [source.number, source])).values()]);
  }
  redirect(sources);
  const valueTypes = new Map(
    candidates
      .filter(({ parameter }) => parameter.kind !== 'composite')
      .map(({ parameter, branches }) => [parameter, valueTypesOf(definitions, branches)]),
  );
  const bindingSystems = new Map(
    candidates
      .filter(({ parameter }) => parameter.kind === 'token')
      .map(({ parameter, branches }) => [parameter, bindingSystemsOf(definitions, branches)]),
  );
  return new Map(
    parameters.map((parameter) => [
      parameter.code,
      {
        parameter,
        ...toStorage(parameter, sources.get(parameter)),
        valueTypes: valueTypes.get(parameter) ?? [],
        bindingSystems: bindingSystems.get(parameter) ?? [],
      },
    ]),
  );
}

/** Replaces an alias of a union by the members of the union. */
function redirect(sources: Map<SearchParameterDefinition, readonly RowSource[]>): void {
  const byNumber = new Map([...sources].map(([parameter, rowsOf]) => [parameter.number, rowsOf]));
  for (const [parameter, rowsOf] of sources) {
    sources.set(
      parameter,
      rowsOf.flatMap(
        (source) =>
          byNumber.get(source.number)?.map((member) => ({ ...source, number: member.number })) ?? [source],
      ),
    );
  }
}

function toStorage(
  parameter: SearchParameterDefinition,
  shared: readonly RowSource[] | undefined,
): Pick<StoredParameter, 'storage' | 'rowsOf'> {
  if (shared !== undefined) return { storage: 'shared', rowsOf: shared };
  if (!hasRows(parameter)) return { storage: 'none', rowsOf: [] };
  return { storage: 'own', rowsOf: [{ number: parameter.number }] };
}

function hasRows(parameter: SearchParameterDefinition): boolean {
  if (parameter.expression === undefined || HEAD_PARAMETERS.has(parameter.code)) return false;
  if (parameter.kind !== 'composite') return true;
  const kinds: ComponentKind[] = [];
  for (const { kind } of parameter.components) if (isComponentKind(kind)) kinds.push(kind);
  return kinds.length === parameter.components.length && isStorable(kinds);
}

/** True for the kinds of parameters that a composite can be made of. */
export function isComponentKind(kind: SearchParameterDefinition['kind']): kind is ComponentKind {
  return kind !== 'composite' && kind !== 'special';
}

function toCandidate(parameter: SearchParameterDefinition): Candidate {
  const branches = splitUnion(parameter.expression ?? '').map((branch) =>
    normalizeBranch(branch, parameter.type),
  );
  const targets = new Set(branches.map((branch) => TARGET_FILTER.exec(branch)?.[1]));
  const [targetType] = targets;
  if (targets.size !== 1 || targetType === undefined) return { parameter, branches: new Set(branches) };
  return {
    parameter,
    branches: new Set(branches.map((branch) => branch.replace(TARGET_FILTER, ''))),
    targetType,
  };
}

/** Returns a key that is equal for parameters that can share rows. Composites must also agree in their components. */
function keyOf({ parameter, branches }: Candidate): string {
  return `${kindOf(parameter)} ${[...branches].sort().join(' | ')}`;
}

function kindOf(parameter: SearchParameterDefinition): string {
  const components = parameter.components.map(({ kind, expression }) => {
    const branches = splitUnion(expression).map((branch) => normalizeBranch(branch, ''));
    return `${kind}:${branches.sort().join('|')}`;
  });
  return [parameter.kind, ...components].join('$');
}

function isPartOf(member: Candidate, whole: Candidate): boolean {
  if (kindOf(member.parameter) !== kindOf(whole.parameter) || member.branches.size >= whole.branches.size)
    return false;
  for (const branch of member.branches) if (!whole.branches.has(branch)) return false;
  return true;
}

const TARGET_FILTER = /\.where\(resolve\(\) is ([A-Za-z]+)\)$/;

/** Gives one spelling to the forms of the same path in the definitions: `(a as T)`, `a as T`, `a.as(T)`. */
function normalizeBranch(branch: string, type: string): string {
  let text = withoutOuterParentheses(branch.replace(/\s+/g, ' ').trim())
    .replace(/^\(([\w.]+) as (\w+)\)/, '$1.ofType($2)')
    .replace(/^([\w.]+) as (\w+)$/, '$1.ofType($2)')
    .replace(/\.as\((\w+)\)/g, '.ofType($1)');
  if (type !== '' && /^[a-z]/.test(text)) text = `${type}.${text}`;
  return text;
}

function withoutOuterParentheses(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  let depth = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return text;
  }
  return withoutOuterParentheses(text.slice(1, -1).trim());
}

/** Splits `a | b` into its branches, but not inside parentheses and string literals. */
export function splitUnion(expression: string): string[] {
  const branches: string[] = [];
  let depth = 0;
  let isText = false;
  let start = 0;
  for (let at = 0; at < expression.length; at++) {
    const character = expression[at];
    if (character === "'") isText = !isText;
    if (isText) continue;
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === '|' && depth === 0) {
      branches.push(expression.slice(start, at));
      start = at + 1;
    }
  }
  branches.push(expression.slice(start));
  return branches;
}
