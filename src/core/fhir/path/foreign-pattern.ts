/**
 * Regular expressions of clients, such as those in the constraints of a tenant's profile, run by an automaton, because
 * backtracking can take exponential time. FHIRPath's matches() searches in the text, and its dot matches every
 * character (http://hl7.org/fhirpath/N1/#matchesregex-string-boolean).
 */
import { compilePattern, type Pattern } from '../terminology/pattern';

const ANYTHING = '[\\s\\S]*';

/**
 * Compiles a pattern to a test for a part of a text, or for all of it. Throws RangeError, with a readable message, for
 * unsupported syntax.
 */
export function compileClientPattern(source: string, mustMatchAll: boolean): Pattern {
  const { body, isAtStart, isAtEnd, hasChoice } = read(source);
  if (hasChoice && (isAtStart || isAtEnd))
    throw new RangeError('^ and $ beside | are ambiguous; use parentheses');
  const before = isAtStart || mustMatchAll ? '' : ANYTHING;
  const after = isAtEnd || mustMatchAll ? '' : ANYTHING;
  return compilePattern(`${before}(?:${body})${after}`);
}

interface PatternParts {
  /** Without the anchors, and with a class of all characters for each dot. */
  readonly body: string;
  readonly isAtStart: boolean;
  readonly isAtEnd: boolean;
  /** True if there is a | outside of all parentheses. */
  readonly hasChoice: boolean;
}

function read(source: string): PatternParts {
  const isAtStart = source.startsWith('^');
  let body = '';
  let depth = 0;
  let hasChoice = false;
  let isInClass = false;
  let isAtEnd = false;
  for (let at = isAtStart ? 1 : 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\\') {
      body += source.slice(at, at + 2);
      at++;
    } else if (isInClass) {
      isInClass = character !== ']';
      body += character;
    } else if (character === '$' && at === source.length - 1) {
      isAtEnd = true;
    } else {
      if (character === '[') isInClass = true;
      else if (character === '(') depth++;
      else if (character === ')') depth--;
      else if (character === '|' && depth === 0) hasChoice = true;
      body += character === '.' ? '[\\s\\S]' : character;
    }
  }
  return { body, isAtStart, isAtEnd, hasChoice };
}
