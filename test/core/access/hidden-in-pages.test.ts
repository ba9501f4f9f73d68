/** Elements that a policy hides are missing from all resources of a page, included ones too, and from pages of the cache. */
import { toResourceInput, type RequestContext, type SearchPage } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

const SECRET = 'Abel';
const RESOURCES = [
  { resourceType: 'Patient', id: 'ann', name: [{ family: SECRET }], text: narrative() },
  {
    resourceType: 'Observation',
    id: 'weight',
    status: 'final',
    code: { text: 'weight' },
    subject: { reference: 'Patient/ann' },
  },
] as const;

function narrative(): object {
  return { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${SECRET}</div>` };
}

let opened: OpenedCore;
let open: RequestContext;
let desk: RequestContext;
beforeAll(async () => {
  opened = await openCore({ environment: { VALIDATION: 'structure' } });
  const { core } = opened;
  await core.tenants.policies.put('system', 'desk', {
    rules: [{ types: ['Patient', 'Observation'], interactions: 'rs' }],
    hidden: ['Patient.name'],
  });
  open = await opened.context('system', 'r4');
  for (const resource of RESOURCES) {
    const { resourceType: type, id } = resource;
    await core.interactions.update(open, {
      ...{ type, id },
      input: toResourceInput(JSON.stringify(resource), { maxDepth: 64 }),
    });
  }
  const access = { client: 'app', scopes: ['system/*.rs'], isAdministrator: false, isAuditor: false };
  desk = { ...open, access: { ...access, policies: ['desk'] } };
});
afterAll(() => opened.close());

const textsOf = ({ matches, included }: SearchPage): string =>
  [...matches, ...included].map(({ text }) => text).join('\n');

it.each([
  ['found', 'Patient', []],
  ['included', 'Observation', [['_include', 'Observation:subject']]],
] as const)(
  'a resource that is %s has no hidden element and no narrative',
  async (_how, type, parameters) => {
    const search = (context: RequestContext) =>
      opened.core.interactions.search(context, { type, parameters });
    // The second answer may come from the cache.
    for (let time = 0; time < 2; time++) {
      const whole = textsOf(await search(open));
      expect(whole.split(SECRET)).toHaveLength(3);
      const shown = textsOf(await search(desk));
      expect(shown).toContain('"ann"');
      expect(shown).not.toContain(SECRET);
    }
  },
);

it('a live query delivers no hidden element', async () => {
  const stream = await opened.core.interactions.follow(desk, { type: 'Patient', parameters: [] });
  const [patient] = RESOURCES;
  const changed = { ...patient, gender: 'female' };
  const input = toResourceInput(JSON.stringify(changed), { maxDepth: 64 });
  await opened.core.interactions.update(open, { type: 'Patient', id: 'ann', input });
  const change = await stream.next();
  stream.close();
  expect(change?.version.text).toContain('"female"');
  expect(change?.version.text).not.toContain(SECRET);
});

it('a cached page is not the answer to a client that may see less', async () => {
  const access = { client: 'app', scopes: ['patient/*.rs'], patient: 'bob', policies: [] };
  const bob = { ...open, access: { ...access, isAdministrator: false, isAuditor: false } };
  const find = async (context: RequestContext): Promise<readonly string[]> => {
    const { matches } = await opened.core.interactions.search(context, {
      type: 'Observation',
      parameters: [],
    });
    return matches.map(({ id }) => id);
  };
  // The first answers fill the cache.
  for (let time = 0; time < 5; time++) {
    expect(await find(open)).toEqual(['weight']);
    expect(await find(bob)).toEqual([]);
  }
});
