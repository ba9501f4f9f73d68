/** Between two updates of the line. */
const REDRAW_MS = 100;

export interface StatusLine {
  show(text: string): void;
  clear(): void;
}

/** A progress line that redraws itself on a terminal; elsewhere nothing. */
export function createStatusLine(output: NodeJS.WriteStream, isShown: boolean): StatusLine {
  let drawnAt = -Infinity;
  return {
    show(text) {
      const now = performance.now();
      if (!isShown || !output.isTTY || now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      output.write(`\r${text}\u001b[K`);
    },
    clear() {
      if (isShown && output.isTTY) output.write('\r\u001b[K');
    },
  };
}

const BAR_WIDTH = 30;

/** Returns `[======>       ] 42 %`. */
export function progressBar(done: number, of: number): string {
  const share = of === 0 ? 1 : Math.min(1, done / of);
  const filled = Math.floor(share * BAR_WIDTH);
  const head = filled < BAR_WIDTH ? '>' : '';
  return `[${`${'='.repeat(filled)}${head}`.padEnd(BAR_WIDTH)}] ${Math.floor(share * 100)} %`;
}
