/**
 * Resources that were broken by hand (test/core/fhir/validate/broken-resources) are refused on writing, with the
 * place.
 */
import { FINDING_RULES, type FindingRule } from '../../src/core/fhir/validate';
import type { Release } from '../../src/core';
import { readBrokenResources, type BrokenResource } from '../core/fhir/validate/broken-resources';
import { forEachOf } from '../support/examples';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Refusal {
  readonly status: number;
  readonly issues: readonly { readonly code?: string; readonly expression?: string }[];
}

/**
 * Only a transaction resolves references by criteria: a single create refuses them, besides the errors of the
 * validator.
 */
const UNRESOLVED = { code: 'not-supported', expression: 'Observation.subject.reference' };

function isRule(rule: string): rule is FindingRule {
  return rule in FINDING_RULES;
}

/** 400 if any rule that is broken makes the body not FHIR, else 422 (docs/reference/behaviour.md, Status codes). */
function expectedOf({ text, expected }: BrokenResource): Refusal {
  const isMalformed = expected.some(({ rule }) => !isRule(rule) || FINDING_RULES[rule].status === 400);
  return {
    status: isMalformed ? 400 : 422,
    issues: [
      ...expected.map(({ rule, expression }) => ({
        ...(isRule(rule) ? { code: FINDING_RULES[rule].code } : {}),
        ...(expression === undefined ? {} : { expression }),
      })),
      ...(text.includes('Specimen?identifier=') ? [UNRESOLVED] : []),
    ],
  };
}

interface SentIssue {
  readonly severity: string;
  readonly code: string;
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

async function send({ type, text, expected }: BrokenResource, release: Release): Promise<Refusal> {
  const headers = { 'content-type': 'application/fhir+json' };
  const answer = await server.request('POST', `${server.path('system', release)}/${type}`, text, headers);
  const outcome = answer.json as { readonly resourceType: string; readonly issue: readonly SentIssue[] };
  expect(outcome.resourceType).toBe('OperationOutcome');
  const isText = expected.some(({ rule }) => rule === 'json');
  return {
    status: answer.status,
    issues: outcome.issue
      .filter(({ severity }) => severity === 'error' || severity === 'fatal')
      .map(({ code, expression }) => ({
        ...(isText ? {} : { code }),
        ...(expression?.[0] === undefined ? {} : { expression: expression[0] }),
      })),
  };
}

it.each(TESTED_RELEASES)('each broken resource is refused with its place, in %s', async (release) => {
  const broken = readBrokenResources().filter(({ releases }) => releases.includes(release));
  const refusals: Record<string, Refusal> = {};
  const expected: Record<string, Refusal> = {};
  await forEachOf(broken, 8, async (one) => {
    refusals[`${one.title} ${one.text.slice(0, 400)}`] = await send(one, release);
    expected[`${one.title} ${one.text.slice(0, 400)}`] = expectedOf(one);
  });
  expect(refusals).toEqual(expected);
});
