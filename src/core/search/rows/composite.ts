/**
 * Rows of composites: one for each combination of values of the components within one element, so that values of
 * different components or repetitions are never combined. The last component determines how a combination is stored:
 *
 * - date, number, quantity: a range row whose qualifier is the hash of the components before it, with the system of a
 *   code beside it; if the last two are numbers (start and end of a variant), they are `low` and `high` of one row;
 * - string: a string row whose value is the qualifier in hexadecimal, a space and the folded text;
 * - anything else: a token row of the hash of all components.
 *
 * In strings and tokens a code is hashed with its system ('' when it has none) and once more without, for "any system";
 * a code that is compared as given is marked.
 * Source: https://hl7.org/fhir/R4/search.html#composite
 */
import type { JsonObject } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { foldForIndex } from './fold';
import type { Hasher } from './hash';
import { ROW_SCHEME } from './index-rows';
import type { RowCollector, RowSettings } from './collector';
import { addRangeRows, qualifierHash, visitRanges, type Qualifier, type RangeKind } from './range';
import { referenceText } from './reference';
import { visitTexts } from './string';
import { markExact, visitCodes } from './token';
import { splitCanonical } from './uri';

export type ComponentKind = 'token' | 'reference' | 'uri' | 'string' | RangeKind;

/** An element that the expression of a composite selects, and its resource. */
export interface CompositeElement {
  readonly value: JsonObject;
  readonly resource: JsonObject;
}

/** A component of a composite and the function that reads its values from an element. */
export interface CompositeComponent {
  readonly kind: ComponentKind;
  readonly valuesOf: (element: CompositeElement) => readonly PathValue[];
}

/** One value of the first components: for each a system (undefined: any; '': none) and a text. */
type Key = readonly (string | undefined)[];

/** Stands for every code of a system; no stored value has this character. */
export const ANY_CODE = '\u0000';

/** True when composites of these kinds, in this order, have rows; others cannot be searched. */
export function isStorable(kinds: readonly ComponentKind[]): boolean {
  const [first, second, third] = kinds;
  if (kinds.length === 2) return first !== undefined && isKeyKind(first) && second !== undefined;
  return kinds.length === 3 && first === 'token' && second === 'number' && third === 'number';
}

/** The composite parameter whose rows are added, and where they go. */
export interface CompositeTarget {
  readonly components: readonly CompositeComponent[];
  readonly parameter: number;
  readonly settings: RowSettings;
  readonly rows: RowCollector;
}

/** Adds the rows of one element of a composite parameter whose components are storable. */
export function addCompositeRows(
  element: CompositeElement,
  { components, parameter, settings, rows }: CompositeTarget,
): void {
  const [first, second, third] = components;
  if (first === undefined || second === undefined) return;
  if (third !== undefined || isRangeKind(second.kind)) {
    const qualifiers = qualifiersOf(first, element, settings);
    if (qualifiers.length === 0) return;
    if (third !== undefined)
      addSpanRows(qualifiers, { element, start: second, end: third, parameter, settings, rows });
    else if (isRangeKind(second.kind))
      for (const found of second.valuesOf(element))
        addRangeRows(found, { parameter, kind: second.kind, settings, rows, qualifiers });
    return;
  }
  const keys = keysOf(first, element, settings);
  if (keys.length === 0) return;
  if (second.kind === 'string')
    addQualifiedStrings(keys, { element, component: second, parameter, rowSettings: settings, rows });
  else
    addPairs(keys, { secondKeys: keysOf(second, element, settings), parameter, rowSettings: settings, rows });
}

/**
 * Adds rows for a composite of a code and a range that omits the value of an element (ROW_SCHEME.ordered). They put the
 * element into the order of the sort parameter under each of its codes.
 */
export function addOrderedRows(
  element: CompositeElement,
  values: readonly PathValue[],
  { components: [first, second], parameter, settings, rows }: CompositeTarget,
): void {
  if (first === undefined || second === undefined || !isRangeKind(second.kind) || values.length === 0) return;
  if (second.valuesOf(element).length > 0) return;
  const qualifiers = qualifiersOf(first, element, settings);
  const { hasher } = settings;
  for (const found of values) {
    visitRanges(
      found,
      second.kind,
      settings,
      (low, high, { unitSystem, unitCode, unitName, isCanonical }) => {
        if (isCanonical) return;
        for (const { text = '', system } of qualifiers) {
          const qualifierHigh = qualifierHash(hasher, undefined, text);
          const qualifier = { qualifierHigh, qualifierLow: hasher.low, qualifierSystem: system };
          const number = parameter + ROW_SCHEME.ordered;
          rows.range({ parameter: number, ...qualifier, low, high, unitSystem, unitCode, unitName });
        }
      },
    );
  }
}

/** Returns the high half of the hash of a pair in a token row; the low half is in `hasher.low`. */
export function pairHash(
  hasher: Hasher,
  {
    firstSystem,
    first,
    secondSystem,
    second,
  }: {
    readonly firstSystem: string | undefined;
    readonly first: string;
    readonly secondSystem: string | undefined;
    readonly second: string;
  },
): number {
  return hasher.parts(firstSystem, first, secondSystem, second);
}

/** Returns the prefix of the value of a composite's string row. */
export function qualifierPrefix(high: number, low: number): string {
  const digits = (half: number): string => (half >>> 0).toString(16).padStart(8, '0');
  return `${digits(high)}${digits(low)} `;
}

function isRangeKind(kind: ComponentKind): kind is RangeKind {
  return kind === 'date' || kind === 'number' || kind === 'quantity';
}

function isKeyKind(kind: ComponentKind): boolean {
  return kind === 'token' || kind === 'reference' || kind === 'uri';
}

/** Returns the keys of all values of a component; a code has two, with its system and without. */
function keysOf(component: CompositeComponent, element: CompositeElement, settings: RowSettings): Key[] {
  const keys: Key[] = [];
  for (const found of component.valuesOf(element)) {
    if (component.kind === 'token') {
      visitCodes(found.value, found.type, found.system, (system, code, isExact) => {
        const text = isExact ? markExact(code) : code;
        keys.push([undefined, text], [system ?? '', text]);
        if (settings.hasSystemKeys === true && system !== undefined) keys.push([system, ANY_CODE]);
      });
    } else if (component.kind === 'reference') {
      const text = referenceText(found, settings);
      if (text !== undefined) keys.push([undefined, text]);
    } else if (typeof found.value === 'string' && found.value.length > 0) {
      keys.push([undefined, found.type === 'canonical' ? splitCanonical(found.value).url : found.value]);
    }
  }
  return keys;
}

/** Returns the values of the first component; a code once for each of its systems. */
function qualifiersOf(
  component: CompositeComponent,
  element: CompositeElement,
  settings: RowSettings,
): Qualifier[] {
  const { hasher } = settings;
  if (component.kind !== 'token')
    return keysOf(component, element, settings).map(([, text = '']) => ({ text, system: 0 }));
  const qualifiers: Qualifier[] = [];
  for (const found of component.valuesOf(element)) {
    visitCodes(found.value, found.type, found.system, (given, code, isExact) => {
      const system = given === undefined || given === '' ? 0 : hasher.cachedShort(given);
      qualifiers.push({ text: isExact ? markExact(code) : code, system });
      if (settings.hasSystemKeys === true && given !== undefined) qualifiers.push({ text: ANY_CODE, system });
    });
  }
  return qualifiers;
}

/** The components of the bounds of a span, and where its rows go. */
interface SpanTarget {
  readonly element: CompositeElement;
  readonly start: CompositeComponent;
  readonly end: CompositeComponent;
  readonly parameter: number;
  readonly settings: RowSettings;
  readonly rows: RowCollector;
}

function addSpanRows(
  qualifiers: readonly Qualifier[],
  { element, start, end, parameter, settings, rows }: SpanTarget,
): void {
  const endsOf = (component: CompositeComponent): number[] => {
    const ends: number[] = [];
    for (const found of component.valuesOf(element))
      visitRanges(found, 'number', settings, (low) => ends.push(low));
    return ends;
  };
  const { hasher } = settings;
  for (const low of endsOf(start)) {
    for (const high of endsOf(end)) {
      for (const { text = '', system: qualifierSystem } of qualifiers) {
        const qualifierHigh = qualifierHash(hasher, undefined, text);
        const qualifierLow = hasher.low;
        rows.range({
          parameter,
          qualifierHigh,
          qualifierLow,
          qualifierSystem,
          low,
          high,
          unitSystem: 0,
          unitCode: 0,
          unitName: 0,
        });
      }
    }
  }
}

/** The component with the strings, and where its rows go. */
interface StringTarget {
  readonly element: CompositeElement;
  readonly component: CompositeComponent;
  readonly parameter: number;
  readonly rowSettings: RowSettings;
  readonly rows: RowCollector;
}

function addQualifiedStrings(
  keys: readonly Key[],
  { element, component, parameter, rowSettings: { hasher }, rows }: StringTarget,
): void {
  for (const found of component.valuesOf(element)) {
    visitTexts(found.value, found.type, false, (value) => {
      const folded = foldForIndex(value);
      const exact = hasher.short(value);
      for (const [system, text = ''] of keys) {
        const prefix = qualifierPrefix(qualifierHash(hasher, system, text), hasher.low);
        rows.string(parameter, prefix + folded, exact, false);
      }
    });
  }
}

function addPairs(
  firstKeys: readonly Key[],
  {
    secondKeys,
    parameter,
    rowSettings: { hasher },
    rows,
  }: {
    readonly secondKeys: readonly Key[];
    readonly parameter: number;
    readonly rowSettings: RowSettings;
    readonly rows: RowCollector;
  },
): void {
  for (const [firstSystem, first = ''] of firstKeys) {
    for (const [secondSystem, second = ''] of secondKeys) {
      const high = pairHash(hasher, { firstSystem, first, secondSystem, second });
      rows.token(parameter, high, hasher.low, 0);
    }
  }
}
