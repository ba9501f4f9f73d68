import { fhirError } from '../../errors';
import type { SearchParameterComponent } from '../../fhir/definitions';
import { componentTypes } from '../parameters/component-types';
import { cut, fold, MAX_STRING_LENGTH } from '../rows/fold';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Hasher } from '../rows/hash';
import type { Predicate } from '../predicate';
import type { ResourceKey } from '../rows/resource-key';
import type { StoredParameter } from '../parameters/parameter';
import { ANY_CODE, pairHash, qualifierPrefix } from '../rows/composite';
import { qualifierHash } from '../rows/range';
import { foldCode, isCaseInsensitive, markExact } from '../rows/token';
import { splitCanonical } from '../rows/uri';
import { parseDateValue } from './date';
import { numberPredicates, parseNumberValue, doubleTests } from './number';
import { parseQuantityValue, quantityPredicates } from './quantity';
import type { SearchType, SearchTypeContext } from './search-type';
import { LAST_CHARACTER } from './string-texts';
import { isValidId } from '../../fhir/resource';

/** A code, reference or uri as in the rows of composites; `system`: undefined is any, '' is none. */
interface Key {
  readonly system: string | undefined;
  readonly text: string;
}

/**
 * `value$value` (search.html#composite): all values are of one element. The first is a code, reference or uri; the
 * parameter determines the second; after a code there may be two numbers. `system|` is any code of a system. Modifiers
 * are rejected.
 */
export const compositeType: SearchType = {
  modifiers: new Map(),
  predicates(context, { stored, name }, value): Predicate[] {
    const { components } = stored.parameter;
    const [first, second, third] = components;
    const parts = splitUnescaped(value, '$');
    if (first === undefined || second === undefined || parts.length !== components.length) {
      const form = components.map(({ code }) => code).join('$');
      const reason = `it has ${components.length} parts: ${form}; write \\$ for a dollar sign inside`;
      throw fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
    }
    const [one = '', other = '', last = ''] = parts;
    const keys = keysOf(context, stored, { component: first, name, value: one });
    const predicates = stored.rowsOf.flatMap(({ number }) =>
      keys.flatMap((key) =>
        third === undefined
          ? pairPredicates(context, {
              stored,
              first: key,
              component: second,
              parameter: number,
              name,
              value: other,
            })
          : [spanPredicate(context, { key, parameter: number, name, start: other, end: last })],
      ),
    );
    const isStored = ![first, second].some(({ kind }, place) => kind === 'token' && isSystem(parts[place]));
    return isStored ? predicates : [readPredicate(context, stored, name, predicates)];
  },
};

/** True for `system|`. */
function isSystem(part: string | undefined): boolean {
  const [system = '', code, ...others] = splitUnescaped(part ?? '', '|');
  return system !== '' && code === '' && others.length === 0;
}

/** Returns a scan for rows that no index holds; they are made of each resource that has a value for the parameter. */
function readPredicate(
  { definitions: { release } }: SearchTypeContext,
  { parameter: { type, ordinal } }: StoredParameter,
  name: string,
  anyOf: readonly Predicate[],
): Predicate {
  return { index: 'scan', scan: { kind: 'rows', release, type, ordinal, criteria: [{ name, anyOf }] } };
}

/** A code and the two numbers of a window, as written. */
interface SpanValue {
  readonly key: Key;
  readonly parameter: number;
  readonly name: string;
  readonly start: string;
  readonly end: string;
}

/** Returns the predicate of a code and two numbers, such as a chromosome with the start and the end of a window. */
function spanPredicate(
  { hasher }: SearchTypeContext,
  { key, parameter, name, start, end }: SpanValue,
): Predicate {
  return {
    index: 'span',
    parameter,
    ...qualifierOf(hasher, key),
    // Coordinates are whole numbers, which their doubles represent exactly.
    start: doubleTests(parseNumberValue(name, unescapeValue(start))).places,
    end: doubleTests(parseNumberValue(name, unescapeValue(end))).places,
  };
}

/** Returns the qualifier of a key in range rows; without a system any system matches. */
function qualifierOf(
  hasher: Hasher,
  { system, text }: Key,
): { readonly qualifier: ResourceKey; readonly qualifierSystem?: number } {
  const high = qualifierHash(hasher, undefined, text);
  const qualifier = { high, low: hasher.low };
  if (system === undefined) return { qualifier };
  return { qualifier, qualifierSystem: system === '' ? 0 : hasher.cachedShort(system) };
}

/** The parsed first component of a composite, and the second as written. */
interface PairValue {
  readonly stored: StoredParameter;
  readonly first: Key;
  readonly component: SearchParameterComponent;
  readonly parameter: number;
  readonly name: string;
  readonly value: string;
}

function pairPredicates(
  context: SearchTypeContext,
  { stored, first, component, parameter, name, value }: PairValue,
): Predicate[] {
  const { hasher } = context;
  const { system, text } = first;
  switch (component.kind) {
    case 'date': {
      const parsed = parseDateValue(context, name, unescapeValue(value));
      return [{ index: 'range', parameter, ...qualifierOf(hasher, first), ...parsed }];
    }
    case 'number':
      return numberPredicates(hasher, parseNumberValue(name, unescapeValue(value)), {
        parameter,
        key: { text, ...qualifierOf(hasher, first) },
      });
    case 'quantity':
      return quantityPredicates(hasher, parseQuantityValue(hasher, name, value), {
        parameter,
        key: { text, ...qualifierOf(hasher, first) },
      });
    case 'string': {
      const prefix = qualifierPrefix(qualifierHash(hasher, system, text), hasher.low);
      const from = prefix + cut(fold(unescapeValue(value)), MAX_STRING_LENGTH - prefix.length);
      return [{ index: 'string', parameter, from, to: from + LAST_CHARACTER, exact: undefined }];
    }
    default:
      return keysOf(context, stored, { component, name, value }).map((key): Predicate => {
        const pair = pairHash(hasher, {
          firstSystem: system,
          first: text,
          secondSystem: key.system,
          second: key.text,
        });
        return { index: 'token', parameter, value: { high: pair, low: hasher.low }, system: 0 };
      });
  }
}

/** Returns the possible forms of a component's value in the rows. */
function keysOf(
  { references, definitions }: SearchTypeContext,
  { parameter }: StoredParameter,
  {
    component,
    name,
    value,
  }: { readonly component: SearchParameterComponent; readonly name: string; readonly value: string },
): Key[] {
  const refuse = (reason: string): Error =>
    fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
  if (component.kind === 'token') {
    const parts = splitUnescaped(value, '|').map(unescapeValue);
    const [first = '', second] = parts;
    const code = second ?? first;
    if (isSystem(value)) return [{ system: first, text: ANY_CODE }];
    if (parts.length > 2 || code === '') throw refuse('a code here is code, system|code, |code or system|');
    const system = second === undefined ? undefined : first;
    const types = componentTypes(definitions, parameter, component);
    return [
      ...(types?.some(isCaseInsensitive) === false ? [] : [foldCode(code)]),
      ...(types?.every(isCaseInsensitive) === true ? [] : [markExact(code)]),
    ].map((text) => ({ system, text }));
  }
  const text = unescapeValue(value);
  if (text === '') throw refuse('a part of it is empty');
  if (component.kind !== 'reference') return [{ system: undefined, text: splitCanonical(text).url }];
  const local = references.local(text);
  if (local !== undefined) return [{ system: undefined, text: `${local.type}/${local.id}` }];
  if (isValidId(text)) {
    return definitions.resourceTypes.map((type) => ({ system: undefined, text: `${type}/${text}` }));
  }
  return [{ system: undefined, text }];
}
