/** Refusals of each level of the setting `validation` (docs/decisions/0016-what-validation-refuses.md). */
import { RELEASES } from '../../src/core/fhir/release';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

const LEVELS = ['full', 'lenient', 'structure'] as const;
const URL = 'http://example.org/StructureDefinition/levels';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const validation of LEVELS) await server.createTenant(`level-${validation}`, { validation });
});
afterAll(() => server.close());

const patient = (more: object): object => ({ resourceType: 'Patient', ...more });
const narrative = (content: string): object => ({
  text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${content}</div>` },
});

/** Each resource with the status of each level. */
const CASES: readonly (readonly [name: string, resource: object, statuses: readonly number[]])[] = [
  ['a sound resource', patient({ gender: 'male' }), [201, 201, 201]],
  ['an unknown element', patient({ nick: 'a' }), [400, 400, 400]],
  ['a wrong data type', patient({ birthDate: 'yesterday' }), [400, 400, 400]],
  ['a missing element', patient({ link: [{ other: { display: 'a' } }] }), [400, 400, 400]],
  ['a code outside of a required binding', patient({ gender: 'masculine' }), [422, 422, 201]],
  ['a script in its narrative', patient(narrative('<script>a</script>')), [422, 422, 201]],
  ['a broken invariant', patient({ contact: [{ gender: 'male' }] }), [422, 201, 201]],
  [
    'a reference of a wrong type',
    patient({ managingOrganization: { reference: 'Patient/1' } }),
    [422, 422, 422],
  ],
  ['a broken profile', patient({ meta: { profile: [URL] } }), [422, 201, 201]],
  [
    'a code outside of a binding of its profile',
    patient({
      meta: { profile: [URL] },
      birthDate: '2000',
      maritalStatus: { coding: [{ system: 'urn:a', code: 'a' }] },
    }),
    [422, 201, 201],
  ],
];

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (level: string, method: string, rest: string, body: object) =>
    server.request(method, `${server.path(`level-${level}`, release)}/${rest}`, body);

  beforeAll(async () => {
    for (const level of LEVELS) {
      await send(level, 'PUT', 'ValueSet/levels', {
        resourceType: 'ValueSet',
        id: 'levels',
        url: 'http://example.org/levels',
        status: 'active',
        compose: { include: [{ system: 'urn:a', concept: [{ code: 'b' }] }] },
      });
      const { status } = await send(level, 'PUT', 'StructureDefinition/levels', {
        resourceType: 'StructureDefinition',
        id: 'levels',
        url: URL,
        name: 'Levels',
        status: 'active',
        fhirVersion: RELEASES[release].fhirVersion,
        kind: 'resource',
        abstract: false,
        type: 'Patient',
        baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
        derivation: 'constraint',
        differential: {
          element: [
            { id: 'Patient.birthDate', path: 'Patient.birthDate', min: 1 },
            {
              id: 'Patient.maritalStatus',
              path: 'Patient.maritalStatus',
              binding: { strength: 'required', valueSet: 'http://example.org/levels' },
            },
          ],
        },
      });
      expect(status).toBe(201);
    }
  });

  it.each(CASES)('%s is refused or stored by the level', async (_name, resource, statuses) => {
    for (const [index, level] of LEVELS.entries()) {
      const { status, headers } = await send(level, 'POST', 'Patient', resource);
      expect([level, status]).toEqual([level, statuses[index]]);
      const isLowered = level === 'lenient' && statuses[0] !== statuses[1];
      if (status === 201)
        expect([level, headers['x-issues']]).toEqual([level, isLowered ? '1; warning' : undefined]);
      const validated = await send(level, 'POST', 'Patient/$validate', resource);
      const hasError = (validated.json.issue as { severity: string }[]).some(
        ({ severity }) => severity === 'error',
      );
      expect([level, hasError]).toEqual([level, statuses[0] !== 201]);
    }
  });
});
