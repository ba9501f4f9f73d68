/**
 * The template language of HL7's terminology tests: expected JSON with `$…$` for values that differ, and for parts that may be missing
 * (https://build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig/testcases.html).
 */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Empty: it is no text. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const UUID = '(urn:uuid:)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const KINDS: Readonly<Record<string, string>> = {
  id: '[A-Za-z0-9.-]{1,64}',
  uuid: UUID,
  url: '[a-z]+:\\S+',
  token: '[A-Za-z0-9_-]+',
  string: '.+',
  date: '\\d{4}(-\\d{2}(-\\d{2}(T.+)?)?)?',
  instant: '\\d{4}-\\d{2}-\\d{2}T.+',
  version: '[0-9.]+.*',
  semver: '\\d+\\.\\d+(\\.\\d+)?.*',
};

function matchesText(expected: string, actual: string): boolean {
  if (expected === '$$') return true;
  const [, kind = '', rest = ''] = /^\$([a-z]+)(?::(.*))?\$$/s.exec(expected) ?? [];
  if (kind === 'external') return actual !== '';
  if (kind === 'choice') return rest.split('|').includes(actual);
  if (kind === 'fragments') return rest.split(/[;|]/).every((each) => actual.includes(each));
  const pattern = KINDS[kind];
  return pattern === undefined ? expected === actual : new RegExp(`^${pattern}$`, 's').test(actual);
}

/** An element of a list that a server of R4 need not answer. */
function isOptional(element: Json): boolean {
  if (!isObject(element)) return false;
  const mark = element['$optional$'];
  return mark === true || mark === '!tx.fhir.org' || mark === 'warning:version' || mark === 'version:4';
}

/** Returns where the actual JSON differs from the template; empty: it does not. The order of lists does not count. */
export function differencesOf(expected: Json, actual: Json | undefined, path = '$'): readonly string[] {
  if (actual === undefined) return [`${path} is missing`];
  if (isList(expected))
    return isList(actual) ? listDifferences(expected, actual, path) : [`${path} is no list`];
  if (isObject(expected))
    return isObject(actual) ? objectDifferences(expected, actual, path) : [`${path} is no object`];
  if (typeof expected === 'string' && typeof actual === 'string')
    return matchesText(expected, actual) ? [] : [`${path} is ${actual} instead of ${expected}`];
  return expected === actual
    ? []
    : [`${path} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
}

function namesIn(object: JsonObject, mark: string): readonly string[] {
  const names = object[mark];
  return isList(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}

/** `diagnostics` of issues may have more: "this is ignored by the test cases" (requirements.md of the tests). */
const UNCOUNTED: ReadonlySet<string> = new Set(['meta', 'diagnostics']);

function objectDifferences(expected: JsonObject, actual: JsonObject, path: string): readonly string[] {
  const optional = new Set(namesIn(expected, '$optional-properties$'));
  const counted = new Set(namesIn(expected, '$count-arrays$'));
  const names = Object.keys(expected).filter((name) => !/^\$[a-z-]+\$$/.test(name));
  const found = names.flatMap((name): readonly string[] => {
    const [wanted, given] = [expected[name], actual[name]];
    const below = `${path}.${name}`;
    if (wanted === undefined || (given === undefined && optional.has(name))) return [];
    if (counted.has(name) && isList(wanted) && isList(given))
      return wanted.length === given.length
        ? []
        : [`${below} has ${given.length} instead of ${wanted.length}`];
    // Every element of the list may be missing, and then the list is.
    if (given === undefined && isList(wanted) && wanted.every(isOptional)) return [];
    return differencesOf(wanted, given, below);
  });
  const more = Object.keys(actual).filter(
    (name) => !names.includes(name) && !optional.has(name) && !UNCOUNTED.has(name),
  );
  return [...found, ...more.map((name) => `${path}.${name} is not expected`)];
}

/** Elements of parameters and of issues are named in what is reported. */
function labelOf(element: Json): string {
  if (!isObject(element)) return JSON.stringify(element);
  const label = textOf(element['name'] ?? element['code']);
  const value = Object.entries(element).find(([name]) => name.startsWith('value'))?.[1];
  return `${label}${value === undefined ? '' : `=${JSON.stringify(value)}`}`;
}

function listDifferences(
  expected: readonly Json[],
  actual: readonly Json[],
  path: string,
): readonly string[] {
  const left = [...actual];
  const missing: Json[] = [];
  // Those with fixed values first, so that a template with few of them does not take what another one needs.
  for (const element of expected.toSorted(
    (one, other) => Number(isOptional(one)) - Number(isOptional(other)),
  )) {
    const index = left.findIndex((given) => differencesOf(element, given, path).length === 0);
    if (index >= 0) left.splice(index, 1);
    else if (!isOptional(element)) missing.push(element);
  }
  const [only] = missing;
  const [given] = left;
  if (missing.length === 1 && left.length === 1 && only !== undefined && given !== undefined)
    return differencesOf(only, given, `${path}[${labelOf(only)}]`);
  return [
    ...missing.map((element) => `${path}[${labelOf(element)}] is missing`),
    ...left.map((element) => `${path}[${labelOf(element)}] is not expected`),
  ];
}
