/** The form of a question about access, as the request that it becomes. */
import type { AccessQuestion } from '../../../api/administration';
import type { Release } from '../../../place';

/** Empty texts ask for nothing. */
export interface QuestionDraft {
  /** Id of a client. */
  readonly client: string;
  /** Id of an account. */
  readonly user: string;
  readonly patient: string;
  readonly type: string;
  readonly id: string;
}

export const NO_QUESTION: QuestionDraft = { client: '', user: '', patient: '', type: 'Patient', id: '' };

/** The id may be written as in an address: `Patient/1`. */
export function toQuestion(draft: QuestionDraft, release: Release): AccessQuestion {
  const { client, user, patient } = draft;
  const id = draft.id.trim().replace(`${draft.type}/`, '');
  const idOfPatient = patient.trim().replace('Patient/', '');
  return {
    ...{ release, type: draft.type },
    ...(id === '' ? {} : { id }),
    ...(client === '' ? {} : { client }),
    ...(user === '' ? {} : { user }),
    ...(idOfPatient === '' ? {} : { patient: idOfPatient }),
  };
}
