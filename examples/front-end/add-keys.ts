/**
 * Adds `_key` to a document wherever it selects resources, as clients add `__typename`. For Apollo Client's
 * DocumentTransform, urql's exchanges and the documentTransforms of graphql-codegen.
 */
import {
  visit,
  Kind,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type InlineFragmentNode,
  type SelectionSetNode,
} from 'graphql';

/** nodeFields.json, which the server has beside its schema. */
export interface NodeFields {
  /** The types that have `_key`. */
  readonly types: readonly string[];
  /** The fields that return them. */
  readonly fields: readonly string[];
  /** Fields of the same name that return something else: their types, and the fields that lead to those. */
  readonly except: Readonly<Record<string, readonly string[]>>;
}

const KEY: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '_key' } };

/** Returns the function that adds `_key` to documents. */
export function keyAdder(known: NodeFields): (document: DocumentNode) => DocumentNode {
  const types = new Set(known.types);
  const fields = new Set(known.fields);
  const except = new Map(Object.entries(known.except).map(([name, places]) => [name, new Set(places)]));

  /** The name of the type condition or of the field around a selection. */
  function placeOf(ancestors: readonly (ASTNode | readonly ASTNode[])[]): string | undefined {
    for (const node of [...ancestors].reverse()) {
      if (!('kind' in node)) continue;
      if (node.kind === Kind.FIELD) return node.name.value;
      const condition = 'typeCondition' in node ? node.typeCondition : undefined;
      if (condition !== undefined) return condition.name.value;
    }
    return undefined;
  }

  function selectsNodes(field: FieldNode, ancestors: readonly (ASTNode | readonly ASTNode[])[]): boolean {
    const { value: name } = field.name;
    if (!fields.has(name)) return false;
    const place = placeOf(ancestors);
    return place === undefined || except.get(name)?.has(place) !== true;
  }

  function withKey<Node extends { readonly selectionSet?: SelectionSetNode | undefined }>(node: Node): Node {
    const { selectionSet } = node;
    if (selectionSet === undefined) return node;
    const isThere = selectionSet.selections.some(
      (each) => each.kind === Kind.FIELD && each.name.value === '_key' && each.alias === undefined,
    );
    return isThere
      ? node
      : { ...node, selectionSet: { ...selectionSet, selections: [...selectionSet.selections, KEY] } };
  }

  const ofType = <Node extends FragmentDefinitionNode | InlineFragmentNode>(node: Node): Node | undefined =>
    node.typeCondition !== undefined && types.has(node.typeCondition.name.value) ? withKey(node) : undefined;

  return (document) =>
    visit(document, {
      Field: {
        leave: (field, _key, _parent, _path, ancestors) =>
          selectsNodes(field, ancestors) ? withKey(field) : undefined,
      },
      FragmentDefinition: { leave: ofType },
      InlineFragment: { leave: ofType },
    });
}
