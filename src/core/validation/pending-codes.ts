/**
 * Checks codes whose value sets the definitions alone cannot decide: value sets of tenants, and extensible bindings.
 * They are looked up in the terminology of the space, as ValueSet/$validate-code does.
 */
import { turns } from '../concurrency/turns';
import type { Space } from '../context';
import { FhirError } from '../errors';
import { composeValueSet, type ComposedValueSet } from '../fhir/terminology/compose';
import type { ConceptStorage } from '../fhir/terminology/concept-set';
import { withConcepts } from '../fhir/terminology/stored-code-system';
import {
  findMember,
  isAbstract,
  ValueSetEvaluation,
  systemsOf,
  usesStored,
} from '../fhir/terminology/membership';
import { parseCanonical, type TerminologySource } from '../fhir/terminology/source';
import {
  MAX_FINDINGS,
  type CodeAnswer,
  type CodeQuestion,
  type Finding,
  type FindingSeverity,
  type PendingCode,
} from '../fhir/validate';
import { nameValueSet, notIn } from '../fhir/validate/coding-name';
import type { TerminologyEnvironment } from '../operation-types/environment';
import { terminologyOf } from '../terminology/terminology-source';
import {
  createValueSetCache,
  type FoundValueSet,
  type UnavailableValueSet,
} from '../terminology/value-set-cache';

type Coding = PendingCode['codings'][number];

type Verdict = 'in' | 'out' | 'abstract' | UnavailableValueSet;

/** Limits for one resource: value sets that are loaded, and different codes that are looked up. */
const MAX_VALUE_SETS = 100;
const MAX_LOOKUPS = 5_000;
/** Steps of one lookup (some 20 ms), and of all lookups for one resource. Most lookups take one step per include. */
const MAX_STEPS = 50_000;
const MAX_STEPS_TOGETHER = 1_000_000;

const OVER_LIMIT = `At most ${MAX_LOOKUPS} different codes, in ${MAX_VALUE_SETS} value sets, are looked up for one resource: this one was not`;

type CodeRule = 'binding' | 'unresolved' | 'tooCostly';

/** Severities by the strength of the binding. */
const SEVERITIES: Readonly<Record<'required' | 'others', Readonly<Record<CodeRule, FindingSeverity>>>> = {
  required: { binding: 'error', unresolved: 'warning', tooCostly: 'error' },
  others: { binding: 'warning', unresolved: 'information', tooCostly: 'information' },
};

export interface CodeChecker {
  /**
   * Returns the findings for pending codes in their order, at most `MAX_FINDINGS` errors and as many others.
   * `binding`: an error for a required binding, otherwise a warning. `unresolved`: a warning for a required binding
   * whose value set or code system does not exist. `tooCostly`: an error for a required binding that takes too
   * much work. For other bindings, `unresolved` and `tooCostly` are information. Throws storage errors. Cost: one
   * statement; the first time some for each value set; each different code is looked up once, in some microseconds.
   */
  check(
    space: Space,
    environment: TerminologyEnvironment,
    pending: readonly PendingCode[],
  ): Promise<readonly Finding[]>;
  /** Answers questions in their order. Abstract codes are in no value set here. Limits and cost: as `check`. */
  answer(
    space: Space,
    environment: TerminologyEnvironment,
    questions: readonly CodeQuestion[],
  ): Promise<readonly CodeAnswer[]>;
}

/** Creates the code checker for all spaces of a process, with a cache of value sets. */
export function createCodeChecker(): CodeChecker {
  const cache = createValueSetCache();
  /** Value sets that are being composed; resources of one Bundle request the same ones concurrently. */
  const inProgress = new Map<string, Promise<FoundValueSet>>();
  const start = async (space: Space, environment: TerminologyEnvironment): Promise<CodeCheckRun> => {
    const version = await environment.terminologyVersion();
    const source = terminologyOf(environment);
    const find = async (canonical: string): Promise<FoundValueSet> => {
      const key = `${space.number} ${version} ${canonical}`;
      const cached = cache.get(key) ?? inProgress.get(key);
      if (cached !== undefined) return cached;
      const finding = findValueSet(source, canonical).finally(() => inProgress.delete(key));
      inProgress.set(key, finding);
      const found = await finding;
      cache.put(key, found);
      return found;
    };
    return new CodeCheckRun(find, environment);
  };
  return {
    async check(space, environment, pending) {
      return pending.length === 0 ? [] : (await start(space, environment)).run(pending);
    },
    async answer(space, environment, questions) {
      return questions.length === 0 ? [] : (await start(space, environment)).answer(questions);
    },
  };
}

async function findValueSet(source: TerminologySource, canonical: string): Promise<FoundValueSet> {
  const { url, version } = parseCanonical(canonical);
  const resource = await source.findValueSet(url, version);
  if (resource === undefined) return { unknown: 'it does not exist', rule: 'unresolved' };
  try {
    return await composeValueSet(resource, source);
  } catch (error) {
    return toUnavailable(error);
  }
}

/** Returns why terminology gave no answer; rethrows all other errors. */
function toUnavailable(error: unknown): UnavailableValueSet {
  if (error instanceof FhirError) {
    if (error.key === 'notSupported') return { unknown: error.message, rule: 'unresolved' };
    if (error.key === 'tooCostly') return { unknown: error.message, rule: 'tooCostly' };
  }
  throw error;
}

/** The pending codes of one resource. */
class CodeCheckRun {
  private readonly findings: Finding[] = [];
  private errors = 0;
  private others = 0;
  private readonly valueSets = new Map<string, FoundValueSet>();
  private readonly verdicts = new Map<string, Verdict>();
  private stepsLeft = MAX_STEPS_TOGETHER;

  constructor(
    private readonly find: (canonical: string) => Promise<FoundValueSet>,
    private readonly storage: ConceptStorage,
  ) {}

  async run(pending: readonly PendingCode[]): Promise<readonly Finding[]> {
    await this.lookUpStored(pending);
    for (const pendingCode of pending) {
      if (this.errors >= MAX_FINDINGS) break;
      if (this.isOverLimit(pendingCode)) this.report(pendingCode, 'tooCostly', OVER_LIMIT);
      else this.reportVerdict(pendingCode, await this.check(pendingCode));
    }
    return this.findings;
  }

  async answer(questions: readonly CodeQuestion[]): Promise<readonly CodeAnswer[]> {
    await this.lookUpStored(questions);
    const answers: CodeAnswer[] = [];
    for (const question of questions) {
      const verdict = this.isOverLimit(question) ? undefined : await this.check(question);
      answers.push(typeof verdict === 'string' ? verdict === 'in' : undefined);
    }
    return answers;
  }

  private isOverLimit({ valueSet, codings }: CodeQuestion): boolean {
    if (this.valueSets.size >= MAX_VALUE_SETS && !this.valueSets.has(valueSet)) return true;
    if (this.verdicts.size + codings.length <= MAX_LOOKUPS) return false;
    const unseen = codings.filter((coding) => !this.verdicts.has(keyOf(valueSet, coding)));
    return this.verdicts.size + unseen.length > MAX_LOOKUPS;
  }

  private async valueSetOf(canonical: string): Promise<FoundValueSet> {
    let found = this.valueSets.get(canonical);
    if (found === undefined) this.valueSets.set(canonical, (found = await this.find(canonical)));
    return found;
  }

  /** Looks up the codes of value sets of large code systems together, which takes a statement or two. */
  private async lookUpStored(questions: readonly CodeQuestion[]): Promise<void> {
    const asked = new Map<string, { readonly composed: ComposedValueSet; readonly coding: Coding }>();
    for (const question of questions) {
      if (asked.size > MAX_LOOKUPS || this.isOverLimit(question)) break;
      const composed = await this.valueSetOf(question.valueSet);
      if ('unknown' in composed || !usesStored(composed)) continue;
      for (const coding of question.codings)
        asked.set(keyOf(question.valueSet, coding), { composed, coding });
    }
    if (asked.size === 0) return;
    const looked = await withConcepts(this.storage, () =>
      [...asked].map(([key, { composed, coding }]) => {
        const evaluation = new ValueSetEvaluation({ maxSteps: MAX_STEPS });
        return [key, lookUp(composed, coding, evaluation)] as const;
      }),
    );
    for (const [key, verdict] of looked) this.verdicts.set(key, verdict);
  }

  /** One coding in the value set is enough. */
  private async check({ valueSet, codings }: CodeQuestion): Promise<Verdict> {
    const composed = await this.valueSetOf(valueSet);
    if ('unknown' in composed) return composed;
    let verdict: Verdict = 'out';
    for (const coding of codings) {
      const key = keyOf(valueSet, coding);
      let each = this.verdicts.get(key);
      if (each === undefined) {
        const evaluation = new ValueSetEvaluation({ maxSteps: Math.min(MAX_STEPS, this.stepsLeft) });
        this.verdicts.set(key, (each = lookUp(composed, coding, evaluation)));
        this.stepsLeft -= evaluation.steps;
        await turns.take();
      }
      if (each === 'in') return each;
      if (verdict === 'out' || typeof each === 'object') verdict = each;
    }
    return verdict;
  }

  private reportVerdict(pendingCode: PendingCode, verdict: Verdict): void {
    if (verdict === 'in') return;
    const name = nameValueSet(pendingCode.valueSet);
    if (typeof verdict === 'object') {
      this.report(pendingCode, verdict.rule, `A code could not be looked up in ${name}: ${verdict.unknown}`);
      return;
    }
    const why = verdict === 'abstract' ? ' as a value: it is abstract and only groups others' : '';
    const advice =
      pendingCode.strength === 'required' ? '' : '; use one of its codes if one has the same meaning';
    this.report(pendingCode, 'binding', notIn(pendingCode.codings, name) + why + advice);
  }

  private report({ strength, expression }: PendingCode, rule: CodeRule, diagnostics: string): void {
    const severity = SEVERITIES[strength === 'required' ? 'required' : 'others'][rule];
    const count = severity === 'error' ? ++this.errors : ++this.others;
    if (count <= MAX_FINDINGS) this.findings.push({ rule, severity, diagnostics, expression });
  }
}

function keyOf(valueSet: string, { system = '', code }: Coding): string {
  return `${valueSet} ${system} ${code}`;
}

function lookUp(
  valueSet: ComposedValueSet,
  { system, code }: Coding,
  evaluation: ValueSetEvaluation,
): Verdict {
  let verdict: Verdict = 'out';
  try {
    for (const each of system === undefined ? systemsOf(valueSet, evaluation) : [system]) {
      const member = findMember(valueSet, each, code, evaluation);
      if (member !== undefined && !isAbstract(member)) return 'in';
      if (member !== undefined) verdict = 'abstract';
    }
  } catch (error) {
    return toUnavailable(error);
  }
  const [obstacle] = evaluation.obstacles;
  const [fragment] = evaluation.fragments;
  const unknown =
    obstacle ??
    (fragment && `only some codes of the code system ${fragment.url} are stored (${fragment.content})`);
  return verdict === 'out' && unknown !== undefined ? { unknown, rule: 'unresolved' } : verdict;
}
