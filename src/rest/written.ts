import type { FastifyReply } from 'fastify';
import { toOutcome, type StoredVersion, type WriteResult } from '../core';
import type { Exchange } from './exchange';
import { parsePreference } from './prefer';

/**
 * Answers a create, update or patch: 201 with Location or 200, and the body that `Prefer: return` asks for
 * (https://hl7.org/fhir/R4/http.html#ops).
 */
export function sendWritten(
  exchange: Exchange,
  result: WriteResult,
  verb: 'stored' | 'patched',
): FastifyReply {
  const { version, created, warnings } = result;
  const status = created ? 201 : 200;
  exchange.forbidCaching().setVersion(version);
  if (created) exchange.reply.header('location', locationOf(exchange.root, version));
  const { answer } = parsePreference(exchange.request.headers.prefer);
  if (answer === 'representation') return exchange.send(status, version.text);
  if (answer === 'minimal') return exchange.sendEmpty(status);
  const diagnostics = `${version.type}/${version.id} was ${verb} as version ${version.versionId}`;
  const done = { severity: 'information', code: 'informational', diagnostics } as const;
  return exchange.send(status, toOutcome([done, ...warnings]));
}

/** `{fhir_root}/Type/id/_history/vid` */
function locationOf(root: string, version: StoredVersion): string {
  return `${root}/${version.type}/${version.id}/_history/${version.versionId}`;
}
