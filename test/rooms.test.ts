/** Folders stay small enough to be read as a list. The order of the rooms is held by dependency-cruiser (scripts/rooms.cjs). */
import { readdirSync } from 'node:fs';
import path from 'node:path';

const MOST_FILES = 40;
const ROOT = path.join(__dirname, '..');

it('no folder of the program has more than forty files', () => {
  const counts = new Map<string, number>();
  for (const top of ['src', 'console/src', 'packages', 'migrations'])
    for (const entry of readdirSync(path.join(ROOT, top), { recursive: true, withFileTypes: true })) {
      const folder = path.relative(ROOT, entry.parentPath);
      if (entry.isFile()) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  expect(counts.size).toBeGreaterThan(100);
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
});
