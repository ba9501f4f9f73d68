/** Records of accesses on their way to be AuditEvents. */
import {
  decodeLine,
  shortList,
  writeLine,
  type AccessRecord,
} from '../../../src/core/storage/audit/access-line';
import { AsciiText } from '../../../src/core/storage/connection/ascii-text';

const RECORD: AccessRecord = {
  key: { high: 1, low: -2 },
  recorded: 1_795_000_000_000,
  interaction: 'search-type',
  status: 200,
  reason: undefined,
  requestId: 'ward-7',
  client: 'a "quoted" client',
  person: 'Practitioner/1',
  address: '192.0.2.7',
  type: 'Observation',
  id: undefined,
  version: undefined,
  query: 'Observation?note=\u0000\né"\\\u007f😀 \ud83d',
  details: 'Observation/a/_history/1 +3',
};

const encodeLine = (record: AccessRecord): string =>
  writeLine(new AsciiText(), record).take().toString('latin1');

it('a record of any content is one line, and is read back unchanged', () => {
  for (const record of [RECORD, { ...RECORD, type: 'Patient', id: 'a', version: 7, reason: 'notFound' }]) {
    const line = encodeLine(record);
    expect(line).toMatch(/^[ -~]*$/);
    expect(decodeLine(line)).toEqual(record);
  }
});

it('a line of any texts and numbers is valid JSON', () => {
  const text = new AsciiText();
  const units = 'aZ09 -/"\\\u0000\n\u001f\u007f\u0080éÿ\u2028😀\ud83d';
  let seed = 7;
  const draw = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let line = 0; line < 2_000; line++) {
    const values = Array.from({ length: 1 + draw(6) }, (): string | number | null => {
      const kind = draw(4);
      if (kind === 0) return null;
      if (kind === 1) return (draw(2) === 0 ? 1 : -1) * Math.floor(draw(1_000_000) ** (1 + draw(3) / 2));
      // Plain ones too, short and long: they go other ways.
      const from = kind === 2 ? 'aZ09 -/' : units;
      return Array.from({ length: draw(120) }, () => from.charAt(draw(from.length))).join('');
    });
    text.append('[');
    for (const [place, value] of values.entries()) {
      if (place > 0) text.append(',');
      if (typeof value === 'number') text.appendWhole(value);
      else text.appendString(value ?? undefined);
    }
    const { length } = text.append(']');
    const bytes = text.take();
    expect(bytes).toHaveLength(length);
    expect(bytes.toString('latin1')).toMatch(/^[ -~]*$/);
    expect(JSON.parse(bytes.toString())).toEqual(values.map((value) => (value === 0 ? 0 : value)));
  }
  for (const whole of [0, -0, 9, 10, 99, 100, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 53)])
    expect(text.appendWhole(whole).take().toString()).toBe(String(whole));
});

it('the matches of a search are stored as types and ids, and read as references', () => {
  const found = ['a/1', 'b/20', 'Observation/3', 'c.d-e/1'].map((text, place) => {
    const [id = '', version] = text.split('/');
    return { type: place < 2 ? 'Patient' : 'Observation', id, versionId: Number(version) };
  });
  const references = found.map(({ type, id, versionId }) => `${type}/${id}/_history/${versionId}`).join(' ');
  for (const [details, decoded] of [
    [shortList(found), references],
    [shortList(found, 7), `${references} +7`],
    [references, references],
    // As an access that reads much leaves it, each once.
    [
      `Patient?name=:a ${shortList(found)} Patient/d/_history/3 Patient?_id=b ${shortList(found.slice(1, 2))} +2`,
      `Patient?name=:a ${references} Patient/d/_history/3 Patient?_id=b +2`,
    ],
  ])
    expect(decodeLine(encodeLine({ ...RECORD, details })).details).toBe(decoded);
});
