/**
 * Looks up codings in their code systems, whatever value set the element is bound to (docs/use/validation.md): codes that a
 * complete code system does not have, and displays that are none of the code's.
 */
import type { Space } from '../context';
import type { JsonObject } from '../fhir/json';
import { shorten } from '../fhir/json/fault';
import { type CodeSystem, hasConcepts, isFragment } from '../fhir/terminology/code-system';
import { isDisplay } from '../fhir/terminology/display';
import { stringMember } from '../fhir/terminology/members';
import { withConcepts } from '../fhir/terminology/stored-code-system';
import type { TerminologySource } from '../fhir/terminology/source';
import { expressionOf, MAX_FINDINGS, type CodingsToCheck, type Finding } from '../fhir/validate';
import type { TerminologyEnvironment } from '../operation-types/environment';
import { terminologyOf } from '../terminology/terminology-source';
import { createCache } from '../memory/create-cache';

export interface CodingChecker {
  /**
   * Returns a finding for each coding whose code its complete code system does not have, whose display is wrong, or
   * whose system is a supplement; at most `MAX_FINDINGS`. Displays are warnings, the others of the given severity. Other
   * systems than those of the space say nothing. Throws
   * storage errors. Cost: a lookup for each coding; a statement once in two seconds, and one or two for each system
   * after a change of the terminology.
   */
  check(
    space: Space,
    environment: TerminologyEnvironment,
    codings: CodingsToCheck,
  ): Promise<readonly Finding[]>;
  /** Returns code systems that the space is known not to have, so that their codings need no check. */
  absentSystems(space: Space): ReadonlySet<string>;
}

/** Milliseconds after which a change of a code system is seen; the findings are only warnings. */
const MAX_AGE_MS = 2_000;
const MAX_SPACES = 1_000;
/** Limits on the cached systems of a space, because clients choose them. */
const MAX_SYSTEMS = 2_000;
const LONGEST_SYSTEM = 300;

const NONE: ReadonlySet<string> = new Set();

/** The code systems of a space that were looked up at one version of its terminology. */
interface KnownSystems {
  readonly version: string;
  /** In the time of `performance.now()`. */
  until: number;
  readonly absent: Set<string>;
  /** By url and version. The cache of code systems holds them, but for those whose concepts are in tables. */
  readonly present: Map<string, Pick<WeakRef<CodeSystem>, 'deref'>>;
  /** Look-ups under way, by url and version: the resources of a Bundle ask for the same systems at once. */
  readonly pending: Map<string, Promise<CodeSystem | undefined>>;
}

/** Creates the checker for all spaces of a thread. */
export function createCodingChecker(): CodingChecker {
  const spaces = createCache<number, KnownSystems>({ name: 'known-systems', scope: 'data', max: MAX_SPACES });
  const refreshing = new Map<number, Promise<KnownSystems>>();
  const refresh = async (space: Space, environment: TerminologyEnvironment): Promise<KnownSystems> => {
    const until = performance.now() + MAX_AGE_MS;
    const version = await environment.terminologyVersion();
    const cached = spaces.get(space.number);
    if (cached?.version === version) {
      cached.until = until;
      return cached;
    }
    const made = { version, until, absent: new Set<string>(), present: new Map(), pending: new Map() };
    spaces.set(space.number, made);
    return made;
  };
  const systemsOf = (
    space: Space,
    environment: TerminologyEnvironment,
  ): KnownSystems | Promise<KnownSystems> => {
    const cached = spaces.get(space.number);
    if (cached !== undefined && cached.until > performance.now()) return cached;
    let promise = refreshing.get(space.number);
    if (promise === undefined) {
      promise = refresh(space, environment).finally(() => refreshing.delete(space.number));
      refreshing.set(space.number, promise);
    }
    return promise;
  };
  return {
    absentSystems({ number }) {
      const cached = spaces.get(number);
      return cached !== undefined && cached.until > performance.now() ? cached.absent : NONE;
    },
    async check(space, environment, { root, codings, severity }) {
      if (codings.length === 0) return [];
      const known = await systemsOf(space, environment);
      const source = terminologyOf(environment);
      const found: { read: ReadCoding; steps: (typeof codings)[number]['steps']; codeSystem: CodeSystem }[] =
        [];
      for (const { coding, steps } of codings) {
        const read = readCoding(coding);
        const codeSystem = read && (await findSystem(known, source, read));
        if (read !== undefined && codeSystem !== undefined) found.push({ read, steps, codeSystem });
      }
      if (found.length === 0) return [];
      return withConcepts(environment, () => {
        const findings: Finding[] = [];
        for (const { read, steps, codeSystem } of found) {
          const fault = faultOf(read, codeSystem);
          if (fault === undefined) continue;
          const [member, diagnostics] = fault;
          const expression = expressionOf(root, steps, [member]);
          findings.push({
            rule: 'binding',
            severity: member === 'display' ? 'warning' : severity,
            diagnostics,
            expression,
          });
          if (findings.length === MAX_FINDINGS) break;
        }
        return findings;
      });
    },
  };
}

interface ReadCoding {
  readonly system: string;
  readonly version: string | undefined;
  readonly code: string;
  readonly display: string | undefined;
}

function readCoding(coding: JsonObject): ReadCoding | undefined {
  const [system, code] = [stringMember(coding, 'system'), stringMember(coding, 'code')];
  if (system === undefined || code === undefined) return undefined;
  return { system, version: stringMember(coding, 'version'), code, display: stringMember(coding, 'display') };
}

function findSystem(
  known: KnownSystems,
  source: TerminologySource,
  coding: ReadCoding,
): CodeSystem | undefined | Promise<CodeSystem | undefined> {
  const { system, version } = coding;
  if (known.absent.has(system)) return undefined;
  const key = version === undefined ? system : `${system}|${version}`;
  const cached = known.present.get(key)?.deref();
  if (cached !== undefined) return cached;
  let pending = known.pending.get(key);
  if (pending === undefined) {
    pending = lookUp(known, source, key, coding).finally(() => known.pending.delete(key));
    known.pending.set(key, pending);
  }
  return pending;
}

async function lookUp(
  { absent, present }: KnownSystems,
  source: TerminologySource,
  key: string,
  { system, version }: ReadCoding,
): Promise<CodeSystem | undefined> {
  const found = await source.findCodeSystem(system, version);
  if (found !== undefined) {
    const held = found.stored === undefined ? new WeakRef(found) : { deref: () => found };
    if (present.size < MAX_SYSTEMS) present.set(key, held);
    return found;
  }
  const isAbsent = version === undefined || (await source.findCodeSystem(system)) === undefined;
  if (isAbsent && absent.size < MAX_SYSTEMS && system.length <= LONGEST_SYSTEM) absent.add(system);
  return undefined;
}

/** Returns the member of the Coding that is wrong, and a sentence. */
function faultOf(
  { system, code, display }: ReadCoding,
  codeSystem: CodeSystem,
): readonly [member: 'system' | 'code' | 'display', sentence: string] | undefined {
  const name = shorten(system);
  if (codeSystem.content === 'supplement' || codeSystem.head['supplements'] !== undefined)
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
