/** Membership of codes in a composed value set. */
import { fhirError } from '../../errors';
import { type JsonObject } from '../json';
import { isFragment, type CodeSystem, type Concept } from './code-system';
import { type ComposedValueSet, type Selection } from './compose';
import type { ConceptRow, ConceptStorage } from './concept-set';
import { withConcepts } from './stored-code-system';

/** A code of a value set, with its details. */
export interface Member {
  readonly system: string;
  readonly version: string | undefined;
  readonly code: string;
  readonly codeSystem: CodeSystem | undefined;
  /** Undefined if the code system was not found, or does not have the code. */
  readonly concept: Concept | undefined;
  /** The element of `compose.include.concept`, or of a stored expansion, that lists the code. */
  readonly listed: JsonObject | undefined;
}

/** Maximum steps of one evaluation; a value set made to be expensive fails before it delays other requests. */
const MAX_STEPS = 1_000_000;

/** Maximum steps of patterns on all codes together, some 300 ms in several turns; and maximum steps in one turn. */
const MAX_PATTERN_STEPS = 20_000_000;
const MAX_PATTERN_STEPS_PER_TURN = 2_000_000;
/** Steps between two checks of the clock. */
const STEPS_OF_TURN = 256;

/** Lets other requests come first, as core/concurrency/turns.ts does. */
export interface TurnTaking {
  /** Undefined: this turn goes on. */
  next(): Promise<void> | undefined;
  take(): Promise<void>;
}

interface EvaluationOptions {
  readonly maxSteps?: number;
  /** Undefined: the evaluation is short, and ends in this turn. */
  readonly turns?: TurnTaking | undefined;
  /** The concepts of large code systems. */
  readonly storage?: ConceptStorage | undefined;
  /** Returns those concepts of a large code system that are candidates, in portions; undefined: all are. */
  candidatesIn?(codeSystem: CodeSystem): AsyncIterable<readonly ConceptRow[]> | undefined;
}

/** One evaluation of a value set: counts its steps and collects the obstacles that left parts without a result. */
export class ValueSetEvaluation {
  readonly obstacles = new Set<string>();
  /** How often one was met. */
  hindrances = 0;
  /** Code systems of which only some codes are stored, and which may have the code that was not found. */
  readonly fragments = new Set<CodeSystem>();
  /** Number of steps so far. */
  steps = 0;
  private stepsOfTurn = 0;
  private patternSteps = 0;
  private patternStepsOfTurn = 0;

  private readonly maxSteps: number;
  private readonly turns: TurnTaking | undefined;
  readonly storage: ConceptStorage | undefined;
  readonly candidatesIn: EvaluationOptions['candidatesIn'];

  constructor({ maxSteps = MAX_STEPS, turns, storage, candidatesIn }: EvaluationOptions = {}) {
    this.maxSteps = maxSteps;
    this.turns = turns;
    this.storage = storage;
    this.candidatesIn = candidatesIn;
  }

  /** Notes that a part cannot be evaluated. */
  hinder(obstacle: string): void {
    this.obstacles.add(obstacle);
    this.hindrances++;
  }

  /** Throws `tooCostly` beyond the maximum number of steps. */
  step(): void {
    if (++this.steps > this.maxSteps) {
      throw fhirError('tooCostly', {
        reason: `The value set takes more than ${this.maxSteps} steps to evaluate`,
      });
    }
  }

  /** See `PatternBudget`. */
  match(steps: number): void {
    this.patternSteps += steps;
    this.patternStepsOfTurn += steps;
    if (this.patternSteps > MAX_PATTERN_STEPS || this.patternStepsOfTurn > MAX_PATTERN_STEPS_PER_TURN)
      throw fhirError('tooCostly', {
        reason: 'The regular expressions of the value set take too many steps on so many and so long codes',
      });
  }

  /** True if it is time to `yield`. */
  get needsYield(): boolean {
    if (++this.stepsOfTurn % STEPS_OF_TURN !== 0 && this.patternStepsOfTurn < MAX_PATTERN_STEPS_PER_TURN / 8)
      return false;
    return this.turns?.next() !== undefined;
  }

  async yield(): Promise<void> {
    await this.turns?.take();
    this.patternStepsOfTurn = 0;
  }

  /** Throws `notSupported` with an obstacle, if there is one. For results that need the missing parts. */
  requireNoObstacle(): void {
    for (const reason of this.obstacles) throw fhirError('notSupported', { reason });
  }
}

/**
 * Returns all members, in the order of the definition, each once. Works in turns. Throws `notSupported`, `tooCostly`.
 */
export async function listMembers(
  valueSet: ComposedValueSet,
  evaluation: ValueSetEvaluation,
): Promise<readonly Member[]> {
  const members = new Map<string, Member>();
  const add = (member: Member | undefined): void => {
    if (member === undefined) return;
    const key = `${member.system}|${member.version ?? ''}|${member.code}`;
    if (!members.has(key)) members.set(key, member);
  };
  const needsConcepts = usesStored(valueSet);
  for (const selection of valueSet.includes) {
    const { codeSystem } = selection;
    const include = (member: Member | undefined): Member | undefined =>
      member !== undefined && isIncluded(valueSet, member, evaluation) ? member : undefined;
    if (selection.obstacle === undefined && codeSystem?.stored !== undefined) {
      for await (const { pick, set, rows } of candidatesInSet(selection, codeSystem.stored, evaluation)) {
        const found = await withConcepts(evaluation.storage, () => pick().map(include), { set, rows });
        found.forEach(add);
        if (evaluation.needsYield) await evaluation.yield();
      }
      continue;
    }
    const inner = await listFirst(selection, evaluation);
    for (const pickNext of listSelection(selection, inner, evaluation)) {
      if (evaluation.needsYield) await evaluation.yield();
      const pick = (): Member | undefined => include(pickNext());
      add(needsConcepts ? await withConcepts(evaluation.storage, pick) : pick());
    }
  }
  evaluation.requireNoObstacle();
  return [...members.values()];
}

/**
 * Returns the member with this code. Adds to the obstacles and fragments of the evaluation; undefined means "not in the
 * value set" only if there are none. Cost: linear in the includes, not in the codes.
 */
export function findMember(
  valueSet: ComposedValueSet,
  system: string,
  code: string,
  evaluation: ValueSetEvaluation,
): Member | undefined {
  for (const selection of valueSet.includes) {
    const member = findInSelection(selection, system, code, evaluation);
    if (member !== undefined && isIncluded(valueSet, member, evaluation)) return member;
    if (member === undefined) noteFragment(valueSet, selection, { system, code }, evaluation);
  }
  return undefined;
}

/** Notes that the part of a fragment that is not stored may have the code, which no other rule keeps out. */
function noteFragment(
  valueSet: ComposedValueSet,
  { system, version, codeSystem, listed, imports, obstacle }: Selection,
  asked: { readonly system: string; readonly code: string },
  evaluation: ValueSetEvaluation,
): void {
  if (system !== asked.system || listed !== undefined || obstacle !== undefined) return;
  if (codeSystem === undefined || !isFragment(codeSystem)) return;
  const unseen = { ...asked, version, codeSystem, concept: undefined, listed: undefined };
  const isInImports = imports.every(
    (composed) =>
      findMember(composed, asked.system, asked.code, evaluation) !== undefined ||
      evaluation.fragments.size > 0,
  );
  if (isInImports && isIncluded(valueSet, unseen, evaluation)) evaluation.fragments.add(codeSystem);
}

/** Returns the systems that a code of the value set can have. */
export function systemsOf(valueSet: ComposedValueSet, evaluation: ValueSetEvaluation): ReadonlySet<string> {
  const systems = new Set<string>();
  const addFrom = (composed: ComposedValueSet): void => {
    for (const selection of composed.includes) {
      evaluation.step();
      if (selection.system !== undefined) systems.add(selection.system);
      else selection.imports.forEach(addFrom);
    }
  };
  addFrom(valueSet);
  return systems;
}

function isIncluded(valueSet: ComposedValueSet, member: Member, evaluation: ValueSetEvaluation): boolean {
  if (valueSet.excludesInactive && isInactive(member)) return false;
  const { hindrances } = evaluation;
  const isExcluded = valueSet.excludes.some((selection) => {
    if (selection.isVersionNamed && selection.version !== member.version) return false;
    return findInSelection(selection, member.system, member.code, evaluation) !== undefined;
  });
  // What is excluded may be the code, if that could not be evaluated.
  return !isExcluded && evaluation.hindrances === hindrances;
}

/** True if inactive in its code system, or in the stored expansion that lists it. */
export function isInactive(member: Member): boolean {
  return member.concept?.isInactive === true || member.listed?.['inactive'] === true;
}

/** True if not for use as a value, by its code system or by the stored expansion that lists it. */
export function isAbstract(member: Member): boolean {
  return member.concept?.isAbstract === true || member.listed?.['abstract'] === true;
}

function findInSelection(
  selection: Selection,
  system: string,
  code: string,
  evaluation: ValueSetEvaluation,
): Member | undefined {
  evaluation.step();
  if (selection.system !== undefined && selection.system !== system) return undefined;
  if (selection.obstacle !== undefined) {
    evaluation.hinder(selection.obstacle);
    return undefined;
  }
  if (selection.system === undefined) {
    const [first, ...others] = selection.imports;
    const member = first === undefined ? undefined : findMember(first, system, code, evaluation);
    return member !== undefined && isInAll(others, member, evaluation) ? member : undefined;
  }
  const member = pick(selection, selection.system, code, evaluation);
  return member !== undefined && isInAll(selection.imports, member, evaluation) ? member : undefined;
}

/** Returns the members of the first value set of a selection without a system: its candidates. */
async function listFirst(
  { obstacle, system, imports }: Selection,
  evaluation: ValueSetEvaluation,
): Promise<readonly Member[]> {
  const [first] = imports;
  return obstacle === undefined && system === undefined && first !== undefined
    ? listMembers(first, evaluation)
    : [];
}

/** Yields a test for each code that may be a member. `inner`: see `listFirst`. */
function* listSelection(
  selection: Selection,
  inner: readonly Member[],
  evaluation: ValueSetEvaluation,
): Generator<() => Member | undefined> {
  const { obstacle, system, codeSystem, listed } = selection;
  const requireImports = (
    imports: readonly ComposedValueSet[],
    member: Member | undefined,
  ): Member | undefined => {
    evaluation.step();
    return member !== undefined && isInAll(imports, member, evaluation) ? member : undefined;
  };
  if (obstacle !== undefined) {
    evaluation.hinder(obstacle);
  } else if (system === undefined) {
    const [, ...others] = selection.imports;
    for (const member of inner) yield () => requireImports(others, member);
  } else if (listed !== undefined) {
    for (const code of listed.keys())
      yield () => requireImports(selection.imports, pick(selection, system, code, evaluation));
  } else if (codeSystem?.concepts === undefined) {
    const reason = `The codes of ${system} follow rules that allow too many to list`;
    throw fhirError('tooCostly', { reason });
  } else {
    for (const concept of codeSystem.concepts)
      yield () => requireImports(selection.imports, pickConcept(selection, system, concept, evaluation));
  }
}

/** Stored concepts that are read at once. */
const PORTION = 1_000;
/** Stored concepts that are read to list a value set. */
const MAX_READ = 100_000;

interface StoredCandidates {
  readonly set: number;
  readonly rows: readonly ConceptRow[];
  /** Returns those that are members, without regard to the rest of the value set. */
  pick(): readonly (Member | undefined)[];
}

/** Yields the candidates of a selection of a stored code system, in portions. Throws `tooCostly`. */
async function* candidatesInSet(
  selection: Selection,
  { set: { number: set }, fold, conceptOf }: NonNullable<CodeSystem['stored']>,
  evaluation: ValueSetEvaluation,
): AsyncGenerator<StoredCandidates> {
  const { system = '', listed, imports, filters, codeSystem } = selection;
  const { storage } = evaluation;
  if (storage === undefined) throw new Error('There is no storage of concepts here');
  const isMember = (member: Member | undefined): Member | undefined => {
    evaluation.step();
    return member !== undefined && isInAll(imports, member, evaluation) ? member : undefined;
  };
  if (listed !== undefined) {
    const codes = [...listed.keys()];
    for (let start = 0; start < codes.length; start += PORTION) {
      const some = codes.slice(start, start + PORTION);
      const rows = await storage.readConcepts(set, some.map(fold));
      yield {
        ...{ set, rows },
        pick: () => some.map((code) => isMember(pick(selection, system, code, evaluation))),
      };
    }
    return;
  }
  const toCandidates = (rows: readonly ConceptRow[]): StoredCandidates => ({
    ...{ set, rows },
    pick: () => rows.map((row) => isMember(pickConcept(selection, system, conceptOf(row), evaluation))),
  });
  const given = codeSystem && evaluation.candidatesIn?.(codeSystem);
  if (given !== undefined) {
    for await (const rows of given) yield toCandidates(rows);
    return;
  }
  const keys = filters.flatMap(({ found }) => found?.key ?? []);
  const criteria = { keys: keys.filter((key) => key !== 'top'), words: [], isTop: keys.includes('top') };
  if (criteria.keys.length > 0) {
    const numbers = await storage.findConcepts(set, criteria, MAX_READ + 1);
    if (numbers.length > MAX_READ) throw tooManyStored();
    for (let start = 0; start < numbers.length; start += PORTION)
      yield toCandidates(await storage.listConcepts(set, numbers.slice(start, start + PORTION)));
    return;
  }
  for (let after = 0, read = 0; ;) {
    const rows = await storage.scanConcepts(set, criteria, { after, limit: PORTION });
    if ((read += rows.length) > MAX_READ) throw tooManyStored();
    yield toCandidates(rows);
    if (rows.length < PORTION) return;
    after = rows.at(-1)?.number ?? after;
  }
}

function tooManyStored(): Error {
  const reason = `The value set takes more than ${MAX_READ} concepts of a large code system; use count, offset or filter`;
  return fhirError('tooCostly', { reason });
}

/** True if a code system of the value set has its concepts in tables. Cost: each import is visited once. */
export function usesStored(valueSet: ComposedValueSet): boolean {
  const seen = new Set<ComposedValueSet>([valueSet]);
  // The iteration of a Set includes entries that are added meanwhile.
  for (const { includes, excludes } of seen) {
    for (const { codeSystem, imports } of [...includes, ...excludes]) {
      if (codeSystem?.stored !== undefined) return true;
      for (const each of imports) seen.add(each);
    }
  }
  return false;
}

/** Returns the code in a selection by system, without checking its imports. */
function pick(
  selection: Selection,
  system: string,
  code: string,
  evaluation: ValueSetEvaluation,
): Member | undefined {
  const { codeSystem, version } = selection;
  const concept = codeSystem?.find(code);
  if (selection.listed !== undefined) {
    const listed = selection.listed.get(code) ?? (concept && selection.listed.get(concept.code));
    // A code that a complete code system does not have does not exist.
    if (listed === undefined || (concept === undefined && isWhole(codeSystem))) return undefined;
    return { system, version, code: concept?.code ?? code, codeSystem, concept, listed };
  }
  return concept && pickConcept(selection, system, concept, evaluation);
}

/** Published value sets list units that break the rules of UCUM, so built-in systems decide only about other codes. */
function isWhole(codeSystem: CodeSystem | undefined): boolean {
  return codeSystem?.content === 'complete' && !codeSystem.isBuiltIn;
}

/** Returns the concept if it passes all filters of a selection without listed codes. */
function pickConcept(
  { codeSystem, version, filters }: Selection,
  system: string,
  concept: Concept,
  evaluation: ValueSetEvaluation,
): Member | undefined {
  if (!filters.every((filter) => filter(concept, evaluation))) return undefined;
  return { system, version, code: concept.code, codeSystem, concept, listed: undefined };
}

function isInAll(
  valueSets: readonly ComposedValueSet[],
  member: Member,
  evaluation: ValueSetEvaluation,
): boolean {
  return valueSets.every(
    (composed) => findMember(composed, member.system, member.code, evaluation) !== undefined,
  );
}
