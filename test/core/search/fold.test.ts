import { cut, fold, foldForIndex, furtherWords } from '../../../src/core/search/rows/fold';

describe('a folded string', () => {
  it.each([
    ['Chalmers', 'chalmers'],
    ['chalmers', 'chalmers'],
    ['Muñoz', 'munoz'],
    ['Mun\u0303oz', 'munoz'],
    ['Carreño Quiñones', 'carreno quinones'],
    ["O'Brien", 'obrien'],
    ['O’Brien', 'obrien'],
    ['Smith-Jones', 'smith jones'],
    ['Smith–Jones', 'smith jones'],
    ['  St.  Mary\t\n', 'st mary'],
    ['Łódź', 'lodz'],
    ['Straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['Æsir', 'aesir'],
    ['Ægir Þór', 'aegir thor'],
    ['İstanbul', 'istanbul'],
    ['Σίσυφος', 'σισυφοσ'],
    ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
    ['Ёлкин', 'елкин'],
    ['ＦＵＬＬ　ｗｉｄｔｈ', 'full width'],
    ['ﬁnger', 'finger'],
    ['ガス', 'ガス'],
    ['한국', '한국'],
    ['東京', '東京'],
    ['Đặng Thị', 'dang thi'],
    ['𝐁old', 'bold'],
    ['a\u0000b\u200dc', 'abc'],
    ['\ud800x', 'x'],
    ['...', ''],
    ['', ''],
    [' ', ''],
    ['A+B', 'a+b'],
    ['12 Bench Street, Boston', '12 bench street boston'],
    ['ß ', 'ss'],
  ])('%p is %p', (text, folded) => expect(fold(text)).toBe(folded));

  it('is its own folding, for every character there is', () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const once = fold(`x${String.fromCodePoint(code)}y`);
      if (fold(once) !== once) throw new Error(`U+${code.toString(16)}: ${once} becomes ${fold(once)}`);
    }
  });

  it('is the same for a text and its capitals, composed and decomposed, in the scripts of Europe', () => {
    for (let code = 0x20; code < 0x530; code++) {
      const character = String.fromCodePoint(code);
      if (/\p{M}/u.test(character)) continue;
      for (const other of [character.toUpperCase(), character.normalize('NFD'), character.normalize('NFC')])
        if (fold(other) !== fold(character))
          throw new Error(`U+${code.toString(16)}: ${fold(character)} and ${fold(other)}`);
    }
  });

  it('is cut for the index without leaving half a character', () => {
    expect(foldForIndex('a'.repeat(5000))).toBe('a'.repeat(200));
    expect(foldForIndex(`${'a'.repeat(199)}😀`)).toBe('a'.repeat(199));
    expect(cut('😀', 1)).toBe('');
  });
});

it('offers the further words of a family name', () => {
  expect(furtherWords('carreno quinones')).toEqual(['quinones']);
  expect(furtherWords('munoz')).toEqual([]);
});
