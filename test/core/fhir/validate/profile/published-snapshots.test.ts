import type { JsonObject, Release } from '../../../../../src/core';
import {
  objectMember,
  objectsMember,
  stringMember,
  stringsMember,
} from '../../../../../src/core/fhir/terminology/members';
import { generateSnapshot } from '../../../../../src/core/fhir/validate/profile/snapshot';
import snapshotDifferences from './snapshot-differences.json';
import {
  publishedStructures,
  specificationStructures,
  type PublishedStructure,
} from './specification-structures';

/** Publishing tools of today pin versions that the author did not write. */
const withoutVersion = (text: string): string => text.replace(/\|[0-9][^|]*$/, '');

/** Returns the members of an element that validation reads, by name. */
function readByValidation(element: JsonObject): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const [name, value] of Object.entries(element)) {
    if (/^(?:path|sliceName|min|max|maxLength|fixed.*|pattern.*|minValue.*|maxValue.*)$/.test(name)) {
      read.set(name, JSON.stringify(value));
    }
  }
  for (const name of ['isModifier', 'mustSupport']) if (element[name] === true) read.set(name, 'true');
  const reference = stringMember(element, 'contentReference');
  if (reference !== undefined) read.set('contentReference', reference.replace(/^.*#/, '#'));
  const slicing = objectMember(element, 'slicing');
  if (slicing !== undefined) {
    const { discriminator, rules, ordered = false } = slicing;
    read.set('slicing', JSON.stringify({ discriminator, rules, ordered }));
  }
  const types = objectsMember(element, 'type').map((type) => {
    const urls = (name: string) => stringsMember(type, name).map(withoutVersion);
    const { code, aggregation, versioning } = type;
    return { code, profiles: urls('profile'), targets: urls('targetProfile'), aggregation, versioning };
  });
  if (types.length > 0) read.set('type', JSON.stringify(types));
  const binding = objectMember(element, 'binding');
  if (binding !== undefined) {
    const { strength } = binding;
    const valueSet = withoutVersion(stringMember(binding, 'valueSet') ?? '');
    read.set('binding', JSON.stringify({ strength, valueSet }));
  }
  const keys = objectsMember(element, 'constraint').map(
    (constraint) => stringMember(constraint, 'key') ?? '',
  );
  if (keys.length > 0) read.set('constraint', keys.sort().join(' '));
  return read;
}

const byId = (elements: readonly JsonObject[]) =>
  new Map(elements.map((element) => [stringMember(element, 'id') ?? '', element]));

/** Every difference between two snapshots, as a line. */
function compare(made: readonly JsonObject[], published: readonly JsonObject[]): readonly string[] {
  const differences: string[] = [];
  const [ours, theirs] = [byId(made), byId(published)];
  for (const id of theirs.keys()) if (!ours.has(id)) differences.push(`${id} is missing`);
  for (const [id, element] of ours) {
    const other = theirs.get(id);
    if (other === undefined) {
      differences.push(`${id} is superfluous`);
      continue;
    }
    const [here, there] = [readByValidation(element), readByValidation(other)];
    for (const name of new Set([...here.keys(), ...there.keys()])) {
      if (here.get(name) !== there.get(name)) differences.push(`${id} has another ${name}`);
    }
  }
  const common = (ids: Iterable<string>) => [...ids].filter((id) => ours.has(id) && theirs.has(id)).join(' ');
  if (common(ours.keys()) !== common(theirs.keys())) differences.push('the order is another');
  return differences;
}

type Change = (structure: JsonObject) => JsonObject;

/** The differences of all published structures, when what is known is changed in some way before. */
async function differencesOfAll(
  prepare: Change,
  isAsked: (published: PublishedStructure) => boolean = () => true,
  known: Change = (structure) => structure,
): Promise<Record<string, readonly string[]>> {
  const published = publishedStructures();
  const own = new Map(published.map((each) => [`${each.release} ${each.url}`, each]));
  const resolveIn = (release: Release) => {
    const specification = specificationStructures(release);
    return (canonical: string): JsonObject | undefined => {
      const url = withoutVersion(canonical);
      const profile = own.get(`${release} ${url}`);
      return profile === undefined
        ? specification.get(url)
        : known({ ...profile.structure, snapshot: profile.snapshot });
    };
  };
  const resolve = { r4: resolveIn('r4'), r4b: resolveIn('r4b') };
  const all: Record<string, readonly string[]> = {};
  for (const each of published.filter(isAsked)) {
    const { elements, findings } = await generateSnapshot(prepare(each.structure), resolve[each.release]);
    const errors = findings
      .filter(({ severity }) => severity === 'error')
      .map(({ diagnostics }) => diagnostics);
    const differences = [...errors, ...compare(elements ?? [], objectsMember(each.snapshot, 'element'))];
    if (differences.length > 0) all[`${each.release} ${each.url}`] = differences;
  }
  return all;
}

function withoutIds(structure: JsonObject): JsonObject {
  const elements = objectsMember(objectMember(structure, 'differential') ?? {}, 'element');
  return { ...structure, differential: { element: elements.map(({ id: _id, ...element }) => element) } };
}

const EXPECTED = Object.fromEntries(
  snapshotDifferences.flatMap(({ releases, profiles, differences }) =>
    releases.flatMap((release) => profiles.map((profile) => [`${release} ${profile}`, differences])),
  ),
);

describe('Snapshots that are made of published differentials', () => {
  it('are the published ones for all profiles and extensions of R4, R4B and the International Patient Summary, but for the differences that are listed with their reason', async () => {
    expect(publishedStructures().length).toBeGreaterThan(900);
    expect(await differencesOfAll((structure) => structure)).toEqual(EXPECTED);
  });

  it('are the same when the differentials have no ids', async () => {
    expect(await differencesOfAll(withoutIds)).toEqual(EXPECTED);
  });

  it('are the same when the profiles that they rest on have no snapshot either', async () => {
    const withoutSnapshot: Change = ({ snapshot: _snapshot, ...structure }) => structure;
    const isNoExtension = ({ structure }: PublishedStructure) => structure['type'] !== 'Extension';
    const found = await differencesOfAll((structure) => structure, isNoExtension, withoutSnapshot);
    expect(found).toEqual(EXPECTED);
  });

  it('differ in few places, each of which has a reason', () => {
    expect(Object.keys(EXPECTED).length).toBeLessThan(20);
    for (const { reason } of snapshotDifferences) expect(reason).toMatch(/^[A-Z].{40}/s);
  });
});
