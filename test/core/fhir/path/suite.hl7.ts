import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { decimalText, isJsonObject, type JsonObject } from '../../../../src/core/fhir/json';
import { compilePath, PathError, UnsupportedPathError, type PathValue } from '../../../../src/core/fhir/path';
import { RELEASE_NAMES } from '../../../../src/core/fhir/release';
import { nameOf, readExamples, textOf } from './examples';
import { readSuite, type SuiteCase } from './suite';

/** The input files of the suite that are official examples. */
const INPUTS: Readonly<Record<string, string>> = {
  'patient-example.xml': 'Patient/example',
  'observation-example.xml': 'Observation/example',
  'questionnaire-example.xml': 'Questionnaire/3141',
  'valueset-example-expansion.xml': 'ValueSet/example-expansion',
  'codesystem-example.xml': 'CodeSystem/example',
  'appointment-examplereq.json': 'Appointment/examplereq',
  'explanationofbenefit-example.json': 'ExplanationOfBenefit/EB3500',
};

/** Inputs that were made for the suite and are in no package. */
const FOREIGN_INPUTS = [
  'parameters-example-types.xml',
  'patient-container-example.json',
  'patient-example-period.xml',
  'patient-name-extensions.json',
];

/** Cases that we fail, and why that is right. */
const DEVIATIONS: Readonly<Record<string, string>> = {
  testDollarOrderNotAllowed: 'Whether a function depends on an order that is not defined is not checked.',
  testFHIRPathAsFunction21:
    "R4's own invariants and search parameters use `as` on several values (dom-3, component-value-quantity).",
  testCombine1: "The official example has no nested concepts as the suite's own file has.",
  testFHIRPathIsFunction8: "The official example lacks the extension of the suite's own file.",
  testFHIRPathIsFunction9: "The official example lacks the extension of the suite's own file.",
  testFHIRPathIsFunction10: "The official example lacks the extension of the suite's own file.",
  'r4 testFHIRPathAsFunction14': "The official example has another version than the suite's own file.",
  'r4 testFHIRPathAsFunction19': "The official example has another version than the suite's own file.",
};

/** All that the compiler refuses. */
const UNSUPPORTED = [
  '* of quantities',
  '/ of quantities',
  'comparable()',
  'conformsTo()',
  'highBoundary()',
  'lowBoundary()',
  'precision()',
  'sort()',
];

describe.each(RELEASE_NAMES)('the FHIRPath test suite of HL7 for %s', (release) => {
  const definitions = loadDefinitions(release);
  const examples = new Map(readExamples(release).map((resource) => [nameOf(resource), resource]));
  const cases = readSuite(`tests-fhir-${release}.xml`).filter(({ input }) => !FOREIGN_INPUTS.includes(input));
  const unsupported = new Set<string>();

  it.each([...new Set(cases.map(({ group }) => group))])('passes the group %s', (group) => {
    const failures: string[] = [];
    for (const suiteCase of cases.filter((one) => one.group === group)) {
      const resource = examples.get(INPUTS[suiteCase.input] ?? '');
      if (!resource) throw new Error(`There is no example for ${suiteCase.input}`);
      const failure = run(suiteCase, resource);
      const isListed = suiteCase.name in DEVIATIONS || `${release} ${suiteCase.name}` in DEVIATIONS;
      if (failure !== undefined && !isListed)
        failures.push(`${suiteCase.name}: ${suiteCase.expression} :: ${failure}`);
      if (failure === undefined && isListed) failures.push(`${suiteCase.name} passes and need not be listed`);
    }
    expect(failures).toEqual([]);
  });

  it('leaves out only what it names', () => {
    expect([...unsupported].sort()).toEqual(UNSUPPORTED);
  });

  function run(suiteCase: SuiteCase, resource: JsonObject): string | undefined {
    try {
      const path = compilePath(suiteCase.expression, {
        definitions,
        rootType: textOf(resource['resourceType']),
        isStrict: true,
      });
      const found = path(resource);
      if (suiteCase.invalid !== undefined)
        return `an error (${suiteCase.invalid}) is expected, not ${show(found).join()}`;
      return compare(suiteCase, found);
    } catch (error) {
      if (error instanceof UnsupportedPathError) {
        unsupported.add(error.construct);
        return undefined;
      }
      if (!(error instanceof PathError)) throw error;
      return suiteCase.invalid === undefined ? String(error) : undefined;
    }
  }
});

function compare(
  { outputs, isPredicate, isOrdered }: SuiteCase,
  found: readonly PathValue[],
): string | undefined {
  const wanted = outputs.map(({ type, text }) => `${type} ${text.replace(/^@T?/, '')}`);
  const got = isPredicate ? [`boolean ${found.length > 0}`] : show(found);
  if (!isOrdered) {
    wanted.sort();
    got.sort();
  }
  return JSON.stringify(wanted) === JSON.stringify(got)
    ? undefined
    : `${got.join()} instead of ${wanted.join()}`;
}

function show(found: readonly PathValue[]): string[] {
  return found.map(({ type, value }) => {
    if (isJsonObject(value) && type === 'Quantity')
      return `Quantity ${decimalText(value['value'])} '${textOf(value['code'] ?? value['unit'])}'`;
    return `${type} ${decimalText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value))}`;
  });
}
