/** The part of a SearchParameter's expression for one of its bases. */
import type { Definitions } from '../../fhir/definitions';
import { splitUnion } from './parameter';

/** Returns the branches that begin with this type, an ancestor of it, or no type; undefined: there is none. */
export function expressionFor(definitions: Definitions, type: string, whole: string): string | undefined {
  const branches = splitUnion(whole)
    .map((branch) => branch.trim())
    .filter((branch) => {
      const head = /^\(*\s*([A-Z]\w*)/.exec(branch)?.[1];
      const isOther = head !== undefined && definitions.structure(head)?.kind === 'resource';
      return !isOther || definitions.conformsTo(type, head);
    });
  if (branches.length < 2) return branches[0];
  // `as` and `is` bind weaker than `|` (FHIRPath, operator precedence), so joined branches need parentheses.
  return branches
    .map((branch) => (/ (as|is) [\w.]+$/.test(branch) && !branch.endsWith(')') ? `(${branch})` : branch))
    .join(' | ');
}

/** True for the plain path of an element, such as `Observation` or `Observation.component`. */
export function isElement(definitions: Definitions, path: string): boolean {
  if (!/^[A-Z]\w*(\.\w+)*$/.test(path)) return false;
  const [type = '', ...steps] = path.split('.');
  const structure = definitions.structure(type);
  return steps.length === 0 ? structure !== undefined : structure?.element(steps.join('.')) !== undefined;
}
