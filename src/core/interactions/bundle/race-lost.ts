/** Another writer was faster; the transaction is retried. */
export class RaceLost extends Error {}
