/**
 * Reads and searches, one request after the other, until its standard input ends; then writes how long each took, in
 * milliseconds, as JSON. It is a separate process, so that it measures the server and not the load generator.
 * Arguments: the address of {fhir_root}.
 */
import { Agent, get } from 'node:http';

const [, , root] = process.argv;
const agent = new Agent({ keepAlive: true });
const paths = [
  'Patient/example',
  'Patient?family=chalmers',
  'Patient/example/_history/1',
  'Patient?birthdate=1974-12-25',
];
let isOver = false;
process.stdin.once('end', () => (isOver = true)).resume();

function read(path) {
  return new Promise((resolve, reject) => {
    get(`${root}/${path}`, { agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    }).once('error', reject);
  });
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 2));
const times = [];
const statuses = new Set();
for (let count = 0; !isOver; count++) {
  const begun = performance.now();
  statuses.add(await read(paths[count % paths.length]));
  times.push(Math.round((performance.now() - begun) * 10) / 10);
  await pause();
}
process.stdout.write(JSON.stringify({ times, statuses: [...statuses] }));
agent.destroy();
