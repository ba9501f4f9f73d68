/** Displays and designations of a concept in a requested language. */
import { type JsonObject } from '../json';
import { parseLanguages } from './languages';
import { objectMember, objectsMember, standardsStatus, stringMember } from './members';
import { type Member } from './membership';

/**
 * A requested designation, by language or by use: `system|code` or a code alone (parameter `designation` of $expand).
 */
export interface DesignationToken {
  readonly system: string | undefined;
  readonly code: string;
}

const LANGUAGES = 'urn:ietf:bcp:47';

/** Parses a token as in searches: `system|code` or `code`. */
export function parseDesignationToken(text: string): DesignationToken {
  const bar = text.lastIndexOf('|');
  if (bar < 0) return { system: undefined, code: text };
  return { system: text.slice(0, bar) || undefined, code: text.slice(bar + 1) };
}

/** Returns the designations of the value set before those of the code system, each once. */
export function designationsOf(member: Pick<Member, 'listed' | 'concept'>): readonly JsonObject[] {
  const listed = member.listed === undefined ? [] : objectsMember(member.listed, 'designation');
  const own = member.concept === undefined ? [] : objectsMember(member.concept.element, 'designation');
  if (listed.length === 0 || own.length === 0) return listed.length === 0 ? own : listed;
  const texts = new Set(listed.map((designation) => JSON.stringify(designation)));
  return [...listed, ...own.filter((designation) => !texts.has(JSON.stringify(designation)))];
}

const PREFERRED: JsonObject = {
  system: 'http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra',
  code: 'preferredForLanguage',
};

/**
 * Returns the designations beside the display that is shown: without the one that it is, and with the display in the language of the code
 * system where a designation is shown in its place.
 */
export function designationsBeside(member: DisplaySource, shown: string | undefined): readonly JsonObject[] {
  const own = ownDisplay(member);
  const all = designationsOf(member);
  if (own === undefined || shown === undefined || own === shown) return all;
  const language = member.codeSystem && stringMember(member.codeSystem.head, 'language');
  const replaced = { ...(language === undefined ? {} : { language }), use: PREFERRED, value: own };
  return [replaced, ...all.filter((each) => stringMember(each, 'value') !== shown)];
}

/** The parts of a member that have displays. */
type DisplaySource = Pick<Member, 'listed' | 'concept' | 'codeSystem'>;

/**
 * Returns the display in the first language of a list (`de-AT, en;q=0.5`) that the concept has: that of the value set or code system if
 * the code system is in this language, else a designation in it, one for display first. Without any, the display in whatever language.
 * A language matches its variants and the other way round (`de`, `de-AT`); an exact match comes first.
 */
export function displayOf(member: DisplaySource, languages?: string): string | undefined {
  return (languages === undefined ? undefined : displayInLanguages(member, languages)) ?? ownDisplay(member);
}

/** As `displayOf`, but undefined where the concept has no display in any of the languages. */
export function displayInLanguages(member: DisplaySource, languages: string): string | undefined {
  const display = ownDisplay(member);
  for (const language of parseLanguages(languages) ?? []) {
    const found = displayIn(member, language, display);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownDisplay({ listed, concept }: DisplaySource): string | undefined {
  return (listed && stringMember(listed, 'display')) ?? concept?.display;
}

/** `display`: what is shown in whatever language. Undefined: the member has nothing in this language. */
function displayIn(member: DisplaySource, language: string, display: string | undefined): string | undefined {
  const { codeSystem } = member;
  const own = codeSystem === undefined ? undefined : stringMember(codeSystem.head, 'language');
  if (display !== undefined && isLanguage(own, language)) return display;
  const wanted = language.toLowerCase();
  const fitting = designationsOf(member).filter((designation) =>
    isLanguage(stringMember(designation, 'language'), language),
  );
  const exact = fitting.filter(
    (designation) => stringMember(designation, 'language')?.toLowerCase() === wanted,
  );
  const candidates = exact.length === 0 ? fitting : exact;
  const best = candidates.find(isForDisplay) ?? candidates[0];
  return best && stringMember(best, 'value');
}

/** Codes of the uses of a designation that is shown in place of the display (designation-usage, hl7TermMaintInfra). */
const DISPLAY_USES: ReadonlySet<string | undefined> = new Set(['display', 'preferredForLanguage']);

/** True for a designation whose use is to be displayed; one without a use is. */
function isForDisplay(designation: JsonObject): boolean {
  const use = objectMember(designation, 'use');
  return use === undefined || DISPLAY_USES.has(stringMember(use, 'code'));
}

/** True if a designation is among the requested ones; true for all if none are requested. */
export function isWanted(designation: JsonObject, tokens: readonly DesignationToken[]): boolean {
  if (tokens.length === 0) return true;
  const language = stringMember(designation, 'language');
  const use = objectMember(designation, 'use') ?? {};
  return tokens.some(({ system, code }) => {
    if ((system === undefined || system === LANGUAGES) && isLanguage(language, code)) return true;
    return (
      stringMember(use, 'code') === code && (system === undefined || stringMember(use, 'system') === system)
    );
  });
}

/** True if a text is the display or a designation of the concept, regardless of case and spaces. */
export function isDisplay(member: Pick<Member, 'listed' | 'concept'>, text: string): boolean {
  const wanted = normalise(text);
  const displays = [
    member.listed && stringMember(member.listed, 'display'),
    member.concept?.display,
    ...designationsOf(member).map((designation) => stringMember(designation, 'value')),
  ];
  return displays.some((display) => display !== undefined && normalise(display) === wanted);
}

/** A display that a code may have, with its language if it is known. */
export interface RightDisplay {
  readonly value: string;
  readonly language: string | undefined;
}

/**
 * Returns the displays of a concept that are for display and in force, each once; with a list of languages those in one of them, and those
 * whose language is not known.
 */
export function rightDisplays(member: DisplaySource, languages?: string): readonly RightDisplay[] {
  const { listed, concept, codeSystem } = member;
  const language = codeSystem === undefined ? undefined : stringMember(codeSystem.head, 'language');
  const own = [listed && stringMember(listed, 'display'), concept?.display];
  const all = [
    ...own.map((value) => ({ value, language })),
    ...designationsOf(member)
      .filter((each) => isForDisplay(each) && statusOfDesignation(each) === undefined)
      .map((each) => ({ value: stringMember(each, 'value'), language: stringMember(each, 'language') })),
  ];
  const wanted = languages === undefined ? [] : (parseLanguages(languages) ?? []);
  const found = new Map<string, RightDisplay>();
  for (const { value, language: of } of all) {
    const fits = wanted.length === 0 || of === undefined || wanted.some((each) => isLanguage(of, each));
    if (value !== undefined && fits && !found.has(value)) found.set(value, { value, language: of });
  }
  return [...found.values()];
}

/** The status of a display that was right once; undefined: it is in force, or is none. */
export function statusOfFormerDisplay(member: DisplaySource, text: string): string | undefined {
  const wanted = normalise(text);
  const former = designationsOf(member).find(
    (each) =>
      normalise(stringMember(each, 'value') ?? '') === wanted && statusOfDesignation(each) !== undefined,
  );
  const isRight = rightDisplays(member).some(({ value }) => normalise(value) === wanted);
  return former === undefined || isRight ? undefined : statusOfDesignation(former);
}

const NOT_IN_FORCE: ReadonlySet<string | undefined> = new Set(['deprecated', 'withdrawn']);

function statusOfDesignation(designation: JsonObject): string | undefined {
  const status = standardsStatus(designation);
  return NOT_IN_FORCE.has(status) ? status : undefined;
}

function normalise(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** True if a text in the language `found` is one in `wanted`, or in a variant of it. */
export function isLanguage(found: string | undefined, wanted: string): boolean {
  if (found === undefined) return false;
  const [one, other] = [found.toLowerCase(), wanted.toLowerCase()];
  return one === other || one.startsWith(`${other}-`) || other.startsWith(`${one}-`);
}
