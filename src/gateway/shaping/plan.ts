/** Prepares a document for shaping, once per document. */
import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { SHAPING_DIRECTIVES } from '../../schema/directives';
import { SOURCE_FIELD } from '../execution/compile';
import { FilterAllowance } from '../../core/index';
import { pathOf, SLICE_COMPILING_STEPS, slicePathOf, sliceOf } from './slice-path';
import { toSelection } from './slice-fields';

/** Prefix of the aliases that only shaping reads. */
export const HIDDEN = '__andiron_';
/** Alias of `__typename`, where a value may have one of several types. */
export const HIDDEN_TYPE = `${HIDDEN}type`;

const NAMES: ReadonlySet<string> = new Set(SHAPING_DIRECTIVES.map(({ name }) => name));

/** Returns the alias of the values that a @slice with this path reads. */
export function aliasOf(names: readonly string[]): string {
  return `${HIDDEN}slice_${names.join('_')}`;
}

/**
 * Returns the document with the fields that shaping also needs, under hidden aliases. Undefined for a document without
 * shaping directives. The document must have passed `shapingRule`.
 * Cost: two passes over the document.
 */
export function planShaping(document: DocumentNode, schema: GraphQLSchema): DocumentNode | undefined {
  if (!usesDirectives(document)) return undefined;
  const types = new TypeInfo(schema);
  const compiling = new FilterAllowance(SLICE_COMPILING_STEPS);
  return visit(
    document,
    visitWithTypeInfo(types, {
      SelectionSet: {
        leave(node) {
          if (!isAbstractType(types.getParentType())) return undefined;
          const name: FieldNode = toSelection(['__typename'], HIDDEN_TYPE);
          return { ...node, selections: [...node.selections, name] };
        },
      },
      Field: {
        leave(node) {
          const slice = sliceOf(node);
          const type = getNamedType(types.getType());
          const path = slice && type && slicePathOf(schema, type, pathOf(slice) ?? '', compiling);
          if (path === undefined || path.kind === 'index' || !node.selectionSet) return undefined;
          const read =
            path.kind === 'expression'
              ? toSelection([SOURCE_FIELD], SOURCE_FIELD)
              : toSelection(path.names, aliasOf(path.names));
          const selections = [...node.selectionSet.selections, read];
          return { ...node, selectionSet: { ...node.selectionSet, selections } };
        },
      },
    }),
  );
}

function usesDirectives(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Directive(node) {
      found ||= NAMES.has(node.name.value);
    },
    // Directives inside arguments do not count.
    [Kind.ARGUMENT]: () => false,
  });
  return found;
}
