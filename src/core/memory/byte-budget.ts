import { fhirError, type FhirError } from '../errors';

/**
 * Memory per byte of a body until its request is answered: its text, the parsed value, its part of the answer.
 * Measured with batches of 29 MB, each of which took up to 105 MB of heap.
 */
const OF_BODY = 4;
/** Memory per character of stored texts until they are sent: the text, its copy in the answer, and the bytes. */
const OF_ANSWER = 3;
/** The same for texts that are parsed. */
const OF_PARSED = 8;
/** Answers up to this length are never refused: that would free no memory, and they may report a completed write. */
const SHORT = 16 * 1024;

/** Limits the memory for the bodies and answers of a process, by the estimated use of each. */
export class ByteBudget {
  private held = 0;

  /** `limit`: bytes of memory. */
  constructor(readonly limit: number) {}

  /** Opens a share for one request; it must be released. */
  open(): HeldBytes {
    return new HeldBytes(this);
  }

  /** The largest body that the limit allows. */
  get largestBody(): number {
    return Math.floor(this.limit / OF_BODY);
  }

  /** The bytes of all shares, estimated; a little more than the limit at times, because short answers are never refused. */
  get used(): number {
    return this.held;
  }

  hasRoom(bytes: number): boolean {
    return this.held + bytes <= this.limit;
  }

  add(bytes: number): void {
    this.held += bytes;
  }
}

/**
 * Counts texts before they are read. Throws `memoryFull`, and `tooCostly` where the memory limit can never hold them.
 */
export interface AnswerCounter {
  addAnswer(characters: number): void;
}

/** The share of one request. */
export class HeldBytes implements AnswerCounter {
  private held = 0;

  constructor(private readonly budget: ByteBudget) {}

  /** Opens a share for a message that comes on the connection of this request; it must be released. */
  openAnother(): HeldBytes {
    return this.budget.open();
  }

  /** Counts the texts that a write replaces, as `coverReplaced`. */
  get replaced(): AnswerCounter {
    return { addAnswer: (characters) => this.coverReplaced(characters) };
  }

  /**
   * Counts bytes of the body. Throws `memoryFull`, and `bodyBeyondMemory` where the body exceeds the limit of an idle
   * process.
   */
  addBody(bytes: number): void {
    this.requireRoomForBody(bytes);
    this.add(bytes * OF_BODY);
  }

  /** Throws as `addBody` does, but counts nothing. */
  requireRoomForBody(bytes: number): void {
    this.requireRoom(bytes * OF_BODY, () =>
      fhirError('bodyBeyondMemory', { limit: this.budget.largestBody }),
    );
  }

  /** Counts characters of texts that are read or generated for the answer. Throws `memoryFull` and `tooCostly`. */
  addAnswer(characters: number): void {
    if (characters > SHORT) this.requireRoom(characters * OF_ANSWER, answerBeyondMemory);
    this.add(characters * OF_ANSWER);
  }

  /**
   * Counts the texts that a write replaces, as far as they exceed the share of its body: any resource that was
   * written can be written again. Throws as `addAnswer` does.
   */
  coverReplaced(characters: number): void {
    const more = characters * OF_ANSWER - this.held;
    if (characters <= SHORT || more <= 0) return;
    this.requireRoom(more, answerBeyondMemory);
    this.add(more);
  }

  /**
   * Counts a parsed text. Never throws, because data may have been changed before; later requests are refused
   * instead.
   */
  addParsed(characters: number): void {
    this.add(characters * OF_PARSED);
  }

  /** Sets the share to `bytes`, the size of the answer that is sent. */
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
