/** The mail that brings a person the link of an invitation. */
import type { Invitation } from '../api/sign-in';
import type { Mail, SendMail } from '../api/mail';
import type { Log, TenantSpace } from '../context';
import { fhirError } from '../errors';
import type { RateLimiter } from '../limits/rate-limiter';
import type { Rate } from '../memory/rate';

/** Mails of a tenant. */
const RATES: readonly Rate[] = [{ quota: 100, windowMs: 3_600_000 }];
const LONGEST_ADDRESS = 254;
/** One address without a name, comments or quotes: nothing of it is a part of another header or address. */
const ADDRESS = /^[^\s\p{C}@<>()[\],;:"\\]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/iu;

export interface MailParts {
  /** Undefined: no mail server is set. */
  readonly send?: SendMail | undefined;
  readonly rates: RateLimiter;
  readonly log: Log;
}

/** Throws `invalidValue` for an address that is not one, and without a mail server; `tooManyRequests`. */
export async function requireMail(
  { send, rates }: MailParts,
  space: TenantSpace,
  email: string,
): Promise<SendMail> {
  if (send === undefined)
    throw fhirError('invalidValue', {
      reason: '"email" needs a mail server: SMTP_URL and SMTP_FROM are not set',
    });
  if (email.length > LONGEST_ADDRESS || !ADDRESS.test(email))
    throw fhirError('invalidValue', { reason: '"email" must be one address, such as dora@hospital.example' });
  const counted = { tenant: space.tenantNumber, kind: 'mail', name: '', rates: RATES };
  const { isAdmitted, retryAfterSeconds } = await rates.take([counted]);
  if (isAdmitted) return send;
  const reason = `The tenant has sent ${RATES[0]?.quota ?? 0} mails within an hour`;
  throw fhirError('tooManyRequests', { reason }).after(retryAfterSeconds);
}

/**
 * Sends the link, and returns the invitation without it. Where that fails, the invitation stays: it is returned with the link and the
 * reason, so that the administrator can bring the person the link.
 */
export async function mailInvitation(
  send: SendMail,
  { space, email, log }: { readonly space: TenantSpace; readonly email: string; readonly log: Log },
  { link = '', expires }: Invitation,
): Promise<Invitation> {
  try {
    await send(toMail(space, email, link));
    return { expires };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    log.warn({ code }, 'an invitation could not be sent by mail');
    return { link, expires, problem: `The mail was not sent (${code}): give the person the link` };
  }
}

function toMail({ display, tenant }: TenantSpace, to: string, link: string): Mail {
  const name = display ?? tenant;
  return {
    to,
    subject: `Set your password for ${name}`,
    text: `You have an account at ${name}.

Set your password here, once and within a day:

${link}

If you do not expect this, ignore this mail.
`,
  };
}
