import type { StoredVersion } from '../../src/core';
import { parseEntityTags } from '../../src/rest/responses/entity-tag';
import { isUnchanged } from '../../src/rest/requests/precondition';
import { parsePreference } from '../../src/rest/requests/prefer';
import { toRequestId } from '../../src/rest/requests/request-id';

const version: StoredVersion = {
  type: 'Patient',
  id: 'pat1',
  versionId: 3,
  lastUpdated: Date.parse('2024-05-01T10:00:00.789Z'),
  sequence: 17,
  change: 'update',
  author: 'anonymous',
  text: '{}',
};

describe('entity tags', () => {
  it.each([
    ['W/"3"', ['3']],
    ['"3"', ['3']],
    ['W/"1", "2" ,W/"3"', ['1', '2', '3']],
    ['"a,b"', ['a,b']],
    ['*', '*'],
  ])('reads %s', (header, expected) => {
    expect(parseEntityTags(header)).toEqual(expected);
  });

  it.each([['3'], [''], ['W/3'], ['"1",'], ['w/"1"'], ['"1" "2"']])('does not accept %j', (header) => {
    expect(parseEntityTags(header)).toBeUndefined();
  });
});

describe('conditional read', () => {
  it.each([
    ['W/"3"', true],
    ['"3"', true],
    ['W/"2", W/"3"', true],
    ['*', true],
    ['W/"2"', false],
    ['3', false],
  ])('compares If-None-Match %s', (header, expected) => {
    expect(isUnchanged({ 'if-none-match': header }, version)).toBe(expected);
  });

  it.each([
    ['Wed, 01 May 2024 10:00:00 GMT', true],
    ['Wed, 01 May 2024 10:00:01 GMT', true],
    ['Wed, 01 May 2024 09:59:59 GMT', false],
    ['yesterday', false],
  ])('compares If-Modified-Since %s by whole seconds', (header, expected) => {
    expect(isUnchanged({ 'if-modified-since': header }, version)).toBe(expected);
  });

  it('gives If-None-Match precedence over If-Modified-Since', () => {
    const headers = { 'if-none-match': 'W/"2"', 'if-modified-since': 'Wed, 01 May 2030 10:00:00 GMT' };
    expect(isUnchanged(headers, version)).toBe(false);
  });
});

describe('Prefer', () => {
  it.each([
    [undefined, 'representation', undefined],
    ['return=minimal', 'minimal', undefined],
    ['return=OperationOutcome', 'OperationOutcome', undefined],
    ['return="representation"; foo=bar', 'representation', undefined],
    ['respond-async, handling=lenient, return=minimal', 'minimal', 'lenient'],
    ['Handling=STRICT', 'representation', 'strict'],
    ['handling=sometimes', 'representation', undefined],
    ['return=minimal, return=representation', 'minimal', undefined],
    ['return=nothing, return=minimal, handling=lenient, handling=strict', 'minimal', 'lenient'],
    ['respond-async, separate-export-status', 'representation', undefined],
  ])('reads %s', (header, answer, handling) => {
    expect(parsePreference(header)).toEqual({
      answer,
      handling,
      isAsync: header?.startsWith('respond-async') ?? false,
      hasSeparateStatus: header?.includes('separate-export-status') ?? false,
    });
  });
});

describe('X-Request-Id', () => {
  it('is used when it is short and harmless', () => {
    expect(toRequestId({ headers: { 'x-request-id': '3f2a-77.b:1' } })).toBe('3f2a-77.b:1');
  });

  it.each([['a b'], ['x'.repeat(65)], ['<script>'], ['']])('is replaced when it is %j', (sent) => {
    const given = toRequestId({ headers: { 'x-request-id': sent } });
    expect(given).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  });

  it('is made for every request without one', () => {
    expect(toRequestId({ headers: {} })).not.toBe(toRequestId({ headers: {} }));
  });
});
