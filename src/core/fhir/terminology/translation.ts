/** Translation of a code by a ConceptMap (https://hl7.org/fhir/R4/conceptmap.html). */
import { type JsonObject } from '../json';
import { objectMember, objectsMember, stringMember } from './members';
import { parseCanonical } from './source';

export interface CodeToTranslate {
  readonly system: string;
  readonly version: string | undefined;
  readonly code: string;
}

/** The value of another element in the context of the code, as a CodeableConcept or its text. */
export interface Dependency {
  readonly element: string;
  readonly concept: JsonObject;
}

export interface TranslationOptions {
  /** Restricts the results to this code system. */
  readonly targetSystem: string | undefined;
  /** True to translate from the target of the map to its source. */
  readonly isReverse: boolean;
  readonly dependencies: readonly Dependency[];
}

/** One target of a code; without a concept it means that there is none. */
export interface Translation {
  /** Relation of the result to the given code, from http://hl7.org/fhir/concept-map-equivalence. */
  readonly equivalence: string;
  readonly concept: JsonObject | undefined;
  readonly products: readonly Dependency[];
  /** Canonical url of the map. */
  readonly source: string | undefined;
  /** The value set of the map that has the concept; undefined if it has none. */
  readonly valueSet: string | undefined;
}

export interface Translations {
  readonly found: readonly Translation[];
  /** Maps to use instead, because this one has nothing for the code (`unmapped.mode` other-map). */
  readonly elsewhere: readonly string[];
  /** True if a target was omitted because it depends on a value that was not given. */
  readonly isDependent: boolean;
}

/** True if two canonicals are equal; one without a version matches any version. */
export function isSameCanonical(one: string, other: string): boolean {
  const a = parseCanonical(one);
  const b = parseCanonical(other);
  return a.url === b.url && (a.version === undefined || b.version === undefined || a.version === b.version);
}

/**
 * Returns the value set of the map; undefined if it has none. `side` is that of the map, also for reverse translations.
 */
export function valueSetOf(map: JsonObject, side: 'source' | 'target'): string | undefined {
  return stringMember(map, `${side}Canonical`) ?? stringMember(map, `${side}Uri`);
}

/** An element of a map's group, and one of its targets. */
type ElementAndTarget = readonly [element: JsonObject, target: JsonObject];

/** The elements of maps by their codes, as long as these maps are in use: many codes do not each go through all elements. */
export class MapIndex {
  readonly #groups = new WeakMap<JsonObject, ReadonlyMap<string, readonly ElementAndTarget[]>>();

  constructor(private readonly isReverse: boolean) {}

  /** Cost: the first time for a group, one pass over its elements. */
  pairsOf(group: JsonObject, code: string): readonly ElementAndTarget[] {
    let pairs = this.#groups.get(group);
    if (pairs === undefined) this.#groups.set(group, (pairs = this.#indexed(group)));
    return pairs.get(code) ?? [];
  }

  #indexed(group: JsonObject): ReadonlyMap<string, readonly ElementAndTarget[]> {
    const pairs = new Map<string, ElementAndTarget[]>();
    for (const element of objectsMember(group, 'element')) {
      for (const target of objectsMember(element, 'target')) {
        const code = stringMember(this.isReverse ? target : element, 'code');
        if (code === undefined) continue;
        const ofCode = pairs.get(code);
        if (ofCode === undefined) pairs.set(code, [[element, target]]);
        else ofCode.push([element, target]);
      }
    }
    return pairs;
  }
}

/** @param index in the direction of the options */
export function translate(
  map: JsonObject,
  codeToTranslate: CodeToTranslate,
  options: TranslationOptions,
  index: MapIndex,
): Translations {
  const source = stringMember(map, 'url');
  const valueSet = valueSetOf(map, options.isReverse ? 'source' : 'target');
  const found: Translation[] = [];
  const elsewhere: string[] = [];
  let isDependent = false;
  const [from, to] = options.isReverse ? (['target', 'source'] as const) : (['source', 'target'] as const);
  for (const group of objectsMember(map, 'group')) {
    if (!isGroupFor(group, codeToTranslate, from)) continue;
    const system = stringMember(group, to);
    if (options.targetSystem !== undefined && options.targetSystem !== system) continue;
    const version = stringMember(group, `${to}Version`);
    const pairs = index.pairsOf(group, codeToTranslate.code);
    for (const [element, target] of pairs) {
      if (!dependenciesMatch(objectsMember(target, 'dependsOn'), options.dependencies)) {
        isDependent = true;
        continue;
      }
      const equivalence = stringMember(target, 'equivalence') ?? 'equivalent';
      found.push({
        equivalence: options.isReverse ? (INVERSE[equivalence] ?? equivalence) : equivalence,
        concept: toCoding(system, version, options.isReverse ? element : target),
        products: options.isReverse ? [] : objectsMember(target, 'product').map(toProduct),
        ...{ source, valueSet },
      });
    }
    const unmapped = objectMember(group, 'unmapped');
    // A code whose translation depends on what is not known is mapped all the same.
    if (pairs.length > 0 || options.isReverse || unmapped === undefined) continue;
    const url = stringMember(unmapped, 'url');
    if (stringMember(unmapped, 'mode') === 'other-map' && url !== undefined) elsewhere.push(url);
    else found.push(toUnmapped(unmapped, { codeToTranslate, system, version, source, valueSet }));
  }
  return { found, elsewhere, isDependent };
}

/** Equivalences in reverse: A is wider than B if B is narrower than A. */
const INVERSE: Readonly<Record<string, string>> = {
  wider: 'narrower',
  narrower: 'wider',
  subsumes: 'specializes',
  specializes: 'subsumes',
};

function isGroupFor(group: JsonObject, codeToTranslate: CodeToTranslate, from: 'source' | 'target'): boolean {
  if (stringMember(group, from) !== codeToTranslate.system) return false;
  const version = stringMember(group, `${from}Version`);
  return (
    version === undefined || codeToTranslate.version === undefined || version === codeToTranslate.version
  );
}

/** True if all dependencies of a target were given. */
function dependenciesMatch(conditions: readonly JsonObject[], given: readonly Dependency[]): boolean {
  return conditions.every((condition) => {
    const [property, value] = [stringMember(condition, 'property'), stringMember(condition, 'value')];
    const system = stringMember(condition, 'system');
    return given.some(({ element, concept }) => {
      if (element !== property) return false;
      if (system === undefined && stringMember(concept, 'text') === value) return true;
      return objectsMember(concept, 'coding').some((coding) => {
        const isOfSystem = system === undefined || stringMember(coding, 'system') === system;
        return isOfSystem && stringMember(coding, 'code') === value;
      });
    });
  });
}

/** `provided`: the code stays the same; `fixed`: one code for all, with an unspecified equivalence. */
function toUnmapped(
  unmapped: JsonObject,
  {
    codeToTranslate: { code },
    system,
    version,
    source,
    valueSet,
  }: {
    readonly codeToTranslate: CodeToTranslate;
    readonly system: string | undefined;
    readonly version: string | undefined;
    readonly source: string | undefined;
    readonly valueSet: string | undefined;
  },
): Translation {
  const isProvided = stringMember(unmapped, 'mode') === 'provided';
  return {
    equivalence: isProvided ? 'equal' : 'relatedto',
    concept: toCoding(system, version, isProvided ? { code } : unmapped),
    products: [],
    ...{ source, valueSet },
  };
}

function toCoding(
  system: string | undefined,
  version: string | undefined,
  concept: JsonObject,
): JsonObject | undefined {
  const [code, display] = [stringMember(concept, 'code'), stringMember(concept, 'display')];
  if (code === undefined) return undefined;
  return {
    ...(system === undefined ? {} : { system }),
    ...(version === undefined ? {} : { version }),
    code,
    ...(display === undefined ? {} : { display }),
  };
}

function toProduct(product: JsonObject): Dependency {
  const [system, code] = [stringMember(product, 'system'), stringMember(product, 'value')];
  const display = stringMember(product, 'display');
  return {
    element: stringMember(product, 'property') ?? '',
    concept: {
      ...(system === undefined ? {} : { system }),
      ...(code === undefined ? {} : { code }),
      ...(display === undefined ? {} : { display }),
    },
  };
}
