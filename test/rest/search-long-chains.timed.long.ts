/**
 * Chains of many links, through references to any type and into contained resources, are answered or refused in under a
 * second: over few resources and over some thousands.
 */
import type { Release } from '../../src/core';
import { slowness } from '../support/machine-speed';
import { startServer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';

const SIZES = { few: 40, many: 800 } as const;
/** Entries of one transaction. */
const AT_ONCE = 500;
const TO_BUILD_MS = 300_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  for (const [tenant, size] of Object.entries(SIZES)) {
    await server.createTenant(tenant);
    for (const release of TESTED_RELEASES) await fill(tenant, release, size);
  }
}, TO_BUILD_MS);
afterAll(() => server.close());

interface Resource {
  readonly resourceType: string;
  readonly id: string;
  readonly [member: string]: unknown;
}

const reference = (to: string): object => ({ reference: to });

/** A third of the observations contain their subject, a third another observation, which contains nothing itself. */
function resourcesOf(index: number, size: number): readonly Resource[] {
  const other = (step: number): number => (index * 7 + step) % size;
  const code = { coding: [{ code: `c${index % 5}` }] };
  const person = { name: [{ family: `F${index % 50}` }], gender: index % 2 === 0 ? 'male' : 'female' };
  const contained = [
    { resourceType: 'Patient', id: 'p', ...person, managingOrganization: reference('#o') },
    { resourceType: 'Organization', id: 'o', name: 'inside', partOf: reference(`Organization/o${other(1)}`) },
    {
      ...{ resourceType: 'Observation', id: 'b', status: 'final', code, subject: reference('#p') },
      ...{
        derivedFrom: [reference(`Observation/b${other(2)}`)],
        focus: [reference(`Condition/c${other(3)}`)],
      },
    },
  ];
  const isAbout = index % 3 === 0;
  const isDerived = index % 3 === 1;
  return [
    {
      ...{ resourceType: 'Organization', id: `o${index}`, name: `O${index % 50}` },
      ...{ partOf: reference(`Organization/o${other(5)}`) },
    },
    {
      ...{ resourceType: 'Patient', id: `p${index}`, ...person },
      ...{ managingOrganization: reference(`Organization/o${other(7)}`) },
    },
    { resourceType: 'Condition', id: `c${index}`, code, subject: reference(`Patient/p${other(9)}`) },
    {
      ...{ resourceType: 'QuestionnaireResponse', id: `q${index}`, status: 'completed' },
      ...{ subject: reference(`Patient/p${other(11)}`) },
    },
    {
      ...{ resourceType: 'Observation', id: `b${index}`, status: 'final', code },
      subject: reference(isAbout ? '#p' : `Patient/p${other(13)}`),
      focus: [reference(`Observation/b${other(15)}`), reference(`Condition/c${other(17)}`)],
      derivedFrom: [
        reference(isDerived ? '#b' : `Observation/b${other(19)}`),
        reference(`QuestionnaireResponse/q${other(21)}`),
      ],
      hasMember: [reference(isDerived ? '#b' : `Observation/b${other(23)}`)],
      ...(isAbout || isDerived ? { contained: isAbout ? contained.slice(0, 2) : contained } : {}),
    },
  ];
}

async function fill(tenant: string, release: Release, size: number): Promise<void> {
  const resources = Array.from({ length: size }, (_unused, index) => resourcesOf(index, size)).flat();
  for (let start = 0; start < resources.length; start += AT_ONCE) {
    const entry = resources.slice(start, start + AT_ONCE).map((resource) => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    }));
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
    const { status, text } = await server.request('POST', server.path(tenant, release), bundle);
    if (status !== 200) throw new Error(text);
  }
}

const links = (link: string, count: number): string => link.repeat(count);

const CHAINS: readonly string[] = [
  'Observation?focus.subject._has:QuestionnaireResponse:subject:_has:Observation:derived-from:focus=Condition/c7',
  'Observation?focus.subject.gender=male',
  'Observation?focus.subject.organization.partof.name=o1',
  'Observation?focus.focus.subject:Patient.name=f1',
  'Observation?subject._has:Observation:subject:derived-from._has:Observation:focus:code=c1',
  'Observation?derived-from:Observation.subject:Patient.organization.partof.name=o1',
  `Observation?${links('derived-from.', 5)}code=c1`,
  `Observation?${links('derived-from:Observation.', 10)}code=c1`,
  `Observation?${links('has-member:Observation.', 9)}subject:Patient.name=f1`,
  `Observation?subject.organization.${links('partof.', 8)}name=o1`,
  `Observation?subject:Patient.organization.${links('partof:Organization.', 8)}name=o1`,
  `Observation?${links('focus.', 9)}code=c1`,
  `Observation?subject:Patient.${links('_has:Observation:subject:subject:Patient.', 4)}name=f1`,
  `Observation?${links('_has:Observation:derived-from:', 10)}code=c1`,
  `Observation?${links('derived-from.has-member.', 3)}subject.name=f1`,
];
const CONTAINED: readonly string[] = [
  '',
  ...['true', 'both'].flatMap((matches) =>
    ['contained', 'container'].map((as) => `&_contained=${matches}&_containedType=${as}`),
  ),
];
const TOTALS: readonly string[] = ['', '&_total=accurate'];

const cases = TESTED_RELEASES.flatMap((release) =>
  Object.keys(SIZES).flatMap((tenant) => CHAINS.map((chain) => ({ release, tenant, chain }))),
);

describe('in under a second', () => {
  it.each(cases)(
    'a chain of many links is answered or refused, among $tenant of $release: $chain',
    async ({ release, tenant, chain }) => {
      for (const contained of CONTAINED)
        for (const total of TOTALS) {
          const query = `${chain}${contained}${total}&_count=3`;
          const begun = performance.now();
          const { status, text } = await server.request('GET', `${server.path(tenant, release)}/${query}`);
          const took = performance.now() - begun;
          if (status !== 200) expect({ query, status, text }).toMatchObject({ query, status: 422 });
          if (took > 1_000) expect({ query, took: took / slowness() < 1_000 }).toEqual({ query, took: true });
        }
    },
  );
});
