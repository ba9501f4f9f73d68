/**
 * The oracle's paths, written by hand, against the official expressions as the FHIRPath engine of the Lister Hill Center
 * understands them.
 */
import fhirpath from 'fhirpath';
import r4Model from 'fhirpath/fhir-context/r4';
import { generateData } from './generate-data';
import { hasValue, isObject, listOf, toJsonText, toJson, type JsonObject } from './json';
import { officialParameters } from './official';
import { parametersOf, TYPES, type Parameter } from './parameters';
import { localTypeOf } from './reference';
import { elementsOf, followPath } from './values';
import { TESTED_RELEASES } from '../../support/releases';
import { IS_FULL } from '../../support/rounds';

const pairs = TESTED_RELEASES.flatMap((release) =>
  TYPES.flatMap((type) =>
    parametersOf(type).map((parameter) => ({ release, type, code: parameter.code, parameter })),
  ),
);
const SEEDS = IS_FULL ? [1, 2, 3] : [1];
const data = SEEDS.flatMap((seed) => generateData({ seed, root: 'https://fhir.example.org/r4' }));

/** The library accepts `as` for single values only, and resolves references over the network. */
const toLibrary = (expression: string): string =>
  expression
    .replace(/\.as\((\w+)\)/g, '.ofType($1)')
    .replace(/\(([\w.]+) as (\w+)\)/g, '$1.ofType($2)')
    .replace(/\.where\(resolve\(\) is \w+\)/g, '');

/** Compared as JSON of doubles: the library has no others. */
const plain = (values: readonly unknown[]): string[] =>
  values.map((value) => JSON.stringify(sorted(value))).sort();

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !name.startsWith('__'));
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]),
  );
}

function officialValues(expression: string, from: JsonObject, onlyTarget: string | undefined): string[] {
  const resource: unknown = JSON.parse(toJsonText(from));
  // Branch by branch: the library's own union refuses quantities with a comparator.
  const found = toLibrary(expression)
    .split(' | ')
    .flatMap((branch) => fhirpath.evaluate(resource, branch, {}, r4Model, { async: false }) as unknown[]);
  const compared =
    onlyTarget === undefined
      ? found
      : found.filter((value) => localTypeOf(value as JsonObject, from) === onlyTarget);
  // A union has equal values once, and an element with extensions only counts as absent.
  return [...new Set(plain(compared.filter((value) => hasValue(toJson(value)))))];
}

describe('the table of search parameters', () => {
  it.each(pairs)('has $type?$code as $release defines it', ({ release, type, code, parameter }) => {
    const official = officialParameters(release).get(`${type}.${code}`);
    // `_profile` is a canonical by the rules of this server; R4 calls it a uri.
    expect(code === '_profile' ? 'reference' : official?.kind).toBe(parameter.kind);
    expect(official?.components?.length).toBe(parameter.components?.length);
  });

  const evaluated = pairs.filter(({ parameter: { kind } }) => kind !== 'composite' && kind !== 'special');
  it.each(evaluated)(
    'finds the values of $type?$code that the expression of $release finds',
    ({ release, type, code, parameter }) => {
      const expression = officialParameters(release).get(`${type}.${code}`)?.expression ?? '';
      const resources = data.filter(({ resourceType }) => resourceType === type);
      for (const resource of resources) {
        const mine = plain(
          elementsOf(resource, parameter).map(({ value }) => JSON.parse(toJsonText(value)) as unknown),
        );
        expect([...new Set(mine)]).toEqual(officialValues(expression, resource, parameter.onlyTarget));
      }
    },
  );

  const composites = pairs.filter(({ parameter: { kind } }) => kind === 'composite');
  it.each(composites)(
    'reads the parts of $type?$code from $release',
    ({ release, type, code, parameter }) => {
      const official = officialParameters(release).get(`${type}.${code}`);
      for (const resource of data.filter(({ resourceType }) => resourceType === type)) {
        expect(pairsOf(resource, parameter)).toEqual(
          officialValues(official?.expression ?? '', resource, undefined).flatMap((text) =>
            (official?.components ?? []).map(({ expression }) =>
              partValues(JSON.parse(text) as object, expression),
            ),
          ),
        );
      }
    },
  );
});

function pairsOf(resource: JsonObject, { bases, components }: Parameter): string[][] {
  const elements = (bases ?? []).flatMap((base) => followPath(resource, base)).filter(isObject);
  const texts = [
    ...new Set(plain(elements.map((element) => JSON.parse(toJsonText(element)) as unknown))),
  ].sort();
  return texts.flatMap((text) => {
    const element = toJson(JSON.parse(text));
    return (components ?? []).map((component) =>
      listOf(element)
        .filter(isObject)
        .flatMap((one) =>
          plain(elementsOf(one, component).map(({ value }) => JSON.parse(toJsonText(value)) as unknown)),
        ),
    );
  });
}

/** `value.as(Quantity)` or `(value as Quantity)` of an element that is no resource: the member with the type in its name. */
function partValues(element: object, expression: string): string[] {
  const members = expression.split(' | ').map((branch) => {
    const [, name = '', type = ''] = /^\(?(\w+)(?:(?:\.as\(| as )(\w+)\))?$/.exec(branch) ?? [];
    return type === '' ? [name] : [name + type.charAt(0).toUpperCase() + type.slice(1)];
  });
  const isChoice = expression === 'value';
  return plain(
    Object.entries(element)
      .filter(([name]) => members.flat().includes(name) || (isChoice && name.startsWith('value')))
      .flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value])),
  );
}
