/**
 * Requests with `Prefer: respond-async` (https://hl7.org/fhir/R4/async.html, docs/use/http.md). The response is 202 with an
 * address where the client gets the status or the result, or cancels the request.
 */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, InjectOptions, LightMyRequestResponse } from 'fastify';
import {
  ANONYMOUS_CALLER,
  FhirError,
  fhirError,
  isRelease,
  joinInTurns,
  repeatWhile,
  toOutcome,
  type Caller,
  type Core,
  type JobRequest,
} from '../core';
import { toStored } from './requests/body';
import { watchCaller } from './connections/caller-watch';
import type { Exchange } from './exchange';
import { INTERACTIONS, type Interaction } from './interaction-names';
import { jobTime } from './job-time';
import { parsePreference, withoutAsync } from './requests/prefer';
import type { RestSettings } from './settings';
import { DATA_ADDRESS } from './observation/request-log-entry';

/** Searches change nothing, so that they can be restarted. */
const SEARCHES: readonly Interaction[] = [
  INTERACTIONS.searchType,
  INTERACTIONS.searchTypeByPost,
  INTERACTIONS.searchSystem,
  INTERACTIONS.searchSystemByPost,
  INTERACTIONS.searchCompartment,
  INTERACTIONS.searchCompartmentByPost,
  INTERACTIONS.searchCompartmentTypeByPost,
];
const BUNDLES: readonly Interaction[] = [INTERACTIONS.bundle];

/** Headers that are stored with the request. Credentials are not among them: the caller is stored instead. */
const STORED_HEADERS = [
  'accept',
  'content-type',
  'host',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-provenance',
  'traceparent',
  'tracestate',
  'x-request-id',
] as const;

/** Answers of more bytes are sent as they are stored; shorter ones may be indented (`_pretty`). */
const LONG_ANSWER = 1024 * 1024;

/** Seconds after which a client may poll again. */
const RETRY_AFTER = '1';

/**
 * True when a request is executed asynchronously. Other requests with `respond-async` are executed at once, as RFC 7240
 * allows.
 */
export function isAnsweredLater({ request }: Exchange, interaction: Interaction): boolean {
  const { prefer } = request.headers;
  if (prefer === undefined || request.method === 'HEAD' || jobTime.getStore() !== undefined) return false;
  return (SEARCHES.includes(interaction) || BUNDLES.includes(interaction)) && parsePreference(prefer).isAsync;
}

/** Stores the request as a job; the response is 202 with the address of the result. Throws tooManyJobs. */
export async function submit(exchange: Exchange, interaction: Interaction): Promise<FastifyReply> {
  const { restContext, request, context, root, reply } = exchange;
  const headers: Record<string, string> = { 'x-request-id': request.id };
  for (const name of STORED_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const prefer = withoutAsync(String(request.headers['prefer']));
  if (prefer !== '') headers['prefer'] = prefer;
  const job: JobRequest = {
    details: {
      method: request.method,
      url: request.url,
      headers,
      caller: JSON.stringify(callerOf(context)),
      ...(request.socket.remoteAddress === undefined ? {} : { remoteAddress: request.socket.remoteAddress }),
    },
    isRepeatable: SEARCHES.includes(interaction),
    ...(request.body === undefined ? {} : { body: await toStored(request.body) }),
  };
  const id = await restContext.core.jobs.requests.submit(context, job);
  reply.header('content-location', `${root}/_async/${id}`).header('preference-applied', 'respond-async');
  return exchange
    .forbidCaching()
    .send(
      202,
      informationOf('The request was accepted; its result will be at the address in Content-Location'),
    );
}

/** GET _async/{job}: 202 until the job is done, then its result; an error has the status of the failed request. */
export async function status(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, reply } = exchange;
  const job = await restContext.core.jobs.requests.find(context, request.params.job ?? '');
  if (job === undefined) throw fhirError('unknownJob');
  exchange.forbidCaching();
  if (job.state === 'done') {
    context.bytes?.addAnswer(job.body.length);
    reply.header('expires', new Date(job.expires).toUTCString());
    // Decoding a long answer, which is encoded again, would delay other requests.
    return exchange.send(job.status, job.body.length > LONG_ANSWER ? job.body : job.body.toString('utf8'));
  }
  const progress =
    job.state === 'waiting' ? 'waiting' : `under way, accepted ${Math.floor(job.age / 1000)} s ago`;
  reply.header('x-progress', progress).header('retry-after', RETRY_AFTER);
  return exchange.send(202, informationOf(`The request is ${progress}`));
}

/** DELETE _async/{job}: 202. A job that has not begun is not executed, and a running search stops. */
export async function cancel(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context } = exchange;
  if (!(await restContext.core.jobs.requests.cancel(context, request.params.job ?? '')))
    throw fhirError('unknownJob');
  return exchange
    .forbidCaching()
    .send(202, informationOf('The request is cancelled, and its result removed'));
}

function informationOf(diagnostics: string): string {
  return toOutcome([{ severity: 'information', code: 'informational', diagnostics }]);
}

/** Executes the jobs, each as an ordinary request. */
export function answerLater(server: FastifyInstance, core: Core, { asyncTimeoutMs }: RestSettings): void {
  core.jobs.requests.serve(async ({ details, body }, signal) => {
    const deadline = Date.now() + asyncTimeoutMs;
    const options = toInjection(details, body);
    const caller = toCaller(details['caller']);
    const { url } = details;
    const [, tenant = '', release = ''] = (typeof url === 'string' ? DATA_ADDRESS.exec(url) : null) ?? [];
    const watch = isRelease(release) ? watchCaller(core, tenant, release, caller) : undefined;
    const revoked = watch?.signal ?? new AbortController().signal;
    const job = { deadline, signal: AbortSignal.any([signal, revoked]), revoked, caller };
    return jobTime.run(job, async () => {
      try {
        const answer = await repeatWhile(
          // `inject` sends the request only when its result is awaited.
          async () => server.inject({ ...options, payloadAsStream: true }),
          (outcome) => 'result' in outcome && isToBeRepeated(outcome.result) && Date.now() < deadline,
          { signal: job.signal },
        );
        const body = await readBytes(answer.stream());
        if (signal.aborted) throw new Error('the job was cancelled');
        // A job that lost its access gets that error, unless the request succeeded in spite of it.
        const reason: unknown = revoked.reason;
        return reason instanceof FhirError && answer.statusCode >= 400
          ? { status: reason.status, body: toOutcome(reason.issues) }
          : { status: answer.statusCode, body };
      } finally {
        watch?.end();
      }
    });
  });
  server.addHook('preClose', () => core.jobs.requests.stop());
}

/** Without `retry-after` the request may have changed something. */
function isToBeRepeated({ statusCode, headers }: LightMyRequestResponse): boolean {
  return statusCode === 503 && headers['retry-after'] !== undefined;
}

async function readBytes(source: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk as Buffer);
  const [first, ...others] = chunks;
  return first === undefined || others.length > 0 ? joinInTurns(chunks) : first;
}

function callerOf({ actor, access }: Caller): Caller {
  return { actor, ...(access === undefined ? {} : { access }) };
}

/** Returns the caller that `submit` has stored. Requests that older versions stored without a caller are anonymous. */
function toCaller(stored: JobRequest['details'][string] | undefined): Caller {
  if (typeof stored !== 'string') return ANONYMOUS_CALLER;
  return JSON.parse(stored) as Caller;
}

function toInjection(details: JobRequest['details'], body: Buffer | undefined): InjectOptions {
  const { method, url, headers, remoteAddress } = details;
  if ((method !== 'GET' && method !== 'POST') || typeof url !== 'string' || typeof headers !== 'object')
    throw new Error('a stored request cannot be executed');
  return {
    method,
    url,
    headers,
    ...(typeof remoteAddress === 'string' ? { remoteAddress } : {}),
    ...(body === undefined ? {} : { payload: body }),
  };
}
