/** The content of Binaries. */

/** Content that is sent, in pieces of any size. */
export interface BinaryUpload {
  readonly type: string;
  readonly source: AsyncIterable<Uint8Array>;
  /** Bytes that it may have. */
  readonly limit: number;
  /** Bytes that it has at least. */
  readonly least: number;
  /** Aborted when the upload is given up. */
  readonly signal: AbortSignal;
}

interface BinaryHead {
  /** A media type of safe characters. */
  readonly contentType: string;
  /** The reference in `securityContext`, if it has safe characters only. */
  readonly securityContext: string | undefined;
  /** Number of bytes. */
  readonly size: number;
}

/** Content that is part of the text of its version. */
export interface InlineBinary extends BinaryHead {
  readonly bytes: Buffer;
}

/** Content that is stored apart. */
export interface ApartBinary extends BinaryHead {
  readonly bytes?: undefined;
  /** Its address below {fhir_root}. */
  readonly address: string;
  /** Reads from `start` to before `end`. Throws contentUnavailable, also after some pieces. */
  read(range: { readonly start: number; readonly end: number }): AsyncIterable<Buffer>;
}

export type OpenedBinary = InlineBinary | ApartBinary;
