/** Parses the paths of discriminators: a restricted FHIRPath (https://hl7.org/fhir/R4/profiling.html#discriminator). */
import { shorten } from '../../json/fault';
import { parsePath } from '../../path/parser';
import type { PathSyntax } from '../../path/syntax';
import { PathError } from '../../path';
import { ProfileError } from './error';

export type DiscriminatorStep =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'extension'; readonly url: string }
  | { readonly kind: 'resolve' }
  | { readonly kind: 'ofType'; readonly typeName: string };

/**
 * Returns the steps from the sliced element; none for `$this`. Throws ProfileError for a path that R4 does not allow.
 */
export function parseDiscriminatorPath(path: string): readonly DiscriminatorStep[] {
  const steps: DiscriminatorStep[] = [];
  try {
    addSteps(parsePath(path), steps);
  } catch (thrown) {
    if (thrown instanceof PathError)
      throw new ProfileError(`'${shorten(path)}' is not a path of a discriminator`);
    throw thrown;
  }
  return steps;

  function addSteps(syntax: PathSyntax, into: DiscriminatorStep[]): void {
    switch (syntax.kind) {
      case 'this':
        return;
      case 'member':
        if (syntax.on) addSteps(syntax.on, into);
        into.push({ kind: 'member', name: syntax.name });
        return;
      case 'type':
        if (syntax.operator !== 'as') break;
        addSteps(syntax.operand, into);
        into.push({ kind: 'ofType', typeName: unqualified(syntax.typeName) });
        return;
      case 'call': {
        const [argument] = syntax.arguments;
        if (syntax.on) addSteps(syntax.on, into);
        if (syntax.name === 'resolve' && !argument) into.push({ kind: 'resolve' });
        else if (syntax.name === 'extension' && argument?.kind === 'literal')
          into.push({ kind: 'extension', url: argument.text });
        else if ((syntax.name === 'ofType' || syntax.name === 'as') && argument?.kind === 'member')
          into.push({ kind: 'ofType', typeName: argument.name });
        else break;
        return;
      }
      default:
        break;
    }
    throw new ProfileError(`'${shorten(path)}' is not a path of a discriminator`);
  }
}

function unqualified(typeName: string): string {
  return typeName.slice(typeName.indexOf('.') + 1);
}
