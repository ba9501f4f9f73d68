/** Groups the selections in an object by response name, with the directives that shape them. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  isAbstractType,
  isLeafType,
  isListType,
  Kind,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';
import { firstDirective, flattenDirective, singletonDirective } from '../../schema/directives';
import { HIDDEN } from './plan';
import { FilterAllowance } from '../../core/index';
import { pathOf, SLICE_COMPILING_STEPS, type SlicePath, slicePathOf, sliceOf } from './slice-path';

/** All selections of one response name at one position, which form one value of the response. */
export interface FieldGroup {
  readonly name: string;
  readonly nodes: readonly FieldNode[];
  /** The type of its values; undefined for `__typename` and the like, which are never shaped. */
  readonly type: GraphQLNamedType | undefined;
  readonly isLeaf: boolean;
  readonly isRepeating: boolean;
  /** A directive on one of the selections applies to all of them. */
  readonly isFlat: boolean;
  readonly isFirst: boolean;
  readonly isSingle: boolean;
  readonly slice: SlicePath | undefined;
}

export class FieldGroups {
  readonly #groups = new Map<object, Map<GraphQLObjectType, readonly FieldGroup[]>>();
  readonly #compiling = new FilterAllowance(SLICE_COMPILING_STEPS);

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {}

  /**
   * Returns the groups in the order of the response. `owner` identifies the selections: it must be the same object for
   * the same selections.
   */
  of(
    owner: object,
    sets: readonly (SelectionSetNode | undefined)[],
    type: GraphQLObjectType,
  ): readonly FieldGroup[] {
    let byType = this.#groups.get(owner);
    if (!byType) this.#groups.set(owner, (byType = new Map<GraphQLObjectType, readonly FieldGroup[]>()));
    let groups = byType.get(type);
    if (!groups) {
      const nodes = new Map<string, FieldNode[]>();
      const spread = new Set<string>();
      for (const set of sets) this.collect(set?.selections ?? [], type, nodes, spread);
      groups = [...nodes].map(([name, found]) => this.toGroup(name, found, type));
      byType.set(type, groups);
    }
    return groups;
  }

  private collect(
    selections: readonly SelectionNode[],
    type: GraphQLObjectType,
    found: Map<string, FieldNode[]>,
    spread: Set<string>,
  ): void {
    for (const selection of selections) {
      if (!this.isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        if (name.startsWith(HIDDEN)) continue;
        const nodes = found.get(name);
        if (nodes) nodes.push(selection);
        else found.set(name, [selection]);
        continue;
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragmentOf(selection.name.value, spread);
      if (fragment && this.fits(fragment.typeCondition, type))
        this.collect(fragment.selectionSet.selections, type, found, spread);
    }
  }

  /** Returns undefined for a fragment that was already expanded at this position. */
  private fragmentOf(name: string, spread: Set<string>): FragmentDefinitionNode | undefined {
    if (spread.has(name)) return undefined;
    spread.add(name);
    return this.fragments.get(name);
  }

  private isIncluded(selection: SelectionNode): boolean {
    const value = (directive: GraphQLDirective): unknown =>
      getDirectiveValues(directive, selection, this.variables)?.['if'];
    return value(GraphQLSkipDirective) !== true && value(GraphQLIncludeDirective) !== false;
  }

  private fits(condition: NamedTypeNode | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined) return true;
    const wanted = typeFromAST(this.schema, condition);
    return wanted === type || (isAbstractType(wanted) && this.schema.isSubType(wanted, type));
  }

  private toGroup(name: string, nodes: readonly FieldNode[], parent: GraphQLObjectType): FieldGroup {
    const has = (directive: GraphQLDirective): boolean =>
      nodes.some(({ directives = [] }) => directives.some((used) => used.name.value === directive.name));
    const slice = nodes.map(sliceOf).find((used) => used !== undefined);
    const whole = parent.getFields()[nodes[0]?.name.value ?? '']?.type;
    const type = whole && getNamedType(whole);
    return {
      name,
      nodes,
      type,
      isLeaf: isLeafType(type),
      isRepeating: isListType(getNullableType(whole)),
      isFlat: has(flattenDirective),
      isFirst: has(firstDirective),
      isSingle: has(singletonDirective),
      slice: slice && type && slicePathOf(this.schema, type, pathOf(slice) ?? '', this.#compiling),
    };
  }
}
