/** `_query`: searches that the tenant has given a name (search-reference.md, Named queries). */
import { tidy, type JsonObject, type Resource } from './json';
import { number } from './maker';
import { BadSearch, Unclear } from './refusal';

type Pair = readonly [name: string, text: string];

interface QueryParameter {
  readonly name: string;
  readonly searchType: string;
  readonly isRequired: boolean;
  readonly isRepeated: boolean;
}

interface NamedQuery {
  readonly code: string;
  readonly types: readonly string[];
  readonly criteria: readonly Pair[];
  readonly parameters: readonly QueryParameter[];
}

const parameter = (name: string, searchType: string, bounds: '0..1' | '0..*' | '1..1'): QueryParameter => ({
  name,
  searchType,
  isRequired: bounds === '1..1',
  isRepeated: bounds === '0..*',
});

/** The named queries of a space: with and without parameters, of one type and of several. */
export const NAMED_QUERIES: readonly NamedQuery[] = [
  {
    code: 'latest',
    types: ['Observation'],
    criteria: [
      ['code', '{which}'],
      ['date', 'ge{since}'],
      ['_sort', '-date'],
    ],
    parameters: [parameter('which', 'token', '1..1'), parameter('since', 'date', '0..1')],
  },
  {
    code: 'people',
    types: ['Patient', 'Practitioner'],
    criteria: [
      ['name', '{called}'],
      ['gender', '{sex}'],
    ],
    parameters: [parameter('called', 'string', '0..*'), parameter('sex', 'token', '0..1')],
  },
  {
    code: 'of-whom',
    types: ['Condition'],
    criteria: [
      ['subject', 'Patient/{whom}'],
      ['_include', 'Condition:subject'],
    ],
    parameters: [parameter('whom', 'string', '1..1')],
  },
  {
    code: 'known',
    types: ['Encounter', 'Observation'],
    criteria: [
      ['status', 'finished,final,amended'],
      ['subject:missing', 'false'],
    ],
    parameters: [],
  },
];

const EXTENSION = 'https://andiron.example/fhir/StructureDefinition/search-criteria';

/** The definitions of them, to be stored. */
export const namedQueryDefinitions = (): Resource[] =>
  NAMED_QUERIES.map(({ code, types, criteria, parameters }): Resource => ({
    resourceType: 'OperationDefinition',
    id: `query-${code}`,
    ...tidy({
      extension: [
        { url: EXTENSION, valueString: criteria.map(([name, text]) => `${name}=${text}`).join('&') },
      ],
      url: `http://andiron.example/OperationDefinition/${code}`,
      name: code.replace('-', '_'),
      status: 'active',
      kind: 'query',
      code,
      resource: types,
      system: false,
      type: true,
      instance: false,
      parameter: parameters.map(({ name, searchType, isRequired, isRepeated }): JsonObject => ({
        name,
        use: 'in',
        min: number(isRequired ? 1 : 0),
        max: isRepeated ? '*' : '1',
        type: 'string',
        searchType,
      })),
    }),
  }));

/**
 * The search that a search with `_query` stands for; any other is what it is.
 * @throws BadSearch for an unknown query, and for parameters that are missing or given too often
 */
export function withoutNamedQuery(type: string | undefined, pairs: readonly Pair[]): readonly Pair[] {
  const named = pairs.filter(([name]) => name === '_query');
  if (named.length === 0) return pairs;
  const query = NAMED_QUERIES.find(
    ({ code, types }) => code === named[0]?.[1] && type !== undefined && types.includes(type),
  );
  if (query === undefined || named.length > 1) throw new BadSearch(`_query of ${String(type)}`);
  const given = new Map(
    query.parameters.map((one) => {
      const values = pairs.flatMap(([name, text]) => (name === one.name ? [text] : []));
      if (values.some((text) => text.includes('\\'))) throw new Unclear('a value with escapes in it');
      if ((one.isRequired && values.length === 0) || (!one.isRepeated && values.length > 1))
        throw new BadSearch(`${one.name} is given ${values.length} times`);
      return [one.name, one.isRepeated ? values.join(',') : values.join('').replace(/[,$]/g, '\\$&')];
    }),
  );
  const names = ['_query', ...given.keys()];
  const others = pairs.filter(([name]) => !names.includes(name));
  const own = query.criteria.flatMap(([name, text]): Pair[] => {
    // The order of the request replaces its own.
    if (name === '_sort' && others.some(([other]) => other === '_sort')) return [];
    const [, input] = /\{(\w+)\}/.exec(text) ?? [];
    const value = input === undefined ? undefined : given.get(input);
    if (input === undefined) return [[name, text]];
    return value === undefined || value === '' ? [] : [[name, text.replace(`{${input}}`, () => value)]];
  });
  return [...others, ...own];
}
