import {
  decodeText,
  fileName,
  fromBase64,
  isPdf,
  previewOf,
  safeType,
} from '../../console/src/fhir/attachment';

describe('The content of an attachment', () => {
  it.each([
    ['image/png', 'image', 'image/png'],
    ['IMAGE/SVG+XML; charset=utf-8', 'image', 'image/svg+xml'],
    ['application/pdf', 'pdf', 'application/pdf'],
    ['text/plain; charset=utf-8', 'text', 'application/octet-stream'],
    // A page is shown as its source: the browser never gets it as a page.
    ['text/html', 'text', 'application/octet-stream'],
    ['application/xhtml+xml', 'text', 'application/octet-stream'],
    ['application/fhir+json', 'text', 'application/octet-stream'],
    ['application/javascript', 'none', 'application/octet-stream'],
    ['video/mp4', 'video', 'video/mp4'],
    ['audio/mpeg', 'audio', 'audio/mpeg'],
    ['video/x-unknown', 'none', 'application/octet-stream'],
    ['', 'none', 'application/octet-stream'],
  ])('%s is shown as %s, and given to the browser as %s', (type, preview, safe) => {
    expect([previewOf(type), safeType(type)]).toEqual([preview, safe]);
  });

  it('is a PDF where it begins like one', () => {
    expect(isPdf(fromBase64(btoa('%PDF-1.7')))).toBe(true);
    expect(isPdf(fromBase64(btoa('<html>')))).toBe(false);
  });

  it('has the characters that its type names', () => {
    expect(decodeText(Uint8Array.of(0xe9), 'text/plain; charset=iso-8859-1')).toBe('é');
    expect(decodeText(Uint8Array.of(0xc3, 0xa9), 'text/plain')).toBe('é');
    expect(decodeText(Uint8Array.of(0x61), 'text/plain; charset=nothing')).toBe('a');
  });

  it.each([
    [{ title: 'Report', contentType: 'application/pdf' }, 'Report.pdf'],
    [{ title: 'notes.md', contentType: 'text/plain' }, 'notes.md'],
    [{ url: 'Binary/scan.png?x=1', contentType: 'image/png' }, 'scan.png'],
    [{ title: '../../etc/passwd' }, '_.._etc_passwd'],
    [{ title: 'a\u202efdp.exe', contentType: 'application/pdf' }, 'a_fdp.exe'],
    [{ title: '<b>"x"|y</b>', contentType: 'text/plain' }, '_b__x__y__b_.txt'],
    [{ contentType: 'application/vnd.ms-excel' }, 'attachment'],
  ])('%j is saved as %s', (attachment, name) => {
    expect(fileName(attachment)).toBe(name);
  });
});
