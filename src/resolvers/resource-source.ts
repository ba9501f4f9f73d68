import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
  type StoredVersion,
} from '../core/index';
import { LazyObject, ResourceSource } from '../schema/types/resource';
import { type ParsedResources, parseResource } from './parsed-resources';

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
  ) {
    super();
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
    return (this.object ??= this.tools.parsed.of(this.version));
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

/** The server's part of `meta` comes from the row, so that a query for versions and dates parses nothing. */
class StoredMeta extends LazyObject {
  constructor(
    private readonly version: StoredVersion,
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
    const url = `${this.extensionBase}/author`;
    const found = (extensions as JsonValue[]).find((entry) => isJsonObject(entry) && entry.url === url);
    return isJsonObject(found) ? found.valueReference : undefined;
  }
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

/** A resource that an operation returned. */
class ReturnedSource extends PlainSource {
  private object?: JsonObject;

  constructor(readonly text: string) {
    super();
  }

  protected get value(): JsonObject {
    return (this.object ??= parseResource(this.text));
  }
}

/** A resource inside another one. */
class InnerSource extends PlainSource {
  constructor(protected readonly value: JsonObject) {
    super();
  }

  get text(): string {
    return stringifyJson(this.value, true);
  }
}

/**
 * Returns a stored version as a resource, or the contained resource that it stands for. The version is not a deletion.
 */
export function toResource(version: StoredVersion, tools: SourceTools): ResourceSource {
  if (version.contained !== undefined) return toReturnedResource(version.text);
  return new StoredSource(version, tools);
}

/** Returns a resource from the JSON text that an operation returned. */
export function toReturnedResource(text: string): ResourceSource {
  return new ReturnedSource(text);
}

/** Returns a resource that is inside another one. */
export function toInnerResource(value: JsonObject): ResourceSource {
  return new InnerSource(value);
}
