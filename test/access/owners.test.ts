/**
 * The patients about whom a patient's app writes: for every type of the Patient compartment and every parameter of its
 * CompartmentDefinition, in both releases (docs/run/access-rules.md, Whom a patient's client writes about).
 */
import { loadDefinitions, type SearchParameterDefinition } from '../../src/core/fhir/definitions';
import type { JsonObject } from '../../src/core/fhir/json';
import { RELEASE_NAMES } from '../../src/core';
import { withValue } from '../properties/every-parameter/made-values';
import { administerWell } from '../support/access';
import { forEachOf } from '../support/examples';
import { withRequired } from '../support/required-elements';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { SmartTenant } from '../support/smart-app';

/** Read by auditors alone; written by staff alone; with rules of their own. */
const APART = ['AuditEvent', 'Group', 'Person', 'RelatedPerson', 'Patient', 'Provenance'];
const MADE = /\{"reference":"\w+\/made"\}/g;

const toPatient = (id: string) => ({ reference: `Patient/${id}` });
/** Owners that are no Patient of the app. */
const OTHERS: Readonly<Record<string, JsonObject>> = {
  'another Patient': toPatient('bob'),
  'another Patient, by an address of ours': {
    reference: 'https://fhir.example/w/TENANT/api/v1/fhir/RELEASE/Patient/bob',
  },
  'a Group': { reference: 'Group/all' },
  'an identifier': { identifier: { value: '1' } },
  'an identifier of a Patient': { type: 'Patient', identifier: { value: '1' } },
  'a contained Patient': { reference: '#inside' },
  'the same id elsewhere': { reference: 'https://elsewhere.example/fhir/Patient/ann' },
};

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('enforced');
});
afterAll(() => server.close());

describe.each(RELEASE_NAMES)('an app with the record of ann, in %s', (release) => {
  const definitions = loadDefinitions(release);
  const compartment = definitions.compartments.get('Patient')?.parameters ?? new Map<string, string[]>();
  const types = [...compartment.keys()].filter((type) => !APART.includes(type)).sort();

  /** A resource with values for these parameters, each a reference. */
  function make(
    type: string,
    values: readonly (readonly [SearchParameterDefinition, JsonObject])[],
  ): JsonObject {
    let resource: JsonObject = { resourceType: type };
    for (const [parameter, reference] of values) {
      const [copy] = withValue(definitions, parameter, resource);
      if (copy === undefined) throw new Error(`no ${type} with ${parameter.code}`);
      const text = JSON.stringify(reference).replace('TENANT', smart.tenant).replace('RELEASE', release);
      resource = JSON.parse(JSON.stringify(copy).replaceAll(MADE, text)) as JsonObject;
    }
    resource = withRequired(definitions, type, resource);
    const isInside = JSON.stringify(resource).includes('#inside');
    return isInside ? { ...resource, contained: [{ resourceType: 'Patient', id: 'inside' }] } : resource;
  }
  /** The element that a parameter selects, as its expression is written. */
  const elementOf = ({ expression = '' }: SearchParameterDefinition): string =>
    expression.replace('.where(resolve() is Patient)', '');
  const namedOf = (type: string, codes: readonly string[]): SearchParameterDefinition[] =>
    codes.flatMap((code) => definitions.searchParameters(type).get(code) ?? []);
  /** The parameter that tells whom resources of the type are about: `subject` selects all that `patient` does. */
  const ownerOf = (type: string): SearchParameterDefinition => {
    const [owner] = namedOf(type, ['subject', 'patient', 'actor']);
    if (owner === undefined) throw new Error(`${type} is about nobody`);
    return owner;
  };
  const rolesOf = (type: string): SearchParameterDefinition[] =>
    namedOf(type, compartment.get(type) ?? []).filter((role) => elementOf(role) !== elementOf(ownerOf(type)));
  const withRoles = types.filter((type) => rolesOf(type).length > 0);

  let smart: SmartTenant;
  let app: string;
  let staff: string;
  const send = async (by: string, method: string, path: string, body?: unknown) =>
    server.request(method, `${smart.root}/${path}`, body, {
      authorization: `Bearer ${by}`,
      ...(method === 'PATCH' ? { 'content-type': 'application/json-patch+json' } : {}),
    });
  const place = ({ json }: Awaited<ReturnType<typeof send>>): string | undefined =>
    json.issue?.[0]?.expression?.[0];
  /** Stores a resource as staff; returns its path. */
  const store = async (resource: JsonObject): Promise<string> => {
    const { resourceType } = resource;
    const type = typeof resourceType === 'string' ? resourceType : '';
    const answer = await send(staff, 'POST', type, resource);
    if (answer.status !== 201) throw new Error(`${JSON.stringify(resource)}: ${answer.text}`);
    return `${answer.json.resourceType}/${answer.json.id}`;
  };

  beforeAll(async () => {
    smart = await SmartTenant.make(server, `owners-${release}`, release);
    await administerWell(server, 'PATCH', `/tenants/${smart.tenant}`, {
      settings: { validation: 'structure' },
    });
    await smart.put(
      ...['ann', 'bob', 'mum'].map((id) => ({ resourceType: 'Patient', id })),
      { resourceType: 'Practitioner', id: 'doctor' },
      { resourceType: 'Group', id: 'all', type: 'person', actual: true },
    );
    await smart.addPerson('ann', 'Patient/ann', 'ann');
    await smart.addPerson('doctor', 'Practitioner/doctor');
    app = (await smart.token({ scope: 'openid fhirUser launch/patient patient/*.cruds' })).access_token;
    staff = (await smart.token({ scope: 'openid fhirUser user/*.cruds', user: 'doctor' })).access_token;
  });

  it('writes about ann for every type, and staff writes about everybody', async () => {
    const wrong: string[] = [];
    await forEachOf(types, 8, async (type) => {
      const own = make(type, [[ownerOf(type), toPatient('ann')]]);
      const { status, text } = await send(app, 'POST', type, own);
      if (status !== 201) wrong.push(`${type}: ${status} ${text}`);
      await store(make(type, [[ownerOf(type), toPatient('bob')]]));
    });
    expect(wrong).toEqual([]);
    expect(types.length).toBeGreaterThan(55);
  });

  it.each(Object.keys(OTHERS))('writes nothing about %s, whatever role ann has', async (name) => {
    const wrong: string[] = [];
    const other = OTHERS[name] ?? {};
    let examined = 0;
    await forEachOf(types, 8, async (type) => {
      const owner = ownerOf(type);
      // A type that cannot be about a Group is refused to staff too.
      if (
        name === 'a Group' &&
        (await send(staff, 'POST', type, make(type, [[owner, other]]))).status !== 201
      )
        return;
      examined++;
      for (const role of [undefined, ...rolesOf(type)]) {
        const mine = role === undefined ? [] : [[role, toPatient('ann')] as const];
        const answer = await send(app, 'POST', type, make(type, [[owner, other], ...mine]));
        const isNamed = role === undefined || place(answer) === elementOf(owner);
        if (answer.status !== 403 || !isNamed)
          wrong.push(`${type} ${role?.code ?? ''}: ${answer.status} ${answer.text}`);
      }
    });
    expect(wrong).toEqual([]);
    expect(examined).toBeGreaterThan(30);
  });

  it('writes where ann has a role and nobody is named as the owner', async () => {
    const wrong: string[] = [];
    const ownerless = withRoles.filter((type) => {
      const path = elementOf(ownerOf(type)).slice(type.length + 1);
      return definitions.structure(type)?.element(path)?.min === 0;
    });
    expect(ownerless.length).toBeGreaterThan(10);
    await forEachOf(ownerless, 8, async (type) => {
      for (const role of rolesOf(type)) {
        const { status, text } = await send(app, 'POST', type, make(type, [[role, toPatient('ann')]]));
        if (status !== 201) wrong.push(`${type} ${role.code}: ${status} ${text}`);
      }
    });
    expect(wrong).toEqual([]);
  });

  it('does not change, patch or delete what is about bob, whatever role ann has', async () => {
    const wrong: string[] = [];
    await forEachOf(withRoles, 8, async (type) => {
      for (const role of rolesOf(type)) {
        const values = [[ownerOf(type), toPatient('bob')] as const, [role, toPatient('ann')] as const];
        const path = await store(make(type, values));
        const id = path.slice(path.indexOf('/') + 1);
        const own = make(type, [[ownerOf(type), toPatient('ann')]]);
        const answers = [
          await send(app, 'PUT', path, { ...own, id }),
          await send(app, 'PATCH', path, [{ op: 'add', path: '/language', value: 'en' }]),
          await send(app, 'DELETE', path),
        ];
        for (const [index, answer] of answers.entries())
          if (answer.status !== 403 || place(answer) !== elementOf(ownerOf(type)))
            wrong.push(`${index} ${type} ${role.code}: ${answer.status} ${answer.text}`);
      }
    });
    expect(wrong).toEqual([]);
  });

  it('keeps the roles of others, and neither adds nor removes them', async () => {
    const wrong: string[] = [];
    await forEachOf(withRoles, 8, async (type) => {
      for (const role of rolesOf(type)) {
        const owned = [ownerOf(type), toPatient('ann')] as const;
        const both = make(type, [owned, [role, toPatient('bob')]]);
        const path = await store(both);
        const id = path.slice(path.indexOf('/') + 1);
        const alone = make(type, [owned]);
        const joined = await store(alone);
        const joinedId = joined.slice(joined.indexOf('/') + 1);
        const answers = {
          201: [await send(app, 'POST', type, make(type, [owned, [role, toPatient('ann')]]))],
          200: [
            await send(app, 'PUT', path, { ...both, id, language: 'en' }),
            await send(app, 'PATCH', path, [{ op: 'add', path: '/language', value: 'de' }]),
          ],
          403: [
            await send(app, 'POST', type, both),
            await send(app, 'PUT', path, { ...alone, id }),
            await send(app, 'PUT', joined, { ...both, id: joinedId }),
            await send(app, 'PUT', path, { ...make(type, [owned, [role, toPatient('ann')]]), id }),
          ],
        };
        for (const [wanted, all] of Object.entries(answers))
          for (const answer of all)
            if (String(answer.status) !== wanted || (wanted === '403' && place(answer) !== elementOf(role)))
              wrong.push(`${type} ${role.code}, not ${wanted}: ${answer.status} ${answer.text}`);
        const deleted = await send(app, 'DELETE', path);
        if (deleted.status >= 300) wrong.push(`${type} ${role.code}: ${deleted.text}`);
      }
    });
    expect(wrong).toEqual([]);
  });
});
