import { eventsOf, type ServerEvent } from '../../console/src/api/server-events';

async function read(...chunks: readonly Uint8Array[]): Promise<readonly ServerEvent[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const events: ServerEvent[] = [];
  for await (const event of eventsOf(stream)) events.push(event);
  return events;
}

describe('The stream of changes', () => {
  const text =
    'retry: 1000\n:\nid: 7\n\nid: 8\nevent: next\ndata: {"a":\ndata: "Ö"}\n\nevent: next\ndata: cut';

  it('is read event by event: pings have only a number, and what is cut off is no event', async () => {
    expect(await read(new TextEncoder().encode(text))).toEqual([
      { id: 7, data: '' },
      { id: 8, data: '{"a":\n"Ö"}' },
    ]);
  });

  it('can be cut anywhere, also inside of a character', async () => {
    const bytes = new TextEncoder().encode(text);
    const whole = await read(bytes);
    for (let at = 0; at < bytes.length; at++)
      expect(await read(bytes.slice(0, at), bytes.slice(at))).toEqual(whole);
  });
});
