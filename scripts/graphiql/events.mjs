/**
 * Reads a live query by server-sent events (distinct connections mode of GraphQL over SSE). It
 * differs from graphql-sse in two points: texts are passed on unchanged, with the digits of decimals, and it resumes by itself.
 */
/* global TextDecoderStream */
const RETRY_MS = 1_000;

/** Calls `onNext` with the text of each result. Resolves when the server has completed the stream. */
export async function followEvents(address, request, headers, onNext, signal) {
  let lastId;
  for (;;) {
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
        ...headers,
      },
      body: JSON.stringify(request),
      signal,
    }).catch((error) => {
      if (lastId === undefined || signal.aborted) throw error;
    });
    if (response && !response.ok && response.status !== 503) throw new Error(await response.text());
    if (response?.ok) {
      const isComplete = await readFrames(response.body, ({ event, id, data }) => {
        if (id !== undefined) lastId = id;
        if (event === 'next') onNext(data);
        return event === 'complete';
      }).catch((error) => {
        if (signal.aborted) throw error;
      });
      if (isComplete) return;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    signal.throwIfAborted();
  }
}

/** Resolves to true when `onFrame` has returned true for the last frame; to false when the stream ended before. */
async function readFrames(body, onFrame) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return false;
    const frames = (waiting + value).split('\n\n');
    waiting = frames.pop();
    for (const frame of frames) {
      if (!onFrame(toFrame(frame))) continue;
      await reader.cancel();
      return true;
    }
  }
}

function toFrame(text) {
  const frame = {};
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'data' && frame.data !== undefined) frame.data += `\n${value}`;
    else if (name !== undefined) frame[name] = value;
  }
  return frame;
}
