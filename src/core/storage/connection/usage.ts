/** What one request has asked of the database. */
export class Usage {
  /** Statements that were sent, each once, however many reads and searches it was for. */
  statements = 0;
  /** Rows that came back. */
  rows = 0;
}
