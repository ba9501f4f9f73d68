/**
 * The types that a path walks through, as a graph made from the definitions: each node knows by which JSON members its
 * elements are reached and which node each of them leads to.
 */
import type { CodeSystemOfBinding, Definitions, ElementDefinition, TypeStructure } from '../definitions';
import type { SystemType } from './syntax';

/** What a value is for the operators: a type of FHIRPath's own, or an object. */
export type ValueKind = SystemType | 'Object';

/** One JSON member that holds an element, or one of the types of a choice. */
export interface Access {
  /** `birthDate`, `valueQuantity` */
  readonly key: string;
  /** `_birthDate`; only used where `node` is primitive. */
  readonly companionKey: string;
  readonly node: TypeNode;
  /** True where any resource may stand; its own `resourceType` says which. */
  readonly isResource: boolean;
  readonly codeSystem: CodeSystemOfBinding | undefined;
  /** The element may repeat: the member holds an array. */
  readonly isList: boolean;
  /** The members that can hold the element, one for each type of a choice; this one is among them. */
  readonly choices: readonly Access[];
}

const NO_ACCESS: readonly Access[] = [];

export class TypeNode {
  private byName: Map<string, readonly Access[]> | undefined;

  constructor(
    readonly namespace: 'FHIR' | 'System',
    /** Name of the type; `BackboneElement` or `Element` for nested elements. */
    readonly name: string,
    readonly kind: ValueKind,
    /** A FHIR primitive: extensions stand in the companion member. */
    readonly isPrimitive: boolean,
    private readonly list: () => readonly (readonly [name: string, accesses: readonly Access[]])[],
  ) {}

  /** The members that hold the element `name` (without `[x]`); none when there is no such element. */
  accesses(name: string): readonly Access[] {
    this.byName ??= new Map(this.list());
    return this.byName.get(name) ?? NO_ACCESS;
  }

  /** The elements in the order of the definition. */
  get elements(): IterableIterator<readonly Access[]> {
    this.byName ??= new Map(this.list());
    return this.byName.values();
  }
}

/** A declared type that says nothing of the value's own. */
export function isAbstractResource({ namespace, name }: TypeNode): boolean {
  return namespace === 'FHIR' && (name === 'Resource' || name === 'DomainResource');
}

const NOTHING = (): [] => [];

function systemNode(kind: SystemType): TypeNode {
  return new TypeNode('System', kind, kind, false, NOTHING);
}

export const SYSTEM_NODES: Readonly<Record<SystemType, TypeNode>> = {
  Boolean: systemNode('Boolean'),
  String: systemNode('String'),
  Integer: systemNode('Integer'),
  Decimal: systemNode('Decimal'),
  Date: systemNode('Date'),
  DateTime: systemNode('DateTime'),
  Time: systemNode('Time'),
  Quantity: systemNode('Quantity'),
};

/** What `type()` gives (http://hl7.org/fhirpath/N1/#reflection). */
export const TYPE_INFO: TypeNode = new TypeNode('System', 'ClassInfo', 'Object', false, () =>
  ['namespace', 'name'].map((key) => [key, [textAccess(key)]]),
);

function textAccess(key: string): Access {
  const node = SYSTEM_NODES.String;
  return {
    key,
    companionKey: '',
    node,
    isResource: false,
    codeSystem: undefined,
    isList: false,
    choices: NO_ACCESS,
  };
}

/** The nodes of one release. */
export class TypeModel {
  private static readonly models = new WeakMap<Definitions, TypeModel>();
  private readonly nodes = new Map<string, TypeNode>();

  private constructor(readonly definitions: Definitions) {}

  static of(given: Definitions): TypeModel {
    // The types are those of the release.
    const definitions = given.ofRelease ?? given;
    let model = TypeModel.models.get(definitions);
    if (!model) TypeModel.models.set(definitions, (model = new TypeModel(definitions)));
    return model;
  }

  /** Input: a type (`Patient`) or an element of one (`Observation.component`). */
  node(path: string): TypeNode | undefined {
    const known = this.nodes.get(path);
    if (known) return known;
    const dot = path.indexOf('.');
    const structure = this.definitions.structure(dot < 0 ? path : path.slice(0, dot));
    if (!structure) return undefined;
    return dot < 0 ? this.makeNode(path, structure, '') : this.elementNode(structure, path.slice(dot + 1));
  }

  /** As `node`, and each of the types of a choice (`Observation.value[x]`); none when there is no such type. */
  nodesOf(path: string): readonly TypeNode[] {
    const dot = path.indexOf('.');
    const element =
      dot < 0 ? undefined : this.definitions.structure(path.slice(0, dot))?.element(path.slice(dot + 1));
    const nodes = element?.isChoice ? element.types.map(({ code }) => this.node(code)) : [this.node(path)];
    return nodes.filter((node) => node !== undefined);
  }

  /** The node of a resource by its `resourceType`; undefined for anything that is no resource type. */
  resourceNode(resourceType: unknown): TypeNode | undefined {
    if (typeof resourceType !== 'string' || !this.definitions.isResourceType(resourceType)) return undefined;
    return this.node(resourceType);
  }

  /** Whether a value of the node's type is of type `name`; unqualified names are of FHIR first, then of System. */
  conforms(node: TypeNode, typeName: string): boolean {
    const [namespace, name] = splitTypeName(typeName);
    if (node.namespace === 'System') return namespace !== 'FHIR' && (node.name === name || name === 'Any');
    return namespace !== 'System' && this.definitions.conformsTo(node.name, name);
  }

  /** Whether there is a type of this name; what is said to be of System is taken as it is. */
  hasType(typeName: string): boolean {
    const [namespace, name] = splitTypeName(typeName);
    const isSystem = name in SYSTEM_NODES || name === 'Any';
    const isFhir = this.definitions.typeNumber(name) !== undefined;
    return namespace === 'System' || (namespace === 'FHIR' ? isFhir : isFhir || isSystem);
  }

  private elementNode(structure: TypeStructure, path: string): TypeNode | undefined {
    const element = structure.element(path);
    if (!element) return undefined;
    if (element.contentReference !== undefined) return this.node(element.contentReference);
    const code = element.types[0]?.code;
    if (code === undefined || structure.children(path).length === 0)
      return code === undefined ? undefined : this.node(code);
    const key = `${structure.name}.${path}`;
    return this.nodes.get(key) ?? this.makeNode(key, structure, path, code);
  }

  private makeNode(key: string, structure: TypeStructure, path: string, name = structure.name): TypeNode {
    const isPrimitive = structure.kind === 'primitive';
    const node = new TypeNode('FHIR', name, this.kindOf(structure, path), isPrimitive, () =>
      structure.children(path).map((element) => [element.name, this.accessesOf(structure, element)]),
    );
    this.nodes.set(key, node);
    return node;
  }

  private kindOf(structure: TypeStructure, path: string): ValueKind {
    if (structure.systemType !== undefined) return toKind(structure.systemType.slice('System.'.length));
    return path === '' && this.definitions.conformsTo(structure.name, 'Quantity') ? 'Quantity' : 'Object';
  }

  private accessesOf(structure: TypeStructure, element: ElementDefinition): Access[] {
    const accesses: Access[] = [];
    if (!element.isChoice) {
      const node = this.elementNode(structure, element.path);
      if (node) accesses.push(this.accessOf(element.name, node, element, accesses));
      return accesses;
    }
    for (const { code } of element.types) {
      const node = this.node(code);
      const key = element.name + code.charAt(0).toUpperCase() + code.slice(1);
      if (node) accesses.push(this.accessOf(key, node, element, accesses));
    }
    return accesses;
  }

  private accessOf(
    key: string,
    node: TypeNode,
    element: ElementDefinition,
    choices: readonly Access[],
  ): Access {
    const isResource = node.name === 'Resource' || node.name === 'DomainResource';
    const codeSystem = node.name === 'code' ? element.codeSystem : undefined;
    return { key, companionKey: `_${key}`, node, isResource, codeSystem, isList: element.max > 1, choices };
  }
}

function toKind(name: string): ValueKind {
  return name in SYSTEM_NODES ? (name as SystemType) : 'Object';
}

function splitTypeName(typeName: string): [namespace: string | undefined, name: string] {
  const dot = typeName.indexOf('.');
  return dot < 0 ? [undefined, typeName] : [typeName.slice(0, dot), typeName.slice(dot + 1)];
}
