/** Hierarchies of references, in which resources are parts of others (search.html#recursive). */
import { fhirError } from '../../errors';
import type { Definitions } from '../../fhir/definitions';
import { isValidId } from '../../fhir/resource';
import { branchesOf, storedParameters, type StoredParameter } from '../parameters/parameter';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import type { SearchTypeContext, WrittenParameter } from './search-type';

const cachedHierarchies = new WeakMap<ReadonlyMap<string, StoredParameter>, readonly StoredParameter[]>();

/**
 * Returns the parameters by which resources of the type refer to their parents, marked on elements in the definitions.
 */
function hierarchiesOf(definitions: Definitions, type: string): readonly StoredParameter[] {
  const all = storedParameters(definitions, type);
  let found = cachedHierarchies.get(all);
  if (found === undefined) {
    const elements = definitions.structure(type);
    found = [...all.values()].filter(({ parameter }) => {
      if (parameter.kind !== 'reference' || parameter.isForeign === true) return false;
      const [branch = '', ...others] = branchesOf(parameter);
      const types =
        others.length === 0 && branch.startsWith(`${type}.`)
          ? (elements?.element(branch.slice(type.length + 1))?.types ?? [])
          : [];
      return types.some(({ code, isHierarchy }) => code === 'Reference' && isHierarchy === true);
    });
    cachedHierarchies.set(all, found);
  }
  return found;
}

/**
 * Returns predicates for `:below=x`, references to x or to anything below it, and `:above=x`, to x or to anything above
 * it. The hierarchy is that of the parameter itself, if it has one, else the only hierarchy of the target's type.
 * Throws unsupportedModifier where there is none, invalidParameterValue.
 */
export function hierarchyPredicates(
  context: SearchTypeContext,
  {
    written,
    relation,
    targets,
    value,
  }: {
    readonly written: WrittenParameter;
    readonly relation: 'above' | 'below';
    readonly targets: readonly string[];
    readonly value: string;
  },
): Predicate[] {
  const { definitions } = context;
  const { stored, name } = written;
  const { parameter } = stored;
  const own = hierarchiesOf(definitions, parameter.type).filter((one) => one === stored);
  const hierarchies = new Map<string, readonly StoredParameter[]>();
  for (const type of targets) {
    const ofType = own.length > 0 && type === parameter.type ? own : hierarchiesOf(definitions, type);
    if (ofType.length > 0) hierarchies.set(type, ofType);
  }
  if (hierarchies.size === 0) {
    const explanation = ': the types that it refers to have no hierarchy';
    throw fhirError('unsupportedModifier', { modifier: relation, parameter: parameter.code, explanation });
  }
  const text = unescapeValue(value);
  const refuse = (reason: string): Error =>
    fhirError('invalidParameterValue', { parameter: name, value: text.slice(0, 80), reason });
  const named = [...hierarchies.keys()];
  const local = context.references.local(text);
  const id = local?.id ?? text;
  const type = local?.type ?? (named.length === 1 ? named[0] : undefined);
  const ofType = type === undefined ? undefined : hierarchies.get(type);
  if (type === undefined || ofType === undefined || !isValidId(id))
    throw refuse(`it is ${named.map((one) => `${one}/id`).join(' or ')} of this server`);
  const [hierarchy, ...others] = ofType;
  if (hierarchy === undefined || others.length > 0) {
    const codes = ofType.map((one) => one.parameter.code).join(', ');
    throw refuse(`${type} has several hierarchies (${codes}), so the value is ambiguous`);
  }
  context.requireAll?.(type, `The modifier ':${relation}'`);
  const typeNumber = definitions.typeNumber(type);
  if (typeNumber === undefined) throw new Error(`The type ${type} has no number`);
  const towards = stored.rowsOf.filter(({ targetType }) => targetType === undefined || targetType === type);
  return [
    {
      index: 'hierarchy',
      relation,
      parameters: towards.map(({ number }) => number),
      type: typeNumber,
      root: context.keyOf(type, id),
      upwards: hierarchy.rowsOf.map(({ number }) => number),
    },
  ];
}
