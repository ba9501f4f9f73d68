/** Sends lines as they come, without holding more than some of them in memory. */
import { PassThrough, pipeline, type Readable, type Writable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseCoding, createEncoder } from '../requests/content-coding';
import { addVary } from './vary';

export interface SentLines {
  readonly contentType: string;
  /** Name of the file in which browsers store it. */
  readonly fileName: string;
  /** Milliseconds after which it ends because the client reads nothing. */
  readonly stallMs: number;
  /** True: they are compressed in the coding that the client prefers. */
  readonly isCompressed?: boolean;
  /** Called at the end, after an error too. */
  readonly done: () => void;
}

/** Characters that are written together: one piece for each line costs as much as the line. */
const PIECE = 32 * 1024;

/** Sends the lines, with a line feed after each. An error closes the connection before the last line. */
export function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  lines: AsyncIterable<string>,
  { contentType, fileName, stallMs, isCompressed = false, done }: SentLines,
): FastifyReply {
  const output = new PassThrough();
  const write = async (): Promise<void> => {
    let gathered = '';
    for await (const text of lines) {
      if (output.destroyed) return;
      gathered += `${text}\n`;
      if (gathered.length < PIECE) continue;
      const hasRoom = output.write(gathered);
      gathered = '';
      if (!hasRoom) await drained(output, stallMs);
    }
    output.end(gathered);
  };
  write()
    .catch((error: unknown) => output.destroy(error instanceof Error ? error : new Error('it failed')))
    .finally(done);
  return reply
    .code(200)
    .header('content-type', contentType)
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', request.id)
    .send(isCompressed ? compressed(request, reply, output) : output);
}

/** Compression is slow to flush: the first bytes come after some hundred kilobytes of lines, or at the end. */
const EXPECTED_BYTES = 1024 * 1024;

function compressed(request: FastifyRequest, reply: FastifyReply, output: PassThrough): Readable {
  addVary(reply, 'Accept-Encoding');
  const accepted = request.headers['accept-encoding'];
  const coding = chooseCoding(typeof accepted === 'string' ? accepted : undefined);
  if (coding === undefined) return output;
  reply.header('content-encoding', coding);
  // An error of either destroys both, which closes the connection before the end.
  return pipeline(output, createEncoder(coding, EXPECTED_BYTES), () => undefined);
}

/** Yields the same lines; throws the reason of the signal when it is aborted. */
export async function* until<Line>(lines: AsyncIterable<Line>, signal: AbortSignal): AsyncGenerator<Line> {
  for await (const line of lines) {
    signal.throwIfAborted();
    yield line;
  }
}

/** Resolves when more can be written, or the output is closed. Rejects when the client reads nothing for `stallMs`. */
function drained(output: Writable, stallMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void): void => {
      clearTimeout(timer);
      output.off('drain', go).off('close', go);
      then();
    };
    const go = (): void => end(resolve);
    const timer = setTimeout(
      () => end(() => reject(new Error('the client does not read the export'))),
      stallMs,
    );
    output.once('drain', go).once('close', go);
  });
}
