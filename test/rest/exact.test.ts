/**
 * The content of a client is returned to the last digit and sign; content that cannot be stored exactly is refused,
 * with the place.
 */
import { DECIMALS, exactCodeSystem, exactPieces, exactText, FAULTS, missingPieces, nestedExtensions, patientNamed, TEXTS, toBadBytes } from '../support/exact'; // prettier-ignore
import { openSharedServer, type Answer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${server.path('system', release)}${rest}`, body, headers);

  async function put(id: string): Promise<Answer> {
    const answer = await send('PUT', `/Observation/${id}`, exactText(id));
    expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([201, '']);
    return answer;
  }

  describe('decimals, texts and the order of members are returned unchanged', () => {
    it('by a create and the read after it', async () => {
      const created = await send('POST', '/Observation', exactText());
      expect(created.status).toBe(201);
      expect(missingPieces(created.text)).toEqual([]);
      const read = await send('GET', `/Observation/${created.json.id}`);
      expect(read.text).toBe(created.text);
      expect(read.json.note.map(({ text }: { text: string }) => text)).toEqual(TEXTS);
    });

    it('by an update, a read, a read of the version, with and without line breaks', async () => {
      const id = 'exact-update';
      const updated = await put(id);
      expect(missingPieces(updated.text)).toEqual([]);
      expect((await send('GET', `/Observation/${id}`)).text).toBe(updated.text);
      expect((await send('GET', `/Observation/${id}/_history/1`)).text).toBe(updated.text);
      const pretty = await send('GET', `/Observation/${id}?_pretty=true`);
      expect(JSON.stringify(pretty.json)).toBe(JSON.stringify(updated.json));
      for (const decimal of DECIMALS) expect(pretty.text).toContain(`"value": ${decimal}\n`);
    });

    it.each([['PATCH'], ['GET']])('by a patch with %s, those of the patch as well', async (method) => {
      const id = `exact-patch-${method.toLowerCase()}`;
      await put(id);
      const added = '{"text":"\u202b😀 e\u0301","extension":[{"valueDecimal":0.500,"url":"http://example.org/a"}]}';
      const body = `[{"op":"replace","path":"/component/0/valueQuantity/value","value":1.000},{"op":"add","path":"/note/-","value":${added}},{"op":"test","path":"/component/1/valueQuantity/value","value":0.1},{"op":"copy","from":"/component/3/valueQuantity/value","path":"/component/2/valueQuantity/value"}]`; // prettier-ignore
      const patched = await send(method, `/Observation/${id}`, body, JSON_PATCH);
      expect(patched.status).toBe(200);
      const [first = '', second = '', third = ''] = exactPieces();
      const expected = [
        first,
        second.replace('"value":1.00}', '"value":1.000}').replace('"value":1e-7}', '"value":123456789012345678}'),
        third.replace('],"extension"', `,${added}],"extension"`),
      ];
      expect(missingPieces(patched.text, expected)).toEqual([]);
      expect((await send('GET', `/Observation/${id}`)).text).toBe(patched.text);
      expect(missingPieces((await send('GET', `/Observation/${id}/_history/1`)).text)).toEqual([]);
    }); // prettier-ignore

    it('by a history and by searches, sorted or not', async () => {
      const id = 'exact-bundle';
      await put(id);
      await send('PUT', `/Observation/${id}`, exactText(id));
      for (const [rest, count] of [
        [`/Observation/${id}/_history`, 2],
        [`/Observation?_id=${id}`, 1],
        [`/Observation?_id=${id}&_sort=-date&_total=accurate`, 1],
        ['/Observation?_tag=http://example.org/tags|exact&_count=1', 1],
      ] as const) {
        const answer = await send('GET', rest);
        expect([rest, answer.status, answer.json.entry?.length]).toEqual([rest, 200, count]);
        const pieces = Array.from({ length: count }, () => exactPieces()).flat();
        expect(missingPieces(answer.text, pieces)).toEqual([]);
      }
    });

    it('by operations: $meta returns its part, $lookup the properties of the code system', async () => {
      const id = 'exact-meta';
      const extension = '"extension":[{"valueDecimal":1.50,"url":"http://example.org/b"}]';
      const text = exactText(id).replace('"meta":{', `"meta":{${extension},`);
      expect((await send('PUT', `/Observation/${id}`, text)).status).toBe(201);
      const [, , rest = ''] = exactPieces();
      const tag = rest.slice(0, rest.indexOf(']}'));
      const meta = await send('GET', `/Observation/${id}/$meta`);
      expect(meta.status).toBe(200);
      expect(missingPieces(meta.text, ['"valueDecimal":1.50,"url":"http://example.org/b"', tag])).toEqual([]);
      expect((await send('GET', '/Observation/$meta')).text).toContain(tag);

      expect((await send('PUT', '/CodeSystem/exact', exactCodeSystem('exact'))).status).toBe(201);
      const input = '{"resourceType":"Parameters","parameter":[{"name":"system","valueUri":"http://example.org/exact"},{"name":"code","valueCode":"a"}]}'; // prettier-ignore
      const lookup = await send('POST', '/CodeSystem/$lookup', input);
      expect(lookup.status).toBe(200);
      expect(lookup.text).toContain('"valueDecimal":1.00');
      expect(lookup.text).toContain(JSON.stringify(TEXTS.join(' ')));
    });

    it('in a body so long that another thread reads it, and through a patch on it', async () => {
      const id = 'exact-long';
      const filling = `{"text":${JSON.stringify(TEXTS.join('\n').repeat(5_000))}}`;
      const long = exactText(id).replace('"note":[', `"note":[${filling},`);
      expect(long.length).toBeGreaterThan(300_000);
      const pieces = exactPieces().map((piece) => piece.replace('"note":[', `"note":[${filling},`));
      const updated = await send('PUT', `/Observation/${id}`, long);
      expect([updated.status, missingPieces(updated.text, pieces)]).toEqual([201, []]);
      const body = '[{"op":"replace","path":"/component/1/valueQuantity/value","value":0.1000}]';
      const patched = await send('PATCH', `/Observation/${id}`, body, JSON_PATCH);
      const expected = pieces.map((piece) => piece.replace('"value":0.10}', '"value":0.1000}'));
      expect([patched.status, missingPieces(patched.text, expected)]).toEqual([200, []]);
      expect((await send('GET', `/Observation/${id}`)).text).toBe(patched.text);
      const twice = `${long.slice(0, -1)},"subject":{"display":"a","display":"b"}}`;
      const refused = await send('PUT', `/Observation/${id}`, twice);
      expect([refused.status, refused.json.issue[0].expression]).toEqual([
        400,
        ['Observation.subject.display'],
      ]);
    });

    it('as deep as the limit allows', async () => {
      const id = 'exact-levels';
      const text = `{"resourceType":"Patient","id":"${id}",${nestedExtensions(31)}}`;
      const { status, text: stored } = await send('PUT', `/Patient/${id}`, text);
      expect([status, stored.includes(nestedExtensions(31))]).toEqual([201, true]);
      const deeper = await send(
        'PUT',
        `/Patient/${id}`,
        text.replace(nestedExtensions(31), nestedExtensions(32)),
      );
      expect([deeper.status, deeper.json.issue[0].expression]).toEqual([
        400,
        [`Patient${'.extension[0]'.repeat(32)}`],
      ]);
      const path = '/extension/0/extension/0/extension/0/extension/-';
      const added = `{"url":"http://example.org/nested",${nestedExtensions(29)}}`;
      const patched = await send(
        'PATCH',
        `/Patient/${id}`,
        `[{"op":"add","path":"${path}","value":${added}}]`,
      );
      expect([patched.status, patched.json.issue[0].expression]).toEqual([
        422,
        [`Patient${'.extension[0]'.repeat(3)}.extension[1]${'.extension[0]'.repeat(28)}`],
      ]);
      expect((await send('GET', `/Patient/${id}`)).text).toBe(stored);
    });

    it('in their meaning when they are written with escapes and white space', async () => {
      const escaped =
        '\ufeff{ "resourceType" : "Patient",\n"id":"exact-escapes",\t"name":[{"famil\\u0079":"\\u00e9\\/\\ud83d\\ude00\\u202e\\u0041"}]}\r\n';
      const answer = await send('PUT', '/Patient/exact-escapes', escaped);
      expect(answer.status).toBe(201);
      expect(answer.text).toContain('"name":[{"family":"é/😀\u202eA"}]');
    });
  });

  describe('a value that cannot be stored exactly is refused, with the place, and changes nothing', () => {
    const id = 'exact-refused';
    let etag: string | undefined;
    beforeAll(async () => {
      const answer = await send('PUT', `/Patient/${id}`, patientNamed('{"family":"A"}', id));
      expect(answer.status).toBe(201);
      etag = answer.headers.etag;
    });
    afterEach(async () => {
      expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe(etag);
    });

    const patchOf = (name: string): string => `[{"op":"add","path":"/name","value":[${name}]}]`;
    const inputOf = (name: string): string =>
      `{"resourceType":"Parameters","parameter":[{"name":"coding","resource":${patientNamed(name)}}]}`;
    /** The ways to send a Patient or a part of one; and the place of its name then. */
    const ways: readonly {
      readonly method: string;
      readonly rest: string;
      readonly toBody: (name: string) => string;
      readonly root: string;
      readonly headers?: Record<string, string>;
    }[] = [
      { method: 'POST', rest: '/Patient', toBody: patientNamed, root: 'Patient.name[0]' },
      { method: 'PUT', rest: `/Patient/${id}`, toBody: (name) => patientNamed(name, id), root: 'Patient.name[0]' },
      { method: 'PATCH', rest: `/Patient/${id}`, toBody: patchOf, root: '$this[0].value[0]', headers: JSON_PATCH },
      { method: 'GET', rest: `/Patient/${id}`, toBody: patchOf, root: '$this[0].value[0]', headers: JSON_PATCH },
      { method: 'POST', rest: '/CodeSystem/$lookup', toBody: inputOf, root: 'Parameters.parameter[0].resource.name[0]' },
    ]; // prettier-ignore

    describe.each(ways)('by $method $rest', ({ method, rest, toBody, root, headers }) => {
      it.each(FAULTS)('$title', async ({ name, place, code, says: message }) => {
        const { status, json } = await send(method, rest, toBody(name), headers);
        expect(status).toBe(400);
        expect(json).toMatchObject({
          resourceType: 'OperationOutcome',
          issue: [{ severity: 'error', code }],
        });
        expect(json.issue[0].diagnostics).toMatch(message);
        expect(json.issue[0].expression[0]).toContain(root + place);
      });

      it('bytes that are not UTF-8', async () => {
        const { bytes, column } = toBadBytes(toBody('{"text":"é😀\ufffd","family":"aBYTEb"}'));
        const { status, json } = await send(method, rest, bytes, headers);
        expect(status).toBe(400);
        expect(json.issue[0].diagnostics).toBe(`The body is not valid JSON: line 1, column ${column}: its bytes are not UTF-8`);
      }); // prettier-ignore
    });
  });
});
