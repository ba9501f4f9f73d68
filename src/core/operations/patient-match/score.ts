/**
 * The probability that two Patients are the same person. Agreements and differences are weighted in bits, as Fellegi
 * and Sunter proposed (doi:10.1080/01621459.1969.10501049): a weight of n means that the observation is 2^n times as
 * common among records of one person as among those of two. The weights are rules of thumb, the same for every
 * tenant, and nothing is learned: the same records always have the same score.
 */
import { compareDates, LIKE, likeness, SOMEWHAT_LIKE } from './likeness';
import type { Person } from './person';

/** https://hl7.org/fhir/R4/valueset-match-grade.html without `certainly-not`, which is never returned. */
export type MatchGrade = 'certain' | 'probable' | 'possible';

export interface Score {
  /** From 0 to 1, with three digits. */
  readonly score: number;
  /** Undefined: not in the result. */
  readonly grade: MatchGrade | undefined;
}

/** Prior in bits: two random records from the candidate searches are rarely of one person. */
const PRIOR = -8;
const CERTAIN = 0.997;
const PROBABLE = 0.85;
const POSSIBLE = 0.5;

export function scoreOf(searched: Person, candidate: Person): Score {
  const shared = sharesIdentifier(searched, candidate);
  const bits =
    PRIOR +
    (shared ? 18 : contradictsIdentifier(searched, candidate) ? -3 : 0) +
    weighNames(searched.families, candidate.families, FAMILY) +
    weighNames(searched.givens, candidate.givens, GIVEN) +
    weighBirthDates(searched.birthDate, candidate.birthDate) +
    weighGenders(searched.gender, candidate.gender) +
    (meet(searched.contacts, candidate.contacts) ? 4 : 0) +
    (meet(searched.homes, candidate.homes) ? 3 : meet(searched.postalCodes, candidate.postalCodes) ? 1.5 : 0);
  const likelihood = 1 / (1 + 2 ** -bits);
  // A shared identifier is always in the result, whatever else differs.
  const score = Math.round(1000 * (shared ? Math.max(likelihood, POSSIBLE) : likelihood)) / 1000;
  return { score, grade: gradeOf(score) };
}

function gradeOf(score: number): MatchGrade | undefined {
  if (score >= CERTAIN) return 'certain';
  if (score >= PROBABLE) return 'probable';
  return score >= POSSIBLE ? 'possible' : undefined;
}

function sharesIdentifier(searched: Person, candidate: Person): boolean {
  return searched.identifiers.some(({ system, value }) =>
    candidate.identifiers.some((other) => other.system === system && other.value === value),
  );
}

/** True: both have identifiers of one system. Called only when none is shared. */
function contradictsIdentifier(searched: Person, candidate: Person): boolean {
  return searched.identifiers.some(
    ({ system }) => system !== '' && candidate.identifiers.some((other) => other.system === system),
  );
}

interface NameWeights {
  readonly same: number;
  readonly like: number;
  readonly somewhat: number;
  readonly other: number;
}

const FAMILY: NameWeights = { same: 5, like: 3, somewhat: 1, other: -3 };
/** Different first names distinguish siblings and twins. */
const GIVEN: NameWeights = { same: 3, like: 2, somewhat: 0.5, other: -5 };

/** Weighs the most similar pair of all names. A missing name has no weight. */
function weighNames(some: readonly string[], others: readonly string[], weights: NameWeights): number {
  if (some.length === 0 || others.length === 0) return 0;
  let best = 0;
  for (const one of some) for (const other of others) best = Math.max(best, nameLikeness(one, other));
  if (best === 1) return weights.same;
  if (best >= LIKE) return weights.like;
  return best >= SOMEWHAT_LIKE ? weights.somewhat : weights.other;
}

/** An initial may stand for a name. */
function nameLikeness(one: string, other: string): number {
  const isInitial = (one.length === 1 || other.length === 1) && one[0] === other[0];
  return one !== other && isInitial ? SOMEWHAT_LIKE : likeness(one, other);
}

function weighBirthDates(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return 0;
  return { same: 6, compatible: 2, slip: 2, other: -5 }[compareDates(one, other)];
}

function weighGenders(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return 0;
  return one === other ? 1 : -2;
}

function meet(some: readonly string[], others: readonly string[]): boolean {
  return some.some((text) => others.includes(text));
}
