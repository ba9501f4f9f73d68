/** Decides which search parameters have at most one value in a resource, from their expressions and the definitions. */
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import type { StoredParameter } from './parameter';

const cachedResults = new WeakMap<StoredParameter, boolean>();

/**
 * True where a resource has at most one row of the parameter (for a composite: one for each of its first values). False
 * where the expression is more than a plain path. Cost: some microseconds the first time, then a lookup.
 */
export function isSingleValued(definitions: Definitions, stored: StoredParameter): boolean {
  let isSingle = cachedResults.get(stored);
  if (isSingle === undefined) cachedResults.set(stored, (isSingle = decide(definitions, stored)));
  return isSingle;
}

function decide(definitions: Definitions, { parameter, rowsOf }: StoredParameter): boolean {
  const [source, ...others] = rowsOf;
  if (source === undefined || others.length > 0 || source.targetType !== undefined) return false;
  const path = plainPath(parameter);
  if (path === undefined) return false;
  if (parameter.kind !== 'composite') return hasOneValue(definitions, parameter.type, path);
  const last = toSteps(parameter.components.at(-1)?.expression ?? '');
  return last !== undefined && hasOneValue(definitions, parameter.type, [...path, ...last]);
}

/** Returns the steps below the type; undefined for an expression that is not a plain path. */
function plainPath({ expression, type }: SearchParameterDefinition): readonly string[] | undefined {
  const steps = toSteps(expression ?? '');
  if (steps === undefined) return undefined;
  return steps[0] === type ? steps.slice(1) : steps;
}

/**
 * `(Observation.value as Quantity) | (Observation.value as SampledData)` is one path, because a choice has one type.
 */
function toOneBranch(expression: string): string {
  const branches = new Set(expression.split('|').map((branch) => withoutType(branch)));
  const [branch = ''] = branches;
  return branches.size === 1 ? branch : '';
}

function withoutType(branch: string): string {
  return branch
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\((.*)\)$/, '$1')
    .replace(/ as \w+$|\.(as|ofType)\(\w+\)$/, '');
}

const PLAIN = /^\w+(\.\w+)*$/;

function toSteps(expression: string): readonly string[] | undefined {
  const plain = toOneBranch(expression);
  return PLAIN.test(plain) ? plain.split('.') : undefined;
}

function hasOneValue(definitions: Definitions, type: string, steps: readonly string[]): boolean {
  let structure = definitions.structure(type);
  let path = '';
  for (const step of steps) {
    if (structure === undefined) return false;
    path = path === '' ? step : `${path}.${step}`;
    const element = structure.element(path) ?? structure.element(`${path}[x]`);
    if (element === undefined || element.max > 1 || element.contentReference !== undefined) return false;
    if (structure.children(element.path).length > 0) continue;
    structure = element.types.length === 1 ? definitions.structure(element.types[0]?.code ?? '') : undefined;
    path = '';
  }
  return true;
}
