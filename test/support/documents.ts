/** Stored documents of tests. */
/** The code system of the types of Compositions. */
export const TYPES = 'http://example.org/t';
export const to = (reference: string) => ({ reference });
export const coding = (system: string, code: string, display?: string) => ({
  system,
  code,
  ...(display === undefined ? {} : { display }),
});
export const entry = (fullUrl: string, resource: object): object => ({ fullUrl, resource });
export const composition = (id: string, more: object): object => ({
  resourceType: 'Composition',
  id,
  status: 'final',
  type: { coding: [coding(TYPES, 'letter', 'Discharge letter')] },
  date: '2016',
  title: 'Letter',
  author: [to('Patient/pp')],
  subject: to('Patient/pp'),
  ...more,
});
export const document = (id: string, ...entries: readonly object[]): object => ({
  resourceType: 'Bundle',
  id,
  type: 'document',
  identifier: { system: 'http://example.org/i', value: id },
  timestamp: '2024-01-01T00:00:00Z',
  entry: entries,
});
/** A urn without its last digit. */
export const UUID = 'urn:uuid:0b9f1c1e-0000-4000-8000-00000000000';
