/** Sends random transactions to a server, and holds every answer and all that is stored against the model. */
import type { Release } from '../../../src/core';
import { transaction, uuid } from '../../support/bundles';
import type { Answer as HttpAnswer, HttpServer } from '../../support/shared-server';
import { createRandom } from '../oracle/random';
import { generateEntries } from './generate';
import {
  newId,
  runTransaction,
  type Answer,
  type Entry,
  type Reference,
  type State,
  type Stored,
  type Target,
} from './model';

const SYSTEM = 'http://example.org/fhir/organizations';
const TYPE = 'Organization';

export interface Run {
  readonly tenant: string;
  readonly release: Release;
  readonly seed: number;
  readonly transactions: number;
}

/** Returns the number of successes, and of all. Throws at the first difference, with the seed and the request. */
export async function runTransactions(
  server: HttpServer,
  { tenant, release, seed, transactions }: Run,
): Promise<number> {
  const root = server.path(tenant, release);
  const random = createRandom(seed);
  let state: State = new Map();
  let stored = 0;
  for (let turn = 0; turn < transactions; turn++) {
    const entries = generateEntries(random, state);
    const bundle = transaction(...entries.map(toEntry));
    const answer = await server.request('POST', root, bundle);
    const outcome = runTransaction(state, entries);
    try {
      if ('faults' in outcome) {
        expect([...outcome.faults]).toContain(answer.status);
        expect(answer.json.resourceType).toBe('OperationOutcome');
      } else {
        expect([answer.status, answer.json.issue]).toEqual([200, undefined]);
        state = settle(outcome.state, outcome.answers, answer);
        stored++;
      }
    } catch (error) {
      const sent = `seed ${seed}, ${release}, transaction ${turn}: ${JSON.stringify(bundle)}`;
      throw new Error(
        `${sent}
${answer.text}
${String(error)}`,
        { cause: error },
      );
    }
  }
  await compareHistories(server, root, state);
  return stored;
}

function textOf(reference: Reference): string {
  if ('id' in reference) return `${TYPE}/${reference.id}`;
  return 'entry' in reference ? uuid(reference.entry) : `${TYPE}?${criteriaOf(reference)}`;
}

const criteriaOf = ({ identifier }: { identifier: string }): string => `identifier=${SYSTEM}|${identifier}`;

const urlOf = (target: Target): string =>
  'id' in target ? `${TYPE}/${target.id}` : `${TYPE}?${criteriaOf(target)}`;

function toEntry(entry: Entry, index: number): object {
  const guard = 'ifMatch' in entry && entry.ifMatch !== undefined ? { ifMatch: `W/"${entry.ifMatch}"` } : {};
  switch (entry.kind) {
    case 'get':
      return { request: { method: 'GET', url: `${TYPE}/${entry.id}` } };
    case 'delete':
      return { request: { method: 'DELETE', url: urlOf(entry.target), ...guard } };
    case 'patch':
      return {
        fullUrl: uuid(index),
        resource: patchOf(entry),
        request: { method: 'PATCH', url: urlOf(entry.target), ...guard },
      };
    case 'create': {
      const condition =
        entry.ifNoneExist === undefined ? {} : { ifNoneExist: criteriaOf({ identifier: entry.ifNoneExist }) };
      return {
        fullUrl: uuid(index),
        resource: resourceOf(entry),
        request: { method: 'POST', url: TYPE, ...condition },
      };
    }
    case 'update': {
      const none = entry.ifNoneMatch === true ? { ifNoneMatch: '*' } : {};
      return {
        fullUrl: uuid(index),
        resource: resourceOf(entry),
        request: { method: 'PUT', url: urlOf(entry.target), ...guard, ...none },
      };
    }
  }
}

function resourceOf(entry: Extract<Entry, { kind: 'create' | 'update' }>): object {
  const { name, identifier, partOf } = entry.content;
  return {
    resourceType: TYPE,
    ...(entry.kind === 'update' && entry.id !== undefined ? { id: entry.id } : {}),
    ...(identifier === undefined ? {} : { identifier: [{ system: SYSTEM, value: identifier }] }),
    name,
    ...(partOf === undefined ? {} : { partOf: { reference: textOf(partOf) } }),
    ...(entry.isBroken === true ? { nmae: name } : {}),
  };
}

function patchOf({ form, name, partOf, isFailing }: Extract<Entry, { kind: 'patch' }>): object {
  if (form === 'fhirpath') {
    const part = [
      { name: 'type', valueCode: 'replace' },
      { name: 'path', valueString: `${TYPE}.name` },
      { name: 'value', valueString: name },
    ];
    return { resourceType: 'Parameters', parameter: [{ name: 'operation', part }] };
  }
  const operations = [
    ...(isFailing === true ? [{ op: 'test', path: '/name', value: 'nobody is called so' }] : []),
    { op: 'replace', path: '/name', value: name },
    ...(partOf === undefined ? [] : [{ op: 'add', path: '/partOf', value: { reference: textOf(partOf) } }]),
  ];
  const data = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { resourceType: 'Binary', contentType: 'application/json-patch+json', data };
}

/** Compares the answer, and gives created resources the ids of the server. */
function settle(state: State, answers: readonly Answer[], { json }: HttpAnswer): State {
  const ids = new Map<string, string>();
  answers.forEach(({ id }, index) => {
    if (id === newId(index)) ids.set(id, json.entry[index].resource.id);
  });
  const idOf = (id: string): string => ids.get(id) ?? id;
  const settled = new Map(
    [...state].map(([id, versions]) => [
      idOf(id),
      versions.map((version): Stored =>
        version?.partOf === undefined ? version : { ...version, partOf: idOf(version.partOf) },
      ),
    ]),
  );
  expect(json.entry).toHaveLength(answers.length);
  answers.forEach(({ status, id, version }, index) => {
    const { response, resource } = json.entry[index];
    expect(Number(response.status.slice(0, 3))).toBe(status);
    if (id === undefined || version === undefined) return;
    const expected = settled.get(idOf(id))?.[version - 1];
    expect(response.etag).toBe(`W/"${version}"`);
    expect(resource === undefined ? undefined : { id: resource.id, ...contentOf(resource) }).toEqual(
      expected === undefined ? undefined : { id: idOf(id), ...expected },
    );
  });
  return settled;
}

interface Resource {
  readonly id: string;
  readonly meta: { readonly versionId: string };
  readonly name: string;
  readonly identifier?: readonly { readonly value: string }[];
  readonly partOf?: { readonly reference: string };
}

function contentOf({ name, identifier, partOf }: Resource): NonNullable<Stored> {
  return {
    name,
    ...(identifier === undefined ? {} : { identifier: identifier[0]?.value ?? '' }),
    ...(partOf === undefined ? {} : { partOf: partOf.reference.replace(`${TYPE}/`, '') }),
  };
}

/** All versions that there are, and no other. */
async function compareHistories(server: HttpServer, root: string, state: State): Promise<void> {
  const found = new Map<string, Stored>();
  for (let next: string | undefined = `${root}/_history?_count=1000`; next !== undefined;) {
    const { json }: HttpAnswer = await server.request('GET', next);
    for (const { fullUrl, resource, response } of json.entry ?? [])
      found.set(
        `${fullUrl.split('/').at(-1)} ${response.etag}`,
        resource === undefined ? undefined : contentOf(resource),
      );
    const link = json.link.find(({ relation }: { relation: string }) => relation === 'next');
    next = link === undefined ? undefined : link.url.slice(server.base.length);
  }
  const expected = [...state].flatMap(([id, versions]) =>
    versions.map((version, index) => [`${id} W/"${index + 1}"`, version] as const),
  );
  expect(found).toEqual(new Map(expected));
}
