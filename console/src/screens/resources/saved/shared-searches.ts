/**
 * The searches that people of a tenant share: resources of the type Basic, which are read and written with the rights that a
 * person has for this type.
 */
import { create, remove } from '../../../api/fhir';
import { objectsOf, textOf, type JsonObject } from '../../../api/json';
import { searchRecords } from '../../../api/records';
import { versionOf } from '../../../fhir/server-meta';
import type { Space } from '../../../place';
import type { SavedSearch } from './own-searches';

const SYSTEM = 'https://andiron.example/fhir/CodeSystem/basic-kind';
const CODE = 'saved-search';
const EXTENSION = 'https://andiron.example/fhir/StructureDefinition/saved-search';
const MOST = 200;
/** Anybody may have written it: a type is a part of the address. */
const TYPE = /^[A-Z][A-Za-z]+$/;

export interface SharedSearch extends SavedSearch {
  readonly id: string;
  readonly versionId: string;
}

/** The resource of a search. `author`: the record of the person, `Practitioner/doc`. */
export function toBasic({ name, type, query }: SavedSearch, author: string | undefined): JsonObject {
  return {
    resourceType: 'Basic',
    extension: [
      {
        url: EXTENSION,
        extension: [
          { url: 'name', valueString: name },
          { url: 'type', valueCode: type },
          // FHIR has no empty texts.
          ...(query === '' ? [] : [{ url: 'query', valueString: query }]),
        ],
      },
    ],
    code: { coding: [{ system: SYSTEM, code: CODE }], text: 'Saved search' },
    ...(author === undefined ? {} : { author: { reference: author } }),
  };
}

/** The search of a resource, which anybody with the right may have written; undefined: it has none. */
export function fromBasic(basic: JsonObject): SharedSearch | undefined {
  const extension = objectsOf(basic['extension']).find(({ url }) => url === EXTENSION);
  const valueOf = (name: string, member: string): string | undefined =>
    textOf(objectsOf(extension?.['extension']).find(({ url }) => url === name)?.[member]);
  const [name, type] = [valueOf('name', 'valueString'), valueOf('type', 'valueCode')];
  const id = textOf(basic['id']);
  if (name === undefined || type === undefined || !TYPE.test(type) || id === undefined) return undefined;
  return { name, type, query: valueOf('query', 'valueString') ?? '', id, versionId: versionOf(basic) };
}

/** The shared searches of a type, by their names. */
export async function readShared(
  space: Space,
  type: string,
  signal: AbortSignal,
): Promise<readonly SharedSearch[]> {
  const query = `code=${SYSTEM}|${CODE}`;
  const { matches } = await searchRecords(space, { type: 'Basic', query }, { first: MOST, signal });
  return matches
    .flatMap((basic) => fromBasic(basic) ?? [])
    .filter((each) => each.type === type)
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

export async function share(space: Space, search: SavedSearch, author: string | undefined): Promise<void> {
  await create(space, 'Basic', JSON.stringify(toBasic(search, author)));
}

export async function unshare(space: Space, { id, versionId }: SharedSearch): Promise<void> {
  await remove(space, { type: 'Basic', id }, versionId);
}
