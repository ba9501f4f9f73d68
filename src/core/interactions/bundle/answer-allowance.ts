import type { EntryAnswer } from '../../api/bundle';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { sizeOfPage, sizeOfResult } from '../../limits/answer-size';
import { LONGEST_BATCHED } from '../../storage/read/version-read';

/** Maximum number of characters that the reading entries of one Bundle return. */
const MOST_READ = 128 * 1024 * 1024;

/** The remaining size for reading entries, because each of them may return a page of large resources. */
export class AnswerAllowance {
  private left = MOST_READ;

  constructor(private readonly context: RequestContext) {}

  /** Counts the answer and returns it. Throws `tooCostly` if the total is too large, and `memoryFull`. */
  take(answer: EntryAnswer): EntryAnswer {
    const size = sizeOf(answer);
    this.left -= size;
    if (this.left < 0)
      throw fhirError('tooCostly', {
        reason: 'The entries of the Bundle together read too much; send them in several Bundles',
      });
    // A long resource has already been counted before it was read.
    if (answer.kind !== 'read' || size <= LONGEST_BATCHED) this.context.bytes?.addAnswer(size);
    return answer;
  }
}

function sizeOf(answer: EntryAnswer): number {
  switch (answer.kind) {
    case 'read':
      return answer.version.text.length;
    case 'search':
    case 'history':
      return sizeOfPage(answer.page);
    case 'resource':
      return answer.text.length;
    case 'invoked':
      return sizeOfResult(answer.result);
    default:
      return 0;
  }
}
