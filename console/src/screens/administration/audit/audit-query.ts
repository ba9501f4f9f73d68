/** The filters of the audit trail as a request, and as the query of the screen's address. */
import type { AuditFilters as Asked } from '../../../api/administration';
import type { Release } from '../../../place';

export const FILTERS = ['from', 'to', 'who', 'action', 'outcome', 'kind', 'what', 'request', 'each'] as const;
export type Filter = (typeof FILTERS)[number];

/** Empty texts filter nothing. `from` and `to` are local times: `2026-11-28T09:00`; `each` is empty or `true`. */
export type AuditFilters = Readonly<Record<Filter, string>>;

export const NO_FILTERS: AuditFilters = {
  ...{ from: '', to: '', who: '', action: '', outcome: '', kind: '' },
  ...{ what: '', request: '', each: '' },
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

const oneOf = <const Word extends string>(words: readonly Word[], text: string): Word | undefined =>
  words.find((word) => word === text);

/** What the server is asked for. A patient is named by the id alone, or as `Patient/1`. */
export function toQuery(filters: AuditFilters, release: Release): Asked {
  const texts = (Object.keys(filters) as Filter[]).map((name) => [name, filters[name].trim()] as const);
  const { from, to, who, what, request, ...others } = Object.fromEntries(texts) as AuditFilters;
  const action = oneOf(['C', 'R', 'U', 'D', 'E'], others.action);
  const outcome = oneOf(['success', 'refused', 'failed'], others.outcome);
  const kind = oneOf(['requests', 'sign-ins'], others.kind);
  return {
    release,
    ...(from === '' ? {} : { since: toInstant(from) }),
    ...(to === '' ? {} : { until: toInstant(to) }),
    ...(who === '' ? {} : { who }),
    ...(what === '' ? {} : { what: what.includes('/') ? what : `Patient/${what}` }),
    ...(request === '' ? {} : { request }),
    ...(action === undefined ? {} : { action }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(kind === undefined ? {} : { kind }),
    ...(others.each === 'true' ? { each: true } : {}),
  };
}

function toInstant(local: string): string {
  const instant = new Date(local);
  return Number.isNaN(instant.getTime()) ? local : instant.toISOString();
}
