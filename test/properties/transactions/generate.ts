/**
 * Random transactions over few resources and few identifiers, so that entries conflict with each other and with
 * existing resources.
 */
import type { Random } from '../oracle/random';
import type { Content, Entry, Reference, State, Target } from './model';

const IDS = 6;
const IDENTIFIERS = 9;
const MOST_ENTRIES = 7;

export function generateEntries(random: Random, state: State): Entry[] {
  const count = random.below(MOST_ENTRIES) + 1;
  const kinds = Array.from({ length: count }, () => random.pick(KINDS));
  const named = kinds.flatMap((kind, index) => (kind === 'delete' || kind === 'get' ? [] : [index]));
  return kinds.map((kind) => generateEntry({ random, state, named }, kind));
}

const KINDS: readonly Entry['kind'][] = [
  'create',
  'create',
  'create',
  'update',
  'update',
  'patch',
  'delete',
  'get',
];

interface Making {
  readonly random: Random;
  readonly state: State;
  /** Entries that others can refer to by their fullUrls. */
  readonly named: readonly number[];
}

function generateEntry(making: Making, kind: Entry['kind']): Entry {
  const { random, state, named } = making;
  const identifier = (): string => `v${random.below(IDENTIFIERS)}`;
  const id = (): string => {
    const existing = [...state.keys()];
    return random.chance(0.6) && existing.length > 0
      ? random.pick(existing.slice(-12))
      : `o-${random.below(IDS)}`;
  };
  const target = (): Target => (random.chance(0.25) ? { identifier: identifier() } : { id: id() });
  const guard = (of: Target): { ifMatch?: number } => {
    if (!('id' in of) || random.chance(0.8)) return {};
    return { ifMatch: random.chance(0.8) ? (state.get(of.id)?.length ?? 1) : random.below(3) + 1 };
  };
  const reference = (): Reference => {
    if (named.length > 0 && random.chance(0.5)) return { entry: random.pick(named) };
    const held = [...state.values()].flatMap((versions) => versions.at(-1)?.identifier ?? []);
    if (random.chance(0.5)) return { id: id() };
    return { identifier: held.length > 0 && random.chance(0.8) ? random.pick(held) : identifier() };
  };
  const content = (own?: string): Content => ({
    name: `name ${random.below(1000)}`,
    ...(own !== undefined ? { identifier: own } : random.chance(0.2) ? { identifier: identifier() } : {}),
    ...(random.chance(0.5) ? { partOf: reference() } : {}),
  });
  const broken = random.chance(0.015) ? { isBroken: true } : {};
  switch (kind) {
    case 'create': {
      if (random.chance(0.6)) return { kind, content: content(), ...broken };
      const ifNoneExist = identifier();
      return { kind, content: content(random.chance(0.9) ? ifNoneExist : undefined), ifNoneExist, ...broken };
    }
    case 'update': {
      const to = target();
      if ('identifier' in to) {
        const own = random.chance(0.2) ? { id: id() } : {};
        return { kind, target: to, content: content(to.identifier), ...own, ...broken };
      }
      const ifNoneMatch = random.chance(0.05) ? { ifNoneMatch: true } : {};
      return { kind, target: to, content: content(), id: to.id, ...guard(to), ...ifNoneMatch, ...broken };
    }
    case 'patch': {
      const live = [...state].flatMap(([key, versions]) => (versions.at(-1) === undefined ? [] : [key]));
      const to = live.length > 0 && random.chance(0.8) ? { id: random.pick(live.slice(-12)) } : target();
      const common = { kind, target: to, name: `patched ${random.below(1000)}`, ...guard(to) };
      if (random.chance(0.4)) return { ...common, form: 'fhirpath' };
      const partOf = named.length > 0 && random.chance(0.5) ? { partOf: { entry: random.pick(named) } } : {};
      return { ...common, form: 'json', ...partOf, ...(random.chance(0.02) ? { isFailing: true } : {}) };
    }
    case 'delete': {
      const to = target();
      return { kind, target: to, ...guard(to) };
    }
    case 'get': {
      const live = [...state].flatMap(([key, versions]) => (versions.at(-1) === undefined ? [] : [key]));
      return { kind, id: live.length > 0 && random.chance(0.9) ? random.pick(live.slice(-12)) : id() };
    }
  }
}
