/** The lines of an export that are versions, read for storage. */
import type { ExportPart } from '../api/tenant';
import { loadDefinitions } from '../fhir/definitions';
import { isJsonObject, type JsonObject } from '../fhir/json';
import { parseReference } from '../fhir/reference';
import { RELEASE_NAMES, type Release } from '../fhir/release';
import { isValidId } from '../fhir/resource';
import { toStoredText } from '../fhir/resource-text';
import { switchedOff } from '../fhir/subscription/prepare-subscription';
import { SEARCH_PARAMETER, SUBSCRIPTION } from '../fhir/type-names';
import { ImportedParameters } from '../indexing/imported-parameters';
import { auditEventTagIssues } from '../preparation/audit-event-tag';
import type { Services } from '../ports';
import { keyText } from '../storage/read/version-row';
import type { ImportedVersion } from '../storage/tenants/tenant-import';
import { CHANGE, type Change, type UnopenedReference } from '../storage/write/version-write';
import { SERVER_ACTOR } from '../versions/stored-version';
import type { ImportedContent, ImportedContents } from './imported-content';
import type { ImportedSubscriptions } from './imported-subscriptions';
import type { ExportHeader } from './tenant-export';

/** The part and space of a version line. */
export interface VersionTarget {
  readonly part: ExportPart;
  readonly release: Release;
  readonly space: number;
}

/** What belongs to a line beside its members. */
export interface VersionLine {
  readonly content: ImportedContent | undefined;
  /** True: an import that was interrupted has stored the version. */
  readonly isPresent: boolean;
  /** Refuses the import because of this line. */
  readonly refuse: Refuse;
}

type Refuse = (reason: string) => never;

export class ImportedVersions {
  /** By release, the search parameters of the versions so far. */
  readonly parameters: ReadonlyMap<Release, ImportedParameters> = new Map(
    RELEASE_NAMES.map((release) => [release, new ImportedParameters(release)]),
  );
  /** Number of active or requested Subscription versions; they are stored with the status off. */
  subscriptionsOff = 0;
  /** The last sequence of each part so far. */
  private readonly lasts = new Map<ExportPart, number>();

  constructor(
    private readonly options: {
      readonly services: Pick<Services, 'keys' | 'extensionBase'>;
      readonly header: ExportHeader;
      readonly subscriptions: Pick<ImportedSubscriptions, 'keeps'>;
      readonly contents: Pick<ImportedContents, 'fit'>;
    },
  ) {}

  /** Returns the version of a line; refuses one that is malformed, or out of order. */
  toVersion({ part, release }: VersionTarget, members: JsonObject, line: VersionLine): ImportedVersion {
    const { content, isPresent } = line;
    const refuse: Refuse = line.refuse;
    const { services, header, subscriptions, contents } = this.options;
    const { type, id, version, sequence, lastUpdated, change, author } = members;
    const { resource: sent, unopened } = members;
    const isKept = type === SUBSCRIPTION && subscriptions.keeps(release, id);
    const off = sent === undefined || isKept ? undefined : switchedOff(sent);
    const resource = off ?? sent;
    if (off !== undefined) this.subscriptionsOff += 1;
    const number = typeof type === 'string' ? loadDefinitions(release).typeNumber(type) : undefined;
    if (typeof type !== 'string' || number === undefined) refuse('it names no resource type');
    if (typeof id !== 'string' || !isValidId(id)) refuse('it has no id');
    if (!isNumber(version) || !isSequence(sequence) || sequence <= (this.lasts.get(part) ?? 0))
      refuse(
        'its version and its sequence must be numbers, and its sequence must be larger than the one before',
      );
    this.lasts.set(part, sequence);
    if (sequence > (header.lastSequence[part] ?? 0))
      refuse('its sequence is larger than the last one in the header');
    const at = typeof lastUpdated === 'string' ? Date.parse(lastUpdated) : NaN;
    if (!Number.isInteger(at)) refuse('its lastUpdated must be an instant');
    if (typeof change !== 'string' || !isChange(change))
      refuse('its change must be create, update or delete');
    if (author !== undefined && (typeof author !== 'string' || !isValidId(author)))
      refuse('its author must be an id');
    const isResource = isJsonObject(resource) && resource['resourceType'] === type && resource['id'] === id;
    if ((change === 'delete') !== (resource === undefined) || (resource !== undefined && !isResource))
      refuse('its resource is another one');
    if (isResource && author !== SERVER_ACTOR && auditEventTagIssues(type, resource).length > 0)
      refuse('the AuditEvent of a client has the tag of those that the server has recorded');
    if (type === SEARCH_PARAMETER) this.parameters.get(release)?.write(id, isResource ? resource : undefined);
    const key = services.keys.keyOf(type, id);
    const fitting = isResource && !isPresent ? contents.fit(resource, content, nameOf(members)) : resource;
    if (typeof fitting === 'string') refuse(fitting);
    const stored =
      isResource && isJsonObject(fitting)
        ? toStoredText(fitting, true, { id, extensionBase: services.extensionBase })
        : { text: null, metaOffset: 0 };
    return {
      type: number,
      key: keyText(key),
      id: services.keys.isOwn(key) ? null : id,
      version,
      lastUpdated: at,
      sequence,
      change,
      author: author ?? null,
      body: stored.text,
      metaOffset: stored.metaOffset,
      unopened: this.toUnopened(release, unopened, refuse),
    };
  }

  /** The references of a version that open nothing, each once. */
  private toUnopened(
    release: Release,
    references: JsonObject[string] | undefined,
    refuse: Refuse,
  ): UnopenedReference[] {
    if (references === undefined) return [];
    const { keys } = this.options.services;
    const found = new Map<string, UnopenedReference>();
    for (const text of Array.isArray(references) ? references : [null]) {
      const target = typeof text === 'string' ? parseReference(text) : undefined;
      const targetType = loadDefinitions(release).typeNumber(target?.type ?? '');
      if (target?.type === undefined || target.id === undefined || targetType === undefined)
        refuse('its references that open nothing are not of the form Type/id');
      const targetKey = keyText(keys.keyOf(target.type, target.id));
      found.set(`${targetType} ${targetKey}`, { targetType, targetKey });
    }
    return [...found.values()];
  }
}

/** `Type/id/_history/version`; anything else where a member is of another kind. */
export function nameOf({ type, id, version }: JsonObject): string {
  return `${JSON.stringify(type)}/${JSON.stringify(id)}/_history/${JSON.stringify(version)}`.replaceAll(
    '"',
    '',
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 2_147_483_647;
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function isChange(change: string): change is Change {
  return Object.hasOwn(CHANGE, change);
}
