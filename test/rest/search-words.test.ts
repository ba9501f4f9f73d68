/**
 * `:text`, `_text` and `_content`: https://hl7.org/fhir/R4/search.html#token, #text, #content; docs/use/search-reference.md, Words.
 */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Entry {
  readonly resource: { readonly id: string };
}

const SCT = 'http://snomed.info/sct';

function condition(id: string, code: object, narrative?: string, members: object = {}): object {
  return {
    resourceType: 'Condition',
    id,
    subject: { reference: 'Patient/jose' },
    code,
    ...(narrative === undefined
      ? {}
      : {
          text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${narrative}</div>` },
        }),
    ...members,
  };
}

/** Resources as JSON texts, because it matters how a client writes them. */
const RESOURCES: readonly string[] = [
  {
    resourceType: 'Patient',
    id: 'jose',
    name: [
      { family: 'Carreño Quiñones', given: ['José', 'Maria'] },
      { family: "O'Brien", given: ['Pat'] },
    ],
    address: [{ line: ['7 Elm Street'], city: 'Łódź' }],
    identifier: [
      {
        system: 'urn:a',
        value: '1',
        type: { text: 'Medical record number', coding: [{ display: 'Unseen words' }] },
      },
    ],
  },
  {
    resourceType: 'Patient',
    id: 'maria',
    name: [{ family: 'Quinn', given: ['Mary'] }, { text: 'Joseph Carr' }],
  },
  { resourceType: 'Patient', id: 'anna', name: [{ family: 'Иванова', given: ['Анна'] }] },
  condition(
    'migraine',
    { text: 'Chronic migraine', coding: [{ system: SCT, code: '37796009', display: 'Migraine (disorder)' }] },
    '<p>Severe head<b>ache</b> &amp; nausea,<br/>worse in the<i>morning</i></p>',
  ),
  condition(
    'tension',
    { coding: [{ system: SCT, code: '398057008', display: 'Tension-type headache' }] },
    '<table><tbody><tr><td>bone</td><td>metastases</td></tr></tbody></table>',
  ),
  condition(
    'liver',
    { text: 'Liver' },
    '<p>Metastases in the liver. Contact: <a title="bone" href="#x">here</a></p>',
  ),
  condition('sugar', { text: 'Diabète sucré' }, '<p>D&#233;couvert en 2019</p>', {
    note: [{ text: 'Metformin was started' }],
    contained: [{ resourceType: 'Practitioner', id: 'p', name: [{ family: 'Strangelove' }] }],
    extension: [{ url: 'http://example.org/x', valueString: 'Peculiar' }],
    evidence: [{ detail: [{ reference: '#p' }] }],
  }),
  condition('no-text', { coding: [{ system: SCT, code: 'headache' }] }),
]
  .map((resource) => JSON.stringify(resource))
  .concat(
    // Escapes where there need be none.
    '{"resourceType":"Condition","id":"escaped","subject":{"reference":"Patient/anna"},' +
      '"code":{"text":"\\u0048ead\\u0061che \\"at\\" night"}}',
    '{"resourceType":"Binary","id":"bytes","contentType":"text/plain","data":"aGVhZGFjaGU="}',
  );

describe.each(TESTED_RELEASES)('search for words under %s', (release) => {
  const put = async (text: string): Promise<void> => {
    const { resourceType, id } = JSON.parse(text) as { resourceType: string; id: string };
    const answer = await server.request(
      'PUT',
      `${server.path('system', release)}/${resourceType}/${id}`,
      text,
    );
    if (answer.status !== 201 && answer.status !== 200)
      throw new Error(`${resourceType}/${id}: ${answer.status} ${answer.text}`);
  };
  beforeAll(async () => {
    for (const text of RESOURCES) await put(text);
  });

  const searchWords = (query: string): ReturnType<SharedServer['request']> => {
    const [path = '', search = ''] = query.split('?');
    const encoded = encodeURI(search).replaceAll('+', '%2B');
    return server.request('GET', `${server.path('system', release)}/${path}?${encoded}`);
  };
  const find = async (query: string): Promise<string[]> => {
    const { status, json, text } = await searchWords(query);
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    const entries = (json.entry ?? []) as Entry[];
    return entries.map(({ resource }) => resource.id).sort();
  };

  it.each<[string, string[]]>([
    // "searches text associated with the code/value - either CodeableConcept.text, Coding.display …"
    ['Condition?code:text=headache', ['escaped', 'tension']],
    ['Condition?code:text=head', ['escaped', 'tension']],
    ['Condition?code:text=HEADACHE tens', ['tension']],
    ['Condition?code:text=ache', []],
    ['Condition?code:text=type', ['tension']],
    ['Condition?code:text=chronic disorder', []],
    ['Condition?code:text=migraine', ['migraine']],
    ['Condition?code:text=migraine,liver', ['liver', 'migraine']],
    ['Condition?code:text=night at', ['escaped']],
    ['Condition?code:text=diabete', ['sugar']],
    ['Condition?code:text=sucré', ['sugar']],
    ['Condition?code:text=liver or migraine', []],
    // "… or Identifier.type.text"
    ['Patient?identifier:text=record', ['jose']],
    ['Patient?identifier:text=unseen', []],
    // Strings: every word is the beginning of a word of one name.
    ['Patient?name:text=quin', ['jose', 'maria']],
    ['Patient?name:text=jos carr', ['jose', 'maria']],
    ['Patient?name:text=pat quinones', []],
    ['Patient?name:text=obrien', ['jose']],
    ["Patient?name:text=o'brien", ['jose']],
    ['Patient?family:text=carreno', ['jose']],
    ['Patient?name:text="carreno quin"', ['jose']],
    ['Patient?name:text="quinones carreno"', []],
    ['Patient?name:text="mary"', ['maria']],
    ['Patient?name:text=mary "or"', []],
    ['Patient?name:text=mary OR pat', ['jose', 'maria']],
    ['Patient?name:text=иван', ['anna']],
    ['Patient?address:text=lodz elm', ['jose']],
    // "search on the narrative of the resource"
    ['Condition?_text=(bone OR liver) and metastases', ['liver', 'tension']],
    ['Condition?_text=bone metastases', ['tension']],
    ['Condition?_text=bone,nausea', ['migraine', 'tension']],
    ['Condition?_text=headache', ['migraine']],
    ['Condition?_text=nausea worse', ['migraine']],
    ['Condition?_text="nausea worse"', ['migraine']],
    ['Condition?_text="worse nausea"', []],
    ['Condition?_text=bonemet', []],
    ['Condition?_text=decouvert', ['sugar']],
    ['Condition?_text=table', []],
    ['Condition?_text=chronic', []],
    // "and the entire content of the resource"
    ['Condition?_content=headache', ['escaped', 'migraine', 'no-text', 'tension']],
    ['Condition?_content=metformin', ['sugar']],
    ['Condition?_content=strangelove peculiar', ['sugar']],
    ['Condition?_content=2019', ['sugar']],
    ['Condition?_content=398057008', ['tension']],
    ['Condition?_content=condition', []],
    ['Binary?_content=plain', ['bytes']],
    ['Binary?_content=agvhzg', []],
    // Beside other parameters, in chains and behind _has.
    ['Condition?code:text=head&subject=Patient/anna', ['escaped']],
    ['Condition?code:text=head&_text=bone', ['tension']],
    ['Condition?code:text=head&code:text=tension', ['tension']],
    ['Condition?code:text=head&code:not=398057008', ['escaped']],
    ['Condition?subject:Patient.name:text=quin&code:text=liver', ['liver']],
    ['Condition?subject:Patient.name:text=иван', ['escaped']],
    ['Patient?_has:Condition:subject:code:text=night', ['anna']],
    ['Patient?_has:Condition:subject:_text=bone&name:text=jos', ['jose']],
    // All types at once, and several.
    ['?_content=strangelove', ['sugar']],
    [
      '?_type=Condition,Patient&_content=headache OR obrien',
      ['escaped', 'jose', 'migraine', 'no-text', 'tension'],
    ],
    ['Patient/anna/Condition?code:text=headache', ['escaped']],
    // Conformance types: the tenant's and the base ones.
    ['ValueSet?name:text=administrativegender', ['administrative-gender']],
    [
      'CodeSystem?_content="administrative gender"&url=http://hl7.org/fhir/administrative-gender',
      ['administrative-gender'],
    ],
  ])('%s finds %j', async (query, expected) => {
    expect(await find(query)).toEqual(expected);
  });

  it.each<[string, RegExp]>([
    ['Condition?_text=(bone', /a parenthesis is not closed/],
    ['Condition?_text=bone)', /a parenthesis is closed that was not opened/],
    ['Condition?_content="bone', /a quotation mark is not closed/],
    ['Condition?_content=!!!', /there is no word in it/],
    ['Condition?code:text=...', /there is no word in it/],
    [`Condition?_text=${'word '.repeat(51)}`, /at most 50 words/],
    [`Condition?_text=${'('.repeat(30)}x`, /nested 20 deep/],
    ['Condition?_text:exact=x', /':exact' cannot be used with the search parameter '_text'/],
    ['Patient?gender:text=male', /':text' cannot be used with the search parameter 'gender'.*no text/],
    ['Patient?birthdate:text=x', /':text' cannot be used/],
  ])('%s is 400', async (query, diagnostics) => {
    const { status, json } = await searchWords(query);
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringMatching(diagnostics)]);
  });

  it('finds current versions only', async () => {
    const text = (words: string): string => JSON.stringify(condition('changing', { text: words }));
    await put(text('Volatile zebra'));
    expect(await find('Condition?code:text=zebra')).toEqual(['changing']);
    expect(await find('Condition?code:text=zebra')).toEqual(['changing']);
    await put(text('Stable okapi'));
    expect(await find('Condition?code:text=zebra')).toEqual([]);
    expect(await find('Condition?code:text=okapi')).toEqual(['changing']);
    await server.request('DELETE', `${server.path('system', release)}/Condition/changing`);
    expect(await find('Condition?code:text=okapi')).toEqual([]);
  });

  it('reads long texts to their end', async () => {
    const paragraphs = Array.from({ length: 4_000 }, (_, index) => `<p>Paragraph ${index}</p>`).join('');
    await put(
      JSON.stringify(condition('long', { text: 'Long' }, `${paragraphs}<p>Finally sesquipedalian</p>`)),
    );
    expect(await find('Condition?_text=sesquiped')).toEqual(['long']);
    expect(await find('Condition?_content=sesquiped&code:text=long')).toEqual(['long']);
    expect(await find('Condition?_text="paragraph 3999 finally"&_id=long')).toEqual(['long']);
    await server.request('DELETE', `${server.path('system', release)}/Condition/long`);
  });

  it('sees nothing of other tenants', async () => {
    await server.createTenant(`other-${release}`);
    const other = `${server.path(`other-${release}`, release)}/Condition`;
    const { json } = await server.request('GET', `${other}?code:text=headache`);
    expect(json['entry']).toBeUndefined();
  });

  it("hides a base resource behind the tenant's own, and only the words of the latter count", async () => {
    const find1 = (): Promise<string[]> =>
      find('ValueSet?title:text=administrativegender&_id=administrative-gender');
    expect(await find1()).toEqual(['administrative-gender']);
    const own = {
      resourceType: 'ValueSet',
      id: 'administrative-gender',
      url: 'http://hl7.org/fhir/ValueSet/administrative-gender',
      status: 'active',
      title: 'Something else',
    };
    await put(JSON.stringify(own));
    expect(await find1()).toEqual([]);
    expect(await find('ValueSet?title:text=something')).toEqual(['administrative-gender']);
    await server.request('DELETE', `${server.path('system', release)}/ValueSet/administrative-gender`);
    expect(await find1()).toEqual(['administrative-gender']);
  });

  it('pages through its matches, each once, and counts them', async () => {
    const many = Array.from({ length: 25 }, (_, index) =>
      JSON.stringify(condition(`page-${index}`, { text: `Pageable number ${index}` })),
    );
    for (const text of many) await put(text);
    const found: string[] = [];
    const root = server.base;
    let next: string | undefined =
      `${server.path('system', release)}/Condition?code:text=pageable&_count=10&_total=accurate`;
    while (next !== undefined) {
      const { json } = await server.request('GET', next.replace(root, ''));
      expect(json['total']).toBe(25);
      found.push(...((json.entry ?? []) as Entry[]).map(({ resource }) => resource.id));
      next = (json['link'] as { relation: string; url: string }[]).find(
        ({ relation }) => relation === 'next',
      )?.url;
    }
    expect(found).toHaveLength(25);
    expect(new Set(found).size).toBe(25);
    for (const text of many) {
      const { id } = JSON.parse(text) as { id: string };
      await server.request('DELETE', `${server.path('system', release)}/Condition/${id}`);
    }
  });

  it('names _text and _content in the CapabilityStatement', async () => {
    const { json } = await server.request('GET', `${server.path('system', release)}/metadata`);
    const [rest] = json['rest'] as {
      resource: { type: string; searchParam: { name: string; type: string }[] }[];
    }[];
    const names = rest?.resource
      .find(({ type }) => type === 'Condition')
      ?.searchParam.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['_content', '_text']));
  });
});
