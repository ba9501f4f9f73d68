/** `andiron tenant create` with several names. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { andiron } from '../support/andiron';
import { createTestDatabase } from '../support/database';

it('creates the tenants of the command line and of a file, and tells those that exist', async () => {
  const database = await createTestDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-names-'));
  try {
    const file = path.join(folder, 'names');
    await writeFile(file, Array.from({ length: 50 }, (_, number) => `clinic-${number}\n`).join(''));
    const words = ['system', 'ward', '--names', file, 'validation=lenient'];
    const output = await andiron(database, 'tenant', 'create', ...words);
    expect(output.split('\n').filter((line) => line.startsWith('Created tenant '))).toHaveLength(51);
    expect(output).toContain('The tenant system exists already\n');
    expect(await andiron(database, 'tenant', 'show', 'clinic-49')).toContain('validation=lenient\n');
  } finally {
    await rm(folder, { recursive: true });
    await database.drop();
  }
});

it('creates those before a name that is refused, and says so', async () => {
  const database = await createTestDatabase();
  try {
    await expect(andiron(database, 'tenant', 'create', 'ward', 'Not a name', 'later')).rejects.toThrow(
      /Not a name/,
    );
    const listed = await andiron(database, 'tenant', 'list');
    expect(listed).toContain('ward');
    expect(listed).not.toContain('later');
  } finally {
    await database.drop();
  }
});
