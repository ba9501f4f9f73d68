/** Responds to requests at their deadline. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { fhirError } from '../../core';
import { INTERACTIONS } from '../interaction-names';
import { READING_METHODS } from '../observation/request-log-entry';

/** Milliseconds between two checks. */
const CHECK_MS = 250;
/** Milliseconds after the deadline in which the request itself may still fail, because its error is more precise. */
const GRACE_MS = 1_000;

/**
 * Responds with an error to each request without a response soon after its deadline. Its work continues, and its result
 * is dropped. An asynchronous request has the deadline of its job.
 * Cost: one timer for all, and an element in an array for each request.
 */
export function answerAtDeadlines(server: FastifyInstance, requestTimeoutMs: number): void {
  // An array, because a long-lived Set keeps removed values alive (CONTRIBUTING.md, Hot paths).
  const open: FastifyReply[] = [];
  const remove = ({ request: { logEntry } }: FastifyReply): void => {
    const last = open.pop();
    if (last === undefined || last.request.logEntry === logEntry) return;
    open[logEntry.place] = last;
    last.request.logEntry.place = logEntry.place;
  };
  server.addHook('preHandler', (request, reply, done) => {
    request.logEntry.deadline = Date.now() + requestTimeoutMs;
    request.logEntry.place = open.push(reply) - 1;
    reply.raw.once('close', () => remove(reply));
    done();
  });
  const timer = setInterval(() => {
    const now = Date.now();
    for (const reply of [...open]) if (reply.request.logEntry.deadline + GRACE_MS < now) answerLate(reply);
  }, CHECK_MS).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    done();
  });
}

function answerLate(reply: FastifyReply): void {
  const { request } = reply;
  const { logEntry } = request;
  // A response that has begun ends by itself.
  if (reply.sent || reply.raw.headersSent || logEntry.isOverdue) return;
  logEntry.isOverdue = true;
  const { interaction, changesNothing } = logEntry;
  // A patch may be sent by GET.
  const isReading =
    (READING_METHODS.includes(request.method) && interaction !== INTERACTIONS.patch) ||
    interaction.name.startsWith('search') ||
    changesNothing;
  void reply.send(fhirError(isReading ? 'timeout' : 'unanswered'));
}
