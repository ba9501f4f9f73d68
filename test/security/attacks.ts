/** Every way in which one tenant's client could try to reach data of another tenant. */
import { stringifyJson, type Release } from '../../src/core';
import type { Example } from '../support/examples';
import type { Answer } from '../support/server';
import type { TestServer } from '../support/server';

/** Stands in everything that the victim stores, under names that a stranger does not use. */
export const CANARY = 'canary-of-alice';

export interface Attack {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Place {
  readonly tenant: string;
  readonly release: Release;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** An example for the victim to store: with the canary as a tag, so that every answer that has it is a leak. */
export function withCanary({ resource, document }: Example): string {
  const meta = typeof resource['meta'] === 'object' && resource['meta'] !== null ? resource['meta'] : {};
  const tagged = { ...resource, meta: { ...meta, tag: [{ system: 'urn:tenant', code: CANARY }] } };
  return stringifyJson(tagged, document.marked);
}

/** All texts in a resource that a search could be for, by the kind of search. */
function searchValues(resource: unknown): {
  strings: string[];
  tokens: string[];
  references: string[];
  uris: string[];
  dates: string[];
} {
  const values = { strings: [], tokens: [], references: [], uris: [], dates: [] } as Record<string, string[]>;
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const member of value) visit(member, name);
    else if (typeof value === 'object' && value !== null) {
      for (const [member, inner] of Object.entries(value)) visit(inner, member);
    } else if (typeof value === 'string' && value.length < 100) {
      if (/^(19|20)\d\d(-\d\d){0,2}(T.*)?$/.test(value)) values['dates']?.push(value.slice(0, 10));
      else if (name === 'reference') values['references']?.push(value);
      else if (/^(https?|urn):/.test(value)) values['uris']?.push(value);
      else if (['code', 'value', 'status', 'gender', 'use'].includes(name)) values['tokens']?.push(value);
      else if (['family', 'given', 'text', 'name', 'title', 'city', 'display'].includes(name))
        values['strings']?.push(value);
    }
  };
  visit(resource, '');
  return values as ReturnType<typeof searchValues>;
}

/** Query strings for every parameter of every kind that the CapabilityStatement offers for the example's type. */
export function searchesFor(
  example: Example,
  parameters: readonly { readonly name: string; readonly type: string }[],
): string[] {
  const values = searchValues(example.resource);
  const byKind: Readonly<Record<string, readonly string[]>> = {
    string: values.strings.map((text) => text.slice(0, 4)),
    token: values.tokens,
    reference: values.references,
    uri: values.uris,
    date: values.dates,
  };
  const queries = [
    `_id=${example.id}`,
    '_lastUpdated=gt1900',
    `_tag=urn:tenant|${CANARY}`,
    '',
    '_sort=-_lastUpdated',
  ];
  for (const { name, type } of parameters) {
    if (name.startsWith('_')) continue;
    for (const value of new Set((byKind[type] ?? []).slice(0, 3))) {
      queries.push(`${name}=${encodeURIComponent(value.replace(/[\\$,|]/g, '\\$&'))}`);
    }
  }
  return queries;
}

/** Requests for one resource of the victim, sent by a stranger. */
export function attacksOn({ type, id }: Example, stranger: Place): Attack[] {
  const root = `/w/${stranger.tenant}/api/v1/fhir/${stranger.release}`;
  const gateway = `/w/${stranger.tenant}/api/v1/graphql/${stranger.release}`;
  const graphql = (query: string): Attack => ({
    method: 'POST',
    path: gateway,
    body: { query },
    headers: JSON_TYPE,
  });
  const patch = [{ op: 'add', path: '/language', value: 'xx' }];
  const at = `${root}/${type}/${id}`;
  return [
    { method: 'GET', path: at },
    { method: 'GET', path: `${at}/_history` },
    { method: 'GET', path: `${at}/_history/1` },
    { method: 'GET', path: `${at}/$meta` },
    { method: 'GET', path: `${root}?_id=${id}` },
    // Asks every type that the stranger has: once is enough.
    ...(type === 'List' ? [{ method: 'GET', path: `${root}?_list=${id}` }] : []),
    // As many searches as there are types in the compartment: of one kind of owner that is enough.
    ...(type === 'Patient' ? [{ method: 'GET', path: `${at}/*` }] : []),
    { method: 'PATCH', path: at, body: patch, headers: { 'content-type': 'application/json-patch+json' } },
    { method: 'GET', path: at, body: patch, headers: JSON_TYPE },
    { method: 'DELETE', path: at },
    { method: 'PATCH', path: at, body: patch, headers: { ...JSON_TYPE, 'if-match': 'W/"1"' } },
    graphql(`{ read(type: ${type}, id: "${id}") { id json } }`),
    graphql(`{ read(type: ${type}, id: "${id}", versionId: "1") { json } }`),
    graphql(`{ history(type: ${type}, id: "${id}") { versions { versionId } } }`),
    graphql(`{ search(type: ${type}, query: "_id=${id}") { total resources { json } } }`),
    graphql(
      `mutation { patch(type: ${type}, id: "${id}", patch: [{op: add, path: "/language", value: "xx"}]) { versionId } }`,
    ),
    graphql(`mutation { delete(type: ${type}, id: "${id}") { versionId } }`),
    graphql(`mutation { invoke(code: "meta", type: ${type}, id: "${id}") { json } }`),
  ];
}

export async function send(server: TestServer, attack: Attack): Promise<Answer> {
  return server.request(attack.method, attack.path, attack.body, attack.headers);
}
