/** Rules in code: those that only the text of the specification states, and those whose FHIRPath is too expensive. */
import type { Definitions } from '../definitions';
import type { JsonObject } from '../json';
import { shorten } from '../json/fault';
import { checkReference } from './reference-target';
import type { ValidationRun } from './run';

/** Reports at the place of the object, or below it. The object and everything in it must have the right shape. */
export type NativeRule = (value: JsonObject, run: ValidationRun) => void;

/** Returns the rules that are checked with the structure, by type or path of a nested element (`Bundle.entry`). */
export function structuralRules(name: string, definitions: Definitions): readonly NativeRule[] {
  if (name === 'Extension') return EXTENSION_RULES;
  if (name === 'Reference') return [(value, run) => checkReference(value, run, definitions)];
  return NONE;
}

const NONE: readonly NativeRule[] = [];

const EXTENSION_RULES: readonly NativeRule[] = [checkExtensionContent, checkExtensionUrl];

/** https://hl7.org/fhir/R4/extensibility.html#Extension */
function checkExtensionContent(extension: JsonObject, run: ValidationRun): void {
  let hasValue = false;
  for (const name in extension) if (name.startsWith('value') || name.startsWith('_value')) hasValue = true;
  if (hasValue === (extension['extension'] !== undefined)) {
    const found = hasValue ? 'both were' : 'neither was';
    run.report('invariant', `ext-1: an extension has either a value or extensions, but ${found} found`);
  }
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * "The url … SHALL be an absolute URL", but inside an extension the definition of that extension may use names instead.
 */
function checkExtensionUrl(extension: JsonObject, run: ValidationRun): void {
  const url = extension['url'];
  if (typeof url !== 'string' || SCHEME.test(url)) return;
  if (run.outerStep === 'extension' || run.outerStep === 'modifierExtension') return;
  run.report('business', `The url of an extension is absolute (http://…), but '${shorten(url)}' was found`, [
    'url',
  ]);
}
