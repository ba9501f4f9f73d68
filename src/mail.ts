/** Mail by SMTP, for people who are invited. The library is loaded for the first mail. */
import type { Mail } from './core';

/** Milliseconds for each stage; an administrator waits for the end. */
const STAGE_MS = 10_000;

export interface MailSettings {
  /** `smtp://` or `smtps://`, with a user and password. */
  readonly url: string;
  /** The address of the sender. */
  readonly from: string;
}

/** Returns a function that sends a mail. It throws an error of the library, whose `code` says what has failed. */
export function createMailer({ url, from }: MailSettings): (mail: Mail) => Promise<void> {
  return async ({ to, subject, text }) => {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url,
      ...{ connectionTimeout: STAGE_MS, greetingTimeout: STAGE_MS, socketTimeout: STAGE_MS },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    try {
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
    } finally {
      transport.close();
    }
  };
}
