/** What matters most in the answer of a terminology operation, without wording, order and details. */
import { isObject, textOf, type Json, type JsonObject } from './templates';

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

function parameter(answer: JsonObject, name: string): Json | undefined {
  const found = listOf(answer['parameter']).find((each) => each['name'] === name);
  return found && Object.entries(found).find(([key]) => key.startsWith('value'))?.[1];
}

/** The codes of an expansion with those below them, in order. */
function codesOf(contains: Json | undefined): readonly string[] {
  return listOf(contains).flatMap((each) => [
    ...(each['code'] === undefined ? [] : [`${textOf(each['system'])}#${textOf(each['code'])}`]),
    ...codesOf(each['contains']),
  ]);
}

/**
 * An error is an error, whatever its status; of an expansion the codes count, of a validation the result, of a lookup the display and
 * of a translation its result and codes.
 */
export function essenceOf(answer: JsonObject): Json {
  switch (answer['resourceType']) {
    case 'OperationOutcome':
      return 'error';
    case 'ValueSet': {
      const expansion = answer['expansion'];
      return isObject(expansion) ? codesOf(expansion['contains']).toSorted() : [];
    }
    case 'Parameters': {
      const validations = listOf(answer['parameter']).filter((each) => each['name'] === 'validation');
      if (validations.length > 0)
        return validations.map(({ resource }) => (isObject(resource) ? essenceOf(resource) : null));
      const result = parameter(answer, 'result');
      const display = parameter(answer, 'display');
      const matches = listOf(answer['parameter'])
        .filter((each) => each['name'] === 'match')
        .map((match) => {
          const concept = listOf(match['part']).find((part) => part['name'] === 'concept')?.['valueCoding'];
          return isObject(concept) ? textOf(concept['code']) : null;
        });
      return matches.length > 0 ? [result ?? null, ...matches] : (result ?? display ?? null);
    }
    default:
      return textOf(answer['resourceType']);
  }
}
