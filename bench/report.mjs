/** Makes medians, ratios and the Markdown page from raw rounds. */
import { round } from './drive.mjs';

/** The required memory and size. */
const TARGETS = { idleMegabytes: 300, peakMegabytes: 700, bytesPerResource: 4000 };

export function median(values) {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Medians of the rounds of one test for both servers, and their ratio (of the medians).
 * @param {{ name: string, title: string, target: number, beside: string }} workload
 * @param {{ limit: object[], andiron: object[] }} rounds results of driveRound in the order of time
 */
export function summariseTest(workload, rounds) {
  const summarise = (list) => {
    const summary = {};
    for (const key of [
      ...['rate', 'p50', 'p95', 'p99', 'meanBytes'],
      ...['serverCpuMs', 'postgresCpuMs', 'driverCpuMs'],
    ]) {
      const middle = median(list.map((each) => each[key]));
      summary[key] = middle === undefined ? undefined : round(middle, 4);
    }
    summary.peakMegabytes = Math.max(0, ...list.map((each) => each.peakMegabytes));
    summary.errors = list.reduce((sum, each) => sum + each.errors, 0);
    return summary;
  };
  const limit = summarise(rounds.limit);
  const andiron = summarise(rounds.andiron);
  const pairs = rounds.andiron.map((each, position) => each.rate / rounds.limit[position].rate);
  const ratio = limit.rate ? round(andiron.rate / limit.rate, 3) : undefined;
  return {
    name: workload.name,
    title: workload.title,
    beside: workload.beside,
    target: workload.target,
    ratio,
    ratioOfRounds: pairs.map((pair) => (Number.isFinite(pair) ? round(pair, 3) : undefined)),
    // A wrong answer is not a fast answer.
    isReached: ratio !== undefined && ratio >= workload.target && andiron.errors === 0,
    limit,
    andiron,
  };
}

/** The Markdown page of a whole run (see run.mjs for the shape of `run`). */
export function formatReport(run) {
  const { environment, memory, size, load, tests } = run;
  const lines = [
    '# Benchmark',
    '',
    `${environment.startedAt}, commit ${environment.commit}${environment.isDirty ? ' with local changes' : ''}, ` +
      `Node ${environment.node}, PostgreSQL ${environment.postgres}, ` +
      `Redis ${environment.hasRedis ? 'running' : 'absent'}, ${environment.cores} cores of ${environment.processor}.`,
    `${environment.clients} clients, one server process, fsync and synchronous_commit on; median of ` +
      `${environment.rounds} rounds of ${environment.seconds} s, limit server and Andiron in turn. ` +
      'For contributors: [benchmark.md](../benchmark.md) says what is compared. Only the ratios mean anything on another machine.',
    ...(run.note ? ['', `**${run.note}**`] : []),
    '',
    '| test | ratio | target | reached | rounds from–to | Andiron req/s | limit req/s | beside |',
    '|---|---:|---:|---|---|---:|---:|---|',
  ];
  for (const test of tests) {
    if (test.failed) {
      lines.push(
        `| ${test.title} | – | ${test.target} | **no** | ${escapeCell(test.failed)} | | | ${test.beside} |`,
      );
      continue;
    }
    const pairs = test.ratioOfRounds.filter((pair) => pair !== undefined);
    const span = pairs.length ? `${fixed(Math.min(...pairs), 2)}–${fixed(Math.max(...pairs), 2)}` : '–';
    lines.push(
      `| ${test.title} | ${fixed(test.ratio, 2)} | ${test.target} | ${test.isReached ? 'yes' : '**no**'} | ${span} ` +
        `| ${fixed(test.andiron.rate, 0)} | ${fixed(test.limit.rate, 0)} | ${test.beside} |`,
    );
  }
  lines.push(
    '',
    'Milliseconds: latency p50 / p95 / p99, processor time per request of the server, of PostgreSQL and of the load driver.',
    '',
    '| test | server | p50 | p95 | p99 | server CPU | PostgreSQL CPU | driver CPU | bytes | peak MB | errors |',
    '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
  );
  for (const test of tests) {
    if (test.failed) continue;
    for (const side of ['andiron', 'limit']) {
      const figures = test[side];
      const cells = [
        ...['p50', 'p95', 'p99'].map((key) => fixed(figures[key], 2)),
        ...['serverCpuMs', 'postgresCpuMs', 'driverCpuMs'].map((key) => fixed(figures[key], 3)),
        ...[fixed(figures.meanBytes, 0), fixed(figures.peakMegabytes, 0), figures.errors],
      ];
      lines.push(`| ${test.title} | ${side} | ${cells.join(' | ')} |`);
    }
  }
  lines.push('', ...formatBudgets({ memory, size, load }));
  const failures = tests.flatMap((test) =>
    (test.failures ?? []).map(
      (failure) => `- ${test.title}, ${failure.kind} × ${failure.count}: ${failure.sample}`,
    ),
  );
  if (failures.length) lines.push('', 'Wrong answers:', '', ...failures);
  return lines.join('\n') + '\n';
}

function formatBudgets({ memory, size, load }) {
  const budget = (title, value, unit, target) =>
    `| ${title} | ${value} ${unit} | ${target ? `${target} ${unit}` : ''} | ` +
    `${target ? (value <= target ? 'yes' : '**no**') : ''} |`;
  const lines =
    memory.startMs === undefined && !size
      ? []
      : ['| budget | measured | at most | met |', '|---|---:|---:|---|'];
  if (memory.startMs !== undefined) lines.push(budget('start until ready', memory.startMs, 'ms'));
  if (memory.idleMegabytes !== undefined) {
    lines.push(
      budget('memory of the idle server', memory.idleMegabytes, 'MB', TARGETS.idleMegabytes),
      budget('highest memory in any test', memory.peakMegabytes, 'MB', TARGETS.peakMegabytes),
    );
  }
  if (size) {
    lines.push(budget('database per resource', size.bytesPerResource, 'bytes', TARGETS.bytesPerResource));
  }
  lines.push(
    '',
    `Loaded ${load.count} resources (${fixed(load.sentBytes / 1e6, 1)} MB of JSON) with single POSTs: ` +
      `${fixed(load.count / load.seconds, 0)} resources/s, the limit server ${fixed(load.count / load.limitSeconds, 0)}.`,
  );
  if (size?.relations.length) {
    lines.push('', '| relation | bytes per loaded resource |', '|---|---:|');
    for (const { name, bytes } of size.relations) {
      lines.push(`| ${name} | ${fixed(bytes / load.count, 0)} |`);
    }
  }
  return lines;
}

function fixed(value, digits) {
  return value === undefined ? '–' : value.toFixed(digits);
}

function escapeCell(text) {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 200);
}
