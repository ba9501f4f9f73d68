import { isJsonObject, type JsonObject, type JsonValue } from '../json';

/**
 * A resource that is contained in no other, with the resources that it contains, and who refers to whom by `#id`.
 * Source: https://hl7.org/fhir/R4/references.html#contained
 */
export class Container {
  /** By id, the first one where several have it; made when it is asked for. */
  private contained: ReadonlyMap<string, JsonObject> | undefined;
  private referredTo: Set<string> | undefined;
  private referring: Set<JsonObject> | undefined;
  private current: JsonObject | undefined;

  /** `outer`: where the resource stands in a Bundle or Parameters, what contains that. */
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

  /** True while a contained resource, or something in it, is looked at. */
  get isInside(): boolean {
    return this.current !== undefined;
  }

  /** Returns what `leave` is to be given. */
  enter(contained: JsonObject): JsonObject | undefined {
    const before = this.current;
    this.current ??= contained;
    return before;
  }

  leave(before: JsonObject | undefined): void {
    this.current = before;
  }

  /**
   * Takes note of a reference `#id`, or `#` for the container. What stands in a Bundle that is contained itself counts
   * for the outer container too: `descendants()` of dom-3 goes as deep.
   */
  refer(id: string): void {
    if (id !== '') (this.referredTo ??= new Set()).add(id);
    else if (this.current !== undefined) (this.referring ??= new Set()).add(this.current);
    if (this.outer?.isInside === true) this.outer.refer(id);
  }

  /** dom-3: whether something refers to a contained resource, or that refers to its container. */
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
