// Which code system the codes of a required binding come from.

/** By value set url: `{ system }` where there is one, `{ codes: { code: system } }` where the expansion tells several. */
export function buildBindings(types, valueSets, expansions) {
  const byUrl = new Map(valueSets.map((valueSet) => [valueSet.url, valueSet]));
  const expansionOf = new Map(expansions.map((valueSet) => [valueSet.url, valueSet.expansion]));
  const bound = new Set();
  for (const type of types) {
    for (const element of type.elements) {
      if (element.binding && element.types?.includes('code')) bound.add(element.binding);
    }
  }
  const result = {};
  for (const url of [...bound].sort()) {
    const systems = systemsOf(url, byUrl, new Set());
    if (systems.size === 1) result[url] = { system: [...systems][0] };
    else {
      const codes = codesOf(expansionOf.get(url)?.contains ?? []);
      if (codes.size > 0) result[url] = { codes: Object.fromEntries([...codes].sort()) };
    }
  }
  return result;
}

function systemsOf(url, byUrl, seen) {
  const systems = new Set();
  const name = url.replace(/\|.*/, '');
  if (seen.has(name)) return systems;
  seen.add(name);
  for (const include of byUrl.get(name)?.compose?.include ?? []) {
    if (include.system) systems.add(include.system);
    for (const nested of include.valueSet ?? []) {
      for (const system of systemsOf(nested, byUrl, seen)) systems.add(system);
    }
  }
  return systems;
}

/** The first system counts for a code that several have. */
function codesOf(contains, codes = new Map()) {
  for (const { code, system, contains: nested } of contains) {
    if (code !== undefined && system !== undefined && !codes.has(code)) codes.set(code, system);
    if (nested) codesOf(nested, codes);
  }
  return codes;
}
