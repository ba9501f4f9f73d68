/** An access as it is kept until it is an AuditEvent: a JSON array in a line of `access_record.accesses`. Pure. */
import type { KeyHalves } from './version-write';

/** One access. */
export interface AccessRecord {
  /** Of the AuditEvent that it becomes: an id of ours. */
  readonly key: KeyHalves;
  /** Milliseconds since 1970. */
  readonly recorded: number;
  /** A code of http://hl7.org/fhir/restful-interaction, or one of ours (access/audit-event.ts). */
  readonly interaction: string;
  /** As HTTP tells it. */
  readonly status: number;
  /** Which error it was answered with: a key of the catalogue, or an error of OAuth 2. */
  readonly reason: string | undefined;
  readonly requestId: string;
  /** Id of the ClientApplication; undefined: `anonymous`. */
  readonly client: string | undefined;
  /** Who sits before the client, as a relative reference. */
  readonly person: string | undefined;
  /** Network address of the client. */
  readonly address: string | undefined;
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly version: number | undefined;
  /** What was asked, as an address below `{fhir_root}`. */
  readonly query: string | undefined;
  /** References to what was read and addresses, with spaces between them, and how much there was besides. */
  readonly details: string | undefined;
}

/** Without the version and what closes the array, for a statement that learns the version. */
export function encodeOpenLine(record: AccessRecord): string {
  const { key, recorded, interaction, status, reason, requestId, client, person, address } = record;
  const { type, id, query, details } = record;
  const target = id === undefined ? type : `${type ?? ''}/${id}`;
  const line = JSON.stringify([
    key.high,
    key.low,
    recorded,
    interaction,
    status,
    reason,
    requestId,
    client,
    person,
    address,
    target,
    query,
    details,
  ]);
  return line.slice(0, -1);
}

/** The whole line. Cost: about a microsecond. */
export function encodeLine(record: AccessRecord): string {
  return `${encodeOpenLine(record)},${record.version ?? 'null'}]`;
}

/** Throws for what is no line of ours. */
export function decodeLine(line: string): AccessRecord {
  const values: unknown = JSON.parse(line);
  if (!Array.isArray(values)) throw new Error('a record of an access is not readable');
  const parts: readonly unknown[] = values;
  const number = (place: number): number => {
    const value = parts[place];
    if (typeof value !== 'number') throw new Error('a record of an access has no number where one stands');
    return value;
  };
  const text = (place: number): string | undefined => {
    const value = parts[place];
    return typeof value === 'string' ? value : undefined;
  };
  const target = text(10);
  const slash = target?.indexOf('/') ?? -1;
  return {
    key: { high: number(0), low: number(1) },
    recorded: number(2),
    interaction: text(3) ?? '',
    status: number(4),
    reason: text(5),
    requestId: text(6) ?? '',
    client: text(7),
    person: text(8),
    address: text(9),
    type: slash === -1 ? target : target?.slice(0, slash),
    id: slash === -1 ? undefined : target?.slice(slash + 1),
    query: text(11),
    details: text(12),
    version: typeof parts[13] === 'number' ? parts[13] : undefined,
  };
}
