/** Consent of a person to an app, and the launch context that the app gets (docs/run/access.md, Signing in for an app). */
import { createClient } from '../support/access';
import { SmartTenant } from '../support/smart-app';
import { boxesOf, makeProof, toReturned } from '../support/sign-in';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('enforced');
});
afterAll(() => server.close());

const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';
const LABORATORY = `patient/Observation.rs?category=${CATEGORY}|laboratory`;
const VITAL_SIGNS = `patient/Observation.rs?category=${CATEGORY}|vital-signs`;

function observation(id: string, category: string) {
  return {
    ...{ resourceType: 'Observation', id, status: 'final', code: { text: 'x' } },
    ...{
      subject: { reference: 'Patient/ann' },
      category: [{ coding: [{ system: CATEGORY, code: category }] }],
    },
  };
}

describe.each(TESTED_RELEASES)('in %s', (release) => {
  let smart: SmartTenant;
  const idsOf = async (query: string, token: string): Promise<unknown> => {
    const { status, json } = await smart.get(query, token);
    const entries: { resource: { id: string } }[] = json.entry ?? [];
    return status === 200 ? entries.map(({ resource }) => resource.id).sort() : status;
  };

  beforeAll(async () => {
    smart = await SmartTenant.make(server, `apps-${release}`, release);
    await smart.put(
      { resourceType: 'Patient', id: 'ann', name: [{ family: 'Archer' }] },
      { resourceType: 'Patient', id: 'ben', name: [{ family: 'Baker' }] },
      { resourceType: 'Practitioner', id: 'doc' },
      { resourceType: 'RelatedPerson', id: 'mother', patient: { reference: 'Patient/ann' } },
      observation('lab', 'laboratory'),
      observation('vital', 'vital-signs'),
      { resourceType: 'Condition', id: 'flu', subject: { reference: 'Patient/ann' } },
      {
        ...{ resourceType: 'Encounter', id: 'visit', status: 'finished', class: { code: 'AMB' } },
        subject: { reference: 'Patient/ann' },
      },
    );
    await smart.addPerson('ann', 'Patient/ann');
    await smart.addPerson('doc', 'Practitioner/doc');
    await smart.addPerson('mother', 'RelatedPerson/mother');
  });

  describe('a person', () => {
    const scope = `openid fhirUser launch/patient offline_access ${LABORATORY} ${VITAL_SIGNS} patient/Condition.rs`;

    it('withdraws single scopes, and the app gets and is told the others', async () => {
      const withdrawn = [VITAL_SIGNS, 'offline_access'];
      const token = await smart.token({ scope, withdrawn });
      expect(token.scope).toBe(`openid fhirUser launch/patient ${LABORATORY} patient/Condition.rs`);
      expect([token['patient'], token.refresh_token]).toEqual(['ann', undefined]);
      expect(await idsOf('Observation', token.access_token)).toEqual(['lab']);
      const all = await smart.token({ scope });
      expect([all.scope, await idsOf('Observation', all.access_token)]).toEqual([scope, ['lab', 'vital']]);
    });

    it('takes away who they are with one box, and is asked again if nothing is left', async () => {
      const token = await smart.token({ scope, withdrawn: ['openid'] });
      expect(token.scope).toBe(scope.replace('openid fhirUser ', ''));
      expect(token.id_token).toBeUndefined();
      const { browser, page } = await smart.consent({ scope: 'launch/patient patient/Condition.rs' });
      const again = await browser.send(page, { step: 'allow', 'scopes-0': '' });
      expect([again.status, again.text.includes('Choose what to allow first')]).toEqual([200, true]);
      expect(again.text).not.toContain('checked');
      const { answer } = toReturned(
        await browser.send(again, { step: 'allow', 'scopes-0': 'patient/Condition.rs' }),
      );
      expect(answer['code']).toBeDefined();
    });

    it('keeps what was withdrawn while looking for a patient', async () => {
      const { browser, page } = await smart.consent({ scope, user: 'doc' });
      const [box = ''] =
        Object.entries(boxesOf(page)).find(([, value]) => value === 'patient/Condition.rs') ?? [];
      const found = await browser.send(page, { step: 'find', search: 'Archer', [box]: '' });
      expect(found.text).toContain(`name="${box}" value="patient/Condition.rs">`);
      const none = await browser.send(found, { step: 'allow' });
      expect([
        none.text.includes('Choose a patient first'),
        none.text.includes(`name="${box}" value="patient/Condition.rs">`),
      ]).toEqual([true, true]);
    });

    it('cannot allow more than the app asked for, by a changed form either', async () => {
      const { verifier, challenge } = makeProof();
      const { browser, page } = await smart.consent(
        { scope: 'openid launch/patient patient/Condition.rs' },
        challenge,
      );
      const fields = { step: 'allow', 'scopes-9': 'patient/*.cruds user/*.cruds offline_access' };
      const { answer } = toReturned(await browser.send(page, fields));
      const { json } = await smart.post('token', {
        ...{ grant_type: 'authorization_code', client_id: smart.app, code: answer['code'] ?? '' },
        ...{ code_verifier: verifier, redirect_uri: 'https://app.example/back' },
      });
      expect(json.scope).toBe('openid launch/patient patient/Condition.rs');
    });
  });

  describe('a scope that can never allow anything', () => {
    const CODE = 'http://x.example|a';
    it.each([
      ['of an unknown type', 'ann', 'patient/Patients.rs'],
      ['with an unknown search parameter', 'ann', 'patient/Condition.rs?colour=red'],
      ['of a type that no record has or refers to', 'ann', 'patient/ValueSet.rs'],
      ['to write what a record only refers to', 'ann', 'patient/Practitioner.cud'],
      ['to search for AuditEvents', 'ann', 'patient/AuditEvent.rs'],
      ['to say whose records people reach', 'mother', 'user/RelatedPerson.cud'],
      ['to write nothing that there is', 'doc', `user/Nothing.c?code=${CODE}`],
    ])('is not granted: %s', async (_what, user, useless) => {
      const scope = `openid ${useless} ${useless.split('/')[0] ?? ''}/Condition.rs`;
      const token = await smart.token({ scope, user, patient: 'ann' });
      expect(token.scope).toBe(`openid ${useless.split('/')[0] ?? ''}/Condition.rs`);
      const { browser } = await smart.consent({ scope: useless, user });
      const { headers } = await browser.open(smart.authorizeAt(makeProof().challenge, useless));
      expect(String(headers['location'])).toContain('error=invalid_scope');
    });

    it('is not granted: of what the record refers to, where the token reads nothing that does', async () => {
      const alone = await smart.token({ scope: 'openid patient/Practitioner.rs launch/patient' });
      expect(alone.scope).toBe('openid launch/patient');
      const both = await smart.token({
        scope: 'launch/patient patient/Practitioner.rs patient/Observation.rs',
      });
      expect(both.scope).toBe('launch/patient patient/Practitioner.rs patient/Observation.rs');
    });

    it('is not granted: to a program, and the rest is', async () => {
      const scopes = ['system/Patients.rs', 'system/Patient.rs', 'system/Observation.rs?colour=red'];
      const program = await createClient(server, `apps-${release}`, { scopes });
      const grant = (more: Record<string, string>) =>
        smart.post('token', { grant_type: 'client_credentials', ...more }, { authorization: program.basic });
      expect((await grant({})).json.scope).toBe('system/Patient.rs');
      const none = await grant({ scope: 'system/Patients.rs' });
      expect([none.status, none.json.error]).toEqual([400, 'invalid_scope']);
    });
  });

  describe('a refresh', () => {
    it('gets all scopes, fewer, or parts of them, and never more', async () => {
      const scope = 'openid launch/patient offline_access patient/*.rs';
      let { refresh_token: next } = await smart.token({ scope });
      const refresh = async (asked?: string) => {
        const { status, json } = await smart.refresh(next, asked);
        if (status === 200) next = json.refresh_token;
        return json;
      };
      expect((await refresh()).scope).toBe(scope);
      expect((await refresh(scope)).scope).toBe(scope);
      const part = await refresh('patient/Observation.rs');
      expect([part.scope, part.patient, part.id_token]).toEqual(['patient/Observation.rs', 'ann', undefined]);
      expect(await idsOf('Observation', part.access_token)).toEqual(['lab', 'vital']);
      expect(await idsOf('Condition', part.access_token)).toBe(403);
      const labs = await refresh(LABORATORY);
      expect([labs.scope, await idsOf('Observation', labs.access_token)]).toEqual([LABORATORY, ['lab']]);
      expect((await refresh('patient/Condition.r')).scope).toBe('patient/Condition.r');
      expect((await refresh('patient/Patients.rs patient/Condition.rs')).scope).toBe('patient/Condition.rs');
      for (const more of [
        'patient/*.cruds',
        'patient/Observation.cud',
        'user/*.rs',
        'system/*.rs',
        'fhirUser',
      ])
        expect([more, (await refresh(more)).error]).toEqual([more, 'invalid_scope']);
      expect((await refresh('patient/Patients.rs')).error).toBe('invalid_scope');
      expect((await refresh()).scope).toBe(scope);
    });

    it('of granular scopes narrows to conditions that are as strict', async () => {
      const scope = `launch/patient offline_access ${LABORATORY}`;
      const { refresh_token: first } = await smart.token({ scope });
      const stricter = await smart.refresh(first, `${LABORATORY}&status=final`);
      expect(stricter.json.scope).toBe(`${LABORATORY}&status=final`);
      expect(await idsOf('Observation', stricter.json.access_token)).toEqual(['lab']);
      const wider = await smart.refresh(stricter.json.refresh_token, 'patient/Observation.rs');
      expect(wider.json.error).toBe('invalid_scope');
      const other = await smart.refresh(stricter.json.refresh_token, VITAL_SIGNS);
      expect(other.json.error).toBe('invalid_scope');
    });
  });

  describe('a launch from an EHR', () => {
    const launchOf = async (more: object): Promise<string> => {
      const body = { client: smart.app, release, ...more };
      const headers = { 'content-type': 'application/json', authorization: smart.writer.basic };
      const { status, json, text } = await server.request(
        'POST',
        `/w/${smart.tenant}/oidc/launch`,
        body,
        headers,
      );
      if (status !== 201) return `${status} ${text}`;
      return json.launch;
    };
    const context = { patient: 'ann', encounter: 'visit' };
    const scope = 'openid launch patient/*.rs offline_access';

    it('tells the app whether to show the patient, and the style of the EHR, after a refresh too', async () => {
      const style = 'https://ehr.example/style/7.json';
      const more = { need_patient_banner: false, smart_style_url: style };
      const launch = await launchOf({ ...context, ...more });
      const token = await smart.token({ scope, user: 'doc', more: { launch } });
      expect(token).toMatchObject({ ...context, ...more });
      expect((await smart.refresh(token.refresh_token)).json).toMatchObject({ ...context, ...more });
    });

    it('shows the patient in the style of this server unless the EHR says otherwise', async () => {
      const token = await smart.token({ scope, user: 'doc', more: { launch: await launchOf(context) } });
      expect(token['need_patient_banner']).toBe(true);
      const address = new URL(String(token['smart_style_url']));
      expect(address.origin).toBe(server.base);
      const { status, headers, json } = await server.request('GET', address.pathname, undefined, {
        origin: 'https://app.example',
      });
      expect([status, headers['content-type'], headers['access-control-allow-origin']]).toEqual([
        ...[200, 'application/json; charset=utf-8', '*'],
      ]);
      expect(headers['cache-control']).toMatch(/^public, max-age=\d+$/);
      for (const [name, value] of Object.entries(json)) {
        expect(name).toMatch(/^(?:color|dim|font_family)_[a-z_]+$/);
        expect(value).toEqual(expect.any(String));
      }
    });

    it('without a patient gives no scopes of a patient', async () => {
      const token = await smart.token({
        scope: `${scope} user/Patient.rs`,
        user: 'doc',
        more: { launch: await launchOf({}) },
      });
      expect([token.scope, token['patient']]).toEqual([
        'openid launch offline_access user/Patient.rs',
        undefined,
      ]);
    });

    it('is not part of a standalone launch', async () => {
      const token = await smart.token({ scope: 'openid launch/patient patient/*.rs' });
      expect([token['need_patient_banner'], token['smart_style_url']]).toEqual([undefined, undefined]);
    });

    it.each([
      [{ need_patient_banner: 'no' }, '"need_patient_banner" must be true or false'],
      [{ smart_style_url: '/style' }, '"smart_style_url" must be an absolute https address'],
      [
        { smart_style_url: 'http://ehr.example/style' },
        '"smart_style_url" must be an absolute https address',
      ],
      [{ banner: true }, 'The body must be a JSON object of'],
    ])('refuses the context %j', async (more, reason) => {
      const refused = await launchOf(more);
      expect(refused).toMatch(/^400 /);
      expect(JSON.parse(refused.slice(4)).issue[0].diagnostics).toContain(reason);
    });

    it('is in the discovery document', async () => {
      const { json, headers } = await server.request('GET', `${smart.root}/.well-known/smart-configuration`);
      expect(json.capabilities).toEqual(
        expect.arrayContaining(['context-banner', 'context-style', 'launch-ehr']),
      );
      expect(headers['access-control-allow-origin']).toBe('*');
    });
  });
});
