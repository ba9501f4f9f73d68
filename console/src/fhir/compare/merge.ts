/**
 * Joins two changes of one record. What only one side has changed is taken; what both have changed in different ways is a
 * collision, which a person decides. The parts that are taken as a whole are the elements of the resource and of its
 * BackboneElements: a value of one person with the unit of another would be a new, wrong fact.
 */
import { isArray, isObject, textOf, type JsonArray, type JsonObject, type JsonValue } from '../../api/json';
import { membersOf, type Location } from '../../editor/element-at';
import { alignedItems, writePath, type JsonPath } from './diff';
import { isSame } from './same';

export type Side = 'theirs' | 'mine' | 'both';

/** An element that both have changed in different ways. */
export interface Collision {
  /** In the text of the version that both began with, or where it would stand: `telecom[1]`. */
  readonly key: string;
  /** Undefined: it was not there. */
  readonly base: JsonValue | undefined;
  readonly theirs: JsonValue | undefined;
  readonly mine: JsonValue | undefined;
  /** Both have added items to a list, which can be kept beside each other. */
  readonly canHaveBoth: boolean;
}

export interface Merge {
  /** With what was chosen for the collisions; theirs where nothing was. */
  readonly record: JsonObject;
  readonly collisions: readonly Collision[];
}

export interface ThreeVersions {
  readonly base: JsonObject;
  readonly theirs: JsonObject;
  readonly mine: JsonObject;
}

/** `root`: the definition of the type; undefined: it is not known, so that the record is one part. */
export function mergeOf(
  versions: ThreeVersions,
  root: Location | undefined,
  choices: ReadonlyMap<string, Side> = new Map(),
): Merge {
  const collisions: Collision[] = [];
  const work: Work = { collisions, choices };
  const record = mergeObjects(versions, root, [], work);
  return { record, collisions };
}

interface Three<Value> {
  readonly base: Value;
  readonly theirs: Value;
  readonly mine: Value;
}

interface Work {
  readonly collisions: Collision[];
  readonly choices: ReadonlyMap<string, Side>;
}

type Pairs = readonly (readonly [name: string, value: JsonValue])[];

/** Members that are one element: a primitive with its extensions (`_birthDate`), and all types of a choice (`value[x]`). */
interface Unit {
  readonly name: string;
  /** The definition of the objects in it, where its parts are merged one by one. */
  readonly inside: Location | undefined;
}

function unitsOf(location: Location): ReadonlyMap<string, Unit> {
  return new Map(
    membersOf(location).map(({ name, type, element }) => {
      const path = textOf(element['path']) ?? '';
      const content = textOf(element['contentReference'])?.replace(/^.*#/, '');
      const isBackbone = type === 'BackboneElement';
      return [
        name,
        {
          name: path.slice(location.path.length + 1),
          inside: isBackbone ? { ...location, path: content ?? path } : undefined,
        },
      ];
    }),
  );
}

/** The side that has changed, where only one has, or both alike; undefined: a collision. */
function decided<Value extends JsonValue | undefined>({
  base,
  theirs,
  mine,
}: Three<Value>): Side | undefined {
  if (isSame(mine, base) || isSame(mine, theirs)) return 'theirs';
  return isSame(theirs, base) ? 'mine' : undefined;
}

function mergeObjects(
  three: Three<JsonObject>,
  location: Location | undefined,
  path: JsonPath,
  work: Work,
): JsonObject {
  if (location === undefined) {
    const side = decided(three) ?? collide(three, path, false, work);
    return side === 'mine' ? three.mine : three.theirs;
  }
  const units = unitsOf(location);
  const unitOf = (name: string): Unit => {
    const plain = name.replace(/^_/, '');
    return units.get(plain) ?? { name: plain, inside: undefined };
  };
  const names = [
    ...new Set([...Object.keys(three.theirs), ...Object.keys(three.mine), ...Object.keys(three.base)]),
  ];
  const all = [...new Map(names.map((name) => [unitOf(name).name, unitOf(name)])).values()];
  const merged = all.flatMap((unit): Pairs => {
    const pairsOf = (object: JsonObject): Pairs =>
      Object.entries(object).flatMap(([name, value]) =>
        value !== undefined && unitOf(name).name === unit.name ? [[name, value] as const] : [],
      );
    return mergeUnit(
      { base: pairsOf(three.base), theirs: pairsOf(three.theirs), mine: pairsOf(three.mine) },
      unit,
      path,
      work,
    );
  });
  return Object.fromEntries(merged);
}

function mergeUnit(three: Three<Pairs>, unit: Unit, path: JsonPath, work: Work): Pairs {
  const whole = {
    base: valueOf(three.base),
    theirs: valueOf(three.theirs),
    mine: valueOf(three.mine),
  };
  const side = decided(whole);
  if (side !== undefined) return side === 'mine' ? three.mine : three.theirs;
  const here = [...path, unit.name];
  const lists = { base: listOf(three.base), theirs: listOf(three.theirs), mine: listOf(three.mine) };
  if (isComplete(lists)) {
    const merged = mergeLists(lists, unit.inside, here, work);
    // FHIR has no empty lists.
    return merged.length === 0 ? [] : [[unit.name, merged]];
  }
  const objects = { base: objectIn(three.base), theirs: objectIn(three.theirs), mine: objectIn(three.mine) };
  if (unit.inside !== undefined && isComplete(objects))
    return [[unit.name, mergeObjects(objects, unit.inside, here, work)]];
  return collide(whole, here, false, work) === 'mine' ? three.mine : three.theirs;
}

function isComplete<Value>(three: Three<Value | undefined>): three is Three<Value> {
  return three.base !== undefined && three.theirs !== undefined && three.mine !== undefined;
}

/** What a person compares: the value, or the members with their names where there are several or it is a choice. */
function valueOf(pairs: Pairs): JsonValue | undefined {
  const [first, ...more] = pairs;
  if (first === undefined) return undefined;
  return more.length === 0 && !first[0].startsWith('_') ? first[1] : Object.fromEntries(pairs);
}

function objectIn(pairs: Pairs): JsonObject | undefined {
  const [value] = pairs.map(([, each]) => each);
  return pairs.length === 1 && isObject(value) ? value : undefined;
}

/** The items of a list that has no second member; one that is not there has none. */
function listOf(pairs: Pairs): JsonArray | undefined {
  if (pairs.length === 0) return [];
  const [value] = pairs.map(([, each]) => each);
  return pairs.length === 1 && isArray(value) ? value : undefined;
}

/**
 * Joins lists as texts are joined line by line: between items that all three have, the items of the side that has changed
 * them. Where both have changed them, one item in each is the same one, changed twice; everything else collides.
 */
function mergeLists(
  three: Three<JsonArray>,
  inside: Location | undefined,
  path: JsonPath,
  work: Work,
): JsonArray {
  const theirs = new Map(alignedItems(three.base, three.theirs));
  const mine = new Map(alignedItems(three.base, three.mine));
  const merged: JsonValue[] = [];
  let done = { base: 0, theirs: 0, mine: 0 };
  for (let index = 0; index <= three.base.length; index++) {
    const isEnd = index === three.base.length;
    const next = {
      base: index,
      theirs: isEnd ? three.theirs.length : theirs.get(index),
      mine: isEnd ? three.mine.length : mine.get(index),
    };
    if (!isComplete(next)) continue;
    const chunk = {
      base: three.base.slice(done.base, next.base),
      theirs: three.theirs.slice(done.theirs, next.theirs),
      mine: three.mine.slice(done.mine, next.mine),
    };
    merged.push(...mergeChunk(chunk, inside, [...path, done.base], work));
    const item = three.theirs[next.theirs];
    if (!isEnd && item !== undefined) merged.push(item);
    done = { base: next.base + 1, theirs: next.theirs + 1, mine: next.mine + 1 };
  }
  return merged;
}

function mergeChunk(
  chunk: Three<JsonArray>,
  inside: Location | undefined,
  path: JsonPath,
  work: Work,
): JsonArray {
  const side = decided(chunk);
  if (side !== undefined) return side === 'mine' ? chunk.mine : chunk.theirs;
  const items = {
    base: onlyObject(chunk.base),
    theirs: onlyObject(chunk.theirs),
    mine: onlyObject(chunk.mine),
  };
  if (inside !== undefined && isComplete(items)) return [mergeObjects(items, inside, path, work)];
  const canHaveBoth = chunk.base.length === 0;
  const chosen = collide(chunk, path, canHaveBoth, work);
  if (chosen === 'both') return [...chunk.theirs, ...chunk.mine];
  return chosen === 'mine' ? chunk.mine : chunk.theirs;
}

function onlyObject(items: JsonArray): JsonObject | undefined {
  const [item] = items;
  return items.length === 1 && isObject(item) ? item : undefined;
}

/** Notes a collision; returns the side that was chosen for it. */
function collide(
  three: Three<JsonValue | undefined>,
  path: JsonPath,
  canHaveBoth: boolean,
  { collisions, choices }: Work,
): Side {
  const key = writePath(path);
  collisions.push({ key, ...three, canHaveBoth });
  return choices.get(key) ?? 'theirs';
}
