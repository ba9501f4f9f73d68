/** Andiron and HL7's validator agree that a resource has errors; hl7-case-differences.json lists the exceptions. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorsOfCase, readCases } from './hl7-cases';

interface Difference {
  readonly case: string;
  /** True: we find an error and HL7's validator none. */
  readonly weFind: boolean;
  readonly cause: string;
}

const differences = JSON.parse(
  readFileSync(path.join(__dirname, 'hl7-case-differences.json'), 'utf8'),
) as readonly Difference[];

const cases = readCases();

it("each case of HL7's validator is judged as HL7 does, or differs for a cause that is named", () => {
  const found = cases.flatMap((one) => {
    const errors = errorsOfCase(one);
    const weFind = errors.length > 0;
    return weFind === one.errors > 0 ? [] : [{ case: one.name, weFind }];
  });
  expect(found).toEqual(differences.map(({ case: name, weFind }) => ({ case: name, weFind })));
  for (const { cause } of differences) expect(cause).toMatch(/.{20}\.$/);
});

it('at least 85 % of the cases agree', () => {
  expect(cases.length).toBeGreaterThanOrEqual(87);
  expect((cases.length - differences.length) / cases.length).toBeGreaterThan(0.85);
});
