/** The official examples that are wrong, with all of their errors and why each is one. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Release } from '../../src/core/fhir/release';
import type { Finding } from '../../src/core/fhir/validate';
import { readExamples, type Example } from './examples';

export interface WrongExample {
  readonly releases: readonly string[];
  readonly example: string;
  /** Rule, place without indexes and, of an invariant, its key; each once. */
  readonly errors: readonly string[];
  readonly reason: string;
}

const FILE = path.resolve(__dirname, '..', 'core', 'fhir', 'validate', 'wrong-examples.json');

export function readWrongExamples(): readonly WrongExample[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as readonly WrongExample[];
}

/** Their errors by name (`List/example`), sorted; without full validation those of structure alone. */
export function wrongExamplesOf(release: Release, isFull: boolean): ReadonlyMap<string, readonly string[]> {
  const wrong = new Map<string, readonly string[]>();
  for (const { releases, example, errors } of readWrongExamples()) {
    if (!releases.includes(release)) continue;
    const reported = errors.filter(
      (error) => isFull || !/^(?:binding|invariant|narrative|business) /.test(error),
    );
    if (reported.length > 0) wrong.set(example, [...reported].sort());
  }
  return wrong;
}

/** The official examples that nothing is wrong with. */
export function readRightExamples(release: Release): readonly Example[] {
  const wrong = wrongExamplesOf(release, true);
  return readExamples(release).filter(({ type, id }) => !wrong.has(`${type}/${id}`));
}

/** An error as the list writes it. */
export function toListed({ rule, expression, diagnostics }: Finding): string {
  const [key] = rule === 'invariant' ? diagnostics.split(':') : [];
  return [rule, expression.replace(/\[\d+\]/g, ''), ...(key === undefined ? [] : [key])].join(' ');
}
