import type { EntryAnswer } from '../../api';
import { fhirError } from '../../errors';

/** Characters of all that the reading entries of one Bundle bring. */
const MOST_READ = 128 * 1024 * 1024;

/** What reading entries may still bring: each of them may be a page of large resources. */
export class AnswerAllowance {
  private left = MOST_READ;

  /** Gives the answer back. Throws `tooCostly` when it is too much together with those before. */
  take(answer: EntryAnswer): EntryAnswer {
    this.left -= sizeOf(answer);
    if (this.left < 0)
      throw fhirError('tooCostly', {
        reason: 'The entries of the Bundle read too much together; ask in several',
      });
    return answer;
  }
}

function sizeOf(answer: EntryAnswer): number {
  switch (answer.kind) {
    case 'read':
      return answer.version.text.length;
    case 'search':
      return sumOf(answer.page.matches) + sumOf(answer.page.included);
    case 'history':
      return sumOf(answer.page.versions);
    case 'resource':
      return answer.text.length;
    case 'invoked': {
      const { result } = answer;
      if ('text' in result) return result.text.length;
      if ('document' in result) return sumOf(result.document.versions);
      return sumOf(result.page.matches) + sumOf(result.page.included);
    }
    default:
      return 0;
  }
}

function sumOf(versions: readonly { readonly text: string }[]): number {
  return versions.reduce((sum, { text }) => sum + text.length, 0);
}
