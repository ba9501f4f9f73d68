/** A failure whose reason a worker has printed already. */
export class ReportedFailure extends Error {}
