/**
 * Encodes an access until it becomes an AuditEvent: a JSON array in a line of `access_record.accesses`, in ASCII, so
 * that bytes and characters are the same number. The encoder is handwritten; it takes a third of the time of
 * JSON.stringify.
 */
import { jsonString, type AsciiText } from '../connection/ascii-text';
import type { KeyHalves } from '../key-halves';

/** One access. */
export interface AccessRecord {
  /** Key of its future AuditEvent: an id of this server. */
  readonly key: KeyHalves;
  /** Milliseconds since 1970. */
  readonly recorded: number;
  /** A code of http://hl7.org/fhir/restful-interaction, or one of this server (audit/audit-event.ts). */
  readonly interaction: string;
  /** HTTP status. */
  readonly status: number;
  /** The error of the answer: a key of the catalogue, or an error of OAuth 2. */
  readonly reason: string | undefined;
  readonly requestId: string;
  /** Id of the ClientApplication; undefined: `anonymous`. */
  readonly client: string | undefined;
  /** The user of the client, as a relative reference. */
  readonly person: string | undefined;
  /** Network address of the client. */
  readonly address: string | undefined;
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly version: number | undefined;
  /** The request, as an address below `{fhir_root}`. */
  readonly query: string | undefined;
  /**
   * References to the versions that were read and addresses, separated by spaces, and the number of further versions.
   * Until it is encoded it can be in the format of `shortList`.
   */
  readonly details: string | undefined;
}

/** Writes a line without the version and the closing bracket, for a statement that adds the version. */
export function writeOpenLine(text: AsciiText, record: AccessRecord): AsciiText {
  const { key, recorded, interaction, status, reason, requestId, type, id, query, details } = record;
  text.append('[').appendWhole(key.high).append(',').appendWhole(key.low).append(',').appendWhole(recorded);
  text.append(',').appendString(interaction).append(',').appendWhole(status);
  text.append(',').appendString(reason).append(',').appendString(requestId).append(',').append(whoOf(record));
  text.append(',').appendString(id === undefined ? type : `${type ?? ''}/${id}`);
  return text.append(',').appendString(query).append(',').appendString(details);
}

/** Writes a whole line. **Cost**: about a microsecond. */
export function writeLine(text: AsciiText, record: AccessRecord): AsciiText {
  writeOpenLine(text, record).append(',');
  return (record.version === undefined ? text.append('null') : text.appendWhole(record.version)).append(']');
}

/** Cache of the latest client, person and address: consecutive records mostly have the same ones. */
let latestWho: Pick<AccessRecord, 'client' | 'person' | 'address'> & { readonly text: string } = {
  ...{ client: undefined, person: undefined, address: undefined },
  text: 'null,null,null',
};

function whoOf({ client, person, address }: AccessRecord): string {
  const isLatest =
    latestWho.client === client && latestWho.address === address && latestWho.person === person;
  if (!isLatest) {
    const text = [client, person, address].map(jsonString).join(',');
    latestWho = { client, person, address, text };
  }
  return latestWho.text;
}

/** A version in a list. */
interface VersionReference {
  readonly type: string;
  readonly id: string;
  readonly versionId: number;
}

/**
 * Formats versions as `details`: each type once, before the ids of its versions, and version numbers other than 1
 * (`:Patient a b/2 :Observation c`); then the number of `others`. It has a third of the references' length.
 */
export function shortList(versions: readonly VersionReference[], others = 0): string {
  let text = '';
  let latest;
  for (const { type, id, versionId } of versions) {
    if (type !== latest) text += `${latest === undefined ? '' : ' '}:${type}`;
    latest = type;
    text += versionId === 1 ? ` ${id}` : ` ${id}/${versionId}`;
  }
  return others > 0 ? `${text} +${others}` : text;
}

/** Expands short lists to references, each once. Addresses and references between them stay unchanged. */
function fullList(details: string): string {
  if (!details.startsWith(':') && !details.includes(' :')) return details;
  const parts = new Set<string>();
  let type: string | undefined;
  for (const part of details.split(' ')) {
    if (part.startsWith(':')) type = part.slice(1);
    else if (type === undefined || NOT_LISTED.test(part)) parts.add(part);
    else {
      const [id = '', version = '1'] = part.split('/');
      parts.add(`${type}/${id}/_history/${version}`);
    }
  }
  return [...parts].join(' ');
}

/** Matches an entry that is no id with a version: an address, a reference to a version, or the number of others. */
const NOT_LISTED = /\?|\/_history\/|^\+/;

/** Decodes a line. **Throws** Error if it is malformed. */
export function decodeLine(line: string): AccessRecord {
  const values: unknown = JSON.parse(line);
  if (!Array.isArray(values)) throw new Error('a record of an access is not readable');
  const parts: readonly unknown[] = values;
  const number = (place: number): number => {
    const value = parts[place];
    if (typeof value !== 'number')
      throw new Error('a record of an access has no number where one is required');
    return value;
  };
  const text = (place: number): string | undefined => {
    const value = parts[place];
    return typeof value === 'string' ? value : undefined;
  };
  const target = text(10);
  const slash = target?.indexOf('/') ?? -1;
  const details = text(12);
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
    details: details && fullList(details),
    version: typeof parts[13] === 'number' ? parts[13] : undefined,
  };
}
