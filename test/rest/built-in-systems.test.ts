/** Code systems without a resource (units, languages, media types, countries, currencies, time zones) in every operation. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const UCUM = 'http://unitsofmeasure.org';
const LANGUAGES = 'urn:ietf:bcp:47';
const MEDIA_TYPES = 'urn:ietf:bcp:13';
const COUNTRIES = 'urn:iso:std:iso:3166';
const PARTS = 'urn:iso:std:iso:3166:-2';
const CURRENCIES = 'urn:iso:std:iso:4217';
const ZONES = 'https://www.iana.org/time-zones';
const URIS = 'urn:ietf:rfc:3986';

const KNOWN: readonly (readonly [system: string, code: string, display: string])[] = [
  [UCUM, 'mm[Hg]', 'mm[Hg]'],
  [UCUM, '[iU]/L', '[iU]/L'],
  [LANGUAGES, 'de-CH', 'Swiss High German'],
  [MEDIA_TYPES, 'application/fhir+json; fhirVersion=4.0', 'application/fhir+json; fhirVersion=4.0'],
  [COUNTRIES, 'NL', 'Netherlands'],
  [COUNTRIES, 'NLD', 'Netherlands'],
  [COUNTRIES, '528', 'Netherlands'],
  [PARTS, 'NL-UT', 'NL-UT'],
  [CURRENCIES, 'EUR', 'Euro'],
  [CURRENCIES, 'DEM', 'German Mark'],
  [CURRENCIES, 'XXX', 'Unknown Currency'],
  [ZONES, 'Europe/Amsterdam', 'Europe/Amsterdam'],
  [ZONES, 'Asia/Kolkata', 'Asia/Kolkata'],
  [URIS, 'urn:oid:2.16.840.1.113883.6.1', 'urn:oid:2.16.840.1.113883.6.1'],
];
const UNKNOWN: readonly (readonly [system: string, code: string])[] = [
  [UCUM, 'spoonful'],
  [LANGUAGES, 'german language'],
  [MEDIA_TYPES, 'pdf'],
  [COUNTRIES, 'XK'],
  [COUNTRIES, 'nl'],
  [PARTS, 'QQ-UT'],
  [CURRENCIES, 'EURO'],
  [ZONES, 'europe/amsterdam'],
  [ZONES, '+01:00'],
  [URIS, 'no uri'],
];

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const base = `http://systems.example/${release}`;
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const query = (parameters: Readonly<Record<string, string>>): string =>
    new URLSearchParams(parameters).toString();
  const valuesOf = (json: { parameter: readonly Record<string, unknown>[] }): Record<string, unknown> =>
    Object.fromEntries(
      json.parameter.map(({ name, ...value }) => [String(name), Object.values(value)[0]] as const),
    );
  const validate = async (operation: string, parameters: Readonly<Record<string, string>>) => {
    const { status, json } = await send('GET', `${operation}/$validate-code?${query(parameters)}`);
    expect(status).toBe(200);
    return valuesOf(json);
  };
  const valueSet = (id: string, include: object): object => ({
    resourceType: 'ValueSet',
    id,
    url: `${base}/${id}`,
    status: 'active',
    compose: { include: [include] },
  });

  beforeAll(async () => {
    const systems: Readonly<Record<string, string>> = {
      'all-units': UCUM,
      'all-languages': LANGUAGES,
      'all-media-types': MEDIA_TYPES,
      'all-countries': COUNTRIES,
      'all-parts': PARTS,
      'all-currencies': CURRENCIES,
      'all-zones': ZONES,
      'all-uris': URIS,
    };
    for (const [id, system] of Object.entries(systems)) {
      expect((await send('PUT', `ValueSet/${id}`, valueSet(id, { system }))).status).toBe(201);
    }
  });

  const valueSetOf = (system: string): string => {
    const ids: Readonly<Record<string, string>> = {
      [UCUM]: 'units',
      [LANGUAGES]: 'languages',
      [MEDIA_TYPES]: 'media-types',
      [COUNTRIES]: 'countries',
      [PARTS]: 'parts',
      [CURRENCIES]: 'currencies',
      [ZONES]: 'zones',
      [URIS]: 'uris',
    };
    return `${base}/all-${ids[system]}`;
  };

  it.each(KNOWN)('%s knows %s', async (system, code, display) => {
    const { status, json } = await send('GET', `CodeSystem/$lookup?${query({ system, code })}`);
    expect(status).toBe(200);
    expect(valuesOf(json)).toMatchObject({ display });
    expect(await validate('CodeSystem', { url: system, code })).toMatchObject({ result: true });
    const url = valueSetOf(system);
    expect(await validate('ValueSet', { url, system, code, display: 'any' })).toMatchObject({ result: true });
    const subsumes = await send('GET', `CodeSystem/$subsumes?${query({ system, codeA: code, codeB: code })}`);
    expect(valuesOf(subsumes.json)).toEqual({ outcome: 'equivalent' });
  });

  it.each(UNKNOWN)('%s does not know %s', async (system, code) => {
    expect((await send('GET', `CodeSystem/$lookup?${query({ system, code })}`)).status).toBe(404);
    expect(await validate('CodeSystem', { url: system, code })).toMatchObject({ result: false });
    const url = valueSetOf(system);
    expect(await validate('ValueSet', { url, system, code })).toMatchObject({ result: false });
  });

  it('countries, currencies and time zones can be listed, and what follows a grammar cannot', async () => {
    for (const [id, code] of [
      ['all-countries', 'NLD'],
      ['all-currencies', 'EUR'],
      ['all-zones', 'Europe/Amsterdam'],
    ] as const) {
      const { json } = await send('GET', `ValueSet/${id}/$expand`);
      expect(json.expansion.contains).toContainEqual(expect.objectContaining({ code }) as unknown);
    }
    for (const id of ['all-units', 'all-languages', 'all-media-types', 'all-parts', 'all-uris']) {
      const { status, json } = await send('GET', `ValueSet/${id}/$expand`);
      expect([id, status]).toEqual([id, 422]);
      expect(json.issue[0].code).toBe('too-costly');
    }
  });

  it('a value set of the units of one kind has those that can be converted', async () => {
    const url = 'http://hl7.org/fhir/ValueSet/all-time-units';
    expect(await validate('ValueSet', { url, system: UCUM, code: 'wk' })).toMatchObject({ result: true });
    expect(await validate('ValueSet', { url, system: UCUM, code: 'kg' })).toMatchObject({ result: false });
  });

  it('searches know them: all codes of the value set, and none of another system', async () => {
    const tag = (system: string, code: string): object => ({
      resourceType: 'Basic',
      code: { coding: [{ system, code }] },
      identifier: [{ system: base, value: `${system}|${code}` }],
    });
    for (const [system, code] of KNOWN)
      expect((await send('POST', 'Basic', tag(system, code))).status).toBe(201);
    const all = KNOWN.length;
    for (const system of [UCUM, LANGUAGES, COUNTRIES, CURRENCIES, ZONES]) {
      const of = KNOWN.filter(([each]) => each === system).length;
      const among = `identifier=${encodeURIComponent(`${base}|`)}`;
      const into = encodeURIComponent(valueSetOf(system));
      expect((await send('GET', `Basic?${among}&code:in=${into}`)).json.total).toBe(of);
      expect((await send('GET', `Basic?${among}&code:not-in=${into}`)).json.total).toBe(all - of);
    }
    const below = encodeURIComponent(`${COUNTRIES}|NLD`);
    expect((await send('GET', `Basic?code:below=${below}`)).json.total).toBe(1);
  });

  it('a write is held to the same list: an amount in EUR is stored, one in EURO is refused', async () => {
    const invoice = (currency: string): object => ({
      resourceType: 'Invoice',
      status: 'issued',
      totalNet: { value: 1, currency },
    });
    expect((await send('POST', 'Invoice', invoice('EUR'))).status).toBe(201);
    const refused = await send('POST', 'Invoice', invoice('EURO'));
    expect(refused.status).toBe(422);
    expect(refused.json.issue[0].expression).toEqual(['Invoice.totalNet.currency']);
  });

  it('the capabilities name them', async () => {
    const { json } = await send('GET', 'metadata?mode=terminology');
    const uris = (json.codeSystem as { uri: string }[]).map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining([UCUM, LANGUAGES, MEDIA_TYPES, COUNTRIES, CURRENCIES, ZONES]) as string[],
    );
  });

  it('a stored code system with concepts goes before the built-in one', async () => {
    const tenant = `zones-${release}`;
    await server.createTenant(tenant);
    const path = server.path(tenant, release);
    const resource = {
      resourceType: 'CodeSystem',
      id: 'zones',
      url: ZONES,
      status: 'active',
      content: 'complete',
      concept: [{ code: 'Mars/Olympus', display: 'Olympus Mons' }],
    };
    expect((await server.request('PUT', `${path}/CodeSystem/zones`, resource)).status).toBe(201);
    const lookup = (code: string) =>
      server.request('GET', `${path}/CodeSystem/$lookup?${query({ system: ZONES, code })}`);
    expect((await lookup('Mars/Olympus')).status).toBe(200);
    expect((await lookup('Europe/Amsterdam')).status).toBe(404);
    await server.request('PUT', `${path}/CodeSystem/zones`, {
      ...resource,
      content: 'not-present',
      concept: undefined,
    });
    expect((await lookup('Europe/Amsterdam')).status).toBe(200);
  });

  it('the value set that a code system names as its own has all of its codes', async () => {
    const system = {
      resourceType: 'CodeSystem',
      id: 'colours',
      url: `${base}/colours`,
      version: '2.0',
      valueSet: `${base}/all-colours`,
      status: 'active',
      content: 'complete',
      concept: [{ code: 'red' }, { code: 'blue' }],
    };
    const url = encodeURIComponent(system.valueSet);
    expect((await send('GET', `ValueSet/$expand?url=${url}`)).status).toBe(404);
    await send('PUT', 'CodeSystem/colours', system);
    const { json } = await send('GET', `ValueSet/$expand?url=${url}`);
    expect(json.expansion.total).toBe(2);
    expect((await send('GET', `ValueSet/$expand?url=${url}|2.0`)).status).toBe(200);
    expect((await send('GET', `ValueSet/$expand?url=${url}|1.0`)).status).toBe(404);
    expect(await validate('ValueSet', { url: system.valueSet, code: 'red' })).toMatchObject({ result: true });
    await send('PUT', 'Basic/red', {
      resourceType: 'Basic',
      id: 'red',
      code: { coding: [{ system: system.url, code: 'red' }] },
    });
    expect((await send('GET', `Basic?code:in=${url}`)).json.total).toBe(1);
  });
});
