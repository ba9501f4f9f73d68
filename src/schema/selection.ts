import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/**
 * True when the query selects the field `name` directly under the field that is being resolved, fragments included.
 * A field under @skip or @include counts as selected.
 */
export function selects(info: GraphQLResolveInfo, name: string): boolean {
  // Validation refuses fragments in circles, so this ends.
  const within = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((selection) => {
      switch (selection.kind) {
        case Kind.FIELD:
          return selection.name.value === name;
        case Kind.INLINE_FRAGMENT:
          return within(selection.selectionSet);
        case Kind.FRAGMENT_SPREAD:
          return within(info.fragments[selection.name.value]?.selectionSet);
      }
    }) ?? false;
  return info.fieldNodes.some((node) => within(node.selectionSet));
}
