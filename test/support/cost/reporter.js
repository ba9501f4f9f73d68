/**
 * Prints the expected duration and the progress of a run, and at its end its costs: processor seconds of each file, by worker,
 * its child processes, PostgreSQL and the servers that files share. Times never fail a run: machines differ, and the time of a
 * fixed piece of work beside them says by how much.
 */
const { readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { fixedWork, REFERENCE_MS } = require('../fixed-work.js');
const { RECORDS } = require('./file-record');
const { processesBelow } = require('./processes');
const { ServiceTime } = require('./service-time');

/** Processor seconds of `npm test` on the reference machine, whole and of a file. */
const BUDGET = { run: 600, file: 10 };
/** A run of fewer files shows its costs only where ANDIRON_TEST_COSTS names a file for them. */
const WHOLE_RUN = 100;
const SHOWN = 15;
const REPETITIONS = 100;

/** The factor by which this machine is slower than the reference, in processor time. */
function slowness() {
  fixedWork();
  const before = process.cpuUsage();
  for (let times = 0; times < REPETITIONS; times++) fixedWork();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / REPETITIONS / REFERENCE_MS;
}

const toMinutes = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')} min`;
const toCell = (seconds) => seconds.toFixed(1).padStart(8);
const sumOf = (rows, name) => rows.reduce((sum, row) => sum + row[name], 0);

module.exports = class CostReporter {
  #workers;
  #root;
  #services = new ServiceTime();
  #records = path.join(tmpdir(), `andiron-test-records-${process.pid}`);
  #begun = 0;
  #factor = 1;
  #before = 0;
  #files = 0;
  #done = 0;
  #shown = 0;
  #isShown = false;

  constructor({ maxWorkers, rootDir }) {
    [this.#workers, this.#root] = [maxWorkers, rootDir];
  }

  onRunStart({ numTotalTestSuites }) {
    this.#files = numTotalTestSuites;
    this.#begun = Date.now();
    this.#isShown = this.#files >= WHOLE_RUN || process.env.ANDIRON_TEST_COSTS !== undefined;
    if (!this.#isShown) return;
    process.env[RECORDS] = this.#records;
    writeFileSync(this.#records, '');
    this.#factor = slowness();
    this.#before = this.#spent();
    this.#services.start();
    const minutes = Math.ceil((BUDGET.run * this.#factor) / this.#workers / 60);
    this.#say(
      `${this.#files} files of tests: about ${minutes} minutes on this machine, which takes ${this.#factor.toFixed(2)} times as long as the reference`,
    );
  }

  onTestFileResult() {
    this.#done++;
    if (!this.#isShown) return;
    const step = Math.floor((this.#done * 20) / this.#files);
    if (step === this.#shown) return;
    this.#shown = step;
    const seconds = (Date.now() - this.#begun) / 1000;
    this.#say(`${this.#done} of ${this.#files} files are done after ${toMinutes(seconds)}`);
  }

  onRunComplete() {
    if (!this.#isShown) return;
    this.#services.stop();
    const after = slowness();
    const rows = this.#rows();
    rmSync(this.#records, { force: true });
    const spent = this.#spent() - this.#before;
    const factor = (this.#factor + after) / 2;
    const found = {
      ...{ rows, spent, factor, seconds: (Date.now() - this.#begun) / 1000 },
      slowness: [this.#factor, after],
    };
    const { ANDIRON_TEST_COSTS: output } = process.env;
    if (output !== undefined) writeFileSync(output, JSON.stringify(found, null, 1));
    this.#showCosts(found);
  }

  /** Processor seconds of this process and all that it has started. */
  #spent() {
    return processesBelow(process.pid).reduce((sum, { own, ended }) => sum + own + ended, 0);
  }

  #rows() {
    const lines = readFileSync(this.#records, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => {
      const { file, processId, worker, begun, ended, own, children, servers } = JSON.parse(line);
      const of = (kind, owner) => this.#services.between(kind, owner, begun, ended);
      const postgres = of('postgres', `worker:${processId}`) + of('postgres', `shared:${worker}`);
      const shared = of('node', `shared:${worker}`);
      const name = path.relative(this.#root, file);
      return {
        file: name,
        own,
        children,
        postgres,
        shared,
        servers,
        sum: own + children + postgres + shared,
      };
    });
  }

  #showCosts({ rows, spent, factor, seconds, slowness: [before, after] }) {
    const columns = ['sum', 'own', 'children', 'postgres', 'shared'];
    const line = (row) => columns.map((name) => toCell(row[name])).join('') + `  ${row.file}`;
    const all = columns.map((name) => [name, sumOf(rows, name)]);
    const dearest = rows.toSorted((one, other) => other.sum - one.sum).slice(0, SHOWN);
    this.#say(
      [
        'Processor seconds of the most expensive files (sum, worker, its processes, PostgreSQL, shared servers):',
        ...dearest.map(line),
        line({ ...Object.fromEntries(all), file: `all ${rows.length} files` }),
        `Redis ${this.#services.total('redis').toFixed(1)} s, PostgreSQL in all ${this.#services.total('postgres').toFixed(1)} s, ` +
          `servers started: ${sumOf(rows, 'servers')}`,
        `In all ${Math.round(spent)} processor seconds in ${toMinutes(seconds)}; the fixed work took ${before.toFixed(2)} times as long as on the reference at the start, ${after.toFixed(2)} at the end`,
        ...this.#warnings(rows, spent, factor),
      ].join('\n'),
    );
  }

  #warnings(rows, spent, factor) {
    const over = rows.filter(({ sum }) => sum / factor > BUDGET.file).length;
    const isOver = spent / factor > BUDGET.run;
    if (over === 0 && !isOver) return [];
    return [
      `Warning: ${Math.round(spent / factor)} seconds of the reference (budget ${BUDGET.run}); ${over} files above ${BUDGET.file}`,
    ];
  }

  #say(text) {
    process.stderr.write(`${text}\n`);
  }
};
