/** The audit trail of a tenant for its administrators: searches of AuditEvents, through the function that REST searches by. */
import type { Clients } from '../api/access';
import type { AuditTrails, TrailFilters, TrailOutcome, TrailRequest } from '../api/audit-trail';
import type { CoreAccess } from '../api/core';
import type { SearchPage } from '../api/search';
import type { Users } from '../api/sign-in';
import type { Access, RequestContext, TenantSpace } from '../context';
import { fhirError } from '../errors';
import { parseStoredObject } from '../fhir/json';
import type { Release } from '../fhir/release';
import { AUDIT_EVENT } from '../fhir/type-names';
import type { SearchCondition, SearchRequest } from '../search/requests/search-request';
import { FairTurns } from '../storage/connection/fair-turns';
import { queryText } from './describe';
import { foldEvents, toTrailEvent, type TrailNames } from './trail-event';

/** The client of the operator in the trail of a tenant, which need not know more of it. */
export const OPERATOR_ACTOR = 'operator';
const PATIENCE_MS = 30_000;
/** Events of one search, and of a page at most. */
const SEARCHED = 200;
const MOST_SEARCHES = 5;
/** Searches of exports of all tenants at a time; an export whose client is slow to read takes none. */
const EXPORT_SEARCHES = 2;
/** A page with so many rows is long enough. */
const ROWS = 50;
/** Clients and accounts that one name may mean. */
const MOST_MEANT = 20;

const OUTCOMES: Readonly<Record<TrailOutcome, string>> = { success: '0', refused: '4', failed: '8,12' };
const SIGN_IN_TYPE = '110114';
const RESOURCE = /^[A-Z][A-Za-z]{0,63}\/[A-Za-z0-9\-.]{1,64}$/;

export interface AuditTrailParts {
  readonly search: (context: RequestContext, request: SearchRequest) => Promise<SearchPage>;
  readonly recordAsOneAccess: CoreAccess['recordAsOneAccess'];
  readonly clients: Pick<Clients, 'list'>;
  readonly users: Pick<Users, 'list'>;
  /** What is recorded (AUDIT). */
  readonly records: 'on' | 'writes' | 'off';
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
}

/** What a reader of a trail must know before missing events mean anything. */
const NOT_RECORDED = {
  on: [],
  writes: [
    'Reads and searches are not recorded, because AUDIT is writes. Start the server with AUDIT=on to record them.',
  ],
  off: [
    'Nothing is recorded, because AUDIT is off. Start the server with AUDIT=on, or AUDIT=writes for changes and refusals.',
  ],
} as const;

export function createAuditTrails(parts: AuditTrailParts): AuditTrails {
  const turns = new FairTurns({ slots: EXPORT_SEARCHES, most: 1, maxWaitMs: PATIENCE_MS });
  return {
    async page(request, filters, { after, each = false }) {
      const trail = await openTrail(parts, request, filters);
      return parts.recordAsOneAccess(
        trail.context(),
        trail.query,
        async (context) => {
          const notes = new Set<string>(after === undefined ? NOT_RECORDED[parts.records] : []);
          let events: ReturnType<typeof foldEvents> = [];
          let next = after;
          for (let searches = 0; searches < MOST_SEARCHES; searches++) {
            const page = await parts.search(context, trail.search(next));
            for (const { diagnostics } of page.issues) notes.add(diagnostics);
            const found = page.matches.map(({ text }) => toTrailEvent(parseStoredObject(text), trail.names));
            events = each ? [...events, ...found] : foldEvents([...events, ...found]);
            next = page.next;
            if (next === undefined || events.length >= ROWS) break;
          }
          return { events, next, notes: [...notes] };
        },
        () => 200,
      );
    },
    async *all(request, filters) {
      const trail = await openTrail(parts, request, filters);
      let next: string | undefined;
      do {
        const after = next;
        await turns.enter(trail.tenant);
        const page = await parts
          .recordAsOneAccess(
            trail.context(),
            trail.query,
            (context) => parts.search(context, trail.search(after)),
            () => 200,
          )
          .finally(() => turns.leave(trail.tenant));
        yield page.matches.map(({ text }) => toTrailEvent(parseStoredObject(text), trail.names));
        next = page.next;
      } while (next !== undefined);
    },
  };
}

interface Trail {
  /** The number of the tenant. */
  readonly tenant: number;
  readonly names: TrailNames;
  /** The filters as an address, for the record. */
  readonly query: string;
  search(after: string | undefined): SearchRequest;
  context(): RequestContext;
}

async function openTrail(
  { findSpace, clients, users }: AuditTrailParts,
  { tenant, release, caller, address, requestId, log }: TrailRequest,
  filters: TrailFilters,
): Promise<Trail> {
  const space = await findSpace(tenant, release);
  if (space === undefined) throw fhirError('unknownTenant');
  const [allClients, allUsers] = await Promise.all([clients.list(tenant), users.list(tenant)]);
  const names: TrailNames = {
    clients: new Map(allClients.map(({ id, name }) => [id, name])),
    people: new Map(
      allUsers.flatMap(({ id, display, fhirUser }) => [
        [id, display],
        ...(fhirUser === null ? [] : [[fhirUser, display] as const]),
      ]),
    ),
  };
  const parameters = toParameters(filters);
  const where = filters.who === undefined ? undefined : [whoIs(filters.who, allClients, allUsers)];
  const asked = [...parameters, ...(filters.who === undefined ? [] : ([['who', filters.who]] as const))];
  return {
    ...{ tenant: space.tenantNumber, names },
    query: queryText(AUDIT_EVENT, asked),
    search: (after) => ({
      type: AUDIT_EVENT,
      handling: 'strict',
      parameters: [
        ...parameters,
        ['_sort', '-date'],
        ['_count', String(SEARCHED)],
        ...(after === undefined ? [] : [['_cursor', after] as const]),
      ],
      ...(where === undefined ? {} : { where }),
    }),
    context: () => ({
      ...{ space, address, requestId, log },
      actor: caller?.actor ?? OPERATOR_ACTOR,
      access: toAuditor(caller === undefined ? OPERATOR : caller.access),
      deadline: Date.now() + PATIENCE_MS,
    }),
  };
}

const OPERATOR: Access = {
  ...{ client: OPERATOR_ACTOR, scopes: [], policies: [] },
  ...{ isAdministrator: true, isAuditor: true },
};

/** The access of an administrator to AuditEvents, and to nothing else: its scopes and policies are about data. */
function toAuditor(access: Access | undefined): Access | undefined {
  return access && { ...access, scopes: [`system/${AUDIT_EVENT}.rs`], policies: [], isAuditor: true };
}

function toParameters(filters: TrailFilters): readonly (readonly [string, string])[] {
  const { action, what, since, until, outcome, request, kind } = filters;
  if (what !== undefined && !RESOURCE.test(what))
    throw fhirError('invalidValue', {
      reason: '"what" must be the type and id of a resource, such as Patient/1',
    });
  const given: readonly (readonly [string, string | undefined])[] = [
    ['action', action],
    ['entity', what],
    ['date', since && `ge${since}`],
    ['date', until && `lt${until}`],
    ['outcome', outcome && OUTCOMES[outcome]],
    ['entity:identifier', request && `|${escape(request)}`],
    [kind === 'requests' ? 'type:not' : 'type', kind && SIGN_IN_TYPE],
  ];
  return given.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  );
}

/** The condition that an agent is what `who` means: a reference, or all that have it as their id or name. */
function whoIs(
  who: string,
  clients: Awaited<ReturnType<Clients['list']>>,
  users: Awaited<ReturnType<Users['list']>>,
): SearchCondition {
  const parameter = (name: string, value: string): SearchCondition => ({ kind: 'parameter', name, value });
  if (who.includes('/')) return parameter('agent', escape(who));
  const wanted = fold(who);
  const isMeant = (...names: readonly string[]): boolean => names.some((name) => fold(name) === wanted);
  const people = users.filter(({ id, name, display }) => isMeant(id, name, display)).slice(0, MOST_MEANT);
  const ids = [
    who,
    ...clients
      .filter(({ id, name }) => isMeant(id, name))
      .slice(0, MOST_MEANT)
      .map(({ id }) => id),
    ...people.map(({ id }) => id),
  ];
  const references = people.flatMap(({ fhirUser }) => (fhirUser === null ? [] : [escape(fhirUser)]));
  return {
    kind: 'any',
    of: [
      [parameter('agent:identifier', ids.map((id) => `|${escape(id)}`).join(','))],
      ...(references.length === 0 ? [] : [[parameter('agent', references.join(','))]]),
    ],
  };
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** A text as a value of a search, in which some characters separate. */
function escape(text: string): string {
  return text.replace(/[\\,$|]/g, '\\$&');
}
