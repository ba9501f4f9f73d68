/** The filters of the audit trail as a search for AuditEvents, and as the query of the screen's address. */

export const FILTERS = [
  'from',
  'to',
  'client',
  'person',
  'action',
  'outcome',
  'kind',
  'patient',
  'record',
  'request',
] as const;
export type Filter = (typeof FILTERS)[number];

/** Empty texts filter nothing. `from` and `to` are local times: `2026-11-28T09:00`. */
export type AuditFilters = Readonly<Record<Filter, string>>;

export const NO_FILTERS: AuditFilters = {
  ...{ from: '', to: '', client: '', person: '', action: '', outcome: '', kind: '' },
  ...{ patient: '', record: '', request: '' },
};

export function readFilters(query: URLSearchParams): AuditFilters {
  const pairs = FILTERS.map((name) => [name, query.get(name) ?? ''] as const);
  return { ...NO_FILTERS, ...Object.fromEntries(pairs) };
}

export function printFilters(filters: AuditFilters): URLSearchParams {
  return new URLSearchParams(
    FILTERS.map((name): [string, string] => [name, filters[name].trim()]).filter(([, value]) => value !== ''),
  );
}

/** The search of REST, the newest events first. */
export function toAuditSearch(filters: AuditFilters): string {
  const { from, to, client, person, action, outcome, kind, patient, record, request } = filters;
  const parameters: readonly (readonly [string, string])[] = [
    ['date', from === '' ? '' : `ge${toInstant(from)}`],
    ['date', to === '' ? '' : `le${toInstant(to)}`],
    ['altid', client],
    ['agent', person],
    ['action', action],
    ['outcome', outcome],
    ['type', kind],
    ['patient', patient === '' ? '' : `Patient/${patient.trim().replace(/^Patient\//, '')}`],
    ['entity', record],
    ['entity:identifier', request === '' ? '' : `|${request.trim()}`],
    ['_sort', '-date'],
  ];
  return parameters
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function toInstant(local: string): string {
  const instant = new Date(local);
  return Number.isNaN(instant.getTime()) ? local : instant.toISOString();
}
