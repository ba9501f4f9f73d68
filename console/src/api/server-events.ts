/** Reads server-sent events, which a browser's own EventSource cannot ask for with a token. */

export interface ServerEvent {
  /** Number of the change to continue after. */
  readonly id: number | undefined;
  readonly data: string;
}

/** The events of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation). */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) yield parseEvent(frame);
  }
}

function parseEvent(frame: string): ServerEvent {
  const fields = frame.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line) ?? []);
  const valuesOf = (wanted: string): readonly string[] =>
    fields.flatMap(([, name, value]) => (name === wanted && value !== undefined ? [value] : []));
  const id = valuesOf('id').at(-1);
  return { id: id === undefined ? undefined : Number(id), data: valuesOf('data').join('\n') };
}
