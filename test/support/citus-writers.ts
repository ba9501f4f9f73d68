/** Clients that write to a tenant while it is moved, and what became of what they were told. */
import type { TestDatabase } from './database';
import type { HttpClient } from './http';
import { withClient } from './services';

const WRITERS = 4;

export interface Written {
  /** The last acknowledged version of each resource, by id. */
  readonly versions: Map<string, number>;
  /** Acknowledged writes. */
  writes: number;
  /** Resources of which an acknowledged version is lost. */
  readonly lost: Set<string>;
  /** Answers that acknowledge nothing, by status; 0: the connection was cut. */
  readonly refused: Map<number, number>;
}

interface Target {
  readonly path: string;
  /** The server that takes the next request. */
  to(): Pick<HttpClient, 'request'>;
}

/** Creates resources and updates each of them, again and again, until `isOver`. */
async function write({ path, to }: Target, written: Written, isOver: () => boolean): Promise<void> {
  let id: string | undefined;
  while (!isOver()) {
    const body = { resourceType: 'Basic', code: { text: `write ${written.writes}` } };
    const answer = await (
      id === undefined
        ? to().request('POST', `${path}/Basic`, body)
        : to().request('PUT', `${path}/Basic/${id}`, { ...body, id })
    ).catch(() => undefined);
    const status = answer?.status ?? 0;
    if (answer === undefined || (status !== 200 && status !== 201)) {
      written.refused.set(status, (written.refused.get(status) ?? 0) + 1);
      continue;
    }
    written.writes += 1;
    const [, version = '0'] = /^W\/"(\d+)"$/.exec(String(answer.headers['etag'])) ?? [];
    const made = String(answer.json.id);
    const before = written.versions.get(made) ?? 0;
    // Another node made it anew, which does not have what was acknowledged.
    if (Number(version) <= before) written.lost.add(made);
    written.versions.set(made, Math.max(before, Number(version)));
    id = Number(version) >= 5 ? undefined : made;
  }
}

/** Writes while `work` runs, which sees what was written so far, and looks then for each version that was acknowledged. */
export async function writeDuring(
  target: Target,
  work: (written: Written) => Promise<void>,
): Promise<Written> {
  const written: Written = { versions: new Map(), writes: 0, lost: new Set(), refused: new Map() };
  let isOver = false;
  const writers = Array.from({ length: WRITERS }, () => write(target, written, () => isOver));
  try {
    await work(written);
  } finally {
    isOver = true;
    await Promise.allSettled(writers);
  }
  await Promise.all(writers);
  for (const [id, version] of written.versions) {
    const answer = await target.to().request('GET', `${target.path}/Basic/${id}`);
    if (answer.status !== 200 || Number(answer.json.meta.versionId) < version) written.lost.add(id);
  }
  return written;
}

export function describeWritten({ writes, versions, lost, refused }: Written): string {
  return `${writes} writes of ${versions.size} resources acknowledged, ${lost.size} resources lost, refused ${JSON.stringify([...refused])}`;
}

/** Versions of a tenant on all nodes, and how many different numbers they have: as many, unless one was stored on two nodes. */
export async function countVersions(
  { settings }: TestDatabase,
  tenant: string,
): Promise<{ readonly versions: number; readonly sequences: number }> {
  const { rows } = await withClient(settings, (client) =>
    client.query<{ versions: number; sequences: number }>(
      `select count(*)::int as versions, count(distinct v.sequence)::int as sequences from andiron.resource_version v
       join andiron.space s on s.number = v.space join andiron.tenant t on t.number = s.tenant
       where t.name = $1 and s.kind = 'data' and s.release = 'r4'`,
      [tenant],
    ),
  );
  return rows[0] ?? { versions: 0, sequences: 0 };
}
