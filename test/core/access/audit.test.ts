/** What is recorded of accesses, and the AuditEvents that it becomes (docs/audit.md). */
import type { JsonObject, Release, RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

const RELEASES = ['r4', 'r4b'] as const;

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore({ environment: { AUDIT: 'on' } });
});
afterAll(async () => opened.close());

async function contextOf(release: Release, requestId: string): Promise<RequestContext> {
  return { ...(await opened.context('system', release)), requestId, address: '192.0.2.7' };
}

/** The AuditEvents of a request, oldest first. */
async function eventsOf(release: Release, requestId: string, tenant = 'system'): Promise<JsonObject[]> {
  const context = { ...(await opened.context(tenant, release)), requestId: 'auditor' };
  const page = await opened.core.search(context, {
    type: 'AuditEvent',
    parameters: [['entity:identifier', `|${requestId}`]],
  });
  return page.matches.map(({ text }) => JSON.parse(text) as JsonObject).reverse();
}

/** What `$validate` finds in a resource, warnings included, but for that it has no narrative. */
async function faultsOf(context: RequestContext, resource: JsonObject): Promise<string[]> {
  const result = await opened.core.invoke(context, {
    ...{ level: 'type', type: 'AuditEvent', code: 'validate', safe: false },
    input: { value: resource, marked: false },
  });
  if (!('text' in result)) throw new Error('$validate answers with a resource');
  const outcome = JSON.parse(result.text) as { issue: { severity: string; diagnostics: string }[] };
  return outcome.issue
    .filter(({ severity, diagnostics }) => severity !== 'information' && !/^dom-6/.test(diagnostics))
    .map(({ severity, diagnostics }) => `${severity}: ${diagnostics}`);
}

describe.each(RELEASES)('an access in %s', (release) => {
  it('leaves one AuditEvent, which is found by patient, date, action and outcome', async () => {
    const context = await contextOf(release, `thin-${release}`);
    const made = await opened.core.create(context, 'Patient', {
      value: { resourceType: 'Patient', active: true },
      marked: false,
    });
    const { id } = made.version;
    await opened.core.read(context, 'Patient', id);
    const events = await eventsOf(release, `thin-${release}`);
    expect(events.map(({ action }) => action)).toEqual(['C', 'R']);
    for (const event of events) expect(await faultsOf(context, event)).toEqual([]);
  });
});
