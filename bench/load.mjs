/**
 * Loads the generated patients, flattened: one POST per resource, in the order of the bundles (every reference points
 * backwards), with references rewritten to the ids that the server returned.
 */
import fs from 'node:fs';
import path from 'node:path';
import { generate } from './generate.mjs';
import { repository } from './processes.mjs';

/** Matches the placeholder of an id until the resource is stored: a urn:uuid, or Type?identifier=system|value. */
const PLACEHOLDER = /"(urn:uuid:[0-9a-f-]{36}|[A-Z][A-Za-z]+\?identifier=[^"|]+\|[^"]+)"/g;

/** Returns the folder of the generated patients, and generates them if they are missing. */
export function provideData() {
  const folder = path.join(repository, 'bench', 'data');
  if (!fs.existsSync(path.join(folder, 'patients.ndjson'))) {
    console.log('generating patients into bench/data');
    generate({ folder });
  }
  return folder;
}

/**
 * Reads the shared resources and the first `patientCount` bundles of the files that generate.mjs wrote.
 * @returns bundles as lists of { names, type, text }; `names`: the placeholders that other resources use for it
 */
export function readGenerated(folder, patientCount) {
  const shared = JSON.parse(fs.readFileSync(path.join(folder, 'shared.json'), 'utf8'));
  const lines = fs.readFileSync(path.join(folder, 'patients.ndjson'), 'utf8').split('\n').filter(Boolean);
  const bundles = lines.slice(0, patientCount).map((line) => JSON.parse(line));
  return { shared: flatten(shared), bundles: bundles.map(flatten), patients: bundles.map(describePatient) };
}

/** Returns further patients for timed imports: each Bundle as text with the number of its resources, and each resource alone. */
export function readImports(folder) {
  const lines = fs.readFileSync(path.join(folder, 'extra.ndjson'), 'utf8').split('\n').filter(Boolean);
  const bundles = lines.map((text) => ({ text, count: JSON.parse(text).entry.length }));
  const resources = lines.slice(0, 20).flatMap((text) => flatten(JSON.parse(text)));
  return { bundles, resources };
}

function flatten(bundle) {
  return bundle.entry.map(({ fullUrl, resource }) => {
    const names = [fullUrl];
    for (const { system, value } of resource.identifier ?? []) {
      names.push(`${resource.resourceType}?identifier=${system}|${value}`);
    }
    return { names, type: resource.resourceType, text: JSON.stringify(resource) };
  });
}

/** Returns the data by which the searches of the bench check their responses. */
function describePatient(bundle) {
  const patient = bundle.entry[0].resource;
  const [name] = patient.name;
  const observations = bundle.entry
    .map((entry) => entry.resource)
    .filter((resource) => resource.resourceType === 'Observation');
  return {
    family: name.family,
    nameParts: [name.family, ...name.given, ...(name.prefix ?? [])],
    recordNumber: patient.identifier[0].value,
    observationCodes: observations.map((observation) => observation.code.coding[0].code),
  };
}

/**
 * Stores everything through `client`, `clients` bundles at a time.
 * @returns count of resources, bytes of JSON sent, seconds, and the ids of the patients in the order of the bundles
 * @throws at the first response that is not 201
 */
export async function loadGenerated(client, generated, clients) {
  const storedNames = new Map();
  let count = 0;
  let sentBytes = 0;
  const start = performance.now();
  const storeBundle = async (resources, local) => {
    let firstId;
    for (const { names, type, text } of resources) {
      const body = text.replace(PLACEHOLDER, (_match, name) => {
        const reference = local.get(name) ?? storedNames.get(name);
        if (!reference) throw new Error(`nothing stored for the reference ${name}`);
        return `"${reference}"`;
      });
      const id = await postResource(client, type, body);
      firstId ??= id;
      for (const name of names) local.set(name, `${type}/${id}`);
      count++;
      sentBytes += Buffer.byteLength(body);
    }
    return firstId;
  };
  await storeBundle(generated.shared, storedNames);
  const patientIds = new Array(generated.bundles.length);
  let next = 0;
  const work = async () => {
    while (next < generated.bundles.length) {
      const position = next++;
      patientIds[position] = await storeBundle(generated.bundles[position], new Map());
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return { count, sentBytes, seconds: (performance.now() - start) / 1000, patientIds };
}

/** Stores one resource. @returns its id, from the Location header */
export async function postResource(client, type, body) {
  const answer = await client.send({ method: 'POST', path: `/${type}`, body });
  const location = /\/([A-Z][A-Za-z]+)\/([A-Za-z0-9.-]{1,64})(?:\/_history\/[^/]+)?$/.exec(
    answer.headers.location ?? '',
  );
  if (answer.status !== 201 || location?.[1] !== type) {
    throw new Error(
      `POST ${client.baseUrl}/${type}: status ${answer.status}, Location ${answer.headers.location}: ${answer.text.slice(0, 500)}`,
    );
  }
  return location[2];
}
