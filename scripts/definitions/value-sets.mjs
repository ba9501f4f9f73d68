// The value sets of bindings: the systems of their codes, and all codes where they can be listed.

const TOO_COSTLY = 'http://hl7.org/fhir/StructureDefinition/valueset-toocostly';
const UNCLOSED = 'http://hl7.org/fhir/StructureDefinition/valueset-unclosed';

/** R4 refers to the document that defines media types; R4B to the value set. */
const ALIASES = { 'http://www.rfc-editor.org/bcp/bcp13.txt': 'http://hl7.org/fhir/ValueSet/mimetypes' };

/**
 * By url of each value set that a required binding names, or that is the maximum of another binding:
 * `{ systems, codes }`, where `codes[i]` are the codes of `systems[i]`. Without `codes` not all can be listed; then
 * `whole`: all codes of the one system are included, or the units that can be converted into one.
 */
export function buildValueSets(bindings, valueSets, expansions) {
  const byUrl = new Map(valueSets.map((valueSet) => [valueSet.url, valueSet]));
  const expanded = new Map(expansions.map((valueSet) => [valueSet.url, valueSet]));
  const named = new Set();
  for (const { valueSet, strength, max } of bindings) {
    if (strength === 'required') named.add(withoutVersion(valueSet));
    if (max) named.add(withoutVersion(max));
  }
  const result = {};
  for (const url of [...named].sort()) {
    const source = ALIASES[url] ?? url;
    const { version, expansion } = expanded.get(source) ?? {};
    const codes = expansion && isComplete(expansion) ? codesOf(expansion.contains) : undefined;
    const systems = codes ? [...codes.keys()] : [...systemsOf(source, byUrl, new Set())];
    if (systems.length === 0) continue;
    const whole = codes ? undefined : wholeOf(byUrl.get(source));
    result[url] = {
      ...(version ? { version } : {}),
      systems,
      ...(codes ? { codes: [...codes.values()].map((list) => [...list]) } : {}),
      ...(whole ? { whole } : {}),
    };
  }
  return result;
}

const withoutVersion = (canonical) => canonical.replace(/\|.*/, '');

function isComplete({ extension = [], total, contains = [] }) {
  if (extension.some(({ url }) => url === TOO_COSTLY || url === UNCLOSED)) return false;
  return contains.length > 0 && (total === undefined || total === count(contains));
}

function count(contains) {
  return contains.reduce((sum, { contains: nested = [] }) => sum + 1 + count(nested), 0);
}

/** Returns the codes that a resource may have, by system, without abstract ones, which only group others. */
function codesOf(contains, codes = new Map()) {
  for (const { code, system, abstract, contains: nested = [] } of contains) {
    if (code !== undefined && system !== undefined && !abstract) {
      if (!codes.has(system)) codes.set(system, new Set());
      codes.get(system).add(code);
    }
    codesOf(nested, codes);
  }
  return codes;
}

/** `{}`: every code of the system; `{ unit }`: those with this canonical unit (ucum.html#filters). */
function wholeOf(valueSet) {
  const { include, exclude } = valueSet?.compose ?? {};
  if (include?.length !== 1 || exclude) return undefined;
  const [{ concept, valueSet: imports, filter = [] }] = include;
  if (concept || imports) return undefined;
  if (filter.length === 0) return {};
  const [{ property, op, value }] = filter;
  return filter.length === 1 && property === 'canonical' && op === '=' ? { unit: value } : undefined;
}

function systemsOf(canonical, byUrl, seen) {
  const systems = new Set();
  const url = withoutVersion(canonical);
  if (seen.has(url)) return systems;
  seen.add(url);
  for (const include of byUrl.get(url)?.compose?.include ?? []) {
    if (include.system) systems.add(include.system);
    for (const nested of include.valueSet ?? []) {
      for (const system of systemsOf(nested, byUrl, seen)) systems.add(system);
    }
  }
  return systems;
}
