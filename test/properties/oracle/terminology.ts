/** Value sets and hierarchies of codes, by the resources that are stored. */
import {
  isObject,
  listOf,
  membersOf,
  textOf,
  textsOf,
  type Json,
  type JsonObject,
  type Resource,
} from './json';
import { BadSearch } from './refusal';
import { readCanonical } from './uri';

export interface Code {
  readonly system: string;
  readonly code: string;
}

export interface Terminology {
  /** The codes of a value set, named by url, url|version or ValueSet/id. @throws BadSearch where there is none */
  membersOf(valueSet: string): readonly Code[];
  /** True when `code` is `ancestor` or one of its descendants. */
  isBelow(system: string, code: string, ancestor: string): boolean;
}

interface Concept {
  readonly code: string;
  /** Itself and all above it. */
  readonly line: readonly string[];
}

function conceptsOf(parent: Json, line: readonly string[]): Concept[] {
  return membersOf([parent], 'concept').flatMap((concept) => {
    const code = isObject(concept) ? textOf(concept['code']) : undefined;
    if (code === undefined) return [];
    return [{ code, line: [...line, code] }, ...conceptsOf(concept, [...line, code])];
  });
}

/** The tested value sets of every space. */
const BASE: ReadonlyMap<string, readonly Code[]> = new Map([
  [
    'http://hl7.org/fhir/ValueSet/administrative-gender',
    ['male', 'female', 'other', 'unknown'].map((code) => ({
      system: 'http://hl7.org/fhir/administrative-gender',
      code,
    })),
  ],
]);

export function createTerminology(resources: readonly Resource[]): Terminology {
  const ofType = (type: string): Resource[] => resources.filter(({ resourceType }) => resourceType === type);
  const systems = new Map(
    ofType('CodeSystem').map((system) => [textOf(system['url']) ?? '', conceptsOf(system, [])]),
  );
  const isBelow = (system: string, code: string, ancestor: string): boolean =>
    code === ancestor ||
    systems
      .get(system)
      ?.find((concept) => concept.code === code)
      ?.line.includes(ancestor) === true;

  function partCodes(part: Json): Code[] {
    if (!isObject(part)) return [];
    const system = textOf(part['system']);
    const own = system === undefined ? undefined : systemCodes(part, system);
    const others = textsOf(part, 'valueSet').map(codesIn);
    const sets = [...(own === undefined ? [] : [own]), ...others];
    return (sets[0] ?? []).filter((one) => sets.every((set) => set.some((other) => isSame(one, other))));
  }

  function systemCodes(part: JsonObject, system: string): Code[] {
    const listed = textsOf(part['concept'], 'code');
    if (listed.length > 0) return listed.map((code) => ({ system, code }));
    const filters = listOf(part['filter']).filter(isObject);
    return (systems.get(system) ?? [])
      .filter(({ code }) => filters.every((filter) => isBelow(system, code, textOf(filter['value']) ?? '')))
      .map(({ code }) => ({ system, code }));
  }

  function codesIn(name: string): readonly Code[] {
    const { url, version } = readCanonical(name);
    const base = BASE.get(name);
    if (base !== undefined) return base;
    const found = ofType('ValueSet').find(
      (set) =>
        `ValueSet/${set.id}` === name ||
        (set['url'] === url && (version === undefined || set['version'] === version)),
    );
    if (found === undefined) throw new BadSearch(`there is no value set ${name}`);
    const compose = found['compose'];
    const parts = (member: string): Code[] => membersOf(listOf(compose), member).flatMap(partCodes);
    const excluded = parts('exclude');
    return parts('include').filter((code) => !excluded.some((other) => isSame(code, other)));
  }
  return { membersOf: codesIn, isBelow };
}

const isSame = (one: Code, other: Code): boolean => one.system === other.system && one.code === other.code;
