import { isJsonObject, type JsonObject, type JsonValue } from '../json';

/**
 * A resource that is not contained in another, with its contained resources and the references between them by `#id`.
 * Source: https://hl7.org/fhir/R4/references.html#contained
 */
export class Container {
  /** By id; the first one if several have the same id. Built on first use. */
  private contained: ReadonlyMap<string, JsonObject> | undefined;
  private referredTo: Set<string> | undefined;
  private referring: Set<JsonObject> | undefined;
  private current: JsonObject | undefined;

  /** `outer`: the container around the Bundle or Parameters that has the resource. */
  constructor(
    readonly resource: JsonObject,
    private readonly outer?: Container,
  ) {}

  /** The contained resource of this id, or the container itself for ''. */
  find(id: string): JsonObject | undefined {
    if (id === '') return this.resource;
    this.contained ??= readContained(this.resource['contained']);
    return this.contained.get(id);
  }

  /** True while a contained resource, or something in it, is being checked. */
  get isInside(): boolean {
    return this.current !== undefined;
  }

  /** Returns the value to pass to `leave`. */
  enter(contained: JsonObject): JsonObject | undefined {
    const before = this.current;
    this.current ??= contained;
    return before;
  }

  leave(before: JsonObject | undefined): void {
    this.current = before;
  }

  /**
   * Records a reference `#id`, or `#` for the container. A reference inside a contained Bundle also counts for the
   * outer container, because `descendants()` of dom-3 reaches as deep.
   */
  refer(id: string): void {
    if (id !== '') (this.referredTo ??= new Set()).add(id);
    else if (this.current !== undefined) (this.referring ??= new Set()).add(this.current);
    if (this.outer?.isInside === true) this.outer.refer(id);
  }

  /** dom-3: true if something refers to the contained resource, or if it refers to its container. */
  isReferredTo(contained: JsonObject): boolean {
    const id = contained['id'];
    if (typeof id === 'string' && this.referredTo?.has(id) === true) return true;
    return this.referring?.has(contained) === true;
  }
}

function readContained(contained: JsonValue | undefined): Map<string, JsonObject> {
  const byId = new Map<string, JsonObject>();
  if (!Array.isArray(contained)) return byId;
  for (const resource of contained) {
    const id = isJsonObject(resource) ? resource['id'] : undefined;
    if (isJsonObject(resource) && typeof id === 'string' && !byId.has(id)) byId.set(id, resource);
  }
  return byId;
}
