import type { Interactions, Run } from '../api/interactions';
import type { AuditEventRouter } from '../audit/audit-event-routing';
import { Recorder, type RecordingTools } from '../audit/recorder';
import type { ElementRedaction } from '../authorization/element-redaction';
import type { RequestContext } from '../context';
import { redactionFor, type PermissionServices } from '../authorization/authorize-core';
import type { SearchRequest } from '../search/requests/search-request';
import { type InteractionRow, INTERACTIONS, type InteractionTools } from './interaction-table';

/** How accesses are recorded, and how those to AuditEvents are routed to the space of these. */
export interface AccessRecording {
  readonly tools: RecordingTools;
  readonly router: Omit<AuditEventRouter, 'search'>;
}

export interface InteractionParts extends Omit<InteractionTools, 'single'> {
  /** Undefined: nothing is recorded, and AuditEvents are ordinary resources. */
  readonly recording: AccessRecording | undefined;
  /** The services that tell what a caller may do. */
  readonly permissions: PermissionServices;
}

/**
 * Creates the interactions. Each checks the grants itself, because Bundles and operations use it too; here it is routed,
 * leaves its record, and has its result redacted. A write is recorded in the statement that writes
 * (`RequestContext.recording`), all others afterwards, in batches (access-log.ts); reads of a request with a trail go
 * there. Cost: about a microsecond, and the write of the record; in open mode, a comparison for the redaction.
 */
export function createInteractions({ recording, permissions, ...parts }: InteractionParts): Interactions {
  const tools: InteractionTools = {
    ...parts,
    // A batch performs the recorded writes.
    get single() {
      return recorded;
    },
  };
  const recorder = recording && new Recorder(recording.tools);
  const router = recording && {
    ...recording.router,
    search: (context: RequestContext, request: SearchRequest) =>
      INTERACTIONS.search.run(tools, context, [request]),
  };
  const recorded: RunsOf<keyof Interactions> = each<keyof Interactions>(INTERACTIONS, (name) =>
    recordedRun(INTERACTIONS[name], tools, recorder, router),
  );
  return each<keyof Interactions>(INTERACTIONS, (name) =>
    redactedRun(INTERACTIONS[name].redact, recorded[name], permissions),
  );
}

type RunsOf<Names extends keyof Interactions> = { [Name in Names]: Run<Name> };

function each<Names extends keyof Interactions>(
  table: Readonly<Record<Names, unknown>>,
  make: <Name extends Names>(name: Name) => Run<Name>,
): RunsOf<Names> {
  const runs: { [Name in Names]?: Run<Name> } = {};
  const put = <Name extends Names>(name: Name): void => {
    runs[name] = make(name);
  };
  for (const name in table) put(name);
  if (!isWhole(table, runs)) throw new Error('an interaction was not created');
  return runs;
}

function isWhole<Names extends keyof Interactions>(
  table: Readonly<Record<Names, unknown>>,
  runs: Partial<RunsOf<Names>>,
): runs is RunsOf<Names> {
  return Object.keys(table).every((name) => name in runs);
}

function recordedRun<Name extends keyof Interactions>(
  { run: perform, route, record }: InteractionRow<Name>,
  tools: InteractionTools,
  recorder: Recorder | undefined,
  router: AuditEventRouter | undefined,
): Run<Name> {
  const run: Run<Name> = (context, ...of) => perform(tools, context, of);
  if (recorder === undefined || router === undefined) return run;
  const routed: Run<Name> = (context, ...of) => route(router, run, context, ...of);
  return (context, ...of) => record(recorder, routed, context, ...of);
}

function redactedRun<Arguments extends readonly unknown[], Result>(
  redact: ((redaction: ElementRedaction, result: Result) => Result) | undefined,
  run: (context: RequestContext, ...of: Arguments) => Promise<Result>,
  permissions: PermissionServices,
): (context: RequestContext, ...of: Arguments) => Promise<Result> {
  if (redact === undefined) return run;
  return async (context, ...of) => {
    const result = await run(context, ...of);
    const redaction = redactionFor(permissions, context);
    return redaction === undefined ? result : redact(redaction, result);
  };
}
