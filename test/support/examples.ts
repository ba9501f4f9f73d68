/** The official examples of a release (hl7.fhir.r4.examples and hl7.fhir.r4b.examples, CC0), as they are shipped. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isJsonObject, parseJson, type JsonDocument, type JsonObject } from '../../src/core/fhir/json';
import type { Release } from '../../src/core/fhir/release';
import { switchedOff } from '../../src/core/fhir/subscription/prepare-subscription';

export interface Example {
  readonly type: string;
  readonly id: string;
  readonly document: JsonDocument;
  readonly resource: JsonObject;
  readonly text: string;
}

const FOLDER = path.resolve(__dirname, '..', '..', 'examples');

export function readExamples(release: Release): Example[] {
  return readResources(release);
}

/** The made-up records that the quick start loads in both releases. */
export function readDemo(): Example[] {
  return readResources('demo');
}

function readResources(name: Release | 'demo'): Example[] {
  const text = gunzipSync(readFileSync(path.join(FOLDER, `${name}.ndjson.gz`))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const document = parseJson(line);
      const resource = document.value;
      if (!isJsonObject(resource)) throw new Error(`an example of ${name} is no resource`);
      const { resourceType: type, id } = resource;
      if (typeof type !== 'string' || typeof id !== 'string')
        throw new Error(`an example of ${name} has no name`);
      return { type, id, document, resource, text: line };
    });
}

/** The example as the quick start stores it: a Subscription that requests notifications is `off`. */
export function toStorable(example: Example): Example {
  const resource = switchedOff(example.resource);
  if (resource === undefined) return example;
  const text = JSON.stringify(resource);
  return { ...example, resource, text, document: parseJson(text) };
}

/** Runs `work` for each member, a few at a time. */
export async function forEachOf<Member>(
  members: readonly Member[],
  inFlight: number,
  work: (member: Member, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    for (let index = next++; index < members.length; index = next++) {
      const member = members[index];
      if (member !== undefined) await work(member, index);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, run));
}
