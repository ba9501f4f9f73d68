/** A whole tenant as lines of JSON (docs/tenants.md, "Export and import"). */
import { createHash, type Hash } from 'node:crypto';
import { isRelease, RELEASE_NAMES, type Release } from './fhir/release';
import { formatInstant, toFullText } from './fhir/resource-text';
import type { Services } from './services';
import type { StoredSettings } from './tenant-settings';
import { readLastSequence } from './storage/feed';
import { readVersionsUpTo } from './storage/tenant-export';
import type { TenantStore } from './storage/tenants';
import type { VersionRow } from './storage/version-row';

export const EXPORT_FORMAT = 1;

/** What stands before the versions. */
export interface ExportHeader {
  readonly andironTenant: typeof EXPORT_FORMAT;
  readonly name: string;
  readonly display: string | null;
  readonly settings: StoredSettings;
  /** The last version-sequence of each release. */
  readonly lastSequence: Readonly<Partial<Record<Release, number>>>;
}

/** What stands behind them: how many lines of each release there are, and the SHA-256 of them with their line feeds, in hex. */
export interface ExportEnd {
  readonly end: Readonly<Partial<Record<Release, { readonly lines: number; readonly sha256: string }>>>;
}

/** A line without its line feed. */
export type ExportLine =
  | { readonly kind: 'header'; readonly text: string }
  | { readonly kind: 'version'; readonly release: Release; readonly text: string }
  | { readonly kind: 'end'; readonly text: string };

/**
 * All versions of a tenant, deletions included, as it was at the beginning of the call, release by release in the order of their
 * numbers; or with `current` the resources that there were then, as they are answered. Undefined: there is no such tenant. Writes
 * may go on. Memory is that of one page.
 */
export async function exportTenant(
  services: Services,
  store: TenantStore,
  name: string,
  which: 'all' | 'current',
): Promise<AsyncGenerator<ExportLine> | undefined> {
  const row = await store.find(name);
  if (row === undefined || row.status === 'importing' || row.status === 'deleting') return undefined;
  const spaces = RELEASE_NAMES.flatMap((release) => {
    const space = row.spaces[release];
    return space === undefined ? [] : [{ release, space }];
  });
  const lasts = new Map<Release, number>();
  for (const { release, space } of spaces)
    lasts.set(release, await readLastSequence(services.database, space));
  const header: ExportHeader = {
    andironTenant: EXPORT_FORMAT,
    name,
    display: row.display,
    settings: Object.fromEntries(
      Object.entries(row.settings).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    lastSequence: Object.fromEntries(lasts),
  };
  return lines(services, header, spaces, which);
}

async function* lines(
  services: Services,
  header: ExportHeader,
  spaces: readonly { readonly release: Release; readonly space: number }[],
  which: 'all' | 'current',
): AsyncGenerator<ExportLine> {
  yield { kind: 'header', text: JSON.stringify(header) };
  const digests = new Map<Release, { lines: number; readonly hash: Hash }>();
  for (const { release, space } of spaces) {
    const digest = { lines: 0, hash: createHash('sha256') };
    digests.set(release, digest);
    const last = header.lastSequence[release] ?? 0;
    for await (const row of readVersionsUpTo(services.database, space, last, which)) {
      const version = await services.reader.complete(space, row);
      const text = which === 'all' ? toLine(services, release, version) : toResource(services, version);
      digest.lines += 1;
      digest.hash.update(text).update('\n');
      yield { kind: 'version', release, text };
    }
  }
  const end = [...digests].map(
    ([release, { lines: count, hash }]) => [release, { lines: count, sha256: hash.digest('hex') }] as const,
  );
  yield { kind: 'end', text: JSON.stringify({ end: Object.fromEntries(end) } satisfies ExportEnd) };
}

/** The stored text as it is; beside it what lies in columns. */
function toLine(services: Services, release: Release, row: VersionRow): string {
  const { version, sequence, lastUpdated, change, author, body } = row;
  const type = services.definitions(release).typeName(row.type);
  const id = row.id ?? services.keys.idOf(row.key);
  const beside = JSON.stringify({
    release,
    type,
    id,
    version,
    sequence,
    lastUpdated: formatInstant(lastUpdated),
    change,
    ...(author === null ? {} : { author }),
  });
  return change === 'delete' ? beside : `${beside.slice(0, -1)},"resource":${oneLine(body)}}`;
}

function toResource(services: Services, row: VersionRow): string {
  const { version: versionId, lastUpdated, sequence, author, metaOffset, body } = row;
  const meta = { versionId, lastUpdated, sequence, author: author ?? 'anonymous' };
  return oneLine(toFullText(body, metaOffset, meta, services.extensionBase));
}

/** In JSON a line feed is white space between values: in a text it is escaped. */
function oneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text;
}

/** Throws a SyntaxError for what is no header of an export. */
export function toHeader(value: unknown): ExportHeader {
  if (typeof value !== 'object' || value === null || !('andironTenant' in value))
    throw new SyntaxError('this is not the export of a tenant');
  if (value.andironTenant !== EXPORT_FORMAT)
    throw new SyntaxError(`this is an export of another format than ${EXPORT_FORMAT}`);
  const { name, display, settings, lastSequence } = value as Partial<ExportHeader>;
  if (typeof name !== 'string' || (display !== null && typeof display !== 'string'))
    throw new SyntaxError('the header of the export is not whole');
  const texts = Object.entries(settings ?? {}).filter(([, set]) => typeof set === 'string');
  const lasts = Object.entries(lastSequence ?? {}).filter(
    ([release, last]) => isRelease(release) && Number.isInteger(last) && last >= 0,
  );
  return {
    andironTenant: EXPORT_FORMAT,
    name,
    display,
    settings: Object.fromEntries(texts),
    lastSequence: Object.fromEntries(lasts),
  };
}
