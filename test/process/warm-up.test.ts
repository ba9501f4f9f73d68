/** A server that warms itself, on a process of its own: only its start does it. */
import { findFreePort } from '../../src/embedded/free-port';
import { startProcess } from '../support/process';

const AUDITED = '/w/system/api/v1/fhir/r4/AuditEvent?_total=accurate&_count=0';

it('a server in production warms itself before it listens, and nothing of that is a request of a client', async () => {
  const metrics = await findFreePort();
  const server = await startProcess({
    because: 'WARM_UP',
    environment: {
      NODE_ENV: 'production',
      AUDIT: 'on',
      LOG_LEVEL: 'debug',
      METRICS_ADDRESS: `127.0.0.1:${metrics}`,
    },
  });
  try {
    const [warmed = '', ...before] = (await server.output())
      .split('"msg":"listening"')[0]!
      .split('\n')
      .reverse()
      .slice(1);
    const [, runs] = /"runs":(\d+),.*"msg":"warmed up"/.exec(warmed) ?? [];
    expect(Number(runs)).toBeGreaterThan(0);
    expect(before.join('\n')).not.toMatch(/"msg":"request"|"level":[45]0.*warm/);
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    expect(text).not.toMatch(/andiron_request_duration_seconds_count\{interaction="(?!health)/);
    // The reads of the start would be among them; the search itself is recorded after its answer.
    expect((await server.request('GET', AUDITED)).json.total).toBe(0);
  } finally {
    await server.close();
  }
});

it('WARM_UP turns it off, and is off elsewhere than in production', async () => {
  const environments: readonly Readonly<Record<string, string>>[] = [
    { NODE_ENV: 'production', WARM_UP: 'off' },
    { NODE_ENV: 'development' },
  ];
  for (const environment of environments) {
    const server = await startProcess({ environment: { ...environment, LOG_LEVEL: 'debug' } });
    expect(await server.output()).not.toContain('warmed up');
    await server.close();
  }
});
