/**
 * The alerts and the dashboard of deploy/monitoring: promtool checks them, and a Prometheus reads them together with the
 * metrics of two real servers. The second server loses its database and never has Redis, so that errors have series too.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/embedded/free-port';
import { throughForwarder } from '../faults/database-through';
import { startForwarder, type Forwarder } from '../faults/forwarder';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { findPromtool, startPrometheus, type Prometheus, type Rule } from '../support/prometheus';

const FOLDER = path.resolve(__dirname, '../../deploy/monitoring');
const DOCS = path.resolve(__dirname, '../../docs');
const ALERTS = path.join(FOLDER, 'alerts.yml');
const run = promisify(execFile);
const textOf = (folder: string, name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}

let promtool: string;
let dashboard: Dashboard;
let servers: readonly ServerProcess[];
let databases: readonly TestDatabase[];
let forwarder: Forwarder;
let prometheus: Prometheus;
let rules: readonly Rule[];

/** A query of a panel, with the values that Grafana gives to the variables. */
const filled = (query: string): string =>
  query.replaceAll('$job', 'andiron').replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');

const dashboardQueries = (): readonly string[] =>
  dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => filled(expr)));

async function startServers(): Promise<readonly string[]> {
  forwarder = await startForwarder();
  databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const ports = [await findFreePort(), await findFreePort()];
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  servers = await Promise.all([
    startProcess({ database: databases[0]!, environment: { METRICS_ADDRESS: addresses[0]! } }),
    startProcess({
      database: throughForwarder(databases[1]!, forwarder),
      environment: { METRICS_ADDRESS: addresses[1]!, REDIS_PORT: String(await findFreePort()) },
    }),
  ]);
  return addresses;
}

/** Requests of every kind that a rule or a panel distinguishes. */
async function useServer(server: ServerProcess): Promise<void> {
  const root = server.path('system', 'r4');
  const graphql = '/w/system/api/v1/graphql/r4';
  const asJson = { 'content-type': 'application/json' };
  const patient = { resourceType: 'Patient', name: [{ family: 'Chalmers' }] };
  const entry = [{ resource: patient, request: { method: 'POST', url: 'Patient' } }];
  await server.request('PUT', `${root}/Patient/pat`, { ...patient, id: 'pat' });
  await server.request('POST', root, { resourceType: 'Bundle', type: 'transaction', entry });
  await server.request('GET', `${root}/Patient/none`);
  for (let round = 0; round < 2; round += 1) {
    await server.request('GET', `${root}/Patient?family=chalmers`);
    await server.request('GET', `${root}/ValueSet/administrative-gender/$expand`);
    await Promise.all(
      ['pat', 'pat', 'pat'].map((id) => server.request('GET', `${root}/Patient/${id}/_history/1`)),
    );
    for (const query of [
      '{ search(type: Patient, first: 2) { total } }',
      '{ __schema { queryType { name } } }',
    ])
      await server.request('POST', graphql, { query }, asJson);
  }
}

beforeAll(async () => {
  promtool = await findPromtool();
  dashboard = JSON.parse(await textOf(FOLDER, 'dashboard.json')) as Dashboard;
  const addresses = await startServers();
  prometheus = await startPrometheus(addresses, ALERTS);
  rules = await prometheus.rules();
  await Promise.all(servers.map(useServer));
  forwarder.cut();
});
afterAll(async () => {
  await prometheus.close();
  await Promise.all(servers.map((server) => server.close()));
  await forwarder.close();
  await Promise.all(databases.map((database) => database.drop()));
});

/** Requests go on meanwhile, because rates need a change between two readings of the metrics. */
async function untilNoneIsMissing(findMissing: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const end = Date.now() + 60_000;
  for (;;) {
    await Promise.all(servers.map(useServer));
    await servers[1]!.request('GET', '/health/ready');
    const missing = await findMissing();
    if (missing.length === 0 || Date.now() > end) return missing;
    // Two servers that fail at once would answer without a pause.
    await delay(200);
  }
}

/** Metrics with the labels that they must have, such as `up{job="andiron"}`. */
const SELECTOR = /\b(?:(?:andiron|process|nodejs|instance)_?\w*[_:][\w:]+|up)\b(?:\{[^}]*\})?/g;
const selectorsOf = (expression: string): readonly string[] => expression.match(SELECTOR) ?? [];
/** The words of PromQL that the rules and the dashboard use. */
const PROMQL = new Set(
  (
    'sum avg min max count by and or on vector scalar absent time changes rate increase histogram_quantile ' +
    'avg_over_time min_over_time'
  ).split(' '),
);

/** Words of the expression that are neither PromQL nor a label of its metrics. */
async function unknownWords(expression: string): Promise<readonly string[]> {
  const found = await Promise.all(selectorsOf(expression).map((selector) => prometheus.query(selector)));
  const labels = new Set(found.flat().flatMap(({ metric }) => Object.keys(metric)));
  const rest = expression.replace(SELECTOR, ' ').replace(/\[\w+\]|\b\d[\d.e+]*/g, ' ');
  const words = rest.match(/[a-z_]\w*/gi) ?? [];
  return words.filter((word) => !PROMQL.has(word) && !labels.has(word));
}

async function withoutSeries(expressions: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(expressions.map((expression) => prometheus.query(expression)));
  return expressions.filter((_, index) => found[index]!.length === 0);
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): readonly string[] {
  const headings = page.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the alerts', () => {
  it('are rules that Prometheus accepts', async () => {
    const { stdout } = await run(promtool, ['check', 'rules', ALERTS]);
    expect(stdout).toContain('SUCCESS');
    expect(rules.filter(({ health }) => health === 'err')).toEqual([]);
  });

  it('fire when something is wrong, and not before', async () => {
    const { stdout } = await run(promtool, ['test', 'rules', 'alerts.test.yml'], { cwd: FOLDER });
    expect(stdout).toContain('SUCCESS');
    const tests = await textOf(FOLDER, 'alerts.test.yml');
    const alerts = rules.filter(({ type }) => type === 'alerting').map(({ name }) => name);
    expect(alerts.length).toBeGreaterThan(10);
    for (const name of alerts) {
      const isQuiet = new RegExp(`alertname: ${name}, eval_time: \\w+, exp_alerts: \\[\\]`).test(tests);
      const fires = new RegExp(`alertname: ${name}\n +eval_time: \\w+\n +exp_alerts:\n +- exp_labels`).test(
        tests,
      );
      expect({ name, isQuiet, fires }).toEqual({ name, isQuiet: true, fires: true });
    }
  });

  it('say how bad it is, what is wrong with which value, and where the runbook helps', async () => {
    const headings = anchorsOf(await textOf(DOCS, 'run/runbook.md'));
    for (const { type, name, labels, annotations = {} } of rules) {
      if (type === 'recording') continue;
      const { summary, description, runbook_url: address = '' } = annotations;
      expect({ name, severity: labels?.['severity'] }).toEqual({
        name,
        severity: expect.stringMatching(/^(critical|warning)$/),
      });
      expect(summary).toMatch(/^\S.*[^.]$/);
      if (name !== 'AndironNotScraped') expect(description).toContain('$value');
      const [page, anchor] = address.split('#');
      expect(page).toBe('https://andiron.example/docs/run/runbook.md');
      expect(headings).toContain(anchor);
    }
  });

  it('use metrics, labels and values of labels that the server has', async () => {
    const selectors = [...new Set(rules.flatMap(({ query }) => selectorsOf(query)))];
    expect(await untilNoneIsMissing(() => withoutSeries(selectors))).toEqual([]);
    const unknown = await Promise.all(rules.map(({ query }) => unknownWords(query)));
    expect(unknown.flat()).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('has queries that promtool can read', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'andiron-dashboard-'));
    try {
      const file = path.join(folder, 'queries.yml');
      const recorded = dashboardQueries().map((expr, index) => ({ record: `query_${index}`, expr }));
      // JSON is YAML.
      await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
      const { stdout } = await run(promtool, ['check', 'rules', file]);
      expect(stdout).toContain(`${recorded.length} rules found`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('shows data of a server in every panel', async () => {
    const queries = dashboardQueries();
    const selectors = queries.flatMap(selectorsOf);
    expect(await untilNoneIsMissing(() => withoutSeries([...queries, ...selectors]))).toEqual([]);
    const unknown = await Promise.all(queries.map(unknownWords));
    expect(unknown.flat()).toEqual([]);
  });

  it('explains each panel, and names lines by labels that their queries have', async () => {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(panels.length).toBeGreaterThan(15);
    for (const { title, description, targets = [] } of panels) {
      expect({ title, description }).toEqual({ title, description: expect.stringMatching(/^\S.{20,}\.$/) });
      for (const { expr, legendFormat } of targets) {
        const [shown] = await prometheus.query(filled(expr));
        // Only a server with several processes has the label `process` (test/process has one).
        for (const [, label] of legendFormat.replace(' {{process}}', '').matchAll(/\{\{(\w+)\}\}/g))
          expect({ title, labels: Object.keys(shown?.metric ?? {}) }).toEqual({
            title,
            labels: expect.arrayContaining([label]),
          });
      }
    }
  });

  it('lets its reader choose the data source, the job and the processes', async () => {
    const { list } = dashboard.templating;
    expect(list.map(({ name }) => name)).toEqual(['datasource', 'job', 'instance']);
    expect(await prometheus.query('andiron_requests_in_flight{job="andiron"}')).toHaveLength(2);
  });
});

it('has pages that name only metrics of the server', async () => {
  const names = new Set(await prometheus.names());
  for (const page of ['run/monitoring.md', 'run/runbook.md']) {
    const named = (await textOf(DOCS, page)).match(/\b(?:andiron|process|nodejs)_[a-z_]{4,}\b/g) ?? [];
    const isThere = (name: string): boolean =>
      ['', '_count', '_bucket'].some((suffix) => names.has(name + suffix));
    expect(named.filter((name) => !isThere(name) && name !== 'andiron_application')).toEqual([]);
  }
});
