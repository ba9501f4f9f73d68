/**
 * Sends the same requests to the worlds of a tenant, and returns where the answer beside another tenant differs from
 * that of the tenant alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../support/server';
import { generateStep } from './generate-step';
import { markerOf, type Tenant } from './tenant';
import type { Sent, World } from './world';

/** A tenant beside the other, once behind each tested check, and alone. */
export interface Worlds {
  readonly tenant: Tenant;
  /** By the name of the check, in one order. */
  readonly shared: ReadonlyMap<string, World>;
  readonly alone: World;
}

export interface Tally {
  /** Answers that differ beside the other tenant, by the name of the check. */
  readonly wrong: ReadonlyMap<string, string[]>;
  /** Requests by the first digit of the status. */
  readonly statuses: Map<string, number>;
  /** Requests of both tenants together, behind each check; those to the servers where a tenant is alone are not counted. */
  requests: number;
}

/** This many differences are enough to inspect. */
export const MOST_SHOWN = 5;
/** Changes in the same millisecond in one world, and not in the other, have another order by `_lastUpdated`. */
export const NEXT_MOMENT_MS = 2;
const MOST_TRIES = 4;
const LEAK = 'It holds the mark of the other tenant.';
const isLate = ({ status, text }: Answer): boolean => status === 503 || text.includes('"code":"timeout"');

export function startTally(checks: Iterable<string>): Tally {
  return { wrong: new Map([...checks].map((check) => [check, []])), statuses: new Map(), requests: 0 };
}

/** Each difference, with the check behind which it was seen. */
export const differences = ({ wrong }: Tally): string[] =>
  [...wrong].flatMap(([check, texts]) => texts.map((text) => `Behind ${check}: ${text}`));

/**
 * Sends `sent` to all worlds at once and compares. `isRead`: what a busy machine had no time for is asked again.
 * @param other the tenant that the requests name where they take an id or a page of another
 */
export async function sendToAll(
  tenantWorlds: Worlds,
  other: Worlds,
  sent: readonly Sent[],
  tally: Tally,
  isRead = false,
): Promise<void> {
  const { shared, alone, tenant } = tenantWorlds;
  const worlds: readonly (readonly [world: World, foreign: World])[] = [
    [alone, other.alone],
    ...[...shared].map(([check, world]) => [world, worldOf(other, check)] as const),
  ];
  const answers = await Promise.all(
    sent.map(async (request) => {
      for (let tries = 1; ; tries++) {
        const all = await Promise.all(worlds.map(([world, foreign]) => world.send(request, foreign)));
        if (!isRead || tries === MOST_TRIES || !all.some(isLate)) return all;
      }
    }),
  );
  for (const [index, [lone, ...besides]] of answers.entries()) {
    const request = sent[index];
    if (request === undefined || lone === undefined) throw new Error('each answer has a request');
    tally.requests++;
    const status = `${Math.floor(lone.status / 100)}xx`;
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    const expected = alone.describe(lone, request);
    for (const [position, [check, world]] of [...shared].entries()) {
      const answer = besides[position];
      if (answer === undefined) throw new Error('each world answers');
      const got = world.describe(answer, request);
      const mark = markerOf(tenant.other);
      // A tenant alone gets only those names of the other that the request itself has, also in the address of a
      // further page.
      const isLeak = got.includes(mark) && !expected.includes(mark);
      if (got === expected && !isLeak && answer.status < 500) continue;
      const what = explain(tenantWorlds, tally.requests, request, got, expected);
      tally.wrong.get(check)?.push(isLeak ? `${LEAK} ${what}` : what);
    }
  }
}

export function worldOf({ shared }: Worlds, check: string): World {
  const world = shared.get(check);
  if (world === undefined) throw new Error(`nobody is behind ${check}`);
  return world;
}

function explain({ tenant }: Worlds, at: number, request: Sent, got: string, expected: string): string {
  let same = 0;
  while (same < got.length && got[same] === expected[same]) same++;
  const around = (text: string): string => text.slice(Math.max(0, same - 200), same + 300);
  return [
    `ISOLATION_SEED=${tenant.seed}, request ${at}, of ${tenant.name}: ${request.method} ${request.path} ${request.body ?? ''} ${JSON.stringify(request.headers ?? {})}`,
    `  beside the other …${around(got)}`,
    `  alone            …${around(expected)}`,
  ].join('\n');
}

export async function settle({ shared, alone }: Worlds): Promise<void> {
  await Promise.all([...shared.values(), alone].map((world) => world.settle()));
}

/** One tenant's requests, one step after the other, until all have been sent or too much was wrong. */
export async function sendAtRandom(
  tenantWorlds: Worlds,
  other: Worlds,
  requests: number,
  tally: Tally,
  options: { readonly onlyReads?: boolean } = {},
): Promise<void> {
  for (let sent = 0; sent < requests && differences(tally).length < MOST_SHOWN;) {
    const { requests: some, isDefinition, isRead } = generateStep(tenantWorlds.tenant);
    if (!isRead && options.onlyReads === true) continue;
    await sendToAll(tenantWorlds, other, some, tally, isRead);
    if (!isRead) await delay(NEXT_MOMENT_MS);
    if (isDefinition) await settle(tenantWorlds);
    sent += some.length;
  }
}
