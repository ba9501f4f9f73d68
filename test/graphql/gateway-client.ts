/** Shared by the tests of the gateway: a client that sends GraphQL like a front end, and official examples. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Release } from '../../src/core';
import type { Answer, Headers } from '../support/http';
import type { HttpServer } from '../support/shared-server';

export interface GatewayAnswer extends Answer {
  /** The HTTP status; where all fields of the root failed, which is 200, the status that REST would answer. */
  readonly status: number;
  /** `data` of the response. */
  readonly found: Answer['json'];
  /** `errors` of the response; empty when there are none. */
  readonly errors: readonly GatewayError[];
}

interface Outcome {
  readonly resourceType: string;
  readonly issue: readonly Readonly<Record<string, unknown>>[];
}

export interface GatewayError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    /** The HTTP status that REST would answer. */
    readonly status: number;
    readonly resource: Outcome;
  };
}

/** Sends a document; `variables` as text keep the digits of their decimals. */
export type SendQuery = (
  query: string,
  variables?: object | string,
  headers?: Headers,
) => Promise<GatewayAnswer>;

export function gatewayPath(tenant: string, release: Release): string {
  return `/w/${tenant}/api/v1/graphql/${release}`;
}

export function toGatewayAnswer(answer: Answer): GatewayAnswer {
  return Object.assign(Object.create(answer) as Answer, {
    status: statusOf(answer),
    get found() {
      return answer.json.data;
    },
    get errors() {
      return (answer.json.errors ?? []) as GatewayError[];
    },
  });
}

function statusOf({ status, json }: Answer): number {
  const { data, errors = [] } = json as { data?: object | null; errors?: readonly GatewayError[] };
  const hasFailed = Object.values(data ?? { none: true }).every((value) => value === null);
  return status === 200 && hasFailed ? (errors[0]?.extensions.status ?? status) : status;
}

export function createSender(
  server: Pick<HttpServer, 'request' | 'tenant' | 'path'>,
  tenant: string,
  release: Release,
): SendQuery {
  return async (query, variables = {}, headers = {}) => {
    const text = typeof variables === 'string' ? variables : JSON.stringify(variables);
    const body = `{"query":${JSON.stringify(query)},"variables":${text}}`;
    const sent = { 'content-type': 'application/json', ...headers };
    return toGatewayAnswer(
      await server.request('POST', gatewayPath(server.tenant(tenant), release), body, sent),
    );
  };
}

/** The text of an official example (hl7.fhir.r4.examples, CC0), such as `Patient-example`. */
export function readExample(name: string): string {
  return readFileSync(path.join(__dirname, 'examples', `${name}.json`), 'utf8');
}

/** Stores an official example under its own id by REST. */
export async function putExample(
  server: Pick<HttpServer, 'request' | 'tenant' | 'path'>,
  tenant: string,
  release: Release,
  name: string,
): Promise<void> {
  const text = readExample(name);
  const { resourceType, id } = JSON.parse(text) as { resourceType: string; id: string };
  const answer = await server.request('PUT', `${server.path(tenant, release)}/${resourceType}/${id}`, text);
  if (answer.status !== 201 && answer.status !== 200)
    throw new Error(`${name}: ${answer.status} ${answer.text}`);
}
