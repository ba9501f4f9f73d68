import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from 'graphql';
import { atomicDirective } from '../../schema/atomic';
import { ChangeMaker } from './change';

/** A validation rule: in an operation with `@atomic`, one transaction must be able to execute all fields. */
export function atomicRule(context: ValidationContext): ASTVisitor {
  const fields = context.getSchema().getMutationType()?.getFields() ?? {};
  const seen = new Set<string>();
  const check = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      switch (selection.kind) {
        case Kind.FIELD: {
          const field = fields[selection.name.value];
          // Another rule refuses unknown fields.
          if (field === undefined || field.extensions['toChange'] instanceof ChangeMaker) break;
          const message = `'${field.name}' cannot be part of an operation with @atomic, which creates, updates, patches and deletes`;
          context.reportError(new GraphQLError(message, { nodes: selection }));
          break;
        }
        case Kind.INLINE_FRAGMENT:
          check(selection.selectionSet);
          break;
        case Kind.FRAGMENT_SPREAD: {
          const { value: name } = selection.name;
          const fragment = context.getFragment(name);
          if (fragment === null || fragment === undefined || seen.has(name)) break;
          seen.add(name);
          check(fragment.selectionSet);
        }
      }
    }
  };
  return {
    OperationDefinition({ directives = [], selectionSet }) {
      if (directives.some(({ name }) => name.value === atomicDirective.name)) check(selectionSet);
    },
  };
}
