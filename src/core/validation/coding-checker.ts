/**
 * Looks up codings in their code systems, whatever value set the element is bound to: codes that a complete code system
 * does not have, and displays that are none of the code's, are warnings (docs/validation.md).
 */
import { LRUCache } from 'lru-cache';
import type { Space } from '../context';
import { registerCache } from '../erasure/cache-registry';
import { shorten } from '../fhir/json/fault';
import { type CodeSystem, hasConcepts, isFragment } from '../fhir/terminology/code-system';
import { isDisplay } from '../fhir/terminology/display';
import {
  expressionOf,
  MAX_FINDINGS,
  type CodingsToCheck,
  type Finding,
  type PendingCoding,
} from '../fhir/validate';
import type { TerminologyEnvironment } from '../operations/environment';
import { terminologyOf } from '../operations/terminology';

export interface CodingChecker {
  /**
   * Returns a warning for each coding whose code its complete code system does not have, whose display is wrong, or
   * whose system is a supplement; at most `MAX_FINDINGS`. Other systems than those of the space say nothing. Throws
   * storage errors. Cost: a lookup for each coding; a statement once in two seconds, and one or two for each system
   * after a change of the terminology.
   */
  check(
    space: Space,
    environment: TerminologyEnvironment,
    codings: CodingsToCheck,
  ): Promise<readonly Finding[]>;
}

/** A change of a code system is seen after this time: its findings are only warnings. */
const MAX_AGE_MS = 2_000;
const MAX_SPACES = 1_000;
const MAX_SYSTEMS = 5_000;

interface Version {
  readonly text: string;
  readonly until: number;
}

/** Creates the checker for all spaces of a process. */
export function createCodingChecker(): CodingChecker {
  const versions = registerCache(new LRUCache<number, Version>({ max: MAX_SPACES }));
  /** By space, version of its terminology, url and version of the system. The cache of code systems holds them. */
  const systems = registerCache(new LRUCache<string, WeakRef<CodeSystem> | 'none'>({ max: MAX_SYSTEMS }));
  const versionOf = async (space: Space, environment: TerminologyEnvironment): Promise<string> => {
    const now = performance.now();
    const cached = versions.get(space.number);
    if (cached !== undefined && cached.until > now) return cached.text;
    const text = await environment.terminologyVersion();
    versions.set(space.number, { text, until: now + MAX_AGE_MS });
    return text;
  };
  return {
    async check(space, environment, { root, codings }) {
      if (codings.length === 0) return [];
      const version = await versionOf(space, environment);
      const source = terminologyOf(environment);
      const findings: Finding[] = [];
      for (const coding of codings) {
        const key = `${space.number} ${version} ${coding.system} ${coding.version ?? ''}`;
        const cached = systems.get(key);
        let codeSystem = cached === 'none' ? undefined : cached?.deref();
        if (codeSystem === undefined && cached !== 'none') {
          codeSystem = await source.findCodeSystem(coding.system, coding.version);
          systems.set(key, codeSystem === undefined ? 'none' : new WeakRef(codeSystem));
        }
        const fault = codeSystem && faultOf(coding, codeSystem);
        if (fault === undefined) continue;
        const [member, diagnostics] = fault;
        const expression = expressionOf(root, coding.steps, [member]);
        findings.push({ rule: 'binding', severity: 'warning', diagnostics, expression });
        if (findings.length === MAX_FINDINGS) break;
      }
      return findings;
    },
  };
}

/** Returns the member of the Coding that is wrong, and a sentence. */
function faultOf(
  { system, code, display }: PendingCoding,
  codeSystem: CodeSystem,
): readonly [member: 'system' | 'code' | 'display', sentence: string] | undefined {
  const name = shorten(system);
  if (codeSystem.content === 'supplement')
    return ['system', `'${name}' is a supplement; codes are of the code system that it supplements`];
  if (!hasConcepts(codeSystem)) return undefined;
  const concept = codeSystem.find(code);
  if (concept === undefined) {
    const isComplete = codeSystem.content === 'complete' || (codeSystem.isBuiltIn && !isFragment(codeSystem));
    return isComplete ? ['code', `The code system ${name} has no code '${shorten(code)}'`] : undefined;
  }
  if (display === undefined || concept.display === undefined || codeSystem.isBuiltIn) return undefined;
  if (isDisplay({ concept, listed: undefined }, display)) return undefined;
  return [
    'display',
    `'${shorten(display)}' is not a display of '${shorten(`${system}|${code}`)}', which is '${shorten(concept.display)}'`,
  ];
}
