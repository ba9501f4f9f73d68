/** Runs many searches in few requests: as fields of one document. How many there are is known only when they run. */
import type { Space } from '../place';
import { runFields } from './graphql';
import { isObject, objectsOf, textOf, type JsonObject } from './json';

export interface Search {
  readonly type: string;
  /** As in REST: `subject=Patient/1&_sort=-date`. */
  readonly query: string;
  /** Only resources in the compartment of this resource. */
  readonly compartment?: { readonly type: string; readonly id: string } | undefined;
}

export interface PagedSearch extends Search {
  readonly first: number;
  readonly after?: string | undefined;
}

export interface Page {
  readonly records: readonly JsonObject[];
  /** `after` of the next page; undefined: this is the last. */
  readonly next: string | undefined;
  /** True: the caller may not have it, so that there are no records here. */
  readonly isRefused: boolean;
}

type Answer = JsonObject | undefined;

/** The server allows 50. */
const FIELDS = 20;

function argumentsOf({ type, query, compartment }: Search): string {
  // Types stand in a document without quotes.
  const safe = (name: string): string => name.replaceAll(/[^A-Za-z]/g, '');
  const inside =
    compartment === undefined
      ? ''
      : `, compartment: {type: ${safe(compartment.type)}, id: ${JSON.stringify(compartment.id)}}`;
  return `type: ${safe(type)}, query: ${JSON.stringify(query)}${inside}`;
}

/** The answers to fields, in their order; undefined for those that the caller may not have. */
async function answersTo(
  space: Space,
  fields: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Answer[]> {
  const named = fields.map((field, index): readonly [string, string] => [`f${index}`, field]);
  const groups: (readonly (readonly [string, string])[])[] = [];
  for (let start = 0; start < named.length; start += FIELDS) groups.push(named.slice(start, start + FIELDS));
  const answers = await Promise.all(groups.map((group) => runFields(space, new Map(group), signal)));
  return answers.flatMap((answer) => [...answer.values()]);
}

/** The number of matches of each search, in their order. */
export async function countAll(
  space: Space,
  searches: readonly Search[],
  signal?: AbortSignal,
): Promise<readonly number[]> {
  const fields = searches.map((search) => `search(${argumentsOf(search)}, first: 0) { total }`);
  const answers = await answersTo(space, fields, signal);
  return answers.map((answer) => Number(textOf(answer?.['total']) ?? 0));
}

/** A page of each search, in their order. */
export async function searchAll(
  space: Space,
  searches: readonly PagedSearch[],
  signal?: AbortSignal,
): Promise<readonly Page[]> {
  const fields = searches.map(({ first, after, ...search }) => {
    const next = after === undefined ? '' : `, after: ${JSON.stringify(after)}`;
    return `search(${argumentsOf(search)}, first: ${first}${next}) { edges { node { json } } pageInfo { hasNextPage endCursor } }`;
  });
  const answers = await answersTo(space, fields, signal);
  return answers.map((answer) => {
    const { edges, pageInfo } = answer ?? {};
    const info = isObject(pageInfo) ? pageInfo : {};
    return {
      records: objectsOf(edges).flatMap(({ node }) =>
        isObject(node) && isObject(node['json']) ? [node['json']] : [],
      ),
      next: info['hasNextPage'] === true ? textOf(info['endCursor']) : undefined,
      isRefused: answer === undefined,
    };
  });
}
