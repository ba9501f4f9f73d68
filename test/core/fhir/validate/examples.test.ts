/**
 * The official examples of both releases have no error, but for those that are wrong: wrong-examples.json says which,
 * with all of their errors and why each is one.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RELEASE_NAMES } from '../../../../src/core/fhir/release';
import { readExamples } from '../../../support/examples';
import { validatorOf } from './judged';

interface WrongExample {
  readonly releases: readonly string[];
  readonly example: string;
  /** Rule, place without indexes and, of an invariant, its key; each once. */
  readonly errors: readonly string[];
  readonly reason: string;
}

const wrong: readonly WrongExample[] = JSON.parse(
  readFileSync(path.join(__dirname, 'wrong-examples.json'), 'utf8'),
);

describe.each(RELEASE_NAMES)('the official examples of %s', (release) => {
  it.each([false, true])('have no error but those that are listed with a reason (full: %s)', (isFull) => {
    const validator = validatorOf(release);
    const found = new Map<string, string[]>();
    const expected = new Map<string, string[]>();
    for (const { releases, example, errors, reason } of wrong) {
      expect(reason).toMatch(/.\.$/);
      if (!releases.includes(release)) continue;
      const told = errors.filter((error) => isFull || !/^(?:binding|invariant|narrative) /.test(error));
      if (told.length > 0) expected.set(example, [...told].sort());
    }
    for (const { type, id, resource } of readExamples(release)) {
      const errors = validator
        .validate(resource, { isFull })
        .findings.filter(({ severity }) => severity === 'error')
        .map(({ rule, expression, diagnostics }) => {
          const [key] = rule === 'invariant' ? diagnostics.split(':') : [];
          return [rule, expression.replace(/\[\d+\]/g, ''), ...(key === undefined ? [] : [key])].join(' ');
        });
      if (errors.length > 0) found.set(`${type}/${id}`, [...new Set(errors)].sort());
    }
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });
});
