/** StructureDefinitions for tests: those of the specification, and what HL7 published of profiles. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Release } from '../../../../../src/core';
import { readBaseResources } from '../../../../../src/core/fhir/definitions';
import { isJsonObject, parseJson, type JsonObject } from '../../../../../src/core/fhir/json';
import { objectMember, stringMember } from '../../../../../src/core/fhir/terminology/members';

function parse(text: string): JsonObject {
  const { value } = parseJson(text);
  if (!isJsonObject(value)) throw new Error('no object');
  return value;
}

const loaded = new Map<Release, ReadonlyMap<string, JsonObject>>();

/** The base StructureDefinitions of a release, by url, as they are stored: with a snapshot, without a differential. */
export function specificationStructures(release: Release): ReadonlyMap<string, JsonObject> {
  let structures = loaded.get(release);
  if (structures === undefined) {
    const found = new Map<string, JsonObject>();
    for (const { type, text } of readBaseResources(release)) {
      if (type !== 'StructureDefinition') continue;
      const structure = parse(text);
      found.set(stringMember(structure, 'url') ?? '', structure);
    }
    loaded.set(release, (structures = found));
  }
  return structures;
}

/** One profile or extension: what its author wrote (differential) and what HL7's tools made of it (snapshot). */
export interface PublishedStructure {
  readonly source: string;
  readonly release: Release;
  readonly url: string;
  /** Without a snapshot. */
  readonly structure: JsonObject;
  readonly snapshot: JsonObject;
}

const FILE = path.join(__dirname, 'published-structures.ndjson.gz');

/** Made by scripts/build-published-snapshots.mjs. */
export function publishedStructures(): readonly PublishedStructure[] {
  return gunzipSync(readFileSync(FILE))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { source, release, structure } = parse(line);
      if (typeof source !== 'string' || (release !== 'r4' && release !== 'r4b') || !isJsonObject(structure))
        throw new Error('a line of published-structures.ndjson.gz is damaged');
      const url = stringMember(structure, 'url') ?? '';
      const { snapshot: own, ...rest } = structure;
      const snapshot = isJsonObject(own) ? own : baseSnapshot(release, url);
      return { source, release, url, structure: rest, snapshot };
    });
}

function baseSnapshot(release: Release, url: string): JsonObject {
  const structure = specificationStructures(release).get(url);
  const snapshot = structure === undefined ? undefined : objectMember(structure, 'snapshot');
  if (snapshot === undefined) throw new Error(`the specification has no snapshot of ${url}`);
  return snapshot;
}
