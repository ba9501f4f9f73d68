import { parsePath } from './parser';
import type { PathSyntax } from './syntax';

/** Functions that lead to elements which the expression does not name. */
const ALL_MEMBERS: ReadonlySet<string> = new Set([
  'children',
  'descendants',
  'repeat',
  'resolve',
  'getReferenceKey',
]);

/** The function that leads to the elements of its own name. */
const EXTENSION = 'extension';

/**
 * Returns the names of all elements in an expression; `any` if it may lead to other elements too. `resolve()` leads to
 * none if it is only the operand of a type operator. Throws PathSyntaxError.
 */
export function namesInPath(expression: string): ReadonlySet<string> | 'any' {
  const names = new Set<string>();
  return collect(parsePath(expression), names) ? names : 'any';
}

/** Returns false if the expression may lead to other elements too. */
function collect(syntax: PathSyntax, names: Set<string>): boolean {
  switch (syntax.kind) {
    case 'member':
      names.add(syntax.name);
      return syntax.on === undefined || collect(syntax.on, names);
    case 'call': {
      if (ALL_MEMBERS.has(syntax.name)) return false;
      if (syntax.name === EXTENSION) names.add(EXTENSION);
      return [...(syntax.on === undefined ? [] : [syntax.on]), ...syntax.arguments].every((each) =>
        collect(each, names),
      );
    }
    case 'indexer':
      return collect(syntax.on, names) && collect(syntax.index, names);
    case 'polarity':
      return collect(syntax.operand, names);
    case 'binary':
      return collect(syntax.left, names) && collect(syntax.right, names);
    case 'type': {
      const { operand } = syntax;
      if (operand.kind === 'call' && operand.name === 'resolve')
        return operand.on === undefined || collect(operand.on, names);
      return collect(operand, names);
    }
    case 'variable':
      // %resource and %context lead only to elements that the expression names after them.
      return true;
    default:
      return true;
  }
}
