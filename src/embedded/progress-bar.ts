export interface ProgressBar {
  /** Shows that `done` of the `total` steps are done. */
  show(done: number): void;
  /** Leaves the last state on a line of its own. */
  finish(): void;
}

/** The output that the bar is drawn on: a terminal, a file … */
export type ProgressOutput = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

const WIDTH = 30;

/** Creates a bar that redraws itself on a terminal, and writes a line per quarter elsewhere. */
export function createProgressBar(output: ProgressOutput, title: string, total: number): ProgressBar {
  let shown = -1;
  const draw = (done: number): void => {
    const share = total === 0 ? 1 : done / total;
    const filled = Math.round(share * WIDTH);
    const bar = '#'.repeat(filled) + '-'.repeat(WIDTH - filled);
    const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
    if (output.isTTY) output.write(`\r${title} [${bar}] ${counts} `);
    else output.write(`${title} ${counts}\n`);
  };
  return {
    show(done) {
      const step = Math.floor((done * (output.isTTY ? 200 : 4)) / Math.max(total, 1));
      if (step === shown) return;
      shown = step;
      draw(done);
    },
    finish() {
      if (output.isTTY) output.write('\n');
    },
  };
}
