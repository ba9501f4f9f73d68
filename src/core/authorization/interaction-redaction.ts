import type { Interactions, ResultOf } from '../api/interactions';
import type { ElementRedaction } from './element-redaction';

export type Redact<Result> = (redaction: ElementRedaction, result: Result) => Result;

/** The redaction of the results of some of the interactions. */
export type RedactionOf<Names extends keyof Interactions> = {
  /** Undefined: the result has no elements of a resource, or they were redacted when they were read. */
  readonly [Name in Names]: Redact<ResultOf<Name>> | undefined;
};

const redactVersion: Redact<ResultOf<'read'>> = (redaction, version) => redaction.version(version);
const redactWritten: Redact<ResultOf<'create'>> = (redaction, result) => redaction.written(result);

export const INTERACTION_REDACTION: RedactionOf<keyof Interactions> = {
  read: redactVersion,
  find: (redaction, version) => version && redaction.version(version),
  vread: redactVersion,
  readAsOf: redactVersion,
  difference: undefined,
  create: redactWritten,
  update: redactWritten,
  patch: redactWritten,
  delete: (redaction, result) => redaction.deleted(result),
  createIfNoneExist: redactWritten,
  updateWhere: redactWritten,
  patchWhere: redactWritten,
  deleteWhere: (redaction, versions) => redaction.versions(versions),
  bundle: (redaction, answer) => redaction.bundle(answer),
  history: (redaction, page) => redaction.history(page),
  search: (redaction, page) => redaction.page(page),
  searchBatch: (redaction, pages) =>
    pages.map((page) => (page instanceof Error ? page : redaction.page(page))),
  aggregate: undefined,
  follow: (redaction, stream) => redaction.stream(stream),
  invoke: (redaction, result) => redaction.invoked(result),
  subscriptionStatus: undefined,
  subscriptionEvents: undefined,
};
