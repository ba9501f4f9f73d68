/** A mail of the server to a person. */
export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends a mail. Throws what has failed. */
export type SendMail = (mail: Mail) => Promise<void>;
