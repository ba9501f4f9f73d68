import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** Whether one of the fields of a selection is wanted, those of fragments included. */
function finds(
  { fragments }: GraphQLResolveInfo,
  set: SelectionSetNode | undefined,
  isWanted: (field: FieldNode) => boolean,
): boolean {
  // Validation refuses fragments in circles, so this ends.
  const within = (of: SelectionSetNode | undefined): boolean =>
    of?.selections.some((selection) => {
      switch (selection.kind) {
        case Kind.FIELD:
          return isWanted(selection);
        case Kind.INLINE_FRAGMENT:
          return within(selection.selectionSet);
        case Kind.FRAGMENT_SPREAD:
          return within(fragments[selection.name.value]?.selectionSet);
      }
    }) ?? false;
  return within(set);
}

/**
 * True when the query selects the field `name` directly under the field that is being resolved, fragments included.
 * A field under @skip or @include counts as selected.
 */
export function selects(info: GraphQLResolveInfo, name: string): boolean {
  return info.fieldNodes.some(({ selectionSet }) =>
    finds(info, selectionSet, (field) => field.name.value === name),
  );
}

/** The same for a field of any of these names, directly under one of the fields that `selects` looks at. */
export function selectsBelow(info: GraphQLResolveInfo, names: ReadonlySet<string>): boolean {
  return info.fieldNodes.some(({ selectionSet }) =>
    finds(info, selectionSet, (field) =>
      finds(info, field.selectionSet, (below) => names.has(below.name.value)),
    ),
  );
}
