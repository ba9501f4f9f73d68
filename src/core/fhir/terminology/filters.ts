/**
 * Filters of value-set includes (https://hl7.org/fhir/R4/valueset.html#ValueSet.compose.include.filter). Each becomes a
 * test of one concept, so that a check of one code never walks the whole system.
 */
import { fhirError } from '../../errors';
import { type JsonObject } from '../json';
import type { ConceptKey } from './concept-set';
import { CONCEPT_PROPERTIES } from './read-code-system';
import { type CodeSystem, type Concept, findAbove, isSelfOrBelow, propertyValues } from './code-system';
import { objectMember, objectsMember, stringMember } from './members';
import { compilePattern, type Pattern } from './pattern';

/** A test of one concept. It reports its cost to `budget`, which may throw. */
export interface ConceptFilter {
  (concept: Concept, budget: PatternBudget): boolean;
  /** What stored concepts that pass it are found by; undefined: by nothing. */
  readonly found?: FoundBy;
}

interface FoundBy {
  /** `top`: concepts without parents, which are found by reading the set in order. */
  readonly key: ConceptKey | 'top';
  /** Those that the key finds, and how many they are; undefined: not known. */
  readonly count: number | undefined;
  /** The only concept with the key that does not pass. */
  readonly except: Concept | undefined;
}

export interface PatternBudget {
  /** Throws `tooCostly`. @param steps of a pattern */
  match(steps: number): void;
}

type FilterOperator = (system: CodeSystem, property: string, value: string) => ConceptFilter;

/** The operators of http://hl7.org/fhir/filter-operator; a further one is one row. */
const OPERATORS: Readonly<Record<string, FilterOperator>> = Object.freeze({
  '=': (system, property, value) => {
    const valuesOf = readerOf(system, property);
    const key = propertyKey(system, property, value);
    return foundBy(
      (concept) => valuesOf(concept).includes(value),
      key && { key, count: undefined, except: undefined },
    );
  },
  in: (system, property, value) => {
    const wanted = splitList(value);
    const valuesOf = readerOf(system, property);
    return (concept) => valuesOf(concept).some((found) => wanted.has(found));
  },
  'not-in': (system, property, value) => {
    const unwanted = splitList(value);
    const valuesOf = readerOf(system, property);
    return (concept) => !valuesOf(concept).some((found) => unwanted.has(found));
  },
  exists: (system, property, value) => {
    const wanted = value === 'true';
    const valuesOf = readerOf(system, property);
    const isTop = system.stored !== undefined && property === 'parent' && !wanted;
    return foundBy(
      (concept) => valuesOf(concept).length > 0 === wanted,
      isTop ? { key: 'top', count: undefined, except: undefined } : undefined,
    );
  },
  regex: (system, property, value) => {
    const matches = toPattern(value);
    const valuesOf = readerOf(system, property);
    return (concept, budget) =>
      valuesOf(concept).some((text) => matches(text, (steps) => budget.match(steps)));
  },
  'is-a': hierarchical((concept, named) => isSelfOrBelow(concept, named), { hasSelf: true }),
  'descendent-of': hierarchical(
    (concept, named) => concept.code !== named.code && isSelfOrBelow(concept, named),
    { hasSelf: false },
  ),
  'is-not-a': hierarchical((concept, named) => !isSelfOrBelow(concept, named)),
  generalizes: hierarchical((concept, named) => isSelfOrBelow(named, concept)),
});

/**
 * Compiles a `ValueSet.compose.include.filter` to a test. Throws `notSupported` for an operator, property, code or
 * pattern that this code system does not allow.
 */
export function compileFilter(system: CodeSystem, filter: JsonObject): ConceptFilter {
  const operator = stringMember(filter, 'op') ?? '';
  const property = stringMember(filter, 'property') ?? '';
  const compile = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (compile === undefined) {
    throw fhirError('notSupported', { reason: `The filter operator '${operator}' is not supported` });
  }
  const value = stringMember(filter, 'value') ?? '';
  const own = operator === '=' ? system.filter?.(property, value) : undefined;
  return own ?? compile(system, property, value);
}

/** @param below present where the filter passes the concepts below the named one */
function hierarchical(
  fits: (concept: Concept, named: Concept) => boolean,
  below?: { readonly hasSelf: boolean },
): FilterOperator {
  return (system, property, value) => {
    if (property !== 'concept' && property !== 'code') {
      const reason = `Filters on the hierarchy are for the property 'concept', not for '${property}'`;
      throw fhirError('notSupported', { reason });
    }
    const named = system.find(value);
    if (named === undefined) {
      const reason = `A filter names the code '${value}', which the code system ${system.url} does not have`;
      throw fhirError('notSupported', { reason });
    }
    const test: ConceptFilter = (concept) => fits(concept, named);
    if (system.stored === undefined || below === undefined) return test;
    const key = { below: system.stored.fold(named.code) };
    const count = named.descendants === undefined ? undefined : named.descendants + 1;
    return foundBy(test, { key, count, except: below.hasSelf ? undefined : named });
  };
}

function foundBy(test: ConceptFilter, found: FoundBy | undefined): ConceptFilter {
  return found === undefined ? test : Object.assign(test, { found });
}

/** The key of a property of stored concepts, where it has all values that a filter compares. */
function propertyKey({ stored }: CodeSystem, property: string, value: string): ConceptKey | undefined {
  if (stored === undefined || value.includes('#')) return undefined;
  if (property === 'parent') return { property, value: stored.fold(value) };
  return Object.hasOwn(BUILT_IN, property) || property === NOT_SELECTABLE ? undefined : { property, value };
}

type PropertyReader = (concept: Concept) => readonly string[];

/** Properties that every code system has. Parent and child come from the hierarchy, in any form. */
const BUILT_IN: Readonly<Record<string, PropertyReader>> = Object.freeze({
  concept: (concept) => [concept.code],
  code: (concept) => [concept.code],
  display: (concept) => (concept.display === undefined ? [] : [concept.display]),
  definition: (concept) => {
    const definition = stringMember(concept.element, 'definition');
    return definition === undefined ? [] : [definition];
  },
  designation: ({ element }) =>
    objectsMember(element, 'designation').flatMap((each) => stringMember(each, 'value') ?? []),
  parent: (concept) => concept.parents.map((parent) => parent.code),
  child: (concept) => concept.children.map((child) => child.code),
  ancestor: (concept) => codesAbove(concept),
  inactive: (concept) => [String(concept.isInactive)],
});

const NOT_SELECTABLE = 'notSelectable';

/** A concept that says nothing is neither selectable nor not. Systems may have the property under another code, which its uri names. */
function notSelectableOf(system: CodeSystem): PropertyReader {
  const declared = objectsMember(system.head, 'property')
    .filter(({ uri }) => uri === `${CONCEPT_PROPERTIES}${NOT_SELECTABLE}`)
    .flatMap((each) => stringMember(each, 'code') ?? []);
  const codes = new Set([NOT_SELECTABLE, ...declared]);
  return (concept) => [
    ...(concept.isAbstract ? ['true'] : []),
    ...[...codes].flatMap((code) => propertyValues(concept.element, code)),
  ];
}

function readerOf(system: CodeSystem, property: string): PropertyReader {
  const builtIn = Object.hasOwn(BUILT_IN, property) ? BUILT_IN[property] : undefined;
  if (builtIn !== undefined) return builtIn;
  if (property === NOT_SELECTABLE) return notSelectableOf(system);
  if (!system.propertyCodes.has(property)) {
    const reason = `The code system ${system.url} has no property '${property}' to filter by`;
    throw fhirError('notSupported', { reason });
  }
  const isOfCodings = objectsMember(system.head, 'property').some(
    ({ code, type }) => code === property && type === 'Coding',
  );
  if (!isOfCodings) return (concept) => propertyValues(concept.element, property);
  return (concept) => [...propertyValues(concept.element, property), ...propertyCodings(concept, property)];
}

/** Codings as a filter may write them: `system#code`, `system|version#code`. */
function propertyCodings({ element }: Concept, property: string): readonly string[] {
  return objectsMember(element, 'property').flatMap((each) => {
    const coding = each['code'] === property ? objectMember(each, 'valueCoding') : undefined;
    if (coding === undefined) return [];
    const [system, version, code] = ['system', 'version', 'code'].map((name) => stringMember(coding, name));
    if (system === undefined || code === undefined) return [];
    return version === undefined
      ? [`${system}#${code}`]
      : [`${system}#${code}`, `${system}|${version}#${code}`];
  });
}

function codesAbove(concept: Concept): readonly string[] {
  const codes: string[] = [];
  findAbove(concept, (candidate) => {
    if (candidate.code !== concept.code) codes.push(candidate.code);
    return false;
  });
  return codes;
}

function splitList(value: string): ReadonlySet<string> {
  return new Set(value.split(',').map((element) => element.trim()));
}

function toPattern(value: string): Pattern {
  try {
    return compilePattern(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw fhirError('notSupported', {
      reason: `The regular expression '${value}' is not supported: ${error.message}`,
    });
  }
}
