/** The preferences in `Prefer` (https://hl7.org/fhir/R4/http.html#ops, https://hl7.org/fhir/R4/search.html#errors). */
export interface Preference {
  readonly answer: 'representation' | 'minimal' | 'OperationOutcome';
  readonly handling: 'strict' | 'lenient' | undefined;
  /** `respond-async` (https://hl7.org/fhir/R4/async.html). */
  readonly isAsync: boolean;
  /** `separate-export-status` (https://hl7.org/fhir/uv/bulkdata/export.html). */
  readonly hasSeparateStatus: boolean;
}

const RESPOND_ASYNC = 'respond-async';
const SEPARATE_STATUS = 'separate-export-status';
const NOTHING: Preference = Object.freeze({
  answer: 'representation',
  handling: undefined,
  isAsync: false,
  hasSeparateStatus: false,
});

/**
 * Parses a `Prefer` header. The first of repeated preferences applies, and unknown ones are ignored, as RFC 7240
 * requires.
 */
export function parsePreference(header: string | readonly string[] | undefined): Preference {
  if (header === undefined) return NOTHING;
  let answer: Preference['answer'] | undefined;
  let handling: Preference['handling'];
  let isAsync = false;
  let hasSeparateStatus = false;
  const text = typeof header === 'string' ? header : header.join(',');
  for (const element of text.split(/[,;]/)) {
    const [name = '', value = ''] = element.split('=').map((part) => part.trim().replace(/^"(.*)"$/, '$1'));
    const preference = value.toLowerCase();
    if (name.toLowerCase() === 'return') {
      if (preference === 'minimal') answer ??= 'minimal';
      else if (preference === 'operationoutcome') answer ??= 'OperationOutcome';
      else if (preference === 'representation') answer ??= 'representation';
    } else if (name.toLowerCase() === 'handling' && (preference === 'strict' || preference === 'lenient')) {
      handling ??= preference;
    } else if (name.toLowerCase() === RESPOND_ASYNC) {
      isAsync = true;
    } else if (name.toLowerCase() === SEPARATE_STATUS) {
      hasSeparateStatus = true;
    }
  }
  return { answer: answer ?? 'representation', handling, isAsync, hasSeparateStatus };
}

/** Returns the header without `respond-async`; '' where nothing is left. */
export function withoutAsync(header: string): string {
  return header
    .split(',')
    .map((part) =>
      part
        .split(';')
        .filter((piece) => piece.trim().toLowerCase() !== RESPOND_ASYNC)
        .join(';'),
    )
    .filter((part) => part.trim() !== '')
    .join(',');
}
