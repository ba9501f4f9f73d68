/** Names that people read in lists, logs and pages of sign-in. */

/**
 * Characters that let a name look like another one or leave its line: controls, line separators, half surrogate pairs, and
 * those that change the direction of text. Source: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
 */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;

/** The reason why a name is refused for its characters. */
export const SHOWN_NAME_EXPECTED = 'in one line, without control characters and marks of text direction';

/** True for a text with nothing in it that misleads its reader. */
export function isShownName(text: string): boolean {
  return !MISLEADING.test(text);
}
