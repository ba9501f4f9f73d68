import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { eventually } from '../support/eventually';
import { startChild } from '../../src/embedded/child';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/embedded/postgres';
import { closedAtEnd } from '../support/left-open';

async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const started = await startEmbeddedPostgres(options);
  return { ...started, stop: closedAtEnd(started.stop) };
}

async function query(server: EmbeddedPostgres, text: string, password = server.password): Promise<unknown[]> {
  const client = new Client({ ...server, password, database: 'postgres' });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the embedded PostgreSQL', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'andiron-embedded-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('stores its data between two starts and requires its password', async () => {
    const first = await startPostgres({ folder, durable: true, temporary: false });
    await query(first, 'create table kept as select 42 as answer');
    await expect(query(first, 'select 1', 'guess')).rejects.toThrow('password authentication failed');
    await first.stop();
    expect(isAlive(first.processId)).toBe(false);
    const second = await startPostgres({ folder, durable: true, temporary: false });
    expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  it('starts although the run before was killed and its server still runs', async () => {
    const first = await startPostgres({ folder, durable: true, temporary: false });
    await query(first, 'create table kept as select 42 as answer');
    const second = await startPostgres({ folder, durable: true, temporary: false });
    expect(isAlive(first.processId)).toBe(false);
    expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  it('leaves no folder behind when it is temporary', async () => {
    const server = await startPostgres({ folder, durable: false, temporary: true });
    await server.stop();
    expect(existsSync(folder)).toBe(false);
  });

  it('reports why it cannot start', async () => {
    const server = await startPostgres({ folder, durable: false, temporary: false });
    await server.stop();
    await rm(path.join(folder, 'postgres', 'global'), { recursive: true });
    await expect(startEmbeddedPostgres({ folder, durable: false, temporary: false })).rejects.toThrow(
      'global/pg_control',
    );
  });
});

describe('a child process', () => {
  it('is killed when it does not end in time', async () => {
    const child = await startChild('sh', ['-c', 'trap "" TERM; while :; do sleep 0.1; done'], {
      lastSignal: 'SIGKILL',
    });
    await child.stop('SIGTERM', 200);
    expect(await child.ended).toBe('by SIGKILL');
  });

  it('ends when the process that started it is killed, and its folder goes with it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'andiron-child-'));
    const module = path.resolve(__dirname, '../../dist/src/embedded/child.js');
    const script = `
      require(${JSON.stringify(module)})
        .startChild('sleep', ['600'], { lastSignal: 'SIGTERM', lastFolder: ${JSON.stringify(folder)}, stdio: 'ignore' })
        .then((child) => { require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, 'pid'))}, String(child.processId)); process.kill(process.pid, 'SIGKILL'); });`;
    const parent = await startChild(process.execPath, ['-e', script], {
      lastSignal: 'SIGKILL',
      stdio: 'ignore',
    });
    expect(await parent.ended).toBe('by SIGKILL');
    await eventually(() => !existsSync(folder));
  });

  it('that ended by itself keeps its folder until the process that started it is gone', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'andiron-child-'));
    const module = path.resolve(__dirname, '../../dist/src/embedded/child.js');
    const script = `
      const { existsSync } = require('node:fs');
      require(${JSON.stringify(module)})
        .startChild('true', [], { lastSignal: 'SIGTERM', lastFolder: ${JSON.stringify(folder)}, stdio: 'ignore' })
        .then(async (child) => {
          await child.ended;
          setTimeout(() => process.exit(existsSync(${JSON.stringify(folder)}) ? 7 : 1), 300);
        });`;
    const parent = await startChild(process.execPath, ['-e', script], {
      lastSignal: 'SIGKILL',
      stdio: 'ignore',
    });
    expect(await parent.ended).toBe('with code 7');
    await eventually(() => !existsSync(folder));
  });
});
