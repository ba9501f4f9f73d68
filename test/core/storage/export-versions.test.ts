/** The files of an export without a list, beside what is worked out from the changes one by one. */
import { setImmediate } from 'node:timers/promises';
import type { MemberBounds } from '../../../src/core/storage/jobs/export-members';
import { findNextVersions, readCurrentVersions } from '../../../src/core/storage/jobs/export-versions';
import { WriteQueues } from '../../../src/core/storage/write/write-queues';
import { makeWrite, openStorage, SOME_TYPE, SYSTEM_R4, type OpenedStorage } from './opened-storage';

const KEYS = 12;
const CHANGES = 400;
const PAGE = 7;

interface Change {
  readonly key: number;
  readonly version: number;
  readonly isDeleted: boolean;
}

let storage: OpenedStorage;
/** In the order of their sequences, of which the first is `first`. */
const changes: Change[] = [];
let first: number;

beforeAll(async () => {
  storage = await openStorage();
  const writes = new WriteQueues(storage.database, 10_000, () => undefined);
  const current = new Map<number, Change>();
  for (let number = 0; number < CHANGES; number++) {
    const key = 1 + Math.floor(Math.random() * KEYS);
    const { version = 0, isDeleted = true } = current.get(key) ?? {};
    const change = isDeleted ? 'create' : Math.random() < 0.2 ? 'delete' : 'update';
    const body = change === 'delete' ? null : `{"resourceType":"Basic","pad":"${'x'.repeat(100)}"}`;
    await writes.write(SYSTEM_R4, makeWrite(key, { expected: version, change, body, metaOffset: 0 }));
    const made = { key, version: version + 1, isDeleted: change === 'delete' };
    current.set(key, made);
    changes.push(made);
  }
  const { rows } = await storage.owner.query<{ first: number }>(
    'select min(sequence)::int as first from andiron.resource_version where space = $1',
    [SYSTEM_R4],
  );
  first = rows[0]?.first ?? 0;
});
afterAll(() => storage.close());

/** The versions that were current after the change with a sequence, as `key/version`, in the order of their sequences. */
function currentAt({ last, sinceSequence }: MemberBounds): readonly string[] {
  const of = new Map<number, { readonly sequence: number; readonly change: Change }>();
  changes.forEach((change, place) => {
    const sequence = first + place;
    if (sequence <= last) of.set(change.key, { sequence, change });
  });
  return [...of.values()]
    .filter(({ sequence, change }) => sequence > sinceSequence && !change.isDeleted)
    .sort((a, b) => a.sequence - b.sequence)
    .map(({ change: { key, version } }) => `${key}/${version}`);
}

async function filesOf(bounds: MemberBounds, size: { readonly lines: number; readonly bytes: number }) {
  const files: string[][] = [];
  for (let after = 0; ;) {
    const from = { type: SOME_TYPE, after, bounds };
    const next = await findNextVersions(storage.database, SYSTEM_R4, from, size);
    if (next === undefined) return files;
    const lines: string[] = [];
    for (let position: number | undefined = after; position !== undefined;) {
      const range = { type: SOME_TYPE, after: position, to: next.to, bounds };
      const { rows, last } = await readCurrentVersions(storage.database, SYSTEM_R4, range, PAGE);
      for (const row of rows) if (row !== undefined) lines.push(`${row.key.low}/${row.version}`);
      position = rows.length < PAGE ? undefined : last;
      await setImmediate();
    }
    expect(lines).toHaveLength(next.count);
    if (next.count > 0) files.push(lines);
    after = next.to;
  }
}

const times = { since: -1, until: Number.MAX_SAFE_INTEGER };

it('the files of any moment have each resource that existed then, as it was, once', async () => {
  for (const place of [0, 1, 30, 200, 398, 399, 500]) {
    const bounds = { ...times, last: first + place, sinceSequence: 0 };
    const files = await filesOf(bounds, { lines: 5, bytes: 1_000_000 });
    expect(files.flat()).toEqual(currentAt(bounds));
    expect(files.every((lines) => lines.length <= 5)).toBe(true);
  }
});

it('files end before their bytes are too many, and a line that is longer than a file has one of its own', async () => {
  const bounds = { ...times, last: first + CHANGES, sinceSequence: 0 };
  for (const [bytes, most] of [
    [300, 2],
    [10, 1],
  ] as const) {
    const files = await filesOf(bounds, { lines: 5, bytes });
    expect(files.flat()).toEqual(currentAt(bounds));
    expect(Math.max(...files.map((lines) => lines.length))).toBe(most);
  }
});

it('an export since a version has only what was changed after it', async () => {
  for (const place of [1, 200, 390]) {
    const bounds = { ...times, last: first + CHANGES, sinceSequence: first + place };
    expect((await filesOf(bounds, { lines: 5, bytes: 1_000_000 })).flat()).toEqual(currentAt(bounds));
  }
});
