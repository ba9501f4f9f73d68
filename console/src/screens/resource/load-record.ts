/** Loads a record for its screen, and finds out why there is none. */
import { Failure } from '../../api/failure';
import type { JsonObject } from '../../api/json';
import { versionOf } from '../../fhir/server-meta';
import { historyOf, readRecord } from '../../api/records';
import type { Space } from '../../place';

export interface RecordAddress {
  readonly type: string;
  readonly id: string;
  readonly versionId?: string | undefined;
}

export type RecordState =
  /** `current`: number of the current version; undefined: the record is deleted now. */
  | { readonly state: 'found'; readonly record: JsonObject; readonly current: string | undefined }
  | { readonly state: 'deleted' }
  | { readonly state: 'missing' }
  | { readonly state: 'no version' };

const isAbsent = (error: unknown): boolean =>
  error instanceof Failure && (error.status === 404 || error.status === 410);

async function readOrNothing(space: Space, address: RecordAddress): Promise<JsonObject | undefined> {
  try {
    return await readRecord(space, address);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** True for a record that was there once. */
async function hasVersions(space: Space, address: RecordAddress): Promise<boolean> {
  try {
    const { versions } = await historyOf(space, address, { first: 1 });
    return versions.length > 0;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

export async function loadRecord(space: Space, { type, id, versionId }: RecordAddress): Promise<RecordState> {
  const [current, old] = await Promise.all([
    readOrNothing(space, { type, id }),
    versionId === undefined ? undefined : readOrNothing(space, { type, id, versionId }),
  ]);
  const record = versionId === undefined ? current : old;
  if (record !== undefined)
    return { state: 'found', record, current: current === undefined ? undefined : versionOf(current) };
  if (current !== undefined) return { state: 'no version' };
  return { state: (await hasVersions(space, { type, id })) ? 'deleted' : 'missing' };
}
