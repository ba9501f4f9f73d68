/** Requests are answered at their deadline, whatever they wait for. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { fhirError } from '../core';
import { READING_METHODS } from './request-log-entry';

/** Milliseconds between two looks. */
const LOOK_MS = 250;
/** What ends at the deadline by itself has better words for it, and this many milliseconds to say them. */
const GRACE_MS = 1_000;

/**
 * Answers each request with an error soon after its deadline, if it is not answered by then: what is under way goes on,
 * and its answer reaches nobody. A request that was taken for later has the deadline of its job. Cost: one timer for
 * all, and a place in an array for each request.
 */
export function answerAtDeadlines(server: FastifyInstance, requestTimeoutMs: number): void {
  // An array: a Set that lives long keeps what was in it (CONTRIBUTING.md, Hot paths).
  const open: FastifyReply[] = [];
  const forget = ({ request: { visit } }: FastifyReply): void => {
    const last = open.pop();
    if (last === undefined || last.request.visit === visit) return;
    open[visit.place] = last;
    last.request.visit.place = visit.place;
  };
  server.addHook('preHandler', (request, reply, done) => {
    request.visit.deadline = Date.now() + requestTimeoutMs;
    request.visit.place = open.push(reply) - 1;
    reply.raw.once('close', () => forget(reply));
    done();
  });
  const timer = setInterval(() => {
    const now = Date.now();
    for (const reply of [...open]) if (reply.request.visit.deadline + GRACE_MS < now) answerLate(reply);
  }, LOOK_MS).unref();
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    done();
  });
}

function answerLate(reply: FastifyReply): void {
  const { request } = reply;
  const { visit } = request;
  // What has begun to be sent ends by itself.
  if (reply.sent || reply.raw.headersSent || visit.isOverdue) return;
  visit.isOverdue = true;
  const isReading = READING_METHODS.includes(request.method) || visit.interaction.name.startsWith('search');
  void reply.send(fhirError(isReading ? 'timeout' : 'unanswered'));
}
