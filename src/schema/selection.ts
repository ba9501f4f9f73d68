import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** True when `isWanted` holds for one of the fields of a selection, including fields of fragments. */
function finds(
  { fragments }: GraphQLResolveInfo,
  set: SelectionSetNode | undefined,
  isWanted: (field: FieldNode) => boolean,
): boolean {
  // Validation refuses cycles of fragments, so this ends.
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
 * True when the query selects the field `name` directly below the resolved field, including fields of fragments. A
 * field with @skip or @include counts as selected.
 */
export function selects(info: GraphQLResolveInfo, name: string): boolean {
  return info.fieldNodes.some(({ selectionSet }) =>
    finds(info, selectionSet, (field) => field.name.value === name),
  );
}

/** True when the query selects a field with one of these names directly below a child of the resolved field. */
export function selectsBelow(info: GraphQLResolveInfo, names: ReadonlySet<string>): boolean {
  return info.fieldNodes.some(({ selectionSet }) =>
    finds(info, selectionSet, (field) =>
      finds(info, field.selectionSet, (below) => names.has(below.name.value)),
    ),
  );
}
