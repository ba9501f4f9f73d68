/** MolecularSequence.structureVariant.variantType is bound to a value set of LOINC that no server has by itself. */
import type { Release } from '../../../src/core';
import { parseJson } from '../../../src/core/fhir/json';
import { openCore, type OpenedCore } from '../../support/core';
import { TESTED_RELEASES } from '../../support/releases';

const LOINC = 'http://loinc.org';
const VARIANTS = 'http://loinc.org/vs/LL379-9';

describe.each(TESTED_RELEASES)('codes of %s in a value set of the tenant', (release) => {
  let opened: OpenedCore;

  beforeAll(async () => {
    opened = await openCore();
    for (const tenant of ['clinic', 'laboratory']) await opened.core.tenants.create(tenant);
  });
  afterAll(() => opened.close());

  const create = async (tenant: string, resource: object, of: Release = release) => {
    const context = await opened.context(tenant, of);
    const type = 'resourceType' in resource ? String(resource.resourceType) : '';
    return opened.core.interactions.create(context, type, parseJson(JSON.stringify(resource)));
  };
  const sequence = (code: string, text = '') => ({
    resourceType: 'MolecularSequence',
    coordinateSystem: 0,
    ...(text === '' ? {} : { observedSeq: text }),
    structureVariant: [{ variantType: { coding: [{ system: LOINC, code }] } }],
  });
  const variants = (codes: readonly string[], version = release === 'r4' ? '4.0.1' : '4.3.0') => ({
    resourceType: 'ValueSet',
    url: VARIANTS,
    version,
    status: 'active',
    compose: { include: [{ system: LOINC, concept: codes.map((code) => ({ code })) }] },
  });
  const REFUSAL = {
    status: 422,
    issues: [
      {
        severity: 'error',
        code: 'code-invalid',
        diagnostics: expect.stringContaining(`'${LOINC}|LA0-0' is not in the value set ${VARIANTS}|`),
        expression: 'MolecularSequence.structureVariant[0].variantType.coding[0].code',
      },
    ],
  };

  it('are accepted while the value set does not exist', async () => {
    await expect(create('clinic', sequence('LA0-0'))).resolves.toMatchObject({
      created: true,
      warnings: [
        {
          severity: 'warning',
          code: 'not-found',
          diagnostics: expect.stringContaining(VARIANTS),
          expression: 'MolecularSequence.structureVariant[0].variantType.coding[0].code',
        },
      ],
    });
  });

  it('are validated against the value set of this tenant only', async () => {
    await create('laboratory', variants(['LA9658-1']));
    await expect(create('laboratory', sequence('LA9658-1'))).resolves.toMatchObject({ created: true });
    await expect(create('laboratory', sequence('LA0-0'))).rejects.toMatchObject(REFUSAL);
    await expect(create('clinic', sequence('LA0-0'))).resolves.toMatchObject({ created: true });
  });

  it('are also validated in long resources, which a worker thread reads', async () => {
    const text = 'ACGT'.repeat(100_000);
    await expect(create('laboratory', sequence('LA9658-1', text))).resolves.toMatchObject({ created: true });
    await expect(create('laboratory', sequence('LA0-0', text))).rejects.toMatchObject(REFUSAL);
  });

  it('are validated against the new value set after a change', async () => {
    await create('clinic', variants(['LA9658-1']));
    await expect(create('clinic', sequence('LA0-0'))).rejects.toMatchObject(REFUSAL);
    await create('clinic', variants(['LA9658-1', 'LA0-0']));
    await expect(create('clinic', sequence('LA0-0'))).resolves.toMatchObject({ created: true });
  });
});
