/** Checks the XHTML of Narrative.div. Source: https://hl7.org/fhir/R4/narrative.html#xhtml */
import { shorten } from '../json/fault';
import { ATTRIBUTES, ELEMENTS, HTML_ENTITIES, endOfReference, isActive, referred } from './narrative-markup';
import { isXmlSpace } from './text-scan';

const NAMESPACE = 'http://www.w3.org/1999/xhtml';
const ROOT = `<div xmlns="${NAMESPACE}">…</div>`;
/** No page for human readers is nested so deeply, and browsers flatten elements some hundreds of levels deep. */
const MAX_DEPTH = 200;

/** Attributes of one element: there are fewer allowed names, but any number of names that begin with `data-`. */
const MAX_ATTRIBUTES = 100;

const NOT_IN_XML = /[^\t\n\r -\ufffd]/;
const GREATER = 62;
const SLASH = 47;
const EQUALS = 61;

/** The faults of a narrative, as sentences. */
export interface NarrativeFindings {
  /** Undefined for a valid narrative. */
  readonly fault: string | undefined;
  /** Harmless faults, and those that HL7's own tools write; each kind once. */
  readonly warnings: readonly string[];
}

/**
 * Returns what is wrong with a narrative. A valid narrative is one well-formed
 * `div` in the XHTML namespace. It has only the elements and attributes of a narrative (txt-1), has content (txt-2),
 * and has nothing that a browser would run.
 *
 * The check is as strict as XML but for entities of HTML in a text, and it allows attributes `data-*`; both are warnings.
 * Browsers read a narrative as HTML, because it
 * "is often used for the innerHTML property". CDATA sections and comments that end early are refused, because HTML
 * reads them differently. Cost: one pass without recursion, about 1 ns per character of text and 100 ns per tag.
 */
export function checkNarrative(xhtml: string): NarrativeFindings {
  const scan = new NarrativeScan(xhtml);
  const fault = scan.run();
  return { fault, warnings: [...scan.warnings.values()] };
}

interface OpenElement {
  readonly name: string;
  readonly start: number;
}

/**
 * Each method that reads begins at `position` and leaves it after what it has read. Methods that check return the
 * fault.
 */
class NarrativeScan {
  private position = 0;
  private hasContent = false;
  private readonly open: OpenElement[] = [];
  /** The attributes of the last start tag, at most MAX_ATTRIBUTES. */
  private seen: string[] = [];
  /** The next `&` at or after `position`; less than `position` if it must be searched for. */
  private ampersand = -1;
  private readonly hasSectionEnd: boolean;
  /** The first warning of each kind. */
  readonly warnings = new Map<'entity' | 'data', string>();

  constructor(private readonly text: string) {
    this.hasSectionEnd = text.includes(']]>');
  }

  run(): string | undefined {
    const { text } = this;
    const controlAt = text.search(NOT_IN_XML);
    if (controlAt >= 0)
      return `The character ${where(controlAt)} is a control character that XML does not have; leave it out`;
    this.skipSpace();
    if (!text.startsWith('<div', this.position)) {
      const beginning = text.slice(this.position, this.position + 100);
      return `The narrative begins with '${shorten(beginning)}'; allowed: ${ROOT}`;
    }
    const fault = this.startTag() ?? this.content();
    if (fault !== undefined) return fault;
    this.skipSpace();
    if (this.position < text.length)
      return `More follows after the div, ${where(this.position)}; allowed: ${ROOT}`;
    return this.hasContent
      ? undefined
      : 'The narrative has no content; allowed: text or an image in the div (txt-2)';
  }

  /** Reads from after the root's start tag to after its end tag. */
  private content(): string | undefined {
    for (;;) {
      const innermost = this.open.at(-1);
      if (innermost === undefined) return undefined;
      const next = this.text.indexOf('<', this.position);
      if (next < 0)
        return `The element '${innermost.name}' ${where(innermost.start)} is not closed; allowed: </${innermost.name}>`;
      const fault = this.characters(next) ?? this.markup(innermost);
      if (fault !== undefined) return fault;
    }
  }

  /** Reads text up to `end`. */
  private characters(end: number): string | undefined {
    const { text } = this;
    if (this.hasSectionEnd && text.slice(this.position, end).includes(']]>')) {
      return `The text ${where(this.position)} holds ']]>'; allowed: ]]&gt;`;
    }
    for (;;) {
      if (this.ampersand < this.position) {
        const next = text.indexOf('&', this.position);
        this.ampersand = next < 0 ? Infinity : next;
      }
      if (!this.hasContent) {
        this.skipSpace();
        this.hasContent = this.position < end && this.position !== this.ampersand;
      }
      if (this.ampersand >= end) break;
      const start = this.ampersand;
      const code = this.reference(start);
      if (code === undefined && !this.skipEntity(start)) return this.referenceFault(start);
      if (code === undefined || !isXmlSpace(code)) this.hasContent = true;
    }
    this.position = end;
    return undefined;
  }

  private reference(start: number): number | undefined {
    const end = endOfReference(this.text, start);
    if (end === undefined) return undefined;
    this.position = end;
    return referred(this.text, start, end);
  }

  /** Skips an entity of HTML, which stands for a character. */
  private skipEntity(start: number): boolean {
    const [entity, name = ''] = /^&(\w{2,8});/.exec(this.text.slice(start, start + 12)) ?? [];
    if (entity === undefined || !HTML_ENTITIES.has(name)) return false;
    this.position = start + entity.length;
    this.warn(
      'entity',
      `'${entity}' ${where(start)} is an entity of HTML, which XML does not have; use a number, such as &#160; for &nbsp;`,
    );
    return true;
  }

  private warn(kind: 'entity' | 'data', sentence: string): void {
    if (!this.warnings.has(kind)) this.warnings.set(kind, sentence);
  }

  private referenceFault(start: number): string {
    const found = /^&#?\w{0,20};?/.exec(this.text.slice(start, start + 24))?.[0] ?? '&';
    const allowed =
      '&amp; &lt; &gt; &quot; &apos; and numbers, such as &#160; for a space that does not break';
    return `'${found}' ${where(start)} is not an XML reference; allowed: ${allowed}`;
  }

  private markup(innermost: OpenElement): string | undefined {
    const next = this.text.charCodeAt(this.position + 1);
    if (next === SLASH) return this.endTag(innermost);
    if (next === 33 || next === 63) return this.comment();
    return this.startTag();
  }

  private endTag({ name }: OpenElement): string | undefined {
    const start = this.position;
    this.position += 2 + name.length;
    if (this.text.startsWith(name, start + 2)) {
      this.skipSpace();
      if (this.text.charCodeAt(this.position++) === GREATER) {
        this.open.pop();
        return undefined;
      }
    }
    return `'${this.beginning(start)}' ${where(start)} does not close the element that is open; allowed: </${name}>`;
  }

  private comment(): string | undefined {
    const { text, position: start } = this;
    if (!text.startsWith('<!--', start)) {
      return `'${this.beginning(start)}' ${where(start)} is neither element nor text nor comment; allowed are only these`;
    }
    // XML allows no `--` inside, and browsers read `<!-->` and `<!--->` as whole comments.
    const end = text.indexOf('--', start + 4);
    const isWhole = text.startsWith('>', start + 4) || text.startsWith('->', start + 4);
    if (end < 0 || isWhole || text.charCodeAt(end + 2) !== GREATER) {
      return `The comment ${where(start)} is not closed, begins with '>' or holds '--'; allowed: <!-- text -->`;
    }
    this.position = end + 3;
    return undefined;
  }

  private startTag(): string | undefined {
    const { text, position: start } = this;
    const name = this.name(start + 1);
    if (name === '') return `The '<' ${where(start)} does not begin a tag; allowed: &lt;`;
    if (!ELEMENTS.has(name)) {
      return `The element '${shorten(name)}' ${where(start)} is not allowed in a narrative (txt-1); allowed: basic formatting, such as div, p, span, b, table, ul, a and img, in lower case`;
    }
    if (this.open.length >= MAX_DEPTH) {
      return `The element '${name}' ${where(start)} is nested too deep; allowed: ${MAX_DEPTH} levels`;
    }
    if (this.seen.length > 0) this.seen = [];
    const fault = this.attributes(name);
    if (fault !== undefined) return fault;
    if (this.open.length === 0 && !this.seen.includes('xmlns'))
      return `The div has no namespace; allowed: ${ROOT}`;
    if (name === 'img' && this.seen.includes('src')) this.hasContent = true;
    if (text.charCodeAt(this.position) === GREATER) this.open.push({ name, start });
    else this.position++;
    this.position++;
    return undefined;
  }

  /** Reads up to the `>` or `/>`, exclusive. */
  private attributes(element: string): string | undefined {
    for (;;) {
      const before = this.position;
      this.skipSpace();
      const start = this.position;
      const unit = this.text.charCodeAt(start);
      if (unit === GREATER || (unit === SLASH && this.text.charCodeAt(start + 1) === GREATER))
        return undefined;
      const name = start > before ? this.name(start) : '';
      if (name === '')
        return `The tag of the ${element} is not well-formed ${where(start)}; allowed: <${element} name="value">`;
      const reason = this.attribute(element, name);
      if (reason !== undefined)
        return `The attribute '${shorten(name)}' of the ${element} ${where(start)} ${reason}`;
    }
  }

  /** Reads from after the name of an attribute to after its value. */
  private attribute(element: string, name: string): string | undefined {
    const isData = name.startsWith('data-');
    if (isData)
      this.warn(
        'data',
        `The attribute '${shorten(name)}' ${where(this.position)} is not one of a narrative (txt-1)`,
      );
    if (!isData && !ATTRIBUTES.has(name)) {
      return 'is not allowed in a narrative (txt-1); allowed: those of basic formatting, such as class, style, title, href and src';
    }
    if (this.seen.includes(name)) return 'occurs twice; allowed: once';
    if (this.seen.length < MAX_ATTRIBUTES) this.seen.push(name);
    else return `is one too many; allowed: ${MAX_ATTRIBUTES}`;
    this.skipSpace();
    if (this.text.charCodeAt(this.position) !== EQUALS) return `has no value; allowed: ${name}="value"`;
    this.position++;
    this.skipSpace();
    const start = this.position + 1;
    const quote = this.text.charAt(this.position);
    const end = quote === '"' || quote === "'" ? this.text.indexOf(quote, start) : -1;
    if (end < 0) return `has no value in quotes; allowed: ${name}="value"`;
    const value = this.text.slice(start, end);
    if (value.includes('<')) return `holds '<'; allowed: &lt;`;
    // "The characters between the first '>' and the last '<' delimiters is the content of the <div> element."
    if (this.open.length === 0 && value.includes('>')) return `holds '>'; allowed: &gt;`;
    for (let at = value.indexOf('&'); at >= 0; at = value.indexOf('&', this.position - start)) {
      if (this.reference(start + at) === undefined)
        return `has a value in which ${this.referenceFault(start + at)}`;
    }
    if (name === 'xmlns' && value !== NAMESPACE) return `is '${shorten(value)}'; allowed: ${NAMESPACE}`;
    if (isActive(element, name, value)) {
      return `is '${shorten(value)}', which could run a script; allowed: addresses such as https:, mailto: and #id, and images as data:`;
    }
    this.position = end + 1;
    return undefined;
  }

  private name(start: number): string {
    let end = start;
    while (isNameUnit(this.text.charCodeAt(end))) end++;
    this.position = end;
    return this.text.slice(start, end);
  }

  private skipSpace(): void {
    while (isXmlSpace(this.text.charCodeAt(this.position))) this.position++;
  }

  /** Returns a tag, or its beginning, shortened for a sentence. */
  private beginning(start: number): string {
    const tag = this.text.slice(start, start + 100);
    const end = tag.indexOf('>');
    return shorten(end < 0 ? tag : tag.slice(0, end + 1));
  }
}

/**
 * True for characters of the allowed names. A name ends before any other character, so that the tag is not well-formed.
 */
function isNameUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 58) ||
    unit === 45 ||
    unit === 95
  );
}

function where(position: number): string {
  return `at character ${position + 1}`;
}
