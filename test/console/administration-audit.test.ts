import { isLinked, shownQuery } from '../../console/src/screens/administration/audit/audit-event';
import {
  NO_FILTERS,
  printFilters,
  readFilters,
  toQuery,
} from '../../console/src/screens/administration/audit/audit-query';

describe('The filters of the audit trail', () => {
  it('are a request, without those that filter nothing', () => {
    expect(toQuery(NO_FILTERS, 'r4b')).toEqual({ release: 'r4b' });
    const filters = {
      ...NO_FILTERS,
      ...{ who: ' Ward app ', what: 'Observation/o', outcome: 'refused', request: 'ward-7' },
      ...{ kind: 'requests', action: 'R', each: 'true' },
    };
    expect(toQuery(filters, 'r4')).toEqual({
      ...{ release: 'r4', who: 'Ward app', what: 'Observation/o', outcome: 'refused', request: 'ward-7' },
      ...{ kind: 'requests', action: 'R', each: true },
    });
    expect(toQuery({ ...NO_FILTERS, action: 'X', outcome: '4' }, 'r4')).toEqual({ release: 'r4' });
  });

  it('take the id of a patient alone, and local times', () => {
    const since = new Date('2026-11-28T09:00').toISOString();
    expect(toQuery({ ...NO_FILTERS, what: 'ann', from: '2026-11-28T09:00' }, 'r4')).toEqual({
      ...{ release: 'r4', what: 'Patient/ann', since },
    });
  });

  it('stand in the address of the screen', () => {
    const filters = { ...NO_FILTERS, what: 'ann', action: 'D' };
    expect(printFilters(filters).toString()).toBe('action=D&what=ann');
    expect(readFilters(printFilters(filters))).toEqual(filters);
  });
});

it('a request is shown without the escapes of addresses, and one that cannot be read as it is', () => {
  expect(shownQuery('Observation?code=a%7Cb&name=Zo%C3%AB')).toBe('Observation?code=a|b&name=Zoë');
  expect(shownQuery('Patient?name=%E0%A4%A')).toBe('Patient?name=%E0%A4%A');
  expect(shownQuery(undefined)).toBe('');
});

it('a person is a link to the record, and an account is none', () => {
  expect([isLinked('Practitioner/1'), isLinked('2b0c7a9e-8a55-4d2c-b6a6-3a1f0c6a9a10')]).toEqual([
    true,
    false,
  ]);
});
