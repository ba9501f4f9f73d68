import type { RequestContext } from '../../context';
import type { Outbound } from '../../outbound/outbound';
import { OutboundError } from '../../outbound/outbound-error';

/** A request to an endpoint. */
export interface Call {
  readonly method: 'POST' | 'PUT';
  /** Added to the address of the endpoint. */
  readonly path: string;
  /** Undefined: it has no body. */
  body(context: RequestContext): string | undefined;
}

/** The endpoint says that it is gone for good. */
export class EndpointGone extends Error {}

interface Message {
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  /** `Name: value` */
  readonly headers: readonly string[];
  readonly body: string | undefined;
  readonly contentType: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Sends notifications. */
export class Endpoint {
  constructor(private readonly outbound: Pick<Outbound, 'send'>) {}

  /** Returns why a notification did not arrive, in words without secrets; undefined: it did. */
  readonly send = async (message: Message): Promise<Error | undefined> => {
    const { body, contentType, headers } = message;
    try {
      const status = await this.outbound.send({
        ...message,
        headers: [
          ...headers.map((header): readonly [string, string] => {
            const colon = header.indexOf(':');
            return [header.slice(0, colon), header.slice(colon + 1).trim()];
          }),
          ...(body === undefined ? [] : [['content-type', contentType] as const]),
        ],
      });
      if (status >= 200 && status < 300) return undefined;
      if (status === 410) return new EndpointGone('the endpoint answers 410, it is gone');
      return new Error(`the endpoint answers ${status}`);
    } catch (error) {
      if (error instanceof OutboundError) return error;
      return new Error(describe(error));
    }
  };
}

/** Network errors of Node.js, whose messages may have the address. */
function describe(error: unknown): string {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`;
}
