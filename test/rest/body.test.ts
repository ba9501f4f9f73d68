import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { ByteBudget } from '../../src/core';
import {
  type Body,
  FORM_TYPES,
  hasContentType,
  PATCH_TYPES,
  readBody,
  readLongBody,
  RESOURCE_TYPES,
  toText,
} from '../../src/rest/requests/body';

const counted = (headers: Record<string, string>) => ({
  headers,
  logEntry: { bytes: new ByteBudget(1_000_000_000).open() },
});

function read(
  chunks: readonly Buffer[],
  headers: Record<string, string> = {},
  limit = 1000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    readBody(Readable.from(chunks, { objectMode: true }), counted(headers), limit, (error, text) => {
      if (error === null) resolve(text ?? '');
      else reject(error);
    });
  });
}

describe('a body', () => {
  it('is decoded as a whole, a character split over chunks included', async () => {
    const bytes = Buffer.from('{"family":"Müller \u{1f600}"}');
    const chunks = [...bytes].map((byte) => Buffer.from([byte]));
    expect(await read(chunks)).toBe('{"family":"Müller \u{1f600}"}');
  });

  it('may be empty', async () => {
    expect(await read([])).toBe('');
  });

  it.each([[[0x7b, 0xff, 0x7d]], [[0xc3]], [[0xed, 0xa0, 0x80]], [[0xc0, 0x80]]])(
    'that is not UTF-8 (%j) is 400',
    async (bytes) => {
      await expect(read([Buffer.from(bytes)])).rejects.toMatchObject({ status: 400 });
    },
  );

  it.each<[number[], string]>([
    [[0xff], 'line 1, column 1'],
    [[...Buffer.from('{\n  "a": "é\u{1f600}\ufffd\ufffd'), 0xc3, 0x22], 'line 2, column 14'],
    [[...Buffer.from('\ufffd\n'), 0xef, 0xbf, 0x22], 'line 2, column 1'],
    [[...Buffer.from('"a'), 0xed, 0xa0, 0xbd], 'line 1, column 3'],
  ])('that is not UTF-8 (%j) is refused with the place: %s', async (bytes, place) => {
    await expect(read([Buffer.from(bytes)])).rejects.toMatchObject({
      issues: [{ diagnostics: `The body is not valid JSON: ${place}: its bytes are not UTF-8` }],
    });
  });

  it('with exactly the limit of bytes is accepted; one byte more is 413', async () => {
    expect(await read([Buffer.alloc(600, 'a'), Buffer.alloc(400, 'a')])).toHaveLength(1000);
    await expect(read([Buffer.alloc(600, 'a'), Buffer.alloc(401, 'a')])).rejects.toMatchObject({
      status: 413,
    });
    await expect(read([], { 'content-length': '1001' })).rejects.toMatchObject({ status: 413 });
  });

  it('that is compressed is inflated, and 400 if it does not have that coding', async () => {
    const compressed = gzipSync('{"a":1}');
    const chunks = [...compressed].map((byte) => Buffer.from([byte]));
    expect(await read(chunks, { 'content-encoding': 'gzip' })).toBe('{"a":1}');
    for (const bytes of [Buffer.from('x'), compressed.subarray(0, 9)])
      await expect(read([bytes], { 'content-encoding': 'gzip' })).rejects.toMatchObject({ status: 400 });
    await expect(read([compressed], { 'content-encoding': 'zstd' })).rejects.toMatchObject({ status: 415 });
    expect(await read([Buffer.from('x')], { 'content-encoding': 'identity' })).toBe('x');
  });

  it('that breaks off is 400', async () => {
    const source = new Readable({ read: () => undefined });
    const result = new Promise((resolve) => readBody(source, counted({}), 1000, resolve));
    source.push('{');
    source.destroy();
    expect(await result).toMatchObject({ status: 400 });
  });
});

describe('a content type', () => {
  it.each([
    ['application/fhir+json', RESOURCE_TYPES, true],
    ['application/json; charset=UTF-8', RESOURCE_TYPES, true],
    ['application/json+fhir;charset="utf-8"', RESOURCE_TYPES, true],
    ['Application/FHIR+JSON; fhirVersion=4.0', RESOURCE_TYPES, true],
    ['application/fhir+json; fhirVersion=4.3', RESOURCE_TYPES, false],
    ['application/fhir+json; charset=iso-8859-1', RESOURCE_TYPES, false],
    ['application/json-patch+json', RESOURCE_TYPES, false],
    ['application/json-patch+json', PATCH_TYPES, true],
    ['application/json', PATCH_TYPES, true],
    ['application/xml', PATCH_TYPES, false],
    ['application/x-www-form-urlencoded', FORM_TYPES, true],
    ['text/plain', RESOURCE_TYPES, false],
    ['json', RESOURCE_TYPES, false],
    ['', RESOURCE_TYPES, false],
  ])('%s among %j: %s', (header, allowed, expected) => {
    expect(hasContentType({ 'content-type': header }, allowed, 'r4')).toBe(expected);
  });
});

describe('a long body', () => {
  const text = 'é€\u{1f600}x'.repeat(500_000);
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_521) }, (_, index) =>
    bytes.subarray(index * 65_521, (index + 1) * 65_521),
  );
  const readLong = (headers: Record<string, string> = {}, sent: readonly Buffer[] = chunks): Promise<Body> =>
    new Promise((resolve, reject) => {
      const source = Readable.from(sent, { objectMode: true });
      readLongBody(source, counted(headers), 1_000_000_000, (error, body = '') =>
        error === null ? resolve(body) : reject(error),
      );
    });

  it('stays in blocks that threads share, and is the same text', async () => {
    const body = await readLong();
    if (typeof body === 'string') throw new Error('it is no text');
    for (const block of body) expect(block.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(toText(body) === text).toBe(true);
    expect((await read(chunks, {}, 1_000_000_000)) === text).toBe(true);
  });

  it('also where it is compressed', async () => {
    const body = await readLong({ 'content-encoding': 'gzip' }, [gzipSync(bytes)]);
    expect(typeof body).toBe('object');
    expect(toText(body) === text).toBe(true);
  });
});
