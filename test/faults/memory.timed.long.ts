/** The memory of a server: idle, and under load with large resources. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '../support/database';
import { readExamples } from '../support/examples';
import { createHttpClient } from '../support/http';
import { startProcess } from '../support/process';

const MEGABYTE = 1024 * 1024;

/** Resident memory in MB: now (VmRSS), or at its highest (VmHWM). */
async function memoryOf(processId: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}

/** A document of about so many bytes. */
function largeDocument(id: string, bytes: number): string {
  const half = 'QUJD'.repeat(bytes / 8);
  return JSON.stringify({
    resourceType: 'DocumentReference',
    id,
    status: 'current',
    description: `large ${id}`,
    subject: { reference: 'Patient/example' },
    content: [
      { attachment: { contentType: 'application/pdf', data: half } },
      { attachment: { contentType: 'application/pdf', data: half } },
    ],
  });
}

/** A resource with thousands of index rows. */
function widePatient(id: string): string {
  const names = Array.from({ length: 1_500 }, (_, index) => ({
    family: `Family${index}`,
    given: [`Given${index}`],
  }));
  return JSON.stringify({ resourceType: 'Patient', id, name: names });
}

it('a server uses less than 300 MB idle, and less than 700 MB under twenty seconds of large resources', async () => {
  const database = await createTestDatabase();
  const server = await startProcess({ database });
  try {
    await delay(1_000);
    const idle = await memoryOf(server.processId, 'VmRSS');
    expect(idle).toBeLessThan(300);

    const root = server.path('system', 'r4');
    const examples = readExamples('r4');
    const until = Date.now() + 20_000;
    let answered = 0;
    const statuses = new Map<number, number>();
    const clients = Array.from({ length: 12 }, () => createHttpClient(server.base));
    const load = clients.map(async (client, number) => {
      for (let step = 0; Date.now() < until; step++) {
        const example = examples[(number * 67 + step) % examples.length];
        const requests: [string, string, string?][] = [
          [
            'PUT',
            `${root}/DocumentReference/large-${number}`,
            largeDocument(`large-${number}`, 2 * MEGABYTE),
          ],
          ['GET', `${root}/DocumentReference/large-${number}`],
          ['PUT', `${root}/Patient/wide-${number % 3}`, widePatient(`wide-${number % 3}`)],
          ['GET', `${root}/DocumentReference?subject=Patient/example&_count=20`],
          ['GET', `${root}/Patient?family=family1&_sort=family`],
          ['PUT', `${root}/${example?.type ?? ''}/${example?.id ?? ''}`, example?.text],
          ['GET', `${root}/StructureDefinition?_count=50`],
          ['GET', `${root}/ValueSet?_sort=name&_count=20`],
          ['GET', `${root}/DocumentReference/large-${number}/_history?_count=5`],
        ];
        const [method, path, body] = requests[step % requests.length] ?? ['GET', root];
        const { status } = await client.request(method, path, body);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        answered += 1;
      }
    });
    await Promise.all(load);
    for (const client of clients) client.close();
    const highest = await memoryOf(server.processId, 'VmHWM');
    process.stdout.write(
      `memory: idle ${Math.round(idle)} MB, highest ${Math.round(highest)} MB over ${answered} requests, ${JSON.stringify([...statuses])}\n`,
    );
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
    expect(highest).toBeLessThan(700);
  } finally {
    await server.close();
    await database.drop();
  }
});
