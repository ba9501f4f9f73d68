/** The request is not allowed, or the answer is not accepted. The message is for the operator, not for clients. */
export class OutboundError extends Error {}

const CLOSED = 'it closed the connection before its answer was complete';
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ERR_STREAM_PREMATURE_CLOSE: CLOSED,
  ENOTFOUND: 'its name does not exist',
  HPE_HEADER_OVERFLOW: 'the headers of its answer are too long',
};

/** Returns the error of a connection that was closed without an answer. */
export const closedError = (): OutboundError => new OutboundError(CLOSED);

/**
 * Returns a network error as an OutboundError, and any other error unchanged. Only the code is kept: the errors of
 * Node.js also hold addresses of the network and bytes of the answer, which must not reach a log.
 */
export function toOutboundError(error: unknown): unknown {
  if (error instanceof OutboundError || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined) return error;
  const reason = REASONS[code];
  if (reason !== undefined) return new OutboundError(reason);
  return new OutboundError(
    code.startsWith('HPE_') ? `its answer is not valid HTTP (${code})` : `it cannot be called (${code})`,
  );
}
