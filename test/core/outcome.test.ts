import { fhirError, toIssue } from '../../src/core/errors';
import { toFhirError, toOutcome } from '../../src/core/outcome';

describe('an OperationOutcome', () => {
  test('tells severity, code, diagnostics and the expression of each issue', () => {
    const text = toOutcome([
      toIssue('invalidId', { id: 'a b' }, 'Patient.id'),
      { severity: 'warning', code: 'informational', diagnostics: 'x' },
    ]);
    expect(JSON.parse(text)).toEqual({
      resourceType: 'OperationOutcome',
      issue: [
        {
          severity: 'error',
          code: 'value',
          diagnostics: "'a b' is not a valid id: 1 to 64 of A-Z a-z 0-9 - .",
          expression: ['Patient.id'],
        },
        { severity: 'warning', code: 'informational', diagnostics: 'x' },
      ],
    });
  });

  test('has at least one issue', () => {
    expect(JSON.parse(toOutcome([]))).toMatchObject({
      issue: [{ severity: 'information', code: 'informational' }],
    });
  });

  test('shows no endless and no unprintable texts', () => {
    const text = toOutcome([
      { severity: 'error', code: 'value', diagnostics: `a\u0001\ud800${'b'.repeat(5000)}` },
    ]);
    const { issue } = JSON.parse(text) as { issue: { diagnostics: string }[] };
    expect(issue[0]?.diagnostics).toHaveLength(2001);
    expect(issue[0]?.diagnostics.slice(0, 4)).toBe('a\ufffd\ufffdb');
  });
});

describe('whatever was thrown', () => {
  test('an expected error stays as it is', () => {
    const error = fhirError('notFound', { type: 'Patient', id: '1' });
    expect(toFhirError(error, 'r-1')).toBe(error);
  });

  test('anything else tells the request id and nothing of its cause', () => {
    for (const thrown of [
      new Error('secret at 10.0.0.1'),
      'secret',
      undefined,
      { status: 200, issues: [] },
    ]) {
      const error = toFhirError(thrown, 'r-1');
      expect(error).toMatchObject({ key: 'internal', status: 500 });
      expect(toOutcome(error.issues)).toContain('r-1');
      expect(toOutcome(error.issues)).not.toContain('secret');
    }
  });
});
