/** Requests that FHIR and HTTP allow or refuse and few clients send: https://hl7.org/fhir/R4/http.html. */
import { gzipSync } from 'node:zlib';
import type { Headers } from '../support/http';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown, headers?: Headers) =>
    server.request(method, server.path('system', release) + rest, body, headers);
  const ann = {
    resourceType: 'Patient',
    id: 'ann',
    text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Ann</div>' },
    gender: 'female',
    birthDate: '1970-01-01',
    photo: [{ title: 'Ann' }],
  };
  beforeAll(async () => {
    for (const gender of ['unknown', 'female'])
      expect((await send('PUT', '/Patient/ann', { ...ann, gender })).status).toBeLessThan(300);
    await send('PUT', '/Patient/gone', { resourceType: 'Patient', id: 'gone' });
    await send('DELETE', '/Patient/gone');
  });

  describe('a read', () => {
    it.each([
      ['true', ['birthDate', 'gender', 'id', 'meta', 'resourceType']],
      ['text', ['id', 'meta', 'resourceType', 'text']],
      ['data', ['birthDate', 'gender', 'id', 'meta', 'photo', 'resourceType']],
    ])('with _summary=%s returns that subset with its tag, also for a version', async (summary, members) => {
      for (const rest of ['/Patient/ann', '/Patient/ann/_history/2']) {
        const { status, headers, json } = await send('GET', `${rest}?_summary=${summary}`);
        expect([status, headers.etag, Object.keys(json).sort()]).toEqual([200, 'W/"2"', members]);
        expect(json.meta.tag).toMatchObject([{ code: 'SUBSETTED' }]);
        const head = await send('HEAD', `${rest}?_summary=${summary}`);
        expect(head.headers['content-length']).toBe(headers['content-length']);
      }
    });

    it('with _elements returns those and the identifying elements, and as an entry of a Bundle too', async () => {
      const members = ['gender', 'id', 'meta', 'resourceType'];
      const url = 'Patient/ann?_elements=gender';
      const { json } = await send('GET', `/${url}`);
      expect([Object.keys(json).sort(), json.gender]).toEqual([members, 'female']);
      for (const type of ['batch', 'transaction']) {
        const bundle = { resourceType: 'Bundle', type, entry: [{ request: { method: 'GET', url } }] };
        const answer = await send('POST', '', bundle);
        expect(Object.keys(answer.json.entry[0].resource).sort()).toEqual(members);
      }
    });

    it('with _summary=false, an empty one or any other parameter gives all of it', async () => {
      const whole = (await send('GET', '/Patient/ann')).text;
      for (const query of ['_summary=false', '_summary=', '_elements=', 'name=x', ''])
        expect((await send('GET', `/Patient/ann?${query}`)).text).toBe(whole);
    });

    it.each(['_summary=count', '_summary=yes', '_elements=colour'])('with %s is 400', async (query) => {
      const { status, json } = await send('GET', `/Patient/ann?${query}`);
      expect([status, json.resourceType]).toEqual([400, 'OperationOutcome']);
    });

    it('with _elements omits the content of a Binary, and a read of its bytes ignores _summary', async () => {
      const data = Buffer.from('abc').toString('base64');
      await send('PUT', '/Binary/b', { resourceType: 'Binary', id: 'b', contentType: 'text/plain', data });
      expect((await send('GET', '/Binary/b?_summary=true')).text).toBe('abc');
      const { json } = await send('GET', '/Binary/b?_elements=contentType&_format=json');
      expect([json.contentType, json.data]).toEqual(['text/plain', undefined]);
    });

    it('is 304 for one of several ETags, of one header or more, and for *, but not for those of other versions', async () => {
      const tags = ['W/"2"', '"2"', '*', 'W/"1", W/"2"', ['W/"1"', 'W/"2"']];
      for (const header of tags)
        expect((await send('GET', '/Patient/ann', undefined, { 'if-none-match': header })).status).toBe(304);
      const other = { 'if-none-match': 'W/"1", W/"3"' };
      expect((await send('GET', '/Patient/ann', undefined, other)).status).toBe(200);
      expect((await send('GET', '/Patient/ann/_history/1', undefined, other)).status).toBe(304);
      expect((await send('GET', '/Patient/nobody', undefined, { 'if-none-match': '*' })).status).toBe(404);
      expect((await send('GET', '/Patient/gone', undefined, { 'if-none-match': 'W/"2"' })).status).toBe(410);
      const never = { 'if-modified-since': 'yesterday' };
      expect((await send('GET', '/Patient/ann', undefined, never)).status).toBe(200);
    });

    it('by version is 410 for a deletion and 404 for a version that never existed', async () => {
      expect((await send('GET', '/Patient/gone/_history/1')).status).toBe(200);
      for (const method of ['GET', 'HEAD'])
        expect((await send(method, '/Patient/gone/_history/2')).status).toBe(410);
      for (const version of ['0', '01', '3', '-1', '1.0', 'one', '99999999999999999999'])
        expect([version, (await send('GET', `/Patient/ann/_history/${version}`)).status]).toEqual([
          version,
          404,
        ]);
    });

    it('by HEAD in a format that is not offered is 406 without a body', async () => {
      const { status, text } = await send('HEAD', '/Patient/ann?_format=xml');
      expect([status, text]).toEqual([406, '']);
    });
  });

  describe('an address', () => {
    it.each([
      ['/Patient/%61nn', 200],
      ['/%50atient/ann', 200],
      ['/Patient/ann/%5Fhistory/1', 200],
      ['/Patient/ann/', 200],
      ['/Patient/ann?', 200],
      ['/Patient/ann?_pretty=1', 200],
      ['/Patient?_id=ann&', 200],
      ['//Patient/ann', 404],
      ['/Patient//ann', 400],
      ['/Patient/ann%2F_history', 400],
      ['/Patient/ann;v=1', 400],
      ['/Patient/%zz', 400],
      ['/patient/ann', 404],
      ['/Patient/../Patient/ann', 404],
    ])('%s is %i', async (rest, status) => {
      const answer = await send('GET', rest);
      expect([answer.status, answer.json.resourceType === 'OperationOutcome']).toEqual([
        status,
        status !== 200,
      ]);
    });

    it.each([
      ['POST', '/Patient/ann', 'GET, HEAD, PUT, PATCH, DELETE'],
      ['OPTIONS', '/Patient/ann', 'GET, HEAD, PUT, PATCH, DELETE'],
      ['TRACE', '/Patient/ann', 'GET, HEAD, PUT, PATCH, DELETE'],
      ['POST', '/Patient/ann/_history', 'GET, HEAD'],
      ['PUT', '/Patient/ann/_history/1', 'GET, HEAD'],
      ['POST', '/metadata', 'GET, HEAD'],
      ['DELETE', '', 'GET, HEAD, POST'],
      ['GET', '/Patient/_search?_id=ann', 'POST'],
    ])('accepts no %s at %s, and lists the allowed methods', async (method, rest, allowed) => {
      const { status, headers } = await send(method, rest, method === 'POST' ? ann : undefined);
      expect([status, headers.allow]).toEqual([405, allowed]);
    });

    it('without criteria changes nothing, with anything after the question mark', async () => {
      for (const query of ['', '?', '?&', '?_=1', '?_format=json'])
        for (const method of ['PUT', 'DELETE', 'PATCH']) {
          const body = method === 'PUT' ? ann : method === 'PATCH' ? [] : undefined;
          expect([method, query, (await send(method, `/Patient${query}`, body)).status]).toEqual([
            method,
            query,
            400,
          ]);
        }
      expect((await send('GET', '/Patient/ann')).headers.etag).toBe('W/"2"');
    });

    it('of a search by POST accepts _format and _pretty in its form', async () => {
      expect((await send('POST', '/Patient/_search', '_format=xml&_id=ann', FORM)).status).toBe(406);
      const laid = await send('POST', '/Patient/_search', '_format=json&_pretty=true&_id=ann', FORM);
      expect([laid.status, laid.text.includes('\n  ')]).toEqual([200, true]);
      expect((await send('POST', '/Patient/_search', '', FORM)).status).toBe(200);
    });
  });

  describe('a write', () => {
    const patient = { resourceType: 'Patient' };

    it('with another id in its body than in its address, or none, changes nothing', async () => {
      for (const id of ['other', 'ANN', undefined]) {
        const { status, json } = await send('PUT', '/Patient/ann', { ...ann, id });
        expect([status, json.issue[0].expression]).toEqual([400, ['Patient.id']]);
      }
      expect((await send('GET', '/Patient/other')).status).toBe(404);
      expect((await send('GET', '/Patient/ann')).headers.etag).toBe('W/"2"');
    });

    it('with If-None-Match: * creates a missing resource, once', async () => {
      const once = { 'if-none-match': '*' };
      for (const status of [201, 412])
        expect((await send('PUT', '/Patient/once', { ...patient, id: 'once' }, once)).status).toBe(status);
      const other = await send(
        'PUT',
        '/Patient/once',
        { ...patient, id: 'once' },
        { 'if-none-match': 'W/"7"' },
      );
      expect(other.status).toBe(422);
    });

    it('with several If-Match passes if one of them is of the current version', async () => {
      const put = (header: string[]) =>
        send('PUT', '/Patient/several', { ...patient, id: 'several' }, { 'if-match': header });
      await send('PUT', '/Patient/several', { ...patient, id: 'several' });
      expect((await put(['W/"4"', 'W/"5"'])).status).toBe(412);
      expect((await put(['W/"4"', '"1"'])).status).toBe(200);
    });

    it.each([
      ['return=minimal, handling=strict', ''],
      ['return=minimal; handling=strict', ''],
      [['handling=lenient', 'return=OperationOutcome'], 'OperationOutcome'],
      ['return="minimal"', ''],
      // RFC 7240, section 2: the first counts.
      ['return=minimal, return=representation', ''],
      ['return=OperationOutcome, return=minimal', 'OperationOutcome'],
      ['return=nothing, wait=5', 'Patient'],
    ])('with Prefer: %s answers %j', async (prefer, resourceType) => {
      const { status, text } = await send('POST', '/Patient', patient, { prefer });
      expect([status, text === '' ? '' : JSON.parse(text).resourceType]).toEqual([201, resourceType]);
    });

    it.each([
      ['application/fhir+json;charset="UTF-8"', 201],
      ['Application/FHIR+JSON', 201],
      ['application/fhir+json; charset=iso-8859-1', 415],
      ['application/fhir+json; charset=utf-16', 415],
      ['application/fhir+json; fhirVersion=5.0', 415],
    ])('with Content-Type %s is %i', async (type, status) => {
      expect((await send('POST', '/Patient', patient, { 'content-type': type })).status).toBe(status);
    });

    it('of a compressed empty body is 400, and where none is expected the coding does not matter', async () => {
      const gzip = { 'content-encoding': 'gzip' };
      for (const body of [gzipSync(''), Buffer.alloc(0)]) {
        expect((await send('POST', '/Patient', body, gzip)).status).toBe(400);
        expect((await send('GET', '/Patient/ann', body, gzip)).status).toBe(200);
      }
      expect((await send('DELETE', '/Patient/nobody', undefined, gzip)).status).toBe(200);
    });

    it('reports If-None-Exist once', async () => {
      const headers = { 'if-none-exist': ['_id=ann', '_id=gone'] };
      expect((await send('POST', '/Patient', patient, headers)).status).toBe(400);
    });
  });
});
