/** The requests of each of the clients. */

/** As plain data: each client has types of its own for resources. */
export const chalmers = {
  resourceType: 'Patient' as const,
  active: true,
  name: [{ use: 'official' as const, family: 'Chalmers', given: ['Peter', 'James'] }],
  gender: 'male' as const,
  birthDate: '1974-12-25',
};

/** Patients of one family that no other test uses. */
export function family(name: string, count: number): (typeof chalmers)[] {
  return Array.from({ length: count }, (_unused, index) => ({
    ...chalmers,
    name: [{ use: 'official' as const, family: name, given: [`${index}`] }],
  }));
}

/** A patient and an observation that refers to it by the urn it has in the transaction. */
export function transaction(name: string) {
  const fullUrl = 'urn:uuid:05efabf0-4be2-4561-91ce-51548425acb9';
  return {
    resourceType: 'Bundle' as const,
    type: 'transaction' as const,
    entry: [
      {
        fullUrl,
        resource: { ...chalmers, name: [{ family: name }] },
        request: { method: 'POST' as const, url: 'Patient' },
      },
      {
        resource: {
          resourceType: 'Observation' as const,
          status: 'final' as const,
          code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
          subject: { reference: fullUrl },
          valueQuantity: { value: 72.5, unit: 'kg' },
        },
        request: { method: 'POST' as const, url: 'Observation' },
      },
    ],
  };
}
