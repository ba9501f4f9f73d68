/**
 * The audit trail of a tenant for its administrators and the operator: a page of it, and all of it as CSV. A process sends one export
 * of a tenant at a time to its administrators, and one to the operator; further ones get 429. Those of other tenants do not count.
 */
import { toCsvField } from '../../../packages/fhir-values/csv-field';
import { fhirError, type Core, type Log, type TenantAdministration, type TrailEvent } from '../../core';
import { watchCaller } from '../connections/caller-watch';
import { sendLines, until } from '../responses/send-lines';
import { CSV, type AUDIT_ROUTES } from './audit-routes';
import type { Mount } from './mounts';
import type { AdministrationCall, HandlersOf } from './serve-routes';
import { callerOf } from './tenant-transfer';

export interface AuditOptions {
  readonly administration: Pick<TenantAdministration, 'audit'>;
  readonly mount: Mount;
  readonly log: Log;
  /** As for exports of tenants. */
  readonly stallMs: number;
}

export function auditHandlers(
  core: Core,
  { administration: { audit }, mount, log, stallMs }: AuditOptions,
): HandlersOf<typeof AUDIT_ROUTES> {
  const underWay = new Set<string>();
  const asked = ({ params: { tenant }, request }: AdministrationCall<unknown, unknown>) => ({
    ...{ tenant, log, address: request.ip, requestId: request.id },
    caller: mount.name === 'operator' ? undefined : callerOf(request),
  });
  return {
    listAudit: async (call) => {
      const { release = 'r4', page: after, each, ...filters } = call.query;
      const { events, notes, next } = await audit.page({ ...asked(call), release }, filters, { after, each });
      return { status: 200, answer: { events, notes, next } };
    },
    exportAudit: async (call) => {
      const { params, query, request, reply } = call;
      const { release = 'r4', ...filters } = query;
      const { tenant } = params;
      if (underWay.has(tenant)) throw tooMany();
      underWay.add(tenant);
      const watch = watchCaller(core, mount.adminOf(tenant), 'r4', callerOf(request));
      const done = (): void => {
        watch.end();
        underWay.delete(tenant);
      };
      const pages = audit.all({ ...asked(call), release }, filters);
      // The first page shows what is wrong with the request, while it can still be answered.
      const first = await pages.next().catch((error: unknown) => {
        done();
        throw error;
      });
      const lines = until(toLines(first, pages), watch.signal);
      return {
        sent: sendLines(request, reply, lines, {
          contentType: `${CSV}; charset=utf-8`,
          fileName: `${tenant}-audit.csv`,
          stallMs,
          done,
        }),
      };
    },
  };
}

function tooMany(): Error {
  return fhirError('tooManyRequests', {
    reason: 'An export of this trail is in progress, which is the limit: try again later',
  });
}

type Pages = AsyncGenerator<readonly TrailEvent[]>;

async function* toLines(first: Awaited<ReturnType<Pages['next']>>, pages: Pages): AsyncGenerator<string> {
  yield COLUMNS.map(([title]) => title).join(',') + '\r';
  if (first.done === true) return;
  for (const event of first.value) yield toLine(event);
  for await (const events of pages) for (const event of events) yield toLine(event);
}

const COLUMNS: readonly (readonly [title: string, valueOf: (event: TrailEvent) => string | undefined])[] = [
  ['recorded', ({ recorded }) => recorded],
  ['outcome', ({ outcome }) => outcome],
  ['reason', ({ reason }) => reason],
  ['action', ({ action }) => action],
  ['interaction', ({ interaction }) => interaction],
  ['client', ({ client }) => client?.id],
  ['client name', ({ client }) => client?.name],
  ['person', ({ person }) => person?.id],
  ['person name', ({ person }) => person?.name],
  ['address', ({ address }) => address],
  ['patients', ({ patients }) => patients.join(' ')],
  ['resources', ({ resources }) => resources.join(' ')],
  ['further patients and resources', ({ more }) => (more === 0 ? '' : String(more))],
  ['query', ({ query }) => query],
  ['request', ({ request }) => request],
  ['recorded by', ({ isOfServer }) => (isOfServer ? 'server' : 'client')],
  ['id', ({ id }) => id],
];

/** A line of RFC 4180, which ends in CR LF. */
function toLine(event: TrailEvent): string {
  return COLUMNS.map(([, valueOf]) => toCsvField(valueOf(event) ?? '')).join(',') + '\r';
}
