import { fhirError } from '../errors';
import type { Admission } from '../api/process';

/** Throws `tooManyRequests`, with the exceeded limit, where the request was refused. */
export function requireAdmitted({ isAdmitted, limits, retryAfterSeconds }: Admission): void {
  if (isAdmitted) return;
  const { name = '', quota = 0, windowSeconds } = limits().at(-1) ?? {};
  const [who = '', window = ''] = name.split('-');
  const reason =
    windowSeconds === undefined
      ? `This ${who} has ${quota} requests under way, the most it may have at the same time: try again when one of them is answered`
      : `This ${who} may send ${quota} requests a ${window} and has sent them: try again in ${retryAfterSeconds} s`;
  throw fhirError('tooManyRequests', { reason });
}

/** Counts a message of a connection as a request that is over at once. Throws `tooManyRequests`, after the delay of a refusal. */
export async function requireMessageAdmitted(admission: Promise<Admission> | undefined): Promise<void> {
  const decided = await admission;
  if (decided === undefined) return;
  decided.leave();
  await decided.delay?.();
  requireAdmitted(decided);
}
