/** Resources that were broken by hand (test/core/fhir/validate/broken-resources) are refused at the door, and say where. */
import { FINDING_RULES, type FindingRule } from '../../src/core/fhir/validate';
import { RELEASE_NAMES, type Release } from '../../src/core';
import { readBrokenResources, type BrokenResource } from '../core/fhir/validate/broken-resources';
import { forEachOf } from '../support/examples';
import { startServer, type TestServer } from '../support/server';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

interface Told {
  readonly status: number;
  readonly issues: readonly { readonly code?: string; readonly expression?: string }[];
}

function isRule(rule: string): rule is FindingRule {
  return rule in FINDING_RULES;
}

/** 400 if anything makes the body something else than FHIR, else 422 (contract.md, REST answers). */
function expectedOf({ expected }: BrokenResource): Told {
  const isMalformed = expected.some(({ rule }) => !isRule(rule) || FINDING_RULES[rule].status === 400);
  return {
    status: isMalformed ? 400 : 422,
    issues: expected.map(({ rule, expression }) => ({
      ...(isRule(rule) ? { code: FINDING_RULES[rule].code } : {}),
      ...(expression === undefined ? {} : { expression }),
    })),
  };
}

interface SentIssue {
  readonly severity: string;
  readonly code: string;
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

async function send({ type, text, expected }: BrokenResource, release: Release): Promise<Told> {
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

it.each(RELEASE_NAMES)('each broken resource is refused with its place, in %s', async (release) => {
  const broken = readBrokenResources().filter(({ releases }) => releases.includes(release));
  const told: Record<string, Told> = {};
  const expected: Record<string, Told> = {};
  await forEachOf(broken, 8, async (one) => {
    told[`${one.title} ${one.text.slice(0, 400)}`] = await send(one, release);
    expected[`${one.title} ${one.text.slice(0, 400)}`] = expectedOf(one);
  });
  expect(told).toEqual(expected);
});
