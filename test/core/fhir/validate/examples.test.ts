/**
 * The official examples of both releases have no error, but for those that are wrong: wrong-examples.json says which,
 * with all of their errors and why each is one.
 */
import { RELEASE_NAMES } from '../../../../src/core/fhir/release';
import { readExamples } from '../../../support/examples';
import { readWrongExamples, toListed, wrongExamplesOf } from '../../../support/wrong-examples';
import { validatorOf } from './judged';

it('each wrong example is listed with a reason', () => {
  for (const { reason } of readWrongExamples()) expect(reason).toMatch(/.\.$/);
});

describe.each(RELEASE_NAMES)('the official examples of %s', (release) => {
  it.each([false, true])('have no error but those that are listed with a reason (full: %s)', (isFull) => {
    const validator = validatorOf(release);
    const found = new Map<string, string[]>();
    for (const { type, id, resource } of readExamples(release)) {
      const errors = validator
        .validate(resource, { isFull })
        .findings.filter(({ severity }) => severity === 'error')
        .map(toListed);
      if (errors.length > 0) found.set(`${type}/${id}`, [...new Set(errors)].sort());
    }
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wrongExamplesOf(release, isFull)));
  });
});
