/** The OpenAPI document of administration, for everybody: it has no data, and is the same on every server. */
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../core';
import { ADMINISTRATION } from './administration';
import { refuseOtherMethods } from '../requests/method';
import { describeAdministration } from '../openapi/administration';
import { sendJson } from '../responses/send-json';

const PATH = `${ADMINISTRATION}/openapi.json`;

export function registerAdministrationApi(server: FastifyInstance): void {
  const answer = describeAdministration(VERSION);
  server.get(PATH, async (request, reply) =>
    sendJson(request, reply, { status: 200, answer, cacheControl: 'no-cache' }),
  );
  refuseOtherMethods(server, PATH, ['GET']);
}
