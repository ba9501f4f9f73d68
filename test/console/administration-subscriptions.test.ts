/** What the screen of Subscriptions says of their deliveries. */
import {
  isUnderWay,
  stateOf,
  wayToDeliver,
} from '../../console/src/screens/administration/subscriptions/delivery-words';

const fine = { status: 'active', attempts: 0, waiting: 0, resumable: false } as const;
const NOW = Date.parse('2026-11-29T10:00:00Z');

it('a Subscription whose last notification did not arrive is failing, and can be delivered now', () => {
  expect(stateOf({ ...fine, attempts: 2 }).label).toBe('Failing');
  expect(wayToDeliver({ ...fine, attempts: 2 })?.label).toBe('Deliver now');
  expect([stateOf(fine).label, wayToDeliver(fine)]).toEqual(['Active', undefined]);
});

it('one in error is requested again, and one that is off only where it has an author', () => {
  expect(wayToDeliver({ ...fine, status: 'error' })?.label).toBe('Request again');
  expect(wayToDeliver({ ...fine, status: 'off', resumable: true })?.label).toBe('Switch on');
  expect(wayToDeliver({ ...fine, status: 'off' })).toBeUndefined();
});

it('the list is read again soon while a delivery is under way, and not while it only waits for its next attempt', () => {
  expect(isUnderWay({ ...fine, status: 'requested' }, NOW)).toBe(true);
  expect(isUnderWay({ ...fine, waiting: 1 }, NOW)).toBe(true);
  expect(isUnderWay({ ...fine, waiting: 1, nextAttempt: '2026-11-29T09:59:59Z' }, NOW)).toBe(true);
  expect(isUnderWay({ ...fine, waiting: 1, nextAttempt: '2026-11-29T10:00:09Z' }, NOW)).toBe(false);
  expect(isUnderWay({ ...fine, status: 'error', waiting: 1 }, NOW)).toBe(false);
  expect(isUnderWay(fine, NOW)).toBe(false);
});
