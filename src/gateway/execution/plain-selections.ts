import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';
import { costOfField } from '../../schema/cost';

/**
 * Tells which selections only read what was loaded before. They can wait for a later turn of the event loop without
 * splitting the statements that fields of many objects share.
 */
export class PlainSelections {
  private readonly known = new Map<SelectionSetNode, boolean>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>,
  ) {}

  /** True if neither the field nor any field below it has a cost. Cost: one visit of each selection of the document. */
  isPlain(field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[]): boolean {
    const given = nodes.flatMap((node) => (node.arguments ?? []).map(({ name }) => name.value));
    if (costOfField(field, given) !== undefined) return false;
    const type = getNamedType(field.type);
    return nodes.every(
      ({ selectionSet }) => selectionSet === undefined || this.isPlainSet(selectionSet, type),
    );
  }

  private isPlainSet(set: SelectionSetNode, type: GraphQLNamedType): boolean {
    const known = this.known.get(set);
    if (known !== undefined) return known;
    const isPlain = set.selections.every((selection) => {
      if (selection.kind === Kind.FIELD)
        return this.definitionsOf(type, selection.name.value).every((field) =>
          this.isPlain(field, [selection]),
        );
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments[selection.name.value];
      if (fragment === undefined) return true;
      const { typeCondition, selectionSet } = fragment;
      const condition = typeCondition === undefined ? type : typeFromAST(this.schema, typeCondition);
      return condition === undefined || this.isPlainSet(selectionSet, condition);
    });
    this.known.set(set, isPlain);
    return isPlain;
  }

  /** The definitions of a field in a type and in the types that stand for it. */
  private definitionsOf(type: GraphQLNamedType, name: string): readonly GraphQLField<unknown, unknown>[] {
    const types = isAbstractType(type) ? this.schema.getPossibleTypes(type) : [];
    return [type, ...types].flatMap((one) => {
      const field = isObjectType(one) || isInterfaceType(one) ? one.getFields()[name] : undefined;
      return field ?? [];
    });
  }
}
