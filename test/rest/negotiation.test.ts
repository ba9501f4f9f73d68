import { requireJsonAccepted } from '../../src/rest/requests/negotiation';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

function isAccepted(accept: string | undefined, format?: string, release: 'r4' | 'r4b' = 'r4'): boolean {
  try {
    requireJsonAccepted(accept, format, release);
    return true;
  } catch {
    return false;
  }
}

describe('the accepted content types of a client', () => {
  it.each([
    [undefined],
    [''],
    ['*/*'],
    ['application/*'],
    ['application/fhir+json'],
    ['application/json'],
    ['application/json+fhir'],
    ['text/json'],
    ['APPLICATION/FHIR+JSON; charset=utf-8'],
    ['application/fhir+xml;q=1.0, application/fhir+json;q=0.1'],
    ['application/fhir+xml, */*;q=0.1'],
    ['application/fhir+json; fhirVersion=4.0'],
    ['application/fhir+json; fhirVersion="4.0"'],
    ['application/fhir+json;q=0, application/json'],
    ['no media type at all'],
    [BROWSER],
  ])('accepts JSON with Accept: %s', (accept) => {
    expect(isAccepted(accept)).toBe(true);
  });

  it.each([
    ['text/csv'],
    ['application/fhir+xml'],
    ['text/html'],
    ['text/*'],
    ['application/fhir+json;q=0'],
    ['*/*, application/*;q=0'],
    ['application/fhir+json; fhirVersion=3.0'],
    ['application/fhir+json; fhirVersion=4.3'],
  ])('refuses JSON with Accept: %s', (accept) => {
    expect(isAccepted(accept)).toBe(false);
  });

  it('accepts fhirVersion for the release of the address', () => {
    expect(isAccepted('application/fhir+json; fhirVersion=4.3', undefined, 'r4b')).toBe(true);
    expect(isAccepted('application/fhir+json; fhirVersion=4.0', undefined, 'r4b')).toBe(false);
  });

  it.each([
    ['json'],
    ['application/json'],
    ['application/fhir+json'],
    ['application/fhir json'],
    ['text/json'],
  ])('gives _format=%s precedence over the header', (format) => {
    expect(isAccepted('application/fhir+xml', format)).toBe(true);
  });

  it.each([['xml'], ['application/fhir+xml'], ['html'], ['ttl'], ['nonsense']])(
    'refuses _format=%s with any header',
    (format) => {
      expect(isAccepted('application/fhir+json', format)).toBe(false);
    },
  );

  it('gives the same answer the second time and after many other headers', () => {
    for (let count = 0; count < 600; count += 1) expect(isAccepted(`text/x-${count}`)).toBe(false);
    expect(isAccepted(BROWSER)).toBe(true);
    expect(isAccepted('text/csv')).toBe(false);
  });
});
