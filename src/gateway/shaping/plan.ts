/** What a document needs that its answer can be shaped: made once per document. */
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

/** Begins the aliases of what is selected for shaping alone. */
export const HIDDEN = '__andiron_';
/** Alias of `__typename`, where a type is one of several. */
export const HIDDEN_TYPE = `${HIDDEN}type`;

const NAMES: ReadonlySet<string> = new Set(SHAPING_DIRECTIVES.map(({ name }) => name));

/** Alias of what a @slice of this path reads. */
export function aliasOf(names: readonly string[]): string {
  return `${HIDDEN}slice_${names.join('_')}`;
}

/**
 * The document with what shaping reads besides, under hidden aliases; undefined for one without directives that shape.
 * It has passed `shapingRule`. Cost: two passes over the document.
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
    // A field's arguments hold no directives that count.
    [Kind.ARGUMENT]: () => false,
  });
  return found;
}
