import {
  clientOf,
  readEvent,
  toEventSearch,
} from '../../console/src/screens/resource/history/history-events';

const ADDRESS = { type: 'Observation', id: 'o' };
const PROGRAM = {
  who: { identifier: { value: 'ward-app' }, display: 'ClientApplication/ward-app' },
  altId: 'ward-app',
  requestor: false,
};

describe('Who made a version', () => {
  it('is the client that the server has written into meta', () => {
    const author = {
      url: 'https://andiron.example/fhir/StructureDefinition/author',
      valueReference: { reference: 'ClientApplication/ward-app' },
    };
    expect(clientOf({ resourceType: 'Patient', meta: { extension: [author] } })).toBe('ward-app');
    expect(clientOf({ resourceType: 'Patient' })).toBeUndefined();
  });

  it('is the person of the event that names the version', () => {
    const event = {
      agent: [PROGRAM, { who: { reference: 'Practitioner/example' }, requestor: true }],
      entity: [
        { what: { reference: 'Patient/a' } },
        { what: { reference: 'Observation/o/_history/2' } },
        { what: { identifier: { value: 'ward-7-4711' } } },
      ],
    };
    expect(readEvent(event, ADDRESS)).toEqual({
      version: '2',
      person: 'Practitioner/example',
    });
    expect(readEvent(event, { type: 'Observation', id: 'other' })).toBeUndefined();
  });

  it('is the id of an account without an identity in FHIR, and nobody where only a program acted', () => {
    const entity = [{ what: { reference: 'Observation/o/_history/1' } }];
    const account = { who: { identifier: { value: 'account-7' } }, requestor: true };
    expect(readEvent({ agent: [PROGRAM, account], entity }, ADDRESS)?.person).toBe('account-7');
    expect(readEvent({ agent: [{ ...PROGRAM, requestor: true }], entity }, ADDRESS)?.person).toBeUndefined();
  });

  it('is searched in the minutes around each version', () => {
    const search = toEventSearch(ADDRESS, [
      { lastUpdated: '2026-11-28T00:46:29.254+00:00' },
      { lastUpdated: '2026-11-28T02:46:50.254+02:00' },
    ]);
    expect(search).toBe(
      'entity=Observation/o&action=C,U,D&outcome=0&date=2026-11-28T00:45Z,2026-11-28T00:46Z,2026-11-28T00:47Z',
    );
  });
});
