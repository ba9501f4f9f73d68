import { fhirError, type FhirError } from '../errors';

/**
 * What a byte of a body takes until its request is answered: its text, what is parsed of it, its part of the answer. Measured
 * with batches of 29 MB, of which each took 105 MB of the heap at its highest.
 */
const OF_BODY = 4;
/** What a character of stored texts takes until they are sent: the text, that of the answer, its bytes. */
const OF_ANSWER = 3;
/** The same where a text is parsed. */
const OF_PARSED = 8;
/** Characters of answers that are never refused: that would make no room, and may be of something that was done. */
const SHORT = 16 * 1024;

/** How much memory the bodies and answers of a process may take together, by what each is known to take. */
export class ByteBudget {
  private held = 0;

  /** @param limit in bytes of memory */
  constructor(readonly limit: number) {}

  /** For one request; to be released. */
  open(): HeldBytes {
    return new HeldBytes(this);
  }

  /** Largest body that there can be room for. */
  get largestBody(): number {
    return Math.floor(this.limit / OF_BODY);
  }

  hasRoom(bytes: number): boolean {
    return this.held + bytes <= this.limit;
  }

  add(bytes: number): void {
    this.held += bytes;
  }
}

/** Where texts are counted before they are read. Throws `memoryFull`, and `tooCostly` where there is never so much room. */
export interface AnswerCounter {
  addAnswer(characters: number): void;
}

/** What one request holds of the budget. */
export class HeldBytes implements AnswerCounter {
  private held = 0;

  constructor(private readonly budget: ByteBudget) {}

  /** Counts what a write replaces, as `coverReplaced`. */
  get replaced(): AnswerCounter {
    return { addAnswer: (characters) => this.coverReplaced(characters) };
  }

  /**
   * Counts so many bytes of the body. Throws `memoryFull`, and `bodyBeyondMemory` where even a process that does nothing else
   * has no room for them.
   */
  addBody(bytes: number): void {
    this.requireRoomForBody(bytes);
    this.add(bytes * OF_BODY);
  }

  /** Throws what `addBody` does; counts nothing. */
  requireRoomForBody(bytes: number): void {
    this.requireRoom(bytes * OF_BODY, () =>
      fhirError('bodyBeyondMemory', { limit: this.budget.largestBody }),
    );
  }

  /** Counts texts of so many characters that are read, or put together, to be answered. Throws `memoryFull` and `tooCostly`. */
  addAnswer(characters: number): void {
    if (characters > SHORT) this.requireRoom(characters * OF_ANSWER, answerBeyondMemory);
    this.add(characters * OF_ANSWER);
  }

  /**
   * Counts all that a write replaces, as far as it is more than what is held for its body: whatever can be written can be
   * written again. Throws what `addAnswer` does.
   */
  coverReplaced(characters: number): void {
    const more = characters * OF_ANSWER - this.held;
    if (characters <= SHORT || more <= 0) return;
    this.requireRoom(more, answerBeyondMemory);
    this.add(more);
  }

  /** Counts a text that is parsed. It is never refused, because something may have been changed before: later requests are. */
  addParsed(characters: number): void {
    this.add(characters * OF_PARSED);
  }

  /** From now on it holds so many bytes and no others: those of an answer that is sent. */
  become(bytes: number): void {
    this.add(bytes - this.held);
  }

  release(): void {
    this.become(0);
  }

  private requireRoom(bytes: number, beyondMemory: () => FhirError): void {
    if (this.budget.hasRoom(bytes)) return;
    throw this.held + bytes > this.budget.limit ? beyondMemory() : fhirError('memoryFull');
  }

  private add(bytes: number): void {
    this.held += bytes;
    this.budget.add(bytes);
  }
}

function answerBeyondMemory(): FhirError {
  return fhirError('tooCostly', {
    reason:
      'The request reads more than the server has memory for (MAX_BYTES_UNDER_WAY): ask for less at once',
  });
}
