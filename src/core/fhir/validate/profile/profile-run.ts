/** State that the checks of profiles share in a validation: Bundles, costs, earlier results. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import type { Definitions } from '../../definitions';
import { PathAllowance } from '../../path';
import type { CodeAnswer, CodeQuestion } from '../code-answers';
import { Container } from '../container';
import type { FindingRule, FindingSeverity } from '../finding';
import { referencedType } from '../reference-target';
import { ValidationRun } from '../run';
import type { Meter } from './value';
import { BundleIndex } from './bundle-index';

/** Limit on the checks and comparisons of one resource: a profile of a tenant must not delay others. */
const MAX_STEPS = 1_000_000;

/** A map that is allocated on first use. */
class LazyMap<Key, Value> {
  private values: Map<Key, Value> | undefined;

  get(key: Key, make: () => Value): Value {
    const values = (this.values ??= new Map<Key, Value>());
    let value = values.get(key);
    if (value === undefined) values.set(key, (value = make()));
    return value;
  }
}

/** Limit on the steps of all constraints of the profiles together, and on those of all expressions of forms. */
const MAX_PATH_STEPS = 500_000;

/** State that all checks of one resource share, including those that report nothing. */
class SharedState {
  readonly meter: Meter = { left: MAX_STEPS };
  isRefused = false;
  readonly allowance = new PathAllowance(MAX_PATH_STEPS);
  readonly formAllowance = new PathAllowance(MAX_PATH_STEPS);

  /** `run`: the run whose findings are returned. */
  constructor(readonly run: ValidationRun) {}
  /** First faults of objects, by what was checked and the object. */
  private readonly faults = new LazyMap<object, Map<object, string>>();
  private readonly bundles = new LazyMap<JsonObject, BundleIndex>();

  faultsFor(cacheKey: object): Map<object, string> {
    return this.faults.get(cacheKey, () => new Map<object, string>());
  }

  bundle(bundle: JsonObject): BundleIndex {
    return this.bundles.get(bundle, () => new BundleIndex(bundle));
  }
}

/** The entry of a Bundle that has the current resource. */
interface Entry {
  readonly bundle: BundleIndex;
  readonly fullUrl: string | undefined;
}

/** The resource that has the current one as a value, with its own surroundings. */
interface ContainingResource {
  readonly resource: JsonObject;
  readonly container: Container;
  readonly entry: Entry | undefined;
}

/** The target of a reference: a resource that is available, or only its type. */
export interface Target {
  readonly kind: 'contained' | 'bundled' | 'referenced';
  readonly type: string | undefined;
  readonly resource: JsonObject | undefined;
  /** For a bundled resource. */
  readonly fullUrl?: string | undefined;
}

export class ProfileRun {
  private entry: Entry | undefined;
  /** The resource that contains the current one. */
  private outer: ContainingResource | undefined;
  private readonly checked = new LazyMap<object, Set<object>>();

  private constructor(
    readonly run: ValidationRun,
    private readonly work: SharedState,
  ) {}

  /** Returns the same object for the same run. */
  static of(run: ValidationRun): ProfileRun {
    if (run.profileRun instanceof ProfileRun) return run.profileRun;
    const made = new ProfileRun(run, new SharedState(run));
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

  /** The budget of constraints. */
  get allowance(): PathAllowance {
    return this.work.allowance;
  }

  /** The budget of the expressions of forms. Beyond it nothing is refused: what depends on them is not judged. */
  get formAllowance(): PathAllowance {
    return this.work.formAllowance;
  }

  /** The remaining work, for code that counts it itself. */
  get meter(): Meter {
    return this.work.meter;
  }

  /** Counts `steps` of work. Returns false if the limit is exceeded; the caller must then stop. */
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

  /** Adds a finding unless it is there already: an element and its slice often have the same rule. */
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
   * Returns the first error that `check` would report on the value, '' if there is none; reports nothing. The result
   * for an object is cached by `cacheKey`. Until it is there, the same check of the same object returns '', so
   * that circular references end.
   */
  faultOf(cacheKey: object, value: JsonValue | undefined, check: (quiet: ProfileRun) => void): string {
    if (typeof value !== 'object' || value === null) return this.firstFault(check);
    const faults = this.work.faultsFor(cacheKey);
    const cached = faults.get(value);
    if (cached !== undefined) return cached;
    faults.set(value, '');
    const fault = this.firstFault(check);
    faults.set(value, fault);
    return fault;
  }

  private firstFault(check: (quiet: ProfileRun) => void): string {
    const { run } = this;
    const quietRun = new ValidationRun('', run.resource, run.isFull);
    quietRun.container = run.container;
    quietRun.codes = run.codes;
    quietRun.isQuiet = true;
    const quiet = new ProfileRun(quietRun, this.work);
    quiet.entry = this.entry;
    quiet.outer = this.outer;
    check(quiet);
    return quietRun.findings.find((finding) => finding.severity === 'error')?.diagnostics ?? '';
  }

  /** True the first time that this run checks `profile` on the object, so that nothing is reported twice. */
  isFirstCheck(profile: object, object: object): boolean {
    const objects = this.checked.get(profile, () => new Set<object>());
    if (objects.has(object)) return false;
    objects.add(object);
    return true;
  }

  /** True the first time that this run meets the problems of a profile. */
  isNewProblem(problems: object): boolean {
    return this.isFirstCheck(problems, problems);
  }

  /** Runs `check` in a resource that is the member `key` of the object `source` in the current resource. */
  inResource(resource: JsonObject, key: string, source: JsonObject, check: () => void): void {
    const { run, entry, outer } = this;
    const { resource: outerResource, container } = run;
    const isContained = key === 'contained';
    this.outer = { resource: outerResource, container, entry };
    if (!isContained) {
      run.container = new Container(resource, container);
      if (outerResource['resourceType'] === 'Bundle') this.entry = this.entryOf(outerResource, source);
    }
    run.resource = resource;
    check();
    run.resource = outerResource;
    run.container = container;
    this.entry = entry;
    this.outer = outer;
  }

  /** Runs `check` on the current resource as a value of the resource around it (`%resource`), if there is one. */
  inOuter(check: () => void): void {
    const { run, entry, outer } = this;
    if (!outer) {
      check();
      return;
    }
    const { resource, container } = run;
    run.resource = outer.resource;
    run.container = outer.container;
    this.entry = outer.entry;
    check();
    run.resource = resource;
    run.container = container;
    this.entry = entry;
  }

  /** Runs `check` in the target of a reference of the current resource. */
  inTarget({ kind, resource, fullUrl }: Target, check: () => void): void {
    if (!resource) return;
    const { run, entry } = this;
    const { resource: outerResource, container } = run;
    // A contained target, or the container for `#`, has the same container.
    if (kind !== 'contained') run.container = new Container(resource);
    if (kind === 'bundled' && entry) this.entry = { bundle: entry.bundle, fullUrl };
    run.resource = resource;
    check();
    run.resource = outerResource;
    run.container = container;
    this.entry = entry;
  }

  /**
   * Returns the resource of the same Bundle that a reference means. In a constraint of the Bundle itself, the entry that
   * has the reference is unknown: then `Type/id` is found if only one entry has it.
   */
  findBundled(reference: string): JsonObject | undefined {
    const { resource } = this.run;
    if (this.entry) return this.entry.bundle.find(reference, this.entry.fullUrl)?.resource;
    if (resource['resourceType'] !== 'Bundle') return undefined;
    return this.work.bundle(resource).find(reference, undefined)?.resource;
  }

  /** True if one of the codings is in the value set; undefined if that is not known (yet). */
  isMember(valueSet: string, codings: CodeQuestion['codings']): CodeAnswer {
    return this.run.codes.find({ valueSet, codings });
  }

  private entryOf(bundle: JsonObject, source: JsonObject): Entry {
    const fullUrl = source['fullUrl'];
    return { bundle: this.work.bundle(bundle), fullUrl: typeof fullUrl === 'string' ? fullUrl : undefined };
  }

  /** Returns the target of a Reference, as far as it is available or the reference names its type. */
  resolve(reference: JsonValue | undefined, definitions: Definitions): Target | undefined {
    const text = isJsonObject(reference) ? reference['reference'] : reference;
    const declared = isJsonObject(reference) ? reference['type'] : undefined;
    const type = typeof declared === 'string' ? declared.slice(declared.lastIndexOf('/') + 1) : undefined;
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
