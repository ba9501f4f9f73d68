/**
 * Loads the official example resources and the records of the demo (scripts/build-demo.mjs) through core, like any write.
 * They are shipped as compressed files.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  type Core,
  FhirError,
  type JsonDocument,
  type Log,
  parseJson,
  type Release,
  RELEASE_NAMES,
  type RequestContext,
  switchedOff,
  whileBusy,
} from '../core';
import { PACKAGE_FOLDER } from '../package-folder';
import { createProgressBar, type ProgressOutput } from './progress-bar';

const FOLDER = path.join(PACKAGE_FOLDER, 'examples');
/** High enough for concurrent writes to share a statement. */
const IN_FLIGHT = 64;
const PATIENCE_MS = 120_000;

async function readLines(name: Release | 'demo'): Promise<readonly string[]> {
  const packed = await readFile(path.join(FOLDER, `${name}.ndjson.gz`));
  const text = (await promisify(gunzip)(packed)).toString('utf8');
  return text.split('\n').filter((line) => line !== '');
}

function textMember(document: JsonDocument, name: string): string | undefined {
  const { value } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const member = value[name];
  return typeof member === 'string' ? member : undefined;
}

/** An example that already exists, from an interrupted load, stays unchanged. */
async function storeExample(core: Core, context: RequestContext, document: JsonDocument): Promise<void> {
  const timed = { ...context, deadline: Date.now() + PATIENCE_MS };
  const type = textMember(document, 'resourceType') ?? '';
  const id = textMember(document, 'id');
  if (id === undefined) {
    await core.interactions.create(timed, type, document);
    return;
  }
  try {
    await core.interactions.update(timed, { type, id, input: document, guard: { ifNoneMatchAny: true } });
  } catch (error) {
    if (!(error instanceof FhirError) || error.key !== 'preconditionFailed') throw error;
  }
}

export interface LoadedExamples {
  readonly stored: number;
  /** Number of Subscriptions that request notifications; they are stored with the status `off`. */
  readonly subscriptionsOff: number;
}

export interface LoadOptions {
  readonly output: ProgressOutput;
  /** Ends the load; a later one continues it. */
  readonly signal?: AbortSignal;
}

/** Loads the examples of all releases, and the demo in each, into `tenant`. Undefined: `signal` has ended it. */
export async function loadExamples(
  core: Core,
  tenant: string,
  log: Log,
  { output, signal }: LoadOptions,
): Promise<LoadedExamples | undefined> {
  let stored = 0;
  let subscriptionsOff = 0;
  for (const release of RELEASE_NAMES) {
    const space = await core.access.findSpace(tenant, release);
    if (space === undefined)
      throw new Error(`The tenant '${tenant}' does not exist, so that the examples cannot be loaded`);
    // Some official examples are wrong, and people look for all of them.
    const published = { ...space, storesAsPublished: true } as const;
    const context = { space: published, actor: 'quickstart', deadline: 0, requestId: 'quickstart', log };
    const lines = [...(await readLines(release)), ...(await readLines('demo'))];
    const bar = createProgressBar(output, `Loading the ${release.toUpperCase()} examples`, lines.length);
    let next = 0;
    let done = 0;
    const isStopped = (): boolean => signal?.aborted === true;
    const work = async (): Promise<void> => {
      for (let line = lines[next++]; line !== undefined; line = lines[next++]) {
        if (isStopped()) return;
        const document = parseJson(line);
        const off = switchedOff(document.value);
        const stopped = off === undefined ? document : { ...document, value: off };
        try {
          await whileBusy(() => storeExample(core, context, stopped), { signal });
        } catch (error) {
          if (isStopped()) return;
          throw error;
        }
        stored += 1;
        if (off !== undefined) subscriptionsOff += 1;
        done += 1;
        bar.show(done);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    bar.finish();
    if (signal?.aborted === true) return undefined;
  }
  return { stored, subscriptionsOff };
}
