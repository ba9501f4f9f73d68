/** Collects the fields of a selection set for one object type (GraphQL specification, 6.3.2 "Field Collection"). */
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getDirectiveValues,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
  visit,
} from 'graphql';

/** Response names in the order of the response, each with the fields of the document that are merged in it. */
export type CollectedFields = ReadonlyMap<string, readonly FieldNode[]>;

type Variables = Readonly<Record<string, unknown>>;

/** The variables of `@skip` and `@include`, and the fragments of the document. */
export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** The coerced variables that `conditionsOf` returns; others may be missing. */
  readonly variables: Variables;
}

const CONDITIONS: readonly string[] = [GraphQLSkipDirective.name, GraphQLIncludeDirective.name];

function isCondition(directive: DirectiveNode): boolean {
  return CONDITIONS.includes(directive.name.value);
}

/**
 * Returns the names of the variables that `@skip` and `@include` of an operation and of its fragments use, without
 * repeats.
 */
export function conditionsOf(document: DocumentNode, operation: OperationDefinitionNode): readonly string[] {
  const names = new Set<string>();
  const inspect = (directive: DirectiveNode): void => {
    if (!isCondition(directive)) return;
    for (const { value } of directive.arguments ?? [])
      if (value.kind === Kind.VARIABLE) names.add(value.name.value);
  };
  for (const definition of document.definitions) {
    if (definition === operation || definition.kind === Kind.FRAGMENT_DEFINITION)
      visit(definition, { Directive: inspect });
  }
  return [...names];
}

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

function appliesTo(
  fragment: { readonly typeCondition?: FragmentDefinitionNode['typeCondition'] },
  type: GraphQLObjectType,
  schema: GraphQLSchema,
): boolean {
  if (fragment.typeCondition === undefined) return true;
  const condition = typeFromAST(schema, fragment.typeCondition);
  return condition === type || (isAbstractType(condition) && schema.isSubType(condition, type));
}

/** Returns the fields of all `sets`, which belong to one merged field, that apply to an object of `type`. */
export function collectFields(
  scope: SelectionScope,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): CollectedFields {
  const collected = new Map<string, FieldNode[]>();
  const visited = new Set<string>();

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (!isIncluded(selection, scope.variables)) continue;
      switch (selection.kind) {
        case Kind.FIELD: {
          const key = (selection.alias ?? selection.name).value;
          const merged = collected.get(key);
          if (merged) merged.push(selection);
          else collected.set(key, [selection]);
          break;
        }
        case Kind.INLINE_FRAGMENT:
          if (appliesTo(selection, type, scope.schema)) collect(selection.selectionSet);
          break;
        case Kind.FRAGMENT_SPREAD: {
          const name = selection.name.value;
          if (visited.has(name)) break;
          visited.add(name);
          const fragment = scope.fragments[name];
          if (fragment && appliesTo(fragment, type, scope.schema)) collect(fragment.selectionSet);
          break;
        }
      }
    }
  }
  for (const set of sets) collect(set);
  return collected;
}
