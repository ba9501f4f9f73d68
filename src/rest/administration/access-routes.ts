/** The address that explains who may do what in a tenant (routes.ts), with its schemas. */
import { Type } from '@sinclair/typebox';
import { EXPLAINED } from '../../core';
import type { Routes } from './route';
import { listOf, object, oneOf, optional, release, text, texts } from './schema-kinds';

const ID = Type.String({
  pattern: '^[A-Za-z0-9\\-.]{1,64}$',
  description: 'Of a resource; without it the answer is about all of the type',
  expects: 'the id of a resource',
});
/** Core checks it, and names the place of each error. */
const DEFINITION = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: {} });
export const AccessQuestion = object(
  {
    type: text('Type of resource'),
    ...optional({
      id: ID,
      release: release('By default r4'),
      client: text('Id or name of a client; with an account by default the console'),
      user: text('Id or name of an account: who has signed in, and has allowed the client all'),
      patient: Type.String({
        ...ID,
        description: 'Id of the Patient in context, where the person chooses one',
      }),
      interactions: listOf(oneOf(EXPLAINED), 'By default all'),
      resource: Type.Unsafe<Record<string, unknown>>({
        ...DEFINITION,
        description: 'A resource to be written, by which a create and an update are judged; it is not stored',
        expects: 'a resource',
      }),
      policy: Type.Unsafe<{ readonly name: string; readonly definition: Record<string, unknown> }>({
        ...Type.Object({ name: Type.String(), definition: DEFINITION }, { additionalProperties: false }),
        description:
          'A policy to try: as if it were stored, and the client had it. Without a client, it alone restricts',
        expects: 'an object with the name of a policy and its definition',
      }),
    }),
  },
  { $id: 'AccessQuestion' },
);
const GRANT = object({
  grant: text('The scope, or the criteria of the rule'),
  allows: oneOf(['all', 'some', 'none'], 'Of the type; of one resource all or none'),
  ...optional({ policy: text('Without it, it is a scope'), rule: Type.Integer({ description: 'From 1' }) }),
});
const ANSWER = object({
  interaction: oneOf(EXPLAINED),
  allowed: oneOf(['yes', 'no', 'some']),
  reason: text('By what it is allowed, or what is missing'),
  grants: listOf(GRANT, 'The scopes, and the rules of policies, that are about the interaction'),
});
export const AccessExplanation = object(
  {
    who: text('The client and the person in words'),
    answers: listOf(ANSWER),
    hidden: texts('Elements of the type that policies hide'),
    readOnly: texts('Elements of the type that cannot be changed'),
    ...optional({
      hiddenHere: texts('Those of hidden that the resource has'),
      patients: texts('Ids of the Patients to whose records the resource belongs'),
      boundTo: texts('Ids of the Patients to whose records scopes bind the caller'),
    }),
  },
  { $id: 'AccessExplanation' },
);

export const ACCESS_ROUTES = {
  explainAccess: {
    address: 'POST /tenants/{tenant}/access', tag: 'Access', who: 'administrators',
    summary: 'Say whether a client or person may do something, and why, or what a policy would allow; nothing is stored',
    body: AccessQuestion,
    example: { policy: { name: 'ward', definition: { rules: [{ types: ['Observation'], interactions: 'rs' }] } }, type: 'Observation' },
    answers: { 200: { description: 'The answer', schema: AccessExplanation } },
    errors: { 404: 'The tenant does not exist' },
  },
} satisfies Routes; // prettier-ignore
