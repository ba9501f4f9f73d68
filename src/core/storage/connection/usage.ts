/** The database work of one request. */
export class Usage {
  /** Statements sent; a statement shared by several reads and searches counts once. */
  statements = 0;
  /** Rows returned. */
  rows = 0;
}
