import type { FastifyReply } from 'fastify';
import { toOutcome, worstSeverity, type Issue, type StoredVersion, type WriteResult } from '../../core';
import type { Exchange } from '../exchange';
import { parsePreference } from '../requests/prefer';

/**
 * Header with the number of issues of an accepted write and their worst severity, for any form of body: `2; warning`.
 */
export const ISSUES_HEADER = 'x-issues';

/**
 * Sends the response to a create, update or patch: 201 with Location or 200, and the body of `Prefer: return`
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
  const worst = worstSeverity(warnings);
  if (worst !== undefined) exchange.reply.header(ISSUES_HEADER, `${warnings.length}; ${worst}`);
  if (created) exchange.reply.header('location', locationOf(exchange.root, version));
  const { answer } = parsePreference(exchange.request.headers.prefer);
  if (answer === 'representation') return exchange.send(status, version.text);
  if (answer === 'minimal') return exchange.sendEmpty(status);
  return exchange.send(status, toOutcome(writtenIssues(result, verb)));
}

/** Returns the issues of the outcome of a write: its success, and its warnings. */
export function writtenIssues(
  { version, warnings, isUnchanged }: WriteResult,
  verb: 'stored' | 'patched',
): Issue[] {
  const name = `${version.type}/${version.id}`;
  const diagnostics =
    isUnchanged === true
      ? `The patch only tests; ${name} is unchanged in version ${version.versionId}`
      : `${name} was ${verb} as version ${version.versionId}`;
  return [{ severity: 'information', code: 'informational', diagnostics }, ...warnings];
}

/**
 * Returns the issue of the outcome of a deletion, with or without a deleted resource; without `id` it was a conditional
 * one.
 */
export function deletionIssue({
  type,
  id,
  versions,
}: {
  type: string;
  id?: string;
  versions: readonly StoredVersion[];
}): Issue {
  const [one, other] = versions;
  const diagnostics =
    one === undefined
      ? id === undefined
        ? `No ${type} meets the criteria; nothing was deleted`
        : `${type}/${id} does not exist; nothing was deleted`
      : other === undefined
        ? `${type}/${one.id} is deleted`
        : `${versions.length} resources of the type ${type} are deleted`;
  return { severity: 'information', code: 'informational', diagnostics };
}

/** Sends the response to a conditional create that matched a resource, which stays unchanged: 200 with Location. */
export function sendFound(exchange: Exchange, version: StoredVersion): FastifyReply {
  exchange.forbidCaching().setVersion(version);
  exchange.reply.header('location', locationOf(exchange.root, version));
  const { answer } = parsePreference(exchange.request.headers.prefer);
  if (answer === 'representation') return exchange.send(200, version.text);
  if (answer === 'minimal') return exchange.sendEmpty(200);
  return exchange.send(200, toOutcome([foundIssue(version)]));
}

/** Returns the issue of the outcome of a conditional create that matched a resource. */
export function foundIssue({ type, id }: StoredVersion): Issue {
  const diagnostics = `${type}/${id} already meets the criteria; nothing was stored`;
  return { severity: 'information', code: 'informational', diagnostics };
}

/** Returns `{fhir_root}/Type/id/_history/vid`. */
export function locationOf(root: string, version: StoredVersion): string {
  return `${root}/${version.type}/${version.id}/_history/${version.versionId}`;
}
