/**
 * Runs `act` in a later turn of the event loop, after the input that waits by then. (One `setImmediate` in answer to
 * input still belongs to the turn of that input.)
 */
export function inNextTurn(act: () => void): void {
  setImmediate(() => setImmediate(act));
}
