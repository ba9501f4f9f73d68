/** Reads the names of records that references lead to: those that a screen asks for at once, in one request. */
import { graphql } from '../__generated__/graphql';
import { runDocument } from '../api/graphql';
import { isObject, textOf, type JsonObject, type JsonValue } from '../api/json';
import type { Space } from '../place';
import { headlineOf } from './headline';

const NAMES = graphql(/* GraphQL */ `
  query Names($keys: [ID!]!) {
    nodes(_keys: $keys) {
      _key
      ... on Resource {
        json
      }
    }
  }
`);

/** The server answers up to 256. */
const AT_ONCE = 100;

/** What a record is called. `unread`: it does not exist, the caller may not see it, or the server has not answered. */
export type RecordName =
  { readonly state: 'named'; readonly name: string } | { readonly state: 'nameless' | 'unread' };

interface Waiting {
  readonly key: string;
  readonly resolve: (name: RecordName) => void;
}

const waiting = new Map<string, Waiting[]>();

/** The name of the record `Type/id`. **Cost**: one request for all names that are asked for in the same moment, up to 100. */
export function nameOfRecord(space: Space, key: string): Promise<RecordName> {
  const place = `${space.tenant}/${space.release}`;
  return new Promise((resolve) => {
    const list = waiting.get(place);
    if (list !== undefined) {
      list.push({ key, resolve });
      return;
    }
    waiting.set(place, [{ key, resolve }]);
    // After the effects of the screen that is drawn now.
    setTimeout(() => {
      const all = waiting.get(place) ?? [];
      waiting.delete(place);
      for (let start = 0; start < all.length; start += AT_ONCE)
        void readNames(space, all.slice(start, start + AT_ONCE));
    });
  });
}

async function readNames(space: Space, wanted: readonly Waiting[]): Promise<void> {
  const records = await readNodes(space, [...new Set(wanted.map(({ key }) => key))]);
  for (const { key, resolve } of wanted) {
    const record = records.get(key);
    const name = record === undefined ? undefined : headlineOf(record);
    if (name !== undefined) resolve({ state: 'named', name });
    else resolve({ state: record === undefined ? 'unread' : 'nameless' });
  }
}

/** References stay readable without names, so that a refusal is no failure of the screen. */
async function readNodes(space: Space, keys: string[]): Promise<ReadonlyMap<string, JsonObject>> {
  try {
    const { nodes } = await runDocument(space, NAMES, { keys });
    const values: readonly JsonValue[] = nodes.map((node) =>
      node !== null && 'json' in node ? toJsonValue(node.json) : null,
    );
    return new Map(
      values
        .filter(isObject)
        .map((record) => [`${textOf(record['resourceType'])}/${textOf(record['id'])}`, record]),
    );
  } catch {
    return new Map();
  }
}

/** The scalar JSON of the schema. */
const toJsonValue = (json: unknown): JsonValue => json as JsonValue;
