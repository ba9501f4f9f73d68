/** HL7's cases of FHIRPath Patch by PATCH, on patients that are stored. */
import type { Release } from '../../src/core';
import { isJsonObject, type JsonObject } from '../../src/core/fhir/json';
import { toParameters } from '../support/fhirpath-patch';
import { fhirPathPatchCases } from '../support/fhirpath-patch-cases';
import { openSharedServer, type HttpServer } from '../support/shared-server';

/** The rule of pat-1 for each contact: "a contact's details or a reference to an organization". */
const DETAILS = ['name', 'telecom', 'address', 'organization'];

/** The contacts of HL7's patients that break an invariant of the specification. */
function brokenContacts({ contact = [] }: JsonObject): string[] {
  if (!Array.isArray(contact)) throw new Error('contacts are a list');
  return contact.flatMap((each, index) =>
    isJsonObject(each) && DETAILS.some((name) => name in each) ? [] : [`Patient.contact[${index}]`],
  );
}

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'other'],
])('under %s of the tenant %s', (release, tenant) => {
  it.each(fhirPathPatchCases)(
    "a FHIRPath Patch has the result of HL7's case: %s",
    async (_name, before, steps, after) => {
      const place = `${server.path(tenant, release)}/Patient`;
      const made = await server.request('POST', place, { resourceType: 'Patient', ...before });
      expect(made.status).toBe(201);
      const { id } = made.json;
      const { status, json } = await server.request('PATCH', `${place}/${id}`, toParameters(...steps));
      const { headers, json: stored } = await server.request('GET', `${place}/${id}`);
      if (after === undefined) {
        expect([status, json.issue[0].expression]).toEqual([422, ['Parameters.parameter[0].part[1].value']]);
        expect(headers.etag).toBe('W/"1"');
      } else if (brokenContacts(after).length > 0) {
        // A patch is validated like an update: HL7's cases ignore invariants.
        expect([status, json.issue.map(({ expression }: { expression: string[] }) => expression[0])]).toEqual(
          [422, brokenContacts(after)],
        );
        expect(headers.etag).toBe('W/"1"');
      } else {
        const expected = { ...after, resourceType: 'Patient', id, meta: expect.anything() };
        expect([status, json, stored]).toEqual([200, expected, expected]);
        expect(headers.etag).toBe('W/"2"');
      }
    },
  );
});
