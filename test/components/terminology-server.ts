/** What a server answers that has two versions of a catalogue in tables, for the screen of the code system. */

export const ROOT = '/w/acme/api/v1/fhir/r4';
export const CATALOGUE = 'http://acme.example/catalogue';

interface FakeConcept {
  readonly code: string;
  readonly display: string;
  readonly parents?: readonly string[];
  readonly isInactive?: boolean;
  readonly german?: string;
}

/** More boxes than one page has. */
const BOXES = Array.from({ length: 60 }, (_, at) => ({
  ...{ code: `box-${at}`, display: `Box ${at}`, parents: ['box'] },
}));
const OLD: readonly FakeConcept[] = [
  { code: 'all', display: 'Everything' },
  { code: 'box', display: 'Box', parents: ['all'], german: 'Kiste' },
  { code: 'wood', display: 'Wooden', parents: ['all'] },
  ...BOXES,
  { code: 'crate', display: 'Crate', parents: ['box'] },
];
const NEW: readonly FakeConcept[] = [
  ...OLD.filter(({ code }) => code !== 'crate' && code !== 'box-3'),
  {
    code: 'crate',
    display: 'Crate, large',
    parents: ['box', 'wood'],
    german: 'Lattenkiste',
    isInactive: true,
  },
  { code: 'chest', display: 'Chest', parents: ['wood'] },
];
const VERSIONS: Readonly<Record<string, readonly FakeConcept[]>> = { '1': OLD, '2': NEW };

const head = (version: string) => ({
  ...{ resourceType: 'CodeSystem', id: `v${version}`, url: CATALOGUE, version, status: 'active' },
  ...{ name: 'Catalogue', content: 'complete', count: VERSIONS[version]?.length },
  identifier: [{ system: 'urn:andiron:concept-set', value: version }],
  property: [{ code: 'parent', type: 'code' }],
});

interface Parameter {
  readonly name: string;
  readonly resource?: {
    readonly compose: {
      readonly include: readonly [{ readonly version: string; readonly filter?: readonly [Filter] }];
    };
  };
  readonly [value: `value${string}`]: string | number | boolean | undefined;
}
interface Filter {
  readonly property: string;
  readonly op: string;
  readonly value: string;
}
interface Request {
  readonly resource?: { readonly parameter: readonly Parameter[] };
  readonly request: { readonly method: string; readonly url: string };
}

const OUTCOME = (diagnostics: string) => ({
  resourceType: 'OperationOutcome',
  issue: [{ severity: 'error', code: 'processing', diagnostics }],
});
interface Answer {
  readonly status: number;
  readonly resource: object;
}
const good = (resource: object): Answer => ({ status: 200, resource });

export class TerminologyServer {
  /** `METHOD url` of the requests of batches. */
  readonly asked: string[] = [];
  /** What `$expand` is refused with. */
  refusal: string | undefined;

  answer(method: string, path: string, body: string): Response {
    if (path.includes('/graphql/')) return Response.json({ data: this.toData(JSON.parse(body)) });
    const url = path.slice(ROOT.length + 1);
    const sent = body === '' ? undefined : JSON.parse(body);
    if (url === '' && method === 'POST') {
      const entry = (sent.entry as readonly Request[]).map((each) => {
        this.asked.push(`${each.request.method} ${each.request.url}`);
        const { status, resource } = this.toAnswer(each.request.url, each.resource?.parameter ?? []);
        return status === 200
          ? { resource, response: { status: '200' } }
          : { response: { status: String(status), outcome: resource } };
      });
      return Response.json({ resourceType: 'Bundle', type: 'batch-response', entry });
    }
    const { status, resource } = this.toAnswer(url, sent?.parameter ?? []);
    return Response.json(resource, { status });
  }

  private toData({ query }: { readonly query: string }): object {
    if (!query.startsWith('{')) {
      const edges = ['1', '2'].map((version) => ({ node: head(version) }));
      return { search: { edges, pageInfo: { hasNextPage: false, endCursor: null } } };
    }
    const fields = [...query.matchAll(/(f\d+): search\(type: (\w+)/g)];
    return Object.fromEntries(
      fields.map(([, name = '', type]) => [name, { total: type === 'Observation' ? 12 : 0 }]),
    );
  }

  private toAnswer(url: string, parameters: readonly Parameter[]): Answer {
    if (url === 'metadata') return good(STATEMENT);
    if (url === 'ValueSet/$expand') return this.expand(parameters);
    if (url === 'CodeSystem/$lookup') return lookUp(parameters);
    const version = /^CodeSystem\/v(\d)$/.exec(url)?.[1];
    if (version !== undefined) return good(head(version));
    if (url.startsWith('Observation?code')) return good({ resourceType: 'Bundle', total: 7 });
    if (url.startsWith('Observation?status'))
      return { status: 422, resource: OUTCOME('status is not searched by this code') };
    // Its values have no system.
    if (url.startsWith('Observation?version')) return { status: 400, resource: OUTCOME('no value') };
    return good({ resourceType: 'Bundle', total: 0 });
  }

  private expand(parameters: readonly Parameter[]): Answer {
    if (this.refusal !== undefined) return { status: 422, resource: OUTCOME(this.refusal) };
    const [{ version, filter }] = parameters[0]?.resource?.compose.include ?? [{ version: '' }];
    const concepts = VERSIONS[version] ?? [];
    const valueOf = (name: string) => {
      const [, value] =
        Object.entries(parameters.find((each) => each.name === name) ?? {}).find(([key]) =>
          key.startsWith('value'),
        ) ?? [];
      return value;
    };
    const words = String(valueOf('filter') ?? '').toLowerCase();
    const found = concepts.filter(
      (concept) =>
        meets(concepts, concept, filter?.[0]) &&
        `${concept.display} ${concept.german ?? ''}`.toLowerCase().includes(words),
    );
    const offset = Number(valueOf('offset') ?? 0);
    const page = found.slice(offset, offset + Number(valueOf('count') ?? found.length));
    const contains = page.map(({ code, display, german, isInactive }) => ({
      ...{ system: CATALOGUE, version, code, display },
      ...(isInactive === true ? { inactive: true } : {}),
      ...(german === undefined || words === '' ? {} : { designation: [{ language: 'de', value: german }] }),
    }));
    return good({ resourceType: 'ValueSet', expansion: { total: found.length, contains } });
  }
}

const STATEMENT = {
  resourceType: 'CapabilityStatement',
  rest: [
    {
      resource: ['Observation', 'Condition'].map((type) => ({
        type,
        interaction: [{ code: 'search-type' }],
        searchParam: ['code', 'status', 'version', '_tag'].map((name) => ({ name, type: 'token' })),
      })),
    },
  ],
};

function isBelow(
  concepts: readonly FakeConcept[],
  { code, parents = [] }: FakeConcept,
  top: string,
): boolean {
  if (code === top) return true;
  return parents.some((parent) => {
    const found = concepts.find((each) => each.code === parent);
    return found !== undefined && isBelow(concepts, found, top);
  });
}

function meets(concepts: readonly FakeConcept[], concept: FakeConcept, filter: Filter | undefined): boolean {
  const { parents = [] } = concept;
  if (filter === undefined) return true;
  if (filter.op === 'exists') return parents.length === 0;
  return filter.op === '=' ? parents.includes(filter.value) : isBelow(concepts, concept, filter.value);
}

function lookUp(parameters: readonly Parameter[]): Answer {
  const textOf = (name: string, value: `value${string}`) => {
    const text = parameters.find((each) => each.name === name)?.[value];
    return typeof text === 'string' ? text : '';
  };
  const concepts = VERSIONS[textOf('version', 'valueString')] ?? [];
  const code = textOf('code', 'valueCode');
  const concept = concepts.find((each) => each.code === code);
  if (concept === undefined) return { status: 404, resource: OUTCOME(`There is no code '${code}'`) };
  const { display, german, parents = [] } = concept;
  return good({
    resourceType: 'Parameters',
    parameter: [
      { name: 'name', valueString: 'Catalogue' },
      { name: 'display', valueString: display },
      ...(german === undefined
        ? []
        : [
            {
              name: 'designation',
              part: [
                { name: 'language', valueCode: 'de' },
                { name: 'value', valueString: german },
              ],
            },
          ]),
      ...parents.map((parent) => ({
        name: 'property',
        part: [
          { name: 'code', valueCode: 'parent' },
          { name: 'value', valueCode: parent },
          { name: 'description', valueString: concepts.find((each) => each.code === parent)?.display },
        ],
      })),
    ],
  });
}
