import type { CoreValueSet } from './core-set';
import type { CodeList, CodeSystemOfBinding, WholeSystem } from './model';

/** Splits a canonical reference at its `|`. */
export function parseValueSet(canonical: string): { readonly url: string; readonly version: string | undefined } {
  const bar = canonical.indexOf('|');
  if (bar < 0) return { url: canonical, version: undefined };
  return { url: canonical.slice(0, bar), version: canonical.slice(bar + 1) };
}

/** The value sets of required bindings of a release. Results are built on first use, then cached. */
export interface ValueSets {
  codeSystem(url: string): CodeSystemOfBinding | undefined;
  codeList(canonical: string): CodeList | undefined;
  wholeSystem(canonical: string): WholeSystem | undefined;
}

/**
 * `fhirVersion` stands for any version, because the specification gives its own version to all value sets that it
 * binds.
 */
export function readValueSets(
  valueSets: Readonly<Record<string, CoreValueSet>>,
  fhirVersion: string,
): ValueSets {
  const byUrl = new Map(Object.entries(valueSets));
  const systems = new Map<string, CodeSystemOfBinding | undefined>();
  const lists = new Map<string, CodeList | undefined>();
  const find = (canonical: string): { readonly url: string; readonly valueSet: CoreValueSet } | undefined => {
    const { url, version } = parseValueSet(canonical);
    const valueSet = byUrl.get(url);
    if (valueSet === undefined) return undefined;
    const isSameVersion = version === undefined || version === fhirVersion || version === valueSet.version;
    return isSameVersion ? { url, valueSet } : undefined;
  };
  return {
    codeSystem: (url) => cached(systems, url, () => systemOf(byUrl.get(url))),
    codeList(canonical) {
      const found = find(canonical);
      return found && cached(lists, found.url, () => listOf(found.valueSet));
    },
    wholeSystem(canonical) {
      const { systems: [system] = [], whole } = find(canonical)?.valueSet ?? {};
      return whole === undefined || system === undefined ? undefined : { system, unit: whole.unit };
    },
  };
}

function cached<Value>(cache: Map<string, Value>, key: string, make: () => Value): Value | undefined {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key);
}

/** A code of several systems belongs to the first of them. */
function systemOf(valueSet: CoreValueSet | undefined): CodeSystemOfBinding | undefined {
  if (valueSet === undefined || valueSet.systems.length === 1) return valueSet?.systems[0];
  if (valueSet.codes === undefined) return undefined;
  const systems = new Map<string, string>();
  valueSet.systems.forEach((system, index) => {
    for (const code of valueSet.codes?.[index] ?? []) if (!systems.has(code)) systems.set(code, system);
  });
  return systems;
}

function listOf({ systems, codes }: CoreValueSet): CodeList | undefined {
  if (codes === undefined) return undefined;
  const bySystem = new Map(systems.map((system, index) => [system, new Set(codes[index])]));
  const all = new Set(codes.flat());
  return {
    has: (code) => all.has(code),
    hasCoding: (system, code) => bySystem.get(system)?.has(code) === true,
    systems: new Set(systems),
    codes: all,
  };
}
