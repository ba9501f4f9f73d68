import { toAuditRow } from '../../console/src/screens/administration/audit/audit-event';
import {
  NO_FILTERS,
  printFilters,
  readFilters,
  toAuditSearch,
} from '../../console/src/screens/administration/audit/audit-query';

describe('The filters of the audit trail', () => {
  it('are a search for AuditEvents, the newest first', () => {
    expect(toAuditSearch(NO_FILTERS)).toBe('_sort=-date');
    const search = new URLSearchParams(
      toAuditSearch({
        ...NO_FILTERS,
        client: 'ward-app',
        person: 'Practitioner/example',
        patient: 'Patient/ann',
        record: 'Observation/o',
        outcome: '4,8,12',
        request: 'ward-7',
        kind: 'rest',
        action: 'R',
      }),
    );
    expect(Object.fromEntries(search)).toEqual({
      altid: 'ward-app',
      agent: 'Practitioner/example',
      patient: 'Patient/ann',
      entity: 'Observation/o',
      outcome: '4,8,12',
      'entity:identifier': '|ward-7',
      type: 'rest',
      action: 'R',
      _sort: '-date',
    });
  });

  it('take local times', () => {
    const search = new URLSearchParams(toAuditSearch({ ...NO_FILTERS, from: '2026-11-28T09:00' }));
    expect(search.get('date')).toBe(`ge${new Date('2026-11-28T09:00').toISOString()}`);
  });

  it('stand in the address of the screen', () => {
    const filters = { ...NO_FILTERS, patient: 'ann', action: 'D' };
    expect(printFilters(filters).toString()).toBe('action=D&patient=ann');
    expect(readFilters(printFilters(filters))).toEqual(filters);
  });
});

describe('A row of the audit trail', () => {
  const event = {
    resourceType: 'AuditEvent',
    id: 'e1',
    type: { code: 'rest', display: 'RESTful Operation' },
    subtype: [{ code: 'read', display: 'read' }],
    action: 'R',
    recorded: '2026-11-22T09:07:31.204+00:00',
    outcome: '4',
    outcomeDesc: '404 resourceNotFound',
    agent: [
      {
        who: { identifier: { value: 'ward-app' }, display: 'ClientApplication/ward-app' },
        altId: 'ward-app',
        network: { address: '192.0.2.7', type: '2' },
      },
      { who: { reference: 'Practitioner/example' }, requestor: true },
    ],
    entity: [
      { what: { reference: 'Patient/a' }, role: { code: '1', display: 'Patient' } },
      { what: { reference: 'Observation/o/_history/1' }, role: { code: '4' } },
      { query: Buffer.from('Observation?code=a%7Cb&name=Zo%C3%AB').toString('base64'), role: { code: '24' } },
      { what: { identifier: { value: 'ward-7-4711' } }, description: 'Id of the request (X-Request-Id)' },
    ],
  };

  it('says who did what to which record, from where and with what outcome', () => {
    expect(toAuditRow(event)).toEqual({
      id: 'e1',
      recorded: '2026-11-22T09:07:31.204+00:00',
      agents: [
        { text: 'ward-app', client: 'ward-app', reference: undefined },
        { text: 'Practitioner/example', client: undefined, reference: 'Practitioner/example' },
      ],
      what: 'read',
      action: 'R',
      records: ['Observation/o/_history/1'],
      patients: ['Patient/a'],
      outcome: '4',
      description: '404 resourceNotFound',
      addresses: ['192.0.2.7'],
      queries: ['Observation?code=a|b&name=Zoë'],
      requestIds: ['ward-7-4711'],
    });
  });

  it('links only what is a record', () => {
    const row = toAuditRow({
      ...event,
      agent: [{ who: { display: 'Grahame' }, altId: '601847123' }],
      entity: [{ what: { reference: 'http://other.example/Patient/1' } }, { query: 'no base64!' }],
    });
    expect(row.records).toEqual([]);
    expect(row.agents).toEqual([{ text: 'Grahame', client: undefined, reference: undefined }]);
    expect(row.queries).toEqual(['no base64!']);
  });
});
