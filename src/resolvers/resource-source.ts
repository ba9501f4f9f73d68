import { createHash } from 'node:crypto';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
  type StoredVersion,
} from '../core/index';
import { LazyObject, ResourceSource } from '../schema/types/resource';
import { keyOf } from './inner-resources';
import { keyOfVersion, type ParsedResources, parseResource } from './parsed-resources';
import { AUTHOR_EXTENSION } from '../../packages/fhir-values/server-meta';

/** The tools that turn a stored version into a resource. */
export interface SourceTools {
  /** Base of the urls of our extensions, without a slash at its end. */
  readonly extensionBase: string;
  /** The cache of parsed versions. */
  readonly parsed: ParsedResources;
}

/** Formats milliseconds since 1970 as in `meta.lastUpdated`. */
export function toInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '+00:00');
}

/** Parses the text when a member is read that the version's row does not have. */
class StoredSource extends ResourceSource {
  readonly isStored = true;
  private object?: JsonObject;

  constructor(
    private readonly version: StoredVersion,
    private readonly tools: SourceTools,
    private readonly isPast: boolean,
  ) {
    super();
  }

  get key(): string {
    return keyOfVersion(this.version, this.isPast);
  }

  get resourceType(): string {
    return this.version.type;
  }

  get id(): string {
    return this.version.id;
  }

  get text(): string {
    return this.version.text;
  }

  private get value(): JsonObject {
    return (this.object ??= this.tools.parsed.of(this.version, this.isPast));
  }

  member(name: string): unknown {
    switch (name) {
      case 'resourceType':
        return this.resourceType;
      case 'id':
        return this.id;
      case 'meta':
        return new StoredMeta(this.version, this.tools.extensionBase, () => this.value.meta);
      default:
        return Object.hasOwn(this.value, name) ? this.value[name] : undefined;
    }
  }
}

/**
 * A version that a dry run would have stored. It is not cached and has a key of its own, because real versions will later
 * get its number, and perhaps its time.
 */
class DryRunSource extends StoredSource {
  private digest?: string;

  constructor(version: StoredVersion, extensionBase: string) {
    const parsed: ParsedResources = { of: ({ text }) => parseResource(text, () => this.key) };
    super(version, { extensionBase, parsed }, false);
  }

  override get key(): string {
    return (this.digest ??= digestOf(this.text));
  }
}

/** The server's part of `meta` comes from the row, so that a query for versions and dates parses nothing. */
class StoredMeta extends LazyObject {
  constructor(
    readonly version: StoredVersion,
    private readonly extensionBase: string,
    private readonly parse: () => JsonObject[string] | undefined,
  ) {
    super();
  }

  member(name: string): unknown {
    switch (name) {
      case 'versionId':
        return String(this.version.versionId);
      case 'lastUpdated':
        return toInstant(this.version.lastUpdated);
      case 'versionSequence':
        return this.version.sequence;
      case 'author':
        return this.author;
      default: {
        const meta = this.parse();
        return isJsonObject(meta) && Object.hasOwn(meta, name) ? meta[name] : undefined;
      }
    }
  }

  private get author(): unknown {
    const extensions = this.member('extension');
    if (!Array.isArray(extensions)) return undefined;
    const url = `${this.extensionBase}/${AUTHOR_EXTENSION}`;
    const found = (extensions as JsonValue[]).find((entry) => isJsonObject(entry) && entry.url === url);
    return isJsonObject(found) ? found.valueReference : undefined;
  }
}

/** Returns the version that a `meta` belongs to; undefined: it is none that is stored. */
export function versionOfMeta(meta: unknown): StoredVersion | undefined {
  return meta instanceof StoredMeta ? meta.version : undefined;
}

/** A resource that is not stored, or may differ from its stored form. */
abstract class PlainSource extends ResourceSource {
  readonly isStored = false;
  protected abstract readonly value: JsonObject;

  get resourceType(): string {
    return typeof this.value.resourceType === 'string' ? this.value.resourceType : '';
  }

  get id(): string | undefined {
    return typeof this.value.id === 'string' ? this.value.id : undefined;
  }

  member(name: string): unknown {
    return Object.hasOwn(this.value, name) ? this.value[name] : undefined;
  }
}

/** The result of an operation, or a contained resource that a search has found. */
class ReturnedSource extends PlainSource {
  private object?: JsonObject;
  private digest?: string;

  constructor(
    readonly text: string,
    private readonly ownKey?: string,
  ) {
    super();
  }

  get key(): string {
    return this.ownKey ?? (this.digest ??= digestOf(this.text));
  }

  protected get value(): JsonObject {
    return (this.object ??= parseResource(this.text, () => this.key));
  }
}

/** A resource inside another one. */
class InnerSource extends PlainSource {
  constructor(protected readonly value: JsonObject) {
    super();
  }

  get key(): string {
    return keyOf(this.value);
  }

  get text(): string {
    return stringifyJson(this.value, true);
  }
}

/** Returns the key of what is not stored. Equal texts have equal keys. */
function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/**
 * Returns a stored version as a resource, or the contained resource that it stands for. The version is not a deletion.
 *
 * @param isPast true if it was read by its version or as of a moment; its key then names the version
 */
export function toResource(version: StoredVersion, tools: SourceTools, isPast = false): ResourceSource {
  const { contained, text } = version;
  if (contained === undefined) return new StoredSource(version, tools, isPast);
  return new ReturnedSource(text, `${keyOfVersion(version, isPast)}#${contained.id}`);
}

/** Returns the version that a dry run would have stored. */
export function toDryResource(
  version: StoredVersion,
  { extensionBase }: Pick<SourceTools, 'extensionBase'>,
): ResourceSource {
  return new DryRunSource(version, extensionBase);
}

/** Returns a resource from the JSON text that an operation returned. */
export function toReturnedResource(text: string): ResourceSource {
  return new ReturnedSource(text);
}

/** Returns a resource that is inside another one. */
export function toInnerResource(value: JsonObject): ResourceSource {
  return new InnerSource(value);
}
