/** The FHIRPath engine of the Lister Hill Center as a second opinion on invariants. */
import fhirpath from 'fhirpath';
import type { Definitions } from '../../../../src/core/fhir/definitions';
import { isJsonObject, type JsonValue } from '../../../../src/core/fhir/json';
import { modelOf, targetOf } from '../path/oracle';

/** True if the invariant holds. It does not hold if its result is empty or it cannot be evaluated. Decimals are plain numbers. */
export type Judge = (value: JsonValue, resource: JsonValue, rootResource: JsonValue) => boolean;

const RESOLVE = /([\w.]+)\.resolve\(\)/;
const OPTIONS = { async: false, traceFn: () => undefined } as const;

/**
 * `base` is the type or element that a value is of. The library's resolve() is asynchronous, so that it is done here:
 * a contained resource, or a resource of which only the type is known, as ours has it.
 */
export function createInvariantOracle(definitions: Definitions): (expression: string, base: string) => Judge {
  const model = modelOf(definitions);
  return (expression, base) => {
    const references = RESOLVE.exec(expression)?.[1];
    const compile = (text: string) => fhirpath.compile({ base, expression: text }, model, OPTIONS);
    const findReferences = references === undefined ? undefined : compile(references);
    const evaluate = compile(expression.replace(RESOLVE, '%resolved'));
    // The library compiles with the flag u, which refuses `\\-` and the like.
    const userInvocationTable = isForUnicode(expression)
      ? undefined
      : { matches: { fn: matches, arity: { 1: ['String' as const] } } };
    return (value, resource, rootResource) => {
      try {
        const found: JsonValue[] = findReferences?.(value, { resource, rootResource }) ?? [];
        const resolved = found.flatMap((reference) => resolve(definitions, reference, rootResource));
        const result: JsonValue[] = evaluate(
          value,
          { resource, rootResource, resolved },
          { userInvocationTable },
        );
        return result.length === 1 && result[0] !== false;
      } catch {
        return false;
      }
    };
  };
}

function matches(nodes: JsonValue[], pattern: string): boolean[] {
  return nodes.map((node) => {
    // Some values come as the library's own nodes.
    const text = isJsonObject(node) ? node['data'] : node;
    return typeof text === 'string' && new RegExp(pattern, 's').test(text);
  });
}

function isForUnicode(expression: string): boolean {
  return [...expression.matchAll(/matches\('((?:[^'\\]|\\.)*)'\)/g)].every(([, pattern = '']) => {
    try {
      return new RegExp(pattern.replace(/\\([^])/g, '$1'), 'u') instanceof RegExp;
    } catch {
      return false;
    }
  });
}

function resolve(definitions: Definitions, reference: JsonValue, resource: JsonValue): JsonValue[] {
  const type = targetOf(reference, resource);
  if (typeof type !== 'string' || !definitions.isResourceType(type)) return [];
  const text = isJsonObject(reference) ? reference['reference'] : reference;
  if (typeof text !== 'string' || !text.startsWith('#')) return [{ resourceType: type }];
  if (text === '#') return [resource];
  const contained = isJsonObject(resource) ? resource['contained'] : undefined;
  const list = Array.isArray(contained) ? contained.filter(isJsonObject) : [];
  return list.filter(({ id }) => id === text.slice(1)).slice(0, 1);
}
