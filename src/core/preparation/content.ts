import type { TenantSpace } from '../context';
import type { JsonObject } from '../fhir/json';
import type {
  CodeAnswer,
  CodeQuestion,
  CodingsToCheck,
  Finding,
  FindingRule,
  PendingCode,
  Validation,
  Validator,
} from '../fhir/validate';
import type { LoadedProfiles, WantedProfiles } from '../validation/wanted-profiles';

/** Answers about codes and relations in the terminology of a space. */
export interface CodeInformant {
  /** Looks up codes in the terminology of the space that the definitions alone cannot decide. */
  checkCodes(space: TenantSpace, pending: readonly PendingCode[]): Promise<readonly Finding[]>;
  /** Looks up codings in their code systems. */
  checkCodings(space: TenantSpace, codings: CodingsToCheck): Promise<readonly Finding[]>;
  /** Checks a resource by the other definitions that it names. */
  checkRelations(space: TenantSpace, resource: JsonObject): Promise<readonly Finding[]>;
  /** See `CodingChecker.absentSystems`. */
  absentSystems(space: TenantSpace): ReadonlySet<string>;
  /** Answers questions about codes, in their order. */
  answerCodes(space: TenantSpace, questions: readonly CodeQuestion[]): Promise<readonly CodeAnswer[]>;
}

/** The services that validate the content of a resource. */
export interface ContentTools extends CodeInformant {
  validator(space: TenantSpace): Validator;
  /**
   * Returns the requested profiles and those that a resource and its contained resources claim; undefined: none, the
   * usual case.
   */
  profilesOf(
    space: TenantSpace,
    resource: JsonObject,
    wanted: WantedProfiles,
  ): Promise<LoadedProfiles> | undefined;
  /** Returns the errors of a StructureDefinition's differential that does not fit its base. */
  faultsOfDifferential(space: TenantSpace, structure: JsonObject): Promise<readonly Finding[]>;
}

export interface ContentOptions {
  /** False: structure only. */
  readonly isFull: boolean;
  /** True: invariants, rules of the text and profiles only warn. */
  readonly isLenient?: boolean;
  /** True: also checks rules that only give warnings. */
  readonly wantsWarnings?: boolean;
  readonly profiles?: WantedProfiles;
}

/** Rules of the content that only warn in a lenient validation; required bindings and narratives refuse. */
const LENIENT_RULES: ReadonlySet<FindingRule> = new Set<FindingRule>(['invariant', 'business']);

/** Returns how fully the tenant validates what it writes and sends to operations. */
export function levelOf({ settings: { validation } }: TenantSpace): ContentOptions {
  return { isFull: validation !== 'structure', isLenient: validation === 'lenient' };
}

const AS_WRITTEN: WantedProfiles = { requested: [] };
const NONE: readonly Finding[] = [];
/** An answer may open another slice with questions of its own; published profiles need two or three rounds. */
const MAX_ROUNDS = 6;

/** Returns all findings in a resource: by its definitions, the terminology and its profiles. */
export async function findInContent(
  tools: ContentTools,
  space: TenantSpace,
  resource: JsonObject,
  options: ContentOptions,
): Promise<readonly Finding[]> {
  const { isFull, isLenient = false, wantsWarnings = false, profiles: wanted = AS_WRITTEN } = options;
  const loading = isFull ? tools.profilesOf(space, resource, wanted) : undefined;
  const found = loading === undefined ? undefined : await loading;
  const validator = tools.validator(space);
  const common = { isFull, wantsWarnings, absentSystems: tools.absentSystems(space) };
  const validating = found === undefined ? common : { ...common, profiles: found.profiles };
  let validation = validator.validate(resource, validating);
  for (let round = 1; round < MAX_ROUNDS && validation.codes.questions.length > 0; round++) {
    const { codes } = validation;
    const { questions } = codes;
    codes.add(questions, await tools.answerCodes(space, questions));
    validation = validator.validate(resource, { ...validating, codes });
  }
  const misfits =
    isFull && resource['resourceType'] === 'StructureDefinition' && isSound(validation)
      ? await tools.faultsOfDifferential(space, resource)
      : NONE;
  const { findings, pending } = isLenient ? lowered(validation) : validation;
  const judged = pending.length === 0 ? NONE : await tools.checkCodes(space, pending);
  // A write warns of unknown codes, because a tenant's code systems may lag behind those of its senders.
  const severity = wantsWarnings ? 'error' : 'warning';
  const advice = await adviceOf(tools, space, resource, {
    codings: validation.codings,
    severity,
    reported: [...findings, ...judged],
  });
  const related = wantsWarnings && isSound(validation) ? await tools.checkRelations(space, resource) : NONE;
  return found === undefined && judged.length + advice.length + misfits.length + related.length === 0
    ? findings
    : [
        ...findings,
        ...(isLenient ? misfits.map(asWarning) : misfits),
        ...related,
        ...judged,
        ...advice,
        ...(found?.findings ?? NONE),
      ];
}

function asWarning(finding: Finding): Finding {
  return { ...finding, severity: 'warning' };
}

function isSound({ findings }: Validation): boolean {
  return findings.every(({ severity }) => severity !== 'error');
}

/** Returns findings about codings, unless their codes are already reported. */
async function adviceOf(
  tools: ContentTools,
  space: TenantSpace,
  resource: JsonObject,
  { codings, severity, reported }: Omit<CodingsToCheck, 'root'> & { readonly reported: readonly Finding[] },
): Promise<readonly Finding[]> {
  const root = resource['resourceType'];
  if (codings.length === 0 || typeof root !== 'string') return NONE;
  const advice = await tools.checkCodings(space, { root, codings, severity });
  if (advice.length === 0) return NONE;
  const places = new Set(
    reported.filter(({ rule }) => rule === 'binding').map(({ expression }) => expression),
  );
  return advice.filter(({ expression }) => !places.has(expression));
}

/** Turns what a lenient validation does not refuse into warnings. */
function lowered({
  findings,
  pending,
  structureFindings,
  ownFindings,
  ownPending,
}: Validation): Pick<Validation, 'findings' | 'pending'> {
  return {
    findings: findings.map((finding, index) => {
      const isOfContent = index >= structureFindings && LENIENT_RULES.has(finding.rule);
      const isLowered = finding.severity === 'error' && (isOfContent || index >= ownFindings);
      return isLowered ? asWarning(finding) : finding;
    }),
    pending: pending.map((code, index) => (index < ownPending ? code : { ...code, strength: 'extensible' })),
  };
}
