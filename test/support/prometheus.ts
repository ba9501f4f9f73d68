/** A Prometheus that reads the metrics of processes once a second, with the rules that operators load. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startChild } from '../../src/embedded/child';
import { findFreePort } from '../../src/embedded/free-port';
import { createHttpClient } from './http';
import { eventually } from './eventually';
import { closedAtEnd } from './left-open';
import { findOrInstall } from './programs';

/** One series of an answer, with its labels. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
}

export interface Rule {
  readonly type: 'alerting' | 'recording';
  readonly name: string;
  readonly query: string;
  /** `err`: its last evaluation failed. */
  readonly health: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Prometheus {
  /** The series that the expression gives at this moment. Throws where Prometheus refuses the expression. */
  query(expression: string): Promise<readonly Sample[]>;
  /** The names of all metrics that it has read. */
  names(): Promise<readonly string[]>;
  rules(): Promise<readonly Rule[]>;
  close(): Promise<void>;
}

const READY_MS = 30_000;

async function findProgram(name: 'prometheus' | 'promtool'): Promise<string> {
  const program = await findOrInstall(name, 'prometheus');
  if (program === undefined) throw new Error(`This test needs ${name}: apt-get install prometheus`);
  return program;
}

export const findPromtool = (): Promise<string> => findProgram('promtool');

/** @param targets host:port of /metrics of each process */
export async function startPrometheus(targets: readonly string[], ruleFile: string): Promise<Prometheus> {
  const program = await findProgram('prometheus');
  const port = await findFreePort();
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-prometheus-'));
  const file = path.join(folder, 'prometheus.yml');
  // JSON is YAML.
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [ruleFile],
    scrape_configs: [{ job_name: 'andiron', static_configs: [{ targets }] }],
  };
  await writeFile(file, JSON.stringify(configuration));
  const child = await startChild(
    program,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { cwd: folder, stdio: 'ignore', lastSignal: 'SIGKILL', lastFolder: folder },
  );
  const client = createHttpClient(`http://127.0.0.1:${port}`);
  const close = closedAtEnd(async () => {
    client.close();
    await child.stop('SIGKILL', 5_000);
    await rm(folder, { recursive: true, force: true });
  });
  const isReady = (): Promise<boolean> =>
    client.request('GET', '/-/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  const isOver = async (): Promise<boolean> => !child.isRunning() || (await isReady());
  await eventually(isOver, READY_MS).catch(() => undefined);
  if (!(await isReady())) {
    await close();
    throw new Error('Prometheus did not become ready');
  }
  return {
    async query(expression) {
      const address = `/api/v1/query?query=${encodeURIComponent(expression)}`;
      const { json } = await client.request('GET', address);
      if (json.status !== 'success') throw new Error(`${expression}: ${json.error}`);
      const { resultType, result } = json.data as { resultType: string; result: readonly Sample[] };
      return resultType === 'scalar' ? [{ metric: {} }] : result;
    },
    async names() {
      const { json } = await client.request('GET', '/api/v1/label/__name__/values');
      return json.data as readonly string[];
    },
    async rules() {
      const { json } = await client.request('GET', '/api/v1/rules');
      const { groups } = json.data as { groups: readonly { readonly rules: readonly Rule[] }[] };
      return groups.flatMap(({ rules }) => rules);
    },
    close,
  };
}
