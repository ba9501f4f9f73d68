/** When a read replica may answer: by what a statement reads, and by how far the replica is. */
import { readKindOf } from '../../src/core/storage/replicas/read-tables';
import {
  areAtOnePosition,
  hasReached,
  READ_POSITION,
  type SpacePosition,
} from '../../src/core/storage/replicas/space-position';
import { READ_CURRENT_PAGE, READ_HISTORY } from '../../src/core/storage/read/version-statements';

const PRIMARY: SpacePosition = {
  isStandby: false,
  sequence: 100,
  unversionedChanges: 7,
  purgedTo: 40,
  digest: 'definitions',
  history: '7211 00000001 16384 16500',
};
const REPLICA: SpacePosition = { ...PRIMARY, isStandby: true };

it('a replica that has all changes of the space answers, also one that has later ones', () => {
  expect(hasReached(REPLICA, PRIMARY)).toBe(true);
  expect(hasReached({ ...REPLICA, sequence: 101, unversionedChanges: 8 }, PRIMARY)).toBe(true);
});

it('a statement by itself is answered only at the same position', () => {
  expect(areAtOnePosition(REPLICA, PRIMARY)).toBe(true);
  for (const other of [{ sequence: 101 }, { unversionedChanges: 8 }, { sequence: 99 }])
    expect(areAtOnePosition({ ...REPLICA, ...other }, PRIMARY)).toBe(false);
});

it.each<[string, Partial<SpacePosition>]>([
  ['a version', { sequence: 99 }],
  ['a purge', { unversionedChanges: 6 }],
  ['the last purged sequence', { purgedTo: 39 }],
  ['the base resources of another program', { digest: 'others' }],
  ['base resources', { digest: null }],
])('a replica that lacks %s does not answer', (_what, lacking) => {
  expect(hasReached({ ...REPLICA, ...lacking }, PRIMARY)).toBe(false);
});

it('a server of another history does not answer, whatever numbers it has', () => {
  const ahead = { ...REPLICA, sequence: 1_000, unversionedChanges: 1_000, purgedTo: 1_000 };
  expect(hasReached({ ...ahead, history: '7211 00000002 16384 16500' }, PRIMARY)).toBe(false);
  expect(hasReached({ ...ahead, isStandby: false }, PRIMARY)).toBe(false);
  expect(hasReached(ahead, { ...PRIMARY, isStandby: true })).toBe(false);
});

it('statements that read resources, their versions and index rows alone may go to a replica', () => {
  expect(readKindOf(READ_CURRENT_PAGE.text)).toBe('data');
  expect(readKindOf(READ_HISTORY.text)).toBe('data');
  expect(readKindOf('select k from andiron.strings_containing($1, $2, $3) k')).toBe('data');
  expect(readKindOf(READ_POSITION.text)).toBe('position');
});

it.each([
  ['select a.id from andiron.user_account a', 'apart'],
  ['select c.data from "andiron"."client_application" c', 'apart'],
  ['select 1 from andiron.resource r join andiron.search_parameter p on true', 'mixed'],
  ['with d as (delete from andiron.resource_version v returning 1) select 1 from d', 'mixed'],
  ['select r.version from andiron.resource r for update', 'mixed'],
  ['select r.version from andiron.resource r for key share', 'mixed'],
  [`select set_config('andiron.space', '1', false) from andiron.resource r`, 'mixed'],
  ['insert into andiron.resource values (1)', 'mixed'],
  ['explain (analyze) select 1 from andiron.resource', 'mixed'],
  ['select andiron.store_versions($1)', 'apart'],
])('%s is not answered by a replica', (text, kind) => {
  expect(readKindOf(text)).toBe(kind);
});
