import { fhirError } from '../../errors';

/** Parses a value that must be one of a few words. Throws invalidParameterValue, which names them all. */
export function parseChoice<C extends string>(parameter: string, value: string, choices: readonly C[]): C {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) {
    const reason = `it can be ${choices.join(', ')}`;
    throw fhirError('invalidParameterValue', { parameter, value: value.slice(0, 80), reason });
  }
  return choice;
}
