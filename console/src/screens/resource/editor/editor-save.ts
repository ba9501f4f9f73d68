/** Saves the text of an editor: validated first, and never over a version that the person has not seen. */
import { useState } from 'react';
import { create, put, validate } from '../../../api/fhir';
import { Failure, type Issue } from '../../../api/failure';
import { isObject, parseLongJson, textOf, type JsonObject } from '../../../api/json';
import type { Space } from '../../../place';
import { texts } from '../../../texts';

/** What became of the last attempt. */
export type Outcome =
  | { readonly kind: 'idle' | 'busy' | 'conflict' | 'exists' }
  /** Validated, and not saved: either nobody has asked for it, or there are errors. */
  | { readonly kind: 'validated' | 'refused'; readonly issues: readonly Issue[] }
  | { readonly kind: 'saved'; readonly record: JsonObject }
  | { readonly kind: 'failed'; readonly error: unknown };

/** How a text is written. */
export interface Writing {
  /** The version that it replaces; undefined: there must be none. */
  readonly version: string | undefined;
  /** Also with errors that the server has found. */
  readonly isDeliberate?: boolean;
}

export interface Saver {
  readonly outcome: Outcome;
  readonly validate: (text: string) => Promise<void>;
  readonly save: (text: string, writing: Writing) => Promise<void>;
  readonly reset: () => void;
}

function isError({ severity }: Issue): boolean {
  return severity === 'error' || severity === 'fatal';
}

/** What is wrong with a text before anybody asks the server; undefined: it is a JSON object. */
async function faultOf(text: string): Promise<Issue | undefined> {
  const fault = (words: string): Issue => ({
    severity: 'fatal',
    code: 'structure',
    text: words,
    expression: [],
  });
  try {
    return isObject(await parseLongJson(text)) ? undefined : fault(texts.editing.notObject);
  } catch (error) {
    return fault(texts.editing.notJson(error instanceof Error ? error.message : String(error)));
  }
}

async function issuesIn(space: Space, type: string, text: string): Promise<readonly Issue[]> {
  const fault = await faultOf(text);
  return fault === undefined ? validate(space, type, text) : [fault];
}

async function write(
  space: Space,
  { type, id }: Target,
  text: string,
  version: string | undefined,
): Promise<JsonObject> {
  if (id !== undefined) return put(space, { type, id }, { text, version, isNew: version === undefined });
  const value = await parseLongJson(text);
  const own = isObject(value) ? textOf(value['id']) : undefined;
  return own === undefined ? create(space, type, text) : put(space, { type, id: own }, { text, isNew: true });
}

interface Target {
  readonly type: string;
  /** Undefined: a new record, whose id is in the text or chosen by the server. */
  readonly id?: string | undefined;
}

/** Saves a record of a type. `onSaved`: before the outcome is shown. */
export function useSaver(
  space: Space,
  target: Target,
  onSaved: (record: JsonObject) => void | Promise<void>,
): Saver {
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'idle' });
  const attempt = async (act: () => Promise<Outcome>): Promise<void> => {
    setOutcome({ kind: 'busy' });
    try {
      setOutcome(await act());
    } catch (error) {
      const isRefused = error instanceof Failure && error.status === 412;
      if (isRefused) setOutcome({ kind: target.id === undefined ? 'exists' : 'conflict' });
      else setOutcome({ kind: 'failed', error });
    }
  };
  return {
    outcome,
    reset: () => setOutcome({ kind: 'idle' }),
    validate: (text) =>
      attempt(async () => ({ kind: 'validated', issues: await issuesIn(space, target.type, text) })),
    save: (text, { version, isDeliberate = false }) =>
      attempt(async () => {
        const issues = isDeliberate ? [] : await issuesIn(space, target.type, text);
        if (issues.some(isError)) return { kind: 'refused', issues };
        const record = await write(space, target, text, version);
        await onSaved(record);
        return { kind: 'saved', record };
      }),
  };
}
