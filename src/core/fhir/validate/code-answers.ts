/**
 * Codes whose value sets decide which rules apply: in a profile that only selects a slice, a type or a target, and in
 * memberOf(). The validation collects them as questions, and is repeated with the answers of the terminology.
 */

/** Asks if one of the codings is in the value set. */
export interface CodeQuestion {
  /** Canonical url of the value set, with `|version` where the binding has one. */
  readonly valueSet: string;
  /** For a CodeableConcept all of its codings. */
  readonly codings: readonly { readonly system?: string; readonly code: string }[];
}

/** Undefined: the terminology cannot say, because the value set or a code system of it is missing. */
export type CodeAnswer = boolean | undefined;

/** Limit on the questions of one resource; beyond it, they have no answer. */
const MAX_QUESTIONS = 2_000;

export class CodeAnswers {
  private readonly answers = new Map<string, CodeAnswer>();
  private readonly asked = new Map<string, CodeQuestion>();

  /** Questions without an answer yet. */
  get questions(): readonly CodeQuestion[] {
    return [...this.asked.values()];
  }

  /** Returns the answer, if there is one; otherwise the question is asked. */
  find(question: CodeQuestion): CodeAnswer {
    const key = keyOf(question);
    if (!this.answers.has(key) && this.answers.size + this.asked.size < MAX_QUESTIONS)
      this.asked.set(key, question);
    return this.answers.get(key);
  }

  /** Adds the answers to `questions`, in their order. */
  add(questions: readonly CodeQuestion[], answers: readonly CodeAnswer[]): void {
    this.asked.clear();
    for (const [index, question] of questions.entries()) this.answers.set(keyOf(question), answers[index]);
  }
}

function keyOf({ valueSet, codings }: CodeQuestion): string {
  return JSON.stringify([valueSet, ...codings.map(({ system = '', code }) => [system, code])]);
}
