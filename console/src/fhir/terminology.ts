/** Reads what terminology operations answer. */
import { isObject, numberOf, objectsOf, textOf, type JsonObject } from '../api/json';
import { readDesignations, type Designation } from './concepts';

/** A code of an expansion. */
export interface ListedCode {
  readonly system: string;
  readonly version: string;
  readonly code: string;
  readonly display: string;
  /** May not be chosen: it groups the codes below it. */
  readonly isAbstract: boolean;
  readonly isInactive: boolean;
  /** Terms beside the display, where the request has asked for them. */
  readonly designations: readonly Designation[];
  /** 0 for codes that stand below no other one. */
  readonly depth: number;
}

export interface Expansion {
  readonly codes: readonly ListedCode[];
  /** Of all pages; undefined: not counted. */
  readonly total: number | undefined;
}

function listCodes(contains: readonly JsonObject[], depth: number): readonly ListedCode[] {
  return contains.flatMap((entry) => {
    const code: ListedCode = {
      system: textOf(entry['system']) ?? '',
      version: textOf(entry['version']) ?? '',
      code: textOf(entry['code']) ?? '',
      display: textOf(entry['display']) ?? '',
      isAbstract: entry['abstract'] === true,
      isInactive: entry['inactive'] === true,
      designations: readDesignations(entry),
      depth,
    };
    return [code, ...listCodes(objectsOf(entry['contains']), depth + 1)];
  });
}

/** The codes of an expanded value set, those below others after them. */
export function readExpansion(valueSet: JsonObject): Expansion {
  const expansion = isObject(valueSet['expansion']) ? valueSet['expansion'] : {};
  return {
    codes: listCodes(objectsOf(expansion['contains']), 0).filter(({ code }) => code !== ''),
    total: numberOf(expansion['total']),
  };
}

/** A parameter of an answer, with its parts. */
export interface AnswerParameter {
  readonly name: string;
  /** Text of a simple value; '' for a parameter with parts. */
  readonly text: string;
  readonly parts: readonly AnswerParameter[];
}

function toParameter(parameter: JsonObject): AnswerParameter {
  const [, value] = Object.entries(parameter).find(([name]) => name.startsWith('value')) ?? [];
  const coding = isObject(value) ? [textOf(value['system']), textOf(value['code'])] : [];
  return {
    name: textOf(parameter['name']) ?? '',
    text: textOf(value) ?? coding.filter((part) => part !== undefined).join('|'),
    parts: objectsOf(parameter['part']).map(toParameter),
  };
}

/** The parameters of a Parameters resource, without those that are resources. */
export function readParameters(parameters: JsonObject): readonly AnswerParameter[] {
  return objectsOf(parameters['parameter'])
    .filter((parameter) => parameter['resource'] === undefined)
    .map(toParameter);
}

/** The text of the first parameter or part with this name; '' where there is none. */
export function textIn(parameters: readonly AnswerParameter[], name: string): string {
  return parameters.find((parameter) => parameter.name === name)?.text ?? '';
}
