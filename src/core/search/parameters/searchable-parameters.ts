/** Hints in error messages about the parameter names that are allowed. */
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

/**
 * Returns the text after "'name' is not a search parameter of Type". It says why a tenant's parameter is unusable,
 * which parameters exist, or the syntax of a chain or `_has`.
 */
export function explainParameters(context: SearchTypeContext, type: string, name: string): string {
  if (name.startsWith('_has:'))
    return '; it is _has:Type:reference:parameter, where the last is a search parameter of that Type';
  const code = name.replace(/:.*/, '');
  const unusable = context.tenantParameters?.find(
    (one) => one.type === type && one.code === code && (one.state === 'indexing' || one.state === 'failed'),
  );
  if (unusable !== undefined) return `: ${reasonOf(unusable)}`;
  if (!name.includes('.')) return `; supported are ${searchableCodes(context, type).join(', ')}`;
  const links = parametersOf(context.definitions, type).filter(({ kind }) => kind === 'reference');
  const codes = links.map(({ code }) => code).join(', ');
  return `; a chain is reference.parameter or reference:Type.parameter, and references of ${type} are ${codes === '' ? 'none' : codes}`;
}

function reasonOf({ owner, state }: TenantParameter): string {
  return state === 'failed'
    ? `SearchParameter/${owner} has failed, and SearchParameter/${owner}/$reindex-status says why`
    : `SearchParameter/${owner} is being indexed, and SearchParameter/${owner}/$reindex-status says how far it is`;
}
