/** What the checks of profiles need to know of a validation beyond its place: Bundles, costs, what was asked before. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import type { Definitions } from '../../definitions';
import { PathAllowance } from '../../path';
import { Container } from '../container';
import type { FindingRule, FindingSeverity } from '../finding';
import { referencedType } from '../reference-target';
import { ValidationRun } from '../run';
import type { Meter } from './value';
import { BundleIndex } from './bundle-index';

/** Checks and comparisons of one resource, over which the search ends: a profile of a tenant must not hold up others. */
const MAX_STEPS = 1_000_000;

/** A table that is made when something is put into it. */
class Lazily<Key, Value> {
  private values: Map<Key, Value> | undefined;

  get(key: Key, make: () => Value): Value {
    const values = (this.values ??= new Map<Key, Value>());
    let value = values.get(key);
    if (value === undefined) values.set(key, (value = make()));
    return value;
  }
}

/** Steps of the constraints of the profiles together. */
const MAX_PATH_STEPS = 500_000;

/** What all checks of one resource share, those that only ask for a yes or no included. */
class Work {
  readonly meter: Meter = { left: MAX_STEPS };
  isRefused = false;
  readonly allowance = new PathAllowance(MAX_PATH_STEPS);

  /** `run`: the one that findings are wanted of. */
  constructor(readonly run: ValidationRun) {}
  /** First faults of values, by what was asked of them and the object. */
  private readonly answers = new Lazily<object, Map<object, string>>();
  private readonly bundles = new Lazily<JsonObject, BundleIndex>();

  answersTo(question: object): Map<object, string> {
    return this.answers.get(question, () => new Map<object, string>());
  }

  bundle(bundle: JsonObject): BundleIndex {
    return this.bundles.get(bundle, () => new BundleIndex(bundle));
  }
}

/** Where a resource stands in a Bundle. */
interface Entry {
  readonly bundle: BundleIndex;
  readonly fullUrl: string | undefined;
}

/** What a reference points to: a resource that is at hand, or only its type. */
export interface Target {
  readonly kind: 'contained' | 'bundled' | 'referenced';
  readonly type: string | undefined;
  readonly resource: JsonObject | undefined;
  /** Of a bundled one. */
  readonly fullUrl?: string | undefined;
}

export class ProfileRun {
  private entry: Entry | undefined;
  private readonly checked = new Lazily<object, Set<object>>();

  private constructor(
    readonly run: ValidationRun,
    private readonly work: Work,
  ) {}

  /** The same for the same run. */
  static of(run: ValidationRun): ProfileRun {
    if (run.profileRun instanceof ProfileRun) return run.profileRun;
    const made = new ProfileRun(run, new Work(run));
    run.profileRun = made;
    return made;
  }

  push(step: string | number): void {
    this.run.push(step);
  }

  pop(): void {
    this.run.pop();
  }

  get isOver(): boolean {
    return this.work.isRefused || this.run.isOver;
  }

  /** What constraints may use up. */
  get allowance(): PathAllowance {
    return this.work.allowance;
  }

  /** Work that is left, for what counts it itself. */
  get meter(): Meter {
    return this.work.meter;
  }

  /** Counts `steps` of work. False when that was too much: then there is nothing more to do. */
  spend(steps: number): boolean {
    const { work } = this;
    work.meter.left -= steps;
    if (work.meter.left < 0 || work.allowance.left < 0) this.refuse();
    return !work.isRefused;
  }

  private refuse(): void {
    const { work } = this;
    if (work.isRefused) return;
    work.isRefused = true;
    work.run.report('tooCostly', 'The profiles take too long to check on a resource of this size');
  }

  /** Adds a finding, once: an element and its slice often ask the same. */
  report(
    rule: FindingRule,
    diagnostics: string,
    below: readonly (string | number)[] = [],
    severity: FindingSeverity = 'error',
  ): void {
    const { findings } = this.run;
    if (findings.length > 0) {
      const expression = this.run.expression(below);
      if (findings.some((one) => one.diagnostics === diagnostics && one.expression === expression)) return;
    }
    this.run.report(rule, diagnostics, below, severity);
  }

  /**
   * What `check` would report first on the value, '' when it finds no error; nothing is reported. The answer about an
   * object is kept. While it is being worked out, the same question about the same object is answered with '', so that
   * circles of references end.
   */
  faultOf(question: object, value: JsonValue | undefined, check: (quiet: ProfileRun) => void): string {
    if (typeof value !== 'object' || value === null) return this.firstFault(check);
    const answers = this.work.answersTo(question);
    const known = answers.get(value);
    if (known !== undefined) return known;
    answers.set(value, '');
    const answer = this.firstFault(check);
    answers.set(value, answer);
    return answer;
  }

  private firstFault(check: (quiet: ProfileRun) => void): string {
    const { run } = this;
    const quietRun = new ValidationRun('', run.resource, run.isFull);
    quietRun.container = run.container;
    const quiet = new ProfileRun(quietRun, this.work);
    quiet.entry = this.entry;
    check(quiet);
    return quietRun.findings.find((finding) => finding.severity === 'error')?.diagnostics ?? '';
  }

  /** True the first time that `profile` is checked on the object by this run, so that nothing is reported twice. */
  isFirstCheck(profile: object, object: object): boolean {
    const objects = this.checked.get(profile, () => new Set<object>());
    if (objects.has(object)) return false;
    objects.add(object);
    return true;
  }

  /** True the first time that the problems of a profile are met by this run. */
  isNewProblem(problems: object): boolean {
    return this.isFirstCheck(problems, problems);
  }

  /** Runs `check` in a resource that stands as `key` in the object `source` of the present resource. */
  inResource(resource: JsonObject, key: string, source: JsonObject, check: () => void): void {
    const { run, entry } = this;
    const { resource: outerResource, container } = run;
    const isContained = key === 'contained';
    if (!isContained) {
      run.container = new Container(resource, container);
      if (outerResource['resourceType'] === 'Bundle') this.entry = this.entryOf(outerResource, source);
    }
    run.resource = resource;
    check();
    run.resource = outerResource;
    run.container = container;
    this.entry = entry;
  }

  /** Runs `check` in the resource that a reference of the present resource leads to. */
  inTarget({ kind, resource, fullUrl }: Target, check: () => void): void {
    if (!resource) return;
    const { run, entry } = this;
    const { resource: outerResource, container } = run;
    // `#` leads to the container itself.
    if (kind !== 'contained') run.container = new Container(resource);
    if (kind === 'bundled' && entry) this.entry = { bundle: entry.bundle, fullUrl };
    run.resource = resource;
    check();
    run.resource = outerResource;
    run.container = container;
    this.entry = entry;
  }

  private entryOf(bundle: JsonObject, source: JsonObject): Entry {
    const fullUrl = source['fullUrl'];
    return { bundle: this.work.bundle(bundle), fullUrl: typeof fullUrl === 'string' ? fullUrl : undefined };
  }

  /** The target of a Reference, as far as it is at hand or its own text tells. */
  resolve(reference: JsonValue | undefined, definitions: Definitions): Target | undefined {
    const text = isJsonObject(reference) ? reference['reference'] : reference;
    const said = isJsonObject(reference) ? reference['type'] : undefined;
    const type = typeof said === 'string' ? said.slice(said.lastIndexOf('/') + 1) : undefined;
    if (typeof text !== 'string')
      return type === undefined ? undefined : { kind: 'referenced', type, resource: undefined };
    if (text.startsWith('#')) {
      const resource = this.run.container.find(text.slice(1));
      return { kind: 'contained', type: resource ? typeOf(resource) : type, resource };
    }
    const bundled = this.entry?.bundle.find(text, this.entry.fullUrl);
    if (bundled) return { kind: 'bundled', type: typeOf(bundled.resource), ...bundled };
    return { kind: 'referenced', type: referencedType(text, definitions) ?? type, resource: undefined };
  }
}

function typeOf(resource: JsonObject): string | undefined {
  const type = resource['resourceType'];
  return typeof type === 'string' ? type : undefined;
}
