/** A publisher's file that cannot be read as its format. */
export class ImportFileError extends Error {}
