import { encodeInTurns, encodePieces } from '../../src/rest/responses/encode-pieces';

describe('A text that is encoded in pieces', () => {
  it.each([
    ['no pieces', []],
    ['empty pieces', ['', '{}', '']],
    ['umlauts and pictures', ['{"name":"Grüße', ' 北京 \u{1f600}"', '}']],
    ['half a character by itself', ['{"a":"\ud83d"', ',"b":"\ude00"}']],
    ['many long pieces', Array.from({ length: 200 }, (_, at) => `${'é'.repeat(at)}${'x'.repeat(1000)}`)],
  ])('has the bytes of the whole: %s', (_, pieces) => {
    expect(encodePieces(pieces).equals(Buffer.from(pieces.join('')))).toBe(true);
  });

  it('has them too while it yields to others', async () => {
    const pieces = Array.from({ length: 40 }, (_, at) => 'é€\u{1f600}x'.repeat(at * 1000));
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    const bytes = await encodeInTurns(pieces);
    clearInterval(counting);
    expect(bytes.equals(Buffer.from(pieces.join('')))).toBe(true);
    expect(turns).toBeGreaterThan(0);
  });
});
