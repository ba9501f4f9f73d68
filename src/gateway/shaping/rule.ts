/** Refuses documents that use the directives where they mean nothing, before anything runs. */
import { type ASTVisitor, getNamedType, GraphQLError, isLeafType, type ValidationContext } from 'graphql';
import { flattenDirective, sliceDirective } from '../../schema/directives';
import { HIDDEN } from './plan';
import { parseSlicePath, pathOf } from './slice-path';
import { fieldsBelow } from './slice-fields';

export function shapingRule(context: ValidationContext): ASTVisitor {
  const refuse = (message: string, node: GraphQLError['nodes']): void =>
    context.reportError(new GraphQLError(message, { nodes: node }));
  return {
    Field(node) {
      if (node.alias?.value.startsWith(HIDDEN) === true)
        refuse(`Names that begin with '${HIDDEN}' are the server's own`, [node]);
    },
    Directive(node, _key, _parent, _path, ancestors) {
      const type = getNamedType(context.getType());
      const field = ancestors.at(-1);
      if (!type || field === undefined) return;
      if (node.name.value === flattenDirective.name && isLeafType(type))
        refuse('@flatten needs a field that has fields', [node]);
      if (node.name.value !== sliceDirective.name) return;
      const text = pathOf(node);
      // What is no literal is refused below; what is missing, by graphql itself.
      if (text === undefined) {
        if (node.arguments?.some(({ name }) => name.value === 'path') === true)
          refuse("The 'path' of @slice is written as a string, not as a variable", [node]);
        return;
      }
      const path = parseSlicePath(text);
      if (path === undefined)
        refuse("The 'path' of @slice is $index, $this or names of elements, such as use or code.text", [
          node,
        ]);
      else if (path.kind === 'members' && fieldsBelow(type, path.names) === undefined)
        refuse(`@slice finds no value at '${text}' of ${type.name}`, [node]);
    },
  };
}
