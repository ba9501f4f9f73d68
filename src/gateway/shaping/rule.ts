/** A validation rule that refuses shaping directives where they have no meaning. */
import { type ASTVisitor, getNamedType, GraphQLError, isLeafType, type ValidationContext } from 'graphql';
import { flattenDirective, sliceDirective } from '../../schema/directives';
import { HIDDEN } from './plan';
import { FhirError, FilterAllowance } from '../../core/index';
import { pathOf, SLICE_COMPILING_STEPS, slicePathOf } from './slice-path';

export function shapingRule(context: ValidationContext): ASTVisitor {
  const compiling = new FilterAllowance(SLICE_COMPILING_STEPS);
  const refuse = (message: string, node: GraphQLError['nodes']): void =>
    context.reportError(new GraphQLError(message, { nodes: node }));
  return {
    Field(node) {
      if (node.alias?.value.startsWith(HIDDEN) === true)
        refuse(`Names that begin with '${HIDDEN}' are reserved for the server`, [node]);
    },
    Directive(node) {
      const type = getNamedType(context.getType());
      if (!type) return;
      if (node.name.value === flattenDirective.name && isLeafType(type))
        refuse('@flatten needs a field that has fields', [node]);
      if (node.name.value !== sliceDirective.name) return;
      const text = pathOf(node);
      // A path that is not a literal is refused below; a missing one by graphql itself.
      if (text === undefined) {
        if (node.arguments?.some(({ name }) => name.value === 'path') === true)
          refuse("The 'path' of @slice must be a string, not a variable", [node]);
        return;
      }
      try {
        if (slicePathOf(context.getSchema(), type, text, compiling) === undefined)
          refuse(`@slice finds no value at '${text}' of ${type.name}`, [node]);
      } catch (error) {
        if (!(error instanceof FhirError)) throw error;
        context.reportError(new GraphQLError(error.message, { nodes: [node], originalError: error }));
      }
    },
  };
}
