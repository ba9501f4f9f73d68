/** Profiles of exactly one round by the inspector of the server process: CPU, or objects that outlived the young generation. */
import fs from 'node:fs';
import { WebSocket } from 'undici';

/**
 * Connects to a node process started with --inspect=127.0.0.1:0, whose log names the address.
 * @returns `start()` and `stop()` of a CPU profile (format of .cpuprofile files), `startHeap()` and `stopHeap()` of a sampling
 * heap profile without the objects that collections of the young generation have freed; the stop functions return the profile
 */
export async function connectProfiler(logFile) {
  const address = /Debugger listening on (ws:\/\/\S+)/.exec(fs.readFileSync(logFile, 'utf8'))?.[1];
  if (!address) throw new Error(`no inspector address in ${logFile}`);
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error(`cannot connect to ${address}`)), { once: true });
  });
  const waiting = new Map();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let lastId = 0;
  const call = (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, (answer) => {
        if (answer.error) reject(new Error(`${method}: ${answer.error.message}`));
        else resolve(answer.result);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    async start() {
      await call('Profiler.enable');
      await call('Profiler.setSamplingInterval', { interval: 250 });
      await call('Profiler.start');
    },
    async stop() {
      const { profile } = await call('Profiler.stop');
      socket.close();
      return profile;
    },
    startHeap: () =>
      call('HeapProfiler.startSampling', { samplingInterval: 4096, includeObjectsCollectedByMajorGC: true }),
    async stopHeap() {
      const { profile } = await call('HeapProfiler.stopSampling');
      socket.close();
      return profile;
    },
  };
}

/**
 * Self time by function and by package, largest first, idle time left out.
 * @returns Markdown text; microseconds are per request
 */
export function summariseProfile(profile, requests, rows = 40) {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const byFunction = new Map();
  const byPlace = new Map();
  let total = 0;
  const add = (map, key, microseconds) => map.set(key, (map.get(key) ?? 0) + microseconds);
  profile.samples.forEach((id, position) => {
    const { functionName, url, lineNumber } = nodes.get(id);
    const microseconds = profile.timeDeltas[position];
    if (functionName === '(idle)') return;
    total += microseconds;
    const place = url ? shortenUrl(url) : '';
    add(
      byFunction,
      `${functionName || '(anonymous)'} ${place && `${place}:${lineNumber + 1}`}`,
      microseconds,
    );
    add(byPlace, placeOf(functionName, place), microseconds);
  });
  const table = (map, heading, limit) => {
    const lines = [...map]
      .sort((a, b) => b[1] - a[1])
      .slice(0, limit)
      .map(
        ([key, microseconds]) =>
          `| ${((100 * microseconds) / total).toFixed(1)} | ${(microseconds / Math.max(1, requests)).toFixed(1)} | ${key} |`,
      );
    return [`| % | µs per request | ${heading} |`, '|---|---|---|', ...lines].join('\n');
  };
  return `${table(byPlace, 'self time by place', 20)}\n\n${table(byFunction, 'self time by function', rows)}`;
}

/**
 * Returns the objects that outlived the young generation by their allocation site, with its callers, most first. It includes
 * the objects made after the last collection.
 * @returns Markdown text; bytes are per request
 */
export function summariseHeap({ head }, requests, rows = 40) {
  const byPlace = new Map();
  let total = 0;
  const visit = ({ callFrame: { functionName, url, lineNumber }, selfSize, children }, callers) => {
    const place = [
      `${functionName || '(anonymous)'} ${url && `${shortenUrl(url)}:${lineNumber + 1}`}`.trim(),
      ...callers,
    ];
    const key = place.slice(0, 3).join(' ← ');
    if (selfSize > 0) byPlace.set(key, (byPlace.get(key) ?? 0) + selfSize);
    total += selfSize;
    for (const child of children) visit(child, place);
  };
  visit(head, []);
  const perRequest = (bytes) => (bytes / Math.max(1, requests)).toFixed(1);
  const lines = [...byPlace]
    .sort((a, b) => b[1] - a[1])
    .slice(0, rows)
    .map(([key, bytes]) => `| ${((100 * bytes) / total).toFixed(1)} | ${perRequest(bytes)} | ${key} |`);
  return [`| % | of ${perRequest(total)} bytes per request | made by |`, '|---|---|---|', ...lines].join(
    '\n',
  );
}

/** Returns node_modules/…, dist/… or bench/…, without the folders before it. */
function shortenUrl(url) {
  return url.replace(/^(?:file:\/\/)?\/.*?\/(?=(?:node_modules|dist|bench)\/)/, '');
}

/** Returns a package of node_modules, a folder below src, a part of node, or a name of the engine. */
function placeOf(functionName, place) {
  if (!place) return functionName.startsWith('(') ? functionName : '(native)';
  if (place.startsWith('node:')) return place.split('/')[0];
  const scoped = /^node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(place);
  if (scoped) return scoped[1];
  return place
    .replace(/^dist\/src\//, 'src/')
    .split('/')
    .slice(0, 3)
    .join('/');
}
