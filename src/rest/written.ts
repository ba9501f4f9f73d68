import type { FastifyReply } from 'fastify';
import { toOutcome, type Issue, type StoredVersion, type WriteResult } from '../core';
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
  const { version, created } = result;
  const status = created ? 201 : 200;
  exchange.forbidCaching().setVersion(version);
  if (created) exchange.reply.header('location', locationOf(exchange.root, version));
  const { answer } = parsePreference(exchange.request.headers.prefer);
  if (answer === 'representation') return exchange.send(status, version.text);
  if (answer === 'minimal') return exchange.sendEmpty(status);
  return exchange.send(status, toOutcome(writtenIssues(result, verb)));
}

/** What an outcome says of a write: that it was done, and what was found on the way. */
export function writtenIssues({ version, warnings }: WriteResult, verb: 'stored' | 'patched'): Issue[] {
  const diagnostics = `${version.type}/${version.id} was ${verb} as version ${version.versionId}`;
  return [{ severity: 'information', code: 'informational', diagnostics }, ...warnings];
}

/** What an outcome says of a deletion, with or without something to delete. */
export function deletionIssue({
  type,
  id,
  version,
}: {
  type: string;
  id: string;
  version: StoredVersion | undefined;
}): Issue {
  const diagnostics =
    version === undefined
      ? `${type}/${id} is not there; nothing was to be deleted`
      : `${type}/${id} is deleted`;
  return { severity: 'information', code: 'informational', diagnostics };
}

/** `{fhir_root}/Type/id/_history/vid` */
export function locationOf(root: string, version: StoredVersion): string {
  return `${root}/${version.type}/${version.id}/_history/${version.versionId}`;
}
