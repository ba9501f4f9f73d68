/**
 * Rules of single types that only the text of the specification states. Full validation checks them, and only on values
 * whose structure is right.
 */
import type { Definitions } from '../definitions';
import type { JsonObject } from '../json';
import type { ValidationRun } from './run';
import { checkAttachment } from './type-rules/attachment';
import { checkBundle } from './type-rules/bundle';
import { checkCodeSystem } from './type-rules/code-system';
import { checkCoding } from './type-rules/coding';
import { checkDocument } from './type-rules/document';
import { checkIdentifier } from './type-rules/identifier';
import { checkQuestionnaire } from './type-rules/questionnaire';
import { checkSearchParameter } from './type-rules/search-parameter';
import { checkFilter, checkInclude } from './type-rules/value-set';

/** As a `NativeRule`, with the definitions of the release. */
export type TypeRule = (value: JsonObject, run: ValidationRun, definitions: Definitions) => void;

/** By type (`Attachment`), or path of a nested element (`Bundle.entry`). A new rule is one line here. */
export const TYPE_RULES: ReadonlyMap<string, readonly TypeRule[]> = new Map<string, readonly TypeRule[]>([
  ['Attachment', [checkAttachment]],
  ['Bundle', [checkBundle, checkDocument]],
  ['CodeSystem', [checkCodeSystem]],
  ['Coding', [checkCoding]],
  ['Identifier', [checkIdentifier]],
  ['Questionnaire', [checkQuestionnaire]],
  ['SearchParameter', [checkSearchParameter]],
  ['ValueSet.compose.include', [checkInclude]],
  ['ValueSet.compose.include.filter', [checkFilter]],
]);
