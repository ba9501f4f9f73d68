/** How the values of one parameter become rows. */
import { firstAddress } from '../../fhir/bundle/entry-index';
import type { Definitions } from '../../fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import type { PathAllowance, PathValue } from '../../fhir/path';
import { isCanonicalUrl } from '../parameters/canonical-targets';
import { extensionValue } from '../parameters/extension-value';
import { isEmbedded, type StoredParameter } from '../parameters/parameter';
import { compileParameterPath, newAllowance } from '../parameters/parameter-path';
import { isSortedByRows } from '../sort/sort-rows';
import type { RowCollector, RowSettings } from './collector';
import { compileComposite } from './compile-composite';
import { ROW_SCHEME } from './index-rows';
import { addRangeRows } from './range';
import { addAddressRow, addReferenceRows, addTypedReferenceRows } from './reference';
import type { Rule } from './rule';
import { addPositionRows } from './special';
import { addStringRows } from './string';
import { addTokenRows, areMixed } from './token';
import { addUriRows } from './uri';

/** `isTyped`: another parameter searches these rows for references to one type only. */
export function compileRule(definitions: Definitions, stored: StoredParameter, isTyped: boolean): Rule {
  const { parameter } = stored;
  const allowance = newAllowance();
  const rule = compileUnboundedRule(definitions, stored, isTyped, allowance);
  if (parameter.isForeign !== true) return rule;
  return (resource, settings, rows) =>
    rows.foreign.run(parameter.number, allowance, () => rule(resource, settings, rows));
}

/** `allowance`: the budget that all expressions of a tenant's parameter share. */
function compileUnboundedRule(
  definitions: Definitions,
  stored: StoredParameter,
  isTyped: boolean,
  allowance: PathAllowance,
): Rule {
  const { parameter } = stored;
  const { kind, expression = '' } = parameter;
  if (kind === 'composite') return compileComposite(definitions, parameter, allowance);
  const valuesOf = compileParameterPath(definitions, parameter, expression, { allowance });
  const add = rowMaker(definitions, stored, isTyped);
  const isSorted = isSortedByRows(kind);
  const isList = LISTED_CODES.test(expression);
  return (resource, settings, rows) => {
    const before = rows.sortedSize;
    const values = valuesOf(resource);
    let isPresent = false;
    for (const found of isList ? rows.startList(values) : values) {
      const inner = found.type === 'Extension' ? extensionValue(definitions, found) : found;
      if (inner === undefined || !hasContent(inner.value)) continue;
      isPresent = true;
      add(inner, settings, rows, resource);
    }
    if (isList) rows.endList();
    if (isSorted && isPresent && rows.sortedSize === before)
      rows.token(parameter.number + ROW_SCHEME.unsorted, 0, 0, 0);
    return isPresent;
  };
}

/** The codes of code systems and value sets, of which there may be hundreds of thousands. */
const LISTED_CODES = /^(?:CodeSystem\.concept|ValueSet\.(?:expansion\.contains|compose\.include\.concept))\b/;

type RowMaker = (found: PathValue, settings: RowSettings, rows: RowCollector, resource: JsonObject) => void;

function rowMaker(definitions: Definitions, stored: StoredParameter, isTyped: boolean): RowMaker {
  const { parameter, valueTypes } = stored;
  const { kind, number, expression = '' } = parameter;
  switch (kind) {
    case 'token': {
      const isMixed = areMixed(valueTypes);
      return (found, settings, rows) => addTokenRows(found, { parameter: number, isMixed, settings, rows });
    }
    case 'string': {
      const isFamily = expression.split('|').every((branch) => /\.family\s*$/.test(branch));
      return (found, settings, rows) =>
        addStringRows(found, { parameter: number, isFamily, rowSettings: settings, rows });
    }
    case 'reference':
      if (isEmbedded(definitions, stored))
        return (_found, settings, rows, bundle) => {
          const address = firstAddress(bundle);
          if (address !== undefined) addAddressRow(address, number, settings, rows);
        };
      return isTyped
        ? (found, settings, rows, resource) => {
            addReferenceRows(found, number, settings, rows);
            addTypedReferenceRows(found, { resource, parameter: number, settings, rows });
          }
        : (found, settings, rows) => addReferenceRows(found, number, settings, rows);
    case 'uri': {
      const hasVersion = isCanonicalUrl(definitions, parameter);
      return (found, { hasher }, rows, resource) =>
        addUriRows(found, {
          parameter: number,
          hasher,
          rows,
          ownVersion: hasVersion ? resource['version'] : undefined,
        });
    }
    case 'date':
    case 'number':
    case 'quantity':
      return (found, settings, rows) => addRangeRows(found, { parameter: number, kind, settings, rows });
    case 'special':
      return (found, _settings, rows) => addPositionRows(found, number, rows);
    case 'composite':
      return () => undefined;
  }
}

/** True for a value that has more than extensions; a value with extensions alone counts as missing. */
function hasContent(value: JsonValue): boolean {
  if (!isJsonObject(value)) return value !== null && value !== '' && !Array.isArray(value);
  for (const name in value) {
    if (name !== 'extension' && name !== 'id' && name.charCodeAt(0) !== UNDERSCORE) return true;
  }
  return false;
}

const UNDERSCORE = 95;
