/** The official examples in a server, for the tests of HL7's binding. */
import type { Release } from '../../src/core';
import { readExamples } from '../support/examples';
import type { HttpServer } from '../support/shared-server';
import type { SendQuery } from './gateway-client';

/** The answer of a server, checked by the expectations. */
export type Json = Awaited<ReturnType<SendQuery>>['found'];

interface Given {
  readonly type: string;
  readonly id: string;
  readonly text: string;
}

/** @throws Error where more than a few are refused: some official examples have invalid references */
export async function load(
  server: HttpServer,
  tenant: string,
  release: Release,
  resources: readonly Given[],
): Promise<void> {
  const entry = resources.map(
    ({ type, id, text }) => `{"resource":${text},"request":{"method":"PUT","url":"${type}/${id}"}}`,
  );
  const body = `{"resourceType":"Bundle","type":"batch","entry":[${entry.join(',')}]}`;
  const { json } = await server.request('POST', server.path(tenant, release), body);
  const refused = json.entry.filter((answer: Json) => !/^20[01]/.test(answer.response.status));
  if (refused.length > (resources.length > 10 ? 3 : 0)) throw new Error(JSON.stringify(refused));
}

/** Those of these types that are not long. */
export async function loadExamples(
  server: HttpServer,
  release: Release,
  types: readonly string[],
): Promise<void> {
  const examples = readExamples(release).filter(
    ({ type, text }) => types.includes(type) && text.length < 20_000,
  );
  await load(server, 'system', release, examples);
}

/** The data of a query without an error. */
export function createQuerySender(
  send: () => SendQuery,
): (query: string, variables?: object) => Promise<Json> {
  return async (query, variables = {}) => {
    const answer = await send()(query, variables);
    expect([answer.status, answer.errors]).toEqual([200, []]);
    return answer.found;
  };
}
