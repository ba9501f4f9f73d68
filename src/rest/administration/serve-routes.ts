/** Serves the routes of administration (routes.ts): hands requests that the table allows to handlers, and sends their answers. */
import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, type JsonObject } from '../../core';
import { refuseOtherMethods } from '../requests/method';
import { sendJson } from '../responses/send-json';
import type { Mount } from './mounts';
import { readBody, readQuery } from './read-request';
import type { AdministrationRoute } from './routes';
import type { Value } from './schema-kinds';

/** The variable parts of addresses; a route has those of its path. */
interface Parts {
  readonly tenant: string;
  readonly client: string;
  readonly secret: string;
  readonly policy: string;
  readonly user: string;
  readonly job: string;
  readonly fhirRelease: string;
  readonly subscription: string;
}

/** A request that the table allows. */
export interface AdministrationCall<Body = unknown, Query = unknown> {
  readonly params: Parts;
  readonly body: Body;
  readonly query: Query;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The address below which the administration of the tenant is. */
  readonly tenantAddress: string;
}

/** Characters of a name or id in an address. */
const LONGEST_NAME = 200;

type ValueOf<Schema> = Schema extends TSchema ? Value<Schema> : undefined;
type QueryOf<Route> = Route extends { readonly query: infer Schema } ? ValueOf<Schema> : undefined;
/** Undefined, where the body is a file: `request` has it. */
type BodyOf<Route> = Route extends { readonly isCheckedByCore: true }
  ? JsonObject
  : Route extends { readonly body: infer Schema }
    ? ValueOf<Schema> | (Route extends { readonly file: string } ? undefined : never)
    : undefined;
/** The JSON of a status, or what the handler itself has sent. */
type AnswerOf<Answers> = {
  readonly [Status in keyof Answers]: Answers[Status] extends {
    readonly schema: infer Schema extends TSchema;
  }
    ? { readonly status: Status & number; readonly answer: Value<Schema> & object }
    : { readonly sent: FastifyReply };
}[keyof Answers];
type RoutesOf<Table> = { readonly [Id in keyof Table]: AdministrationRoute };
/** The handlers of a table by the ids of its operations. */
export type HandlersOf<Table extends RoutesOf<Table>> = {
  readonly [Id in keyof Table]: (
    call: AdministrationCall<BodyOf<Table[Id]>, QueryOf<Table[Id]>>,
  ) => Promise<AnswerOf<Table[Id]['answers']>>;
};

/** Adds the routes of `table` that `mount` has to `scope`. Other methods get 405. */
export function serveRoutes<Table extends RoutesOf<Table>>(
  scope: FastifyInstance,
  mount: Mount,
  table: Table,
  handlers: HandlersOf<Table>,
): void {
  const methods = new Map<string, string[]>();
  for (const id in table) {
    type Route = Table[typeof id];
    const route = table[id];
    const path = mount.pathOf(route);
    if (path === undefined) continue;
    const [method = ''] = route.address.split(' ');
    const url = mount.root + path.replace(/\{(\w+)\}/g, ':$1');
    methods.set(url, [...(methods.get(url) ?? []), method]);
    scope.route<{ Params: Parts }>({
      ...{ method, url },
      handler: async (request, reply) => {
        requireNames(request.params);
        requireNoGuard(request, route);
        const query = readQuery<QueryOf<Route>>(request, route);
        const body = readBody<BodyOf<Route>>(request, route);
        const { params } = request;
        const tenantAddress = mount.addressOf(params.tenant);
        const result = await handlers[id]({ params, body, query, request, reply, tenantAddress });
        return 'sent' in result ? result.sent : sendJson(request, reply, result);
      },
    });
  }
  for (const [url, served] of methods) refuseOtherMethods(scope, url, served);
}

/** Throws `noSuchAddress` for a name or id that nothing can have, before anything is asked about it. */
function requireNames(params: Parts): void {
  const values: readonly string[] = Object.values(params);
  if (values.some((value) => value.length > LONGEST_NAME || /\p{Cc}/u.test(value)))
    throw fhirError('noSuchAddress');
}

/** Throws `preconditionFailed` for an `If-Match` that nothing here can meet, because it would be taken for a guard. */
function requireNoGuard({ headers }: FastifyRequest, { headers: known = [] }: AdministrationRoute): void {
  const guard = headers['if-match'];
  if (guard === undefined || guard.trim() === '*' || known.includes('If-Match')) return;
  throw fhirError('preconditionFailed', {
    reason: 'If-Match cannot be met: nothing at this address has an ETag. Send the request without it',
  });
}

/** Returns the value, or throws `noSuchAddress` when there is none. */
export function found<Found>(value: Found | undefined | false): Found {
  if (value === undefined || value === false) throw fhirError('noSuchAddress');
  return value;
}

export function toInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
