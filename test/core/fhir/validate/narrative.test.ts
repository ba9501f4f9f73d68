import { isJsonObject, type JsonValue } from '../../../../src/core/fhir/json';
import { RELEASE_NAMES } from '../../../../src/core/fhir/release';
import { checkNarrative } from '../../../../src/core/fhir/validate/narrative';
import { readExamples } from '../../../support/examples';
import { Random } from '../random-json';
import { leastProcessorMilliseconds } from '../../../support/processor-time';
import { rounds } from '../../../support/rounds';

const OPEN = '<div xmlns="http://www.w3.org/1999/xhtml">';

function inDiv(content: string): string {
  return `${OPEN}${content}</div>`;
}

const narrativeFault = (xhtml: string): string | undefined => checkNarrative(xhtml).fault;

describe('A narrative is accepted with a warning, with the place,', () => {
  it.each([
    [
      'an entity of HTML',
      'a&nbsp;b &eacute;',
      "'&nbsp;' at character 44 is an entity of HTML, which XML does not have",
    ],
    [
      'an attribute for data',
      '<p data-fhir="a">b</p><p data-x="">c</p>',
      "The attribute 'data-fhir' at character 55",
    ],
  ])('for %s', (_title, content, beginning) => {
    const { fault, warnings } = checkNarrative(inDiv(content));
    expect([fault, ...warnings]).toEqual([undefined, expect.stringContaining(beginning)]);
  });

  it('but an entity in an attribute, and too many attributes, are refused', () => {
    expect(narrativeFault(inDiv('<a href="javascript&colon;a">b</a>'))).toContain('is not an XML reference');
    const many = Array.from({ length: 101 }, (_, index) => `data-a${index}="b"`).join(' ');
    expect(narrativeFault(inDiv(`<p ${many}>a</p>`))).toContain('is one too many');
  });
});

describe('A narrative is accepted', () => {
  it.each([
    ['with text alone', 'A patient'],
    ['with formatting', '<h1>A</h1><p class="bold" style="color: red">a <b>b</b><br/>c</p><hr /><br></br>'],
    ['with lists and tables', '<ul><li>a</li></ul><table border="1"><tr><td colspan="2" nowrap="nowrap">a</td></tr></table>'],
    ['with links and images', '<a href="https://a.b/c?d=e&amp;f=g">a</a><a href="#p1">b</a><a name="p1"/><img src="#pic1" alt="a"/>'],
    ['with an image of its own', '<img src="data:image/png;base64,iVBORw0KGgo="/>'],
    ['with addresses of mail and telephone', '<a href="mailto:a@b.c">a</a><a href=\'tel:+1 23\'>b</a><a href="javascripts/a.html">c</a>'],
    ['with a comment', '<!-- not shown: <script> & --><p>a</p>'],
    ['with references of XML', '&lt;b&gt; &amp; &quot;&apos;&#160;&#xA0;&#x1F600;'],
    ['in any script', '<p xml:lang="ar" lang="ar" dir="rtl">مرحبا</p>寿司 😀 é'],
    ['with > in its text and in values below the div', 'a > b <span title="a > b">c</span>'],
    ['with white space in its tags', '<p\n class = "a"\t>a</p >'],
    ['with only a number of a space that does not break', '&#160;'],
    ['with nothing but an image', '<img src="a.png"/>'],
    ['with an element that names the namespace again', '<p xmlns="http://www.w3.org/1999/xhtml">a</p>'],
  ])('%s', (_title, content) => {
    expect(narrativeFault(inDiv(content))).toBeUndefined();
  }); // prettier-ignore

  it('with white space around it, and quotes of either kind', () => {
    const open = "\n <div lang='en' xmlns = 'http://www.w3.org/1999/xhtml' >";
    expect(narrativeFault(`${open}a</div>\r\n\t`)).toBeUndefined();
  });

  it('in every official example, except four of R4 without content (txt-2)', () => {
    const refused = RELEASE_NAMES.flatMap((release) =>
      readExamples(release).flatMap(({ type, id, resource }) =>
        narrativesOf(resource)
          .map((narrative) => narrativeFault(narrative))
          .filter((fault) => fault !== undefined)
          .map((fault) => `${release} ${type}/${id}: ${fault}`),
      ),
    );
    const empty = 'The narrative has no content; allowed: text or an image in the div (txt-2)';
    expect(refused).toEqual([
      `r4 ActivityDefinition/blood-tubes-supply: ${empty}`,
      `r4 ActivityDefinition/heart-valve-replacement: ${empty}`,
      `r4 EventDefinition/example: ${empty}`,
      `r4 Questionnaire/zika-virus-exposure-assessment: ${empty}`,
    ]);
  });
});

describe('A narrative is refused, with the place,', () => {
  it.each([
    ['a script', '<script>alert(1)</script>', "The element 'script' at character 43 is not allowed in a narrative (txt-1)"],
    ['a style sheet', '<style>p {}</style>a', "The element 'style' at character 43 is not"],
    ['a form', '<form action="a"><input/></form>a', "The element 'form'"],
    ['a frame', 'a<iframe src="http://a"/>', "The element 'iframe' at character 44"],
    ['an object', '<object data="a"/>a', "The element 'object'"],
    ['drawings', '<svg onload="alert(1)"/>a', "The element 'svg'"],
    ['a deprecated element', '<font color="red">a</font>', "The element 'font'"],
    ['a change mark', '<ins>a</ins>', "The element 'ins'"],
    ['an element in upper case', '<P>a</P>', "The element 'P'"],
    ['an element with a prefix', '<x:p>a</x:p>', "The element 'x:p'"],
    ['an event', '<p onclick="alert(1)">a</p>', "The attribute 'onclick' of the p at character 46 is not allowed in a narrative (txt-1)"],
    ['an event in upper case', '<img src="a" OnError="alert(1)"/>', "The attribute 'OnError' of the img"],
    ['an event without white space before it', '<img src="a"onerror="alert(1)"/>', 'The tag of the img is not well-formed at character 55'],
    ['an attribute with a prefix', '<a xlink:href="a">a</a>', "The attribute 'xlink:href'"],
    ['another namespace', '<p xmlns="http://www.w3.org/2000/svg">a</p>', "The attribute 'xmlns' of the p at character 46 is 'http://www.w3.org/2000/svg'; allowed: http://www.w3.org/1999/xhtml"],
    ['a script as address', '<a href="javascript:alert(1)">a</a>', "The attribute 'href' of the a at character 46 is 'javascript:alert(1)', which could run a script"],
    ['a script as address in disguise', '<a href=" &#x6A;ava&#10;scr\tIPT&#58;alert(1)">a</a>', 'which could run a script'],
    ['a script behind control characters', '<a href="&#32;\n javascript&#x3a;alert(1)">a</a>', 'which could run a script'],
    ['a script of another language', '<a href="VBScript:a">a</a>', 'which could run a script'],
    ['a page as data', '<a href="data:text/html;base64,PHNjcmlwdD4=">a</a>', 'which could run a script'],
    ['an image as data behind a link', '<a href="data:image/svg+xml,a">a</a>', 'which could run a script'],
    ['a page as data for an image', '<img src="data:text/html,a"/>', 'which could run a script'],
    ['a script as source', '<img src="javascript:alert(1)"/>', 'which could run a script'],
    ['a script in a style', '<p style="background: url(JavaScript:alert(1))">a</p>', 'which could run a script'],
    ['an expression in a style', '<p style="width: expression (alert(1))">a</p>', 'which could run a script'],
    ['an entity of HTML in an attribute', '<p title="&copy;">a</p>', "The attribute 'title' of the p at character 46 has a value in which '&copy;' at character 53 is not an XML reference"],
    ['a bare &', 'a & b', "'&' at character 45 is not an XML reference"],
    ['a character that XML does not have', '&#0;', "'&#0;' at character 43 is not an XML reference"],
    ['half of a pair', '&#xD83D;', "'&#xD83D;' at character 43"],
    ['a number beyond Unicode', '&#x110000;', "'&#x110000;' at character 43"],
    ['a bare <', 'a < b', "The '<' at character 45 does not begin a tag; allowed: &lt;"],
    ['an element that is not closed', '<p>a', "'</div>' at character 47 does not close the element that is open; allowed: </p>"],
    ['elements that overlap', '<b><i>a</b></i>', "'</b>' at character 50 does not close the element that is open; allowed: </i>"],
    ['an end tag without a start tag', 'a</p>', "'</p>' at character 44 does not close the element that is open; allowed: </div>"],
    ['an end tag with an attribute', '<p>a</p class="a">', '\'</p class="a">\' at character 47 does not close'],
    ['an attribute without quotes', '<p class=a>b</p>', "The attribute 'class' of the p at character 46 has no value in quotes"],
    ['an attribute without a value', '<td nowrap>a</td>', "The attribute 'nowrap' of the td at character 47 has no value; allowed: nowrap=\"value\""],
    ['an attribute whose quote is not closed', '<p class="a>b</p>', "The attribute 'class' of the p at character 46 has no value in quotes"],
    ['an attribute that occurs twice', '<p id="a" class="b" id="c">d</p>', "The attribute 'id' of the p at character 63 occurs twice"],
    ['< in an attribute', '<p title="a<b">c</p>', "The attribute 'title' of the p at character 46 holds '<'"],
    ['CDATA', '<![CDATA[<script>]]>a', "'<![CDATA[<script>' at character 43 is neither element nor text nor comment"],
    ['the end of CDATA', 'a]]>b', "The text at character 43 holds ']]>'; allowed: ]]&gt;"],
    ['a document type', '<!DOCTYPE html>a', "'<!DOCTYPE html>' at character 43"],
    ['a processing instruction', '<?php a ?>b', "'<?php a ?>' at character 43"],
    ['a comment that is not closed', 'a<!-- b', 'The comment at character 44 is not closed'],
    ['a comment with -- inside', 'a<!-- b -- c -->', 'The comment at character 44'],
    ['a comment that ends early in HTML', '<!--><img src="x"/>-->a', 'The comment at character 43'],
    ['a comment that ends early in HTML, with a dash', '<!---><img src="x"/>-->a', 'The comment at character 43'],
    ['a control character', 'a\u0007b', 'The character at character 44 is a control character'],
    ['no content', '', 'The narrative has no content; allowed: text or an image in the div (txt-2)'],
    ['only white space', ' \r\n\t&#32;&#x0a;<p> </p><br/>', 'The narrative has no content'],
    ['only a comment', '<!-- a -->', 'The narrative has no content'],
    ['only an image without a source', '<img alt="a"/>', 'The narrative has no content'],
  ])('for %s', (_title, content, beginning) => {
    const fault = narrativeFault(inDiv(content));
    expect(fault).toContain(beginning);
    expect(fault?.length).toBeLessThan(300);
  }); // prettier-ignore

  it.each([
    ['', "The narrative begins with ''"],
    ['text', "The narrative begins with 'text'; allowed: <div xmlns"],
    ['<?xml version="1.0"?>' + inDiv('a'), "The narrative begins with '<?xml version"],
    ['<!-- a -->' + inDiv('a'), "The narrative begins with '<!-- a -->"],
    ['<p xmlns="http://www.w3.org/1999/xhtml">a</p>', "The narrative begins with '<p xmlns"],
    ['<divan xmlns="http://www.w3.org/1999/xhtml">a</divan>', "The element 'divan' at character 1"],
    ['<div>a</div>', 'The div has no namespace; allowed: <div xmlns="http://www.w3.org/1999/xhtml">…</div>'],
    ['<div xmlns="http://hl7.org/fhir">a</div>', "The attribute 'xmlns' of the div at character 6 is 'http://hl7.org/fhir'"],
    ['<div xmlns="http://www.w3.org/1999/xhtml" title="a > b">a</div>', "The attribute 'title' of the div at character 43 holds '>'"],
    ['<x:div xmlns:x="http://www.w3.org/1999/xhtml">a</x:div>', "The narrative begins with '<x:div"],
    [inDiv('a') + 'b', 'More follows after the div, at character 50'],
    [inDiv('a') + inDiv('a'), 'More follows after the div'],
    [inDiv('a') + '<!-- a -->', 'More follows after the div'],
    [OPEN, "The element 'div' at character 1 is not closed; allowed: </div>"],
    [OPEN + 'a</div', "'</div' at character 44 does not close"],
    ['<div', 'The tag of the div is not well-formed at character 5'],
    ['\u00011.00', 'The character at character 1 is a control character'],
  ])('where it is %s', (narrative, beginning) => {
    expect(narrativeFault(narrative)).toContain(beginning);
  }); // prettier-ignore

  it('when its elements are nested beyond reason', () => {
    const nest = (levels: number): string => inDiv(`${'<b>'.repeat(levels)}a${'</b>'.repeat(levels)}`);
    expect(narrativeFault(nest(199))).toBeUndefined();
    expect(narrativeFault(nest(200))).toContain(
      "The element 'b' at character 640 is nested too deep; allowed: 200",
    );
  });
});

describe('Narratives made at random', () => {
  const random = new Random(20_260_802);

  it('are accepted when they have only allowed content', () => {
    for (let round = 0; round < rounds(200, 2_000); round++) {
      const narrative = inDiv(`a${makeContent(random, 4)}`);
      expect([narrative, narrativeFault(narrative)]).toEqual([narrative, undefined]);
    }
  });

  it('are refused as soon as one thing is wrong with them', () => {
    for (let round = 0; round < rounds(400, 4_000); round++) {
      const content = makeContent(random, 4);
      const places = [...content.matchAll(/(?<=>)(?=[^>]*<)/g)].map(({ index }) => index).filter((at) => !isInComment(content, at));
      const at = places.length === 0 ? 0 : random.pick(places);
      const narrative = inDiv(`a${content.slice(0, at)}${random.pick(WRONG)}${content.slice(at)}`);
      expect([narrative, typeof narrativeFault(narrative)]).toEqual([narrative, 'string']);
    }
  }); // prettier-ignore

  it('are checked without an exception, whatever they contain', () => {
    const bits = ['<', '>', '</', '/>', '"', "'", '=', '&', ';', '#', '!', '--', '?', ']]>', ' ', 'a', 'p', 'div', 'href', 'xmlns', '\u0000', '😀', OPEN, '</div>'];
    for (let round = 0; round < rounds(2_000, 20_000); round++) {
      let narrative = random.below(2) === 0 ? OPEN : '';
      for (let count = random.below(12); count > 0; count--) narrative += random.pick(bits);
      const fault = narrativeFault(narrative);
      if (fault !== undefined) expect(fault).toMatch(/^\S/);
    }
  }); // prettier-ignore
});

it.each([
  '<', '<div>', '</div>', ' ', '&', '&amp;', '&#32;', '&#', '<br/>', '<br', '<p class="a" ', '<p class="', '<p title="]]>"/>',
  '<!---->', '<!--', ']]>', '<a href="javascript', '寿',
])('A narrative of two million characters of %j is judged at once', (bit) => {
  for (const start of [OPEN, `${OPEN}<p `, `${OPEN}<a href="`, `${OPEN}<p style="(`, `${OPEN}<!--`, '']) {
    expect(timeOf(start + bit.repeat(2_000_000 / bit.length), 2_000)).toBeLessThan(2_000);
  }
}); // prettier-ignore

it('A narrative of ten million characters is judged in seconds, not in hours', () => {
  expect(timeOf(inDiv('a'.repeat(10_000_000)), 5_000)).toBeLessThan(5_000);
  expect(timeOf(inDiv('a <b>b</b> &amp; '.repeat(600_000)), 5_000)).toBeLessThan(5_000);
});

/** Milliseconds that the judgement takes, which are meant to be less than the limit. */
function timeOf(narrative: string, limit: number): number {
  // Makes it one flat string, as the parser gives it, so that the making is not measured.
  narrative.charCodeAt(0);
  return leastProcessorMilliseconds(limit, () => narrativeFault(narrative));
}

const NAMES = ['p', 'b', 'span', 'table', 'td', 'h1', 'blockquote', 'ul', 'li', 'pre', 'code', 'a', 'small'];
const ATTRIBUTES = [
  'class="a"',
  "id='x1'",
  'style="color: red"',
  'title = "a &lt; b"',
  'href="https://a.b/?c&amp;d"',
  'lang="de"',
];
const WORDS = ['a', 'Müller', ' ', '\n', '&amp;', '&#160;', '5 > 4', '寿司', '😀', ']]', '--'];
const WRONG = ['<', '&', '</p>', '<p>', '<script/>', '<b onclick="a"/>', '<b class=a/>', '<b class="a" class="a"/>', ']]>', '<![CDATA[a]]>', '<?a?>', '<a href="javascript:a"/>', '<!--->', '\u0000']; // prettier-ignore

function makeContent(random: Random, depth: number): string {
  let content = '';
  for (let count = random.below(5); count > 0; count--) {
    const kind = depth === 0 ? 0 : random.below(5);
    if (kind < 2) content += random.pick(WORDS);
    else if (kind === 2)
      content += random.pick(['<br/>', '<img src="a.png" alt=""/>', '<!-- a & <b> -->', '<hr />']);
    else {
      const name = random.pick(NAMES);
      const attributes = ATTRIBUTES.filter(() => random.below(6) === 0).map((attribute) => ` ${attribute}`).join(''); // prettier-ignore
      content += `<${name}${attributes}>${makeContent(random, depth - 1)}</${name}>`;
    }
  }
  return content;
}

function isInComment(content: string, at: number): boolean {
  return content.lastIndexOf('<!--', at - 1) > content.lastIndexOf('-->', at - 1);
}

function narrativesOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(narrativesOf);
  if (!isJsonObject(value)) return [];
  const { text } = value;
  const own = isJsonObject(text) && typeof text['div'] === 'string' ? [text['div']] : [];
  return [...own, ...Object.values(value).flatMap(narrativesOf)];
}
