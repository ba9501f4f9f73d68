import { InputParameters, type InputValue } from '../operation-types/parameters';

/** Names of R5 (https://hl7.org/fhir/R5/conceptmap-operation-translate.html) by those of R4, for a code to translate. */
const FORWARD: Readonly<Record<string, string>> = {
  sourceCode: 'code',
  sourceSystem: 'system',
  sourceCoding: 'coding',
  sourceCodeableConcept: 'codeableConcept',
  sourceScope: 'source',
  targetScope: 'target',
  targetSystem: 'targetsystem',
};

/** The same for a code that others are translated to: R5 names it as the target, and R4 by `reverse`. */
const BACKWARD: Readonly<Record<string, string>> = {
  ...FORWARD,
  targetCode: 'code',
  targetCoding: 'coding',
  targetCodeableConcept: 'codeableConcept',
  targetSystem: 'system',
  sourceSystem: 'targetsystem',
};

const TARGETS: ReadonlySet<string> = new Set(['targetCode', 'targetCoding', 'targetCodeableConcept']);

/** Returns the parameters of $translate under the names of R4. */
export function withNamesOfR4({ values, undeclared }: InputParameters): InputParameters {
  const isBackward = undeclared.some((name) => TARGETS.has(name));
  const names = isBackward ? BACKWARD : FORWARD;
  const renamed = values.map((value): InputValue => {
    const name = undeclared.includes(value.name) ? names[value.name] : undefined;
    return name === undefined ? value : { ...value, name };
  });
  if (!isBackward) return new InputParameters(renamed, undeclared);
  const reverse = {
    name: 'reverse',
    expression: undefined,
    member: 'valueBoolean',
    value: true,
    parts: undefined,
  };
  return new InputParameters([...renamed, reverse], undeclared);
}
