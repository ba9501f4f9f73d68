/** Checks codes against value sets from the definitions alone. */
import type { CodeList, Definitions } from '../definitions';
import { shorten } from '../json/fault';
import { codeSyntax } from './code-syntax';

export interface ValueSetTest {
  /** For a code without a system: true if any system of the value set has it. */
  hasCode(code: string): boolean;
  hasCoding(system: string, code: string): boolean;
  hasSystem(system: string): boolean;
  /** A clause about the allowed codes, to follow a sentence that refuses `code`. */
  allowed(code: string | undefined): string;
}

/** Undefined if only the terminology service can decide. Input: canonical url, with or without `|version`. */
export function testValueSet(definitions: Definitions, valueSet: string): ValueSetTest | undefined {
  const list = definitions.codeList(valueSet);
  if (list !== undefined) {
    return {
      hasCode: (code) => list.has(code),
      hasCoding: (system, code) => list.hasCoding(system, code),
      hasSystem: (system) => list.systems.has(system),
      allowed: (code) => `allowed ${describe(list, code)}`,
    };
  }
  const whole = definitions.wholeSystem(valueSet);
  const syntax = whole && codeSyntax(whole);
  if (whole === undefined || syntax === undefined) return undefined;
  return {
    hasCode: (code) => syntax.isCode(code),
    hasCoding: (system, code) => system === whole.system && syntax.isCode(code),
    hasSystem: (system) => system === whole.system,
    allowed: () => `needed is ${syntax.allowed}`,
  };
}

/** The number of characters of a list that a sentence shows. */
const MAX_SHOWN = 120;

function describe({ codes, systems }: CodeList, given: string | undefined): string {
  let shown = '';
  for (const code of codes) {
    if (shown.length + code.length > MAX_SHOWN) {
      const alike = given === undefined ? undefined : findAlike(codes, given);
      const hint = alike === undefined ? '' : `; did you mean '${alike}'?`;
      return `are ${shown} … (${codes.size} in all)${hint}`;
    }
    shown += shown === '' ? code : `, ${code}`;
  }
  const [system] = systems;
  return systems.size === 1 && system !== undefined ? `are ${shown} of ${shorten(system)}` : `are ${shown}`;
}

function findAlike(codes: ReadonlySet<string>, given: string): string | undefined {
  const folded = given.slice(0, MAX_SHOWN).toLowerCase();
  for (const code of codes) if (code.toLowerCase() === folded) return code;
  return undefined;
}
