/** Describes a place by the base definitions: which JSON members hold its elements, and of which types. */
import type { Definitions, ElementDefinition, ElementType, TypeStructure } from '../../definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { choiceName } from '../../../../../packages/fhir-values/choice-name';

/** One JSON member that holds an element, or one of the types of a choice. */
export interface ShapeMember {
  /** `birthDate`, `valueQuantity` */
  readonly key: string;
  /** `_birthDate`; used only if `isPrimitive`. */
  readonly companionKey: string;
  /** As FHIRPath has it: `birthDate`, `value.ofType(Quantity)`. */
  readonly step: string;
  readonly type: ElementType;
  readonly isPrimitive: boolean;
  /** True if any resource is allowed; its own `resourceType` says which it is. */
  readonly isResource: boolean;
  /** The shape of the value; for a resource that of all resources. */
  readonly shape: Shape;
}

export interface ShapeElement {
  readonly definition: ElementDefinition;
  /** `Observation.value[x]` */
  readonly path: string;
  readonly members: readonly ShapeMember[];
}

/** A type, or an element of a type that has elements of its own. */
export class Shape {
  private elements: Map<string, ShapeElement> | undefined;
  private membersByKey: Map<string, ShapeMember> | undefined;

  constructor(
    private readonly shapes: Shapes,
    readonly structure: TypeStructure,
    /** `''` for the type itself. */
    private readonly path: string,
  ) {}

  /** `Observation`, `Observation.component`: the type that FHIRPath expressions are compiled for. */
  get typePath(): string {
    return this.path === '' ? this.structure.name : `${this.structure.name}.${this.path}`;
  }

  get isWholeType(): boolean {
    return this.path === '';
  }

  /** By name without `[x]`. */
  element(name: string): ShapeElement | undefined {
    return this.byName.get(name);
  }

  get all(): IterableIterator<ShapeElement> {
    return this.byName.values();
  }

  /** By JSON member. */
  member(key: string): ShapeMember | undefined {
    this.membersByKey ??= new Map(
      [...this.byName.values()].flatMap(({ members }) =>
        members.map((member) => [member.key, member] as const),
      ),
    );
    return this.membersByKey.get(key);
  }

  private get byName(): Map<string, ShapeElement> {
    this.elements ??= new Map(
      this.structure.children(this.path).map((definition) => [
        definition.name,
        {
          definition,
          path: `${this.structure.name}.${definition.path}`,
          members: this.shapes.membersOf(this.structure, definition),
        },
      ]),
    );
    return this.elements;
  }
}

/** The shapes of one release, each built on first use, then cached. */
export class Shapes {
  private static readonly cached = new WeakMap<Definitions, Shapes>();
  private readonly shapes = new Map<string, Shape>();

  private constructor(readonly definitions: Definitions) {}

  static of(definitions: Definitions): Shapes {
    let shapes = Shapes.cached.get(definitions);
    if (!shapes) Shapes.cached.set(definitions, (shapes = new Shapes(definitions)));
    return shapes;
  }

  ofType(typeName: string): Shape | undefined {
    const structure = this.definitions.structure(typeName);
    return structure && this.shape(structure, '');
  }

  /** The shape of a resource by its `resourceType`; undefined if this release does not have that type. */
  ofResource(resource: JsonObject): Shape | undefined {
    const type = resource['resourceType'];
    return typeof type === 'string' && this.definitions.isResourceType(type) ? this.ofType(type) : undefined;
  }

  /** The shape of a value of a member. */
  ofValue(value: JsonValue | undefined, { isResource, shape }: ShapeMember): Shape {
    return isResource && isJsonObject(value) ? (this.ofResource(value) ?? shape) : shape;
  }

  private shape(structure: TypeStructure, path: string): Shape {
    const key = `${structure.name}.${path}`;
    let shape = this.shapes.get(key);
    if (!shape) this.shapes.set(key, (shape = new Shape(this, structure, path)));
    return shape;
  }

  membersOf(structure: TypeStructure, element: ElementDefinition): ShapeMember[] {
    const { name, isChoice } = element;
    if (element.contentReference !== undefined) {
      const [typeName = '', ...path] = element.contentReference.split('.');
      const owner = this.definitions.structure(typeName);
      const type = owner?.element(path.join('.'))?.types[0];
      return owner && type ? [this.member(name, name, type, this.shape(owner, path.join('.')))] : [];
    }
    return element.types.flatMap((type) => {
      const isInline = !isChoice && structure.children(element.path).length > 0;
      const shape = isInline ? this.shape(structure, element.path) : this.ofType(type.code);
      if (!shape) return [];
      if (!isChoice) return [this.member(name, name, type, shape)];
      const key = choiceName(name, type.code);
      return [this.member(key, `${name}.ofType(${type.code})`, type, shape)];
    });
  }

  private member(key: string, step: string, type: ElementType, shape: Shape): ShapeMember {
    const isResource = shape.structure.kind === 'resource' && shape.structure.isAbstract;
    const isPrimitive = shape.structure.kind === 'primitive';
    return { key, companionKey: `_${key}`, step, type, isPrimitive, isResource, shape };
  }
}
