/** The form of a question about access, as the request that it becomes. */
import type { AccessQuestion } from '../../../api/administration';
import { isObject, type JsonValue } from '../../../api/json';
import type { Release } from '../../../place';
import { texts } from '../../../texts';

const words = texts.administration.accessScreen;

/** Empty texts ask for nothing. */
export interface QuestionDraft {
  /** Id of a client. */
  readonly client: string;
  /** Id of an account. */
  readonly user: string;
  readonly patient: string;
  readonly type: string;
  readonly id: string;
  /** JSON of a resource that is to be written. */
  readonly content: string;
}

export const NO_QUESTION: QuestionDraft = {
  client: '',
  user: '',
  patient: '',
  type: 'Patient',
  id: '',
  content: '',
};

/** Why a text is no resource to be written; null: it is one, or there is none. */
export function whyNotContent(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    return isObject(JSON.parse(text) as JsonValue) ? null : words.contentFault;
  } catch {
    return words.contentFault;
  }
}

/** The id may be written as in an address: `Patient/1`. */
export function toQuestion(draft: QuestionDraft, release: Release): AccessQuestion {
  const { client, user, patient } = draft;
  const id = draft.id.trim().replace(`${draft.type}/`, '');
  const idOfPatient = patient.trim().replace('Patient/', '');
  return {
    ...{ release, type: draft.type },
    ...(id === '' ? {} : { id }),
    ...(draft.content.trim() === ''
      ? {}
      : { resource: JSON.parse(draft.content) as NonNullable<AccessQuestion['resource']> }),
    ...(client === '' ? {} : { client }),
    ...(user === '' ? {} : { user }),
    ...(idOfPatient === '' ? {} : { patient: idOfPatient }),
  };
}
