/**
 * Compiles the constraints of a profile (https://hl7.org/fhir/R4/elementdefinition.html#ElementDefinition.constraint).
 */
import type { Definitions } from '../../definitions';
import { shorten, shortenTo } from '../../json/fault';
import type { PathAllowance } from '../../path';
import { compileInvariant, type InvariantContext } from '../invariants';
import type { Origin, ValueCheck } from './check';
import type { ProfileConstraint } from './element';
import { corrected } from './errata';

/** Longer than the texts of published constraints, which say what to do. */
const LONGEST_HUMAN = 1_000;

/** The number of steps that one evaluation costs. */
const STEPS = 5;

/**
 * Compiles one constraint. Returns undefined for a constraint without an expression, which only people can check.
 * Throws PathError if the expression cannot be compiled for values of that place, PathBudgetError beyond the budget of
 * compiling.
 */
export function compileConstraint(
  definitions: Definitions,
  constraint: ProfileConstraint,
  place: InvariantContext & { readonly origin: Origin; readonly compiling: PathAllowance },
): ValueCheck | undefined {
  const { origin, compiling } = place;
  const { key, severity, human, expression } = corrected(constraint);
  if (expression === undefined) return undefined;
  const invariant = compileInvariant(definitions, { key, severity, human, expression }, place, compiling);
  const unknown = 'Not checked, because one of its value sets does not exist in the terminology: ';
  const sentence = `${shorten(key)}: ${shortenTo(human, LONGEST_HUMAN)} (${origin.name})`;
  return (value, companion, at) => {
    const { run } = at;
    if (!run.isFull || (severity === 'warning' && !run.wantsWarnings) || !at.spend(STEPS)) return;
    const holds = invariant.holds(value ?? null, companion, run, at);
    // A result means nothing once the allowance is used up.
    if (holds === true || !at.spend(0)) return;
    if (holds === false) at.report('invariant', sentence, [], severity);
    else at.report('unresolved', `${unknown}${sentence}`, [], 'warning');
  };
}
