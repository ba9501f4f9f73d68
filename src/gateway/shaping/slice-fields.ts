/** Selects the fields of the `path` of a @slice that the client has not selected. */
import {
  type FieldNode,
  getNamedType,
  type GraphQLNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
} from 'graphql';

/**
 * Returns the types of the fields along `names`, below `type`. Undefined when one does not exist or the last is not a
 * leaf.
 */
export function fieldsBelow(
  type: GraphQLNamedType,
  names: readonly string[],
): readonly GraphQLNamedType[] | undefined {
  const types: GraphQLNamedType[] = [];
  let at = type;
  for (const name of names) {
    const field = isObjectType(at) || isInterfaceType(at) ? at.getFields()[name] : undefined;
    if (field === undefined) return undefined;
    at = getNamedType(field.type);
    types.push(at);
  }
  return isLeafType(at) ? types : undefined;
}

/** Returns the selection `alias: use`, or `alias: code { alias: text }`. */
export function toSelection([name = '', ...below]: readonly string[], alias: string): FieldNode {
  return {
    kind: Kind.FIELD,
    alias: { kind: Kind.NAME, value: alias },
    name: { kind: Kind.NAME, value: name },
    ...(below.length === 0
      ? {}
      : { selectionSet: { kind: Kind.SELECTION_SET, selections: [toSelection(below, alias)] } }),
  };
}
