/** The sums of the metrics of several workers. */
import { Counter, Gauge, Registry } from 'prom-client';
import { WorkerMetrics } from '../../src/workers/worker-metrics';

class Worker {
  readonly registry = new Registry();
  readonly requests = new Counter({ name: 'requests_total', help: 'x', registers: [this.registry] });
  readonly open = new Gauge({ name: 'open', help: 'x', registers: [this.registry] });
  readonly ready = new Gauge({ name: 'ready', help: 'x', aggregator: 'min', registers: [this.registry] });
  isSilent = false;
  constructor(
    readonly id: number,
    private readonly sums: () => WorkerMetrics,
  ) {}

  ask(request: number): void {
    if (this.isSilent) return;
    void this.registry.getMetricsAsJSON().then((metrics) => this.sums().answered(this.id, request, metrics));
  }
}

function start(count: number): { readonly sums: WorkerMetrics; readonly workers: Worker[] } {
  const workers: Worker[] = Array.from({ length: count }, (_, id) => new Worker(id, () => sums));
  const sums = new WorkerMetrics(
    () => workers,
    () => ({ starting: 0, serving: workers.length, ending: 0 }),
  );
  return { sums, workers };
}

async function valueOf(sums: WorkerMetrics, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await sums.metrics())?.[1]);
}

it('sums counters and gauges of all workers', async () => {
  const { sums, workers } = start(3);
  for (const worker of workers) {
    worker.requests.inc(2);
    worker.open.set(5);
  }
  expect(await valueOf(sums, 'requests_total')).toBe(6);
  expect(await valueOf(sums, 'open')).toBe(15);
  expect(await sums.metrics()).toContain('andiron_workers{state="serving"} 3');
});

it('keeps the counters of workers that have ended, and not their gauges', async () => {
  const { sums, workers } = start(2);
  for (const worker of workers) worker.requests.inc(10);
  const [, ended] = workers;
  ended?.open.set(7);
  sums.answered(1, undefined, (await ended?.registry.getMetricsAsJSON()) ?? []);
  workers.pop();
  sums.ended(1);
  workers.push(new Worker(2, () => sums));
  expect(await valueOf(sums, 'requests_total')).toBe(20);
  expect(await valueOf(sums, 'open')).toBe(0);
});

it('takes the states of a worker that has been replaced for those of the server no more', async () => {
  const { sums, workers } = start(2);
  const [old, other] = workers;
  for (const worker of workers) worker.requests.inc();
  old?.ready.set(0);
  other?.ready.set(1);
  expect(await valueOf(sums, 'ready')).toBe(0);
  sums.replaced(0);
  expect(await valueOf(sums, 'ready')).toBe(1);
  expect(await valueOf(sums, 'requests_total')).toBe(2);
});

it('takes the last answer of a worker that does not answer', async () => {
  const { sums, workers } = start(2);
  for (const worker of workers) worker.requests.inc(3);
  expect(await valueOf(sums, 'requests_total')).toBe(6);
  const [silent] = workers;
  silent!.isSilent = true;
  workers[1]?.requests.inc();
  expect(await valueOf(sums, 'requests_total')).toBe(7);
});
