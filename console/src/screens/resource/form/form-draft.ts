/** The draft that all fields of a form change, and what the server has found in it. */
import { createContext, useContext } from 'react';
import type { Issue } from '../../../api/failure';
import { isArray, isObject, type JsonObject, type JsonValue } from '../../../api/json';
import { stepsOf } from '../../../editor/json-place';
import type { JsonPath } from '../../../fhir/compare/diff';
import type { Space } from '../../../place';

export interface PlacedIssue {
  readonly path: JsonPath;
  readonly text: string;
}

export interface FormDraft {
  readonly space: Space;
  readonly record: JsonObject;
  readonly issues: readonly PlacedIssue[];
  /** Changes the text of the draft. */
  readonly edit: (change: (text: string) => string) => void;
}

export const FormDraftContext = createContext<FormDraft | undefined>(undefined);

/** Only inside of a form. */
export function useFormDraft(): FormDraft {
  const draft = useContext(FormDraftContext);
  if (draft === undefined) throw new Error('Only a form has fields');
  return draft;
}

export function valueAt(value: JsonValue | undefined, path: JsonPath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, step) => {
    if (typeof step === 'number') return isArray(inner) ? inner[step] : undefined;
    return isObject(inner) ? inner[step] : undefined;
  }, value);
}

/** The way to the value that a FHIRPath of the server means, or to where it is missing. */
export function pathOf(record: JsonObject, expression: string): JsonPath {
  const path: (string | number)[] = [];
  let value: JsonValue | undefined = record;
  for (const { names, indexes } of stepsOf(expression)) {
    const object: JsonObject = isObject(value) ? value : {};
    const name = names.find((each) => object[each] !== undefined) ?? names[0] ?? '';
    path.push(name, ...indexes);
    value = indexes.reduce<JsonValue | undefined>((inner, index) => valueAt(inner, [index]), object[name]);
  }
  return path;
}

export function placeIssues(record: JsonObject, issues: readonly Issue[]): readonly PlacedIssue[] {
  return issues.flatMap(({ expression: [first], text, severity }) =>
    first === undefined || severity === 'information' ? [] : [{ path: pathOf(record, first), text }],
  );
}

const startsWith = (path: JsonPath, start: JsonPath): boolean =>
  path.length >= start.length && start.every((step, depth) => path[depth] === step);

/** The findings at a path itself, or below it, too; undefined: there are none. */
export function findingAt(
  issues: readonly PlacedIssue[],
  path: JsonPath,
  isWhole: boolean,
): string | undefined {
  const found = issues.filter(
    (issue) => startsWith(issue.path, path) && (isWhole || issue.path.length === path.length),
  );
  return found.length === 0 ? undefined : [...new Set(found.map(({ text }) => text))].join('\n');
}

/** Id of the element of the page that has the field of a path. */
export function fieldId(path: JsonPath): string {
  return `field-${path.join('-')}`;
}
