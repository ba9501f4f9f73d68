/**
 * Common functions of operations on canonical resources, mainly terminology: access to stored resources, and
 * selection of the resource that the input names.
 */
import { type ErrorKey, FhirError, fhirError } from '../errors';
import { isJsonObject, type JsonObject } from '../fhir/json';
import { type CodeSystem } from '../fhir/terminology/code-system';
import { describeNotLoaded } from '../fhir/terminology/not-loaded';
import { readCodeSystem } from '../fhir/terminology/read-code-system';
import { parseLanguages } from '../fhir/terminology/languages';
import { choiceMember, objectMember, objectsMember, stringMember } from '../fhir/terminology/members';
import { type ComposedValueSet, type VersionRules } from '../fhir/terminology/compose';
import {
  type Canonical,
  parseCanonical,
  type TerminologySource,
  toCanonical,
} from '../fhir/terminology/source';
import { readSupplements, supplementsOf } from '../fhir/terminology/supplements';
import { combineValidations, type Validation } from '../fhir/terminology/validation';
import { type ValidationOptions } from '../fhir/terminology/validation-of-member';
import {
  type CodeToValidate,
  ISSUES,
  messageOf,
  NO_CODE,
  toIssueElement,
  TX_ISSUE_TYPES,
  type ValidationIssue,
} from '../fhir/terminology/validation-issues';
import { type CanonicalType, type OperationEnvironment } from '../operation-types/environment';
import { type OperationAnswer, type OperationInput } from '../operation-types/operation';
import { type InputParameters } from '../operation-types/parameters';
import { parseInTurn, terminologyOf, withItsConcepts } from '../terminology/terminology-source';
import { TX_RESOURCE } from './request-resources';

/** Throws `notSupported` for unsupported parameters, because ignoring one would give a wrong answer. */
export function refuseParameters(input: OperationInput, reasons: Readonly<Record<string, string>>): void {
  for (const [name, reason] of Object.entries(reasons)) {
    const given = input.parameters.first(name);
    if (given !== undefined)
      throw fhirError('notSupported', { reason: `The parameter '${name}' ${reason}` }, given.expression);
  }
}

export const NO_PAST = { date: 'is not supported: only the current state of the terminology is available' };
export const NO_CONTEXT = {
  context: 'is not supported; name the value set with url',
  contextDirection: 'is not supported; name the value set with url',
};

/** The names of the parameters that name a resource in the input of an operation. */
interface NamedBy {
  readonly type: CanonicalType;
  /** The parameter with the resource itself. */
  readonly inline: string;
  /** The parameter with the version of the url, if there is one. */
  readonly version?: string;
  /** The url of the resource where the input names none. */
  readonly otherwise?: string | undefined;
}

/** A resource as the input names it: exactly one of address, url and the resource itself. */
type InputResource =
  | { readonly id: string }
  | { readonly resource: JsonObject }
  | { readonly url: string; readonly version: string | undefined };

/** Throws `operationInputInvalid` unless the input names exactly one resource. */
function readNamed({ id, parameters }: OperationInput, by: NamedBy): InputResource {
  const { type, inline, version } = by;
  const resource = parameters.object(inline);
  const isNamed = id !== undefined || resource !== undefined;
  const url = parameters.text('url') ?? (isNamed ? undefined : by.otherwise);
  if ([id, url, resource].filter((way) => way !== undefined).length !== 1) {
    const reason =
      id !== undefined
        ? `The ${type} is named by the address already; neither url nor ${inline} may be given`
        : `Exactly one of the parameters url and ${inline} is needed`;
    throw fhirError('operationInputInvalid', { reason }, 'Parameters.parameter');
  }
  if (resource !== undefined) return { resource };
  if (id !== undefined) return { id };
  const canonical = parseCanonical(url ?? '');
  return {
    url: canonical.url,
    version: canonical.version ?? (version === undefined ? undefined : parameters.text(version)),
  };
}

/**
 * Returns the resource that the input names by address, by url (`url|version`) or inline; `parse` reads its text if it is
 * stored. Throws `operationInputInvalid` unless exactly one of these is used, `notFoundInTerminology` for an unknown url,
 * `notFound` and `gone`.
 */
export async function findNamed(
  environment: OperationEnvironment,
  input: OperationInput,
  by: NamedBy,
  parse: (text: string) => Promise<JsonObject> = parseInTurn,
): Promise<JsonObject> {
  const named = readNamed(input, by);
  if ('resource' in named) return named.resource;
  if ('id' in named) return parse((await environment.read(by.type, named.id)).text);
  const handed = by.type === 'ConceptMap' && environment.requestMaps?.find(named.url, named.version);
  if (handed) return handed;
  if (by.type === 'ValueSet') {
    const valueSet = await terminologyOf(environment).findValueSet(named.url, named.version);
    if (valueSet !== undefined) return valueSet;
  } else {
    const found = await environment.findCanonical(by.type, named.url, named.version);
    if (found !== undefined) return parse(found.text);
  }
  throw notFound(input, by.type, named);
}

/** A code system as the input names it; `codeSystem` is undefined if it does not exist. */
interface NamedCodeSystem extends Canonical {
  readonly codeSystem: CodeSystem | undefined;
}

/** As `findNamed` for a CodeSystem, in the form for looking up codes. A built-in system needs no resource. */
export async function findNamedCodeSystem(
  environment: OperationEnvironment,
  input: OperationInput,
  by: NamedBy,
): Promise<NamedCodeSystem> {
  const named = readNamed(input, by);
  if ('url' in named) {
    const codeSystem = await terminologyOf(environment).findCodeSystem(named.url, named.version);
    return { url: named.url, version: named.version, codeSystem };
  }
  const codeSystem =
    'resource' in named ? readCodeSystem(named.resource) : await readById(environment, named.id);
  return { url: codeSystem.url, version: codeSystem.version, codeSystem };
}

/** Returns the code system with this id. Throws `notFound` and `gone`. */
export async function readById(environment: OperationEnvironment, id: string): Promise<CodeSystem> {
  const { versionId, lastUpdated, sequence, text } = await environment.read('CodeSystem', id);
  const key = `${environment.context.space.number}/CodeSystem/id/${id}/${versionId}/${lastUpdated}/${sequence}`;
  const found = await environment.codeSystems.get(key, () => Promise.resolve({ key, text }));
  if (found === undefined) throw new Error('a code system that was given is missing');
  return withItsConcepts(environment, found);
}

function notFound(
  { parameters }: OperationInput,
  type: string,
  { url, version }: { readonly url: string; readonly version: string | undefined },
): Error {
  const canonical = toCanonical(url, version);
  const reason = `The ${type} ${canonical} does not exist`;
  return type === 'ValueSet'
    ? toError('notFoundInTerminology', { ...ISSUES.unknownValueSet(NO_CODE, canonical), diagnostics: reason })
    : fhirError('notFoundInTerminology', { reason }, parameters.first('url')?.expression);
}

/** The error of an issue of HL7's terminology ecosystem; `diagnostics` says the same in the words of this server. */
export function toError(key: ErrorKey, { code, type, text, diagnostics = text }: ValidationIssue): FhirError {
  const details = { system: TX_ISSUE_TYPES, code: type, text };
  return new FhirError(key, [{ severity: 'error', code, details, diagnostics }]);
}

/** Returns the codes to check from exactly one of `code`, `coding` and `codeableConcept`. */
export function codesToValidate(
  parameters: InputParameters,
  names: { readonly version: string },
): readonly CodeToValidate[] {
  const code = parameters.text('code');
  const coding = parameters.object('coding');
  const concept = parameters.object('codeableConcept');
  if ([code, coding, concept].filter((way) => way !== undefined).length !== 1) {
    const reason = 'Exactly one of the parameters code, coding and codeableConcept is needed';
    throw fhirError('operationInputInvalid', { reason }, 'Parameters.parameter');
  }
  if (code !== undefined) {
    const [system, version, display] = [
      parameters.text('system'),
      parameters.text(names.version),
      parameters.text('display'),
    ];
    return [{ system, version, code, display }];
  }
  if (coding !== undefined)
    return [{ ...toCode(coding, parameters.first('coding')?.expression), place: 'Coding' }];
  const codings = concept?.['coding'];
  const expression = parameters.first('codeableConcept')?.expression;
  if (!Array.isArray(codings)) return [];
  return codings
    .filter(isJsonObject)
    .map((each, index) => ({ ...toCode(each, expression), place: `CodeableConcept.coding[${index}]` }));
}

/** Converts a Coding to a code to check. Throws `operationInputInvalid` when it has no code. */
export function toCode(coding: JsonObject, expression: string | undefined): CodeToValidate {
  const code = stringMember(coding, 'code');
  if (code === undefined) {
    throw fhirError('operationInputInvalid', { reason: 'A coding to check needs a code' }, expression);
  }
  const system = stringMember(coding, 'system');
  return { system, version: stringMember(coding, 'version'), code, display: stringMember(coding, 'display') };
}

/** Returns the code of $lookup from `code` with `system`, or from `coding`. */
export function codeToLookUp(parameters: InputParameters): CodeToValidate & { readonly system: string } {
  const code = parameters.text('code');
  const coding = parameters.object('coding');
  const [system, version] = [parameters.text('system'), parameters.text('version')];
  if ((code === undefined) === (coding === undefined)) {
    const reason = 'Exactly one of the parameters code and coding is needed';
    throw fhirError('operationInputInvalid', { reason }, 'Parameters.parameter');
  }
  const codes =
    coding === undefined
      ? { system, version, code: code ?? '', display: undefined }
      : toCode(coding, parameters.first('coding')?.expression);
  if (codes.system !== undefined) return { ...codes, system: codes.system };
  const reason = 'The system of the code is needed';
  throw fhirError(
    'operationInputInvalid',
    { reason },
    parameters.first('coding')?.expression ?? 'Parameters.parameter',
  );
}

/**
 * Returns the code system of this url with its codes. Throws `notFoundInTerminology`, and `notSupported` without
 * content.
 */
export async function findCodeSystem(
  environment: OperationEnvironment,
  system: string,
  version: string | undefined,
): Promise<CodeSystem> {
  const codeSystem = await terminologyOf(environment).findCodeSystem(system, version);
  if (codeSystem === undefined) {
    const reason = describeNotLoaded(system, version, codeSystem) ?? '';
    throw fhirError('notFoundInTerminology', { reason });
  }
  requireContent(codeSystem);
  return codeSystem;
}

/** Throws `notSupported` for a code system without stored codes. */
export function requireContent(codeSystem: CodeSystem): void {
  const reason = describeNotLoaded(codeSystem.url, codeSystem.version, codeSystem);
  if (reason !== undefined) throw fhirError('notSupported', { reason });
}

/**
 * Returns the out parameters of both $validate-code operations: those of R4, and those of HL7's terminology ecosystem, among them
 * `issues` and the code systems that are not here.
 */
export function toAnswer(
  { result, found, issues, missing, unknown }: Validation,
  parameters: InputParameters,
): OperationAnswer {
  const concept = parameters.object('codeableConcept');
  const ignored = parameters.undeclared
    .filter((name) => !USED.has(name))
    .map((name) => ({
      severity: 'warning',
      code: 'not-supported',
      diagnostics: `The parameter '${name.slice(0, 80)}' does not exist and was ignored`,
    }));
  const issue: JsonObject[] = [...issues.map(toIssueElement), ...ignored];
  const text = (name: string, member: string, value: string | undefined): JsonObject[] =>
    value === undefined ? [] : [{ name, [member]: value }];
  const canonicals = (name: string, values: readonly string[]): JsonObject[] =>
    [...new Set(values)].map((valueCanonical) => ({ name, valueCanonical }));
  return {
    parameters: [
      { name: 'result', valueBoolean: result },
      ...text('message', 'valueString', messageOf(issues)),
      ...text('display', 'valueString', found.display),
      ...text('code', 'valueCode', found.code),
      ...text('system', 'valueUri', found.system),
      ...text('version', 'valueString', found.version),
      ...(concept === undefined ? [] : [{ name: 'codeableConcept', valueCodeableConcept: concept }]),
      ...text('normalized-code', 'valueCode', found.normalizedCode),
      ...(found.isInactive === true ? [{ name: 'inactive', valueBoolean: true }] : []),
      ...text('status', 'valueCode', found.status),
      ...canonicals('x-caused-by-unknown-system', missing),
      ...canonicals('x-unknown-system', unknown),
      ...(issue.length === 0
        ? []
        : [{ name: 'issues', resource: { resourceType: 'OperationOutcome', issue } }]),
    ],
  };
}

const LENIENT_DISPLAY = 'lenient-display-validation';
const MEMBERSHIP_ONLY = 'valueset-membership-only';
/** Names of a request that HL7's validator gives, and which change no answer. */
export const NAMES_OF_REQUEST: ReadonlySet<string> = new Set(['uuid', 'mode', 'cache-id']);
/** Parameters of HL7's terminology ecosystem that R4 does not declare and $validate-code uses. A system is always inferred. */
const USED: ReadonlySet<string> = new Set([
  ...[LENIENT_DISPLAY, 'system-version', 'check-system-version', 'force-system-version'],
  ...['default-valueset-version', 'useSupplement', 'inferSystem', 'activeOnly', MEMBERSHIP_ONLY, TX_RESOURCE],
  ...NAMES_OF_REQUEST,
]);

/** The versions that the parameters of an operation on a value set ask for. */
export function versionRules(parameters: InputParameters): Omit<VersionRules, 'ofCodes'> {
  const canonicals = (name: string): readonly Canonical[] => parameters.texts(name).map(parseCanonical);
  return {
    defaults: canonicals('system-version'),
    checked: canonicals('check-system-version'),
    forced: canonicals('force-system-version'),
    excluded: canonicals('exclude-system'),
    valueSets: canonicals('default-valueset-version'),
    supplements: canonicals('useSupplement'),
  };
}

/**
 * Returns the supplements that a request or its value set names. Throws `notFoundInTerminology` if one does not exist.
 */
export async function requireSupplements(
  source: TerminologySource,
  parameters: InputParameters,
  valueSet?: JsonObject,
): Promise<readonly CodeSystem[]> {
  const named = parameters.texts('useSupplement').map(parseCanonical);
  const required = valueSet === undefined ? [] : supplementsOf(valueSet);
  const { found, missing, missingCanonical = '' } = await readSupplements(source, [...named, ...required]);
  if (missing === undefined) return found;
  const issue = ISSUES.unknownSupplement(NO_CODE, missingCanonical);
  throw toError('notFoundInTerminology', { ...issue, diagnostics: missing });
}

const EXPANSION_PARAMETER: ReadonlySet<string | undefined> = new Set([
  'http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter',
  'http://hl7.org/fhir/tools/StructureDefinition/valueset-expansion-parameter',
]);
/** Longer headers are not read. */
const LONGEST_LANGUAGES = 200;

/**
 * Returns the languages of displays: those of the request; or that the value set states as a parameter of its expansions; or that the
 * client prefers; or that of the value set (https://build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig/languages.html). Throws
 * `operationInputInvalid` for a text of the request that is no language and no list of languages.
 */
export function displayLanguageOf(
  { parameters, languages }: Pick<OperationInput, 'parameters' | 'languages'>,
  valueSet: JsonObject = {},
): string | undefined {
  const given = parameters.first('displayLanguage');
  const text = parameters.text('displayLanguage');
  if (text !== undefined && parseLanguages(text) === undefined) {
    const reason = `'${text.slice(0, 80)}' is not a language, nor a list such as de-AT, en;q=0.5`;
    throw fhirError('operationInputInvalid', { reason }, given?.expression);
  }
  const preferred = languages?.replace(/\s+/g, ' ').trim();
  const others = [statedLanguage(valueSet), preferred, stringMember(valueSet, 'language')];
  return text ?? others.find((each) => each !== undefined && isListOfLanguages(each));
}

/** `*` alone says nothing. */
function isListOfLanguages(text: string): boolean {
  return text.length <= LONGEST_LANGUAGES && (parseLanguages(text) ?? []).length > 0;
}

function statedLanguage(valueSet: JsonObject): string | undefined {
  for (const extension of objectsMember(objectMember(valueSet, 'compose') ?? {}, 'extension')) {
    if (!EXPANSION_PARAMETER.has(stringMember(extension, 'url'))) continue;
    const parts = new Map(
      objectsMember(extension, 'extension').map((part) => [part['url'], choiceMember(part)?.[1]]),
    );
    const value = parts.get('value');
    if (parts.get('name') === 'displayLanguage' && typeof value === 'string') return value;
  }
  return undefined;
}

/** Returns one validation for a code or coding, and that of all codings for a CodeableConcept. `valueSet`: undefined for a code system. */
export function combine(
  validations: readonly Validation[],
  parameters: InputParameters,
  valueSet?: ComposedValueSet,
): Validation {
  const [only] = validations;
  return only === undefined || parameters.object('codeableConcept') !== undefined
    ? combineValidations(validations, valueSet)
    : only;
}

/** Returns the options of both $validate-code operations. */
export function validationOptions(input: OperationInput, valueSet?: JsonObject): ValidationOptions {
  const { parameters } = input;
  return {
    abstract: parameters.flag('abstract'),
    displayLanguage: displayLanguageOf(input, valueSet),
    lenientDisplay: parameters.flag(LENIENT_DISPLAY),
    activeOnly: parameters.flag('activeOnly'),
    membershipOnly: parameters.flag(MEMBERSHIP_ONLY),
  };
}
