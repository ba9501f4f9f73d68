/**
 * GET {root}/Observation/$lastn?patient=…&category=…&max=…
 *
 * In: max (default 1); search parameters of Observation, which must include `patient` or `subject` and one for a
 * category or code.
 * Result: a searchset Bundle of the newest `max` of each code, and those that are as old as the last of them.
 * https://hl7.org/fhir/R4/observation-operation-lastn.html
 */
import type { StoredVersion } from '../storage/read/stored-version';
import { fhirError } from '../errors';
import { dateRange } from '../../../packages/fhir-values/date';
import { type JsonObject, parseStoredObject } from '../fhir/json';
import { objectMember, objectsMember, stringMember, stringsMember } from '../fhir/terminology/members';
import { MAX_COUNT } from '../search/requests/parse-search';
import { zoneOf } from '../search/values/space-zone';
import { type OperationEnvironment } from '../operation-types/environment';
import { type RequestedPage, type PagedOperation } from '../operation-types/operation';

/** Limit on the Observations from which one answer is chosen. */
const MAX_SEARCHED = 5_000;

export const observationLastn: PagedOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/Observation-lastn',
  takesSearch: true,
  async runPage(environment, { parameters }, { cursor, search }) {
    if (cursor !== undefined) throw fhirError('invalidCursor');
    checkSearch(search);
    const most = parameters.integer('max') ?? 1;
    const matches = newestOfGroups(await searchAll(environment, search), most);
    if (matches.length > MAX_COUNT) {
      const reason = `The newest of each code are more than ${MAX_COUNT}; narrow the search, or give a smaller max`;
      throw fhirError('tooCostly', { reason });
    }
    const given = parameters.first('max') === undefined ? [] : [['max', String(most)] as const];
    return { matches, included: [], issues: [], total: matches.length, used: [...search, ...given] };
  },
};

/** Search parameters for the form of a page, which the operation determines itself. */
const OF_RESULT =
  /^_(?:sort|count|offset|total|include|revinclude|summary|elements|contained|containedType|explain|query)(?::|$)/;

function checkSearch(search: RequestedPage['search']): void {
  const given = search.filter(([, value]) => value !== '').map(([name]) => name);
  const wrong = given.find((name) => OF_RESULT.test(name));
  if (wrong !== undefined) {
    const reason = `'${wrong.slice(0, 40)}' is not allowed for $lastn, which determines the results and their order`;
    throw fhirError('operationInputInvalid', { reason });
  }
  const codes = given.map((name) => name.split(/[:.]/)[0] ?? '');
  if (!codes.some((code) => code === 'patient' || code === 'subject')) {
    throw fhirError('operationInputInvalid', { reason: "$lastn needs one of 'patient' and 'subject'" });
  }
  if (!codes.some((code) => code === 'category' || code.split('-').includes('code'))) {
    const reason = "$lastn needs 'category' or a parameter for a code, such as 'code' or 'combo-code'";
    throw fhirError('operationInputInvalid', { reason });
  }
}

interface DatedObservation {
  readonly version: StoredVersion;
  readonly code: JsonObject;
  /** Milliseconds since 1970; -Infinity: none. */
  readonly time: number;
}

/** Returns all matches, newest first. */
async function searchAll(
  environment: OperationEnvironment,
  search: RequestedPage['search'],
): Promise<DatedObservation[]> {
  const zone = zoneOf(environment.context.space);
  const found = new Map<string, DatedObservation>();
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await environment.search({
      type: 'Observation',
      parameters: [
        ...search,
        ['_sort', '-date'],
        ['_count', String(MAX_COUNT)],
        ...(cursor === undefined ? [] : [['_cursor', cursor] as const]),
      ],
      handling: 'strict',
    });
    for (const version of page.matches) {
      const resource = parseStoredObject(version.text);
      const code = objectMember(resource, 'code') ?? {};
      found.set(version.id, { version, code, time: timeOf(resource, (text) => dateRange(text, zone)?.low) });
    }
    if (found.size > MAX_SEARCHED || (page.next !== undefined && found.size === MAX_SEARCHED)) {
      throw fhirError('tooCostly', {
        reason: `More than ${MAX_SEARCHED} observations match; narrow the search, as by a date`,
      });
    }
    cursor = page.next;
  }
  return [...found.values()].sort((a, b) => compareTimes(b.time, a.time));
}

function compareTimes(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Returns the start of an Observation's effective time. */
function timeOf(observation: JsonObject, toTime: (text: string) => number | undefined): number {
  const texts = [
    stringMember(observation, 'effectiveDateTime'),
    stringMember(observation, 'effectiveInstant'),
    stringMember(objectMember(observation, 'effectivePeriod') ?? {}, 'start'),
    ...stringsMember(objectMember(observation, 'effectiveTiming') ?? {}, 'event'),
  ];
  const times = texts.flatMap((text) => (text === undefined ? [] : (toTime(text) ?? [])));
  return times.length === 0 ? -Infinity : Math.min(...times);
}

/**
 * Selects from Observations, newest first, the first `most` of each group, and those with the same time as the last
 * of them. Two are in one group if they share a coding, or if both share one with a third.
 */
function newestOfGroups(observations: readonly DatedObservation[], most: number): StoredVersion[] {
  const groups = new Groups();
  const names = observations.map(({ code }) => groups.join(namesOf(code)));
  const taken = new Map<string, { count: number; last: number }>();
  return observations.flatMap(({ version, time }, index) => {
    const group = groups.of(names[index] ?? '');
    const { count, last } = taken.get(group) ?? { count: 0, last: NaN };
    if (count >= most && time !== last) return [];
    taken.set(group, { count: count + 1, last: time });
    return [version];
  });
}

/** Returns the codings, or the text of a code without codings. */
function namesOf(code: JsonObject): readonly string[] {
  const codings = objectsMember(code, 'coding').flatMap((coding) => {
    const value = stringMember(coding, 'code');
    return value === undefined ? [] : [JSON.stringify([stringMember(coding, 'system') ?? null, value])];
  });
  return codings.length > 0 ? codings : [`text ${stringMember(code, 'text') ?? ''}`];
}

/** Disjoint sets of names (union-find). */
class Groups {
  readonly #parents = new Map<string, string>();

  /** Puts the names into one group and returns one of them. */
  join(names: readonly string[]): string {
    const [first = '', ...others] = names;
    for (const name of others) this.#parents.set(this.of(name), this.of(first));
    return first;
  }

  of(name: string): string {
    let root = name;
    for (let parent = this.#parents.get(root); parent !== undefined && parent !== root;) {
      root = parent;
      parent = this.#parents.get(root);
    }
    if (root !== name) this.#parents.set(name, root);
    return root;
  }
}
