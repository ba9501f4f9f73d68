/**
 * Administration of the users who sign in to a tenant, for administrators only, below
 * /w/system/api/v1/tenants/{tenant}: `users` (GET, POST), `users/{id}` (GET, PATCH, DELETE).
 */
import type { FastifyInstance } from 'fastify';
import type { Core, User, UserChanges } from '../../core';
import {
  found,
  readFlag,
  readMembers,
  readReleaseScope,
  readText,
  addAdministration,
  toInstant,
  type AdministrationRequest,
} from './administration';
import { sendJson } from '../responses/send-json';

const MEMBERS = [
  ...['name', 'display', 'password', 'disabled', 'release', 'fhirUser', 'patient'],
  ...['administrator', 'auditor'],
];

/** Registers the routes in `scope`, which only administrators reach. */
export function registerUserRoutes(scope: FastifyInstance, { users }: Core): void {
  addAdministration(scope, '/users', {
    GET: async (request, reply) => {
      const list = await users.list(request.params.name);
      return sendJson(request, reply, { status: 200, answer: { users: list.map(toAnswer) } });
    },
    POST: async (request, reply) => {
      const made = await users.create(request.params.name, readUser(request));
      return sendJson(request, reply, { status: 201, answer: toAnswer(made) });
    },
  });
  addAdministration(scope, '/users/:user', {
    GET: async (request, reply) => {
      const { name, user } = request.params;
      return sendJson(request, reply, { status: 200, answer: toAnswer(found(await users.find(name, user))) });
    },
    PATCH: async (request, reply) => {
      const { name, user } = request.params;
      const changed = await users.change(name, user, readUser(request));
      return sendJson(request, reply, { status: 200, answer: toAnswer(found(changed)) });
    },
    DELETE: async (request, reply) => {
      const { name, user } = request.params;
      found((await users.remove(name, user)) || undefined);
      return sendJson(request, reply, { status: 200, answer: { removed: user } });
    },
  });
}

function readUser(request: AdministrationRequest): UserChanges {
  const members = readMembers(request, MEMBERS);
  const orNull = (name: string): string | null | undefined =>
    members[name] === null ? null : readText(name, members[name]);
  return {
    name: readText('name', members['name']),
    display: readText('display', members['display']),
    password: readText('password', members['password']),
    isDisabled: readFlag('disabled', members['disabled']),
    release: readReleaseScope(members['release']),
    fhirUser: orNull('fhirUser'),
    patient: orNull('patient'),
    isAdministrator: readFlag('administrator', members['administrator']),
    isAuditor: readFlag('auditor', members['auditor']),
  };
}

function toAnswer(user: User): object {
  const { id, name, display, created, isDisabled, release, fhirUser, patient } = user;
  return {
    ...{ id, name, display, created: toInstant(created), disabled: isDisabled, release, fhirUser, patient },
    ...{ administrator: user.isAdministrator, auditor: user.isAuditor },
  };
}
