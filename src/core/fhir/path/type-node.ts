/**
 * The types along a path, as a graph made from the definitions. Each node has the JSON members of its elements and the
 * nodes that they lead to.
 */
import type { CodeSystemOfBinding, Definitions, ElementDefinition, TypeStructure } from '../definitions';
import type { SystemType } from './syntax';
import { choiceName } from '../../../../packages/fhir-values/choice-name';

/** Kind of a value for the operators: a FHIRPath type, or an object. */
export type ValueKind = SystemType | 'Object';

/** One JSON member that holds an element, or one of the types of a choice. */
export interface Access {
  /** `birthDate`, `valueQuantity` */
  readonly key: string;
  /** `_birthDate`; used only if `node` is primitive. */
  readonly companionKey: string;
  readonly node: TypeNode;
  /** True if any resource is allowed; its own `resourceType` determines the type. */
  readonly isResource: boolean;
  readonly codeSystem: CodeSystemOfBinding | undefined;
  /** True if the element may repeat: the member holds an array. */
  readonly isList: boolean;
  /** The members that can hold the element, one for each type of a choice; this one is among them. */
  readonly choices: readonly Access[];
}

const NO_ACCESS: readonly Access[] = [];

interface TypeProperties {
  readonly namespace: 'FHIR' | 'System';
  /** Name of the type; `BackboneElement` or `Element` for nested elements. */
  readonly name: string;
  readonly kind: ValueKind;
  /** True for a FHIR primitive, whose extensions are in the companion member. */
  readonly isPrimitive: boolean;
}

const FHIR_NAMES: Readonly<Record<string, string>> = {
  Boolean: 'boolean',
  String: 'string',
  Integer: 'integer',
  Decimal: 'decimal',
  Date: 'date',
  DateTime: 'dateTime',
  Time: 'time',
};

export class TypeNode implements TypeProperties {
  readonly namespace: 'FHIR' | 'System';
  readonly name: string;
  readonly kind: ValueKind;
  readonly isPrimitive: boolean;
  /** The FHIR name of the type of a value, also for computed values. */
  readonly valueType: string;
  private byName: Map<string, readonly Access[]> | undefined;

  constructor(
    { namespace, name, kind, isPrimitive }: TypeProperties,
    private readonly list: () => readonly (readonly [name: string, accesses: readonly Access[]])[],
  ) {
    this.namespace = namespace;
    this.name = name;
    this.kind = kind;
    this.isPrimitive = isPrimitive;
    this.valueType = namespace === 'FHIR' ? name : (FHIR_NAMES[name] ?? name);
  }

  /** Returns the members that hold the element `name` (without `[x]`); empty if there is no such element. */
  accesses(name: string): readonly Access[] {
    this.byName ??= new Map(this.list());
    return this.byName.get(name) ?? NO_ACCESS;
  }

  /** Elements in the order of the definition. */
  get elements(): IterableIterator<readonly Access[]> {
    this.byName ??= new Map(this.list());
    return this.byName.values();
  }
}

/** True for a declared type that leaves the value's own type open. */
export function isAbstractResource({ namespace, name }: TypeNode): boolean {
  return namespace === 'FHIR' && (name === 'Resource' || name === 'DomainResource');
}

const NOTHING = (): [] => [];

function systemNode(kind: SystemType): TypeNode {
  return new TypeNode({ namespace: 'System', name: kind, kind, isPrimitive: false }, NOTHING);
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

/** Type of the values of `type()` (http://hl7.org/fhirpath/N1/#reflection). */
export const TYPE_INFO: TypeNode = new TypeNode(
  { namespace: 'System', name: 'ClassInfo', kind: 'Object', isPrimitive: false },
  () => ['namespace', 'name'].map((key) => [key, [textAccess(key)]]),
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

  /** Returns the node of a type (`Patient`) or of an element of one (`Observation.component`). */
  node(path: string): TypeNode | undefined {
    const cached = this.nodes.get(path);
    if (cached) return cached;
    const dot = path.indexOf('.');
    const structure = this.definitions.structure(dot < 0 ? path : path.slice(0, dot));
    if (!structure) return undefined;
    return dot < 0 ? this.makeNode(path, structure, '') : this.elementNode(structure, path.slice(dot + 1));
  }

  /** As `node`, with one node for each type of a choice (`Observation.value[x]`); empty if there is no such type. */
  nodesOf(path: string): readonly TypeNode[] {
    const dot = path.indexOf('.');
    const element =
      dot < 0 ? undefined : this.definitions.structure(path.slice(0, dot))?.element(path.slice(dot + 1));
    const nodes = element?.isChoice ? element.types.map(({ code }) => this.node(code)) : [this.node(path)];
    return nodes.filter((node) => node !== undefined);
  }

  /** Returns the node of a resource by its `resourceType`; undefined if that is not a resource type. */
  resourceNode(resourceType: unknown): TypeNode | undefined {
    if (typeof resourceType !== 'string' || !this.definitions.isResourceType(resourceType)) return undefined;
    return this.node(resourceType);
  }

  /**
   * True if a value of the node's type is of type `typeName`; unqualified names refer to FHIR first, then to System.
   */
  conforms(node: TypeNode, typeName: string): boolean {
    const [namespace, name] = splitTypeName(typeName);
    if (node.namespace === 'System') return namespace !== 'FHIR' && (node.name === name || name === 'Any');
    return namespace !== 'System' && this.definitions.conformsTo(node.name, name);
  }

  /** True if there is a type of this name; names qualified with System are not checked. */
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
    const kind = this.kindOf(structure, path);
    const isPrimitive = structure.kind === 'primitive';
    const node = new TypeNode({ namespace: 'FHIR', name, kind, isPrimitive }, () =>
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
      const key = choiceName(element.name, code);
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
