import { loadDefinitions } from '../../../src/core/fhir/definitions';
import type { JsonObject } from '../../../src/core/fhir/json';
import {
  checkTenantParameter,
  type CheckedParameter,
} from '../../../src/core/search/parameters/tenant-parameter-check';
import {
  FIRST_TENANT_NUMBER,
  type TenantParameter,
} from '../../../src/core/search/parameters/tenant-parameter';

const definitions = loadDefinitions('r4');

function parameter(code: string, expression: string): JsonObject {
  return {
    resourceType: 'SearchParameter',
    url: `http://example.org/${code}`,
    name: code,
    status: 'active',
    description: 'A test',
    code,
    base: ['Patient'],
    type: 'string',
    expression,
  };
}

/** Some 3,900 characters that are compiled each time. */
const long = (index: number): string =>
  `Patient.name.where(family = '${String(index).padEnd(3_850, 'a')}').family`;

/** The parameters of a space, as far as they are stored one after the other. */
function store(count: number): CheckedParameter {
  const list: TenantParameter[] = [];
  for (let index = 0; ; index++) {
    const checked = checkTenantParameter(definitions, `p${index}`, parameter(`p-${index}`, long(index)), {
      change: 1,
      list,
    });
    if (index === count - 1) return checked;
    for (const { code, url, definition } of checked.pairs)
      list.push({
        number: FIRST_TENANT_NUMBER + index,
        type: 'Patient',
        slot: index,
        code,
        url,
        owner: `p${index}`,
        state: 'active',
        definition,
      });
  }
}

it('allows the expressions of one resource type 40,000 characters together', () => {
  expect(store(10).issues).toEqual([]);
  expect(store(11).issues).toEqual([
    expect.objectContaining({
      code: 'too-costly',
      diagnostics: expect.stringContaining('40000 characters together'),
    }),
  ]);
});

it('refuses an expression with patterns that take long to compile', () => {
  const check = (pattern: string): CheckedParameter =>
    checkTenantParameter(
      definitions,
      'a',
      parameter('a', `Patient.name.where(family.matches('${pattern}')).family`),
      undefined,
    );
  expect(check('[a-z]{1,50}').issues).toEqual([]);
  expect(check('[a-z]{1,900}').issues).toEqual([expect.objectContaining({ code: 'too-costly' })]);
});
