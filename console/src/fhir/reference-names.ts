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

interface Waiting {
  readonly key: string;
  readonly resolve: (name: string | undefined) => void;
}

const waiting = new Map<string, Waiting[]>();

/** The name of the record `Type/id`; undefined where it has none, does not exist or the caller may not see it. */
export function nameOfRecord(space: Space, key: string): Promise<string | undefined> {
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
    resolve(record === undefined ? undefined : headlineOf(record));
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
