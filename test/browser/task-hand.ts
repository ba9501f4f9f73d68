/// <reference lib="dom" />
/** The hand of a person who does a task in the console: counts what she clicks, types and presses, and what the browser requests for it. */
import type { Locator, Page, Response } from 'playwright-core';
import { findBarriers, type ConsolePage } from './console-page';

export interface Effort {
  /** Clicks, texts that are typed, keys that are pressed. */
  readonly steps: number;
  /** Requests to the server for data; the files of the program are loaded once a version. */
  readonly requests: number;
  /** Of their answers, as they are sent. */
  readonly bytes: number;
}

/** The files of the program, and streams, which do not end. */
const NO_DATA = /\/console\/assets\/|\/stream$|\.(?:js|css|svg)$/;

export class Hand {
  private steps = 0;
  private readonly answers: Promise<number>[] = [];

  constructor(readonly shown: ConsolePage) {
    shown.page.on('response', (response) => {
      if (!NO_DATA.test(new URL(response.url()).pathname)) this.answers.push(sizeOf(response));
    });
  }

  get page(): Page {
    return this.shown.page;
  }

  async click(what: Locator): Promise<void> {
    this.steps += 1;
    await what.first().click();
  }

  /** Types or pastes a text, or chooses a value of a list of the browser. */
  async type(where: Locator, text: string): Promise<void> {
    this.steps += 1;
    await where.first().fill(text);
  }

  async press(keys: string): Promise<void> {
    this.steps += 1;
    await this.page.keyboard.press(keys);
  }

  /** Drops a file onto an element. */
  async drop(where: Locator, name: string, type: string, text: string): Promise<void> {
    this.steps += 1;
    const data = await this.page.evaluateHandle(
      ([file, kind, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], file, { type: kind }));
        return transfer;
      },
      [name, type, text] as const,
    );
    await where.first().dispatchEvent('drop', { dataTransfer: data });
  }

  /** What the task has cost; the last screen has no barrier. */
  async effort(): Promise<Effort> {
    await this.shown.settle();
    const sizes = await Promise.all(this.answers);
    const barriers = await findBarriers(this.page);
    if (barriers.length > 0) throw new Error(barriers.join('\n'));
    return { steps: this.steps, requests: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  }
}

async function sizeOf(response: Response): Promise<number> {
  try {
    const { responseBodySize, responseHeadersSize } = await response.request().sizes();
    return responseBodySize + responseHeadersSize;
  } catch {
    // The page has gone on before the answer had come.
    return 0;
  }
}
