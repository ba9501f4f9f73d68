import type { ResourceKey } from '../search/rows/resource-key';
import type { Criterion, Predicate } from '../search/predicate';
import type { TestedVersion } from '../search/matching/version-test';
import type { ChangeFilter } from '../change-feed/change-filter';

/**
 * Finds the few of many filters that a version may meet, by one value that it must have: a code, a reference or its id.
 * Cost of a look-up: that of the rows of the version, not of the number of filters.
 */
export class CandidateIndex<Owner> {
  /** By type number and key. */
  readonly #byKey = new Map<string, Set<Owner>>();
  /** By type number: those that any version of the type may meet, as far as is known without a test. */
  readonly #others = new Map<number, Set<Owner>>();
  readonly #keyedTypes = new Set<number>();

  add(owner: Owner, filter: ChangeFilter): void {
    const { typeNumber } = filter;
    if (typeNumber === undefined) return;
    const keys = filter.criteria.map(keysOf).find((found) => found !== undefined);
    if (keys === undefined) {
      addTo(this.#others, typeNumber, owner);
      return;
    }
    this.#keyedTypes.add(typeNumber);
    for (const key of keys) addTo(this.#byKey, `${typeNumber} ${key}`, owner);
  }

  /** True: `collect` needs the version of a change of this type. */
  needsVersion(type: number): boolean {
    return this.#keyedTypes.has(type);
  }

  /** Adds the owners of the filters that a change of this type may concern. */
  collect(owners: Set<Owner>, type: number, version: TestedVersion | undefined): void {
    for (const owner of this.#others.get(type) ?? NONE) owners.add(owner as Owner);
    if (version === undefined) return;
    const { rows, key } = version;
    this.#take(owners, type, keyOfId(key));
    for (const { parameter, valueHigh, valueLow } of rows.tokens)
      this.#take(owners, type, `${parameter} ${valueHigh} ${valueLow}`);
    for (const { parameter, targetHigh, targetLow } of rows.references)
      this.#take(owners, type, `${parameter} ${targetHigh} ${targetLow}`);
  }

  #take(owners: Set<Owner>, type: number, key: string): void {
    for (const owner of this.#byKey.get(`${type} ${key}`) ?? NONE) owners.add(owner as Owner);
  }
}

const NONE: ReadonlySet<unknown> = new Set();
/** More alternatives are tested one by one. */
const MOST_KEYS = 100;

/** The values of which a version that meets the criterion has at least one; undefined: there are no such values. */
function keysOf({ anyOf, isNegated = false }: Criterion): readonly string[] | undefined {
  if (isNegated || anyOf.length === 0) return undefined;
  const keys: string[] = [];
  for (const predicate of anyOf) {
    const some = keysOfPredicate(predicate);
    if (some === undefined || keys.length + some.length > MOST_KEYS) return undefined;
    keys.push(...some);
  }
  return keys;
}

function keysOfPredicate(predicate: Predicate): readonly string[] | undefined {
  const { index } = predicate;
  const of = (parameter: number, { high, low }: ResourceKey): string => `${parameter} ${high} ${low}`;
  if (index === 'token') return predicate.value && [of(predicate.parameter, predicate.value)];
  if (index === 'reference') return [of(predicate.parameter, predicate.target)];
  if (index === 'references') return predicate.targets.map((target) => of(predicate.parameter, target));
  if (index === 'key' && predicate.contained === undefined) return predicate.keys.map(keyOfId);
  return undefined;
}

const keyOfId = ({ high, low }: ResourceKey): string => `id ${high} ${low}`;

function addTo<Key, Value>(map: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}
