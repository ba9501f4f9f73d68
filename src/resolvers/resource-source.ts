import { type JsonObject, type JsonValue, parseJson, type StoredVersion } from '../core/index';
import { Resource, type ResourceSource } from '../schema/types/resource';

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is stored has been let in, perhaps while the limit was another. */
const STORED_DEPTH = { maxDepth: Number.MAX_SAFE_INTEGER };

/** The text is parsed when meta is asked for, once. */
abstract class ParsedOnce {
  abstract readonly text: string;
  private parsed?: JsonObject;

  protected get value(): JsonObject {
    if (!this.parsed) {
      const { value } = parseJson(this.text, STORED_DEPTH);
      this.parsed = isObject(value) ? value : {};
    }
    return this.parsed;
  }

  get meta(): JsonObject {
    const { meta } = this.value;
    return isObject(meta) ? meta : {};
  }
}

/** Milliseconds since 1970 as in `meta.lastUpdated`. */
export function toInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '+00:00');
}

class StoredSource extends ParsedOnce implements ResourceSource {
  constructor(
    private readonly version: StoredVersion,
    private readonly extensionBase: string,
  ) {
    super();
  }

  get resourceType(): string {
    return this.version.type;
  }

  get id(): string {
    return this.version.id;
  }

  get versionId(): string {
    return String(this.version.versionId);
  }

  get lastUpdated(): string {
    return toInstant(this.version.lastUpdated);
  }

  get versionSequence(): number {
    return this.version.sequence;
  }

  get text(): string {
    return this.version.text;
  }

  get author(): JsonObject | undefined {
    const { extension } = this.meta;
    if (!Array.isArray(extension)) return undefined;
    const url = `${this.extensionBase}/author`;
    const found = extension.find((entry) => isObject(entry) && entry.url === url);
    return isObject(found) && isObject(found.valueReference) ? found.valueReference : undefined;
  }
}

/** What an operation returned: a resource that is not stored, or not necessarily as it is stored. */
class ReturnedSource extends ParsedOnce implements ResourceSource {
  constructor(readonly text: string) {
    super();
  }

  get resourceType(): string {
    return typeof this.value.resourceType === 'string' ? this.value.resourceType : '';
  }

  get id(): string | undefined {
    return typeof this.value.id === 'string' ? this.value.id : undefined;
  }
}

/** A stored version that is not a deletion, or what it contains. */
export function toResource(version: StoredVersion, extensionBase: string): Resource {
  if (version.contained !== undefined) return toReturnedResource(version.text);
  return new Resource(new StoredSource(version, extensionBase));
}

/** A resource from the JSON text that an operation returned. */
export function toReturnedResource(text: string): Resource {
  return new Resource(new ReturnedSource(text));
}
