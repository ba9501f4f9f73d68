/** The load driver: a closed loop of N clients over keep-alive HTTP/1.1, one request at a time each. */
import { clearInterval, setInterval } from 'node:timers';
import { Pool } from 'undici';
import { pause, readResidentMegabytes, readTreeCpuMs } from './processes.mjs';

/** A round without any success ends after this many errors. */
const HOPELESS_ERRORS = 2000;
const FHIR_JSON = 'application/fhir+json';

/**
 * @typedef {{ method: string, path: string, body?: string, contentType?: string, expected: number, weight?: number }} BenchRequest
 *   `weight`: number of requests that it counts as (1); `path` follows the base; `contentType` defaults to application/fhir+json
 * @typedef {{ name: string, client: Client, serverPid?: number, postgresPid: number }} Side one of the two servers
 */

/** HTTP client of one FHIR base address, with a header Authorization if one is given; `send` returns the text of the response only on demand, or for an error. */
export function createClient(baseUrl, connections, authorization) {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const pool = new Pool(base.origin, {
    connections,
    pipelining: 1,
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  });
  const plainHeaders = { accept: FHIR_JSON, ...(authorization && { authorization }) };
  const headersByType = new Map();
  const headersOf = (contentType) => {
    let headers = headersByType.get(contentType);
    if (!headers)
      headersByType.set(contentType, (headers = { ...plainHeaders, 'content-type': contentType }));
    return headers;
  };
  /** @returns status, headers, size in bytes, text on demand; rejects when there is no response */
  const send = ({ method, path, body, contentType = FHIR_JSON }, withText = false) =>
    new Promise((resolve, reject) => {
      let status = 0;
      let answerHeaders;
      let sizeBytes = 0;
      const chunks = [];
      pool.dispatch(
        {
          method,
          path: prefix + path,
          body,
          headers: body === undefined ? plainHeaders : headersOf(contentType),
        },
        {
          onRequestStart() {},
          onRequestUpgrade() {},
          onResponseStart(_controller, code, headers) {
            status = code;
            answerHeaders = headers;
          },
          onResponseData(_controller, chunk) {
            sizeBytes += chunk.length;
            if (withText || status >= 400) chunks.push(chunk);
          },
          onResponseEnd() {
            const text = chunks.length ? Buffer.concat(chunks).toString() : '';
            resolve({ status, headers: answerHeaders, sizeBytes, text });
          },
          onResponseError(_controller, error) {
            reject(error);
          },
        },
      );
    });
  return { baseUrl, send };
}

/**
 * One timed round. Requests begun during the warm-up are not counted; only answers with the expected status are.
 * The round ends early when `nextRequest` has no more.
 * @param {Side} side
 * @param {(worker: number) => BenchRequest | undefined} nextRequest
 * @param {{ clients: number, warmupSeconds: number, seconds: number }} shape
 */
export async function driveRound(side, nextRequest, { clients, warmupSeconds, seconds }) {
  const latencies = [];
  const failures = new Map();
  let isMeasuring = false;
  let isOver = false;
  let errorCount = 0;
  let sizeBytes = 0;
  let weight = 0;
  let announceEnd;
  const ended = new Promise((resolve) => (announceEnd = resolve));

  const fail = (kind, sample) => {
    errorCount++;
    const failure = failures.get(kind) ?? { kind, count: 0, sample: String(sample).slice(0, 300) };
    failure.count++;
    failures.set(kind, failure);
    if (errorCount >= HOPELESS_ERRORS && latencies.length === 0) announceEnd();
  };
  const work = async (worker) => {
    while (!isOver) {
      const request = nextRequest(worker);
      if (!request) return announceEnd();
      const isCounted = isMeasuring;
      const begun = performance.now();
      try {
        const answer = await side.client.send(request);
        const took = performance.now() - begun;
        // A wrong status is reported in the warm-up too.
        if (answer.status !== request.expected) fail(`${request.method} ${answer.status}`, answer.text);
        else if (isCounted && isMeasuring) {
          latencies.push(took);
          weight += request.weight ?? 1;
          sizeBytes += answer.sizeBytes;
        }
      } catch (error) {
        fail(`${request.method} no answer: ${error.code ?? error.message}`, error.message);
        await pause(10);
      }
    }
  };
  const workers = Array.from({ length: clients }, (_, worker) => work(worker));

  await Promise.race([pause(warmupSeconds * 1000), ended]);
  const before = readUsage(side);
  let peakMegabytes = 0;
  const sampleMemory = () => {
    if (side.serverPid) peakMegabytes = Math.max(peakMegabytes, readResidentMegabytes(side.serverPid));
  };
  const sampling = setInterval(sampleMemory, 250);
  isMeasuring = true;
  const start = performance.now();
  await Promise.race([pause(seconds * 1000), ended]);
  const elapsedSeconds = (performance.now() - start) / 1000;
  isMeasuring = false;
  isOver = true;
  clearInterval(sampling);
  sampleMemory();
  const after = readUsage(side);
  await Promise.all(workers);

  latencies.sort((a, b) => a - b);
  const count = latencies.length;
  const perRequest = (name) => (count ? round((after[name] - before[name]) / weight, 4) : undefined);
  return {
    requests: count,
    seconds: round(elapsedSeconds, 3),
    rate: round(weight / elapsedSeconds, 1),
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    meanBytes: count ? Math.round(sizeBytes / count) : 0,
    serverCpuMs: side.serverPid ? perRequest('serverMs') : undefined,
    postgresCpuMs: perRequest('postgresMs'),
    driverCpuMs: perRequest('driverMs'),
    peakMegabytes: Math.round(peakMegabytes),
    errors: errorCount,
    failures: [...failures.values()],
  };
}

function readUsage(side) {
  const own = process.cpuUsage();
  return {
    serverMs: side.serverPid ? readTreeCpuMs(side.serverPid) : 0,
    postgresMs: readTreeCpuMs(side.postgresPid),
    driverMs: (own.user + own.system) / 1000,
  };
}

function percentile(sorted, share) {
  if (sorted.length === 0) return undefined;
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))], 2);
}

export function round(value, digits) {
  return +value.toFixed(digits);
}
