/** A file that its reader opens as often as it needs, such as one on the machine of a command. */
export interface LocalFile {
  readonly name: string;
  /** Yields its bytes from the beginning. */
  open(): AsyncIterable<Buffer>;
}
