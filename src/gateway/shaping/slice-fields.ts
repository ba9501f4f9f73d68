/** The selection that fetches what the `path` of a @slice names, though the client has not selected it. */
import {
  type FieldNode,
  getNamedType,
  type GraphQLNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
} from 'graphql';

/** The types of the fields along `names`, below `type`; undefined where one is missing or the last is no value. */
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

/** `alias: use`, or `alias: code { alias: text }`. */
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
