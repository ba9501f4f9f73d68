/** Lets the browser answer clicks and draw, before a long work goes on. */
export function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
