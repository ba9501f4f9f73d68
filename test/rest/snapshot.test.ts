/** StructureDefinition/$snapshot over HTTP. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('clinic');
});
afterAll(() => server.close());

const BASE = 'http://hl7.org/fhir/StructureDefinition';
const OWN = 'http://clinic.example/fhir/StructureDefinition';

interface Element {
  readonly id: string;
  readonly min?: number;
}

describe.each(TESTED_RELEASES)('StructureDefinition/$snapshot under %s', (release) => {
  const root = () => server.path('clinic', release);
  const send = (method: string, rest: string, body?: unknown) => server.request(method, root() + rest, body);
  const parameters = (...parameter: object[]) => ({ resourceType: 'Parameters', parameter });
  const profile = (name: string, elements: readonly object[], more: object = {}) => ({
    resourceType: 'StructureDefinition',
    id: name,
    url: `${OWN}/${name}`,
    name,
    status: 'draft',
    kind: 'resource',
    abstract: false,
    type: 'Patient',
    baseDefinition: `${BASE}/Patient`,
    derivation: 'constraint',
    differential: { element: elements },
    ...more,
  });
  const named = (family: string, min: number) => ({
    id: `Patient.name.${family}`,
    path: `Patient.name.${family}`,
    min,
  });

  beforeAll(async () => {
    const stored = await send('PUT', '/StructureDefinition/Named', profile('Named', [named('family', 1)]));
    expect(stored.status).toBe(201);
  });

  it('makes the snapshot of a profile that is sent, bare or in Parameters', async () => {
    const definition = profile('Sent', [named('given', 1)], { baseDefinition: `${OWN}/Named` });
    const bodies = [definition, parameters({ name: 'definition', resource: definition })];
    for (const body of bodies) {
      const { status, json } = await send('POST', '/StructureDefinition/$snapshot', body);
      expect([status, json.resourceType, json.url]).toEqual([200, 'StructureDefinition', `${OWN}/Sent`]);
      const elements: readonly Element[] = json.snapshot.element;
      const required = elements.filter(({ id, min }) => id.startsWith('Patient.name.') && min === 1);
      expect(required.map(({ id }) => id)).toEqual(['Patient.name.family', 'Patient.name.given']);
      expect(json.differential).toEqual(definition.differential);
    }
  });

  it('accepts a profile of the tenant by url or by address, and one of the specification unchanged', async () => {
    const answers = [
      await send(
        'POST',
        '/StructureDefinition/$snapshot',
        parameters({ name: 'url', valueString: `${OWN}/Named` }),
      ),
      await send('POST', '/StructureDefinition/Named/$snapshot', parameters()),
    ];
    for (const { status, json } of answers) {
      expect(status).toBe(200);
      expect(json.snapshot.element.find(({ id }: Element) => id === 'Patient.name.family').min).toBe(1);
    }
    const version = release === 'r4' ? '4.0.1' : '4.3.0';
    const url = { name: 'url', valueString: `${BASE}/Observation|${version}` };
    const found = await send('POST', '/StructureDefinition/$snapshot', parameters(url));
    expect([found.status, found.json.id]).toEqual([200, 'Observation']);
    expect(found.json.snapshot.element).toHaveLength(50);
  });

  it('changes nothing that is stored', async () => {
    const { json } = await send('GET', '/StructureDefinition/Named');
    expect(json.meta.versionId).toBe('1');
    expect(json.snapshot).toBeUndefined();
  });

  it('is refused with the place of each fault: 422', async () => {
    const odd = profile('Odd', [named('family', 1), { id: 'Patient.nmae', path: 'Patient.nmae', min: 1 }]);
    const wrong = await send(
      'POST',
      '/StructureDefinition/$snapshot',
      parameters({ name: 'definition', resource: odd }),
    );
    expect(wrong.status).toBe(422);
    expect(wrong.json.issue).toMatchObject([
      { severity: 'error', expression: ['Parameters.parameter[0].resource.differential.element[1]'] },
    ]);
    const lost = profile('Lost', [named('family', 1)], { baseDefinition: `${OWN}/Nowhere` });
    const unknown = await send('POST', '/StructureDefinition/$snapshot', lost);
    expect(unknown.status).toBe(422);
    expect(unknown.json.issue).toMatchObject([
      {
        code: 'not-found',
        diagnostics: `The StructureDefinition '${OWN}/Nowhere' does not exist`,
        expression: ['StructureDefinition.baseDefinition'],
      },
    ]);
  });

  it('does not see the profiles of another tenant or release', async () => {
    const url = parameters({ name: 'url', valueString: `${OWN}/Named` });
    const other = await server.request(
      'POST',
      `${server.path('system', release)}/StructureDefinition/$snapshot`,
      url,
    );
    expect([other.status, other.json.issue[0].code]).toEqual([404, 'not-found']);
  });

  it('requires exactly one structure: 400, and POST: 405', async () => {
    expect((await send('POST', '/StructureDefinition/$snapshot', parameters())).status).toBe(400);
    const both = parameters(
      { name: 'url', valueString: `${OWN}/Named` },
      { name: 'definition', resource: profile('Sent', [named('family', 1)]) },
    );
    expect((await send('POST', '/StructureDefinition/$snapshot', both)).status).toBe(400);
    expect((await send('GET', `/StructureDefinition/$snapshot?url=${OWN}/Named`)).status).toBe(405);
  });
});
