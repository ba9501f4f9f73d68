/** Hints in error messages about the parameter names that are allowed. */
import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import type { Definitions } from '../../fhir/definitions';
import { hidesWords } from '../criteria';
import { storedParameters } from './parameter';
import { searchableParameters, type SearchableParameter } from './searchable';
import type { TenantParameter } from './tenant-parameter';
import type { SearchTypeContext } from '../types/search-type';

/** Keyed by the parameters of a type, as in parameter.ts. */
const cachedParameters = new WeakMap<object, readonly SearchableParameter[]>();

function parametersOf(definitions: Definitions, type: string): readonly SearchableParameter[] {
  const stored = storedParameters(definitions, type);
  let parameters = cachedParameters.get(stored);
  if (parameters === undefined)
    cachedParameters.set(stored, (parameters = searchableParameters(definitions, type)));
  return parameters;
}

/** Returns the codes that the client can search resources of the type by. */
export function searchableCodes(context: SearchTypeContext, type: string): string[] {
  return parametersOf(context.definitions, type)
    .map(({ code }) => code)
    .filter((code) => !hidesWords(context, type, code));
}

/** Types whose parameters a hint is looked for in; a reference to any type has more. */
const MOST_TARGETS = 10;

/**
 * Returns the text after "'name' is not a search parameter of Type". It says why a tenant's parameter is unusable, which
 * name was probably meant and which parameters exist, or the syntax of a chain or `_has`. `others`: names that a search may
 * have besides.
 */
export function explainParameters(
  context: SearchTypeContext,
  type: string,
  name: string,
  others: readonly string[] = [],
): string {
  if (name.startsWith('_has:')) return explainHas(context, name);
  const code = name.replace(/:.*/, '');
  const unusable = context.tenantParameters?.find(
    (one) => one.type === type && one.code === code && (one.state === 'indexing' || one.state === 'failed'),
  );
  if (unusable !== undefined) return `: ${reasonOf(unusable)}`;
  if (name.includes('.')) return explainChain(context, type, name);
  const codes = searchableCodes(context, type);
  return didYouMean(code, [...codes, ...others], `supported are ${codes.join(', ')}`);
}

function explainHas(context: SearchTypeContext, name: string): string {
  const syntax = 'it is _has:Type:reference:parameter, where the last is a search parameter of that Type';
  const [, source = '', , last = ''] = name.split(':');
  const isKnown = context.definitions.isResourceType(source);
  return didYouMean(last, isKnown ? searchableCodes(context, source) : [], syntax);
}

function explainChain(context: SearchTypeContext, type: string, name: string): string {
  const links = parametersOf(context.definitions, type).filter(({ kind }) => kind === 'reference');
  const codes = links.map(({ code }) => code);
  const [, first = '', target, last = ''] = /^([^.:]*)(?::([^.]*))?\.([^.:]*)/.exec(name) ?? [];
  const isTyped = target !== undefined && context.definitions.isResourceType(target);
  const listed = codes.length === 0 ? 'none' : codes.join(', ');
  const syntax = `a chain is reference.parameter or reference:Type.parameter, and references of ${type} are ${listed}`;
  if (!codes.includes(first)) return didYouMean(first, codes, syntax);
  const targets = isTyped ? [target] : (links.find(({ code }) => code === first)?.targets ?? []);
  const ofTargets = targets.filter((each) => context.definitions.isResourceType(each)).slice(0, MOST_TARGETS);
  return didYouMean(last, new Set(ofTargets.flatMap((each) => searchableCodes(context, each))), syntax);
}

function reasonOf({ owner, state }: TenantParameter): string {
  return state === 'failed'
    ? `SearchParameter/${owner} has failed, and SearchParameter/${owner}/$reindex-status says why`
    : `SearchParameter/${owner} is being indexed, and SearchParameter/${owner}/$reindex-status says how far it is`;
}
