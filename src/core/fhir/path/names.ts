import { parsePath } from './parser';
import type { PathSyntax } from './syntax';

/** Functions that come to elements which they do not name. */
const WIDE: ReadonlySet<string> = new Set([
  'children',
  'descendants',
  'repeat',
  'resolve',
  'getReferenceKey',
]);

/** The function that comes to the elements of its own name. */
const EXTENSION = 'extension';

/**
 * The names of all elements that an expression names anywhere; `any`: it may come to others too. `resolve()` whose type is
 * asked, and nothing else, comes to none. Throws PathSyntaxError.
 */
export function namesInPath(expression: string): ReadonlySet<string> | 'any' {
  const names = new Set<string>();
  return collect(parsePath(expression), names) ? names : 'any';
}

/** False: other elements may be meant too. */
function collect(syntax: PathSyntax, names: Set<string>): boolean {
  switch (syntax.kind) {
    case 'member':
      names.add(syntax.name);
      return syntax.on === undefined || collect(syntax.on, names);
    case 'call': {
      if (WIDE.has(syntax.name)) return false;
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
      // %resource and %context come to what is named behind them.
      return true;
    default:
      return true;
  }
}
