/**
 * Runs reads, searches and a GraphQL query over the base resources before a server listens, so that the first requests of clients
 * find compiled code and open connections. They are no requests: nothing of them is logged, recorded or counted as one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  AccessTrail,
  type Core,
  EMPTY_REQUEST_STATE,
  type Log,
  RELEASE_NAMES,
  type RequestContext,
} from './core';
import type { GraphqlGateway } from './gateway';

const LIMIT_MS = 1_000;
/** Enough that reads share statements, as those of clients do. */
const IN_FLIGHT = 8;
const TENANT = 'system';
const QUERY = '{ StructureDefinitionList(_count: 2) { id name url status } }';

const TYPES = ['Patient', 'Observation', 'Encounter', 'Condition'] as const;

async function runOnce(core: Core, context: RequestContext, turn: number): Promise<void> {
  const name = TYPES[turn % TYPES.length] ?? TYPES[0];
  const url = `http://hl7.org/fhir/StructureDefinition/${name}`;
  await core.interactions.read(context, 'StructureDefinition', name);
  await core.interactions.search(context, { type: 'StructureDefinition', parameters: [['url', url]] });
  await core.interactions.search(context, {
    type: 'StructureDefinition',
    parameters: [
      ['name', name],
      ['_sort', '-_lastUpdated'],
      ['_count', '5'],
    ],
  });
}

async function contextsOf(core: Core, log: Log, deadline: number): Promise<readonly RequestContext[]> {
  const spaces = await Promise.all(RELEASE_NAMES.map((release) => core.access.findSpace(TENANT, release)));
  return spaces.flatMap((space) =>
    space === undefined
      ? []
      : [
          {
            ...{ space, deadline, log, actor: 'warm-up', requestId: 'warm-up', ...EMPTY_REQUEST_STATE },
            // The trail is thrown away: no AuditEvent comes from it.
            trail: new AccessTrail(),
          },
        ],
  );
}

/** Resolves after at most a second, whatever fails. */
export async function warmUp(core: Core, gateway: GraphqlGateway, log: Log): Promise<void> {
  const begun = performance.now();
  const deadline = Date.now() + LIMIT_MS;
  let runs = 0;
  const work = async (): Promise<void> => {
    const contexts = await contextsOf(core, log, deadline);
    const repeat = async (): Promise<void> => {
      while (Date.now() < deadline) for (const context of contexts) await runOnce(core, context, runs++);
    };
    const query = async (): Promise<void> => {
      for (const context of contexts.slice(0, 1)) await gateway.warmUp(context, QUERY);
    };
    await Promise.all([query(), ...Array.from({ length: IN_FLIGHT }, repeat)]);
  };
  const stopped = new AbortController();
  await Promise.race([
    work().catch(() => undefined),
    delay(LIMIT_MS, undefined, { signal: stopped.signal }).catch(() => undefined),
  ]);
  stopped.abort();
  log.debug({ runs, milliseconds: Math.round(performance.now() - begun) }, 'warmed up');
}
