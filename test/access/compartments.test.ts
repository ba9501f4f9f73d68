/**
 * A patient's record and nothing else: for every type of the Patient compartment and every parameter of its
 * CompartmentDefinition, one resource of the record and one of another.
 */
import { FhirError, type Access, type RequestContext, type SearchPage } from '../../src/core';
import { loadDefinitions } from '../../src/core/fhir/definitions';
import type { JsonObject } from '../../src/core/fhir/json';
import { storedParameters } from '../../src/core/search/parameters/parameter';
import { withValue } from '../properties/every-parameter/made-values';
import { makeKey, serveKeys, toJwt, WITH_LOCAL_KEYS, type KeyServer } from '../support/access';
import { forEachOf } from '../support/examples';
import { silentLog } from '../support/log';
import { patientDeadline } from '../support/patience';
import { startServer, type TestServer } from '../support/server';
import { storeUnvalidated, type UnvalidatedResource } from '../support/unvalidated';
import { TESTED_RELEASES } from '../support/releases';

const MINE = 'mine';
const THEIRS = 'theirs';
/** Read by auditors alone. */
const AUDIT_EVENT = 'AuditEvent';
/** They define the records of users: patients may not write them. */
const DECIDING = ['Person', 'RelatedPerson', 'Group'];
/** The record refers to them, and they name no Patient: opened only by the tenant's setting record-opens. */
const BY_SETTING = ['DeviceMetric', 'Endpoint', 'PlanDefinition', 'ResearchStudy', 'Slot', 'Substance'];
const ISSUER = 'https://login.example';

let server: TestServer;
let keyServer: KeyServer;
let token: string;

beforeAll(async () => {
  const because = 'it calls the program itself';
  server = await startServer({ because, environment: { ...WITH_LOCAL_KEYS, VALIDATION: 'structure' } });
  const { core } = server.app;
  const key = makeKey('idp', 'P-256');
  keyServer = await serveKeys([key]);
  const { id } = await core.tenants.clients.create('system', { name: 'Portal', scopes: ['patient/*.cruds'] });
  await core.tenants.issuers.put('system', {
    ...{ issuer: ISSUER, client: id, audience: 'andiron', jwksUrl: keyServer.url, release: 'both' },
  });
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: ISSUER, aud: 'andiron', sub: 'u', exp: now + 600, patient: MINE };
  const signed = toJwt({ alg: 'ES256', kid: 'idp' }, { ...claims, scope: 'patient/*.cruds' }, key.privateKey);
  token = `Bearer ${signed}`;
});
afterAll(async () => {
  await keyServer.close();
  await server.close();
});

describe.each(TESTED_RELEASES)('with scopes of a patient, in %s', (release) => {
  const definitions = loadDefinitions(release);
  const compartment = definitions.compartments.get('Patient')?.parameters ?? new Map<string, string[]>();
  const types = [...compartment.keys()].filter((type) => type !== AUDIT_EVENT).sort();
  /** `Type code` of which a resource was made. */
  const made: [type: string, code: string][] = [];
  const stored: UnvalidatedResource[] = [MINE, THEIRS].map((id) => ({
    ...{ type: 'Patient', id, resource: { resourceType: 'Patient', id } },
  }));
  for (const type of types) {
    for (const code of compartment.get(type) ?? []) {
      const parameter = definitions.searchParameters(type).get(code);
      if (parameter === undefined) continue;
      for (const [branch, copy] of withValue(definitions, parameter, { resourceType: type }).entries()) {
        made.push([type, code]);
        for (const owner of [MINE, THEIRS]) {
          const id = `${owner}-${code}-${branch}`;
          const text = JSON.stringify({ ...copy, id }).replace(
            /"reference":"\w+\/made"/g,
            `"reference":"Patient/${owner}"`,
          );
          stored.push({ type, id, resource: JSON.parse(text) as JsonObject });
        }
      }
    }
  }
  const idsOf = (type: string, owner: string): string[] =>
    stored.flatMap((one) => (one.type === type && one.id.startsWith(owner) ? [one.id] : [])).sort();
  const isMine = ({ id }: { readonly id: string }): boolean => id.startsWith(MINE);

  let open: RequestContext;
  let own: RequestContext;
  beforeAll(async () => {
    const space = await server.app.core.access.findSpace('system', release);
    if (space === undefined) throw new Error('system is not there');
    open = {
      ...{ space, actor: 'anonymous', deadline: patientDeadline(), requestId: 'x', log: silentLog },
    };
    const access: Access = {
      ...{ client: 'app', patient: MINE, scopes: ['patient/*.cruds'], policies: [] },
      ...{ isAdministrator: false, isAuditor: false },
    };
    own = { ...open, access };
    await storeUnvalidated({ database: server.database, release, space: space.number }, stored);
  });

  const keyOf = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof FhirError ? error.key : Promise.reject(error as Error)),
    );
  const namesOf = (versions: SearchPage['matches']): string[] => versions.map(({ id }) => id).sort();
  const search = (
    type: string,
    parameters: readonly (readonly [string, string])[],
    context = own,
  ): Promise<SearchPage> =>
    server.app.core.interactions.search(context, {
      type,
      parameters: [...parameters, ['_count', '200'], ['_total', 'accurate']],
    });

  it('the data have a resource for every type, and for all parameters except of elements without a patient', () => {
    expect(types.length).toBeGreaterThan(60);
    expect(types.filter((type) => idsOf(type, MINE).length === 0)).toEqual([]);
    const codes = types.flatMap((type) => (compartment.get(type) ?? []).map((code) => `${type} ${code}`));
    const left = codes.filter((code) => !made.some(([type, name]) => `${type} ${name}` === code));
    expect(left).toEqual([]);
  });

  it('every resource of the record can be read, and none of another one', async () => {
    const { core } = server.app;
    const wrong: string[] = [];
    await forEachOf(stored, 16, async (one) => {
      const { type, id } = one;
      const criteria = {
        read: await keyOf(core.interactions.read(own, type, id)),
        vread: await keyOf(core.interactions.vread(own, type, id, '1')),
        asOf: await keyOf(core.interactions.readAsOf(own, type, id, Date.now())),
        history: await keyOf(core.interactions.history(own, { type, id })),
      };
      // As of one that never was.
      const never = await keyOf(core.interactions.vread(own, type, 'never', '1'));
      for (const [how, key] of Object.entries(criteria)) {
        const wanted = isMine(one) ? 'done' : how === 'vread' ? never : 'notFound';
        if (key !== wanted) wrong.push(`${how} ${type}/${id}: ${key}`);
      }
      if (isMine(one)) return;
      if (DECIDING.includes(type)) {
        expect(await keyOf(core.interactions.delete(own, type, id))).toBe('forbidden');
        return;
      }
      const { version } = await core.interactions.delete(own, type, id);
      if (version !== undefined) wrong.push(`${type}/${id} was deleted`);
    });
    expect(wrong).toEqual([]);
  });

  it('searches, totals, chains, _has, includes, histories and aggregates are of the record alone', async () => {
    const { core } = server.app;
    const wrong: string[] = [];
    await forEachOf(types, 8, async (type) => {
      const ids = idsOf(type, MINE);
      const check = (how: string, found: unknown, wanted: unknown): void => {
        if (JSON.stringify(found) !== JSON.stringify(wanted))
          wrong.push(`${how} of ${type}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
      };
      const { matches, total } = await search(type, []);
      check('search', [namesOf(matches), total], [ids, ids.length]);
      const { versions } = await core.interactions.history(own, { type, count: 1000 });
      check('history', namesOf(versions), ids);
      const { total: counted } = await core.interactions.aggregate(own, { type, parameters: [] });
      check('aggregate', counted, ids.length);
      for (const code of new Set(made.flatMap(([of, name]) => (of === type ? [name] : [])))) {
        const sought = namesOf((await search(type, [[code, `Patient/${MINE}`]])).matches);
        check(code, sought.length > 0 && sought.every((id) => ids.includes(id)), true);
        check(`${code} of theirs`, (await search(type, [[code, `Patient/${THEIRS}`]])).total, 0);
        check(`chain ${code}`, (await search(type, [[`${code}:Patient._id`, THEIRS]])).total, 0);
        const brought = await search('Patient', [
          ['_id', `${MINE},${THEIRS}`],
          ['_revinclude', `${type}:${code}`],
        ]);
        check(`_revinclude ${code}`, namesOf(brought.included), sought);
        const has = `_has:${type}:${code}:_id`;
        check(`_has ${code}`, (await search('Patient', [[has, idsOf(type, THEIRS).join(',')]])).total, 0);
        const included = await search(type, [['_include', `${type}:${code}`]]);
        check(`_include ${code}`, included.included.every(isMine), true);
      }
    });
    expect(wrong).toEqual([]);
  });

  it('$everything, a search of all types and the history of all are the record', async () => {
    const { core } = server.app;
    const all = stored
      .filter(isMine)
      .map(({ type, id }) => `${type}/${id}`)
      .sort();
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const query = [['_count', '200'], ...(cursor === undefined ? [] : [['_cursor', cursor]])] as const;
      const result = await core.interactions.invoke(own, {
        ...{ level: 'type', type: 'Patient', code: 'everything', safe: true },
        query: query as readonly (readonly [string, string])[],
      });
      if (!('page' in result)) throw new Error('a record has pages');
      for (const { type, id } of [...result.page.matches, ...result.page.included])
        found.push(`${type}/${id}`);
      cursor = result.page.next;
    } while (cursor !== undefined);
    expect(found.sort()).toEqual(all);
    const theirs = {
      level: 'instance',
      type: 'Patient',
      id: THEIRS,
      code: 'everything',
      safe: true,
    } as const;
    expect(await keyOf(core.interactions.invoke(own, theirs))).toBe('notFound');
    const { matches } = await core.interactions.search(own, { parameters: [['_count', '1000']] });
    expect(matches.map(({ type, id }) => `${type}/${id}`).sort()).toEqual(all);
    const { versions } = await core.interactions.history(own, { count: 1000 });
    expect(versions.map(({ type, id }) => `${type}/${id}`).sort()).toEqual(all);
  });

  it('GraphQL returns the same for every type', async () => {
    const fields = types.flatMap((type, index) => [
      `l${index}: ${type}List(_count: 200) { id }`,
      `c${index}: ${type}Connection(_count: 1) { count }`,
      `t${index}: ${type}List(_id: ${JSON.stringify(idsOf(type, THEIRS).slice(0, 1))}) { id }`,
    ]);
    for (let from = 0; from < fields.length; from += 30) {
      const { json } = await server.request(
        'POST',
        `/w/system/api/v1/graphql/${release}`,
        { query: `{ ${fields.slice(from, from + 30).join('\n')} }` },
        { 'content-type': 'application/json', authorization: token },
      );
      expect(json.errors).toBeUndefined();
      for (const [name, value] of Object.entries<{ id: string }[] & { count: number }>(json.data)) {
        const ids = idsOf(types[Number(name.slice(1))] ?? '', MINE);
        const wanted = name.startsWith('l') ? ids : name.startsWith('c') ? ids.length : [];
        const told = name.startsWith('c') ? value.count : value.map(({ id }) => id).sort();
        expect([name, told]).toEqual([name, wanted]);
      }
    }
  });

  it('types that no record has or names are refused, and the missing scope is named', async () => {
    const { core } = server.app;
    const others = definitions.resourceTypes.filter((type) => type !== 'Patient' && !compartment.has(type));
    expect(others.length).toBeGreaterThan(60);
    // A parameter whose targets are most types names none of them.
    const isNamed = (type: string): boolean =>
      [...compartment.keys()].some((source) =>
        [...storedParameters(definitions, source).values()].some(
          ({ parameter: { kind, targets }, valueTypes }) =>
            kind === 'reference' &&
            valueTypes.includes('Reference') &&
            targets.length < 50 &&
            targets.includes(type),
        ),
      );
    const named = others.filter(isNamed);
    expect(named).toEqual(
      expect.arrayContaining(['Practitioner', 'Organization', 'Location', 'Medication', 'Device']),
    );
    expect(named.length).toBeLessThan(20);
    for (const type of others) {
      if (BY_SETTING.includes(type)) {
        await expect(core.interactions.read(own, type, 'x')).rejects.toThrow(`does not open ${type}`);
        expect(await keyOf(search(type, []))).toBe('forbidden');
      } else if (named.includes(type)) {
        expect([type, await keyOf(core.interactions.read(own, type, 'x'))]).toEqual([type, 'notFound']);
        expect((await search(type, [])).matches).toEqual([]);
      } else {
        await expect(core.interactions.read(own, type, 'x')).rejects.toThrow(
          `The scope patient/${type}.r is missing`,
        );
        await expect(search(type, [])).rejects.toThrow(`The scope patient/${type}.s is missing`);
        expect(await keyOf(core.interactions.history(own, { type }))).toBe('forbidden');
      }
      expect(await keyOf(core.interactions.delete(own, type, 'x'))).toBe('forbidden');
    }
    expect(await keyOf(search(AUDIT_EVENT, []))).toBe('forbidden');
    expect(await keyOf(core.interactions.read(own, AUDIT_EVENT, 'x'))).toBe('forbidden');
  });
});
